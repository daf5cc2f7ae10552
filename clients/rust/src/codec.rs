//! How messages are read off a connection: from a buffer that is in one piece, which is faster than gRPC's
//! own, and of which fields may keep a part without a copy.

use std::marker::PhantomData;

use prost::{Message, bytes::Buf as _};
use tonic::{
    Status,
    codec::{BufferSettings, Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
};

/// Reads `D` and writes `E`.
pub(crate) struct SliceCodec<E, D>(PhantomData<(E, D)>);

impl<E, D> Default for SliceCodec<E, D> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<E: Message + 'static, D: Message + Default + 'static> Codec for SliceCodec<E, D> {
    type Encode = E;
    type Decode = D;
    type Encoder = Half<E>;
    type Decoder = Half<D>;

    fn encoder(&mut self) -> Half<E> {
        Half(PhantomData)
    }

    fn decoder(&mut self) -> Half<D> {
        Half(PhantomData)
    }
}

/// One direction.
pub(crate) struct Half<T>(PhantomData<T>);

impl<T: Message> Encoder for Half<T> {
    type Item = T;
    type Error = Status;

    fn encode(&mut self, message: T, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.reserve(message.encoded_len());
        message.encode(buffer).map_err(|error| Status::internal(error.to_string()))
    }

    fn buffer_settings(&self) -> BufferSettings {
        BufferSettings::default()
    }
}

impl<T: Message + Default> Decoder for Half<T> {
    type Item = T;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<T>, Status> {
        let bytes = buffer.copy_to_bytes(buffer.remaining());
        T::decode(bytes).map(Some).map_err(|error| Status::internal(error.to_string()))
    }

    fn buffer_settings(&self) -> BufferSettings {
        BufferSettings::default()
    }
}
