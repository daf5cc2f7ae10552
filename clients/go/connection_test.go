package croupier

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"

	pb "croupier/gen/croupierv1"
)

// Losing a server, finding it again, going elsewhere, and knowing when to stop trying.

const tenth = 100 * time.Millisecond

func TestALostConnectionIsOpenedAgain(t *testing.T) {
	server := newServer(t)
	player := play(t, server, Bot{Choose: first})
	stream := server.accept()
	stream.say(ping(1))
	stream.hears(pong(1))
	stream.lose()
	server.accept()
	player.pauses.so(t, tenth)
	logged(t, player, `msg="lost the server; trying again"`)
	logged(t, player, `reason="going down" wait=100ms`)
	if strings.Count(player.log.String(), "msg=connected bot=bot target="+server.target+` server="fake 1"`) != 2 {
		t.Error(player.log)
	}
}

func TestPausesGrowToTenSecondsAndStartAnewAfterSuccess(t *testing.T) {
	server := newServer(t)
	for range 9 {
		server.refuse(codes.Unavailable, "going down")
	}
	player := play(t, server, Bot{Choose: first})
	stream := server.accept()
	waits := []time.Duration{tenth, 2 * tenth, 4 * tenth, 8 * tenth, 16 * tenth, 32 * tenth, 64 * tenth, 100 * tenth, 100 * tenth}
	player.pauses.so(t, waits...)
	stream.lose() // after no more than the greeting, which proves nothing
	stream = server.accept()
	waits = append(waits, 100*tenth)
	player.pauses.so(t, waits...)
	stream.say(ping(1))
	stream.hears(pong(1))
	stream.lose()
	server.accept()
	player.pauses.so(t, append(waits, tenth)...)
}

func TestPausesAreJitteredOverTheWholeRange(t *testing.T) {
	backoff := Backoff{}.withDefaults()
	backoff.random = func() float64 { return 0.25 }
	if delay := backoff.delay(1); delay != 50*time.Millisecond {
		t.Error(delay)
	}
	backoff.random = func() float64 { return 1 }
	if delay := backoff.delay(1 << 40); delay != 10*time.Second {
		t.Error(delay)
	}
}

func TestAPauseEndsWithThePlaying(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	sleep(ctx, time.Hour) // or this test never ends
	sleep(context.Background(), time.Nanosecond)
}

