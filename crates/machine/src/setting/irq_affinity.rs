//! `irq-affinity`: the CPUs that take the interrupts of a block device or a network interface
//! (`/proc/irq/N/smp_affinity_list`, `Documentation/core-api/irq/irq-affinity.rst`).
//!
//! The interrupts are a controller's, and so the resource is: `irq:pci0000:00/0000:00:17.0`,
//! the folder below `/sys/devices`, however the device was named. A driver may give its
//! interrupts back and take others meanwhile, which are not ours to put back. Of an interface the
//! driver says where its adapter is, for a sysfs may show the interfaces of another network namespace.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use model::resource::{Symbol, cpu_list};
use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, ResourceKind, Unit, Value};
use rustix::io::Errno;

use super::journal::SideEffect;
use super::parts::{self, Parts};
use super::{Setting, SettingError, block};
use crate::Host;
use crate::host::parse_cpu_list;
use crate::inventory::interrupt;
use crate::inventory::network::ethtool_socket::EthtoolSocket;

pub(super) const FOLDER: &str = "/proc/irq";
pub(super) const LEAF: &str = "smp_affinity_list";
const ONLINE: &str = "/sys/devices/system/cpu/online";
const DEVICES: &str = "/sys/devices/";
const KIND: &str = "irq:";
/// `EPERM` and, before Linux 6.11, `EIO`: by which the kernel refuses to move an interrupt
/// that it keeps itself (`write_irq_affinity` in `kernel/irq/proc.c`).
const MANAGED: [i32; 2] = [1, 5];
/// `EACCES`: the file cannot be opened.
const EACCES: i32 = 13;

pub(super) struct IrqAffinity;

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "irq-affinity",
        Kind::Text,
        "The CPUs that may take the interrupts of the device by which it says that it is done, all of them alike: 1, 0-3, \
         or in quotes \"0,2\", for a comma makes levels. Written as the kernel does, neighbours as 0-3; all of them must be \
         online. The interrupts are those of the controller that the device hangs on: it is refused where another disk \
         hangs on that too, and where the device stands on disks of several controllers. Most NVMe drives have interrupts \
         that the kernel keeps where they are (managed ones); that is said, and nothing is changed. A program that moves \
         interrupts (irqbalance) fails the trial. Each interrupt is put back to its own CPUs; which of them takes it the \
         kernel chooses anew. `irq-affinity@eth0` is of the interrupts of a network interface's queues. Without a name it is \
         the block device under the target.",
    ),
    unit: Unit::One,
    binds: Some(Symbol::TargetDevice),
    holds: None,
    summary: "the CPUs that take the interrupts of a block device or a network interface",
};

impl Setting for IrqAffinity {
    fn spec(&self) -> &'static SettingSpec {
        &SPEC
    }

    fn is_of_namespace(&self) -> bool {
        false
    }

    fn also_binds(&self) -> Option<Symbol> {
        Some(Symbol::PeerInterface)
    }

    fn place(&self, host: &Host, bound: Resource) -> Result<Resource, SettingError> {
        match place(host, &bound) {
            Err(gone @ SettingError::Gone { .. }) => place_of_interface(host, &bound).unwrap_or(Err(gone)),
            placed => placed,
        }
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        let lines = lines(&Host::this(), resource)?;
        Ok(parts::common(&lines).map_or_else(|| parts::value(&lines), |cpus| Value::Text(cpus.clone())))
    }

    fn read_each(&self, resource: &Resource) -> Result<Value, SettingError> {
        Ok(parts::value(&lines(&Host::this(), resource)?))
    }

    fn is_as_before(&self, now: &Value, before: &Value) -> bool {
        is_as_before(now, before)
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        let now = lines(&Host::this(), resource)?;
        let refused = |reason| SettingError::refused(&SPEC, resource, value, reason);
        let wanted = wanted(&now, value).map_err(refused)?;
        if wanted.is_empty() {
            return Err(SettingError::gone(&SPEC, resource));
        }
        put(Path::new(FOLDER), &now, &wanted).map_err(refused)
    }

    // What an interrupt's processor is has no other state with it: CPUs that take part in
    // the protocols (RPS, XPS) are settings of the interface, and what new interrupts
    // get (`default_smp_affinity`) is not touched.
    fn side_effects(&self, resource: &Resource, value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        let Value::Text(asked) = value else { return Ok(Vec::new()) };
        let online = Host::this().cpu_list(ONLINE).unwrap_or_default();
        match problem(asked, &online) {
            None => Ok(Vec::new()),
            Some(reason) => Err(SettingError::refused(&SPEC, resource, value, reason)),
        }
    }
}

