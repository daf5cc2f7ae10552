// Package trickandtrade has what bots for Trick and Trade need beside the game's messages (gen/trickandtradev1): its name,
// and what can be read off its cards.
package trickandtrade

import (
	"fmt"
	"strings"

	"croupier/gen/croupierv1"
	"croupier/gen/trickandtradev1"
)

// Game is the game's name.
const Game = "trick-and-trade"

// Suits are the suits' names, in the order in which every list of four runs.
var Suits = [4]string{"Nev", "Zeus", "Octo", "Ratcoin"}

// Suit returns a trick card's suit, 1 to 4; its place in lists of four is one less.
func Suit(card trickandtradev1.Card) trickandtradev1.Suit {
	return trickandtradev1.Suit((card-1)/10 + 1)
}

// Rank returns a trick card's rank, 1 to 10.
func Rank(card trickandtradev1.Card) int {
	return int(card-1)%10 + 1
}

// Value returns what a trick card adds to its suit when it wins the trick: 10 less its rank.
func Value(card trickandtradev1.Card) int {
	return 10 - Rank(card)
}

// Name returns a trick card's name for people: "Zeus 9".
func Name(card trickandtradev1.Card) string {
	if card < 1 || card > 40 {
		return card.String() // unspecified, or news to this SDK
	}
	return fmt.Sprintf("%s %d", Suits[Suit(card)-1], Rank(card))
}

// Icons returns how many icons of each suit a trade card shows; none where it is unspecified or unknown.
func Icons(card trickandtradev1.TradeCard) [4]int {
	return icons[card]
}

// Multipliers returns what an icon of each suit pays at these value totals: 3, 2, 1 or -1 by how many suits stand higher.
func Multipliers(values [4]uint32) [4]int {
	var multipliers [4]int
	for suit, mine := range values {
		higher := 0
		for _, other := range values {
			if other > mine {
				higher++
			}
		}
		multipliers[suit] = [4]int{3, 2, 1, -1}[higher]
	}
	return multipliers
}

// Play makes the action that plays a card of the hand.
func Play(card trickandtradev1.Card) *croupierv1.GameAction {
	return action(&trickandtradev1.Action{Action: &trickandtradev1.Action_Play{Play: card}})
}

// TakeTrade makes the action that takes the trade card at a place of the front row, 0-based.
func TakeTrade(place int) *croupierv1.GameAction {
	return action(&trickandtradev1.Action{Action: &trickandtradev1.Action_TakeTrade{TakeTrade: uint32(place)}})
}

// TakeLead makes the action that takes the lead card.
func TakeLead() *croupierv1.GameAction {
	return action(&trickandtradev1.Action{Action: &trickandtradev1.Action_TakeLead{TakeLead: true}})
}

func action(action *trickandtradev1.Action) *croupierv1.GameAction {
	return &croupierv1.GameAction{Action: &croupierv1.GameAction_TrickAndTrade{TrickAndTrade: action}}
}

// The contract names each trade card by its icons: TRADE_CARD_NEV_OCTO.
var icons = func() map[trickandtradev1.TradeCard][4]int {
	all := map[trickandtradev1.TradeCard][4]int{}
	for number, name := range trickandtradev1.TradeCard_name {
		var counts [4]int
		for _, icon := range strings.Split(strings.TrimPrefix(name, "TRADE_CARD_"), "_") {
			for suit := range Suits {
				if icon == strings.ToUpper(Suits[suit]) {
					counts[suit]++
				}
			}
		}
		all[trickandtradev1.TradeCard(number)] = counts
	}
	return all
}()
