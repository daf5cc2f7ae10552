package croupier

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"croupier/gen/croupierv1"
)

// A connection is the bot's seats at one server, and the streams through which they are played, one after the other.
type connection struct {
	playing *player
	target  string // "host:port"
	home    bool   // whether the bot stays when there is nothing left to play
	seats   *seats
	frames  int // read from the stream of the day

	// The player's mutex guards these.
	token    string              // what to show when the next stream opens
	expected map[string]struct{} // sessions that were sent here by another server and are not over yet
}

func newConnection(playing *player, target, token string, home bool) *connection {
	connection := &connection{
		playing:  playing,
		target:   target,
		token:    token,
		home:     home,
		expected: map[string]struct{}{},
	}
	connection.seats = newSeats(playing, target)
	return connection
}

// keep plays, over as many streams as it takes, until nothing is left to play here or playing is over. It returns an error
// where the server will not have the bot.
func (connection *connection) keep() error {
	playing := connection.playing
	failures := 0
	for !connection.leaveIfIdle() {
		reason, err := connection.stream()
		if err != nil {
			connection.leave()
			return err
		}
		if playing.context.Err() != nil || connection.leaveIfIdle() {
			return nil
		}
		if connection.frames > 1 { // a greeting alone is no success: the next frame may be what breaks it
			failures = 0
		}
		what := "cannot reach the server; trying again"
		if connection.frames > 0 {
			what = "lost the server; trying again"
		}
		wait := playing.config.Backoff.delay(failures)
		failures++
		// The first try is told of, and the second, fourth, eighth, ...: a server may be away for days.
		log := playing.log.Debug
		if failures&(failures-1) == 0 {
			log = playing.log.Warn
		}
		log(what, "target", connection.target, "reason", reason, "wait", wait)
		playing.config.Backoff.sleep(playing.context, wait)
		if playing.context.Err() != nil {
			break
		}
	}
	return nil
}

// leave gives up all seats here.
func (connection *connection) leave() {
	connection.playing.mutex.Lock()
	defer connection.playing.mutex.Unlock()
	connection.seats.leave()
	delete(connection.playing.connections, connection)
}

// leaveIfIdle leaves where there is nothing left to play, and tells whether it did.
func (connection *connection) leaveIfIdle() bool {
	connection.playing.mutex.Lock()
	defer connection.playing.mutex.Unlock()
	if connection.wanted() {
		return false
	}
	delete(connection.playing.connections, connection)
	return true
}

// wanted tells whether there is something left to play. The caller holds the mutex.
func (connection *connection) wanted() bool {
	return connection.home || len(connection.expected) > 0 || connection.seats.count() > 0
}

// stream plays over one stream. It returns in words why that ended, or the error that ends the playing here.
func (connection *connection) stream() (string, error) {
	playing := connection.playing
	connection.frames = 0
	secure, err := playing.config.TLS.credentials()
	if err != nil { // they were good when the bot was started: perhaps they are being renewed
		return err.Error(), nil
	}
	channel, err := grpc.NewClient(connection.target,
		grpc.WithTransportCredentials(secure),
		grpc.WithUserAgent("croupier-go/"+Version),
		// A peer that has stopped is noticed after half a minute.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{
			Time: 20 * time.Second, Timeout: 10 * time.Second, PermitWithoutStream: true,
		}),
		// Trying again is ours to do, with jitter: a new channel starts from nothing.
		grpc.WithDisableRetry(),
		grpc.WithDisableServiceConfig(),
	)
	if err != nil {
		return err.Error(), nil
	}
	defer channel.Close()

	ctx, cancel := context.WithCancel(playing.context)
	playing.mutex.Lock()
	token := strings.TrimSpace(connection.token) // one that was read from a file ends with a newline
	playing.mutex.Unlock()
	if token != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
	}
	var writing sync.WaitGroup
	defer writing.Wait()
	defer cancel()
	description := &croupierv1.PlayService_ServiceDesc.Streams[0]
	call, err := channel.NewStream(ctx, description, croupierv1.PlayService_Play_FullMethodName, grpc.ForceCodecV2(rawCodec{}))
	if err != nil {
		return connection.reason(err)
	}
	playing.mutex.Lock()
	hello, box := connection.seats.openStream()
	playing.mutex.Unlock()
	writing.Go(func() {
		for frame := hello; frame != nil; frame = box.take(ctx) {
			if call.SendMsg(frame) != nil {
				return // the reader sees the same, and why
			}
		}
	})
	for {
		var frame []byte
		if err := call.RecvMsg(&frame); err != nil {
			return connection.reason(err)
		}
		connection.frames++
		if err := connection.seats.receive(frame); err != nil {
			return err.Error(), nil
		}
		playing.mutex.Lock()
		wanted := connection.wanted()
		playing.mutex.Unlock()
		if !wanted {
			return "nothing left to play", nil
		}
	}
}

// reason says why a stream ended: in words, or with the error that ends the playing here.
func (connection *connection) reason(err error) (string, error) {
	if errors.Is(err, io.EOF) {
		return "the server closed the stream", nil
	}
	failed := status.Convert(err)
	reason := causeOf(failed)
	if reason == lost && connection.frames == 0 {
		reason = closedAtOnce
	}
	return reason, final(failed)
}
