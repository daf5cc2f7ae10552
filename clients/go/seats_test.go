package croupier

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"

	pb "croupier/gen/croupierv1"
	tnt "croupier/gen/trickandtradev1"
	"croupier/trickandtrade"
)

// What a bot is asked and told, what it may answer, and what becomes of wrong answers.

func TestAnActionMayBeChosenByIndex(t *testing.T) {
	server := newServer(t)
	play(t, server, Bot{Choose: func(*Decision) (Choice, error) { return Index(2), nil }})
	stream := server.accept()
	stream.say(start("a"), ask("a", 1))
	stream.hears(act("a", 1, 2))
}

func TestAnActionMayBeChosenItself(t *testing.T) {
	server := newServer(t)
	play(t, server, Bot{Choose: func(decision *Decision) (Choice, error) { return Action(decision.Actions()[1]), nil }})
	stream := server.accept()
	stream.say(start("a"), ask("a", 1))
	stream.hears(actWith("a", 1, 2))
}

func TestAnActionMayBeMadeByTheBot(t *testing.T) {
	server := newServer(t)
	play(t, server, Bot{Choose: func(*Decision) (Choice, error) { return Action(trickandtrade.Play(40)), nil }})
	stream := server.accept()
	stream.say(start("a"), ask("a", 1))
	stream.hears(actWith("a", 1, 40))
}

func TestTheDecisionShowsViewActionsAndTime(t *testing.T) {
	server := newServer(t)
	decisions := make(chan *Decision, 1)
	play(t, server, Bot{Choose: func(decision *Decision) (Choice, error) { decisions <- decision; return Index(0), nil }})
	stream := server.accept()
	began := time.Now()
	stream.say(start("a"), ask("a", 7, func(decision *pb.Decision) {
		decision.Seq, decision.BankMs, decision.LastChargedMs = 31, 250, 20
	}))
	decision := receive(t, decisions, "a decision")
	if decision.ID != 7 || decision.Attempt != 1 || decision.Seq != 31 || decision.Standing {
		t.Errorf("wrong numbers: %+v", decision)
	}
	if decision.ThinkTime != time.Second || decision.Bank != 250*time.Millisecond || decision.LastCharged != 20*time.Millisecond {
		t.Errorf("wrong times: %+v", decision)
	}
	if decision.Received.Before(began) || decision.Received.After(time.Now()) {
		t.Errorf("received at %v", decision.Received)
	}
	if hand := decision.View().GetTrickAndTrade().GetHand(); !slices.Equal(hand, []tnt.Card{1, 2, 3}) {
		t.Errorf("wrong hand: %v", hand)
	}
	if len(decision.Actions()) != 3 || decision.Actions()[2].GetTrickAndTrade().GetPlay() != 3 {
		t.Errorf("wrong actions: %v", decision.Actions())
	}
	if decision.Session.ID != "a" || decision.Session.Seq() != 31 {
		t.Errorf("wrong session: %v, seq %d", decision.Session, decision.Session.Seq())
	}
	if text := decision.String(); text != "decision 7 of session a (trick-and-trade, seat 2 of 4)" {
		t.Errorf("it calls itself %q", text)
	}
}

func TestTheSessionIsTheSameFromStartToEnd(t *testing.T) {
	server := newServer(t)
	told := make(chan string, 1)
	var started *Session
	player := play(t, server, Bot{
		OnStart: func(session *Session) { started, session.Data = session, []uint32{} },
		Choose: func(decision *Decision) (Choice, error) {
			decision.Session.Data = append(decision.Session.Data.([]uint32), decision.ID)
			return Index(0), nil
		},
		OnEnd: func(session *Session, end *End) {
			round := end.View.GetTrickAndTrade().GetTable().GetRound()
			told <- fmt.Sprint(session.Data, session == started, end.Session == started, end.Points, end.Placing, round, session.Seq())
		},
	}, func(config *Config) { config.Sessions = 1 })
	stream := server.accept()
	stream.say(start("a"), ask("a", 1), ask("a", 2), over("a"))
	if err := player.ends(); err != nil {
		t.Error(err)
	}
	if text := receive(t, told, "the end"); text != "[1 2] true true 30 2 10 99" {
		t.Error(text)
	}
}

