//! Opening a connection to a server.

use std::time::Duration;

use tonic::{
    metadata::{Ascii, MetadataValue},
    transport::Endpoint,
};

use crate::{
    error::{Error, chain},
    tls::Tls,
};

pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Bytes; frames stay below 256 KiB.
pub(crate) const FRAME_LIMIT: usize = 4 * 1024 * 1024;

/// What leads to "host:port"; it does not connect yet.
pub(crate) fn endpoint(target: &str, tls: &Tls) -> Result<Endpoint, Error> {
    let config = tls.config()?;
    let scheme = if config.is_some() { "https" } else { "http" };
    let endpoint = Endpoint::from_shared(format!("{scheme}://{target}"))
        .ok()
        .filter(|endpoint| endpoint.uri().port_u16().is_some() && endpoint.uri().path() == "/")
        .ok_or_else(|| Error::BadSetting(format!("target {target:?} is no address: it takes \"host:port\"")))?
        .user_agent(format!("croupier-rust/{VERSION}"))
        .map_err(|error| Error::BadSetting(chain(&error)))?
        .connect_timeout(Duration::from_secs(20))
        // A peer that has stopped is noticed after half a minute.
        .http2_keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(10))
        .keep_alive_while_idle(true);
    match config {
        None => Ok(endpoint),
        Some(config) => endpoint.tls_config(config).map_err(|error| {
            let said = chain(&error);
            let what = if said.contains("KeyMismatch") || said.contains("keys may not be consistent") {
                "the private key is not that of the certificate".to_owned()
            } else {
                format!("the certificate files cannot be used: {said}")
            };
            Error::BadCertificate(format!("tls: {what}"))
        }),
    }
}

/// The metadata that shows a token; none without one.
pub(crate) fn authorization(token: Option<&str>) -> Result<Option<MetadataValue<Ascii>>, Error> {
    let token = token.map_or("", str::trim); // a token that was read from a file ends with a newline
    if token.is_empty() {
        return Ok(None);
    }
    let value = format!("Bearer {token}").parse();
    value.map(Some).map_err(|_| Error::BadSetting("token: it takes one line of printable ASCII characters".to_owned()))
}
