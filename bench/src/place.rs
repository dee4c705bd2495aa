//! Which CPU both sides of a benchmark run on. Placement alone changes some
//! results by half, so both sides get the same, by taskset.

use std::path::Path;

use machine::Host;
use machine::inventory::{interrupt, storage};
use model::trial::InterruptLine;
use rustix::thread::{CpuSet, sched_getaffinity};

use xtask::Error;

/// The CPUs that we may run on, in order.
pub(crate) fn allowed() -> Result<Vec<u32>, Error> {
    let set = sched_getaffinity(None).map_err(|e| Error::Bench(format!("cannot ask for the CPUs: {e}")))?;
    let numbers = 0..u32::try_from(CpuSet::MAX_CPU).unwrap_or(u32::MAX);
    Ok(numbers.filter(|cpu| set.is_set(*cpu as usize)).collect())
}

/// The last of them: the first takes most of what else goes on.
pub(crate) fn last() -> Result<u32, Error> {
    allowed()?.last().copied().ok_or_else(|| Error::Bench("there is no CPU to run on".to_owned()))
}

/// The first, for the server of a pair of which the client has the last.
pub(crate) fn first() -> Result<u32, Error> {
    allowed()?.first().copied().ok_or_else(|| Error::Bench("there is no CPU to run on".to_owned()))
}

/// The CPU that took most interrupts of the disk under `path`, or else the last.
pub(crate) fn of_disk_under(path: &Path) -> Result<u32, Error> {
    let host = Host::this();
    let device = storage::under(&host, path).and_then(|under| under.device);
    let lines = device.map(|device| interrupt::of_block_device(&host, &device)).unwrap_or_default();
    busiest(&lines, &allowed()?).map_or_else(last, Ok)
}

/// The allowed CPU that took most of these interrupts, if any took some.
fn busiest(lines: &[InterruptLine], allowed: &[u32]) -> Option<u32> {
    let taken = |cpu: u32| -> u64 {
        let counts = lines.iter().flat_map(|line| line.cpus.iter().zip(&line.counts));
        counts.filter(|(of, _)| **of == cpu).map(|(_, count)| count).sum()
    };
    allowed.iter().copied().filter(|cpu| taken(*cpu) > 0).max_by_key(|cpu| taken(*cpu))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(cpus: &[u32], counts: &[u64]) -> InterruptLine {
        InterruptLine {
            irq: 36,
            name: "virtio1-req.0".to_owned(),
            cpus: cpus.to_vec(),
            counts: counts.to_vec(),
        }
    }

    #[test]
    fn the_busiest_cpu_that_we_may_use_is_taken() {
        let lines = [line(&[0, 1], &[10, 30]), line(&[0, 2], &[25, 90])];
        assert_eq!(busiest(&lines, &[0, 1, 2]), Some(2));
        assert_eq!(busiest(&lines, &[0, 1]), Some(0), "35 on two lines");
        assert_eq!(busiest(&lines, &[3]), None);
        assert_eq!(busiest(&[line(&[1], &[0])], &[0, 1]), None);
        assert_eq!(busiest(&[], &[0, 1]), None);
    }

    #[test]
    fn there_is_a_cpu() {
        assert!(allowed().unwrap().contains(&last().unwrap()));
    }
}
