//! Bytes between the processors' last cache and memory, as the processors count them: `mbm_total_bytes` of resctrl
//! (`Documentation/filesystems/resctrl.rst`), a plain file for each cache and group. A group's count has that of the monitoring
//! groups in it; those of the uppermost group and of the groups beside it add up to the machine's. Groups that are made later are
//! not read.
//!
//! Counters of memory controllers (`uncore_imc` and the like) are of each processor's model, need perf, and are not read.

use model::{Resource, Unit};

use super::single::NumberFile;
use super::{ABSENT, Pace, SamplerColumn, SamplerKind, reader};
use crate::Host;

/// Where resctrl is mounted.
const ROOT: &str = "/sys/fs/resctrl";
/// Files that are read at most.
const FILES_MAX: usize = 256;
/// The name of the sum.
pub const MEMORY_TRAFFIC: &str = "mbm_total_bytes";

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "memory-bandwidth",
    doc: "bytes between the last cache and memory, where resctrl counts them",
    open: |host, _| {
        let paths = paths(host);
        let files: Vec<NumberFile> =
            paths.iter().take(FILES_MAX).filter_map(|path| NumberFile::open(host, path)).collect();
        // A part of them would be told as all.
        let is_whole = !files.is_empty() && files.len() == paths.len();
        let column = SamplerColumn::counter(Resource::MEMORY, MEMORY_TRAFFIC, Unit::Bytes, 1.0);
        let columns = if is_whole { vec![column] } else { Vec::new() };
        reader("resctrl mbm_total_bytes", Pace::Slow, columns, move |values| {
            // A file may say `Unavailable`.
            let counts = files.iter().map(|file| u64::try_from(file.read()?).ok());
            values[0] = counts.sum::<Option<u64>>().unwrap_or(ABSENT);
        })
    },
};

/// The counters of every cache and group.
fn paths(host: &Host) -> Vec<String> {
    let own = ["info", "mon_data", "mon_groups"];
    let groups = host.names(ROOT).into_iter().filter(|name| !own.contains(&name.as_str()));
    let folders = std::iter::once(ROOT.to_owned()).chain(groups.map(|name| format!("{ROOT}/{name}")));
    let of = |folder: String| {
        let data = format!("{folder}/mon_data");
        let caches = host.names(&data).into_iter().filter(|name| name.starts_with("mon_L3_"));
        let files = caches.map(|cache| format!("{data}/{cache}/{MEMORY_TRAFFIC}"));
        files.filter(|file| host.exists(file)).collect::<Vec<_>>()
    };
    folders.flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Sampler, Scope};
    use super::*;

    fn open(text: &str) -> Vec<Box<dyn Sampler>> {
        (KIND.open)(&Host::parse(text), &Scope::default())
    }

    #[test]
    fn all_caches_and_groups_add_up() {
        let mut found = open(
            "==> /sys/fs/resctrl/schemata\nMB:0=100;1=100\n\
             ==> /sys/fs/resctrl/info/L3_MON/mon_features\nmbm_total_bytes\n\
             ==> /sys/fs/resctrl/mon_data/mon_L3_00/mbm_total_bytes\n1000\n\
             ==> /sys/fs/resctrl/mon_data/mon_L3_01/mbm_total_bytes\n20\n\
             ==> /sys/fs/resctrl/mon_data/mon_L3_01/mbm_local_bytes\n9\n\
             ==> /sys/fs/resctrl/mon_groups/m/mon_data/mon_L3_00/mbm_total_bytes\n700\n\
             ==> /sys/fs/resctrl/db/mon_data/mon_L3_00/mbm_total_bytes\n5\n\
             ==> /sys/fs/resctrl/db/mon_data/mon_L3_01/mbm_total_bytes\n3\n",
        );
        let mut values = [0];
        found[0].read(&mut values);
        assert_eq!(values, [1028], "what a monitoring group counted is in its group's count");
        assert_eq!(found[0].columns()[0].resource, Resource::MEMORY);
    }

    #[test]
    fn a_counter_that_is_not_there_is_no_zero() {
        assert!(open("==> /proc/stat\ncpu 1\n").is_empty());
        let mut found = open(
            "==> /sys/fs/resctrl/mon_data/mon_L3_00/mbm_total_bytes\n1000\n\
             ==> /sys/fs/resctrl/mon_data/mon_L3_01/mbm_total_bytes\nUnavailable\n",
        );
        let mut values = [0];
        found[0].read(&mut values);
        assert_eq!(values, [ABSENT]);
    }
}