func TestASessionSaysWhereTheBotSits(t *testing.T) {
	thinkTime, maxFaults, leader := uint32(1000), uint32(10), uint32(4)
	session := newSession(&pb.SessionStart{
		SessionId:      "a",
		Game:           trickandtrade.Game,
		RulesVersion:   3,
		Seat:           1,
		Seats:          5,
		Options:        &pb.GameOptions{Options: &pb.GameOptions_TrickAndTrade{TrickAndTrade: &tnt.Options{FirstLeader: &leader}}},
		Clock:          &pb.ClockSettings{ThinkTimeMs: &thinkTime},
		Faults:         &pb.FaultSettings{MaxFaults: &maxFaults},
		Seq:            12,
		Resumed:        true,
		SeedCommitment: make([]byte, 32),
	})
	if session.String() != "session a (trick-and-trade, seat 1 of 5)" || session.RulesVersion != 3 || session.Seq() != 12 {
		t.Error(session)
	}
	if !session.Resumed || len(session.SeedCommitment) != 32 || session.Data != nil {
		t.Errorf("%+v", session)
	}
	if session.Options.GetTrickAndTrade().GetFirstLeader() != 4 || session.Clock.GetThinkTimeMs() != 1000 ||
		session.Faults.GetMaxFaults() != 10 {
		t.Errorf("%+v", session)
	}
}

func TestAnAbortedSessionHasNoResult(t *testing.T) {
	session := newSession(&pb.SessionStart{SessionId: "a", Seat: 2})
	end := newEnd(session, &pb.SessionEnd{SessionId: "a", Reason: pb.EndReason_END_REASON_ABORTED})
	if end.Result != nil || end.View != nil || end.Points != 0 || end.Placing != 0 || len(end.Seed) != 0 {
		t.Errorf("%+v", end)
	}
}

func TestEventsComeToBotsThatWantThem(t *testing.T) {
	server := newServer(t)
	told := make(chan []uint64, 4)
	play(t, server, Bot{Choose: first, OnEvents: func(_ *Session, events []*pb.Event) { told <- seqs(events) }})
	stream := server.accept()
	if !stream.hello.GetEvents() {
		t.Error("Hello did not ask for events")
	}
	stream.say(start("a"), events("a", 1, 2), events("a", 2, 3), events("unknown", 1))
	stream.hears(ack())
	if one, two := <-told, <-told; !slices.Equal(one, []uint64{1, 2}) || !slices.Equal(two, []uint64{3}) {
		t.Error(one, two)
	}
}

func seqs(events []*pb.Event) []uint64 {
	var seqs []uint64
	for _, event := range events {
		seqs = append(seqs, event.GetSeq())
	}
	return seqs
}

func TestAThirdPartyGameArrivesInItsEnvelope(t *testing.T) {
	server := newServer(t)
	packed, _ := anypb.New(durationpb.New(5 * time.Second))
	envelope := &pb.GameAction{Action: &pb.GameAction_Other{Other: packed}}
	play(t, server, Bot{Choose: func(decision *Decision) (Choice, error) {
		seen, err := decision.View().GetOther().UnmarshalNew()
		if err != nil || seen.(*durationpb.Duration).GetSeconds() != 5 {
			return Wait, fmt.Errorf("saw %v: %w", seen, err)
		}
		return Action(decision.Actions()[0]), nil
	}})
	stream := server.accept()
	stream.say(start("a"), ask("a", 1, func(decision *pb.Decision) {
		decision.Actions = []*pb.GameAction{envelope}
		decision.View = &pb.GameView{View: &pb.GameView_Other{Other: packed}}
	}))
	stream.hears(&pb.ClientMessage{Message: &pb.ClientMessage_Act{Act: &pb.Act{
		SessionId: "a", DecisionId: 1, Choice: &pb.Act_Action{Action: envelope},
	}}})
}

