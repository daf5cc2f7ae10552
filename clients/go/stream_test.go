package croupier

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "croupier/gen/croupierv1"
)

// What goes over one stream, frame by frame.

func TestHelloSaysWhoIsThereAndWhatItCanDo(t *testing.T) {
	server := newServer(t)
	bot := Bot{Choose: first, Games: []string{"trick-and-trade"}, MaxSessions: 7}
	play(t, server, bot, func(config *Config) { config.Name, config.Token = "a-bot", "secret\n" }) // as it stands in a file
	stream := server.accept()
	wanted := &pb.Hello{
		Protocol:    1,
		Bot:         "a-bot",
		Sdk:         "croupier-go " + Version,
		Language:    "go",
		Games:       []string{"trick-and-trade"},
		MaxSessions: 7,
	}
	if !proto.Equal(stream.hello, wanted) {
		t.Error(stream.hello)
	}
	if shown := stream.metadata.Get("authorization"); !slices.Equal(shown, []string{"Bearer secret"}) {
		t.Error(shown)
	}
}

func TestABotWithoutATokenShowsNone(t *testing.T) {
	server := newServer(t)
	play(t, server, Bot{Choose: first})
	if shown := server.accept().metadata.Get("authorization"); shown != nil {
		t.Error(shown)
	}
}

func TestAllAnswersToOneFrameGoOutInOneFrame(t *testing.T) {
	server := newServer(t)
	play(t, server, Bot{Choose: first})
	stream := server.accept()
	messages, answers := ofSessions(64)
	stream.say(messages...)
	stream.hears(answers...)
}

// ofSessions returns a frame that starts sessions and asks in each, and what is to be answered.
func ofSessions(count int) (messages []*pb.ServerMessage, answers []*pb.ClientMessage) {
	for number := range count {
		messages = append(messages, start(fmt.Sprint(number)), ask(fmt.Sprint(number), 1))
		answers = append(answers, act(fmt.Sprint(number), 1, 0))
	}
	return messages, answers
}

func TestAFrameThatNeedsNoAnswerIsAcknowledged(t *testing.T) {
	server := newServer(t)
	play(t, server, Bot{Choose: first})
	stream := server.accept()
	stream.say(start("a"))
	stream.hears(ack())
}

func TestAFrameThatIsAnsweredIsNotAcknowledgedAsWell(t *testing.T) {
	server := newServer(t)
	play(t, server, Bot{Choose: first})
	stream := server.accept()
	stream.say(start("a"), ask("a", 1))
	stream.hears(act("a", 1, 0))
	stream.say(ask("a", 2))
	stream.hears(act("a", 2, 0))
}

func TestMessagesAndFieldsThatTheSDKDoesNotKnowDoNotMatter(t *testing.T) {
	server := newServer(t)
	play(t, server, Bot{Choose: first})
	stream := server.accept()
	unknown := func() *pb.ServerMessage { return newer(&pb.ServerMessage{}) }
	stream.say(unknown(), start("a"), unknown(), newer(ask("a", 1)))
	stream.hears(act("a", 1, 0))
	stream.say(unknown())
	stream.hears(ack())
}

func TestASlowBotSendsEachAnswerWhenItHasIt(t *testing.T) {
	server := newServer(t)
	second := make(chan struct{})
	play(t, server, Bot{Choose: func(decision *Decision) (Choice, error) {
		if decision.Session.ID == "b" {
			<-second
		}
		return Index(0), nil
	}}, func(config *Config) { config.patience = 1 }) // no choice is quick enough
	stream := server.accept()
	stream.say(start("a"), start("b"), ask("a", 1), ask("b", 1))
	stream.hears(act("a", 1, 0))
	close(second)
	stream.hears(act("b", 1, 0))
}

func TestMoreAnswersThanAServerReadsAtOnceAreSpreadOverFrames(t *testing.T) {
	server := newServer(t)
	play(t, server, Bot{Choose: first})
	stream := server.accept()
	messages, answers := ofSessions(frameMessages + 1)
	stream.say(messages...)
	stream.hears(answers[:frameMessages]...)
	stream.hears(answers[frameMessages])
}

func TestTheWelcomeCanMakeFramesSmaller(t *testing.T) {
	server := newServer(t)
	play(t, server, Bot{Choose: first})
	stream := server.acceptSilently()
	messages, answers := ofSessions(3)
	stream.say(append([]*pb.ServerMessage{welcome(1024)}, messages...)...)
	stream.hears(answers[:2]...)
	stream.hears(answers[2])
}

