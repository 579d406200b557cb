"""rdflib logs a traceback of every literal whose text is none of its datatype; here that is a finding of one line."""

from __future__ import annotations

import logging


def quieten() -> None:
    """Keeps such tracebacks from every stream, from now on; nothing else that rdflib says."""
    logging.getLogger("rdflib.term").addFilter(_no_traceback)


def _no_traceback(record: logging.LogRecord) -> bool:
    return record.exc_info is None
