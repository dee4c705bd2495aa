//! Which two CPUs a hand-off or a cache line goes between: the words for them become numbers of
//! this machine, and numbers that cannot be are refused.

use model::machine::CpuPlace;
use model::plan::Problem;
use model::resource::cpu_list;

use crate::workload::HostInfo;
use crate::workload::common::NumberOrWord;

/// The CPUs of the two threads.
///
/// # Errors
/// If a CPU is not there, offline or not allowed, or the machine has none of the
/// kind that a word asks for.
pub(in crate::workload) fn resolve(
    from: &NumberOrWord,
    to: &NumberOrWord,
    host: &HostInfo,
) -> Result<(u32, u32), Problem> {
    let allowed = allowed(host);
    let from = match from {
        NumberOrWord::Number(cpu) => checked(*cpu, &allowed, host)?,
        NumberOrWord::Word(_) => allowed.first().copied().ok_or_else(|| {
            Problem::refused("this machine does not say which CPUs we may use", "give their numbers")
        })?,
    };
    let to = match to {
        NumberOrWord::Number(cpu) => checked(*cpu, &allowed, host)?,
        NumberOrWord::Word(word) => of_word(word, from, &allowed, host)?,
    };
    Ok((from, to))
}

/// The CPUs that we may use; the first so many where nothing else is known.
fn allowed(host: &HostInfo) -> Vec<u32> {
    match &host.cpu.allowed[..] {
        [] => (0..host.cpus as u32).collect(),
        all => all.to_vec(),
    }
}

fn checked(cpu: u64, allowed: &[u32], host: &HostInfo) -> Result<u32, Problem> {
    if let Some(found) = allowed.iter().find(|known| u64::from(**known) == cpu) {
        return Ok(*found);
    }
    let is_online = host.cpu.online.iter().any(|known| u64::from(*known) == cpu);
    let what = if is_online { "is not among those that we may use" } else { "is offline or not there" };
    Err(Problem::refused(
        format!("CPU {cpu} {what}"),
        format!("the CPUs that we may use are {}", cpu_list(allowed)),
    ))
}

/// How far apart two CPUs are, nearest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Distance {
    /// Another core of the same node, package and die.
    Near,
    /// Another die of the same node and package.
    Between,
    /// Another node or package.
    Far,
    /// The other thread of the same core: after all others, for it shares what
    /// the first thread computes with.
    Sibling,
}

fn distance(a: &CpuPlace, b: &CpuPlace) -> Distance {
    if (a.node, a.package) != (b.node, b.package) {
        Distance::Far
    } else if a.die != b.die {
        Distance::Between
    } else if a.core != b.core {
        Distance::Near
    } else {
        Distance::Sibling
    }
}

/// All others of the allowed CPUs whose place is known, nearest first.
fn around(from: u32, allowed: &[u32], host: &HostInfo) -> Option<Vec<(Distance, u32)>> {
    let place = |cpu| host.cpu.topology.iter().find(|place| place.cpu == cpu);
    let here = place(from)?;
    let others = allowed.iter().filter(|cpu| **cpu != from);
    let mut all: Vec<_> =
        others.filter_map(|cpu| place(*cpu)).map(|there| (distance(here, there), there.cpu)).collect();
    all.sort_unstable();
    Some(all)
}

/// The nearest other core; another CPU at all; the same where there is no other.
fn other(from: u32, allowed: &[u32], host: &HostInfo) -> u32 {
    let nearest = around(from, allowed, host).and_then(|all| all.first().map(|(_, cpu)| *cpu));
    nearest.or_else(|| allowed.iter().copied().find(|cpu| *cpu != from)).unwrap_or(from)
}

fn of_word(word: &str, from: u32, allowed: &[u32], host: &HostInfo) -> Result<u32, Problem> {
    let (wanted, lacks) = match word {
        "same" => return Ok(from),
        "sibling" => (Distance::Sibling, "no second thread in its core"),
        "near" => (Distance::Near, "no other core on its die"),
        "far" => (Distance::Far, "no CPU on another node or package"),
        _ => return Ok(other(from, allowed, host)),
    };
    let all = around(from, allowed, host).ok_or_else(|| {
        Problem::refused(format!("this machine does not say where CPU {from} sits"), "give `to` as a number")
    })?;
    let found = all.iter().find(|(distance, _)| *distance == wanted);
    found.map(|(_, cpu)| *cpu).ok_or_else(|| {
        Problem::refused(
            format!("CPU {from} has {lacks} that we may use"),
            format!("there are CPUs {}: {}", cpu_list(allowed), there_is(from, &all)),
        )
    })
}