func TestAServerThatIsNotThereIsWaitedFor(t *testing.T) {
	tried := make(chan struct{})
	player := play(t, &fakeServer{target: "127.0.0.1:1"}, Bot{Choose: first}, func(config *Config) {
		config.Backoff.sleep = func(ctx context.Context, _ time.Duration) { close(tried); <-ctx.Done() }
	})
	receive(t, neverMind(tried), "the first try")
	logged(t, player, `msg="cannot reach the server; trying again" target=127.0.0.1:1 reason="connection refused" wait=100ms`)
	player.stop()
	if err := player.ends(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// neverMind turns a closed channel into a value.
func neverMind(closed chan struct{}) <-chan struct{} {
	values := make(chan struct{}, 1)
	go func() { <-closed; values <- struct{}{} }()
	return values
}

func TestTheBotKeepsItsSessionsAndSaysWhichEventsItHas(t *testing.T) {
	server := newServer(t)
	told := make(chan string, 16)
	play(t, server, Bot{
		Choose:   first,
		OnStart:  func(session *Session) { told <- "start " + session.ID },
		OnEvents: func(session *Session, events []*pb.Event) { told <- fmt.Sprint("events ", session.ID, seqs(events)) },
	})
	stream := server.accept()
	stream.say(start("a"), events("a", 1, 2, 3), start("b"))
	stream.hears(ack())
	stream.lose()
	stream = server.accept()
	known := map[string]uint64{}
	for _, resume := range stream.hello.GetResume() {
		if resume.GetSeat() != 2 {
			t.Error(resume)
		}
		known[resume.GetSessionId()] = resume.GetLastSeq()
	}
	if len(known) != 2 || known["a"] != 3 || known["b"] != 0 {
		t.Error(stream.hello)
	}
	stream.say(resumed("a", 4), events("a", 3, 4), ask("a", 1, func(decision *pb.Decision) { decision.Seq = 4 }))
	stream.hears(act("a", 1, 0))
	for _, wanted := range []string{"start a", "events a[1 2 3]", "start b", "events a[4]"} { // 3 was known
		if heard := <-told; heard != wanted {
			t.Errorf("%q instead of %q", heard, wanted)
		}
	}
}

func TestAnAnswerThatWasLostWithItsStreamIsSentAgainWithoutChoosingAgain(t *testing.T) {
	server := newServer(t)
	asked := make(chan uint32, 2)
	play(t, server, Bot{Choose: func(decision *Decision) (Choice, error) { asked <- decision.ID; return Index(0), nil }})
	stream := server.accept()
	stream.say(start("a"), ask("a", 7))
	stream.hears(act("a", 7, 0))
	stream.lose() // the server never read it
	stream = server.accept()
	stream.say(resumed("a", 0), ask("a", 7))
	stream.hears(act("a", 7, 0))
	if len(asked) != 1 {
		t.Error("chosen twice")
	}
}

func TestAChoiceInProgressSurvivesTheLossOfItsStream(t *testing.T) {
	for _, when := range []string{"before the stream is lost", "between two streams", "after it is asked again"} {
		t.Run(when, func(t *testing.T) {
			server := newServer(t)
			thinker := newThinker()
			play(t, server, thinker.bot())
			stream := server.accept()
			stream.say(start("a"), ask("a", 7))
			stream.hears(ack())
			if when == "before the stream is lost" {
				thinker.answers <- Index(2)
				stream.hears(act("a", 7, 2))
			}
			stream.lose()
			stream = server.accept()
			if when == "between two streams" {
				thinker.answers <- Index(2)
				stream.hears(act("a", 7, 2)) // sent as soon as it is there
			}
			stream.say(resumed("a", 0), ask("a", 7))
			if when == "after it is asked again" {
				stream.hears(ack())
				thinker.answers <- Index(2)
			}
			stream.hears(act("a", 7, 2))
			if len(thinker.begun) != 1 {
				t.Errorf("chosen %d times", len(thinker.begun))
			}
		})
	}
}

func TestEventsThatACrashedServerHasLostAreForgotten(t *testing.T) {
	server := newServer(t)
	told := make(chan string, 16)
	play(t, server, Bot{
		Choose:   func(decision *Decision) (Choice, error) { told <- "choose"; return Index(0), nil },
		OnEvents: func(_ *Session, events []*pb.Event) { told <- fmt.Sprint(seqs(events)) },
		OnRewind: func(session *Session) { told <- fmt.Sprint("rewind ", session.Seq()) },
	})
	stream := server.accept()
	at := func(seq uint64) func(*pb.Decision) { return func(decision *pb.Decision) { decision.Seq = seq } }
	stream.say(start("a"), events("a", 1, 2, 3), ask("a", 2, at(3)))
	stream.hears(act("a", 2, 0))
	stream.lose()
	stream = server.accept()
	stream.say(resumed("a", 1), events("a", 2), ask("a", 2, at(2))) // another one, though it has the same number
	stream.hears(act("a", 2, 0))
	for _, wanted := range []string{"[1 2 3]", "choose", "rewind 1", "[2]", "choose"} {
		if heard := <-told; heard != wanted {
			t.Errorf("%q instead of %q", heard, wanted)
		}
	}
}

func TestASessionThatEndedWhileTheBotWasAwayEndsWhenItIsBack(t *testing.T) {
	server := newServer(t)
	player := play(t, server, Bot{Choose: first}, func(config *Config) { config.Sessions = 1 })
	stream := server.accept()
	stream.say(start("a"))
	stream.hears(ack())
	stream.lose()
	server.accept().say(over("a"))
	if err := player.ends(); err != nil {
		t.Error(err)
	}
}

func TestADrainingServerIsPlayedToTheEndAndThenLookedForAgain(t *testing.T) {
	server := newServer(t)
	player := play(t, server, Bot{Choose: first})
	stream := server.accept()
	stream.say(start("a"), drain("upgrade"), ask("a", 1))
	stream.hears(act("a", 1, 0))
	logged(t, player, "the server is about to stop; it lets games end")
	logged(t, player, "reason=upgrade grace=5s")
	stream.say(over("a"))
	stream.hears(ack())
	stream.end(codes.OK, "")
	server.accept()
	logged(t, player, `reason="the server closed the stream"`)
}

func TestABotThatIsReplacedByANewerConnectionStops(t *testing.T) {
	server := newServer(t)
	player := play(t, server, Bot{Choose: first})
	server.accept().end(codes.Aborted, "a newer connection of this bot took over")
	err := player.ends()
	var replaced *Replaced
	if !errors.As(err, &replaced) || err.Error() != "Aborted: a newer connection of this bot took over" {
		t.Error(err)
	}
}

func TestABotThatTheServerDoesNotWantStops(t *testing.T) {
	for _, code := range []codes.Code{
		codes.Unauthenticated, codes.PermissionDenied, codes.InvalidArgument, codes.NotFound, codes.FailedPrecondition,
		codes.Unimplemented, codes.AlreadyExists, codes.OutOfRange,
	} {
		t.Run(code.String(), func(t *testing.T) {
			server := newServer(t)
			server.refuse(code, "not you")
			err := play(t, server, Bot{Choose: first}).ends()
			var refused *Refused
			if !errors.As(err, &refused) || refused.Code != code || refused.Message != "not you" {
				t.Error(err)
			}
		})
	}
}

func TestARefusalSaysWhatToDoAboutIt(t *testing.T) {
	server := newServer(t)
	server.refuse(codes.Unauthenticated, "a token is needed")
	wanted := "Unauthenticated: a token is needed (give the bot's token: Config.Token, or CROUPIER_TOKEN in the environment)"
	if err := play(t, server, Bot{Choose: first}).ends(); err == nil || err.Error() != wanted {
		t.Error(err)
	}
}

func TestARefusalNamesReasonAndFields(t *testing.T) {
	server := newServer(t)
	server.refuse(codes.InvalidArgument, "a bad Hello", &errdetails.ErrorInfo{Reason: "BAD_HELLO"}, &errdetails.BadRequest{
		FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: "hello.games[0]", Description: "no such game"}},
	})
	err := play(t, server, Bot{Choose: first}).ends()
	var refused *Refused
	if !errors.As(err, &refused) || err.Error() != "InvalidArgument: a bad Hello (hello.games[0]: no such game)" {
		t.Fatal(err)
	}
	if refused.Reason != "BAD_HELLO" || !slices.Equal(refused.Violations, []Violation{{"hello.games[0]", "no such game"}}) {
		t.Errorf("%+v", refused)
	}
}

