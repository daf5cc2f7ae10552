"""Logs of a service: for people on a terminal, JSON elsewhere. `croupier serve` says it in the same form."""

import logging
import sys

import structlog

LEVELS = ("debug", "info", "warning", "error")


def configure(level: str, form: str) -> None:
    """Set up logging to stderr for the process.

    Args:
        level: one of `LEVELS`.
        form: text, json, or auto: text on a terminal, else json.
    """
    json = not sys.stderr.isatty() if form == "auto" else form == "json"
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer() if json else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty()),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
    )
