//! The two halves of a layer that a node presents to its controller: at the node the target alone, which listens at the
//! address of the session and lets in the one initiator that knows its random names; at the controller a session with it.
//! Each half is written down and taken down where it is. Names are those of the layer at the node, at both ends.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use engine::fault::Fault;
use model::present::{PresentedTarget, TargetSecret};
use model::stack::{LayerRole, LayerSpec, StackLayer};

use crate::workload::disk::stack::command::{Commands, Program};
use crate::workload::disk::stack::kernel::{KernelPart, MODPROBE};
use crate::workload::disk::stack::present::initiator::{ISCSIADM, ISCSID, obstacle};
use crate::workload::disk::stack::present::iscsi::{self, is_secret, new_secret};
use crate::workload::disk::stack::present::network::LayerNetwork;
use crate::workload::disk::stack::present::nvme_tcp::{self, CONTROLLERS};
use crate::workload::disk::stack::present::{SESSION, TARGET, configfs, load, rate};
use crate::workload::disk::stack::record::{LayerRecord, TargetAccess};
use crate::workload::disk::stack::{BuildSite, LayerKind};

/// The folder of configfs, if the kernel has it.
const CONFIGFS: &str = "/sys/kernel/config";

const ISCSI_TARGET_PARTS: &[KernelPart] = &[
    KernelPart::Module("target_core_mod"),
    KernelPart::Module("target_core_iblock"),
    KernelPart::Module("iscsi_target_mod"),
];
const ISCSI_SESSION_PARTS: &[KernelPart] = &[KernelPart::Module("iscsi_tcp"), KernelPart::Module("sd_mod")];
const NVME_TARGET_PARTS: &[KernelPart] = &[KernelPart::Module("nvmet"), KernelPart::Module("nvmet-tcp")];
const NVME_SESSION_PARTS: &[KernelPart] = &[KernelPart::Module("nvme-tcp")];

const ISCSI_TARGET: LayerSpec =
    half("iscsi-target", "the device as an iSCSI target (LIO) for another machine");
const ISCSI_SESSION: LayerSpec = half("iscsi-session", "the disk of an iSCSI session with another machine");
const NVME_TARGET: LayerSpec =
    half("nvme-tcp-target", "the device as a target of NVMe over TCP (nvmet) for another machine");
const NVME_SESSION: LayerSpec =
    half("nvme-tcp-session", "the disk of a controller of NVMe over TCP at another machine");

/// Every half; stacks that people write have none of them.
const HALVES: &[&dyn LayerKind] = &[&IscsiTarget, &IscsiSession, &NvmeTarget, &NvmeSession];

const fn half(name: &'static str, doc: &'static str) -> LayerSpec {
    LayerSpec { name, role: LayerRole::Device, devices: (1, 1), beside: None, options: &[], doc }
}

/// The half of this name.
pub(in crate::workload::disk::stack) fn find(name: &str) -> Option<&'static dyn LayerKind> {
    HALVES.iter().copied().find(|kind| kind.spec().name == name)
}

/// What a node makes of a layer of this name; none where no node presents it.
pub(in crate::workload::disk::stack) fn target_of(name: &str) -> Option<&'static dyn LayerKind> {
    match name {
        _ if name == iscsi::SPEC.name => Some(&IscsiTarget),
        _ if name == nvme_tcp::SPEC.name => Some(&NvmeTarget),
        _ => None,
    }
}

/// What its controller makes of it.
pub(in crate::workload::disk::stack) fn session_of(name: &str) -> Option<&'static dyn LayerKind> {
    match name {
        _ if name == iscsi::SPEC.name => Some(&IscsiSession),
        _ if name == nvme_tcp::SPEC.name => Some(&NvmeSession),
        _ => None,
    }
}

/// Why no node can present a layer as it was asked for; none where one can.
pub(in crate::workload::disk::stack) fn refuses(layer: &StackLayer) -> Option<String> {
    let name = layer.spec.name;
    if target_of(name).is_none() {
        return Some(format!(
            "a node presents its devices by {} or {}, and {name} is neither",
            iscsi::SPEC.name,
            nvme_tcp::SPEC.name
        ));
    }
    let is_held = rate::bit_rate(layer).is_some();
    is_held.then(|| {
        format!(
            "{} holds the network of this machine alone, and to a node leads a real one",
            rate::BIT_RATE.name
        )
    })
}

/// How a new target at this address is reached.
pub(in crate::workload::disk::stack) fn access(address: IpAddr) -> Result<TargetAccess, Fault> {
    Ok(TargetAccess { address, secret: TargetSecret::new(new_secret()?) })
}

