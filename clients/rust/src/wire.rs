//! Frames as they are read: the contract's messages, but for a decision's view, which stays bytes until the bot looks at
//! it. A view is most of a frame, and many a bot decides without.

use prost::{Message, Oneof, bytes::Bytes};

use crate::v1;

/// A `PlayResponse`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Frame {
    #[prost(message, repeated, tag = "1")]
    pub(crate) messages: Vec<ServerMessage>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ServerMessage {
    #[prost(oneof = "Heard", tags = "1, 2, 3, 4, 5, 6, 7, 8")]
    pub(crate) message: Option<Heard>,
}

#[derive(Clone, PartialEq, Oneof)]
#[allow(clippy::large_enum_variant)] // it is read once, and taken apart at once
pub(crate) enum Heard {
    #[prost(message, tag = "1")]
    Welcome(v1::Welcome),
    #[prost(message, tag = "2")]
    SessionStart(v1::SessionStart),
    #[prost(message, tag = "3")]
    Events(v1::Events),
    #[prost(message, tag = "4")]
    Decision(Question),
    #[prost(message, tag = "5")]
    ActResult(v1::ActResult),
    #[prost(message, tag = "6")]
    SessionEnd(v1::SessionEnd),
    #[prost(message, tag = "7")]
    Ping(v1::Ping),
    #[prost(message, tag = "8")]
    Drain(v1::Drain),
}

/// A `Decision`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Question {
    #[prost(string, tag = "1")]
    pub(crate) session_id: String,
    #[prost(uint64, tag = "2")]
    pub(crate) seq: u64,
    #[prost(uint32, tag = "3")]
    pub(crate) decision_id: u32,
    #[prost(uint32, tag = "4")]
    pub(crate) attempt: u32,
    #[prost(message, repeated, tag = "5")]
    pub(crate) actions: Vec<v1::GameAction>,
    #[prost(bytes = "bytes", tag = "6")]
    pub(crate) view: Bytes,
    #[prost(uint32, optional, tag = "7")]
    pub(crate) think_time_ms: Option<u32>,
    #[prost(uint32, tag = "8")]
    pub(crate) bank_ms: u32,
    #[prost(bool, tag = "9")]
    pub(crate) standing: bool,
    #[prost(uint32, tag = "10")]
    pub(crate) last_charged_ms: u32,
    #[prost(uint32, tag = "11")]
    pub(crate) seat: u32,
}

impl From<v1::Decision> for Question {
    fn from(message: v1::Decision) -> Self {
        Self::decode(Bytes::from(message.encode_to_vec())).expect("it is the same message")
    }
}