func TestAGameNewerThanTheSDKCanStillBePlayed(t *testing.T) {
	server := newServer(t)
	newest := &pb.GameAction{}
	newest.ProtoReflect().SetUnknown([]byte("\x72\x03abc")) // field 14
	play(t, server, Bot{Choose: func(decision *Decision) (Choice, error) { return Action(decision.Actions()[0]), nil }})
	stream := server.accept()
	stream.say(start("a"), ask("a", 1, func(decision *pb.Decision) { decision.Actions = []*pb.GameAction{newest} }))
	stream.hears(&pb.ClientMessage{Message: &pb.ClientMessage_Act{Act: &pb.Act{
		SessionId: "a", DecisionId: 1, Choice: &pb.Act_Action{Action: newest},
	}}})
}

// Wrong answers.

func TestAfterAnIllegalActTheBotIsAskedAgain(t *testing.T) {
	server := newServer(t)
	told := make(chan *pb.ActResult, 1)
	player := play(t, server, Bot{
		Choose:   func(decision *Decision) (Choice, error) { return Index(decision.Attempt), nil },
		OnResult: func(_ *Session, result *pb.ActResult) { told <- result },
	})
	stream := server.accept()
	stream.say(start("a"), ask("a", 1))
	stream.hears(act("a", 1, 1))
	illegal := result("a", 1, pb.ActOutcome_ACT_OUTCOME_ILLEGAL)
	illegal.GetActResult().Rule, illegal.GetActResult().Message = "play.in-hand", "Nev 2 is not yours"
	stream.say(illegal, ask("a", 1, func(decision *pb.Decision) { decision.Attempt = 2 }))
	stream.hears(act("a", 1, 2))
	if heard := receive(t, told, "the result"); !proto.Equal(heard, illegal.GetActResult()) {
		t.Error(heard)
	}
	for _, part := range []string{"level=WARN", "outcome=illegal", "session=a", "rule=play.in-hand", "Nev 2 is not yours"} {
		logged(t, player, part)
	}
}

func logged(t *testing.T, player *played, part string) {
	t.Helper()
	if log := player.log.String(); !strings.Contains(log, part) {
		t.Errorf("%q is not in the log:\n%s", part, log)
	}
}

func TestHarmlessResultsReachTheBotButNotTheLog(t *testing.T) {
	server := newServer(t)
	told := make(chan pb.ActOutcome, 8)
	player := play(t, server, Bot{Choose: first, OnResult: func(_ *Session, result *pb.ActResult) { told <- result.GetOutcome() }})
	stream := server.accept()
	harmless := []pb.ActOutcome{
		pb.ActOutcome_ACT_OUTCOME_STALE, pb.ActOutcome_ACT_OUTCOME_DUPLICATE, pb.ActOutcome_ACT_OUTCOME_UNKNOWN_SESSION,
		pb.ActOutcome_ACT_OUTCOME_UNSPECIFIED, 99, // of a newer server
	}
	stream.say(start("a"))
	stream.hears(ack())
	for _, outcome := range harmless {
		stream.say(result("a", 1, outcome))
		stream.hears(ack())
		if heard := <-told; heard != outcome {
			t.Errorf("%v came as %v", outcome, heard)
		}
	}
	if log := player.log.String(); strings.Contains(log, "session=a") {
		t.Error(log)
	}
}

func TestWhatComesForUnknownSessionsDoesNoHarm(t *testing.T) {
	server := newServer(t)
	player := play(t, server, Bot{Choose: func(*Decision) (Choice, error) { panic("asked") }})
	stream := server.accept()
	stream.say(ask("x", 1), result("x", 1, pb.ActOutcome_ACT_OUTCOME_MALFORMED), over("x"), events("x", 1))
	stream.hears(ack())
	logged(t, player, "asked to decide in a session of which the server has not told")
	logged(t, player, "outcome=malformed")
	if strings.Contains(player.log.String(), "panic") {
		t.Error("the bot was asked")
	}
}