/// The one controller of a block device, as the resource of the setting.
fn place(host: &Host, bound: &Resource) -> Result<Resource, SettingError> {
    let name = block::device(host, &SPEC, bound)?;
    let unreadable = |reason: String| Err(SettingError::unreadable(&SPEC, bound, reason));
    let controllers: Vec<PathBuf> = interrupt::controllers_of(host, name).into_iter().collect();
    let [controller] = &controllers[..] else {
        return unreadable(match controllers.len() {
            0 => "sysfs shows no interrupts of its own that it has".to_owned(),
            several => format!("it stands on disks of {several} controllers: name one of the disks"),
        });
    };
    let others = interrupt::others_on(host, name, controller);
    if !others.is_empty() {
        return unreadable(format!(
            "its interrupts are those of its controller, on which {} hangs too and would be changed with it",
            others.join(" and ")
        ));
    }
    resource(controller, bound)
}

/// A controller as the resource of the setting.
fn resource(controller: &Path, bound: &Resource) -> Result<Resource, SettingError> {
    match controller.to_str().and_then(|path| path.strip_prefix(DEVICES)) {
        Some(below) => Ok(Resource::from(format!("{KIND}{below}"))),
        None => {
            let reason = format!("its controller is not in {DEVICES}");
            Err(SettingError::unreadable(&SPEC, bound, reason))
        }
    }
}

/// The adapter of a network interface; none where there is no such interface.
fn place_of_interface(host: &Host, bound: &Resource) -> Option<Result<Resource, SettingError>> {
    let named = bound.named(ResourceKind::Block).or_else(|| bound.named(ResourceKind::Nic));
    let interface = named.unwrap_or(bound.as_str());
    match EthtoolSocket::open(interface).and_then(|socket| socket.bus()) {
        Err(Errno::NODEV) => None,
        bus => Some(adapter(host, bound, interface, bus.ok().flatten().as_deref())),
    }
}

/// The adapter at a place that the driver of an interface names, as the resource of the setting.
fn adapter(
    host: &Host,
    bound: &Resource,
    interface: &str,
    bus: Option<&str>,
) -> Result<Resource, SettingError> {
    let unreadable = |reason: String| Err(SettingError::unreadable(&SPEC, bound, reason));
    let function = bus.filter(|bus| !bus.contains('/') && *bus != "..");
    let folder = function.and_then(|bus| host.resolve(format!("/sys/bus/pci/devices/{bus}")));
    let with_queues = |folder: &PathBuf| !interrupt::of_controller(host, folder).is_empty();
    let Some(controller) = folder.map(PathBuf::from).filter(with_queues) else {
        let reason =
            "sysfs shows no interrupts of its own that it has, as of no interface that is made by software";
        return unreadable(reason.to_owned());
    };
    let others = interrupt::other_interfaces_on(host, interface, &controller);
    if !others.is_empty() {
        return unreadable(format!(
            "its interrupts are those of its adapter, which also has {}: they would be changed with it",
            others.join(" and ")
        ));
    }
    resource(&controller, bound)
}

/// The interrupts of a controller that carry completions, each with the CPUs that may
/// take it as the kernel writes them.
fn lines(host: &Host, resource: &Resource) -> Result<Parts, SettingError> {
    let below = resource.as_str().strip_prefix(KIND).unwrap_or_default();
    if below.is_empty() || below.split('/').any(|part| part == "..") {
        return Err(SettingError::gone(&SPEC, resource));
    }
    let found = interrupt::of_controller(host, &Path::new(DEVICES).join(below));
    if found.is_empty() {
        return Err(SettingError::gone(&SPEC, resource));
    }
    let line = |irq: u32| -> Result<(u32, String), SettingError> {
        let text = host.read(format!("{FOLDER}/{irq}/{LEAF}")).map_err(|absent| {
            SettingError::unreadable(&SPEC, resource, format!("{}: {}", absent.what, absent.reason))
        })?;
        Ok((irq, text.trim().to_owned()))
    };
    found.iter().map(|found| line(found.irq)).collect()
}

