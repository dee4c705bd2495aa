//! What goes when sibling hardware threads are switched off, and what the kernel changes with it
//! elsewhere: lists of CPUs of interrupts, control groups, transmit queues and resctrl.

use model::resource::cpu_list;

use super::cpu_list_file::{self, CPUSET, RESCTRL, XPS};
use super::irq_affinity;
use super::journal::SideEffect;
use crate::Host;
use crate::host::parse_cpu_list;
use crate::inventory::block::mount;

const CPUS: &str = "/sys/devices/system/cpu";
const NETWORK: &str = "/sys/class/net";
/// More lists than this would not fit in a journal.
const LISTS_MAX: usize = 4096;
/// Deeper than control groups are nested anywhere.
const DEPTH_MAX: u32 = 32;

/// The CPUs that are online and go when one thread of each core is left: all but the first of each,
/// which is the primary one (`topology_is_primary_thread`).
///
/// # Errors
/// If the kernel does not say which CPUs are siblings.
pub(super) fn going(host: &Host) -> Result<Vec<u32>, String> {
    let online = host.cpu_list(format!("{CPUS}/online")).unwrap_or_default();
    let mut going = Vec::new();
    for cpu in online {
        let path = format!("{CPUS}/cpu{cpu}/topology/thread_siblings_list");
        let siblings = host.cpu_list(&path).unwrap_or_default();
        match siblings.iter().min() {
            Some(first) if *first == cpu => {}
            Some(_) => going.push(cpu),
            None => return Err(format!("{path} does not say which CPUs are siblings")),
        }
    }
    Ok(going)
}

/// The lists that may change when `going` go offline (none: when CPUs come online), as they are now, in
/// the order in which they are put back.
///
/// # Errors
/// If something would be lost that cannot be put back.
pub(super) fn lists(host: &Host, going: &[u32]) -> Result<Vec<SideEffect>, String> {
    let mut found = cpusets(host, going)?;
    found.extend(resctrl(host, going));
    // All of them: a driver may spread its interrupts and queues anew over the CPUs that are left
    // (`virtnet_set_affinity` in `drivers/net/virtio_net.c`).
    let interrupts = host.names(irq_affinity::FOLDER).into_iter();
    let interrupts = interrupts.filter(|name| name.parse::<u32>().is_ok());
    let interrupts = interrupts.map(|irq| format!("{}/{irq}/{}", irq_affinity::FOLDER, irq_affinity::LEAF));
    // What is not to be read has no list.
    found.extend(interrupts.chain(transmit_queues(host)).filter_map(|path| effect(host, &path)));
    if found.len() > LISTS_MAX {
        return Err(format!(
            "{} lists of CPUs would have to be written down, of {LISTS_MAX} at most",
            found.len()
        ));
    }
    Ok(found)
}

/// Why threads of programs would not get back what they have; none where they would.
pub(super) fn bound(host: &Host, going: &[u32]) -> Option<String> {
    for process in host.names("/proc").into_iter().filter(|name| name.parse::<u32>().is_ok()) {
        for thread in host.names(format!("/proc/{process}/task")) {
            let text = host.text(format!("/proc/{process}/task/{thread}/status")).unwrap_or_default();
            let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
            // Threads of the kernel have no memory, and the kernel sees to them.
            if field("VmSize:").is_none() {
                continue;
            }
            let Some(cpus) = field("Cpus_allowed_list:").and_then(parse_cpu_list) else { continue };
            if !cpus.is_empty() && cpus.iter().all(|cpu| going.contains(cpu)) {
                return Some(format!(
                    "thread {thread} of process {process} ({}) may run on CPU {} only, which would go offline: the \
                     kernel would then let it run anywhere; allow it other CPUs, too (taskset)",
                    field("Name:").unwrap_or_default(),
                    cpu_list(&cpus)
                ));
            }
        }
    }
    None
}

/// A list that can be read.
fn effect(host: &Host, path: &str) -> Option<SideEffect> {
    let text = host.text(path)?;
    let before = cpu_list_file::before(path, &text);
    Some(SideEffect {
        setting: cpu_list_file::NAME.to_owned(),
        resource: cpu_list_file::resource(path),
        before,
    })
}

fn names_one(host: &Host, path: &str, going: &[u32]) -> bool {
    host.cpu_list(path).unwrap_or_default().iter().any(|cpu| going.contains(cpu))
}