func TestOtherFailuresMayPass(t *testing.T) {
	for _, code := range []codes.Code{codes.Canceled, codes.ResourceExhausted, codes.Unknown, codes.DeadlineExceeded} {
		t.Run(code.String(), func(t *testing.T) {
			server := newServer(t)
			server.refuse(code, "oops")
			player := play(t, server, Bot{Choose: first})
			server.accept()
			player.pauses.so(t, tenth)
			logged(t, player, fmt.Sprintf("reason=%q", code.String()+": oops"))
		})
	}
}

func TestOnlyTheFirstSecondFourthEighthTryIsTold(t *testing.T) {
	server := newServer(t)
	for range 9 {
		server.refuse(codes.Unavailable, "going down")
	}
	player := play(t, server, Bot{Choose: first})
	server.accept()
	if told := strings.Count(player.log.String(), "cannot reach the server"); told != 4 {
		t.Errorf("%d times\n%v", told, player.log)
	}
}

// Going elsewhere.

func TestTheBotGoesWhereItsSessionIsHostedAndShowsTheSeatToken(t *testing.T) {
	server, other := newServer(t), newServer(t)
	started := make(chan string, 2)
	bot := Bot{Choose: first, OnStart: func(session *Session) { started <- session.ID }}
	play(t, server, bot, func(config *Config) { config.Token = "mine" })
	home := server.accept()
	home.say(hostedAt("a", other.target, "seat"))
	home.hears(ack())
	away := other.accept()
	if len(started) != 0 { // not yet: nobody has dealt
		t.Error("started before it was dealt")
	}
	if away.hello.GetBot() != "bot" || !slices.Equal(away.metadata.Get("authorization"), []string{"Bearer seat"}) {
		t.Error(away.hello, away.metadata)
	}
	away.say(start("a"), ask("a", 1))
	away.hears(act("a", 1, 0))
	home.say(start("b"), ask("b", 1))
	home.hears(act("b", 1, 0))
}

