package croupier

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"

	pb "croupier/gen/croupierv1"
	"croupier/trickandtrade"

	tnt "croupier/gen/trickandtradev1"
)

// A server that does what a test tells it: the test accepts streams, speaks as the server, and sees the bot's answers.
//
//	stream := server.accept()
//	stream.say(start("a"), ask("a", 1))  // one frame
//	stream.hears(byIndexAct("a", 1, 0))  // one frame

const deadline = 60 * time.Second // until a test that waits for something gives up, on however busy a machine

type fakeServer struct {
	pb.UnimplementedPlayServiceServer
	test    *testing.T
	target  string
	streams chan *fakeStream

	mutex    sync.Mutex
	refusals []*status.Status // what the next streams are refused with, before anything is read
}

type fakeStream struct {
	test     *testing.T
	hello    *pb.Hello
	metadata metadata.MD
	call     grpc.BidiStreamingServer[pb.PlayRequest, pb.PlayResponse]
	ended    chan error
	frames   chan *pb.PlayRequest // closed when the bot has ended the stream
}

func newServer(test *testing.T, options ...grpc.ServerOption) *fakeServer {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		test.Fatal(err)
	}
	server := &fakeServer{test: test, target: listener.Addr().String(), streams: make(chan *fakeStream, 16)}
	host := grpc.NewServer(options...)
	pb.RegisterPlayServiceServer(host, server)
	go host.Serve(listener)
	test.Cleanup(host.Stop)
	return server
}

func (server *fakeServer) Play(call grpc.BidiStreamingServer[pb.PlayRequest, pb.PlayResponse]) error {
	server.mutex.Lock()
	var refusal *status.Status
	if len(server.refusals) > 0 {
		refusal, server.refusals = server.refusals[0], server.refusals[1:]
	}
	server.mutex.Unlock()
	if refusal != nil {
		return refusal.Err()
	}
	frame, err := call.Recv()
	if err != nil {
		return err
	}
	if len(frame.Messages) != 1 || frame.Messages[0].GetHello() == nil {
		return status.Errorf(codes.InvalidArgument, "Hello comes first, and alone: %v", frame)
	}
	shown, _ := metadata.FromIncomingContext(call.Context())
	stream := &fakeStream{
		test:     server.test,
		hello:    frame.Messages[0].GetHello(),
		metadata: shown,
		call:     call,
		ended:    make(chan error, 1),
		frames:   make(chan *pb.PlayRequest, 1024),
	}
	server.streams <- stream
	go func() {
		defer close(stream.frames)
		for {
			frame, err := call.Recv()
			if err != nil {
				return
			}
			stream.frames <- frame
		}
	}()
	select {
	case err := <-stream.ended:
		return err
	case <-call.Context().Done():
		return call.Context().Err()
	}
}

func (server *fakeServer) refuse(code codes.Code, message string, details ...protoadapt.MessageV1) {
	refusal, err := status.New(code, message).WithDetails(details...)
	if err != nil {
		server.test.Fatal(err)
	}
	server.mutex.Lock()
	defer server.mutex.Unlock()
	server.refusals = append(server.refusals, refusal)
}

// accept returns the next stream that a bot opens, greeted.
func (server *fakeServer) accept() *fakeStream {
	server.test.Helper()
	stream := server.acceptSilently()
	stream.say(welcome(0))
	stream.hears(ack())
	return stream
}

func (server *fakeServer) acceptSilently() *fakeStream {
	server.test.Helper()
	return receive(server.test, server.streams, "a stream")
}

func receive[T any](test *testing.T, from <-chan T, what string) T {
	test.Helper()
	select {
	case value, open := <-from:
		if !open {
			test.Fatalf("waiting for %s, but the bot has ended the stream", what)
		}
		return value
	case <-time.After(deadline):
		test.Fatalf("waited for %s in vain", what)
		panic("unreachable")
	}
}

// say sends messages in one frame.
func (stream *fakeStream) say(messages ...*pb.ServerMessage) {
	stream.test.Helper()
	if err := stream.call.Send(&pb.PlayResponse{Messages: messages}); err != nil {
		stream.test.Fatal(err)
	}
}

// hears checks what the bot says in its next frame.
func (stream *fakeStream) hears(messages ...*pb.ClientMessage) {
	stream.test.Helper()
	frame := receive(stream.test, stream.frames, "a frame")
	wanted := &pb.PlayRequest{Messages: messages}
	if !proto.Equal(frame, wanted) {
		stream.test.Fatalf("the bot said\n%v\nand not\n%v", prototext.Format(frame), prototext.Format(wanted))
	}
}

