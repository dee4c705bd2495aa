//! A machine in full: this one, or a recorded one; and a recording of this one
//! for others to look at.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use machine::doctor::{ErrorReport, Since};
use machine::{Host, doctor, inventory, limit, sampler};
use model::Machine;
use model::machine::{CheckTime, ClockInfo, ConditionCheck, Inventory};

/// Why a machine could not be described or recorded.
#[derive(Debug, thiserror::Error)]
pub enum DescribeError {
    /// There is nothing at this path.
    #[error("there is no recording at {}: {source}", path.display())]
    NotThere {
        /// Where.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
    /// What is there has none of the files of a machine.
    #[error("{} is no recording of a machine", .0.display())]
    NoRecording(PathBuf),
    /// A file that is larger than any recording.
    #[error("{} is too large for a recording of a machine: {size}", path.display())]
    TooLarge {
        /// Where.
        path: PathBuf,
        /// How large it is and may be.
        size: String,
    },
    /// A file without its end.
    #[error("the recording in {} was cut short: its end is missing", .0.display())]
    CutShort(PathBuf),
    /// Something is where the recording should go.
    #[error("{} is there already", .0.display())]
    Occupied(PathBuf),
    /// The recording could not be written.
    #[error("the recording cannot be written to {}: {source}", path.display())]
    Unwritten {
        /// Where.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
}

/// Describes the machine recorded at `path` (a folder or a `.host` file), or
/// this one.
///
/// # Errors
/// If there is no recording of a machine at `path`.
pub fn describe_host(path: Option<&Path>) -> Result<Machine, DescribeError> {
    Ok(described(path)?.1)
}

/// As [`describe_host`], with what could disturb a measurement on it, which
/// takes a fifth of a second to see.
///
/// # Errors
/// As [`describe_host`].
pub fn examine_host(path: Option<&Path>) -> Result<Machine, DescribeError> {
    let (host, machine) = described(path)?;
    Ok(with_look(&host, machine))
}

/// This machine, with the errors of its parts since a moment, which takes as long as [`examine_host`].
#[must_use]
pub fn host_errors(since: &Since) -> (Machine, ErrorReport) {
    let host = Host::this();
    let machine = machine(&host);
    let report = doctor::errors_since(&host, &machine.inventory, since);
    (machine, report)
}

fn described(path: Option<&Path>) -> Result<(Host, Machine), DescribeError> {
    let Some(path) = path else {
        let host = Host::this();
        let machine = machine(&host);
        return Ok((host, machine));
    };
    let host = Host::open(path).map_err(|source| {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::InvalidInput => DescribeError::NoRecording(path),
            io::ErrorKind::UnexpectedEof => DescribeError::CutShort(path),
            io::ErrorKind::FileTooLarge => DescribeError::TooLarge { path, size: source.to_string() },
            _ => DescribeError::NotThere { path, source },
        }
    })?;
    let machine = machine(&host);
    // Any folder or text can be opened; no machine is without a processor.
    let cpu = &machine.inventory.cpu;
    if cpu.online.is_empty() && cpu.model.is_none() {
        return Err(DescribeError::NoRecording(path.to_owned()));
    }
    Ok((host, machine))
}

/// Describes this machine, and writes all that was read for it to `path`: to
/// one file where the name ends in `.host`, below a new or empty folder
/// otherwise. Returns how many files were read.
///
/// # Errors
/// If something is at `path` already, or it cannot be written.
pub fn record_host(path: &Path) -> Result<(Machine, usize), DescribeError> {
    refuse_occupied(path)?;
    let host = Host::this().recording();
    let machine = with_look(&host, machine(&host));
    read_counters(&host, &machine.inventory);
    host.save_recording(path).map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => DescribeError::Occupied(path.to_owned()),
        _ => DescribeError::Unwritten { path: path.to_owned(), source },
    })?;
    Ok((machine, host.files_recorded()))
}

/// So that nothing is read in vain.
fn refuse_occupied(path: &Path) -> Result<(), DescribeError> {
    let occupied = match std::fs::symlink_metadata(path) {
        Err(_) => false,
        Ok(m) if m.is_dir() && path.extension().is_none_or(|e| e != "host") => {
            std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some())
        }
        Ok(_) => true,
    };
    if occupied { Err(DescribeError::Occupied(path.to_owned())) } else { Ok(()) }
}

