//! `bench`: what Headroom's own code costs, beside the tool that people use
//! today for the same work. Ours and the peer take turns in pairs, so that a
//! slow hour of a shared machine falls on both, and what is told is the ratio
//! of each pair with its interval. Nothing is asserted here: a bad ratio is
//! written down, and the task fails only if something cannot be run.
//!
//! One benchmark is one file and one line in [`TABLE`] (a line for each variant).
//! `cargo xtask bench` builds and starts this program, which knows some crates of
//! the house; the tasks themselves wait for none of them.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a developer's tool speaks to a terminal")]

mod background;
mod check_texts;
mod context;
mod crypto;
mod crypto_c;
mod db_mysqlslap;
mod db_pgbench;
mod db_product;
mod db_server;
mod db_sides;
mod db_sysbench;
mod db_tls;
mod disk;
mod example;
mod fio;
mod http_download;
mod http_limited;
mod http_nginx;
mod http_requests;
mod inventory;
mod judge;
mod memory_blocks;
mod memory_copy_c;
mod memory_copy_mbw;
mod memory_latency_c;
mod net_iperf3;
mod net_veth;
mod null;
mod page;
mod place;
mod primes;
mod process_cost;
mod random_file;
mod replay;
mod report_page;
mod samplers;
mod scheduler_c;
mod scheduler_sysbench;
mod start;
mod state;
mod throttle;
mod trace_analysis;
mod trace_cmd;
mod trace_counts;
mod trace_disk;
mod trace_zram;
mod tracer;
mod veth;
mod zram;

use std::path::{Path, PathBuf};
use std::process::{Command as Process, ExitCode};

use clap::{Arg, ArgMatches, Command, value_parser};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;
use xtask::{Error, cargo_program, target_folder, tools};

use context::BenchContext;
use judge::{Figure, Row};

fn main() -> ExitCode {
    let command = Command::new("bench").bin_name("cargo xtask bench").about(ABOUT);
    xtask::exit(run(&xtask::root(), &arguments(command).get_matches()))
}

const ABOUT: &str = "Measure Headroom's own cost, as ratios to its peers";

/// One benchmark: the same work by Headroom and by a peer.
struct Benchmark {
    /// What is typed.
    name: &'static str,
    /// The peer's name.
    peer: &'static str,
    /// The programs without which it cannot be run: without some of them nothing is, without others
    /// ([`tools::missing`]) only it is not.
    needs: &'static [&'static str],
    /// What is taken from each side, in this order.
    figures: &'static [Figure],
    /// Makes what the runs need in the scratch folder.
    prepare: fn(&BenchContext) -> Result<Box<dyn Sides>, Error>,
}

/// Both sides of a benchmark, ready to be run. What they made lies in the
/// scratch folder, or goes when they are dropped.
trait Sides {
    /// The figures of one run of Headroom with this seed.
    fn ours(&self, context: &BenchContext, seed: u64) -> Result<Vec<f64>, Error>;
    /// The figures of one run of the peer.
    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error>;
    /// Who the peer is, with its version.
    fn version(&self, context: &BenchContext) -> Result<String, Error>;
}

