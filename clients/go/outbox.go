package croupier

import (
	"context"
	"sync"

	"croupier/gen/croupierv1"
)

const (
	frameMessages   = 512 // in one frame, at most
	bytesPerMessage = 512 // more than an act takes: 512 of them stay below the 256 KiB that a server reads
)

// An outbox gathers what the bot has to say into frames: gRPC costs by the frame, not by the byte. Whoever has something
// to say fills it, the one goroutine that writes to the stream empties it.
type outbox struct {
	ready chan struct{} // holds one sign when there may be something to send

	mutex    sync.Mutex
	messages []*croupierv1.ClientMessage
	limit    int
	ackDue   bool
}

func newOutbox() *outbox {
	return &outbox{ready: make(chan struct{}, 1), limit: frameMessages}
}

// keepBelow keeps frames below what the server reads.
func (box *outbox) keepBelow(maxFrameBytes int) {
	if maxFrameBytes > 0 {
		box.mutex.Lock()
		defer box.mutex.Unlock()
		box.limit = max(1, min(frameMessages, maxFrameBytes/bytesPerMessage))
	}
}

// add keeps a message. It goes out after the next flush or acknowledge.
func (box *outbox) add(message *croupierv1.ClientMessage) {
	box.mutex.Lock()
	defer box.mutex.Unlock()
	box.messages = append(box.messages, message)
}

// flush sends what there is.
func (box *outbox) flush() {
	select {
	case box.ready <- struct{}{}:
	default: // the sign is there already
	}
}

// acknowledge sends what there is, or an Ack if that is nothing: the server waits for a sign before its next frame.
func (box *outbox) acknowledge() {
	box.mutex.Lock()
	box.ackDue = true
	box.mutex.Unlock()
	box.flush()
}

// take waits until there is something to send and returns it as one frame, or nil when the context is done.
func (box *outbox) take(ctx context.Context) *croupierv1.PlayRequest {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-box.ready:
		}
		if frame := box.next(); frame != nil {
			return frame
		}
	}
}

func (box *outbox) next() *croupierv1.PlayRequest {
	box.mutex.Lock()
	defer box.mutex.Unlock()
	if box.ackDue && len(box.messages) == 0 {
		ack := &croupierv1.ClientMessage_Ack{Ack: &croupierv1.Ack{}}
		box.messages = append(box.messages, &croupierv1.ClientMessage{Message: ack})
	}
	box.ackDue = false
	if len(box.messages) == 0 {
		return nil
	}
	frame := &croupierv1.PlayRequest{Messages: box.messages}
	box.messages = nil
	if len(frame.Messages) > box.limit {
		box.messages = frame.Messages[box.limit:]
		frame.Messages = frame.Messages[:box.limit:box.limit]
		box.flush()
	}
	return frame
}
