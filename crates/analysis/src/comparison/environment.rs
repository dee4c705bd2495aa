//! How the circumstances of two runs differ: the machine, its software, and how it was measured.
//!
//! What is told of a thing is of no language, but for `none`, `nothing more`, `on` and `off`.
//! What one of them does not know is no difference. Which version of the analysis made the
//! figures is not asked: both were opened by this one.

use std::collections::BTreeSet;

use model::comparison::Difference;
use model::machine::{BlockDevice, NetworkInterface};
use model::run::CaseResult;
use model::{Machine, ResourceKind, Run};

/// One of two runs, with its cases that are compared.
pub(crate) struct View<'a> {
    run: &'a Run,
    machine: Option<&'a Machine>,
    cases: Vec<&'a CaseResult>,
}

impl<'a> View<'a> {
    pub(crate) fn new(run: &'a Run, cases: Vec<&'a CaseResult>) -> Self {
        Self { run, machine: run.machines.first(), cases }
    }

    /// The names of resources of one kind on the paths of the cases.
    fn on_paths(&self, kind: ResourceKind) -> BTreeSet<&'a str> {
        self.cases.iter().flat_map(|c| &c.path).filter_map(|s| s.resource.named(kind)).collect()
    }

    fn drives(&self) -> Vec<&'a BlockDevice> {
        let names = self.on_paths(ResourceKind::Block);
        let all = self.machine.map(|m| m.inventory.block.as_slice()).unwrap_or_default();
        all.iter().filter(|d| names.contains(d.name.as_str())).collect()
    }

    fn interfaces(&self) -> Vec<&'a NetworkInterface> {
        let names = self.on_paths(ResourceKind::Nic);
        let all = self.machine.map(|m| m.inventory.network.as_slice()).unwrap_or_default();
        all.iter().filter(|n| names.contains(n.name.as_str())).collect()
    }
}

/// What one thing is on one side.
#[derive(Clone, PartialEq)]
pub(crate) enum Fact {
    /// One text.
    Whole(String),
    /// Many of which only those that differ are told.
    Parts(BTreeSet<String>),
    /// Bytes, of which a percent more or less is the same.
    About(u64),
}