/// Control groups of version 1 lose CPUs that go, and do not get them back
/// (`hotplug_update_tasks_legacy` in `kernel/cgroup/cpuset-v1.c`); of version 2 they do.
fn cpusets(host: &Host, going: &[u32]) -> Result<Vec<SideEffect>, String> {
    let of_cpusets = |line: &mount::Line| {
        let has = |option: &str| line.system.split(',').any(|own| own == option);
        line.kind == "cgroup" && has("cpuset") && !has("cpuset_v2_mode")
    };
    let Some(line) = mount::table(host).into_iter().find(of_cpusets) else { return Ok(Vec::new()) };
    if line.system.split(',').any(|option| option == "noprefix") {
        return Err(format!(
            "the control groups in {} have files without prefix, which are not put back",
            line.point
        ));
    }
    let mut found = Vec::new();
    // Of the root the kernel itself writes the list.
    let mut open: Vec<(String, u32)> = vec![(line.point, 0)];
    while let Some((folder, depth)) = open.pop() {
        let below = host.names(&folder).into_iter().map(|name| format!("{folder}/{name}"));
        for group in below.filter(|path| host.exists(format!("{path}/{CPUSET}"))) {
            let path = format!("{group}/{CPUSET}");
            let cpus = host.cpu_list(&path).unwrap_or_default();
            let is_emptied = !cpus.is_empty() && cpus.iter().all(|cpu| going.contains(cpu));
            if is_emptied && host.text(format!("{group}/tasks")).is_some_and(|tasks| !tasks.trim().is_empty())
            {
                return Err(format!(
                    "the control group {group} has CPU {} only, which would go offline: the kernel would move its \
                     processes to the group above",
                    cpu_list(&cpus)
                ));
            }
            if names_one(host, &path, going) {
                found.extend(effect(host, &path));
            }
            if depth < DEPTH_MAX {
                open.push((group, depth + 1));
            }
        }
    }
    // A group may have no CPU that the one above has not.
    found.sort_by(|a, b| a.resource.cmp(&b.resource));
    found.sort_by_key(|effect| effect.resource.as_str().matches('/').count());
    Ok(found)
}

/// Groups of resctrl lose CPUs that go; those that come are in the first one
/// (`resctrl_offline_cpu` in `fs/resctrl/rdtgroup.c`).
fn resctrl(host: &Host, going: &[u32]) -> Vec<SideEffect> {
    let Some(line) = mount::table(host).into_iter().find(|line| line.kind == "resctrl") else {
        return Vec::new();
    };
    let below = |folder: &str| {
        let all = host.names(folder).into_iter().map(|name| format!("{folder}/{name}"));
        all.filter(|group| host.exists(format!("{group}/{RESCTRL}"))).collect::<Vec<_>>()
    };
    let groups = below(&line.point);
    let monitored =
        std::iter::once(&line.point).chain(&groups).flat_map(|group| below(&format!("{group}/mon_groups")));
    let monitored: Vec<String> = monitored.collect();
    let paths = groups.into_iter().chain(monitored).map(|group| format!("{group}/{RESCTRL}"));
    paths.filter(|path| names_one(host, path, going)).filter_map(|path| effect(host, &path)).collect()
}

/// The lists of the transmit queues; those of the receive queues (RPS) stay as they are
/// (`get_rps_cpu` passes over CPUs that are offline).
fn transmit_queues(host: &Host) -> Vec<String> {
    let queues = |interface: String| {
        let folder = format!("{NETWORK}/{interface}/queues");
        let names = host.names(&folder).into_iter().filter(|name| name.starts_with("tx-"));
        names.map(|name| format!("{folder}/{name}/{XPS}")).collect::<Vec<_>>()
    };
    host.names(NETWORK).into_iter().flat_map(queues).collect()
}

#[cfg(test)]
mod tests {
    use model::Value;

    use super::*;

    /// Two cores with two threads each; siblings are two apart.
    const CORES: &str = "\
        ==> /sys/devices/system/cpu/online\n0-3\n\
        ==> /sys/devices/system/cpu/cpu0/topology/thread_siblings_list\n0,2\n\
        ==> /sys/devices/system/cpu/cpu1/topology/thread_siblings_list\n1,3\n\
        ==> /sys/devices/system/cpu/cpu2/topology/thread_siblings_list\n0,2\n\
        ==> /sys/devices/system/cpu/cpu3/topology/thread_siblings_list\n1,3\n";

