//! TLS: whom to trust, and what to show.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tonic::transport::{Certificate, ClientTlsConfig, Identity};

use crate::error::Error;

/// Whether and how a connection is encrypted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tls {
    /// Plain text.
    Off,
    /// TLS, trusting the usual authorities.
    On,
    /// TLS with these files.
    Files(Certificates),
}

/// PEM files for TLS.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Certificates {
    /// The authorities to trust; `None`: the usual ones.
    pub ca: Option<PathBuf>,
    /// The bot's own certificate, where the server asks for one; any intermediate ones follow it in the file.
    pub cert: Option<PathBuf>,
    /// Its private key, without a passphrase.
    pub key: Option<PathBuf>,
}

impl Tls {
    /// What the environment says: `CROUPIER_TLS_CA`, `_CERT`, `_KEY`, or else `CROUPIER_TLS`.
    pub(crate) fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Self {
        let file = |name| variable(name).map(PathBuf::from);
        let files = Certificates {
            ca: file("CROUPIER_TLS_CA"),
            cert: file("CROUPIER_TLS_CERT"),
            key: file("CROUPIER_TLS_KEY"),
        };
        if files != Certificates::default() {
            return Self::Files(files);
        }
        let word = variable("CROUPIER_TLS").unwrap_or_default().to_lowercase();
        if ["1", "true", "yes", "on"].contains(&word.as_str()) { Self::On } else { Self::Off }
    }

    /// What gRPC needs; `None`: plain text. Files are read anew each time, so that renewed ones are found.
    pub(crate) fn config(&self) -> Result<Option<ClientTlsConfig>, Error> {
        let files = match self {
            Self::Off => return Ok(None),
            Self::On => &Certificates::default(),
            Self::Files(files) => files,
        };
        let config = match &files.ca {
            None => ClientTlsConfig::new().with_native_roots(),
            Some(ca) => ClientTlsConfig::new().ca_certificate(Certificate::from_pem(read(ca, "CERTIFICATE")?)),
        };
        match (&files.cert, &files.key) {
            (None, None) => Ok(Some(config)),
            (Some(cert), Some(key)) => {
                let (certificate, private) = (read(cert, "CERTIFICATE")?, read(key, "PRIVATE KEY")?);
                Ok(Some(config.identity(Identity::from_pem(certificate, private))))
            }
            (Some(_), None) => Err(bad("cert was given without key; they belong together")),
            (None, Some(_)) => Err(bad("key was given without cert; they belong together")),
        }
    }
}

/// Read a file that should hold a PEM block of some kind. The TLS library itself would only say that it cannot connect.
fn read(path: &Path, kind: &str) -> Result<String, Error> {
    let shown = path.display();
    let bytes = fs::read(path).map_err(|error| bad(format!("cannot read {shown}: {}", error.kind())))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if text.contains("ENCRYPTED") {
        return Err(bad(format!("{shown} has a passphrase; give a key without one")));
    }
    if !text.lines().any(|line| line.starts_with("-----BEGIN ") && line.trim_end().ends_with(&format!("{kind}-----"))) {
        let what = if kind == "CERTIFICATE" { "certificate" } else { "private key" };
        return Err(bad(format!("{shown} holds no {what} in PEM")));
    }
    Ok(text)
}

fn bad(what: impl AsRef<str>) -> Error {
    Error::BadCertificate(format!("tls: {}", what.as_ref()))
}
