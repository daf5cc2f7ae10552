package croupier

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"

	"croupier/gen/croupierv1"
)

const (
	protocol    = 1
	resumeLimit = 4000                 // seats to name in Hello, which has to be one frame; the server knows the others as well
	patience    = 5 * time.Millisecond // for which finished answers wait for the rest of their frame; only slow bots reach it
)

type seatKey struct {
	session string
	seat    uint32
}

// A seat is the bot's place in one session, and the decision it was last asked for.
type seat struct {
	session   *Session
	asked     question // the zero value: nothing yet
	answer    Choice   // the zero value: nothing yet
	thinking  *thought // the choice that is going on in a goroutine of its own
	lastEvent uint64
}

// A question tells whether a decision is the one that was asked before. An answer to the same one is not chosen again.
type question struct {
	asked   bool
	id      uint32
	attempt int
	seq     uint64 // of a standing decision
}

type thought struct{ cancel context.CancelFunc }

// stopThinking tells the choice that is going on that nobody wants its answer any more.
func (seat *seat) stopThinking() {
	if seat.thinking != nil {
		seat.thinking.cancel()
		seat.thinking = nil
	}
}

// Seats are all seats of the bot at one server. What the server says is turned into calls of the bot, and its choices into
// acts, which go to the outbox of the stream of the day. Seats outlive streams: when one is lost, sessions stay, thinking
// goes on, and what was chosen meanwhile is said on the next. The player's mutex guards them.
type seats struct {
	playing *player
	target  string
	box     *outbox
	taken   map[seatKey]*seat
}

func newSeats(playing *player, target string) *seats {
	return &seats{playing: playing, target: target, box: newOutbox(), taken: map[seatKey]*seat{}}
}

func (seats *seats) count() int {
	return len(seats.taken)
}

func (seats *seats) leave() {
	for _, seat := range seats.taken {
		seat.stopThinking()
	}
}

// openStream begins anew on a new stream: it returns the first frame, which is Hello alone, and the stream's outbox.
func (seats *seats) openStream() ([]byte, *outbox) {
	seats.box = newOutbox()
	bot := seats.playing.bot
	hello := &croupierv1.Hello{
		Protocol:    protocol,
		Bot:         seats.playing.config.Name,
		Sdk:         "croupier-go " + Version,
		Language:    "go",
		Games:       bot.Games,
		MaxSessions: uint32(bot.MaxSessions),
		Events:      bot.OnEvents != nil,
	}
	for key, seat := range seats.taken {
		if len(hello.Resume) == resumeLimit {
			break
		}
		resume := &croupierv1.Resume{SessionId: key.session, Seat: key.seat, LastSeq: seat.lastEvent}
		hello.Resume = append(hello.Resume, resume)
	}
	first := &croupierv1.ClientMessage{Message: &croupierv1.ClientMessage_Hello{Hello: hello}}
	return appendMessage(nil, first), seats.box
}

// receive does what a frame asks for, and sees that the server hears of it.
//
// Answers to one frame go out in one frame. A bot that takes its time over each choice is the exception: what it has
// chosen so far is sent while it goes on, for each session's clock runs until its own answer is there.
//
// It returns an error where the frame cannot be read.
func (seats *seats) receive(frame []byte) error {
	seats.box.begin()
	batch := newBatch()
	if err := seats.takeIn(frame, batch); err != nil {
		return err
	}
	batch.wait(seats.playing.context, seats.playing.config.patience)
	seats.box.acknowledge()
	return nil
}

func (seats *seats) takeIn(frame []byte, batch *batch) error {
	seats.playing.mutex.Lock()
	defer seats.playing.mutex.Unlock()
	received := time.Now()
	started := received
	decide := func(wire []byte) error {
		decision, key, err := readDecision(wire)
		if err != nil {
			return err
		}
		decision.Received = received
		seats.decide(decision, key, batch)
		if now := time.Now(); now.Sub(started) > seats.playing.config.patience {
			seats.box.flush()
			started = now
		}
		return nil
	}
	return eachMessage(frame, decide, seats.hear)
}

