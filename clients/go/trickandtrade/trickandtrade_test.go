package trickandtrade

import (
	"testing"

	pb "croupier/gen/trickandtradev1"
)

func TestCardsHaveSuitRankValueAndName(t *testing.T) {
	for card, wanted := range map[pb.Card]struct {
		suit        pb.Suit
		rank, value int
		name        string
	}{
		pb.Card_CARD_NEV_1:      {pb.Suit_SUIT_NEV, 1, 9, "Nev 1"},
		pb.Card_CARD_ZEUS_9:     {pb.Suit_SUIT_ZEUS, 9, 1, "Zeus 9"},
		pb.Card_CARD_OCTO_10:    {pb.Suit_SUIT_OCTO, 10, 0, "Octo 10"},
		pb.Card_CARD_RATCOIN_10: {pb.Suit_SUIT_RATCOIN, 10, 0, "Ratcoin 10"},
	} {
		if Suit(card) != wanted.suit || Rank(card) != wanted.rank || Value(card) != wanted.value || Name(card) != wanted.name {
			t.Errorf("%v: %v %v %v %v", card, Suit(card), Rank(card), Value(card), Name(card))
		}
	}
}

func TestCardsThatThisSDKDoesNotKnowHaveANumberForAName(t *testing.T) {
	if Name(0) != "CARD_UNSPECIFIED" || Name(99) != "99" {
		t.Error(Name(0), Name(99))
	}
}

func TestTradeCardsShowIcons(t *testing.T) {
	for card, wanted := range map[pb.TradeCard][4]int{
		pb.TradeCard_TRADE_CARD_UNSPECIFIED:     {},
		pb.TradeCard_TRADE_CARD_NEV_OCTO:        {1, 0, 1, 0},
		pb.TradeCard_TRADE_CARD_RATCOIN_RATCOIN: {0, 0, 0, 2},
		pb.TradeCard_TRADE_CARD_ZEUS:            {0, 1, 0, 0},
		99:                                      {},
	} {
		if Icons(card) != wanted {
			t.Errorf("%v: %v", card, Icons(card))
		}
	}
}

func TestAnIconPaysByHowManySuitsStandHigher(t *testing.T) {
	if pays := Multipliers([4]uint32{5, 4, 4, 1}); pays != [4]int{3, 2, 2, -1} {
		t.Error(pays)
	}
}

func TestActionsAreMadeInTheirEnvelope(t *testing.T) {
	if action := Play(7).GetTrickAndTrade(); action.GetPlay() != 7 {
		t.Error(action)
	}
	if action := TakeTrade(2).GetTrickAndTrade(); action.GetTakeTrade() != 2 {
		t.Error(action)
	}
	if action := TakeLead().GetTrickAndTrade(); !action.GetTakeLead() {
		t.Error(action)
	}
}