/// What is written down of a session with a target of a node. What comes from another machine becomes a part of settings and
/// of commands, so that it is looked at first.
///
/// # Errors
/// If it is not what a node says.
pub(in crate::workload::disk::stack) fn session_record(
    kind: &'static dyn LayerKind,
    address: IpAddr,
    target: &PresentedTarget,
) -> Result<LayerRecord, Fault> {
    let record = LayerRecord {
        kind: kind.spec().name.to_owned(),
        name: target.layer.clone(),
        uuid: target.uuid.clone(),
        below: Vec::new(),
        beside: None,
        on_devices: false,
        place: None,
        access: Some(TargetAccess { address, secret: target.secret.clone() }),
    };
    let is_digit = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
    let is_uuid = target.uuid.len() == UUID_LENGTH && target.uuid.bytes().all(is_digit);
    if LayerNetwork::of(&record).is_err() || !is_uuid || !is_secret(target.secret.expose()) {
        return Err(Fault::Other("what the node says of its target is none that a node makes".to_owned()));
    }
    Ok(record)
}

/// Characters of a UUID as text (RFC 9562).
const UUID_LENGTH: usize = 36;

/// How the other end of a half is reached.
fn access_of(record: &LayerRecord) -> Result<&TargetAccess, Fault> {
    let missing =
        || Fault::Other(format!("nobody wrote down at which address `{}` is presented", record.name));
    record.access.as_ref().ok_or_else(missing)
}

fn iscsi_target(record: &LayerRecord) -> Result<iscsi::Target, Fault> {
    Ok(iscsi::Target::of(record, &LayerNetwork::of(record)?, access_of(record)?.address))
}

fn nvme_target(record: &LayerRecord) -> Result<nvme_tcp::Target, Fault> {
    Ok(nvme_tcp::Target::of(&record.uuid, &LayerNetwork::of(record)?))
}

/// An iSCSI target of a node.
#[derive(Debug)]
struct IscsiTarget;

impl LayerKind for IscsiTarget {
    fn spec(&self) -> &'static LayerSpec {
        &ISCSI_TARGET
    }

    fn programs(&self) -> &'static [Program] {
        &[MODPROBE]
    }

    fn kernel(&self) -> &'static [KernelPart] {
        ISCSI_TARGET_PARTS
    }

    fn capacity(&self, _layer: &StackLayer, below: &[u64]) -> u64 {
        below.iter().sum()
    }

    fn make(&self, site: &mut BuildSite<'_, '_>) -> Result<PathBuf, Fault> {
        let device = site.device()?.to_owned();
        let target = iscsi_target(site.record)?;
        let secret = access_of(site.record)?.secret.expose();
        let commands = &mut *site.commands;
        load(ISCSI_TARGET_PARTS, commands)?;
        commands.as_one(TARGET, |_| {
            configfs::with(None, |root| target.make(&root.join("target"), &device, secret))
        })?;
        Ok(PathBuf::from(device))
    }

    fn take_down(&self, record: &LayerRecord, _commands: &mut Commands<'_>) -> Result<bool, Fault> {
        let target = iscsi_target(record)?;
        match Path::new(CONFIGFS).exists() {
            true => configfs::with(None, |root| target.take_down(&root.join("target"))),
            false => Ok(false),
        }
    }
}

/// A session with an iSCSI target of a node.
#[derive(Debug)]
struct IscsiSession;

impl LayerKind for IscsiSession {
    fn spec(&self) -> &'static LayerSpec {
        &ISCSI_SESSION
    }

    fn programs(&self) -> &'static [Program] {
        &[MODPROBE, ISCSIADM, ISCSID]
    }

    fn kernel(&self) -> &'static [KernelPart] {
        ISCSI_SESSION_PARTS
    }

    fn capacity(&self, _layer: &StackLayer, below: &[u64]) -> u64 {
        below.iter().sum()
    }

    fn refuses_here(&self) -> Option<(String, String)> {
        obstacle(iscsi::NAMES)
    }

    fn make(&self, site: &mut BuildSite<'_, '_>) -> Result<PathBuf, Fault> {
        let target = iscsi_target(site.record)?;
        let secret = access_of(site.record)?.secret.expose();
        let commands = &mut *site.commands;
        load(ISCSI_SESSION_PARTS, commands)?;
        commands.as_one(SESSION, |commands| target.log_in(secret, commands))
    }

    fn take_down(&self, record: &LayerRecord, commands: &mut Commands<'_>) -> Result<bool, Fault> {
        iscsi_target(record)?.end_session(Some(access_of(record)?.secret.expose()), commands)
    }
}

/// A target of NVMe over TCP of a node.
#[derive(Debug)]
struct NvmeTarget;

impl LayerKind for NvmeTarget {
    fn spec(&self) -> &'static LayerSpec {
        &NVME_TARGET
    }

    fn programs(&self) -> &'static [Program] {
        &[MODPROBE]
    }

    fn kernel(&self) -> &'static [KernelPart] {
        NVME_TARGET_PARTS
    }

    fn capacity(&self, _layer: &StackLayer, below: &[u64]) -> u64 {
        below.iter().sum()
    }

    fn make(&self, site: &mut BuildSite<'_, '_>) -> Result<PathBuf, Fault> {
        let device = site.device()?.to_owned();
        let (target, address) = (nvme_target(site.record)?, access_of(site.record)?.address);
        let commands = &mut *site.commands;
        load(NVME_TARGET_PARTS, commands)?;
        commands.as_one(TARGET, |_| {
            configfs::with(None, |root| target.make(&root.join("nvmet"), &device, address))
        })?;
        Ok(PathBuf::from(device))
    }

    fn take_down(&self, record: &LayerRecord, _commands: &mut Commands<'_>) -> Result<bool, Fault> {
        let (target, address) = (nvme_target(record)?, access_of(record)?.address);
        match Path::new(CONFIGFS).exists() {
            true => configfs::with(None, |root| target.take_down(&root.join("nvmet"), address)),
            false => Ok(false),
        }
    }
}

