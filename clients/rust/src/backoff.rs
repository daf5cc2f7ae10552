//! How long to wait before trying again.

use std::{fmt, pin::Pin, sync::Arc, time::Duration};

type Sleep = dyn Fn(Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync;

/// Exponential backoff with full jitter: anything between nothing and twice the last limit, up to a cap.
///
/// Jitter over the whole range keeps a thousand bots that lost the same server from coming back at the same moment.
#[derive(Clone)]
pub struct Backoff {
    /// The limit after the first failure.
    pub base: Duration,
    /// The limit that is never passed.
    pub cap: Duration,
    /// Gives a number from 0 to 1.
    pub(crate) random: fn() -> f64,
    /// Waits.
    pub(crate) sleep: Arc<Sleep>,
}

impl Backoff {
    /// Backoff between two limits.
    pub fn new(base: Duration, cap: Duration) -> Self {
        Self { base, cap, random: fastrand::f64, sleep: Arc::new(|time| Box::pin(tokio::time::sleep(time))) }
    }

    /// Return how long to wait after so many failures in a row, not counting the newest.
    pub fn delay(&self, failures: u32) -> Duration {
        let limit = self.base.as_secs_f64() * 2f64.powi(failures.min(64).cast_signed());
        Duration::from_secs_f64((self.random)() * limit.min(self.cap.as_secs_f64()))
    }
}

impl Default for Backoff {
    /// From 0.1 s to 10 s.
    fn default() -> Self {
        Self::new(Duration::from_millis(100), Duration::from_secs(10))
    }
}

impl fmt::Debug for Backoff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Backoff({:?} to {:?})", self.base, self.cap)
    }
}
