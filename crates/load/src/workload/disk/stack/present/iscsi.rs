//! iSCSI: a target of LIO with the device as its unit (`Documentation/target/`, `drivers/target/iscsi` of the kernel), set
//! up by configfs as targetcli does, and a session of open-iscsi. Only an initiator of our own random name with a
//! random secret (CHAP) is let in. Settings of the session are those that open-iscsi has by default.

use std::fs::{self, read_to_string};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::fault::Fault;
use model::stack::{LayerRole, LayerSpec, StackLayer};

use crate::workload::disk::stack::command::{Commands, Program};
use crate::workload::disk::stack::kernel::{KernelPart, MODPROBE};
use crate::workload::disk::stack::present::initiator::{
    ISCSIADM, ISCSID, Initiator, Login, SESSIONS, obstacle,
};
use crate::workload::disk::stack::present::network::{IP, LayerNetwork};
use crate::workload::disk::stack::present::{APPEARS_WITHIN, NETWORK, SESSION, TARGET, configfs, load, rate};
use crate::workload::disk::stack::record::LayerRecord;
use crate::workload::disk::stack::{BuildSite, LayerKind, random};

/// The port that IANA gave to iSCSI.
const PORT: u16 = 3260;
/// How long a session may take to end.
const ENDS_WITHIN: Duration = Duration::from_secs(60);
/// By which name the initiator asks to be let in.
const USER: &str = "headroom";
/// What the initiator's interface is called, where an iscsid of others is asked.
const INTERFACE: &str = "headroom";
/// Random bytes of a secret.
const SECRET_BYTES: usize = 16;
/// What iscsiadm is told of it.
const OF_INTERFACE: [&str; 4] = ["-m", "iface", "-I", INTERFACE];
/// How names of targets and initiators begin, in the form that LIO's own tools give (RFC 7143, iSCSI qualified names).
pub(super) const NAMES: &str = "iqn.2003-01.org.linux-iscsi.headroom";

/// The modules; disks of SCSI may be no part of a small system.
const KERNEL: &[KernelPart] = &[
    KernelPart::Module("veth"),
    KernelPart::Module("target_core_mod"),
    KernelPart::Module("target_core_iblock"),
    KernelPart::Module("iscsi_target_mod"),
    KernelPart::Module("iscsi_tcp"),
    KernelPart::Module("sd_mod"),
];

pub(in crate::workload::disk) const SPEC: LayerSpec = LayerSpec {
    name: "iscsi",
    role: LayerRole::Device,
    devices: (1, 1),
    beside: None,
    options: &[rate::BIT_RATE],
    doc: "the device as an iSCSI target (LIO) presents it, through a network namespace",
};

/// The kind.
#[derive(Debug)]
pub(in crate::workload::disk::stack) struct Iscsi;

impl LayerKind for Iscsi {
    fn spec(&self) -> &'static LayerSpec {
        &SPEC
    }

    fn programs(&self) -> &'static [Program] {
        &[IP, MODPROBE, ISCSIADM, ISCSID]
    }

    fn kernel(&self) -> &'static [KernelPart] {
        KERNEL
    }

    fn programs_of(&self, layer: &StackLayer) -> &'static [Program] {
        rate::programs_of(layer)
    }

    fn kernel_of(&self, layer: &StackLayer) -> &'static [KernelPart] {
        rate::kernel_of(layer)
    }

    fn capacity(&self, _layer: &StackLayer, below: &[u64]) -> u64 {
        below.iter().sum()
    }

    fn refuses(&self, layer: &StackLayer) -> Option<String> {
        rate::refuses(layer)
    }

    fn refuses_here(&self) -> Option<(String, String)> {
        obstacle(NAMES)
    }

    fn make(&self, site: &mut BuildSite<'_, '_>) -> Result<PathBuf, Fault> {
        let device = site.device()?.to_owned();
        let network = LayerNetwork::of(site.record)?;
        let target = Target::of(site.record, &network, network.server.into());
        let secret = new_secret()?;
        let bit_rate = rate::bit_rate(site.layer);
        let commands = &mut *site.commands;
        load(KERNEL, commands)?;
        load(rate::kernel_of(site.layer), commands)?;
        commands.as_one(NETWORK, |commands| network.make(bit_rate, commands))?;
        commands.as_one(TARGET, |_| {
            configfs::with(Some(&network.namespace), |root| {
                target.make(&root.join("target"), &device, &secret)
            })
        })?;
        commands.as_one(SESSION, |commands| target.log_in(&secret, commands))
    }

    fn take_down(&self, record: &LayerRecord, commands: &mut Commands<'_>) -> Result<bool, Fault> {
        let network = LayerNetwork::of(record)?;
        let target = Target::of(record, &network, network.server.into());
        let mut was_there = target.end_session(None, commands)?;
        if Path::new("/sys/kernel/config").exists() {
            was_there |= configfs::with(None, |root| target.take_down(&root.join("target")))?;
        }
        Ok(network.take_down(commands)? || was_there)
    }
}