/// A controller of NVMe over TCP at a node.
#[derive(Debug)]
struct NvmeSession;

impl LayerKind for NvmeSession {
    fn spec(&self) -> &'static LayerSpec {
        &NVME_SESSION
    }

    fn programs(&self) -> &'static [Program] {
        &[MODPROBE]
    }

    fn kernel(&self) -> &'static [KernelPart] {
        NVME_SESSION_PARTS
    }

    fn capacity(&self, _layer: &StackLayer, below: &[u64]) -> u64 {
        below.iter().sum()
    }

    fn make(&self, site: &mut BuildSite<'_, '_>) -> Result<PathBuf, Fault> {
        let (target, address) = (nvme_target(site.record)?, access_of(site.record)?.address);
        let commands = &mut *site.commands;
        load(NVME_SESSION_PARTS, commands)?;
        commands.as_one(SESSION, |commands| target.connect(address, commands))
    }

    fn take_down(&self, record: &LayerRecord, _commands: &mut Commands<'_>) -> Result<bool, Fault> {
        nvme_target(record)?.disconnect(Path::new(CONTROLLERS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::disk::stack::{LAYERS, random};
    use model::stack::LayerStack;

    const ADDRESS: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2));

    fn presented() -> PresentedTarget {
        PresentedTarget {
            layer: "headroom_0123456789abcdef_2".to_owned(),
            uuid: random::uuid().unwrap(),
            secret: TargetSecret::new(new_secret().unwrap()),
        }
    }

    #[test]
    fn what_a_node_says_is_taken_only_where_it_has_that_form() {
        let kind = session_of("iscsi").unwrap();
        let of = |target: &PresentedTarget| session_record(kind, ADDRESS, target);
        let record = of(&presented()).unwrap();
        assert_eq!((record.kind.as_str(), access_of(&record).unwrap().address), ("iscsi-session", ADDRESS));
        let secret = |text: &str| TargetSecret::new(text.to_owned());
        for wrong in [
            PresentedTarget { layer: "headroom_0123456789abcdef_2,nqn=x".to_owned(), ..presented() },
            PresentedTarget { layer: "iqn.of.somebody".to_owned(), ..presented() },
            PresentedTarget { uuid: format!("{},traddr=1", &presented().uuid[9..]), ..presented() },
            PresentedTarget { uuid: String::new(), ..presented() },
            PresentedTarget { secret: secret("x\nnode.startup = automatic"), ..presented() },
            PresentedTarget { secret: secret(""), ..presented() },
        ] {
            assert!(of(&wrong).unwrap_err().to_string().contains("none that a node makes"), "{wrong:?}");
        }
    }

    #[test]
    fn halves_are_found_by_their_names_and_are_no_layers_that_people_write() {
        for kind in HALVES {
            let name = kind.spec().name;
            assert_eq!(find(name).map(|found| found.spec().name), Some(name));
            assert!(LAYERS.iter().all(|layer| layer.name != name), "{name}");
            assert!(LayerStack::parse(name, LAYERS).is_err(), "{name}");
        }
        for way in ["iscsi", "nvme-tcp"] {
            let [target, session] = [target_of(way), session_of(way)].map(|kind| kind.unwrap().spec().name);
            assert_eq!((target, session), (&*format!("{way}-target"), &*format!("{way}-session")));
        }
        assert!(target_of("nfs").is_none() && session_of("ext4").is_none());
    }

    #[test]
    fn a_node_presents_devices_and_holds_no_network() {
        let top = |stack: &str| LayerStack::parse(stack, LAYERS).unwrap().layers.pop().unwrap();
        assert_eq!(refuses(&top("loop > iscsi")), None);
        assert_eq!(refuses(&top("nvme-tcp")), None);
        assert!(refuses(&top("loop > ext4 > nfs")).unwrap().contains("nfs is neither"));
        assert!(refuses(&top("nvme-tcp(bit-rate=16m)")).unwrap().contains("bit-rate"));
    }

    #[test]
    fn what_has_no_address_is_not_touched() {
        let record =
            LayerRecord { access: None, ..session_record(&IscsiSession, ADDRESS, &presented()).unwrap() };
        let mut always = || true;
        let mut commands = Commands::new(&mut always);
        let fault = IscsiSession.take_down(&record, &mut commands).unwrap_err();
        assert!(fault.to_string().contains("at which address"), "{fault}");
    }
}
