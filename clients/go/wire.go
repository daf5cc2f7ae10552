package croupier

import (
	"fmt"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"croupier/gen/croupierv1"
)

// The two messages that a game is made of, decisions and acts, are read and written by hand: reading all of a decision
// costs several times what the rest of the SDK does, and most bots look at a part of it. A decision's view and actions are
// read when the bot asks for them. Tests hold each hand-made form to what the generated code makes of it.

// Field numbers of the contract, play.proto.
const (
	frameMessagesField = 1 // PlayRequest.messages, PlayResponse.messages

	serverDecisionField = 4 // ServerMessage.decision
	clientActField      = 2 // ClientMessage.act

	actSessionField  = 1
	actDecisionField = 2
	actIndexField    = 3

	decisionSessionField     = 1
	decisionSeqField         = 2
	decisionIDField          = 3
	decisionAttemptField     = 4
	decisionActionsField     = 5
	decisionViewField        = 6
	decisionThinkTimeField   = 7
	decisionBankField        = 8
	decisionStandingField    = 9
	decisionLastChargedField = 10
	decisionSeatField        = 11
)

// A rawCodec hands frames over as the bytes that they are: []byte out, *[]byte in.
type rawCodec struct{}

func (rawCodec) Name() string {
	return "proto"
}

func (rawCodec) Marshal(frame any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(frame.([]byte))}, nil
}

func (rawCodec) Unmarshal(data mem.BufferSlice, frame any) error {
	*frame.(*[]byte) = data.Materialize()
	return nil
}

// eachField calls a function with each field of a message, until it returns an error: with the value of a number, or with
// the bytes of what is longer.
func eachField(wire []byte, use func(number protowire.Number, value uint64, bytes []byte) error) error {
	for len(wire) > 0 {
		number, kind, length := protowire.ConsumeTag(wire)
		if length < 0 {
			return protowire.ParseError(length)
		}
		wire = wire[length:]
		var value uint64
		var bytes []byte
		switch kind {
		case protowire.VarintType:
			value, length = protowire.ConsumeVarint(wire)
		case protowire.BytesType:
			bytes, length = protowire.ConsumeBytes(wire)
		default: // the contract has no such fields yet
			length = protowire.ConsumeFieldValue(number, kind, wire)
			number = 0
		}
		if length < 0 {
			return protowire.ParseError(length)
		}
		if err := use(number, value, bytes); err != nil {
			return err
		}
		wire = wire[length:]
	}
	return nil
}

// eachMessage calls one of two functions with each message of a server's frame.
func eachMessage(frame []byte, decision func([]byte) error, other func(*croupierv1.ServerMessage)) error {
	return eachField(frame, func(number protowire.Number, _ uint64, wire []byte) error {
		if number != frameMessagesField {
			return nil
		}
		if number, kind, length := protowire.ConsumeTag(wire); number == serverDecisionField && kind == protowire.BytesType {
			if bytes, taken := protowire.ConsumeBytes(wire[length:]); taken >= 0 {
				return decision(bytes)
			}
		}
		message := &croupierv1.ServerMessage{}
		if err := proto.Unmarshal(wire, message); err != nil {
			return err
		}
		if message.GetDecision() != nil { // behind a field that this SDK does not know
			bytes, err := proto.Marshal(message.GetDecision())
			if err != nil {
				return err
			}
			return decision(bytes)
		}
		other(message)
		return nil
	})
}

// readDecision reads all but the view and the actions, which it only counts.
func readDecision(wire []byte) (*Decision, seatKey, error) {
	decision := &Decision{wire: wire}
	var session []byte
	var seat uint32
	err := eachField(wire, func(number protowire.Number, value uint64, bytes []byte) error {
		switch number {
		case decisionSessionField:
			session = bytes
		case decisionSeqField:
			decision.Seq = value
		case decisionIDField:
			decision.ID = uint32(value)
		case decisionAttemptField:
			decision.Attempt = int(value)
		case decisionActionsField:
			decision.actionCount++
		case decisionViewField:
			decision.viewWire = bytes
		case decisionThinkTimeField:
			decision.ThinkTime = milliseconds(uint32(value))
		case decisionBankField:
			decision.Bank = milliseconds(uint32(value))
		case decisionStandingField:
			decision.Standing = value != 0
		case decisionLastChargedField:
			decision.LastCharged = milliseconds(uint32(value))
		case decisionSeatField:
			seat = uint32(value)
		}
		return nil
	})
	if err != nil {
		return nil, seatKey{}, fmt.Errorf("a decision cannot be read: %w", err)
	}
	return decision, seatKey{string(session), seat}, nil
}

// readActions reads the actions of a decision.
func readActions(wire []byte, count int) []*croupierv1.GameAction {
	actions := make([]*croupierv1.GameAction, 0, count)
	space := make([]croupierv1.GameAction, count)
	err := eachField(wire, func(number protowire.Number, _ uint64, bytes []byte) error {
		if number == decisionActionsField {
			actions = append(actions, read(bytes, &space[len(actions)]))
		}
		return nil
	})
	if err != nil {
		panic(fmt.Errorf("the actions of a decision cannot be read: %w", err))
	}
	return actions
}

// read reads a message, or panics.
func read[M proto.Message](wire []byte, message M) M {
	if err := proto.Unmarshal(wire, message); err != nil {
		panic(fmt.Errorf("a part of a decision cannot be read: %w", err))
	}
	return message
}

// appendIndexAct appends a ClientMessage with an Act that chooses by index.
func appendIndexAct(frame []byte, session string, decision uint32, index int) []byte {
	size := protowire.SizeTag(actSessionField) + protowire.SizeBytes(len(session)) +
		protowire.SizeTag(actDecisionField) + protowire.SizeVarint(uint64(decision)) +
		protowire.SizeTag(actIndexField) + protowire.SizeVarint(uint64(index))
	frame = protowire.AppendTag(frame, frameMessagesField, protowire.BytesType)
	frame = protowire.AppendVarint(frame, uint64(protowire.SizeTag(clientActField)+protowire.SizeBytes(size)))
	frame = protowire.AppendTag(frame, clientActField, protowire.BytesType)
	frame = protowire.AppendVarint(frame, uint64(size))
	frame = protowire.AppendTag(frame, actSessionField, protowire.BytesType)
	frame = protowire.AppendString(frame, session)
	frame = protowire.AppendTag(frame, actDecisionField, protowire.VarintType)
	frame = protowire.AppendVarint(frame, uint64(decision))
	frame = protowire.AppendTag(frame, actIndexField, protowire.VarintType)
	return protowire.AppendVarint(frame, uint64(index))
}

// appendMessage appends any ClientMessage.
func appendMessage(frame []byte, message *croupierv1.ClientMessage) []byte {
	bytes, err := proto.Marshal(message)
	if err != nil { // a text in an action that is no UTF-8
		panic(err)
	}
	frame = protowire.AppendTag(frame, frameMessagesField, protowire.BytesType)
	return protowire.AppendBytes(frame, bytes)
}