/// Every benchmark, in the order of the page.
const TABLE: &[&Benchmark] = &[
    &primes::ONE,
    &primes::ALL,
    &crypto::XTS,
    &crypto::GCM,
    &crypto::SHA,
    &crypto::CHACHA,
    &crypto_c::CHACHA,
    &disk::DISK_URING_1,
    &disk::DISK_URING_32,
    &disk::DISK_URING_4X32,
    &disk::DISK_AIO_1,
    &disk::DISK_AIO_32,
    &disk::DISK_AIO_4X32,
    &disk::DISK_SYNC_1,
    &disk::DISK_SYNC_4,
    &disk::ZRAM_URING_1,
    &disk::ZRAM_URING_32,
    &disk::ZRAM_URING_4X32,
    &disk::ZRAM_AIO_1,
    &disk::ZRAM_AIO_32,
    &disk::ZRAM_AIO_4X32,
    &disk::ZRAM_SYNC_1,
    &disk::ZRAM_SYNC_4,
    &disk::DISK_BARE_1,
    &disk::DISK_BARE_32,
    &disk::ZRAM_BARE_1,
    &disk::ZRAM_BARE_32,
    &trace_zram::LOST,
    &trace_zram::LOST_300K,
    &trace_disk::COST,
    &trace_zram::COST,
    &trace_analysis::ANALYSIS,
    &replay::AIO,
    &replay::URING,
    &replay::TIMED,
    &null::NULL,
    &memory_copy_mbw::MBW,
    &memory_copy_c::C,
    &scheduler_sysbench::THREADS_1,
    &scheduler_sysbench::THREADS_2,
    &scheduler_sysbench::MUTEX_1,
    &scheduler_sysbench::MUTEX_2,
    &scheduler_c::HANDOFF,
    &scheduler_c::SYSCALL,
    &memory_blocks::READ_1K_1,
    &memory_blocks::READ_1K_2,
    &memory_blocks::READ_16K_1,
    &memory_blocks::READ_16K_2,
    &memory_blocks::READ_1M_1,
    &memory_blocks::WRITE_1K_1,
    &memory_blocks::WRITE_1K_2,
    &memory_blocks::WRITE_16K_1,
    &memory_blocks::WRITE_16K_2,
    &memory_blocks::WRITE_1M_1,
    &memory_latency_c::SMALL,
    &memory_latency_c::MIDDLE,
    &memory_latency_c::LARGE,
    &net_iperf3::ONE,
    &net_iperf3::TWO,
    &net_iperf3::FOUR,
    &net_veth::STREAM_1,
    &net_veth::STREAM_2,
    &net_veth::STREAM_4,
    &net_veth::STREAM_4_ONE,
    &net_veth::STREAM_TYPED,
    &net_veth::STREAM_TYPED_4,
    &net_veth::STREAM_IPERF,
    &net_veth::STREAM_NUTTCP,
    &net_veth::PINGPONG_1,
    &net_veth::PINGPONG_1K,
    &net_veth::PINGPONG_64K,
    &net_veth::DATAGRAM_IPERF3,
    &net_veth::DATAGRAM_NUTTCP,
    &http_requests::PLAIN_16,
    &http_requests::PLAIN_64,
    &http_requests::PLAIN_256,
    &http_requests::LARGER_16,
    &http_requests::SECURE_16,
    &http_requests::SECURE_64,
    &http_requests::SECURE_256,
    &http_download::FILE,
    &http_download::NOWHERE,
    &http_download::SECURE,
    &http_download::HTTP2,
    &http_limited::WIRE,
    &http_limited::DISK,
    &db_sysbench::MARIADB_POINT_1,
    &db_sysbench::MARIADB_POINT_8,
    &db_sysbench::MARIADB_POINT_50,
    &db_sysbench::MARIADB_POINT_8_TLS,
    &db_sysbench::MARIADB_READ_1,
    &db_sysbench::MARIADB_READ_8,
    &db_sysbench::MARIADB_READ_50,
    &db_sysbench::MARIADB_WRITE_1,
    &db_sysbench::MARIADB_WRITE_8,
    &db_sysbench::MARIADB_WRITE_50,
    &db_sysbench::POSTGRES_POINT_1,
    &db_sysbench::POSTGRES_POINT_8,
    &db_sysbench::POSTGRES_POINT_50,
    &db_sysbench::POSTGRES_POINT_8_TLS,
    &db_sysbench::POSTGRES_READ_1,
    &db_sysbench::POSTGRES_READ_8,
    &db_sysbench::POSTGRES_READ_50,
    &db_sysbench::POSTGRES_WRITE_1,
    &db_sysbench::POSTGRES_WRITE_8,
    &db_sysbench::POSTGRES_WRITE_50,
    &db_mysqlslap::KEY_1,
    &db_mysqlslap::KEY_8,
    &db_mysqlslap::KEY_50,
    &db_pgbench::SELECT_1,
    &db_pgbench::SELECT_8,
    &db_pgbench::SELECT_50,
    &db_pgbench::SELECT_8_TLS,
    &db_pgbench::TPCB_1,
    &db_pgbench::TPCB_8,
    &db_pgbench::TPCB_50,
    &inventory::INVENTORY,
    &check_texts::MANY,
    &check_texts::ONE,
    &start::VERSION,
    &start::WORKLOADS,
    &start::LIST,
    &samplers::HERE,
    &samplers::LARGE,
    &report_page::OVERVIEW,
    &report_page::LONG,
];

/// Where the results are kept.
const PAGE: &str = "docs/performance.md";

/// With fewer pairs it is a tryout: printed, not written down.
const PAIRS_MIN: u16 = 15;

/// So many pairs at most, unless more are asked for.
const PAIRS_MOST: u16 = 60;