/// The words that this machine can give.
fn there_is(from: u32, all: &[(Distance, u32)]) -> String {
    let named = [(Distance::Sibling, "sibling"), (Distance::Near, "near"), (Distance::Far, "far")];
    let words = named.into_iter().filter_map(|(distance, word)| {
        let (_, cpu) = all.iter().find(|(d, _)| *d == distance)?;
        Some(format!(", `{word}` is {cpu}"))
    });
    format!("`same` is {from}{}", words.collect::<String>())
}

#[cfg(test)]
mod tests {
    use model::{Parameters, Value};

    use super::*;

    use crate::workload::named;

    /// Two packages of two cores with two threads each; a sibling has the number
    /// of its core plus 4, as Linux numbers them.
    fn host() -> HostInfo {
        let mut host = HostInfo { cpus: 8, ..HostInfo::default() };
        host.cpu.online = (0..8).collect();
        host.cpu.allowed = (0..8).collect();
        host.cpu.topology = (0..8)
            .map(|cpu| CpuPlace { cpu, core: cpu % 2, die: 0, package: cpu % 4 / 2, node: Some(cpu % 4 / 2) })
            .collect();
        host
    }

    fn pair(from: impl Into<Value>, to: impl Into<Value>, host: &HostInfo) -> Result<(u32, u32), Problem> {
        let mut parameters = Parameters::default();
        parameters.set(named("from"), from.into());
        parameters.set(named("to"), to.into());
        let asked = |name| NumberOrWord::of(&parameters, name).unwrap();
        resolve(&asked(named("from")), &asked(named("to")), host)
    }

    #[test]
    fn words_become_cpus_of_this_machine() {
        let host = host();
        assert_eq!(pair("first", "same", &host), Ok((0, 0)));
        assert_eq!(pair("first", "sibling", &host), Ok((0, 4)));
        assert_eq!(pair("first", "near", &host), Ok((0, 1)));
        assert_eq!(pair("first", "far", &host), Ok((0, 2)));
        assert_eq!(pair("first", "other", &host), Ok((0, 1)));
        assert_eq!(pair(7u64, "near", &host), Ok((7, 2)));
        assert_eq!(pair(3u64, 0u64, &host), Ok((3, 0)));
    }

    #[test]
    fn other_is_what_there_is() {
        let mut host = host();
        host.cpu.allowed = vec![1, 3];
        assert_eq!(pair("first", "other", &host), Ok((1, 3)), "far, for there is nothing nearer");
        host.cpu.allowed = vec![1, 5];
        assert_eq!(pair("first", "other", &host), Ok((1, 5)), "its sibling");
        host.cpu.allowed = vec![6];
        assert_eq!(pair("first", "other", &host), Ok((6, 6)), "itself");
        host.cpu.allowed = vec![0, 2];
        host.cpu.topology.clear();
        assert_eq!(pair("first", "other", &host), Ok((0, 2)), "without a topology");
        assert!(pair("first", "near", &host).unwrap_err().help.contains("number"));
    }

    #[test]
    fn a_cpu_that_cannot_be_used_is_refused_with_those_that_can() {
        let mut host = host();
        host.cpu.allowed = vec![0, 1, 2, 6];
        let offline = pair(9u64, "other", &host).unwrap_err();
        assert!(offline.message.contains("CPU 9 is offline or not there"), "{offline:?}");
        assert!(offline.help.ends_with("0-2,6"), "{offline:?}");
        let foreign = pair("first", 3u64, &host).unwrap_err();
        assert!(foreign.message.contains("not among those"), "{foreign:?}");
        let lonely = pair("first", "sibling", &host).unwrap_err();
        assert!(lonely.message.contains("no second thread"), "{lonely:?}");
        assert!(lonely.help.contains("`near` is 1, `far` is 2"), "{lonely:?}");
    }
}
