//! The SDK against a server that does what a test tells it.

mod decisions;
mod fake_server;
mod harness;
mod program;
mod reconnect;
mod settings;
mod stream;
mod tls;