/// Whether those of `before` that are still there are as they were, and there are any.
fn is_as_before(now: &Value, before: &Value) -> bool {
    let (Some(now), Some(before)) = (parts::parse(now), parts::parse(before)) else { return false };
    let mut left = before.iter().filter(|(irq, _)| now.contains_key(*irq)).peekable();
    left.peek().is_some() && left.all(|(irq, cpus)| now.get(irq) == Some(cpus))
}

/// Why CPUs cannot be asked for; none where they can.
fn problem(asked: &str, online: &[u32]) -> Option<String> {
    let cpus = parse_cpu_list(asked).filter(|cpus| !cpus.is_empty());
    let Some(mut cpus) = cpus else { return Some("it is no list of CPUs such as 0-3,8".to_owned()) };
    cpus.sort_unstable();
    cpus.dedup();
    let form = cpu_list(&cpus);
    if form != asked {
        return Some(format!("write it as the kernel does: {form}"));
    }
    // The kernel would say what was asked for, and choose among the others.
    cpus.retain(|cpu| !online.contains(cpu));
    (!cpus.is_empty())
        .then(|| format!("not online: CPU {}; online are {}", cpu_list(&cpus), cpu_list(online)))
}

/// What each interrupt is to have: the same for all, or what it had, of those that are
/// still there.
fn wanted(now: &Parts, value: &Value) -> Result<Parts, String> {
    if let Value::Text(cpus) = value {
        return Ok(now.keys().map(|irq| (*irq, cpus.clone())).collect());
    }
    let mut before = parts::parse(value).ok_or_else(|| "it is no list of CPUs such as 0-3,8".to_owned())?;
    before.retain(|irq, _| now.contains_key(irq));
    Ok(before)
}

/// Gives those of `now` that are not as `wanted` what they are to have. One that is
/// refused keeps no other from its own.
fn put(folder: &Path, now: &Parts, wanted: &Parts) -> Result<(), String> {
    let mut first = None;
    for (irq, cpus) in wanted.iter().filter(|(irq, cpus)| now.get(*irq) != Some(*cpus)) {
        let path: PathBuf = folder.join(irq.to_string()).join(LEAF);
        if let Err(error) = fs::write(&path, format!("{cpus}\n")) {
            first.get_or_insert(refusal(*irq, &path, &error));
        }
    }
    first.map_or(Ok(()), Err)
}

/// Why the kernel did not move an interrupt.
pub(super) fn refusal(irq: u32, path: &Path, error: &io::Error) -> String {
    let why = match error.raw_os_error() {
        Some(number) if MANAGED.contains(&number) => {
            return format!(
                "the kernel keeps interrupt {irq} on the CPUs that it chose (a managed interrupt, as those of a drive with \
                 a queue for each CPU)"
            );
        }
        Some(EACCES) => "; run Headroom as root",
        _ => "",
    };
    format!("{}: {error}{why}", path.display())
}

#[cfg(test)]
mod tests {
    use model::ResourceKind;

    use super::*;
    use crate::setting::tests::binding::assert_unbound;