/// Reads once what is read while a load runs, so that a recording holds it.
fn read_counters(host: &Host, inventory: &Inventory) {
    let scope = sampler::Scope::of(inventory, host);
    for mut sampler in sampler::open_all(host, &scope) {
        let mut values = vec![sampler::ABSENT; sampler.columns().len()];
        sampler.read(&mut values);
    }
}

/// A machine without a look at what could disturb it.
pub(crate) fn machine(host: &Host) -> Machine {
    let mut inventory = inventory::describe(host);
    inventory.absent.extend(limit::absent(&inventory));
    // A recorded machine's clock has stopped.
    let clock = if host.is_this() {
        inventory::clock(host)
    } else {
        ClockInfo { source: inventory.system.clock_source.clone(), ..ClockInfo::default() }
    };
    Machine {
        id: "local".to_owned(),
        role: "measured".to_owned(),
        hostname: inventory::hostname(host),
        clock,
        limits: limit::of(&inventory),
        inventory,
        ..Machine::default()
    }
}

fn with_look(host: &Host, mut machine: Machine) -> Machine {
    let findings = doctor::look(host, &machine.inventory);
    machine.looks.push(ConditionCheck {
        moment: CheckTime::Before,
        findings,
        written_bytes: BTreeMap::new(),
    });
    machine
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_machine_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let nothing = folder.path().join("nothing");
        assert!(matches!(describe_host(Some(&nothing)), Err(DescribeError::NotThere { .. })));
        assert!(matches!(describe_host(Some(folder.path())), Err(DescribeError::NoRecording(_))));
        let notes = folder.path().join("notes.host");
        std::fs::write(&notes, "these are my notes\n").unwrap();
        assert!(matches!(describe_host(Some(&notes)), Err(DescribeError::NoRecording(_))));
        assert!(matches!(describe_host(Some(Path::new("/dev/null"))), Err(DescribeError::NoRecording(_))));
        std::fs::create_dir_all(folder.path().join("tree/proc")).unwrap();
        std::fs::create_dir_all(folder.path().join("tree/sys")).unwrap();
        let tree = folder.path().join("tree");
        assert!(matches!(describe_host(Some(&tree)), Err(DescribeError::NoRecording(_))));
        std::fs::write(tree.join("proc/cpuinfo"), "processor : 0\n").unwrap();
        let machine = describe_host(Some(&tree)).unwrap();
        assert_eq!(machine.inventory.cpu.online, [0]);
        // Of what is not in it nobody can say why.
        let reasons: Vec<_> = machine.inventory.absent.iter().map(|a| a.reason.as_str()).collect();
        assert!(!reasons.is_empty() && reasons.iter().all(|r| *r == "not there"), "{reasons:?}");
    }

    #[test]
    fn a_recording_that_is_cut_short_or_too_large_is_told_from_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.host");
        let whole = "==> /proc/cpuinfo\nprocessor : 0\n==> end\n";
        std::fs::write(&path, whole).unwrap();
        assert!(describe_host(Some(&path)).is_ok());
        std::fs::write(&path, &whole[..30]).unwrap();
        assert!(matches!(examine_host(Some(&path)), Err(DescribeError::CutShort(_))));
        let filler = "==> /proc/x\n".to_owned() + &"x\n".repeat(8 << 20);
        std::fs::write(&path, filler + whole).unwrap();
        let error = describe_host(Some(&path)).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("too large for a recording of a machine: 17 MiB; 16 MiB are the most")
        );
    }

    #[test]
    fn a_recording_goes_where_nothing_is() {
        let folder = tempfile::tempdir().unwrap();
        let mine = folder.path().join("mine.host");
        std::fs::write(&mine, "precious").unwrap();
        for occupied in [mine.as_path(), folder.path(), Path::new("/dev/null")] {
            assert!(matches!(record_host(occupied), Err(DescribeError::Occupied(_))), "{occupied:?}");
        }
        assert_eq!(std::fs::read_to_string(&mine).unwrap(), "precious");
        let missing = folder.path().join("no/such/machine.host");
        assert!(matches!(record_host(&missing), Err(DescribeError::Unwritten { .. })));
    }
}