/// One thing that may differ: its code, its name, and how it is read; `None` where it is not known.
struct Thing {
    code: &'static str,
    text: &'static str,
    read: fn(&View<'_>) -> Option<Fact>,
}

const fn thing(code: &'static str, text: &'static str, read: fn(&View<'_>) -> Option<Fact>) -> Thing {
    Thing { code, text, read }
}

/// All that may differ, in the order in which it is told.
const THINGS: &[Thing] = &[
    thing("machine", "machine", |v| whole(&v.machine?.hostname)),
    thing("product", "product", |v| whole(v.machine?.inventory.system.product.as_ref()?)),
    thing("cpu", "processor", |v| whole(v.machine?.inventory.cpu.model.as_ref()?)),
    thing("microcode", "microcode", |v| whole(v.machine?.inventory.cpu.microcode.as_ref()?)),
    thing("cpus", "CPUs", |v| number(v.machine?.inventory.cpu.online.len())),
    thing("cpus-allowed", "CPUs allowed", |v| number(v.machine?.inventory.cpu.allowed.len())),
    thing("cpu-quota", "CPU quota, in CPUs", |v| {
        let quota = v.machine?.inventory.cgroup.cpu_quota;
        whole(&quota.map_or_else(|| "none".to_owned(), |q| q.to_string()))
    }),
    thing("memory", "memory", |v| memory(v.machine?)),
    thing("memory-modules", "memory modules", |v| modules(v.machine?)),
    thing("firmware", "firmware", |v| whole(v.machine?.inventory.system.firmware.as_ref()?)),
    thing("virtualization", "virtual machine", |v| {
        or_none(v.machine?.inventory.system.virtualization.as_ref())
    }),
    thing("container", "container", |v| or_none(v.machine?.inventory.system.container.as_ref())),
    thing("os", "distribution", |v| whole(v.machine?.inventory.os.as_ref()?)),
    thing("kernel", "kernel", |v| whole(&v.machine?.inventory.kernel)),
    thing("kernel-build", "kernel's build", |v| whole(v.machine?.inventory.system.kernel_version.as_ref()?)),
    thing("command-line", "kernel's command line", |v| {
        parts(v.machine?.inventory.system.command_line.as_ref()?.split_whitespace().map(str::to_owned))
    }),
    thing("mitigations", "mitigations", |v| {
        parts(v.machine?.inventory.cpu.mitigations.iter().map(|(flaw, state)| format!("{flaw}: {state}")))
    }),
    thing("clock-source", "clock source", |v| whole(v.machine?.inventory.system.clock_source.as_ref()?)),
    thing("governor", "frequency governor", |v| {
        whole(&v.machine?.inventory.cpu.frequency.as_ref()?.governors.join(", "))
    }),
    thing("boost", "turbo", |v| {
        let boost = v.machine?.inventory.cpu.frequency.as_ref()?.boost?;
        whole(if boost { "on" } else { "off" })
    }),
    thing("huge-pages", "transparent huge pages", |v| {
        whole(v.machine?.inventory.memory.transparent_huge_pages.as_ref()?)
    }),
    thing("swap", "swap areas", |v| number(v.machine?.inventory.memory.swap.len())),
    thing("drive", "drive", |v| parts(v.drives().into_iter().filter_map(drive))),
    thing("drive-firmware", "drive's firmware", |v| {
        parts(v.drives().into_iter().filter_map(|d| Some(format!("{}: {}", d.name, d.firmware.as_ref()?))))
    }),
    thing("scheduler", "I/O scheduler", |v| {
        parts(v.drives().into_iter().filter_map(|d| Some(format!("{}: {}", d.name, d.scheduler.as_ref()?))))
    }),
    thing("write-cache", "drive's write cache", |v| {
        parts(v.drives().into_iter().filter_map(|d| Some(format!("{}: {}", d.name, d.write_cache.as_ref()?))))
    }),
    thing("file-system", "file system", |v| {
        parts(v.on_paths(ResourceKind::FileSystem).into_iter().map(str::to_owned))
    }),
    thing("mount-options", "mount options", mount_options),
    thing("nic", "network interface", |v| parts(v.interfaces().into_iter().map(interface))),
    thing("headroom", "Headroom", |v| whole(&v.run.headroom.version)),
    thing("build", "Headroom's build", |v| whole(&v.run.headroom.build)),
    thing("tool", "tool", |v| whole(&format!("{} {}", v.run.origin.tool, v.run.origin.version))),
    thing("warm-up", "warm-up", |v| whole(&format!("{} s", v.run.study.controls.warm_up_s))),
    thing("pin", "placement asked for", |v| whole(&v.run.study.controls.pin.to_string())),
    thing("placement", "placement", placement),
    thing("interrupts", "CPUs of interrupts", interrupts),
];

/// In what `after`, which is at `side`, differs from `before`.
pub(super) fn differences(before: &View<'_>, after: &View<'_>, side: usize) -> Vec<Difference> {
    between(&Facts::of(before), &Facts::of(after), side)
}

/// All that may differ, as one side has it.
#[derive(PartialEq)]
pub(crate) struct Facts(Vec<Option<Fact>>);

impl Facts {
    pub(crate) fn of(view: &View<'_>) -> Self {
        Self(THINGS.iter().map(|thing| (thing.read)(view)).collect())
    }

    /// What is known: code, name and what it is.
    pub(crate) fn known(self) -> impl Iterator<Item = (&'static str, &'static str, Fact)> {
        let all = THINGS.iter().zip(self.0);
        all.filter_map(|(thing, fact)| Some((thing.code, thing.text, fact?)))
    }
}

/// The same as [`differences`], of what was read before.
pub(crate) fn between(before: &Facts, after: &Facts, side: usize) -> Vec<Difference> {
    let one = |(thing, (before, after)): (&Thing, (&Option<Fact>, &Option<Fact>))| {
        let (before, after) = told(before.clone()?, after.clone()?)?;
        Some(Difference { code: thing.code.to_owned(), text: thing.text.to_owned(), side, before, after })
    };
    THINGS.iter().zip(before.0.iter().zip(&after.0)).filter_map(one).collect()
}

/// Both as they are told; `None` where they are the same.
fn told(before: Fact, after: Fact) -> Option<(String, String)> {
    match (before, after) {
        (Fact::Whole(a), Fact::Whole(b)) => (a != b).then_some((a, b)),
        (Fact::Parts(a), Fact::Parts(b)) => {
            let only = |of: &BTreeSet<String>, other: &BTreeSet<String>| {
                let own: Vec<&str> = of.difference(other).map(String::as_str).collect();
                if own.is_empty() { "nothing more".to_owned() } else { own.join(", ") }
            };
            (a != b).then(|| (only(&a, &b), only(&b, &a)))
        }
        (Fact::About(a), Fact::About(b)) => {
            (a.abs_diff(b) > a.max(b) / 100).then(|| (rough_size(a), rough_size(b)))
        }
        _ => None,
    }
}

fn whole(text: &str) -> Option<Fact> {
    (!text.trim().is_empty()).then(|| Fact::Whole(text.to_owned()))
}

/// A text, where its absence says that there is none.
fn or_none(text: Option<&String>) -> Option<Fact> {
    whole(text.map_or("none", String::as_str))
}

fn number(count: usize) -> Option<Fact> {
    whole(&count.to_string())
}

/// `None` where nothing is known, so that an old document without it does not differ.
fn parts(all: impl Iterator<Item = String>) -> Option<Fact> {
    let all: BTreeSet<String> = all.collect();
    (!all.is_empty()).then_some(Fact::Parts(all))
}

/// A kernel takes a little more or less of it than another.
fn memory(machine: &Machine) -> Option<Fact> {
    let bytes = machine.inventory.memory.total_bytes;
    (bytes > 0).then_some(Fact::About(bytes))
}

/// A size in steps of half a percent at most, so that two which differ are not told alike.
fn rough_size(bytes: u64) -> String {
    let step = (bytes / 400).max(1).next_power_of_two();
    model::scalar::binary(bytes / step * step)
}

fn modules(machine: &Machine) -> Option<Fact> {
    let one = |m: &model::machine::MemoryModule| {
        let speed = m.configured_transfers.map(|t| format!(" {} MT/s", t / 1_000_000)).unwrap_or_default();
        let kind = m.kind.as_deref().unwrap_or("?");
        format!("{}: {} {kind}{speed}", m.slot, model::scalar::binary(m.bytes))
    };
    parts(machine.inventory.memory.modules.iter().map(one))
}

fn drive(device: &BlockDevice) -> Option<String> {
    let model = device.model.as_ref().or(device.transport.as_ref())?;
    let vendor = device.vendor.as_ref().map(|v| format!("{v} ")).unwrap_or_default();
    Some(format!("{}: {vendor}{model}, {}", device.name, model::scalar::binary(device.bytes)))
}

fn interface(nic: &NetworkInterface) -> String {
    let fact = |name: &str, value: &Option<String>| value.as_ref().map(|v| format!(" {name} {v}"));
    let speed = nic.speed_bits.map(|bits| format!(" {}", language::format::bits(bits)));
    let all = [fact("driver", &nic.driver), fact("firmware", &nic.firmware), speed];
    format!("{}{} MTU {}", nic.name, all.into_iter().flatten().collect::<String>(), nic.mtu)
}

/// The options of the file systems on the paths, which are told by where they are mounted.
fn mount_options(view: &View<'_>) -> Option<Fact> {
    let points: BTreeSet<&str> = view
        .on_paths(ResourceKind::FileSystem)
        .into_iter()
        .filter_map(|f| Some(f.split_once(' ')?.0))
        .collect();
    let mounts = view.machine?.inventory.block.iter().flat_map(|d| &d.mounts);
    let here = mounts.filter(|m| points.contains(m.point.as_str()));
    parts(here.flat_map(|m| m.options.split(',').map(|o| format!("{}: {o}", m.point))))
}

/// How and on which CPUs workers ran.
fn placement(view: &View<'_>) -> Option<Fact> {
    let places = view.cases.iter().flat_map(|c| &c.trials).filter_map(|t| t.result.placement.as_ref());
    parts(places.map(|p| {
        let cpus: BTreeSet<u32> = p.workers.iter().filter_map(|w| w.cpu).collect();
        let cpus: Vec<String> = cpus.iter().map(u32::to_string).collect();
        let on = if cpus.is_empty() { String::new() } else { format!(": CPU {}", cpus.join(" ")) };
        format!("{}{on}", p.policy.name())
    }))
}

fn interrupts(view: &View<'_>) -> Option<Fact> {
    let places = view.cases.iter().flat_map(|c| &c.trials).filter_map(|t| t.result.placement.as_ref());
    let lines = places.flat_map(|p| &p.interrupts);
    parts(lines.map(|line| {
        let cpus: Vec<String> = line.cpus.iter().map(u32::to_string).collect();
        format!("{}: CPU {}", line.name, cpus.join(" "))
    }))
}

#[cfg(test)]
mod tests {
    use language::{LANGUAGES, Language};

    use super::*;

    #[test]
    fn what_may_differ_has_a_name_in_every_language() {
        for language in LANGUAGES.iter().filter(|l| **l != Language::English) {
            for thing in THINGS {
                let key = format!("environment-{}", thing.code);
                assert!(language.words().has(&key), "{language:?}: {key}");
            }
        }
    }

    #[test]
    fn regression_a_little_memory_across_a_step_was_another_machine() {
        let mib = |count: u64| Fact::About(count << 20);
        // 15872 is a multiple of 256, the step of so much memory before.
        assert!(told(mib(15_871), mib(15_873)).is_none());
        for (a, b) in [(15_872, 16_384), (32_768, 32_400), (512, 520), (1, 2)] {
            let (before, after) = told(mib(a), mib(b)).unwrap();
            assert_ne!(before, after);
        }
        assert!(told(Fact::About(u64::MAX), Fact::About(1)).is_some());
    }
}
