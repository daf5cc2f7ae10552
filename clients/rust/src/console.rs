//! The log on stderr, for programs that have set up no logging themselves.

use std::{
    io::{IsTerminal, Write, stderr},
    time::{SystemTime, UNIX_EPOCH},
};

use log::{LevelFilter, Log, Metadata, Record};

/// Show the log on stderr, unless the program has set up logging itself.
///
/// `verbose`: whether to show more than warnings; `None`: if stderr is a terminal.
pub(crate) fn show(verbose: Option<bool>) {
    let verbose = verbose.unwrap_or_else(|| stderr().is_terminal());
    if log::set_boxed_logger(Box::new(Console)).is_ok() {
        log::set_max_level(if verbose { LevelFilter::Info } else { LevelFilter::Warn });
    }
}

struct Console;

impl Log for Console {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "croupier"
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
            let (hours, minutes, seconds) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
            let line = format!("{hours:02}:{minutes:02}:{seconds:02}Z croupier: {}\n", record.args());
            let _ = stderr().write_all(line.as_bytes()); // a bot plays on where nobody reads
        }
    }

    fn flush(&self) {}
}
