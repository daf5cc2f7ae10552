//! Where and how a bot is played.

use crate::{
    backoff::Backoff,
    channel::{authorization, endpoint},
    error::Error,
    tls::Tls,
};

/// Where and how a bot is played. What is not said here is in the environment, or else has a default.
///
/// ```
/// let settings = croupier::Settings::new().target("cards.example.org:7700").name("first").sessions(10);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Settings {
    target: Option<String>,
    name: Option<String>,
    token: Option<String>,
    pub(crate) tls: Option<Tls>,
    pub(crate) sessions: Option<u32>,
    pub(crate) on_error: OnError,
    pub(crate) verbose: Option<bool>,
    pub(crate) backoff: Backoff,
    #[cfg(test)]
    pub(crate) patience: Option<std::time::Duration>,
}

/// What an error in the bot's own code does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// It is logged, the session's clock decides, and the other sessions go on: for bots at work.
    #[default]
    Log,
    /// Everything stops with [`Error::Bot`]: for bots being written.
    Stop,
}

impl Settings {
    /// Leave everything to the environment and the defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The server, "host:port". Else: `CROUPIER_TARGET`, or `localhost:7700`.
    #[must_use]
    pub fn target(mut self, target: impl Into<String>) -> Self {
        self.target = Some(target.into());
        self
    }

    /// The bot's name on the server, 1 to 64 characters a-z 0-9 - _ . (Else: `CROUPIER_NAME`, or what its type is
    /// called: `struct RandomBot` is `random-bot`.)
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// What proves the name, where the server asks for proof. Else: `CROUPIER_TOKEN`, or none.
    #[must_use]
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into());
        self
    }

    /// Whether and how to encrypt. Else: `CROUPIER_TLS` (1), `CROUPIER_TLS_CA`, `_CERT`, `_KEY`, or plain text.
    #[must_use]
    pub fn tls(mut self, tls: Tls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// Return when so many sessions are over, leaving any others. Else: never.
    #[must_use]
    pub fn sessions(mut self, count: u32) -> Self {
        self.sessions = Some(count);
        self
    }

    /// What an error in the bot's own code does.
    #[must_use]
    pub fn on_error(mut self, what: OnError) -> Self {
        self.on_error = what;
        self
    }

    /// Whether [`run`](crate::run) shows when connections come about, not only what goes wrong. Else: if stderr is a
    /// terminal.
    #[must_use]
    pub fn verbose(mut self, verbose: bool) -> Self {
        self.verbose = Some(verbose);
        self
    }

    /// How long to wait before trying again. Else: from 0.1 s to 10 s.
    #[must_use]
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.backoff = backoff;
        self
    }

    /// Fill in what was not said, and check all of it before anything is tried.
    pub(crate) fn resolve(
        &self,
        type_name: &str,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Resolved, Error> {
        let variable = |name: &str| environment(name).filter(|value| !value.is_empty());
        let given =
            |mine: &Option<String>, name| mine.clone().filter(|text| !text.is_empty()).or_else(|| variable(name));
        let resolved = Resolved {
            target: given(&self.target, "CROUPIER_TARGET").unwrap_or_else(|| "localhost:7700".to_owned()),
            name: given(&self.name, "CROUPIER_NAME").unwrap_or_else(|| kebab(type_name)),
            token: given(&self.token, "CROUPIER_TOKEN"),
            tls: self.tls.clone().unwrap_or_else(|| Tls::from_environment(variable)),
        };
        let name = &resolved.name;
        let fits = |each: u8| each.is_ascii_lowercase() || each.is_ascii_digit() || b"-_.".contains(&each);
        if !(1..=64).contains(&name.len()) || !name.bytes().all(fits) {
            let takes = "it takes 1 to 64 characters a-z 0-9 - _ .";
            return Err(Error::BadSetting(format!("{name:?} is no name for a bot: {takes}")));
        }
        endpoint(&resolved.target, &resolved.tls)?;
        authorization(resolved.token.as_deref())?;
        Ok(resolved)
    }
}

/// Settings with everything filled in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Resolved {
    pub(crate) target: String,
    pub(crate) name: String,
    pub(crate) token: Option<String>,
    pub(crate) tls: Tls,
}

/// Turn a type's name into a bot's name: `RandomBot` is `random-bot`, `MyMCTSBot` is `my-mcts-bot`.
pub(crate) fn kebab(name: &str) -> String {
    let name = name.split('<').next().unwrap_or_default();
    let letters: Vec<char> = name.rsplit("::").next().unwrap_or_default().chars().collect();
    let mut kebab = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| letters[before]);
        let after = letters.get(at + 1);
        let new_word = letter.is_uppercase()
            && before.is_some_and(|before| !before.is_uppercase() || after.is_some_and(|after| after.is_lowercase()));
        if new_word {
            kebab.push('-');
        }
        kebab.extend(letter.to_lowercase());
    }
    kebab
}
