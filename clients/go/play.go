package croupier

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"croupier/gen/croupierv1"
)

// Version is this SDK's version, which servers see in Hello.
const Version = "0.1.0"

const defaultTarget = "localhost:7700"

// Config says where and how to play. What is left out is taken from the environment or has a default.
type Config struct {
	// Target is the server, "host:port"; empty: CROUPIER_TARGET of the environment, or else "localhost:7700".
	Target string
	// Name is the bot's name on the server, 1 to 64 characters a-z 0-9 - _ .; empty: CROUPIER_NAME of the environment,
	// or else the program's name.
	Name string
	// Token proves the name, where the server asks for proof; empty: CROUPIER_TOKEN of the environment, or else none.
	Token string
	// TLS says how to encrypt; nil: what CROUPIER_TLS (1), CROUPIER_TLS_CA, CROUPIER_TLS_CERT and CROUPIER_TLS_KEY of the
	// environment say, or else plain text.
	TLS *TLS
	// Sessions is how many sessions to play: Play returns when so many are over, leaving any others; 0: no end.
	Sessions int
	// StopOnError stops everything at the first error or panic in the bot's own functions, and returns it. Handy while a
	// bot is being written; without it the error is logged and the other sessions go on.
	StopOnError bool
	// Logger is told what happens to connections, sessions and answers; nil: warnings go to stderr and, if that is a
	// terminal, news as well.
	Logger *slog.Logger
	// Backoff says how long to wait before trying again; the zero value: 0.1 s at first and 10 s at last.
	Backoff Backoff

	patience time.Duration
}

// Main plays a bot as the whole of a program, with the settings that the environment names: until SIGINT or SIGTERM, then
// it ends with exit code 0. Where the bot cannot play, it says why in a line on stderr and ends with exit code 1.
func Main(bot Bot) {
	if arguments := os.Args[1:]; len(arguments) > 0 {
		usage, code := os.Stderr, 2
		if arguments[0] == "-h" || arguments[0] == "--help" {
			usage, code = os.Stdout, 0
		} else {
			fmt.Fprintf(usage, "unknown argument %q: a bot with arguments of its own uses Run\n", arguments[0])
		}
		fmt.Fprintf(usage, usageText, programName())
		os.Exit(code)
	}
	if err := Run(bot, Config{}); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", programName(), err)
		os.Exit(1)
	}
}

const usageText = `usage: %[1]s

Plays at a Croupier server until it is stopped. Its settings come from the environment:

  CROUPIER_TARGET    the server, host:port (default: localhost:7700)
  CROUPIER_NAME      the bot's name on the server (default: %[1]s)
  CROUPIER_TOKEN     what proves the name
  CROUPIER_TLS       1: encrypt, trusting the usual authorities
  CROUPIER_TLS_CA    encrypt, trusting the authorities in this PEM file
  CROUPIER_TLS_CERT  the bot's own certificate, a PEM file
  CROUPIER_TLS_KEY   its private key, a PEM file
`

