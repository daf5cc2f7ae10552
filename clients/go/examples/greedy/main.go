// Greedy is a bot for Trick and Trade that looks one trick ahead: what will an icon pay, and what does each choice bring?
package main

import (
	"math"
	"slices"

	"croupier"
	pb "croupier/gen/trickandtradev1"
	"croupier/trickandtrade"
)

const (
	wander = 4.0 // how far a suit's value strays in a round
	lead   = 0.6 // points that it is worth to lead the next trick
	keep   = 0.3 // points that it is worth to keep a card one rank higher, at the start of the game
)

func main() {
	croupier.Main(croupier.Bot{Games: []string{trickandtrade.Game}, Choose: choose})
}

// choose makes the choice that promises most points, for itself and against the average opponent.
func choose(decision *croupier.Decision) (croupier.Choice, error) {
	view := decision.View().GetTrickAndTrade()
	table := view.GetTable()
	pays := payments(table, [4]uint32(table.GetValues()))
	front := worths(table.GetFrontRow(), pays)
	if len(table.GetPlacing()) == 0 {
		cards := make([]pb.Card, len(decision.Actions()))
		for at, action := range decision.Actions() {
			cards[at] = action.GetTrickAndTrade().GetPlay()
		}
		picks := slices.Clone(front)
		slices.Sort(picks)
		slices.Reverse(picks)
		return best(playPromises(view, cards, picks, pays)), nil
	}
	leftOver := slices.Min(front) // what comes with the lead card
	if table.GetRound() < table.GetRounds() {
		leftOver += lead
	}
	promises := make([]float64, len(decision.Actions()))
	for at, action := range decision.Actions() {
		promises[at] = leftOver
		if action := action.GetTrickAndTrade(); !action.GetTakeLead() {
			promises[at] = front[action.GetTakeTrade()]
		}
	}
	return best(promises), nil
}

// best chooses the highest promise, of equals the first.
func best(promises []float64) croupier.Choice {
	return croupier.Index(slices.Index(promises, slices.Max(promises)))
}

// worths returns what each trade card of a row pays; infinity where there is none.
func worths(row []pb.TradeCard, pays [4]float64) []float64 {
	worths := make([]float64, len(row))
	for place, card := range row {
		if card == pb.TradeCard_TRADE_CARD_UNSPECIFIED {
			worths[place] = math.Inf(1)
			continue
		}
		for suit, icons := range trickandtrade.Icons(card) {
			worths[place] += float64(icons) * pays[suit]
		}
	}
	return worths
}

// payments returns what an icon of each suit is likely to pay in the end if the suits' values stand like this now.
func payments(table *pb.Table, values [4]uint32) [4]float64 {
	spread := wander * math.Sqrt(float64(table.GetRounds()-table.GetRound()+1))
	var pays [4]float64
	for suit, own := range values {
		higher := 0.0 // suits, some of them by half
		for _, other := range values {
			higher += (1 + math.Erf((float64(other)-float64(own))/spread)) / 2
		}
		higher -= 0.5
		pays[suit] = 3 - higher // x3, x2, x1, x-1, and all between
		if higher >= 2 {
			pays[suit] = 5 - 2*higher
		}
	}
	return pays
}

// playPromises returns what playing each card promises: the pick that its place gives, and what the winner does to the
// values. The picks are sorted, best first.
func playPromises(view *pb.View, cards []pb.Card, picks []float64, pays [4]float64) []float64 {
	table := view.GetTable()
	trick := table.GetTrick()
	unseen := unseenBy(view)
	toCome := float64(int(table.GetSeats()) - len(trick) - 1)
	later := 1 - float64(table.GetRound())/float64(table.GetRounds())
	promises := make([]float64, len(cards))
	for at, card := range cards {
		led, winner, ahead := trickandtrade.Suit(card), card, 0
		if len(trick) > 0 {
			led, winner = trickandtrade.Suit(trick[0]), trick[0]
		}
		for _, other := range append(slices.Clone(trick), card) {
			if strength(other, led) > strength(winner, led) {
				winner = other // so far
			}
			if strength(other, led) > strength(card, led) {
				ahead++
			}
		}
		risk, loss := stronger(unseen, card, led), stronger(unseen, winner, led)
		place := min(float64(ahead)+toCome*risk, float64(len(picks)-1))
		whole, part := math.Modf(place)
		pick := picks[int(whole)]*(1-part) + picks[int(math.Ceil(place))]*part
		promises[at] = pick + math.Pow(1-loss, toCome)*swing(table, winner, pays) -
			keep*float64(trickandtrade.Rank(card))*later
	}
	return promises
}

// unseenBy returns the trick cards that a viewer has not seen.
func unseenBy(view *pb.View) []pb.Card {
	seen := slices.Concat(view.GetTable().GetPlayed(), view.GetTable().GetTrick(), view.GetHand())
	var unseen []pb.Card
	for card := pb.Card(1); card <= 40; card++ {
		if !slices.Contains(seen, card) {
			unseen = append(unseen, card)
		}
	}
	return unseen
}

// stronger returns the share of the unseen cards that are as strong as a card, or stronger.
func stronger(unseen []pb.Card, card pb.Card, led pb.Suit) float64 {
	if len(unseen) == 0 {
		return 0
	}
	weaker := 0
	for _, other := range unseen {
		if strength(other, led) < strength(card, led) {
			weaker++
		}
	}
	return 1 - float64(weaker)/float64(len(unseen))
}

// strength orders the cards of a trick; of equals the later one is stronger.
func strength(card pb.Card, led pb.Suit) int {
	if trickandtrade.Suit(card) == led {
		return trickandtrade.Rank(card) + 10
	}
	return trickandtrade.Rank(card)
}

// swing returns what it is worth to the seat on turn that this card wins, against the average opponent.
func swing(table *pb.Table, card pb.Card, pays [4]float64) float64 {
	values := [4]uint32(table.GetValues())
	values[trickandtrade.Suit(card)-1] += uint32(trickandtrade.Value(card))
	after := payments(table, values)
	icons := table.GetIcons()
	total := 0.0
	for suit := range 4 {
		own := icons[4*table.GetTurn()+uint32(suit)]
		others := -float64(own)
		for at := suit; at < len(icons); at += 4 {
			others += float64(icons[at])
		}
		total += (float64(own) - others/float64(table.GetSeats()-1)) * (after[suit] - pays[suit])
	}
	return total
}