func TestWhatCannotBeAnAnswerIsAnErrorOfTheBot(t *testing.T) {
	anothers := &pb.GameAction{Action: &pb.GameAction_Other{Other: &anypb.Any{}}}
	cases := map[string]struct {
		choice Choice
		err    error
		says   string
	}{
		"wait":                  {Wait, nil, "the bot returned Wait, but the decision is not a standing one"},
		"beyond the last":       {Index(3), nil, "the bot returned Index(3), but the 3 actions count from 0"},
		"before the first":      {Index(-1), nil, "the bot returned Index(-1), but the 3 actions count from 0"},
		"nothing":               {Action(nil), nil, "the bot returned Action(nil)"},
		"another game's":        {Action(anothers), nil, "the bot returned an action of another game"},
		"an error of its own":   {Index(0), errors.New("my bug"), "my bug"},
		"an envelope, but bare": {Action(&pb.GameAction{}), nil, "the bot returned an action of another game"},
	}
	for name, wrong := range cases {
		t.Run(name, func(t *testing.T) {
			server := newServer(t)
			player := play(t, server, Bot{Choose: func(*Decision) (Choice, error) { return wrong.choice, wrong.err }})
			stream := server.accept()
			stream.say(start("a"), ask("a", 1))
			stream.hears(ack())
			logged(t, player, wrong.says)
			logged(t, player, "Choose failed: no answer is sent, the clock decides")
		})
	}
}

func TestAPanicInChooseLeavesTheOtherSessionsAlone(t *testing.T) {
	for _, concurrent := range []bool{false, true} {
		t.Run(fmt.Sprintf("concurrent %v", concurrent), func(t *testing.T) {
			server := newServer(t)
			player := play(t, server, Bot{Concurrent: concurrent, Choose: func(decision *Decision) (Choice, error) {
				if decision.Session.ID == "b" {
					panic("my bug")
				}
				return Index(0), nil
			}}, patiently)
			stream := server.accept()
			stream.say(start("a"), start("b"), start("c"), ask("a", 5), ask("b", 5), ask("c", 5))
			stream.hearsInAnyOrder(act("a", 5, 0), act("c", 5, 0))
			logged(t, player, "panic: my bug")
			logged(t, player, "session=b")
			logged(t, player, "seats_test.go") // the stack shows where
		})
	}
}

func TestAPanicInAHookIsLoggedAndTheGameGoesOn(t *testing.T) {
	server := newServer(t)
	player := play(t, server, Bot{Choose: first, OnStart: func(*Session) { panic("my bug") }})
	stream := server.accept()
	stream.say(start("a"), ask("a", 1))
	stream.hears(act("a", 1, 0))
	logged(t, player, "OnStart failed")
}

func TestStopOnErrorStopsAtTheFirstOne(t *testing.T) {
	mine := errors.New("my bug")
	for _, concurrent := range []bool{false, true} {
		t.Run(fmt.Sprintf("concurrent %v", concurrent), func(t *testing.T) {
			server := newServer(t)
			bot := Bot{Concurrent: concurrent, Choose: func(*Decision) (Choice, error) { return Wait, mine }}
			player := play(t, server, bot, func(config *Config) { config.StopOnError = true })
			stream := server.accept()
			stream.say(start("a"), ask("a", 1))
			if err := player.ends(); !errors.Is(err, mine) {
				t.Error(err)
			}
			stream.gone()
		})
	}
}

// Choices that go on while other things happen.

// A thinker thinks until it is told what to answer.
type thinker struct {
	begun   chan *Decision
	answers chan Choice
	given   chan struct{} // one for each choice that saw that nobody wants it
}

func newThinker() *thinker {
	return &thinker{make(chan *Decision, 16), make(chan Choice), make(chan struct{}, 16)}
}

func (thinker *thinker) bot() Bot {
	return Bot{Concurrent: true, Choose: func(decision *Decision) (Choice, error) {
		thinker.begun <- decision
		select {
		case choice := <-thinker.answers:
			return choice, nil
		case <-decision.Context().Done():
			thinker.given <- struct{}{}
			return Wait, context.Cause(decision.Context())
		}
	}}
}

func TestAPingIsAnsweredWhileTheBotThinks(t *testing.T) {
	server := newServer(t)
	thinker := newThinker()
	play(t, server, thinker.bot())
	stream := server.accept()
	stream.say(start("a"), ask("a", 1))
	stream.hears(ack())
	stream.say(ping(42))
	stream.hears(pong(42))
	thinker.answers <- Index(1)
	stream.hears(act("a", 1, 1))
}