    /// A virtio disk and a controller with two disks, all with interrupts that count.
    fn host(second: &str) -> Host {
        let disk = |name: &str, function: &str| {
            format!(
                "==> /sys/class/block/{name} -> ../../devices/pci0/{function}/block/{name}\n\
                 ==> /sys/block/{name} -> ../devices/pci0/{function}/block/{name}\n\
                 ==> /sys/devices/pci0/{function}/block/{name}/device -> ../..\n"
            )
        };
        let text = [
            disk("vda", "f2/virtio1"),
            disk("sda", "f3"),
            disk("sdb", "f3"),
            "==> /sys/devices/pci0/f2/virtio1/block/vda/vda1/partition\n1\n\
             ==> /sys/class/block/vda1 -> ../../devices/pci0/f2/virtio1/block/vda/vda1\n\
             ==> /sys/devices/virtual/block/md0/slaves/sda -> ../../../../pci0/f3/block/sda\n\
             ==> /sys/devices/virtual/block/md0/slaves/sdb -> ../../../../pci0/f3/block/sdb\n\
             ==> /sys/devices/virtual/block/dm-0/slaves/md0 -> ../../md0\n\
             ==> /sys/devices/virtual/block/dm-0/slaves/vda1 -> ../../../../pci0/f2/virtio1/block/vda/vda1\n"
                .to_owned(),
            ["md0", "dm-0"]
                .map(|name| {
                    format!(
                        "==> /sys/class/block/{name} -> ../../devices/virtual/block/{name}\n\
                         ==> /sys/block/{name} -> ../devices/virtual/block/{name}\n"
                    )
                })
                .concat(),
            "==> /sys/class/block/loop0 -> ../../devices/virtual/block/loop0\n\
             ==> /sys/devices/virtual/block/loop0/size\n8\n"
                .to_owned(),
            "==> /sys/devices/pci0/f2/msi_irqs/35\nmsix\n==> /sys/devices/pci0/f2/msi_irqs/36\nmsix\n\
             ==> /sys/devices/pci0/f2/msi_irqs/37\nmsix\n==> /sys/devices/pci0/f3/msi_irqs/38\nmsi\n\
             ==> /proc/interrupts\n   CPU0 CPU1\n 35: 0 0 MSI virtio1-config\n 36: 0 9 MSI virtio1-req.0\n\
             \x20 37: 0 9 MSI virtio1-req.1\n 38: 1 0 MSI ahci\n\
             ==> /proc/irq/36/smp_affinity_list\n0-1\n"
                .to_owned(),
            format!("==> /proc/irq/37/smp_affinity_list\n{second}\n==> /proc/irq/38/smp_affinity_list\n1\n"),
        ];
        Host::parse(&text.concat())
    }

    fn of(all: &[(u32, &str)]) -> Parts {
        all.iter().map(|(irq, cpus)| (*irq, (*cpus).to_owned())).collect()
    }

    #[test]
    fn two_names_of_a_controller_are_one_resource() {
        let host = host("0-1");
        let of = |name: &str| place(&host, &Resource::of(ResourceKind::Block, name));
        let virtio = Resource::from("irq:pci0/f2");
        assert_eq!((of("vda"), of("vda1")), (Ok(virtio.clone()), Ok(virtio)));
        assert_eq!(of("md0"), Ok(Resource::from("irq:pci0/f3")), "it stands on both disks");
        let refused = [
            ("sda", "on which sdb hangs too"),
            ("dm-0", "2 controllers"),
            ("loop0", "no interrupts of its own"),
        ];
        assert_unbound(of, &refused, &["sdc", "../vda", ""]);
    }

    #[test]
    fn an_interface_has_the_interrupts_of_the_queues_of_its_adapter() {
        let of_port = |name: &str, function: &str| {
            format!(
                "==> /sys/class/net/{name} -> ../../devices/pci0/{function}/net/{name}\n\
                 ==> /sys/devices/pci0/{function}/net/{name}/device -> ../..\n\
                 ==> /sys/bus/pci/devices/{function} -> ../../../devices/pci0/{function}\n"
            )
        };
        let text = [
            of_port("eth0", "f4"),
            of_port("eth1", "f5"),
            of_port("eth2", "f5"),
            of_port("eth3", "f6"),
            "==> /sys/devices/pci0/f4/msi_irqs/40\nmsix\n==> /sys/devices/pci0/f4/msi_irqs/41\nmsix\n\
             ==> /sys/devices/pci0/f4/msi_irqs/42\nmsix\n==> /sys/devices/pci0/f5/msi_irqs/43\nmsix\n\
             ==> /proc/interrupts\n   CPU0 CPU1\n 40: 0 0 MSI i40e-f4:misc\n 41: 0 9 MSI i40e-eth0-TxRx-0\n\
             \x20 42: 0 9 MSI i40e-eth0-TxRx-1\n 43: 1 0 MSI eth1-TxRx-0\n\
             ==> /proc/irq/41/smp_affinity_list\n0\n==> /proc/irq/42/smp_affinity_list\n1\n"
                .to_owned(),
        ];
        let host = Host::parse(&text.concat());
        let at = |name: &str, bus| adapter(&host, &Resource::of(ResourceKind::Block, name), name, bus);
        let place = Resource::from("irq:pci0/f4");
        assert_eq!(at("eth0", Some("f4")), Ok(place.clone()));
        assert_eq!(lines(&host, &place), Ok(of(&[(41, "0"), (42, "1")])), "not what the firmware says");
        let refused = |name: &str, bus| at(name, bus).unwrap_err().to_string();
        assert!(
            refused("eth1", Some("f5")).contains("which also has eth2"),
            "{}",
            refused("eth1", Some("f5"))
        );
        for none in [None, Some("f6"), Some("usb-0000:00:14.0-1"), Some(".."), Some("../../../../x")] {
            assert!(refused("eth3", none).contains("no interrupts of its own"), "{none:?}");
        }
        // The loopback of this machine is an interface, and has none.
        let loopback = IrqAffinity.place(&host, Resource::of(ResourceKind::Block, "lo"));
        assert!(matches!(loopback, Err(SettingError::Unreadable { .. })), "{loopback:?}");
        let gone = IrqAffinity.place(&host, Resource::of(ResourceKind::Block, "hr-none"));
        assert!(matches!(gone, Err(SettingError::Gone { .. })), "{gone:?}");
    }