func TestSessionsOnTheSameServerShareAConnectionWhichEndsWithTheLastOfThem(t *testing.T) {
	server, other := newServer(t), newServer(t)
	player := play(t, server, Bot{Choose: first}, func(config *Config) { config.Sessions = 3 })
	home := server.accept()
	home.say(hostedAt("a", other.target, ""), hostedAt("b", other.target, ""))
	home.hears(ack())
	away := other.accept()
	away.say(start("a"), start("b"), over("a"))
	away.hears(ack())
	away.say(over("b"))
	away.gone()
	home.say(hostedAt("c", other.target, ""))
	home.hears(ack())
	other.accept().say(start("c"), over("c"))
	if err := player.ends(); err != nil {
		t.Error(err)
	}
}

func TestALostConnectionToAnotherServerIsOpenedAgain(t *testing.T) {
	server, other := newServer(t), newServer(t)
	player := play(t, server, Bot{Choose: first})
	server.accept().say(hostedAt("a", other.target, ""))
	away := other.accept()
	away.say(start("a"), ask("a", 1))
	away.hears(act("a", 1, 0))
	away.lose()
	away = other.accept()
	if resume := away.hello.GetResume(); len(resume) != 1 || resume[0].GetSessionId() != "a" {
		t.Error(away.hello)
	}
	player.pauses.so(t, tenth)
}

func TestASessionThatEndsBeforeTheOtherServerIsReachedIsLookedForNoLonger(t *testing.T) {
	server, other := newServer(t), newServer(t)
	other.refuse(codes.Unavailable, "oops")
	player := play(t, server, Bot{Choose: first})
	home := server.accept()
	home.say(hostedAt("a", other.target, ""), over("a"))
	home.hears(ack())
	home.say(ping(1))
	home.hears(pong(1))
	player.pauses.so(t)
}

func TestAnotherServerThatRefusesTheBotDoesNotStopIt(t *testing.T) {
	server, other := newServer(t), newServer(t)
	other.refuse(codes.Unauthenticated, "too late")
	refused := make(chan struct{})
	play(t, server, Bot{Choose: first}, func(config *Config) {
		config.Logger = slog.New(watcher{"another server does not let the bot play there", refused, config.Logger.Handler()})
	})
	home := server.accept()
	home.say(hostedAt("a", other.target, "old"))
	home.hears(ack())
	receive(t, neverMind(refused), "the refusal in the log")
	home.say(hostedAt("a", other.target, "new"))
	if shown := other.accept().metadata.Get("authorization"); !slices.Equal(shown, []string{"Bearer new"}) {
		t.Error(shown)
	}
}

// A watcher is a log that closes a channel when something is said.
type watcher struct {
	message string
	said    chan struct{}
	slog.Handler
}

func (watcher watcher) Handle(ctx context.Context, record slog.Record) error {
	if record.Message == watcher.message {
		close(watcher.said)
	}
	return watcher.Handler.Handle(ctx, record)
}
