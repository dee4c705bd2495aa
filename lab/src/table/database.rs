//! What holds loads on databases back: the clients' own computing, the way, the flush of the log, locks, and the
//! processors of the server. Whoever only looks whether processors and devices are full would call most of them the
//! server's own time.

use std::time::Duration;

use crate::scenario::Area::Database as OfDatabases;
use crate::scenario::Count::{Busy, BusyOf, BusyShare, Carried, Flushes, Throttled};
use crate::scenario::Cpu::{First, Last};
use crate::scenario::End::{Far, Near};
use crate::scenario::Limiter::{self, Affinity, Database, File, Quota, Wire};
use crate::scenario::Proof::{AtLeast, AtMost};
use crate::scenario::Scenario;
use crate::wire::Way;

const CLIENTS: &[&str] = &["client-bound"];
const WAY: &[&str] = &["round-trip-bound"];
const LOG: &[&str] = &["log-flush-bound"];
const LOCKS: &[&str] = &["lock-bound"];
const SERVER_CPU: &[&str] = &["server-cpu-bound"];

/// A server as it is, and one of which no commit waits for the log.
const DURABLE: Limiter = Database(&[]);
const AT_ONCE: Limiter = Database(&["synchronous_commit=off"]);

/// 5 ms each way.
const FAR_AWAY: Limiter = Wire(Way { delay: Duration::from_millis(5), ..Way::of(1000) }, false);

/// Draws 128 KiB of letters for a statement that asks for nothing.
const COMPUTES: Limiter =
    File("computes.sql", "\\set one alphanumeric(65536)\n\\set other alphanumeric(65536)\nSELECT 1;\n");

/// Holds the lock of the only row for 5 ms, in which the server has nothing to do.
const HOLDS: Limiter = File(
    "holds.sql",
    "-- headroom: setup\nCREATE TABLE held (a INTEGER PRIMARY KEY, b INTEGER);\nINSERT INTO held VALUES (1, 0);\n\
     -- headroom: transaction\nBEGIN;\nUPDATE held SET b = b + 1 WHERE a = 1;\nSELECT pg_sleep(0.005);\nCOMMIT;\n",
);

/// The server rests for 20 ms before it answers.
const RESTS: Limiter = File("rests.sql", "SELECT pg_sleep(0.02);\n");

/// A load that is measured long enough for ten looks a second at sessions. `URL` is the server that was laid.
macro_rules! load {
    ($($word:literal),*) => { &[$($word,)* "--duration", "2s", "--warm-up", "500ms", "--trials", "3"] };
}

/// In these tables, a limit of a load on a database.
const fn of(name: &'static str, lay: &'static [Limiter], load: &'static [&'static str]) -> Scenario {
    Scenario::limit(name, OfDatabases, lay, load)
}

