package croupier

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"

	"croupier/gen/croupierv1"
)

// A Session is the bot's place in a game. It stays the same from OnStart to OnEnd, across reconnects.
//
// A bot may sit in several seats of one game; each of them is a Session of its own, with the same ID.
type Session struct {
	// ID is its name on the server. Opaque.
	ID string
	// Game is the game's name: "trick-and-trade".
	Game string
	// RulesVersion is the version of the game's rules.
	RulesVersion int
	// Seat is the bot's own seat, 0-based.
	Seat int
	// Seats is the number of seats.
	Seats int
	// Options are the game's own options: Options.GetTrickAndTrade() and so on.
	Options *croupierv1.GameOptions
	// Clock is the clock of every seat.
	Clock *croupierv1.ClockSettings
	// Faults says how failing bots are treated.
	Faults *croupierv1.FaultSettings
	// Resumed tells whether the server had told the bot of this session before, perhaps an earlier run of it.
	Resumed bool
	// SeedCommitment is the SHA-256 of the session's seed, 32 bytes; empty where the organiser gave the seed.
	SeedCommitment []byte
	// Data is whatever the bot wants to keep for this session; nil until it does.
	Data any

	seq atomic.Uint64
}

func newSession(start *croupierv1.SessionStart) *Session {
	session := &Session{
		ID:             start.GetSessionId(),
		Game:           start.GetGame(),
		RulesVersion:   int(start.GetRulesVersion()),
		Seat:           int(start.GetSeat()),
		Seats:          int(start.GetSeats()),
		Options:        start.GetOptions(),
		Clock:          start.GetClock(),
		Faults:         start.GetFaults(),
		Resumed:        start.GetResumed(),
		SeedCommitment: start.GetSeedCommitment(),
	}
	session.seq.Store(start.GetSeq())
	return session
}

// Seq is how many events the bot knows to have happened.
func (session *Session) Seq() uint64 {
	return session.seq.Load()
}

// String names the session and the bot's seat, for logs.
func (session *Session) String() string {
	return fmt.Sprintf("session %s (%s, seat %d of %d)", session.ID, session.Game, session.Seat, session.Seats)
}

// A Decision is what the bot is asked.
type Decision struct {
	// Session is the game in which it is asked.
	Session *Session
	// ID is its number, ascending in its session.
	ID uint32
	// Attempt is 1 when first asked, then one more after each illegal answer.
	Attempt int
	// Seq is how many events had happened in the session when the view was made.
	Seq uint64
	// Standing tells that this may be answered at any time or never; it is asked anew after every change.
	Standing bool
	// ThinkTime is the time to think before the bank is used; 0 for a standing decision, which has no clock.
	ThinkTime time.Duration
	// Bank is what is left in the bank, for all decisions that need more than their think time.
	Bank time.Duration
	// LastCharged is what the seat's previous decision was charged.
	LastCharged time.Duration
	// Received is when it came: by then its think time was running.
	Received time.Time

	context     context.Context
	wire        []byte // as it came
	viewWire    []byte
	actionCount int

	// What was read of these so far: a bot that can do without is quicker.
	reading sync.Mutex
	view    *croupierv1.GameView
	actions []*croupierv1.GameAction
	message *croupierv1.Decision
}

// NewDecision makes a decision from its message, for tests of bots.
func NewDecision(session *Session, message *croupierv1.Decision) (*Decision, error) {
	wire, err := proto.Marshal(message)
	if err != nil {
		return nil, err
	}
	decision, _, err := readDecision(wire)
	if err != nil {
		return nil, err
	}
	decision.Session, decision.context = session, context.Background()
	return decision, nil
}

// View is all that the bot may know of the game: View().GetTrickAndTrade() and so on.
//
// It is read when it is first asked for, as are Actions and Message. Where it cannot be read, that is a panic, which in
// Choose counts as any other.
func (decision *Decision) View() *croupierv1.GameView {
	decision.reading.Lock()
	defer decision.reading.Unlock()
	if decision.view == nil {
		decision.view = read(decision.viewWire, &croupierv1.GameView{})
	}
	return decision.view
}

// Actions are the legal actions, at least one: Actions()[0].GetTrickAndTrade() and so on.
func (decision *Decision) Actions() []*croupierv1.GameAction {
	decision.reading.Lock()
	defer decision.reading.Unlock()
	if decision.actions == nil {
		decision.actions = readActions(decision.wire, decision.actionCount)
	}
	return decision.actions
}

// NumActions is how many legal actions there are. It is quicker than to look at them.
func (decision *Decision) NumActions() int {
	return decision.actionCount
}

// Message is the decision as it came.
func (decision *Decision) Message() *croupierv1.Decision {
	decision.reading.Lock()
	defer decision.reading.Unlock()
	if decision.message == nil {
		decision.message = read(decision.wire, &croupierv1.Decision{})
	}
	return decision.message
}

// Context is done when the answer is no longer wanted: when the decision is asked anew or another one is, when its time
// has run out, when the session or the playing is over. Only a [Bot.Concurrent] one sees more than the last of these.
func (decision *Decision) Context() context.Context {
	return decision.context
}

// String names the decision, for logs.
func (decision *Decision) String() string {
	return fmt.Sprintf("decision %d of %v", decision.ID, decision.Session)
}

// An End is how a session ended, as the bot's seat sees it.
type End struct {
	// Session is the session that is over.
	Session *Session
	// Result has the points and placings of all seats; nil where the session was stopped before its end.
	Result *croupierv1.Result
	// Points are the bot's own; 0 without a result.
	Points int
	// Placing is the bot's own, 1 is best; 0 without a result.
	Placing int
	// View is the final view of the bot's seat; nil without a result.
	View *croupierv1.GameView
	// Seed is the session's seed, 32 bytes, whose SHA-256 is Session.SeedCommitment; empty where there was none.
	Seed []byte
	// Message is the end as it came.
	Message *croupierv1.SessionEnd
}

func newEnd(session *Session, message *croupierv1.SessionEnd) *End {
	end := &End{
		Session: session,
		Result:  message.GetResult(),
		View:    message.GetView(),
		Seed:    message.GetSeed(),
		Message: message,
	}
	if points := end.Result.GetPoints(); session.Seat < len(points) {
		end.Points = int(points[session.Seat])
	}
	if placings := end.Result.GetPlacings(); session.Seat < len(placings) {
		end.Placing = int(placings[session.Seat])
	}
	return end
}

func milliseconds(number uint32) time.Duration {
	return time.Duration(number) * time.Millisecond
}
