// Package croupier lets a bot play cards at a Croupier server.
//
//	croupier.Main(croupier.Bot{Choose: func(decision *croupier.Decision) (croupier.Choice, error) {
//		return croupier.Index(0), nil
//	}})
//
// That is a whole bot. It says Hello to localhost:7700, plays every game in which it is seated, any number of them side
// by side, and reconnects by itself.
//
// The messages of the contract, and those of each game, are in the packages below gen; trickandtrade has what bots for
// that game need beside them.
package croupier

import (
	"croupier/gen/croupierv1"
)

// A Bot is a player. Only Choose has to be there.
//
// One Bot plays all of its sessions; what belongs to one of them goes into [Session.Data]. Its functions are called one
// at a time, unless Concurrent allows several choices at once. Where one of them panics, that is logged, no answer is
// sent, and the clock of that one session decides; the others go on.
type Bot struct {
	// Choose answers a decision: with [Index], with [Action] or, where the decision is a standing one, with [Wait]. An
	// error is logged, and no answer is sent.
	Choose func(*Decision) (Choice, error)

	// Concurrent calls Choose in a goroutine of its own for each decision. Then it may take its time: the other
	// sessions go on. [Decision.Context] ends when its answer is no longer wanted. Without it a Choose that computes
	// for long holds up all of the bot's sessions, whose clocks run.
	Concurrent bool

	// Games are the games that it plays, by name; none: any.
	Games []string

	// MaxSessions is how many sessions it plays at once, at most; 0: any number.
	MaxSessions int

	// OnStart is called when the bot sits down in a session: the place to set up [Session.Data].
	OnStart func(*Session)

	// OnEvents is called with what has happened, in order and without gaps. A bot that decides from the view alone is
	// served faster without.
	OnEvents func(*Session, []*croupierv1.Event)

	// OnRewind is called when the server lost the events after [Session.Seq] in a crash: the bot forgets them.
	OnRewind func(*Session)

	// OnResult is called when an answer was illegal, late, stale or otherwise not taken.
	OnResult func(*Session, *croupierv1.ActResult)

	// OnEnd is called when a session is over.
	OnEnd func(*Session, *End)
}

// A Choice is what a bot answers to a decision.
type Choice struct {
	kind   choiceKind
	index  int
	action *croupierv1.GameAction
}

type choiceKind int

const (
	waiting choiceKind = iota
	byIndex
	byAction
)

// Wait is for standing decisions only: nothing now; it is asked anew after every change.
var Wait = Choice{}

// Index chooses the action at this place of [Decision.Actions], 0-based.
func Index(index int) Choice {
	return Choice{kind: byIndex, index: index}
}

// Action chooses an action itself: one of [Decision.Actions], or one that the bot has made.
func Action(action *croupierv1.GameAction) Choice {
	return Choice{kind: byAction, action: action}
}