/// A secret for one target.
pub(super) fn new_secret() -> Result<String, Fault> {
    Ok(random::digits(&random::bytes::<SECRET_BYTES>()?))
}

/// Whether it is such a secret.
pub(super) fn is_secret(text: &str) -> bool {
    text.len() == 2 * SECRET_BYTES && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The names that the target goes by.
pub(super) struct Target {
    /// Its own and the initiator's.
    name: String,
    initiator: String,
    /// Where it listens.
    portal: String,
    /// The name of the backing store, and the folder of the one adapter that it is on.
    store: String,
    adapter: String,
    /// The serial number of the disk.
    serial: String,
}

impl Target {
    /// That of a layer, which listens at `server`.
    pub(super) fn of(record: &LayerRecord, network: &LayerNetwork, server: IpAddr) -> Self {
        let named = |what: &str| format!("{NAMES}:{what}.{}", network.digits);
        Self {
            name: named("sn"),
            initiator: named("initiator"),
            portal: SocketAddr::new(server, PORT).to_string(),
            store: record.name.clone(),
            adapter: format!("iblock_{}", network.number % (1 << 31)),
            serial: record.uuid.clone(),
        }
    }

    /// Begins a session; the node of its disk.
    ///
    /// # Errors
    /// What open-iscsi said, or that the disk did not appear.
    pub(super) fn log_in(&self, secret: &str, commands: &mut Commands<'_>) -> Result<PathBuf, Fault> {
        let login = Login { user: USER, secret };
        let initiator = Initiator::start(&self.initiator, &self.name, Some(&login), commands)?;
        let mut node = vec!["-m", "node", "-T", &self.name, "-p", &self.portal];
        if initiator.is_of_others() {
            // It would log in by the name in the real /etc/iscsi, which the target does not let in. The name of its
            // own default interface cannot be changed.
            let name = ["-o", "update", "-n", "iface.initiatorname", "-v", &self.initiator];
            initiator.run(&[&OF_INTERFACE[..], &["-o", "new"]].concat(), commands)?;
            initiator.run(&[&OF_INTERFACE[..], &name[..]].concat(), commands)?;
            node.extend(["-I", INTERFACE]);
        }
        initiator.run(&[&node[..], &["-o", "new"]].concat(), commands)?;
        initiator.run(&[&node[..], &["--login"]].concat(), commands)?;
        let found =
            commands.wait_for(APPEARS_WITHIN, || disk_of(&session_of(Path::new(SESSIONS), &self.name)?))?;
        found.ok_or_else(|| Fault::Other(format!("the disk of {} did not appear", self.name)))
    }

    /// Ends this machine's session with it; whether there was one. The secret is read from the target, where that is this
    /// machine's.
    ///
    /// # Errors
    /// What open-iscsi said.
    pub(super) fn end_session(
        &self,
        secret: Option<&str>,
        commands: &mut Commands<'_>,
    ) -> Result<bool, Fault> {
        let Some(session) = session_of(Path::new(SESSIONS), &self.name) else { return Ok(false) };
        let name = session.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let secret = secret.map_or_else(|| self.secret(), str::to_owned);
        self.log_out(name.trim_start_matches("session"), secret.trim(), commands)?;
        Ok(true)
    }

    /// The secret that the target of this machine has; empty where there is none.
    fn secret(&self) -> String {
        let secret = configfs::with(None, |root| {
            let access = self.group(&root.join("target")).join("acls").join(&self.initiator);
            Ok(read_to_string(access.join("auth/password")).unwrap_or_default())
        });
        secret.unwrap_or_default()
    }

    /// Ends the session of this number. An iscsid that was just started has connections anew first, for which it needs
    /// the secret, and until then says that it cannot.
    fn log_out(&self, number: &str, secret: &str, commands: &mut Commands<'_>) -> Result<(), Fault> {
        let login = Login { user: USER, secret };
        let login = Some(&login).filter(|login| !login.secret.is_empty());
        let initiator = Initiator::start(&self.initiator, &self.name, login, commands)?;
        if initiator.is_of_others() {
            // It looks for the interface of the session, and its settings are new.
            initiator.run(&[&OF_INTERFACE[..], &["-o", "new"]].concat(), commands)?;
        }
        let mut last = None;
        let is_gone = commands.wait_until(ENDS_WITHIN, || {
            let mut always = || true;
            let words = ["-m", "session", "-r", number, "--logout"];
            last = initiator.run(&words, &mut Commands::new(&mut always)).err();
            last.is_none() || session_of(Path::new(SESSIONS), &self.name).is_none()
        })?;
        match last {
            Some(fault) if !is_gone => Err(fault),
            _ => Ok(()),
        }
    }

    fn group(&self, target: &Path) -> PathBuf {
        target.join("iscsi").join(&self.name).join("tpgt_1")
    }

    /// Makes it in the folder of targets; it listens in the network namespace of the calling thread.
    ///
    /// # Errors
    /// What the kernel said.
    pub(super) fn make(&self, target: &Path, device: &str, secret: &str) -> Result<(), Fault> {
        let adapter = target.join("core").join(&self.adapter);
        let store = adapter.join(&self.store);
        configfs::make(&adapter)?;
        configfs::make(&store)?;
        configfs::put(&store.join("control"), &format!("udev_path={device}"))?;
        configfs::put(&store.join("wwn/vpd_unit_serial"), &self.serial)?;
        configfs::put(&store.join("enable"), "1")?;
        let fabric = target.join("iscsi");
        if !fabric.is_dir() {
            configfs::make(&fabric)?;
        }
        configfs::make(&fabric.join(&self.name))?;
        let group = self.group(target);
        configfs::make(&group)?;
        let unit = group.join("lun/lun_0");
        configfs::make(&unit)?;
        configfs::link(&store, &unit.join(&self.store))?;
        configfs::put(&group.join("attrib/authentication"), "1")?;
        configfs::put(&group.join("attrib/generate_node_acls"), "0")?;
        let access = group.join("acls").join(&self.initiator);
        configfs::make(&access)?;
        // A line's end would be part of them.
        configfs::put(&access.join("auth/userid"), USER)?;
        configfs::put(&access.join("auth/password"), secret)?;
        configfs::make(&access.join("lun_0"))?;
        configfs::link(&unit, &access.join("lun_0").join(&self.store))?;
        configfs::make(&group.join("np").join(&self.portal))?;
        configfs::put(&group.join("enable"), "1")
    }

    /// Removes it from the folder of targets; whether something of it was there.
    ///
    /// # Errors
    /// What the kernel said.
    pub(super) fn take_down(&self, target: &Path) -> Result<bool, Fault> {
        let group = self.group(target);
        if group.is_dir() {
            configfs::put_if_there(&group.join("enable"), "0")?;
            configfs::remove(&group.join("np").join(&self.portal))?;
            let access = group.join("acls").join(&self.initiator);
            configfs::remove_links(&access.join("lun_0"))?;
            configfs::remove(&access.join("lun_0"))?;
            configfs::remove(&access)?;
            configfs::remove_links(&group.join("lun/lun_0"))?;
            configfs::remove(&group.join("lun/lun_0"))?;
            configfs::remove(&group)?;
        }
        let mut was_there = configfs::remove(&target.join("iscsi").join(&self.name))?;
        let adapter = target.join("core").join(&self.adapter);
        was_there |= configfs::remove(&adapter.join(&self.store))?;
        if adapter.is_dir() && folders(&adapter).is_empty() {
            was_there |= configfs::remove(&adapter)?;
        }
        Ok(was_there)
    }
}

/// The folders in a folder, also by links.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

/// The folder of this machine's session with the target of this name.
fn session_of(sessions: &Path, target: &str) -> Option<PathBuf> {
    folders(sessions)
        .into_iter()
        .find(|folder| read_to_string(folder.join("targetname")).is_ok_and(|name| name.trim() == target))
}

/// The node of the disk of a session, once it can be read: `device/targetH:C:T/H:C:T:L/block/NAME`.
fn disk_of(session: &Path) -> Option<PathBuf> {
    let is_named = |path: &PathBuf, prefix: &str| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix))
    };
    let target = folders(&session.join("device")).into_iter().find(|path| is_named(path, "target"))?;
    let disk = folders(&target).iter().flat_map(|unit| folders(&unit.join("block"))).next()?;
    let is_sized = read_to_string(disk.join("size")).is_ok_and(|size| size.trim() != "0");
    Some(Path::new("/dev").join(disk.file_name()?)).filter(|node| is_sized && node.exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str = "headroom_0123456789abcdef_2";

    fn record() -> LayerRecord {
        LayerRecord {
            kind: "iscsi".to_owned(),
            name: RECORD.to_owned(),
            uuid: "u".to_owned(),
            below: Vec::new(),
            beside: None,
            on_devices: false,
            place: None,
            access: None,
        }
    }

    fn target() -> Target {
        let record = record();
        let network = LayerNetwork::of(&record).unwrap();
        Target::of(&record, &network, network.server.into())
    }

    #[test]
    fn names_are_those_of_the_layer() {
        let target = target();
        assert_eq!(target.name, "iqn.2003-01.org.linux-iscsi.headroom:sn.0123456789abcdef.2");
        assert_eq!(target.initiator, "iqn.2003-01.org.linux-iscsi.headroom:initiator.0123456789abcdef.2");
        assert_eq!((target.store.as_str(), target.portal.as_str()), (RECORD, "198.19.55.198:3260"));
        // 0x89abcdf1 without its highest bit.
        assert_eq!(target.adapter, format!("iblock_{}", 0x09ab_cdf1));
    }

    #[test]
    fn a_portal_of_a_node_is_the_address_of_its_session() {
        let portal = |server: &str| {
            let record = record();
            Target::of(&record, &LayerNetwork::of(&record).unwrap(), server.parse().unwrap()).portal
        };
        assert_eq!(portal("10.0.0.2"), "10.0.0.2:3260");
        assert_eq!(portal("fd00::2"), "[fd00::2]:3260");
    }

    #[test]
    fn a_secret_has_nothing_that_would_be_read_as_something_else() {
        let made = new_secret().unwrap();
        assert!(is_secret(&made) && made != new_secret().unwrap());
        for wrong in ["", "0123", &format!("{}\n", &made[1..]), &format!("{} ", &made[1..])] {
            assert!(!is_secret(wrong), "{wrong:?}");
        }
    }

    #[test]
    fn a_session_is_known_by_its_target_and_leads_to_its_disk() {
        let all = tempfile::tempdir().unwrap();
        for (session, name) in [("session1", "iqn.other\n"), ("session2", "iqn.ours\n")] {
            let unit = all.path().join(session).join("device/target2:0:0/2:0:0:0");
            // A node of this name is everywhere.
            fs::create_dir_all(unit.join("block/null")).unwrap();
            fs::write(all.path().join(session).join("targetname"), name).unwrap();
        }
        let session = session_of(all.path(), "iqn.ours").unwrap();
        assert!(session.ends_with("session2") && session_of(all.path(), "iqn").is_none());
        let size = session.join("device/target2:0:0/2:0:0:0/block/null/size");
        for (text, found) in [("0\n", None), ("8\n", Some(PathBuf::from("/dev/null")))] {
            fs::write(&size, text).unwrap();
            assert_eq!(disk_of(&session), found);
        }
    }

    #[test]
    fn another_store_on_an_adapter_of_the_same_number_stays() {
        let root = tempfile::tempdir().unwrap();
        let target = target();
        let adapter = root.path().join("core").join(&target.adapter);
        fs::create_dir_all(adapter.join("of_somebody")).unwrap();
        fs::create_dir_all(adapter.join(RECORD)).unwrap();
        assert!(target.take_down(root.path()).unwrap());
        assert!(adapter.join("of_somebody").is_dir() && !adapter.join(RECORD).exists());
        assert!(!target.take_down(root.path()).unwrap());
    }
}