    #[test]
    fn the_interrupts_that_carry_completions_have_a_list_each() {
        let virtio = Resource::from("irq:pci0/f2");
        assert_eq!(lines(&host("0,2"), &virtio), Ok(of(&[(36, "0-1"), (37, "0,2")])));
        for gone in ["irq:pci0/f9", "irq:", "block:vda", "irq:pci0/../pci0/f2"] {
            let gone = lines(&host("0"), &Resource::from(gone));
            assert!(matches!(gone, Err(SettingError::Gone { .. })), "{gone:?}");
        }
    }

    #[test]
    fn each_is_put_back_of_those_that_are_still_there() {
        let place = tempfile::tempdir().unwrap();
        for irq in ["36", "37"] {
            fs::create_dir(place.path().join(irq)).unwrap();
        }
        let read = |irq: &str| fs::read_to_string(place.path().join(irq).join(LEAF)).ok();
        let now = of(&[(36, "0-1"), (37, "1")]);
        let before = parts::value(&now);
        let all = wanted(&now, &Value::from("1")).unwrap();
        assert!(!is_as_before(&parts::value(&all), &before));
        put(place.path(), &now, &all).unwrap();
        assert_eq!((read("36").as_deref(), read("37")), (Some("1\n"), None), "the second was so already");
        let back = wanted(&all, &before).unwrap();
        put(place.path(), &all, &back).unwrap();
        assert_eq!(read("36").as_deref(), Some("0-1\n"));
        // The driver took others: those are not ours.
        let (one, none) = (of(&[(36, "1"), (40, "7")]), of(&[(40, "7")]));
        assert_eq!(wanted(&one, &before), Ok(of(&[(36, "0-1")])));
        assert!(is_as_before(&parts::value(&of(&[(36, "0-1"), (40, "7")])), &before));
        assert_eq!(wanted(&none, &before), Ok(Parts::new()), "they are gone");
        assert!(!is_as_before(&parts::value(&none), &before));
        assert!(wanted(&now, &Value::from(1_u64)).is_err());
    }

    #[test]
    fn one_that_is_refused_keeps_no_other_from_its_own() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir(place.path().join("37")).unwrap();
        let (now, before) = (of(&[(36, "1"), (37, "1")]), of(&[(36, "0-1"), (37, "0-1")]));
        let error = put(place.path(), &now, &before).unwrap_err();
        assert!(error.contains("36/smp_affinity_list"), "{error}");
        let second = fs::read_to_string(place.path().join("37").join(LEAF)).unwrap();
        assert_eq!(second, "0-1\n");
    }

    #[test]
    fn a_managed_interrupt_is_said_and_a_list_has_one_form_of_cpus_that_are_online() {
        let refusal = |number| refusal(7, Path::new("/x"), &io::Error::from_raw_os_error(number));
        for number in MANAGED {
            let text = refusal(number);
            assert!(text.contains("managed interrupt") && text.contains("interrupt 7"), "{text}");
        }
        assert!(refusal(EACCES).contains("as root"));
        let online: Vec<u32> = (0..9).collect();
        for (asked, says) in [
            ("0,1", "does: 0-1"),
            ("2,0,1,8", "does: 0-2,8"),
            ("", "no list of CPUs"),
            ("all", "no list of CPUs"),
            ("0,8-10", "not online: CPU 9-10; online are 0-8"),
        ] {
            let problem = problem(asked, &online).unwrap();
            assert!(problem.contains(says), "{problem}");
        }
        assert_eq!(problem("0-3,8", &online), None);
    }
}
