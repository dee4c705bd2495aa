//! `torture`: what users, strangers and the machine may do to Headroom, again and
//! again with other times, orders and bytes, and whether it keeps what
//! `docs/concepts/safety.md` promises.
//!
//! Two things go on side by side for as many minutes as are asked for: attacks on
//! the whole program from outside ([`attack`]; this crate knows no crate of the
//! house), and fuzzers of what it reads, which see what the bytes reach in it
//! ([`fuzz`]). At the end all is counted. A count of 0 faults says something only
//! beside the counts of what was done, so those are shown too.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a developer's tool speaks to a terminal")]

mod attack;
mod fuzz;
mod namespaces;
mod process;
mod round;
mod tally;
#[path = "../../bench/src/zram.rs"]
mod zram;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use rustix::process::geteuid;
use xtask::{Error, target_folder};

use crate::attack::{ATTACKS, Attack, kinds};
use crate::fuzz::{FUZZERS, Fuzzer};
use crate::round::{Round, Trouble};
use crate::tally::Tally;

fn main() -> ExitCode {
    let command = command();
    xtask::exit(run(&xtask::root(), &command.get_matches()))
}

fn command() -> Command {
    let value = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    Command::new("torture")
        .bin_name("cargo xtask torture")
        .about("Attack Headroom, and fuzz what it reads, for some minutes; needs root")
        .arg(
            value("minutes", "N", "How long, after all is built [default: 10, with --kills 240]")
                .value_parser(value_parser!(f64)),
        )
        .arg(value("only", "NAME", "Only this attack or fuzzer; again for another").action(ArgAction::Append))
        .arg(
            value(
                "kills",
                "N",
                "Go on until so many kills met changed settings, and each kind of settings a twentieth as many, or met \
                 a storage stack; --minutes is then the most",
            )
            .value_parser(value_parser!(u64).range(1..)),
        )
        .arg(
            value("seed", "N", "Begin with the round of this seed, which a fault names")
                .value_parser(value_parser!(u64)),
        )
        .arg(
            value("program", "PATH", "Attack this program instead of the one that is built")
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(Arg::new("list").long("list").action(ArgAction::SetTrue).help("Name the attacks and fuzzers"))
}

/// How long without `--minutes`.
const MINUTES: f64 = 10.0;
/// The same with `--kills`, which ends it before.
const MINUTES_OF_KILLS: f64 = 240.0;

/// Each kind of settings is met once in so many kills at least, where kills are counted.
const KILLS_OF_A_KIND: u64 = 20;

/// What was chosen.
struct Chosen {
    attacks: Vec<&'static Attack>,
    fuzzers: Vec<&'static Fuzzer>,
    bounds: Bounds,
}

/// With which round attacks begin, and when they end.
struct Bounds {
    length: Duration,
    /// So many kills that met changed settings are enough.
    kills: Option<u64>,
    seed: Option<u64>,
}

impl Chosen {
    fn read(matches: &ArgMatches) -> Result<Self, Error> {
        let only: Vec<&String> = matches.get_many("only").map(Iterator::collect).unwrap_or_default();
        for name in &only {
            let is_known = ATTACKS.iter().any(|attack| attack.name == **name)
                || FUZZERS.iter().any(|fuzzer| fuzzer.name == **name);
            if !is_known {
                return Err(Error::Torture(format!("there is no `{name}`; --list names what there is")));
            }
        }
        let is_wanted = |name: &str| only.is_empty() || only.iter().any(|wanted| *wanted == name);
        let attacks: Vec<&Attack> = ATTACKS.iter().filter(|attack| is_wanted(attack.name)).copied().collect();
        let fuzzers: Vec<&Fuzzer> = FUZZERS.iter().filter(|fuzzer| is_wanted(fuzzer.name)).collect();
        if !attacks.is_empty() && !geteuid().is_root() {
            return Err(Error::Torture(
                "loop devices, mounts and network namespaces are root's; without it, only fuzzers: `--only frames`"
                    .to_owned(),
            ));
        }
        let kills = matches.get_one::<u64>("kills").copied();
        let counts_kills =
            fuzzers.is_empty() && attacks.iter().all(|attack| attack.counted_kills().is_some());
        if kills.is_some() && !counts_kills {
            return Err(Error::Torture(
                "--kills is for attacks that count what kills met: add `--only kill-states` or `--only kill-stack`"
                    .to_owned(),
            ));
        }
        let usual = if kills.is_some() { MINUTES_OF_KILLS } else { MINUTES };
        let minutes = *matches.get_one::<f64>("minutes").unwrap_or(&usual);
        if !(0.0..=10_000.0).contains(&minutes) {
            return Err(Error::Torture(format!("{minutes} is no number of minutes from 0 to 10000")));
        }
        let length = Duration::from_secs_f64(minutes * 60.0);
        let seed = matches.get_one::<u64>("seed").copied();
        Ok(Self { attacks, fuzzers, bounds: Bounds { length, kills, seed } })
    }
}

fn run(root: &Path, matches: &ArgMatches) -> Result<(), Error> {
    if matches.get_flag("list") {
        for attack in ATTACKS {
            println!("{:<16} {}", attack.name, attack.about);
        }
        for fuzzer in FUZZERS {
            println!("{:<16} fuzzes {}", fuzzer.name, fuzzer.about);
        }
        return Ok(());
    }
    let Chosen { attacks, fuzzers, bounds } = Chosen::read(matches)?;
    let stop = Arc::new(AtomicBool::new(false));
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&stop))
            .map_err(|e| Error::Torture(format!("signals cannot be caught: {e}")))?;
    }
    let guest = in_the_guest();
    // There a folder of memory, which is gone with it, takes what rounds make, and cargo would take long to say where it
    // builds.
    let target = if guest { PathBuf::from("/dev/shm") } else { target_folder(root)? };
    let program = match matches.get_one::<PathBuf>("program") {
        Some(program) => program.canonicalize().map_err(Error::file("read", program))?,
        None if guest => built_beside()?,
        None => xtask::built_program(root)?,
    };
    let built = if fuzzers.is_empty() { Vec::new() } else { fuzz::build(root, &target, &program, &fuzzers)? };
    let mut tallies = Vec::new();
    std::thread::scope(|scope| {
        let fuzzing = scope.spawn(|| fuzz::all(&built, bounds.length, &stop));
        let place = AttackContext { program: &program, scratch: &target.join("torture") };
        tallies.extend(all(&attacks, &place, &bounds, &stop));
        tallies.extend(fuzzing.join().unwrap_or_else(|_| vec![Tally::broken("fuzzers", "they panicked")]));
    });
    print!("\n{}", tally::table(&tallies));
    conclude(&tallies, bounds.kills, stop.load(Ordering::Relaxed))
}