// Run plays until SIGINT or SIGTERM, which it takes for a wish and not for an error, or else as [Play] does.
func Run(bot Bot, config Config) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := Play(ctx, bot, config)
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// Play seats a bot at a server and plays, until the context is done (then it returns the context's error) or
// [Config.Sessions] are over.
//
// While the server cannot be reached, it is tried again and again. A lost connection costs no session: the server asks
// again what was open, a choice that is in progress goes on, and nothing is chosen twice. Where a session is hosted by
// another server, Play goes there.
//
// It returns [*Refused] where the server will not have this bot, [*Replaced] where a newer connection of the same bot took
// over, [*BadCertificate] where a file for TLS cannot be used, and other errors where the bot, its name, its
// target or its token is none.
func Play(ctx context.Context, bot Bot, config Config) error {
	if bot.Choose == nil {
		return errors.New("the bot has no Choose, without which it cannot play")
	}
	config.Target = firstOf(config.Target, os.Getenv("CROUPIER_TARGET"), defaultTarget)
	config.Name = firstOf(config.Name, os.Getenv("CROUPIER_NAME"), programName())
	config.Token = firstOf(config.Token, os.Getenv("CROUPIER_TOKEN"))
	config.Backoff = config.Backoff.withDefaults()
	config.TLS = config.TLS.orFromEnvironment()
	if config.patience == 0 {
		config.patience = patience
	}
	if config.Logger == nil {
		config.Logger = defaultLogger()
	}
	if !validName.MatchString(config.Name) {
		return fmt.Errorf("%q is no name for a bot: it takes 1 to 64 of the characters a-z 0-9 . _ and -", config.Name)
	}
	if found := validTarget.FindStringSubmatch(config.Target); found == nil || !validPort(found[1]) {
		return fmt.Errorf("target %q is no address: it takes \"host:port\"", config.Target)
	}
	if !validToken.MatchString(strings.TrimSpace(config.Token)) {
		return errors.New("token: it takes one line of printable ASCII characters")
	}
	if _, err := config.TLS.credentials(); err != nil { // better now than at every attempt to connect
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	playing := &player{
		bot:         bot,
		config:      config,
		log:         config.Logger,
		context:     ctx,
		stop:        stop,
		connections: map[*connection]struct{}{},
	}
	playing.mutex.Lock()
	playing.open(config.Target, config.Token, true)
	playing.mutex.Unlock()
	<-ctx.Done()
	playing.close()
	if err := context.Cause(ctx); !errors.Is(err, errAllOver) {
		return err
	}
	return nil
}

var (
	validName = regexp.MustCompile(`^[a-z0-9._-]{1,64}$`)
	// host:port, with [::1]:7700 for IPv6, and what else gRPC takes: dns:///host:port, unix:/path.
	validTarget = regexp.MustCompile(`^(?:(?:dns:(?://[^/\s]*/)?)?(?:[^\s:/\[\]]+|\[[^\s/\[\]]+\]):([0-9]{1,5})|unix:.+)$`)
	validToken  = regexp.MustCompile(`^[ -~]*$`)
	errAllOver  = errors.New("all sessions are over")
)

// A player is a bot being played: what all of its connections share.
type player struct {
	bot     Bot
	config  Config
	log     *slog.Logger
	context context.Context // done when playing is over; its cause says why, and only the first one counts
	stop    context.CancelCauseFunc

	keeping     sync.WaitGroup
	mutex       sync.Mutex // held while a frame is taken in: the bot is asked and told one thing at a time
	connections map[*connection]struct{}
	over        int // sessions
}

// open begins to keep a connection: for good if it is the bot's home, else until nothing is left to play there. The caller
// holds the mutex.
func (playing *player) open(target, token string, home bool) *connection {
	connection := newConnection(playing, target, token, home)
	playing.connections[connection] = struct{}{}
	playing.keeping.Go(func() {
		switch err := connection.keep(); {
		case err == nil:
		case home:
			playing.stop(err)
		default:
			playing.log.Warn("another server does not let the bot play there", "target", target, "reason", err)
		}
	})
	return connection
}

// close waits for the connections to end; not for long, for a choice that goes on regardless may hold them up.
func (playing *player) close() {
	closed := make(chan struct{})
	go func() {
		playing.keeping.Wait()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(time.Second):
	}
}

// follow goes where a session is hosted. There is one connection to each server, for all the sessions it hosts.
func (playing *player) follow(start *croupierv1.SessionStart) {
	playing.log.Info("a session is hosted elsewhere", "session", start.GetSessionId(), "target", start.GetEndpoint())
	playing.forget(start.GetSessionId())
	for connection := range playing.connections {
		if connection.target == start.GetEndpoint() && !connection.home {
			connection.token = start.GetSeatToken()
			connection.expected[start.GetSessionId()] = struct{}{}
			return
		}
	}
	playing.open(start.GetEndpoint(), start.GetSeatToken(), false).expected[start.GetSessionId()] = struct{}{}
}

// forget expects a session nowhere any more.
func (playing *player) forget(session string) {
	for connection := range playing.connections {
		delete(connection.expected, session)
	}
}

// sessionOver counts a session that has ended; the last one wanted ends the playing.
func (playing *player) sessionOver() {
	playing.over++
	if playing.over == playing.config.Sessions {
		playing.stop(errAllOver)
	}
}

// crashed reports an error in the bot's own code: logs it, or stops with it.
func (playing *player) crashed(err error, what string, attributes ...any) {
	if playing.config.StopOnError {
		playing.stop(err)
		return
	}
	attributes = append(attributes, "error", err)
	var panicked *panicError
	if errors.As(err, &panicked) {
		attributes = append(attributes, "stack", string(panicked.stack))
	}
	playing.log.Error(what, attributes...)
}

func defaultLogger() *slog.Logger {
	level := slog.LevelWarn
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		level = slog.LevelInfo
	}
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
}

func programName() string {
	return strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
}

// validPort tells whether this is a port, or none at all, as a Unix socket has none.
func validPort(port string) bool {
	number, err := strconv.Atoi(port)
	return port == "" || err == nil && 0 < number && number < 1<<16
}

func firstOf(values ...string) string {
	for _, value := range values {
		if value != "" {
			return value
		}
	}
	return ""
}