// hear takes in a message that is not a decision.
func (seats *seats) hear(message *croupierv1.ServerMessage) {
	switch message := message.GetMessage().(type) {
	case *croupierv1.ServerMessage_SessionStart:
		seats.start(message.SessionStart)
	case *croupierv1.ServerMessage_SessionEnd:
		seats.end(message.SessionEnd)
	case *croupierv1.ServerMessage_Events:
		seats.events(message.Events)
	case *croupierv1.ServerMessage_ActResult:
		seats.result(message.ActResult)
	case *croupierv1.ServerMessage_Welcome:
		seats.welcome(message.Welcome)
	case *croupierv1.ServerMessage_Ping:
		seats.say(&croupierv1.ClientMessage{Message: &croupierv1.ClientMessage_Pong{
			Pong: &croupierv1.Pong{Nonce: message.Ping.GetNonce()},
		}})
	case *croupierv1.ServerMessage_Drain:
		grace := milliseconds(message.Drain.GetGraceMs())
		seats.playing.log.Info("the server is about to stop; it lets games end",
			"target", seats.target, "reason", message.Drain.GetReason(), "grace", grace)
	default: // news to this SDK, which is older than the server
	}
}

// A batch is the choices of one frame that are going on in goroutines of their own.
type batch struct {
	left    atomic.Int32 // one for each, and one for who waits
	done    chan struct{}
	expired atomic.Bool // nobody waits any more
}

func newBatch() *batch {
	batch := &batch{}
	batch.left.Store(1)
	return batch
}

func (batch *batch) begin() {
	if batch.done == nil {
		batch.done = make(chan struct{})
	}
	batch.left.Add(1)
}

func (batch *batch) finish() {
	if batch.left.Add(-1) == 0 {
		close(batch.done)
	}
}

// wait returns when all are done or patience is at its end.
func (batch *batch) wait(ctx context.Context, patience time.Duration) {
	if batch.left.Add(-1) == 0 {
		return
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-batch.done:
	case <-timer.C:
	case <-ctx.Done():
	}
	batch.expired.Store(true)
}

// ----------------------------------------------------------------------------------------------------------- decisions

func (seats *seats) decide(decision *Decision, key seatKey, batch *batch) {
	playing := seats.playing
	seat := seats.taken[key]
	if seat == nil {
		playing.log.Warn("asked to decide in a session of which the server has not told", "session", key.session)
		return
	}
	asked := question{asked: true, id: decision.ID, attempt: decision.Attempt}
	if decision.Standing {
		asked.seq = decision.Seq
	}
	if asked == seat.asked { // on an earlier stream: the bot has chosen, or is still at it
		if seat.answer != Wait {
			seats.act(seat)
		}
		return
	}
	seat.stopThinking()
	seat.asked, seat.answer = asked, Wait
	seat.session.seq.Store(decision.Seq)
	decision.Session, decision.context = seat.session, playing.context
	if !playing.bot.Concurrent {
		choice, err := playing.choose(decision)
		seats.settle(seat, decision, choice, err)
		return
	}
	ctx, cancel := context.WithCancel(playing.context)
	thought := &thought{cancel}
	seat.thinking, decision.context = thought, ctx
	batch.begin()
	go func() {
		defer batch.finish()
		defer cancel()
		choice, err := playing.choose(decision)
		playing.mutex.Lock()
		defer playing.mutex.Unlock()
		if seat.thinking != thought { // nobody wants this answer any more
			return
		}
		seat.thinking = nil
		seats.settle(seat, decision, choice, err)
		if batch.expired.Load() {
			seats.box.flush()
		}
	}()
}

// choose calls the bot's own function, which may panic.
func (playing *player) choose(decision *Decision) (choice Choice, err error) {
	defer func() { err = orPanic(err, recover()) }()
	return playing.bot.Choose(decision)
}