// gone waits until the bot has ended the stream.
func (stream *fakeStream) gone() {
	stream.test.Helper()
	timeout := time.After(deadline)
	for {
		select {
		case _, open := <-stream.frames:
			if !open {
				return
			}
		case <-timeout:
			stream.test.Fatal("the bot does not end the stream")
		}
	}
}

// end ends the stream.
func (stream *fakeStream) end(code codes.Code, message string) {
	stream.ended <- status.Error(code, message)
}

func (stream *fakeStream) lose() {
	stream.end(codes.Unavailable, "going down")
}

// What a server says.

func welcome(maxFrameBytes uint32) *pb.ServerMessage {
	return &pb.ServerMessage{Message: &pb.ServerMessage_Welcome{Welcome: &pb.Welcome{
		Protocol: 1, Bot: "bot", Server: "fake 1", MaxFrameBytes: maxFrameBytes,
	}}}
}

func start(session string, changes ...func(*pb.SessionStart)) *pb.ServerMessage {
	message := &pb.SessionStart{SessionId: session, Game: trickandtrade.Game, Seat: 2, Seats: 4}
	for _, change := range changes {
		change(message)
	}
	return &pb.ServerMessage{Message: &pb.ServerMessage_SessionStart{SessionStart: message}}
}

func startAt(session string, seat uint32) *pb.ServerMessage {
	return start(session, func(start *pb.SessionStart) { start.Seat = seat })
}

func resumed(session string, seq uint64) *pb.ServerMessage {
	return start(session, func(start *pb.SessionStart) { start.Resumed, start.Seq = true, seq })
}

func hostedAt(session, endpoint, token string) *pb.ServerMessage {
	return start(session, func(start *pb.SessionStart) { start.Endpoint, start.SeatToken = endpoint, token })
}

func ask(session string, id uint32, changes ...func(*pb.Decision)) *pb.ServerMessage {
	thinkTime := uint32(1000)
	cards := []tnt.Card{1, 2, 3}
	message := &pb.Decision{
		SessionId:   session,
		DecisionId:  id,
		Attempt:     1,
		Seat:        2,
		ThinkTimeMs: &thinkTime,
		View:        &pb.GameView{View: &pb.GameView_TrickAndTrade{TrickAndTrade: &tnt.View{Hand: cards}}},
	}
	for _, card := range cards {
		message.Actions = append(message.Actions, trickandtrade.Play(card))
	}
	for _, change := range changes {
		change(message)
	}
	return &pb.ServerMessage{Message: &pb.ServerMessage_Decision{Decision: message}}
}

func askAt(session string, id, seat uint32) *pb.ServerMessage {
	return ask(session, id, func(decision *pb.Decision) { decision.Seat = seat })
}

func askStanding(session string, id uint32, seq uint64) *pb.ServerMessage {
	return ask(session, id, func(decision *pb.Decision) {
		decision.Standing, decision.Seq, decision.ThinkTimeMs = true, seq, nil
	})
}

func result(session string, id uint32, outcome pb.ActOutcome) *pb.ServerMessage {
	return &pb.ServerMessage{Message: &pb.ServerMessage_ActResult{ActResult: &pb.ActResult{
		SessionId: session, DecisionId: id, Outcome: outcome, Seat: 2,
	}}}
}

func events(session string, seqs ...uint64) *pb.ServerMessage {
	message := &pb.Events{SessionId: session, Seat: 2}
	for _, seq := range seqs {
		message.Events = append(message.Events, &pb.Event{Seq: seq, Event: &pb.Event_Vacated{Vacated: &pb.Vacated{}}})
	}
	return &pb.ServerMessage{Message: &pb.ServerMessage_Events{Events: message}}
}

func over(session string) *pb.ServerMessage {
	return overAt(session, 2)
}

func overAt(session string, seat uint32) *pb.ServerMessage {
	view := &tnt.View{Table: &tnt.Table{Round: 10}}
	return &pb.ServerMessage{Message: &pb.ServerMessage_SessionEnd{SessionEnd: &pb.SessionEnd{
		SessionId: session,
		Seat:      seat,
		Seq:       99,
		Reason:    pb.EndReason_END_REASON_FINISHED,
		Result:    &pb.Result{Points: []int32{10, 40, 30, 20}, Placings: []uint32{4, 1, 2, 3}},
		View:      &pb.GameView{View: &pb.GameView_TrickAndTrade{TrickAndTrade: view}},
	}}}
}