    const LISTS: &str = "\
        ==> /proc/self/mountinfo\n1 0 8:1 / / rw - ext4 /dev/sda1 rw\n\
        2 1 0:30 / /cpusets rw - cgroup cgroup rw,cpuset\n\
        3 1 0:31 / /resctrl rw - resctrl resctrl rw\n\
        ==> /cpusets/cpuset.cpus\n0-3\n\
        ==> /cpusets/a/cpuset.cpus\n0-3\n==> /cpusets/a/tasks\n77\n\
        ==> /cpusets/a/b/cpuset.cpus\n2-3\n==> /cpusets/a/b/tasks\n\n\
        ==> /cpusets/z/cpuset.cpus\n0-1\n==> /cpusets/z/tasks\n78\n\
        ==> /resctrl/cpus_list\n0-1\n==> /resctrl/g/cpus_list\n3\n\
        ==> /resctrl/mon_groups/m/cpus_list\n1\n==> /resctrl/g/mon_groups/n/cpus_list\n3\n\
        ==> /proc/irq/7/smp_affinity_list\n0-3\n==> /proc/irq/8/smp_affinity_list\n3\n\
        ==> /proc/irq/default_smp_affinity\nf\n\
        ==> /sys/class/net/eth0/queues/tx-0/xps_cpus\n5\n==> /sys/class/net/eth0/queues/rx-0/rps_cpus\n0\n";

    #[test]
    fn all_but_the_first_thread_of_each_core_go() {
        assert_eq!(going(&Host::parse(CORES)), Ok(vec![2, 3]));
        let one = CORES.replace("0-3", "0-1").replace("0,2", "0").replace("1,3", "1");
        assert_eq!(going(&Host::parse(&one)), Ok(Vec::new()));
        let error = going(&Host::parse("==> /sys/devices/system/cpu/online\n0-1\n")).unwrap_err();
        assert!(error.contains("siblings"), "{error}");
    }

    #[test]
    fn lists_that_the_kernel_cuts_are_written_down_groups_above_first() {
        let of = |going: &[u32]| {
            let all = lists(&Host::parse(LISTS), going).unwrap().into_iter();
            all.map(|effect| (effect.resource.name().to_owned(), effect.before.to_string()))
                .collect::<Vec<_>>()
        };
        let pair = |path: &str, list: &str| (path.to_owned(), list.to_owned());
        let always = [
            pair("/proc/irq/7/smp_affinity_list", "0-3"),
            pair("/proc/irq/8/smp_affinity_list", "3"),
            pair("/sys/class/net/eth0/queues/tx-0/xps_cpus", "5"),
        ];
        let cut = [
            pair("/cpusets/a/cpuset.cpus", "0-3"),
            pair("/cpusets/a/b/cpuset.cpus", "2-3"),
            pair("/resctrl/g/cpus_list", "3"),
            pair("/resctrl/g/mon_groups/n/cpus_list", "3"),
        ];
        assert_eq!(of(&[2, 3]), [&cut[..], &always[..]].concat());
        assert_eq!(of(&[]), always);
        let first = lists(&Host::parse(LISTS), &[3]).unwrap().remove(0);
        assert_eq!(
            first.before,
            Value::List(vec!["0-3".into()]),
            "it is cut later, and never read as unchanged"
        );
    }

    #[test]
    fn what_could_not_be_put_back_is_refused() {
        let emptied = LISTS.replace("/b/tasks\n\n", "/b/tasks\n79\n");
        let error = lists(&Host::parse(&emptied), &[2, 3]).unwrap_err();
        assert!(error.contains("/cpusets/a/b has CPU 2-3 only"), "{error}");
        assert!(lists(&Host::parse(&emptied), &[3]).is_ok());
        let odd = LISTS.replace("rw,cpuset", "rw,cpuset,noprefix");
        assert!(lists(&Host::parse(&odd), &[3]).unwrap_err().contains("without prefix"));
        let of_two = LISTS.replace("rw,cpuset", "rw,cpuset,cpuset_v2_mode");
        assert!(
            lists(&Host::parse(&of_two), &[3])
                .unwrap()
                .iter()
                .all(|e| !e.resource.as_str().contains("cpuset"))
        );
        let irqs: String =
            (0..=LISTS_MAX).map(|n| format!("==> /proc/irq/{n}/smp_affinity_list\n0\n")).collect();
        assert!(lists(&Host::parse(&irqs), &[3]).unwrap_err().contains("4097 lists"));
    }

    #[test]
    fn a_thread_that_may_run_on_no_other_cpu_is_named() {
        let status = |memory: &str, cpus: &str| {
            format!(
                "==> /proc/42/task/43/status\nName:\tdpdk\n{memory}Cpus_allowed_list:\t{cpus}\nMems_allowed:\t1\n"
            )
        };
        let of = |memory: &str, cpus: &str| bound(&Host::parse(&status(memory, cpus)), &[2, 3]);
        let reason = of("VmSize:\t100 kB\n", "2-3").unwrap();
        assert!(
            reason.contains("thread 43 of process 42 (dpdk)") && reason.contains("CPU 2-3 only"),
            "{reason}"
        );
        assert_eq!(of("VmSize:\t100 kB\n", "1-2"), None);
        assert_eq!(of("", "3"), None, "the kernel's own");
    }
}
