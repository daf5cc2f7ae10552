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
	full     [][]byte // frames that can take no more
	frame    []byte
	messages int // in it
	limit    int
	said     bool // something, since the latest frame came
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

// add has a message appended to the frame. It goes out after the next flush or acknowledge.
func (box *outbox) add(appendTo func([]byte) []byte) {
	box.mutex.Lock()
	defer box.mutex.Unlock()
	if box.messages >= box.limit {
		box.full = append(box.full, box.frame)
		box.frame, box.messages = nil, 0
	}
	box.frame = appendTo(box.frame)
	box.messages++
	box.said = true
}

// begin notes that a frame has come, which wants an answer.
func (box *outbox) begin() {
	box.mutex.Lock()
	defer box.mutex.Unlock()
	box.said = false
}

// flush sends what there is.
func (box *outbox) flush() {
	select {
	case box.ready <- struct{}{}:
	default: // the sign is there already
	}
}

// acknowledge sends what there is, or an Ack if nothing was said to the latest frame: the server waits for a sign before
// its next one.
func (box *outbox) acknowledge() {
	box.mutex.Lock()
	box.ackDue = !box.said
	box.mutex.Unlock()
	box.flush()
}

// take waits until there is something to send and returns it as one frame, or nil when the context is done.
func (box *outbox) take(ctx context.Context) []byte {
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

func (box *outbox) next() []byte {
	box.mutex.Lock()
	defer box.mutex.Unlock()
	if len(box.full) > 0 {
		frame := box.full[0]
		box.full = box.full[1:]
		box.flush()
		return frame
	}
	frame := box.frame
	if box.ackDue && frame == nil {
		frame = appendMessage(nil, &croupierv1.ClientMessage{Message: &croupierv1.ClientMessage_Ack{Ack: &croupierv1.Ack{}}})
	}
	box.frame, box.messages, box.ackDue = nil, 0, false
	return frame
}
