//! What may end a bot, and why.

use std::{
    error::Error as StdError,
    fmt::{self, Write as _},
};

use prost::Message as _;
use tonic::{Code, Status};

use crate::{bot::BoxError, settings::kebab};

/// Why a bot is no longer played.
///
/// Its `Debug` form is its `Display` form: `fn main() -> Result<(), croupier::Error>` shows people one readable line.
#[non_exhaustive]
pub enum Error {
    /// The server will not have this bot, and asking again would not help: a wrong token, a bad name.
    Refused(ServerError),
    /// A newer connection of the same bot took over. Is the bot running twice?
    Replaced(ServerError),
    /// A file for TLS cannot be read, or is not what it should be.
    BadCertificate(String),
    /// A setting cannot be used: a name, a target.
    BadSetting(String),
    /// The bot itself failed, and was to stop at its first error ([`OnError::Stop`](crate::OnError::Stop)).
    Bot(BoxError),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) | Self::Replaced(error) => error.fmt(f),
            Self::BadCertificate(what) | Self::BadSetting(what) => f.write_str(what),
            Self::Bot(error) => error.fmt(f),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Bot(error) => Some(&**error),
            _ => None,
        }
    }
}

/// What a server said when it said no.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerError {
    /// The gRPC status.
    pub code: Code,
    /// What was wrong, for people.
    pub message: String,
    /// What was wrong, for programs; empty where the server gives none.
    pub reason: String,
    /// The bad fields, each with what is wrong with it.
    pub violations: Vec<(String, String)>,
}

impl From<&Status> for ServerError {
    /// Read what a failed call carries: its status and, where the server sent them, the details.
    fn from(status: &Status) -> Self {
        let mut error =
            Self { code: status.code(), message: said(status), reason: String::new(), violations: Vec::new() };
        for detail in rpc::Status::decode(status.details()).unwrap_or_default().details {
            if detail.type_url.ends_with("/google.rpc.ErrorInfo") {
                error.reason = rpc::ErrorInfo::decode(detail.value.as_slice()).unwrap_or_default().reason;
            } else if detail.type_url.ends_with("/google.rpc.BadRequest") {
                let bad = rpc::BadRequest::decode(detail.value.as_slice()).unwrap_or_default();
                error.violations.extend(bad.violations.into_iter().map(|each| (each.field, each.description)));
            }
        }
        error
    }
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", name(self.code), self.message)?;
        let untold = self.violations.iter().filter(|(_, what)| !self.message.contains(what.as_str()));
        let fields = untold.fold(String::new(), |mut all, (field, what)| {
            let separator = if all.is_empty() { "" } else { "; " };
            let _ = write!(all, "{separator}{field}: {what}");
            all
        });
        let hint = match self.code {
            Code::Unauthenticated => "give the bot's token: Settings::token, or CROUPIER_TOKEN in the environment",
            Code::Unimplemented => "is this a Croupier server?",
            _ => "",
        };
        [fields.as_str(), hint].iter().filter(|note| !note.is_empty()).try_for_each(|note| write!(f, " ({note})"))
    }
}

impl StdError for ServerError {}

/// The error that a status means where trying again would not help; `None`: it may pass.
pub(crate) fn finally(status: &Status) -> Option<Error> {
    if status.source().is_some() {
        return None; // of this side's own making: a connection was lost
    }
    match status.code() {
        Code::Aborted => Some(Error::Replaced(status.into())),
        Code::AlreadyExists
        | Code::FailedPrecondition
        | Code::InvalidArgument
        | Code::NotFound
        | Code::OutOfRange
        | Code::PermissionDenied
        | Code::Unauthenticated
        | Code::Unimplemented => Some(Error::Refused(status.into())),
        _ => None,
    }
}

/// Say in a few words why a stream ended.
pub(crate) fn cause_of(status: &Status) -> String {
    if let Some(source) = status.source() {
        return in_plain_words(source);
    }
    match status.code() {
        Code::Unavailable | Code::Internal => said(status),
        code => format!("{}: {}", name(code), said(status)),
    }
}

/// Say in plain words why a connection failed.
pub(crate) fn in_plain_words(error: &(dyn StdError + 'static)) -> String {
    let signs = format!("{} {error:?}", chain(error)).to_lowercase();
    let found = CAUSES.iter().find(|(sign, _)| signs.contains(sign));
    found.map_or_else(|| chain(error), |(_, meaning)| (*meaning).to_owned())
}

/// What an error and those under it say.
pub(crate) fn chain(error: &(dyn StdError + 'static)) -> String {
    let all = std::iter::successors(Some(error), |&error| error.source());
    let mut said: Vec<String> = all.map(ToString::to_string).collect();
    said.dedup();
    said.join(": ")
}

const UNKNOWN_AUTHORITY: &str = "the server's certificate is signed by none of the authorities that this side trusts: name \
     the right one (Certificates::ca, or CROUPIER_TLS_CA)";

/// What gRPC's messages contain (the first that is found), and what that means to people.
const CAUSES: &[(&str, &str)] = &[
    ("unknownissuer", UNKNOWN_AUTHORITY),
    ("badsignature", UNKNOWN_AUTHORITY), // of another authority that has the same name
    ("notvalidforname", "the server's certificate is for another host name"),
    ("invalidcontenttype", "the server speaks plain text, not TLS"),
    ("certificaterequired", "the server asks for a certificate (CROUPIER_TLS_CERT), and was shown none that it trusts"),
    ("invalid peer certificate", "the server's certificate cannot be trusted"),
    ("connectionrefused", "connection refused"),
    ("connection refused", "connection refused"),
    ("failed to lookup", "no such host"),
    ("keepalivetimedout", "no sign of life"),
    ("keep-alive timed out", "no sign of life"),
    ("unreachable", "network unreachable"),
    ("tls handshake eof", "no TLS connection: does the server speak TLS, with a certificate that this bot trusts?"),
    ("elapsed", "no answer"),
    ("timed out", "no answer"),
    ("connectionreset", "connection lost"),
    ("connection reset", "connection lost"),
    ("brokenpipe", "connection lost"),
    ("broken pipe", "connection lost"),
    ("incompletemessage", "connection lost"),
    ("unexpectedeof", "connection lost"),
    ("connection closed", "connection lost"),
    ("canceled", "connection lost"),
    ("goaway", "the server has stopped"),
    ("go_away", "the server has stopped"),
];

fn said(status: &Status) -> String {
    if status.message().is_empty() { "no reason given".to_owned() } else { status.message().to_owned() }
}

/// A status by the name that all languages share: `PERMISSION_DENIED`.
fn name(code: Code) -> String {
    kebab(&format!("{code:?}")).replace('-', "_").to_uppercase()
}

/// What of google.rpc is read: one more dependency is not worth a few numbered strings.
pub(crate) mod rpc {
    #[derive(Clone, PartialEq, prost::Message)]
    pub(crate) struct Status {
        #[prost(message, repeated, tag = "3")]
        pub(crate) details: Vec<prost_types::Any>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(crate) struct ErrorInfo {
        #[prost(string, tag = "1")]
        pub(crate) reason: String,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(crate) struct BadRequest {
        #[prost(message, repeated, tag = "1")]
        pub(crate) violations: Vec<Violation>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(crate) struct Violation {
        #[prost(string, tag = "1")]
        pub(crate) field: String,
        #[prost(string, tag = "2")]
        pub(crate) description: String,
    }
}
