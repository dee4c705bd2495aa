//! What is done and where: rw, its mix, and how random places are spread.

use super::{Load, percent};
use crate::diagnostic::Diagnostic;

pub(super) struct Doing {
    /// The pattern, by our name.
    pub(super) pattern: &'static str,
    pub(super) random: bool,
    /// Whether no block comes twice before every other came.
    pub(super) once: bool,
    /// The share of operations that read.
    pub(super) read_share: f64,
    pub(super) trims: bool,
}

impl Doing {
    pub(super) fn writes(&self) -> bool {
        !self.trims && self.read_share < 1.0
    }

    /// For each kind that fio tells apart, reads, writes and trims, the share
    /// of operations.
    pub(super) fn shares(&self) -> [f64; 3] {
        match self.trims {
            true => [0.0, 0.0, 1.0],
            false => [self.read_share, 1.0 - self.read_share, 0.0],
        }
    }
}

/// A value of rw, and what it is here.
struct Like {
    fio: &'static str,
    ours: &'static str,
    random: bool,
    /// The share of reads; absent where another option says it.
    reads: Option<f64>,
    trims: bool,
}

const fn like(fio: &'static str, ours: &'static str, random: bool, reads: Option<f64>) -> Like {
    Like { fio, ours, random, reads, trims: false }
}

const LIKES: &[Like] = &[
    like("read", "read", false, Some(1.0)),
    like("write", "write", false, Some(0.0)),
    like("randread", "randread", true, Some(1.0)),
    like("randwrite", "randwrite", true, Some(0.0)),
    like("rw", "readwrite", false, None),
    like("readwrite", "readwrite", false, None),
    like("randrw", "randrw", true, None),
    Like { trims: true, ..like("trim", "trim", false, Some(0.0)) },
    Like { trims: true, ..like("randtrim", "randtrim", true, Some(0.0)) },
];

pub(super) fn take(load: &mut Load<'_>) -> Result<Doing, Diagnostic> {
    let job = load.job;
    let (word, rest) = job.word("rw").unwrap_or(("read", ""));
    let Some(like) = LIKES.iter().find(|l| l.fio == word) else {
        return Err(job.place_of("rw").diagnostic(
            format!("rw={word} would trim each block and then write it, which `disk` cannot"),
            "use rw=trim and rw=write in two jobs with stonewall, or run this job with fio",
        ));
    };
    load.put("pattern", "rw", like.ours)?;
    if !rest.is_empty() {
        let says = match like.random {
            true => {
                "fio would do so many operations in sequence from each random place; here each has its own"
            }
            false => {
                "fio would move on by this distance after each operation; here blocks follow one another"
            }
        };
        load.note("rw", says);
    }
    let read_share = match like.reads {
        Some(share) => share,
        None => mix(load)?,
    };
    if like.random {
        spread(load)?;
    }
    let once = !like.random || is_mapped(load);
    Ok(Doing { pattern: like.ours, random: like.random, once, read_share, trims: like.trims })
}

/// The share of reads; the later of the two options counts, as in fio.
fn mix(load: &mut Load<'_>) -> Result<f64, Diagnostic> {
    let order = |name: &str| load.job.get(name).map(|g| g.order);
    let name = if order("rwmixwrite") > order("rwmixread") { "rwmixwrite" } else { "rwmixread" };
    let Some(given) = load.job.whole(name) else { return Ok(0.5) };
    if given > 100 {
        let message = format!("{given} percent are more than all");
        return Err(load.job.place_of(name).diagnostic(message, "a number from 0 to 100"));
    }
    let reads = if name == "rwmixread" { given } else { 100 - given };
    load.put("read-share", name, format!("{reads}%"))?;
    Ok(reads as f64 / 100.0)
}

/// The option that says how random places are spread.
const SPREAD: &str = "random_distribution";

/// Whether fio keeps a map of the blocks that were used, and takes the others
/// first. Places that are no multiples of the block turn it off.
fn is_mapped(load: &Load<'_>) -> bool {
    let job = load.job;
    let is_even = job.word(SPREAD).is_none_or(|(word, _)| word == "random");
    is_even && !job.flag("norandommap") && job.get("ba").is_none()
}

fn spread(load: &mut Load<'_>) -> Result<(), Diagnostic> {
    let job = load.job;
    let (word, rest) = job.word(SPREAD).unwrap_or(("random", ""));
    let numbers: Vec<Option<f64>> = rest.split(':').map(|n| n.parse().ok()).collect();
    let first = |usual: f64| numbers.first().copied().flatten().unwrap_or(usual);
    if numbers.len() > 1 && matches!(word, "zipf" | "pareto" | "normal") {
        load.note(SPREAD, "where the hottest places are is chosen otherwise here");
    }
    match word {
        "random" if is_mapped(load) => load.put("distribution", "rw", "once"),
        "random" => load.put("distribution", "norandommap", "uniform"),
        "zipf" => {
            load.put("distribution", SPREAD, "zipf")?;
            load.put("zipf-theta", SPREAD, first(1.1).to_string())
        }
        "pareto" => {
            // fio's generator sends 1 - h of the operations to h of the blocks
            // (lib/zipf.c, pareto_next: u^(log h / log (1 - h))).
            let h = first(0.2);
            load.note(
                SPREAD,
                "the nearest hot spot takes its place: the same share of operations on the same share of blocks",
            );
            hot(load, h, 1.0 - h)
        }
        "normal" => {
            // Within one standard deviation to either side are 68.27 %.
            let deviation = first(10.0) / 100.0;
            load.note(
                SPREAD,
                "a hot spot as wide as two deviations takes its place, with 68.27 % of the operations",
            );
            hot(load, 2.0 * deviation, 0.6827)
        }
        _ => zones(load, word, rest),
    }
}

/// Zones, `50/5:30/15:20/80`: shares of operations and of blocks. The first is
/// the hot spot.
fn zones(load: &mut Load<'_>, word: &str, text: &str) -> Result<(), Diagnostic> {
    let share = |n: &str| n.parse::<f64>().ok().filter(|n| *n > 0.0 && *n < 100.0).map(|n| n / 100.0);
    let zone = |text: &str| {
        let (operations, blocks) = text.split_once('/')?;
        Some((share(operations)?, share(blocks)?))
    };
    let first = text.split([',', ':']).next().and_then(zone).filter(|_| word == "zoned");
    let Some((operations, blocks)) = first else {
        load.note(SPREAD, "here every place is alike");
        return load.put("distribution", SPREAD, "uniform");
    };
    // Two zones are a hot spot and the rest.
    if text.contains(',') || text.split(':').count() != 2 {
        load.note(
            SPREAD,
            "the first zone becomes a hot spot; the other operations go to all other places alike",
        );
    }
    hot(load, blocks, operations)
}

fn hot(load: &mut Load<'_>, blocks: f64, operations: f64) -> Result<(), Diagnostic> {
    load.put("distribution", SPREAD, "hot")?;
    load.put("hot-span", SPREAD, percent(blocks.clamp(0.0, 1.0)))?;
    load.put("hot-share", SPREAD, percent(operations.clamp(0.0, 1.0)))
}
