package main

import (
	"testing"

	"croupier"
	"croupier/gen/croupierv1"
)

func TestEveryActionIsChosenAtTimes(t *testing.T) {
	decision, err := croupier.NewDecision(nil, &croupierv1.Decision{Actions: []*croupierv1.GameAction{{}, {}, {}}})
	if err != nil {
		t.Fatal(err)
	}
	chosen := map[croupier.Choice]bool{}
	for range 1000 { // a bot that never takes one of three in a thousand is no random bot
		choice, err := choose(decision)
		if err != nil {
			t.Fatal(err)
		}
		chosen[choice] = true
	}
	for index := range 3 {
		if !chosen[croupier.Index(index)] {
			t.Errorf("never %d", index)
		}
	}
	if len(chosen) != 3 {
		t.Error(chosen)
	}
}
