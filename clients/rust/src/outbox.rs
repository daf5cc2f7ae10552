//! What the bot has to say, gathered into frames: gRPC costs by the frame, not by the byte.

use std::{
    mem,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use tonic::codegen::tokio_stream::Stream;

use crate::v1::{Ack, ClientMessage, PlayRequest, client_message::Message};

pub(crate) const FRAME_MESSAGES: usize = 512;
const BYTES_PER_MESSAGE: usize = 512; // more than an act takes: 512 of them stay below the 256 KiB that a server reads

/// Filled by whoever has something to say, emptied by the stream that writes.
pub(crate) struct Outbox(Arc<Mutex<Waiting>>);

/// The frames of an outbox, as gRPC takes them.
pub(crate) struct Frames(Arc<Mutex<Waiting>>);

struct Waiting {
    hello: Option<Message>,
    messages: Vec<ClientMessage>,
    limit: usize,
    ready: bool,
    ack_due: bool,
    closed: bool,
    writer: Option<Waker>,
}

impl Outbox {
    /// Begin with a first frame, which is Hello alone.
    pub(crate) fn open(hello: Message) -> (Self, Frames) {
        let waiting = Waiting {
            hello: Some(hello),
            messages: Vec::new(),
            limit: FRAME_MESSAGES,
            ready: false,
            ack_due: false,
            closed: false,
            writer: None,
        };
        let shared = Arc::new(Mutex::new(waiting));
        (Self(Arc::clone(&shared)), Frames(shared))
    }

    /// Keep frames below what the server reads.
    pub(crate) fn limit(&self, max_frame_bytes: u32) {
        if max_frame_bytes > 0 {
            lock(&self.0).limit = (max_frame_bytes as usize / BYTES_PER_MESSAGE).clamp(1, FRAME_MESSAGES);
        }
    }

    /// Add a message. It goes out after the next `flush` or `acknowledge`.
    pub(crate) fn add(&self, message: Message) {
        lock(&self.0).messages.push(ClientMessage { message: Some(message) });
    }

    /// Send what there is.
    pub(crate) fn flush(&self) {
        lock(&self.0).wake();
    }

    /// Send what there is, or an Ack if that is nothing: the server waits for a sign before its next frame.
    pub(crate) fn acknowledge(&self) {
        let mut waiting = lock(&self.0);
        waiting.ack_due = true;
        waiting.wake();
    }
}

impl Drop for Outbox {
    fn drop(&mut self) {
        let mut waiting = lock(&self.0);
        waiting.closed = true;
        waiting.wake();
    }
}

impl Waiting {
    fn wake(&mut self) {
        self.ready = true;
        if let Some(writer) = self.writer.take() {
            writer.wake();
        }
    }
}

impl Stream for Frames {
    type Item = PlayRequest;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<PlayRequest>> {
        let mut waiting = lock(&self.0);
        if let Some(hello) = waiting.hello.take() {
            return Poll::Ready(Some(PlayRequest { messages: vec![ClientMessage { message: Some(hello) }] }));
        }
        if waiting.closed {
            return Poll::Ready(None);
        }
        if waiting.ready {
            if mem::take(&mut waiting.ack_due) && waiting.messages.is_empty() {
                waiting.messages.push(ClientMessage { message: Some(Message::Ack(Ack {})) });
            }
            if waiting.messages.len() > waiting.limit {
                let limit = waiting.limit;
                let rest = waiting.messages.split_off(limit);
                return Poll::Ready(Some(PlayRequest { messages: mem::replace(&mut waiting.messages, rest) }));
            }
            waiting.ready = false;
            if !waiting.messages.is_empty() {
                return Poll::Ready(Some(PlayRequest { messages: mem::take(&mut waiting.messages) }));
            }
        }
        waiting.writer = Some(context.waker().clone());
        Poll::Pending
    }
}

fn lock(waiting: &Mutex<Waiting>) -> MutexGuard<'_, Waiting> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}
