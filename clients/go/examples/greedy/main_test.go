package main

import (
	"os"
	"testing"

	"google.golang.org/protobuf/proto"

	"croupier"
	"croupier/gen/croupierv1"
)

func TestGreedyAnswersAsTheVectorsThatTheSDKsShareSay(t *testing.T) {
	var asked croupierv1.PlayResponse
	var acts croupierv1.PlayRequest
	read(t, "greedy-decisions.binpb", &asked)
	read(t, "greedy-acts.binpb", &acts)
	if len(asked.GetMessages()) < 100 || len(asked.GetMessages()) != len(acts.GetMessages()) {
		t.Fatal(len(asked.GetMessages()), len(acts.GetMessages()))
	}
	for at, message := range asked.GetMessages() {
		decision, wanted := message.GetDecision(), acts.GetMessages()[at].GetAct()
		asked, err := croupier.NewDecision(nil, decision)
		if err != nil {
			t.Fatal(err)
		}
		choice, err := choose(asked)
		if err != nil || choice != croupier.Index(int(wanted.GetIndex())) {
			t.Errorf("game %s, decision %d: %v instead of %d (%v)", wanted.GetSessionId(), wanted.GetDecisionId(), choice, wanted.GetIndex(), err)
		}
	}
}

func read(t *testing.T, name string, message proto.Message) {
	bytes, err := os.ReadFile("../../../vectors/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := proto.Unmarshal(bytes, message); err != nil {
		t.Fatal(err)
	}
}
