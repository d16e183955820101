"""ML Productivity Goodput from trace files, in SQLite.

    import sqlite3
    import sqlite_mpg

    db = sqlite3.connect(":memory:")
    sqlite_mpg.load(db)
    db.execute("SELECT pool, mpg_lower(category, chip_us) FROM trace_rollup('traces/') GROUP BY pool").fetchall()

The report: ``python -m sqlite_mpg.report fleet.db -o report.html``, or ``mpg-report``.
"""

import os
from typing import Any, Callable, Optional

__version__ = "@version@"
__all__ = ["load", "loadable_path", "build", "progress"]


def loadable_path() -> str:
    """The path of the loadable extension, for ``.load``, ``load_extension()`` and ``datasette --load-extension``."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "mpg.so")


def load(connection: Any) -> None:
    """Loads the extension into an open connection of sqlite3 or apsw; every connection of a pool needs it.

    With SQLAlchemy, ``event.listen(engine, "connect", lambda connection, _: sqlite_mpg.load(connection))``.
    Loading by SQL stays off, as it was.
    """
    if hasattr(connection, "enable_load_extension"):
        allow, load_extension = connection.enable_load_extension, connection.load_extension
    elif hasattr(connection, "enableloadextension"):
        allow, load_extension = connection.enableloadextension, connection.loadextension
    else:
        raise TypeError(
            "sqlite_mpg.load: expected a connection of sqlite3 or apsw that can load extensions, found "
            f"{type(connection).__module__}.{type(connection).__qualname__}; a Python built without "
            "--enable-loadable-sqlite-extensions has none in sqlite3: take another, or apsw"
        )
    allow(True)
    try:
        load_extension(loadable_path())
    finally:
        allow(False)


def build(connection: Any, traces: str) -> None:
    """Writes the fleet's tables and its ledger into the connection's database, from a file, a glob, a folder or a fleet file.

    The report and tools that load no extension read them. What is there already is kept, and what is new is added.
    """
    (mode,) = connection.execute("SELECT mpg_progress()").fetchone()
    if mode == "off":
        connection.execute("SELECT mpg_progress('terminal')").fetchall()
    try:
        connection.execute("SELECT mpg_build(?)", (traces,)).fetchall()
    finally:
        if mode == "off":
            connection.execute("SELECT mpg_progress('off')").fetchall()


def progress(
    connection: Any, callback: Optional[Callable[[int, int, int, int, float], Any]], seconds: float = 2
) -> None:
    """Calls ``callback(bytes, bytes_all, jobs, jobs_all, elapsed)`` ten times a second during what takes longer than ``seconds``; None ends that.

    First with zeros, now. It runs in the thread of the query. One that raises ends the query as interrupted. With tqdm:

        bar = tqdm.auto.tqdm(unit="B", unit_scale=True)

        def show(done, whole, jobs, jobs_all, elapsed):
            bar.total = whole
            bar.update(done - bar.n)
    """
    if callback is None:
        connection.execute("SELECT mpg_progress('off')").fetchall()
        return

    def called(*figures: Any) -> None:
        callback(*figures)

    if hasattr(connection, "create_function"):
        connection.create_function("mpg_progress_callback", 5, called)
    else:
        connection.createscalarfunction("mpg_progress_callback", called, 5)
    connection.execute("SELECT mpg_progress('function', 'mpg_progress_callback', ?)", (seconds,)).fetchall()
