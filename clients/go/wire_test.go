package croupier

import (
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	pb "croupier/gen/croupierv1"
)

// The hand-made forms are what the generated code makes of them.

func vectors(t *testing.T) *pb.PlayResponse {
	bytes, err := os.ReadFile("../vectors/greedy-decisions.binpb")
	if err != nil {
		t.Fatal(err)
	}
	frame := &pb.PlayResponse{}
	if err := proto.Unmarshal(bytes, frame); err != nil {
		t.Fatal(err)
	}
	return frame
}

func TestADecisionIsReadAsTheGeneratedCodeReadsIt(t *testing.T) {
	for _, message := range vectors(t).GetMessages() {
		wanted := message.GetDecision()
		wanted.Seq, wanted.Attempt, wanted.BankMs = rand.Uint64(), rand.Uint32N(10), rand.Uint32()
		wanted.LastChargedMs, wanted.Standing, wanted.Seat = rand.Uint32(), rand.IntN(2) == 1, rand.Uint32N(5)
		wire, err := proto.Marshal(wanted)
		if err != nil {
			t.Fatal(err)
		}
		decision, key, err := readDecision(append(wire, "\xa2\x06\x03abc\xad\x06abcd"...)) // fields 100 and 101, of a newer server
		if err != nil {
			t.Fatal(err)
		}
		if key != (seatKey{wanted.GetSessionId(), wanted.GetSeat()}) || decision.ID != wanted.GetDecisionId() ||
			decision.Seq != wanted.GetSeq() || decision.Attempt != int(wanted.GetAttempt()) ||
			decision.Standing != wanted.GetStanding() || decision.ThinkTime != milliseconds(wanted.GetThinkTimeMs()) ||
			decision.Bank != milliseconds(wanted.GetBankMs()) || decision.LastCharged != milliseconds(wanted.GetLastChargedMs()) {
			t.Errorf("%v was read as %+v", wanted, decision)
		}
		if decision.NumActions() != len(wanted.GetActions()) || len(decision.Actions()) != len(wanted.GetActions()) {
			t.Errorf("%d actions", decision.NumActions())
		}
		for at, action := range decision.Actions() {
			if !proto.Equal(action, wanted.GetActions()[at]) {
				t.Errorf("%v was read as %v", wanted.GetActions()[at], action)
			}
		}
		message := decision.Message()
		message.ProtoReflect().SetUnknown(nil)
		if !proto.Equal(decision.View(), wanted.GetView()) || !proto.Equal(message, wanted) {
			t.Errorf("%v was read as %v", wanted, message)
		}
	}
}

func TestAnActIsWrittenAsTheGeneratedCodeWritesIt(t *testing.T) {
	for _, number := range []uint32{1, 127, 128, 1 << 20} {
		var frame pb.PlayRequest
		wire := appendIndexAct(appendIndexAct(nil, "a-session", number, int(number)-1), "", number, 0)
		if err := proto.Unmarshal(wire, &frame); err != nil {
			t.Fatal(err)
		}
		wanted := &pb.PlayRequest{Messages: []*pb.ClientMessage{act("a-session", number, number-1), act("", number, 0)}}
		if !proto.Equal(&frame, wanted) {
			t.Errorf("%v instead of %v", &frame, wanted)
		}
	}
}

func TestADecisionBehindAnUnknownFieldIsFound(t *testing.T) {
	wire, err := proto.Marshal(ask("a", 1))
	if err != nil {
		t.Fatal(err)
	}
	frame := protowire.AppendTag(nil, 1, protowire.BytesType)
	frame = protowire.AppendBytes(frame, append([]byte("\xa2\x06\x03abc"), wire...))
	var found *Decision
	err = eachMessage(frame, func(wire []byte) (err error) { found, _, err = readDecision(wire); return err }, func(*pb.ServerMessage) {})
	if err != nil || found == nil || found.ID != 1 || found.ThinkTime != time.Second {
		t.Error(found, err)
	}
}

func TestAFrameThatCannotBeReadIsAnError(t *testing.T) {
	good, err := proto.Marshal(&pb.PlayResponse{Messages: []*pb.ServerMessage{start("a"), ask("a", 1)}})
	if err != nil {
		t.Fatal(err)
	}
	readAll := func(frame []byte) error {
		decide := func(wire []byte) error { _, _, err := readDecision(wire); return err }
		return eachMessage(frame, decide, func(*pb.ServerMessage) {})
	}
	if err := readAll(good); err != nil {
		t.Error(err)
	}
	if readAll(good[:len(good)-1]) == nil {
		t.Error("the last byte was not missed")
	}
	for range 10_000 { // none of them may panic
		bad := append([]byte{}, good...)
		bad[rand.IntN(len(bad))] = byte(rand.Uint32())
		_ = readAll(bad)
	}
}

func TestAViewThatCannotBeReadIsAFailureOfThatChoice(t *testing.T) {
	server := newServer(t)
	player := play(t, server, Bot{Choose: func(decision *Decision) (Choice, error) {
		if decision.ID == 1 {
			decision.viewWire = []byte{0x0a, 0x7f}
		}
		decision.View()
		return Index(0), nil
	}})
	stream := server.accept()
	stream.say(start("a"), ask("a", 1), start("b"), ask("b", 2))
	stream.hears(act("b", 2, 0))
	logged(t, player, "cannot be read")
}