func TestAGameWithTwoSeatsOfOneBotCountsOnce(t *testing.T) {
	server := newServer(t)
	seats := make(chan int, 2)
	player := play(t, server, Bot{
		Choose: first,
		OnEnd:  func(session *Session, end *End) { seats <- 10*session.Seat + end.Placing },
	}, func(config *Config) { config.Sessions = 1 })
	stream := server.accept()
	stream.say(startAt("a", 0), startAt("a", 2), askAt("a", 1, 0), askAt("a", 2, 2))
	stream.hears(act("a", 1, 0), act("a", 2, 0))
	stream.say(overAt("a", 0))
	stream.hears(ack())
	stream.say(overAt("a", 2))
	if err := player.ends(); err != nil {
		t.Error(err)
	}
	if one, two := <-seats, <-seats; one != 4 || two != 22 {
		t.Error(one, two)
	}
}

func TestPlayingEndsWhenSoManySessionsAreOver(t *testing.T) {
	server := newServer(t)
	player := play(t, server, Bot{Choose: first}, func(config *Config) { config.Sessions = 2 })
	stream := server.accept()
	stream.say(start("a"), start("b"), start("c"), over("a"))
	stream.hears(ack())
	stream.say(over("b"))
	if err := player.ends(); err != nil {
		t.Error(err)
	}
	stream.gone()
}

func TestABotThatIsNoLongerPlayedEndsItsStream(t *testing.T) {
	server := newServer(t)
	player := play(t, server, Bot{Choose: first})
	stream := server.accept()
	player.stop()
	if err := player.ends(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	stream.gone()
}

func TestTheBotMustChooseAndHaveAName(t *testing.T) {
	if err := Play(context.Background(), Bot{}, Config{}); err == nil || err.Error() != "the bot has no Choose, without which it cannot play" {
		t.Error(err)
	}
	for _, name := range []string{"Bot", "a b", "house:x", string(make([]byte, 65))} {
		err := Play(context.Background(), Bot{Choose: first}, Config{Name: name})
		wanted := fmt.Sprintf("%q is no name for a bot: it takes 1 to 64 of the characters a-z 0-9 . _ and -", name)
		if err == nil || err.Error() != wanted {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestTargetsAndTokensAreCheckedBeforeConnecting(t *testing.T) {
	for _, target := range []string{"localhost", "http://localhost:1", "local host:1", "localhost:99999", "::1:7700"} {
		err := Play(context.Background(), Bot{Choose: first}, Config{Name: "first", Target: target})
		if err == nil || err.Error() != fmt.Sprintf("target %q is no address: it takes \"host:port\"", target) {
			t.Errorf("%q: %v", target, err)
		}
	}
	err := Play(context.Background(), Bot{Choose: first}, Config{Name: "first", Token: "two\nlines"})
	if err == nil || err.Error() != "token: it takes one line of printable ASCII characters" {
		t.Error(err)
	}
}

func TestWhateverGRPCTakesForAnAddressIsOne(t *testing.T) {
	done, cancel := context.WithCancel(context.Background())
	cancel()
	for _, target := range []string{"cards.example.org.:65535", "[::1]:7700", "[fe80::1%eth0]:7700", "dns:///a:1", "unix:/a b"} {
		err := Play(done, Bot{Choose: first}, Config{Name: "first", Target: target, Token: " secret\n"})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%q: %v", target, err)
		}
	}
}

func TestTargetNameAndTokenMayComeFromTheEnvironment(t *testing.T) {
	server := newServer(t)
	t.Setenv("CROUPIER_TARGET", server.target)
	t.Setenv("CROUPIER_NAME", "supervised")
	t.Setenv("CROUPIER_TOKEN", "secret")
	play(t, server, Bot{Choose: first}, func(config *Config) { *config = Config{Logger: config.Logger} })
	stream := server.accept()
	if stream.hello.GetBot() != "supervised" || !slices.Equal(stream.metadata.Get("authorization"), []string{"Bearer secret"}) {
		t.Error(stream.hello, stream.metadata)
	}
}

func TestWhatIsSaidInCodeGoesBeforeTheEnvironment(t *testing.T) {
	server := newServer(t)
	t.Setenv("CROUPIER_TARGET", "127.0.0.1:1")
	t.Setenv("CROUPIER_NAME", "supervised")
	t.Setenv("CROUPIER_TOKEN", "theirs")
	play(t, server, Bot{Choose: first}, func(config *Config) { config.Token = "mine" })
	stream := server.accept()
	if stream.hello.GetBot() != "bot" || !slices.Equal(stream.metadata.Get("authorization"), []string{"Bearer mine"}) {
		t.Error(stream.hello, stream.metadata)
	}
}

func TestWithoutALoggerOnlyWarningsAreShownBesideATerminal(t *testing.T) {
	if logger := defaultLogger(); logger.Enabled(context.Background(), slog.LevelDebug) ||
		!logger.Enabled(context.Background(), slog.LevelWarn) {
		t.Error("wrong levels")
	}
}
