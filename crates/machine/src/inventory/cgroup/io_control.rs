//! Controllers of control groups that share a device out and are no throttles: `io.cost`, which lets each group have its
//! part of what the device is modelled to do, and `io.latency`, which holds back all groups beside one that waits longer than it
//! is to (`Documentation/admin-guide/cgroup-v2.rst`). Which of them is at work shows in the files of the uppermost group and of
//! groups beside ours; within a container of those, only in the account of our own (`io.stat`).

use std::collections::BTreeSet;

use model::machine::{IoControl, IoController};

use super::{Groups, device};
use crate::Host;

/// Groups below the uppermost one that are looked at, and how deep: those of services and of containers.
const GROUPS_MOST: usize = 512;
const DEPTH_MOST: usize = 4;

/// What is at work on which device.
pub(super) fn read(host: &Host, groups: &Groups) -> Vec<IoControl> {
    let levels = groups.levels(host, "io");
    if levels.version != 2 {
        return Vec::new();
    }
    let mut found: BTreeSet<(String, &'static str)> = BTreeSet::new();
    let lines = |path: String| host.text(path).unwrap_or_default();
    let root = levels.folders.last().map_or("", String::as_str);
    for line in lines(format!("{root}/io.cost.qos")).lines() {
        let (number, words) = line.split_once(' ').unwrap_or((line, ""));
        if words.split_whitespace().any(|word| word == "enable=1") {
            found.insert((number.to_owned(), COST));
        }
    }
    for line in levels.folders.first().map(|own| lines(format!("{own}/io.stat"))).unwrap_or_default().lines()
    {
        let (number, words) = line.split_once(' ').unwrap_or((line, ""));
        if words.contains("cost.usage=") {
            found.insert((number.to_owned(), COST));
        }
    }
    for folder in others(host, root, &levels.folders) {
        for line in lines(format!("{folder}/io.latency")).lines() {
            let (number, words) = line.split_once(' ').unwrap_or((line, ""));
            if words.contains("target=") && !words.contains("target=0") {
                found.insert((number.to_owned(), LATENCY));
            }
        }
    }
    let named = |(number, word): (String, &str)| {
        let controller = if word == COST { IoController::Cost } else { IoController::Latency };
        Some(IoControl { device: device(host, &number)?, controller })
    };
    found.into_iter().filter_map(named).collect()
}

const COST: &str = "cost";
const LATENCY: &str = "latency";

/// Groups that are none of ours: a target of our own, or of one above us, holds back the others.
fn others(host: &Host, root: &str, own: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let mut next = vec![(root.to_owned(), 0)];
    while let Some((folder, depth)) = next.pop() {
        if found.len() >= GROUPS_MOST {
            break;
        }
        if depth < DEPTH_MOST {
            let below = host.names(&folder).into_iter().map(|name| format!("{folder}/{name}"));
            // A group is a folder with the file that has its processes.
            let groups = below.filter(|path| host.exists(format!("{path}/cgroup.procs")));
            next.extend(groups.map(|path| (path, depth + 1)));
        }
        if !own.contains(&folder) {
            found.push(folder);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEVICES: &str = "\
==> /sys/dev/block/8:16 -> ../../devices/pci0000:00/0000:00:17.0/block/sdb
==> /sys/devices/pci0000:00/0000:00:17.0/block/sdb/dev
8:16
==> /proc/self/cgroup
0::/load.slice/load.service
==> /sys/fs/cgroup/cgroup.controllers
io
==> /sys/fs/cgroup/load.slice/cgroup.procs
==> /sys/fs/cgroup/load.slice/load.service/cgroup.procs
1
==> /sys/fs/cgroup/db.service/cgroup.procs
2
";

    fn found(text: &str) -> Vec<(String, IoController)> {
        let host = Host::parse(&format!("{DEVICES}{text}"));
        let all = read(&host, &Groups::read(&host).unwrap());
        all.into_iter().map(|one| (one.device, one.controller)).collect()
    }

    #[test]
    fn a_controller_that_is_at_work_is_known_by_its_files() {
        let sdb = |controller| vec![("sdb".to_owned(), controller)];
        let qos =
            |word: &str| found(&format!("==> /sys/fs/cgroup/io.cost.qos\n8:16 enable={word} ctrl=auto\n"));
        assert_eq!((qos("1"), qos("0")), (sdb(IoController::Cost), Vec::new()));
        let own = "==> /sys/fs/cgroup/load.slice/load.service/io.stat\n8:16 rbytes=1 cost.usage=7\n";
        assert_eq!(found(own), sdb(IoController::Cost), "in a container");
        let target =
            |group: &str| found(&format!("==> /sys/fs/cgroup/{group}/io.latency\n8:16 target=10000\n"));
        assert_eq!(target("db.service"), sdb(IoController::Latency));
        assert!(target("load.slice").is_empty(), "it protects us");
        assert!(found("").is_empty());
    }
}