fn arguments(command: Command) -> Command {
    let number = |name: &'static str, value: &'static str, help| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    command
        .arg(
            Arg::new("names")
                .value_name("NAME")
                .num_args(0..)
                .value_parser(known)
                .help("Only these benchmarks; `zram` stands for all whose names begin with `zram-`"),
        )
        .arg(
            number("pairs", "N", "Runs of each side at least; below 15 the page is not written")
                .default_value("15")
                .value_parser(value_parser!(u16).range(2..=1000)),
        )
        .arg(
            number("most", "N", "Runs of each side at most, where a ratio is not known to 2 %; default: 60")
                .value_parser(value_parser!(u16).range(2..=1000)),
        )
        .arg(
            number("seconds", "S", "How long one run measures")
                .default_value("2")
                .value_parser(value_parser!(u16).range(1..=60)),
        )
        .arg(
            number("seed", "N", "Decides which side of a pair goes first; default: chosen anew")
                .value_parser(value_parser!(u64).range(..=u64::from(u32::MAX))),
        )
        .arg(
            number("headroom", "PATH", "Measure this program instead of building one")
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(
            number(
                "against",
                "PATH",
                "Compare with this build of Headroom, not with the peers; writes no page",
            )
            .value_parser(value_parser!(PathBuf)),
        )
}

/// A name, or what several names begin with.
fn known(word: &str) -> Result<String, String> {
    if TABLE.iter().any(|benchmark| is_meant(word, benchmark)) {
        return Ok(word.to_owned());
    }
    let names: Vec<_> = TABLE.iter().map(|benchmark| benchmark.name).collect();
    Err(format!("there is no such benchmark; there are {}", names.join(", ")))
}

fn is_meant(word: &str, benchmark: &Benchmark) -> bool {
    let rest = benchmark.name.strip_prefix(word);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// What was asked for.
struct BenchRequest {
    chosen: Vec<&'static Benchmark>,
    pairs: u16,
    /// At most, where `pairs` do not tell enough.
    most: u16,
    seed: u64,
    /// Whether the page gets the rows.
    is_written: bool,
}

fn run(root: &Path, arguments: &ArgMatches) -> Result<(), Error> {
    let names: Vec<&String> = arguments.get_many("names").map(Iterator::collect).unwrap_or_default();
    let is_chosen =
        |benchmark: &&&Benchmark| names.is_empty() || names.iter().any(|name| is_meant(name, benchmark));
    let number = |name| *arguments.get_one::<u16>(name).expect("it has a default");
    let pairs = number("pairs");
    // A tryout is as long as it was asked to be.
    let most = if pairs >= PAIRS_MIN { pairs.max(PAIRS_MOST) } else { pairs };
    let asked = BenchRequest {
        chosen: TABLE.iter().filter(is_chosen).copied().collect(),
        pairs,
        most: arguments.get_one::<u16>("most").map_or(most, |most| pairs.max(*most)),
        seed: arguments.get_one("seed").copied().unwrap_or_else(fresh_seed),
        is_written: pairs >= PAIRS_MIN && !arguments.contains_id("against"),
    };
    let needed: Vec<_> = asked.chosen.iter().flat_map(|benchmark| benchmark.needs).copied().collect();
    tools::require(&needed).map_err(Error::Bench)?;
    let page = root.join(PAGE);
    page::check(&page)?;

    let target = target_folder(root)?;
    let context = BenchContext::new(&target, number("seconds"))?;
    let given = |name| {
        let path = arguments.get_one::<PathBuf>(name);
        path.map(|path| path.canonicalize().map_err(Error::file("find", path))).transpose()
    };
    let headroom = given("headroom")?.map_or_else(|| build(root, &target), Ok)?;
    let against = given("against")?.map(|other| context.beside(other));
    let context = context.measuring(headroom);
    println!("{} to {} pairs of {} s each; seed {}", asked.pairs, asked.most, context.seconds, asked.seed);
    let order: Vec<&str> = TABLE.iter().map(|benchmark| benchmark.name).collect();
    for benchmark in &asked.chosen {
        // Its rows in the page stay as they are.
        if let Some(why) = tools::missing(benchmark.needs) {
            println!("{}: not measured: {why}", benchmark.name);
            continue;
        }
        let rows = measure(benchmark, (&context, against.as_ref()), &asked)?;
        if asked.is_written {
            page::write(&page, &order, benchmark.name, &rows)?;
        }
    }
    if asked.is_written {
        println!("wrote {PAGE}");
    } else if against.is_some() {
        println!("{PAGE} is left as it is: two builds were compared");
    } else {
        println!("{PAGE} is left as it is: fewer than {PAIRS_MIN} pairs are a tryout");
    }
    Ok(())
}

/// Runs the pairs of one benchmark, and prints a line for each figure. With another build to compare with, that takes the
/// place of the peer.
fn measure(
    benchmark: &Benchmark,
    (context, against): (&BenchContext, Option<&BenchContext>),
    asked: &BenchRequest,
) -> Result<Vec<Row>, Error> {
    eprintln!("{}: preparing", benchmark.name);
    let sides = (benchmark.prepare)(context)?;
    let version = match against {
        Some(other) => format!("against {}", other.program().display()),
        None => sides.version(context)?,
    };
    let figures: Vec<Figure> = benchmark
        .figures
        .iter()
        .map(|figure| if against.is_some() { figure.of_builds() } else { *figure })
        .collect();
    let mut pairs = vec![Vec::new(); figures.len()];
    for (number, ours_first) in (1..).zip(turns(asked.most, asked.seed)) {
        if number > u64::from(asked.pairs) && is_enough(&figures, &pairs) {
            break;
        }
        let seed = asked.seed + number;
        let peer = || match against {
            Some(other) => sides.ours(other, seed),
            None => sides.peer(context),
        };
        let (ours, peer) = if ours_first {
            let ours = sides.ours(context, seed)?;
            (ours, peer()?)
        } else {
            let peer = peer()?;
            (sides.ours(context, seed)?, peer)
        };
        let ratios: Vec<_> =
            ours.iter().zip(&peer).map(|(ours, peer)| format!("{:.3}", ours / peer)).collect();
        let (least, most) = (asked.pairs, asked.most);
        eprintln!("{}: pair {number} of {least} to {most}: {}", benchmark.name, ratios.join(", "));
        for (pairs, pair) in pairs.iter_mut().zip(ours.into_iter().zip(peer)) {
            pairs.push(pair);
        }
    }
    let on = judge::Circumstances::now(&version);
    let rows: Vec<_> =
        figures.iter().zip(&pairs).map(|(figure, pairs)| figure.judge(benchmark.name, pairs, &on)).collect();
    for row in &rows {
        println!("{}", row.line(if against.is_some() { "the other build" } else { benchmark.peer }));
    }
    Ok(rows)
}

/// Whether no figure wants more pairs. Looked at after every second pair, when both orders are as
/// frequent.
fn is_enough(figures: &[Figure], pairs: &[Vec<(f64, f64)>]) -> bool {
    let is_known = |(figure, pairs): (&Figure, &Vec<(f64, f64)>)| figure.is_known(pairs);
    pairs.iter().all(|pairs| pairs.len() % 2 == 0) && figures.iter().zip(pairs).all(is_known)
}

/// For each pair, whether ours goes first. Of every two pairs one is so and one
/// is not, in random order: what the first run leaves behind (a warm CPU, a
/// spent burst) then falls on both sides alike.
fn turns(pairs: u16, seed: u64) -> Vec<bool> {
    let mut random = SplitMix64::seed_from_u64(seed);
    let two = |_| {
        let first = random.next_u64() >> 63 == 0;
        [first, !first]
    };
    (0..pairs.div_ceil(2)).flat_map(two).take(usize::from(pairs)).collect()
}

/// A seed that differs from run to run.
fn fresh_seed() -> u64 {
    u64::from(jiff::Timestamp::now().subsec_nanosecond().unsigned_abs())
}

fn build(root: &Path, target: &Path) -> Result<PathBuf, Error> {
    let mut cargo = Process::new(cargo_program());
    cargo.args(["build", "--release", "--package", "cli", "--bin", "headroom"]).current_dir(root);
    let status = cargo.status().map_err(|e| Error::Bench(format!("cargo cannot be run: {e}")))?;
    if !status.success() {
        return Err(Error::Bench("headroom could not be built, see above".to_owned()));
    }
    Ok(target.join("release/headroom"))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_two_pairs_have_both_orders() {
        let turns = super::turns(15, 7);
        assert_eq!(turns.len(), 15);
        for two in turns.chunks_exact(2) {
            assert_ne!(two[0], two[1]);
        }
        assert_eq!(turns, super::turns(15, 7), "the seed decides");
        let firsts: HashSet<bool> = super::turns(40, 7).chunks_exact(2).map(|two| two[0]).collect();
        assert_eq!(firsts.len(), 2, "which goes first is not always the same");
    }

    #[test]
    fn names_are_unique_and_every_tool_is_known() {
        let names: HashSet<_> = TABLE.iter().map(|benchmark| benchmark.name).collect();
        assert_eq!(names.len(), TABLE.len());
        for benchmark in TABLE {
            assert!(!benchmark.figures.is_empty(), "{}", benchmark.name);
            for tool in benchmark.needs {
                assert!(tools::is_known(tool), "{}: {tool}", benchmark.name);
            }
        }
    }

    #[test]
    fn arguments_are_bounded() {
        let parse = |words: &[&str]| {
            arguments(Command::new("bench")).try_get_matches_from([&["bench"], words].concat())
        };
        parse(&["null", "primes-1", "--pairs", "2", "--seconds", "1"]).unwrap();
        parse(&["zram"]).unwrap();
        parse(&["null", "--headroom", "static", "--against", "dynamic"]).unwrap();
        parse(&["nul"]).unwrap_err();
        assert_eq!(TABLE.iter().filter(|b| is_meant("zram-bare", b)).count(), 2);
        parse(&["--pairs", "1"]).unwrap_err();
        parse(&["--seconds", "0"]).unwrap_err();
    }

    #[test]
    fn the_page_has_its_marks() {
        page::check(&xtask::root().join(PAGE)).unwrap();
    }
}
