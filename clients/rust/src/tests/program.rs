//! `run`, which programs call: what ends it.

use tonic::{Code, Status};

use super::{
    fake_server::{FakeServer, ack, over, start},
    harness::First,
};
use crate::{Error, Settings, Tls, run};

fn settings(server: &FakeServer) -> Settings {
    Settings::new().target(&server.target).name("bot").tls(Tls::Off)
}

#[tokio::test]
async fn a_program_ends_after_its_sessions() {
    let mut server = FakeServer::start().await;
    let settings = settings(&server).sessions(1);
    let program = tokio::task::spawn_blocking(|| run(First, settings));
    let mut stream = server.accept().await;
    stream.say([start("a")]);
    assert_eq!(stream.hear().await, [ack()]);
    stream.say([over("a", 2)]);
    program.await.expect("it does not panic").expect("it ends well");
    stream.gone().await;
}

#[tokio::test]
async fn a_program_that_is_refused_says_why_in_one_line() {
    let server = FakeServer::start().await;
    server.refuse(Status::new(Code::PermissionDenied, "first is banned"));
    let settings = settings(&server);
    let program = tokio::task::spawn_blocking(|| run(First, settings));
    let Err(error) = program.await.expect("it does not panic") else { panic!("it was refused") };
    assert!(matches!(error, Error::Refused(_)));
    assert_eq!(format!("{error:?}"), "PERMISSION_DENIED: first is banned"); // as `main` shows it
}