func TestAChoiceIsCancelledWhenItsAnswerIsNoLongerWanted(t *testing.T) {
	for name, message := range map[string]*pb.ServerMessage{
		"its time has run out":      result("a", 1, pb.ActOutcome_ACT_OUTCOME_LATE),
		"another decision is asked": ask("a", 2),
		"it is asked again":         ask("a", 1, func(decision *pb.Decision) { decision.Attempt = 2 }),
		"the session is over":       over("a"),
		"the session has moved":     hostedAt("a", "127.0.0.1:1", ""),
	} {
		t.Run(name, func(t *testing.T) {
			server := newServer(t)
			thinker := newThinker()
			player := play(t, server, thinker.bot())
			stream := server.accept()
			stream.say(start("a"), ask("a", 1))
			stream.hears(ack())
			stream.say(message)
			receive(t, thinker.given, "the choice that gives up")
			stream.hears(ack())
			if strings.Contains(player.log.String(), "Choose failed") {
				t.Error(player.log)
			}
		})
	}
}

func TestAChoiceThatIgnoresItsCancellationIsNotSent(t *testing.T) {
	server := newServer(t)
	release, released := make(chan struct{}), make(chan struct{})
	play(t, server, Bot{Concurrent: true, Choose: func(decision *Decision) (Choice, error) {
		if decision.ID == 1 {
			<-release
			defer close(released)
			return Index(1), nil
		}
		return Index(2), nil
	}})
	stream := server.accept()
	stream.say(start("a"), ask("a", 1))
	stream.hears(ack())
	stream.say(ask("a", 2))
	stream.hears(act("a", 2, 2))
	close(release)
	<-released
	stream.say(ping(1))
	stream.hears(pong(1))
}

func TestConcurrentAnswersThatAreReadyTogetherShareAFrame(t *testing.T) {
	server := newServer(t)
	play(t, server, Bot{Concurrent: true, Choose: first}, patiently)
	stream := server.accept()
	stream.say(start("a"), start("b"), start("c"), ask("a", 1), ask("b", 1), ask("c", 1))
	stream.hearsInAnyOrder(act("a", 1, 0), act("b", 1, 0), act("c", 1, 0))
}

// hearsInAnyOrder checks what the bot says in its next frame, wherever in it.
func (stream *fakeStream) hearsInAnyOrder(messages ...*pb.ClientMessage) {
	stream.test.Helper()
	frame := receive(stream.test, stream.frames, "a frame")
	for _, wanted := range messages {
		if !slices.ContainsFunc(frame.Messages, func(said *pb.ClientMessage) bool { return proto.Equal(said, wanted) }) {
			stream.test.Errorf("the bot said %v, without %v", frame, wanted)
		}
	}
	if len(frame.Messages) != len(messages) {
		stream.test.Errorf("the bot said %v: %d messages, not %d", frame, len(frame.Messages), len(messages))
	}
}

// Standing decisions.

func TestAStandingDecisionMayBeLeftUnanswered(t *testing.T) {
	server := newServer(t)
	player := play(t, server, Bot{Choose: func(decision *Decision) (Choice, error) {
		if decision.Standing && decision.ThinkTime == 0 {
			return Wait, nil
		}
		return Index(0), nil
	}})
	stream := server.accept()
	stream.say(start("a"), askStanding("a", 1, 0))
	stream.hears(ack())
	stream.say(ask("a", 2))
	stream.hears(act("a", 2, 0))
	if strings.Contains(player.log.String(), "failed") {
		t.Error(player.log)
	}
}

func TestAStandingDecisionThatIsAskedAnewIsThoughtAboutAnew(t *testing.T) {
	for _, number := range []uint32{1, 2} {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			server := newServer(t)
			thinker := newThinker()
			play(t, server, thinker.bot())
			stream := server.accept()
			stream.say(start("a"), askStanding("a", 1, 5))
			stream.hears(ack())
			receive(t, thinker.begun, "the first choice")
			stream.say(askStanding("a", number, 6))
			receive(t, thinker.given, "the choice that gives up")
			stream.hears(ack())
			if decision := receive(t, thinker.begun, "the second choice"); decision.Seq != 6 {
				t.Error(decision.Seq)
			}
			thinker.answers <- Index(0)
			stream.hears(act("a", number, 0))
		})
	}
}