pub(super) const TABLE: &[Scenario] = &[
    of(
        "clients that compute between statements",
        &[COMPUTES, AT_ONCE],
        load!("db.script", "--sql", "computes.sql", "--url", "URL", "--clients", "4", "--threads", "1"),
    )
    .right(CLIENTS)
    .proved(&[AtLeast(Busy, 0.95), AtMost(BusyShare, 0.95)]),
    of(
        "clients with a fifth of a CPU",
        &[Quota(Near, 20), AT_ONCE],
        load!("db.oltp", "--mix", "point-select", "--url", "URL", "--rows", "1000", "--clients", "8"),
    )
    .right(&["cpu-quota", "client-bound"])
    .proved(&[AtLeast(Throttled(Near), 3.0)]),
    of(
        "a row at a time from a server 10 ms away",
        &[FAR_AWAY, AT_ONCE],
        load!("db.oltp", "--mix", "point-select", "--url", "URL", "--rows", "1000"),
    )
    .right(WAY)
    .proved(&[AtLeast(Carried, 1000.0), AtMost(BusyShare, 0.8)]),
    // Each of its 20 statements goes to and fro.
    of(
        "sysbench's transactions on a server 10 ms away",
        &[FAR_AWAY, AT_ONCE],
        load!("db.oltp", "--mix", "read-write", "--url", "URL", "--rows", "1000", "--clients", "4"),
    )
    .right(WAY)
    .proved(&[AtLeast(Carried, 1000.0), AtMost(BusyShare, 0.8)]),
    of(
        "one client whose commits are flushed",
        &[DURABLE],
        load!("db.oltp", "--mix", "update-non-index", "--url", "URL", "--rows", "1000"),
    )
    .right(LOG)
    .proved(&[AtLeast(Flushes, 50.0), AtMost(BusyShare, 0.9)]),
    of(
        "commits of SQLite that are flushed",
        &[],
        load!("db.oltp", "--mix", "update-non-index", "--synchronous", "full", "--rows", "1000"),
    )
    .right(LOG)
    .proved(&[AtLeast(Flushes, 50.0), AtMost(BusyShare, 0.9)]),
    of(
        "commits of MariaDB that are flushed",
        &[],
        load!(
            "db.oltp",
            "--mix",
            "update-non-index",
            "--start",
            "mariadb",
            "--target",
            ".",
            "--rows",
            "1000"
        ),
    )
    .right(LOG)
    .proved(&[AtLeast(Flushes, 50.0), AtMost(BusyShare, 0.9)]),
    // Nothing is full, and the server computes next to nothing: what it does for each transaction would be said to be
    // what takes the time.
    of(
        "eight clients that want the same row",
        &[HOLDS, AT_ONCE],
        load!("db.script", "--sql", "holds.sql", "--url", "URL", "--clients", "8"),
    )
    .right(LOCKS)
    .proved(&[AtMost(BusyShare, 0.5)]),
    of(
        "clients of SQLite that all write",
        &[],
        load!("db.oltp", "--mix", "write-only", "--synchronous", "full", "--rows", "1000", "--clients", "8"),
    )
    .right(LOCKS)
    .proved(&[AtLeast(Flushes, 50.0), AtMost(BusyShare, 0.9)]),
    of(
        "ranges of a thousand rows, and a server with one CPU",
        &[Affinity(Near, First), Affinity(Far, Last), AT_ONCE],
        load!(
            "db.oltp",
            "--mix",
            "read-only",
            "--range-size",
            "1000",
            "--url",
            "URL",
            "--rows",
            "10000",
            "--clients",
            "8"
        ),
    )
    .right(SERVER_CPU)
    .proved(&[AtLeast(BusyOf(Last), 0.95), AtMost(BusyOf(First), 0.9)]),
    // Only the server knows why.
    of(
        "a server 10 ms away that rests before it answers",
        &[FAR_AWAY, RESTS, AT_ONCE],
        load!("db.script", "--sql", "rests.sql", "--url", "URL"),
    )
    .right(&["server-bound"])
    .proved(&[AtLeast(Carried, 500.0), AtMost(BusyShare, 0.5)]),
    Scenario::quiet(
        "transactions of sysbench on SQLite",
        load!("db.oltp", "--mix", "read-only,write-only", "--rows", "1000"),
        &["log-flush-bound", "server-cpu-bound", "one-core-full"],
    ),
    // No commit waits for the log, and hardly two clients want the same row.
    Scenario::quiet(
        "rows of their own that eight clients change",
        load!("db.oltp", "--mix", "update-non-index", "--url", "URL", "--rows", "10000", "--clients", "8"),
        &["client-bound", "server-cpu-bound", "all-cores-full"],
    )
    .over(&[AT_ONCE]),
    Scenario::quiet(
        "rows read from a server of the lab's",
        load!("db.oltp", "--mix", "point-select", "--url", "URL", "--rows", "1000", "--clients", "1,8"),
        &["round-trip-bound", "client-bound", "server-cpu-bound", "all-cores-full"],
    )
    .over(&[AT_ONCE]),
];