/// Whether this is the guest (`cargo xtask guest`), where nothing is built.
fn in_the_guest() -> bool {
    let line = std::fs::read_to_string("/proc/cmdline").unwrap_or_default();
    line.split_whitespace().any(|word| word == "headroom.guest")
}

/// The program `headroom` that lies beside this one: tests build both.
fn built_beside() -> Result<PathBuf, Error> {
    let own = std::env::current_exe().map_err(Error::file("find", Path::new("/proc/self/exe")))?;
    let program = own.with_file_name("headroom");
    program.canonicalize().map_err(Error::file("read", &program))
}

/// What came of all.
fn conclude(tallies: &[Tally], kills: Option<u64>, is_stopped: bool) -> Result<(), Error> {
    let lacks = |tally| kills.map(|kills| lacking(tally, kills)).unwrap_or_default();
    let lacks: Vec<String> = tallies.iter().flat_map(lacks).collect();
    match tallies.iter().map(Tally::faults).sum::<usize>() {
        0 if is_stopped => Err(Error::Interrupted),
        0 if tallies.iter().any(Tally::is_hardly_tried) => {
            Err(Error::Torture("some of it was hardly tried, see above".to_owned()))
        }
        0 if !lacks.is_empty() => {
            Err(Error::Torture(format!("the time was too short: {}", lacks.join("; "))))
        }
        0 => Ok(()),
        faults => Err(Error::Torture(format!("{faults} faults, named above"))),
    }
}

/// What an attack lacks of so many kills that met what it kills under, and of each kind of settings.
fn lacking(tally: &Tally, kills: u64) -> Vec<String> {
    let attack = ATTACKS.iter().find(|attack| attack.name == tally.name());
    let counted = attack.and_then(|attack| attack.counted_kills());
    // What is not on this machine was not looked for.
    let of_kinds = kinds().filter(|kind| tally.times(kind).is_some());
    let wanted = of_kinds.map(|kind| (kind, kills / KILLS_OF_A_KIND));
    let all = counted.into_iter().map(|what| (what, kills)).chain(wanted);
    all.map(|(what, wanted)| (what, wanted, tally.times(what).unwrap_or(0)))
        .filter(|(_, wanted, times)| times < wanted)
        .map(|(what, wanted, times)| format!("{}: \"{what}\" {times} times of {wanted}", tally.name()))
        .collect()
}

/// What is attacked, and where.
struct AttackContext<'a> {
    program: &'a Path,
    /// The folder for what attacks make, on a disk.
    scratch: &'a Path,
}

