//! What the benchmarks of databases have in common: a trial of ours at the server of both sides, and what a peer takes
//! before and after what counts.
//!
//! CPU is that of the clients alone: of ours what the threads that drive the load took within the window, of a peer all
//! that its process took, less what a run takes that does next to nothing. So neither side has its start, sign-in and
//! preparing in the figure. The server has the first CPU, clients the last one. Neither side warms up: tables are made
//! anew for each run of both, and are in memory then.

use crate::context::{BenchContext, Metrics};
use crate::db_server::PrivateDatabase;
use crate::db_tls::DatabaseTls;
use crate::place;
use crate::process_cost::ProcessCost;
use xtask::Error;

/// So many runs that do nothing tell what a start takes: the cheapest of them.
const STARTS: u32 = 3;

/// One trial of ours of the load in `words`.
pub(crate) fn ours(
    context: &BenchContext,
    server: &PrivateDatabase,
    words: &[&str],
    seed: u64,
) -> Result<Metrics, Error> {
    let (url, password) = (server.url(), server.tls().map(DatabaseTls::password_file));
    let password: Vec<&str> = password.iter().flat_map(|file| ["--password-file", file]).collect();
    let all = [words, &["--url", &url, "--warm-up", "0s"], &password].concat();
    let metrics = context.headroom(Some(place::last()?), &all, seed)?;
    let errors = metrics.get("error_share")?;
    if errors > 0.0 {
        return Err(Error::Bench(format!("a share of {errors} of the transactions of headroom failed")));
    }
    Ok(metrics)
}

/// One run of a peer, on the CPU that ours has.
pub(crate) fn peer(context: &BenchContext, words: &[String]) -> Result<ProcessCost, Error> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    ProcessCost::of(context, Some(place::last()?), words[0], &words[1..])
}

/// The words of a client of the server's own, with those before them that it needs to come there.
pub(crate) fn client(server: &PrivateDatabase, words: Vec<String>) -> Vec<String> {
    server.tls().map(DatabaseTls::before_clients).into_iter().flatten().chain(words).collect()
}

/// CPU seconds that a run of a peer with these words takes, which is to do next to nothing.
pub(crate) fn start_cpu_s(context: &BenchContext, words: &[String]) -> Result<f64, Error> {
    let mut least_s = f64::INFINITY;
    for _ in 0..STARTS {
        least_s = least_s.min(peer(context, words)?.cpu_s);
    }
    Ok(least_s)
}