// settle checks, remembers and says what the bot has chosen.
func (seats *seats) settle(seat *seat, decision *Decision, choice Choice, err error) {
	if err == nil {
		err = check(choice, decision)
	}
	if err != nil {
		seats.playing.crashed(err, "Choose failed: no answer is sent, the clock decides", "session", decision.Session.ID,
			"game", decision.Session.Game, "seat", decision.Session.Seat, "decision", decision.ID)
		return
	}
	if choice != Wait {
		seat.answer = choice
		seats.act(seat)
	}
}

// check returns what makes a choice no answer to a decision. Whether the rules allow it is the server's to say.
func check(choice Choice, decision *Decision) error {
	switch choice.kind {
	case byIndex:
		if choice.index < 0 || choice.index >= decision.NumActions() {
			return fmt.Errorf("the bot returned Index(%d), but the %d actions count from 0", choice.index, decision.NumActions())
		}
	case byAction:
		if choice.action == nil {
			return errors.New("the bot returned Action(nil)")
		}
		chosen, wanted := reflect.TypeOf(choice.action.GetAction()), reflect.TypeOf(decision.Actions()[0].GetAction())
		if chosen != wanted {
			return fmt.Errorf("the bot returned an action of another game (%v, not %v)", chosen, wanted)
		}
		if _, err := proto.Marshal(choice.action); err != nil {
			return fmt.Errorf("the bot returned an action that cannot be sent: %w", err)
		}
	default:
		if !decision.Standing {
			return errors.New("the bot returned Wait, but the decision is not a standing one")
		}
	}
	return nil
}

// act says what the bot has chosen at a seat.
func (seats *seats) act(seat *seat) {
	session, id, choice := seat.session.ID, seat.asked.id, seat.answer
	if choice.kind == byIndex {
		seats.box.add(func(frame []byte) []byte { return appendIndexAct(frame, session, id, choice.index) })
		return
	}
	act := &croupierv1.Act{SessionId: session, DecisionId: id, Choice: &croupierv1.Act_Action{Action: choice.action}}
	seats.say(&croupierv1.ClientMessage{Message: &croupierv1.ClientMessage_Act{Act: act}})
}

func (seats *seats) say(message *croupierv1.ClientMessage) {
	seats.box.add(func(frame []byte) []byte { return appendMessage(frame, message) })
}

// ----------------------------------------------------------------------------------------------------- everything else

func (seats *seats) welcome(message *croupierv1.Welcome) {
	seats.box.keepBelow(int(message.GetMaxFrameBytes()))
	name := firstOf(message.GetBot(), seats.playing.config.Name)
	seats.playing.log.Info("connected", "bot", name, "target", seats.target, "server", message.GetServer())
}

func (seats *seats) start(message *croupierv1.SessionStart) {
	key := seatKey{message.GetSessionId(), message.GetSeat()}
	taken := seats.taken[key]
	switch {
	case message.GetEndpoint() != "":
		if taken != nil {
			taken.stopThinking()
			delete(seats.taken, key)
		}
		seats.playing.follow(message)
	case taken == nil:
		taken = &seat{session: newSession(message)}
		seats.taken[key] = taken
		if hook := seats.playing.bot.OnStart; hook != nil {
			seats.call("OnStart", taken.session, func() { hook(taken.session) })
		}
	case message.GetSeq() < max(taken.session.Seq(), taken.lastEvent):
		seats.playing.log.Warn("a session goes back", "session", message.GetSessionId(), "seq", message.GetSeq())
		taken.stopThinking()
		taken.asked, taken.answer = question{}, Wait
		taken.session.seq.Store(message.GetSeq())
		taken.lastEvent = min(taken.lastEvent, message.GetSeq())
		if hook := seats.playing.bot.OnRewind; hook != nil {
			seats.call("OnRewind", taken.session, func() { hook(taken.session) })
		}
	}
}