/// A name that tells the rounds of this process from others'.
fn own_seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |now| u64::try_from(now.as_nanos() & u128::from(u64::MAX)).unwrap_or(0))
}

/// Gives each attack the same part of the time, in rounds of its own.
fn all(attacks: &[&Attack], place: &AttackContext<'_>, bounds: &Bounds, stop: &AtomicBool) -> Vec<Tally> {
    let begun = Instant::now();
    let mut tallies = Vec::new();
    for (index, attack) in attacks.iter().enumerate() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let share = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let of = u32::try_from(attacks.len()).unwrap_or(u32::MAX);
        let until = begun + bounds.length * share / of;
        let mut tally = Tally::new(attack.name);
        // One seed after the other, so that a fault's can be begun with.
        let mut seed = bounds.seed.unwrap_or_else(own_seed);
        loop {
            one(attack, place, seed, &mut tally);
            seed = seed.wrapping_add(1);
            let is_over = stop.load(Ordering::Relaxed) || Instant::now() >= until || tally.is_hopeless();
            if is_over || bounds.kills.is_some_and(|kills| lacking(&tally, kills).is_empty()) {
                break;
            }
        }
        eprintln!("{}", tally.line());
        tallies.push(tally);
    }
    tallies
}

/// One round of an attack.
fn one(attack: &Attack, place: &AttackContext<'_>, seed: u64, tally: &mut Tally) {
    let mut round = match Round::new(place.program, place.scratch, seed) {
        Ok(round) => round,
        Err(e) => {
            tally.add_round(&BTreeMap::new(), Duration::ZERO);
            return tally.add_untried(&e.to_string());
        }
    };
    let begun = Instant::now();
    let ended = (attack.round)(&mut round).and_then(|()| round.nobody_is_left());
    tally.add_round(round.counts(), begun.elapsed());
    if ended.is_err() {
        // They are ended; why the round failed is told below.
        let _ = round.nobody_is_left();
    }
    match ended {
        Ok(()) => {}
        Err(Trouble::Untried(why)) => tally.add_untried(&why),
        Err(Trouble::Fault(what)) => {
            let again = format!("cargo xtask torture --only {} --seed {seed} --minutes 0", attack.name);
            let kept = match tally.tells_more() {
                true => format!("\n  left in {}", round.keep().display()),
                false => String::new(),
            };
            tally.add_fault(&format!("{what}{kept}\n  again: {again}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::{OF_A_STACK, UNDER_SETTINGS};

    #[test]
    fn the_command_line_is_well_made() {
        command().debug_assert();
    }

    #[test]
    fn kills_are_counted_by_what_the_attack_kills_under() {
        let mut tally = Tally::new("kill-stack");
        let mut add = |what: &'static str, times| {
            tally.add_round(&BTreeMap::from([(what, times)]), Duration::from_secs(1));
            lacking(&tally, 6).len()
        };
        assert_eq!((add(UNDER_SETTINGS, 6), add(OF_A_STACK, 5), add(OF_A_STACK, 1)), (1, 1, 0));
    }

    #[test]
    fn kills_are_enough_when_each_kind_of_settings_was_met() {
        let kind = kinds().next().unwrap();
        let mut tally = Tally::new("kill-states");
        let mut add = |what: &'static str, times| {
            tally.add_round(&BTreeMap::from([(what, times)]), Duration::from_secs(1));
            lacking(&tally, 40).len()
        };
        assert_eq!(add("too late", 1), 1);
        assert_eq!(add(UNDER_SETTINGS, 40), 0, "a kind that was not looked for may not be here");
        assert_eq!((add(kind, 1), add(kind, 1)), (1, 0));
    }

    #[test]
    fn kills_are_counted_of_attacks_that_kill() {
        let chosen = |words: &[&str]| {
            Chosen::read(&command().try_get_matches_from([&["torture"], words].concat()).unwrap())
        };
        let refused = chosen(&["--kills", "3", "--only", "frames"]).err().unwrap().to_string();
        assert!(refused.contains("--only kill-states"), "{refused}");
        command().try_get_matches_from(["torture", "--kills", "0"]).unwrap_err();
        if geteuid().is_root() {
            let bounds = chosen(&["--kills", "3", "--only", "kill-states"]).unwrap().bounds;
            assert_eq!((bounds.kills, bounds.seed), (Some(3), None));
        }
    }

    #[test]
    fn names_are_of_one_thing() {
        let mut names: Vec<&str> = ATTACKS.iter().map(|attack| attack.name).collect();
        names.extend(FUZZERS.iter().map(|fuzzer| fuzzer.name));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