func ping(nonce uint64) *pb.ServerMessage {
	return &pb.ServerMessage{Message: &pb.ServerMessage_Ping{Ping: &pb.Ping{Nonce: nonce}}}
}

func drain(reason string) *pb.ServerMessage {
	return &pb.ServerMessage{Message: &pb.ServerMessage_Drain{Drain: &pb.Drain{GraceMs: 5000, Reason: reason}}}
}

// newer adds to a message a field that this SDK does not know.
func newer(message *pb.ServerMessage) *pb.ServerMessage {
	message.ProtoReflect().SetUnknown([]byte("\xa2\x06\x03abc")) // field 100
	return message
}

// What a bot answers.

func act(session string, id uint32, index uint32) *pb.ClientMessage {
	return &pb.ClientMessage{Message: &pb.ClientMessage_Act{Act: &pb.Act{
		SessionId: session, DecisionId: id, Choice: &pb.Act_Index{Index: index},
	}}}
}

func actWith(session string, id uint32, card tnt.Card) *pb.ClientMessage {
	return &pb.ClientMessage{Message: &pb.ClientMessage_Act{Act: &pb.Act{
		SessionId: session, DecisionId: id, Choice: &pb.Act_Action{Action: trickandtrade.Play(card)},
	}}}
}

func ack() *pb.ClientMessage {
	return &pb.ClientMessage{Message: &pb.ClientMessage_Ack{Ack: &pb.Ack{}}}
}

func pong(nonce uint64) *pb.ClientMessage {
	return &pb.ClientMessage{Message: &pb.ClientMessage_Pong{Pong: &pb.Pong{Nonce: nonce}}}
}

// Playing.

// A played bot is at the server until the test is over.
type played struct {
	test   *testing.T
	stop   context.CancelFunc
	err    chan error
	log    *safeBuffer
	pauses *pauses
}

// play plays a bot at a server, with a clock of its own between two connections and a log that can be read.
func play(test *testing.T, server *fakeServer, bot Bot, changes ...func(*Config)) *played {
	ctx, stop := context.WithCancel(context.Background())
	player := &played{test: test, stop: stop, err: make(chan error, 1), log: &safeBuffer{}, pauses: &pauses{}}
	config := Config{
		Target:  server.target,
		Name:    "bot",
		TLS:     PlainText,
		Logger:  slog.New(slog.NewTextHandler(player.log, &slog.HandlerOptions{Level: slog.LevelInfo})),
		Backoff: Backoff{random: func() float64 { return 1 }, sleep: player.pauses.sleep},
	}
	if !bot.Concurrent {
		patiently(&config)
	}
	for _, change := range changes {
		change(&config)
	}
	go func() { player.err <- Play(ctx, bot, config) }()
	test.Cleanup(stop)
	return player
}

// patiently lets a busy machine not look like a slow bot.
func patiently(config *Config) {
	config.patience = time.Minute
}

// ends returns what Play returns.
func (player *played) ends() error {
	player.test.Helper()
	return receive(player.test, player.err, "the end of the playing")
}

// pauses stand for the clock between two connections: no test waits, and each sees how long a bot would have.
type pauses struct {
	mutex  sync.Mutex
	waited []time.Duration
}

func (pauses *pauses) sleep(_ context.Context, duration time.Duration) {
	pauses.mutex.Lock()
	defer pauses.mutex.Unlock()
	pauses.waited = append(pauses.waited, duration)
}

func (pauses *pauses) so(test *testing.T, far ...time.Duration) {
	test.Helper()
	pauses.mutex.Lock()
	defer pauses.mutex.Unlock()
	if !slices.Equal(pauses.waited, far) {
		test.Fatalf("the bot paused %v and not %v", pauses.waited, far)
	}
}

// A safeBuffer is a log that is read while it is written.
type safeBuffer struct {
	mutex  sync.Mutex
	buffer bytes.Buffer
}

func (buffer *safeBuffer) Write(text []byte) (int, error) {
	buffer.mutex.Lock()
	defer buffer.mutex.Unlock()
	return buffer.buffer.Write(text)
}

func (buffer *safeBuffer) String() string {
	buffer.mutex.Lock()
	defer buffer.mutex.Unlock()
	return buffer.buffer.String()
}

// first takes the first legal action.
func first(*Decision) (Choice, error) {
	return Index(0), nil
}