func (seats *seats) events(message *croupierv1.Events) {
	seat := seats.taken[seatKey{message.GetSessionId(), message.GetSeat()}]
	hook := seats.playing.bot.OnEvents
	if seat == nil || hook == nil {
		return
	}
	events := message.GetEvents()
	for len(events) > 0 && events[0].GetSeq() <= seat.lastEvent { // known already
		events = events[1:]
	}
	if len(events) > 0 {
		seat.lastEvent = events[len(events)-1].GetSeq()
		seat.session.seq.Store(seat.lastEvent)
		seats.call("OnEvents", seat.session, func() { hook(seat.session, events) })
	}
}

func (seats *seats) result(message *croupierv1.ActResult) {
	seats.logResult(message)
	seat := seats.taken[seatKey{message.GetSessionId(), message.GetSeat()}]
	if seat == nil {
		return
	}
	late := message.GetOutcome() == croupierv1.ActOutcome_ACT_OUTCOME_LATE
	if late && seat.asked.asked && seat.asked.id == message.GetDecisionId() {
		seat.stopThinking()
	}
	if hook := seats.playing.bot.OnResult; hook != nil {
		seats.call("OnResult", seat.session, func() { hook(seat.session, message) })
	}
}

func (seats *seats) logResult(message *croupierv1.ActResult) {
	level := slog.LevelDebug
	switch message.GetOutcome() {
	case croupierv1.ActOutcome_ACT_OUTCOME_ILLEGAL, croupierv1.ActOutcome_ACT_OUTCOME_LATE,
		croupierv1.ActOutcome_ACT_OUTCOME_MALFORMED, croupierv1.ActOutcome_ACT_OUTCOME_UNKNOWN_DECISION,
		croupierv1.ActOutcome_ACT_OUTCOME_VACATED:
		level = slog.LevelWarn
	}
	if message.GetMaxFaults() > 0 && message.GetFaults() >= message.GetMaxFaults() {
		level = slog.LevelWarn
	}
	outcome := strings.ToLower(strings.TrimPrefix(message.GetOutcome().String(), "ACT_OUTCOME_"))
	seats.playing.log.Log(context.Background(), level, "an answer was not taken", "outcome", outcome,
		"session", message.GetSessionId(), "decision", message.GetDecisionId(), "rule", message.GetRule(),
		"message", message.GetMessage(), "attempts_left", message.GetAttemptsLeft(),
		"faults", message.GetFaults(), "max_faults", message.GetMaxFaults())
}

func (seats *seats) end(message *croupierv1.SessionEnd) {
	key := seatKey{message.GetSessionId(), message.GetSeat()}
	if seat := seats.taken[key]; seat != nil {
		delete(seats.taken, key)
		seat.stopThinking()
		seat.session.seq.Store(message.GetSeq())
		end := newEnd(seat.session, message)
		seats.playing.log.Debug("a session is over", "session", message.GetSessionId(), "seat", message.GetSeat(),
			"placing", end.Placing, "points", end.Points)
		if hook := seats.playing.bot.OnEnd; hook != nil {
			seats.call("OnEnd", seat.session, func() { hook(seat.session, end) })
		}
		for number := range seat.session.Seats {
			if seats.taken[seatKey{message.GetSessionId(), uint32(number)}] != nil {
				return // the bot has another seat there
			}
		}
		seats.playing.sessionOver()
	}
	seats.playing.forget(message.GetSessionId())
}

// call calls one of the bot's own functions, which may panic.
func (seats *seats) call(name string, session *Session, hook func()) {
	defer func() {
		if err := orPanic(nil, recover()); err != nil {
			seats.playing.crashed(err, name+" failed", "session", session.ID, "game", session.Game)
		}
	}()
	hook()
}

// A panicError is a panic in the bot's own code.
type panicError struct {
	value any
	stack []byte
}

func (err *panicError) Error() string {
	return fmt.Sprintf("panic: %v", err.value)
}

// orPanic returns what was recovered from as an error; without anything, the error itself.
func orPanic(err error, recovered any) error {
	if recovered == nil {
		return err
	}
	return &panicError{recovered, debug.Stack()}
}
