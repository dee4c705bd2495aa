//! NVMe over TCP: a subsystem of nvmet with the device as its namespace (`drivers/nvme/target/configfs.c`), and a
//! controller of this machine's host driver, made by /dev/nvme-fabrics (`drivers/nvme/host/fabrics.c`) as nvme-cli does.
//! Only a host of the subsystem's own random name is let in.

use std::fs::{self, OpenOptions, read_to_string};
use std::io::Write;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use engine::fault::Fault;
use model::stack::{LayerRole, LayerSpec, StackLayer};

use crate::workload::disk::stack::command::{Commands, Program};
use crate::workload::disk::stack::kernel::KernelPart;
use crate::workload::disk::stack::present::network::LayerNetwork;
use crate::workload::disk::stack::present::{
    APPEARS_WITHIN, NETWORK, PROGRAMS, SESSION, TARGET, configfs, load, rate,
};
use crate::workload::disk::stack::record::LayerRecord;
use crate::workload::disk::stack::{BuildSite, LayerKind};

/// The port that IANA gave to NVMe over fabrics.
const PORT: u16 = 4420;
/// So long a host tries to have a lost connection again, s.
const LOST_WITHIN: u32 = 60;

/// Controllers of this machine's host driver.
pub(super) const CONTROLLERS: &str = "/sys/class/nvme";

/// The modules.
const KERNEL: &[KernelPart] = &[
    KernelPart::Module("veth"),
    KernelPart::Module("nvmet"),
    KernelPart::Module("nvmet-tcp"),
    KernelPart::Module("nvme-tcp"),
];

pub(in crate::workload::disk) const SPEC: LayerSpec = LayerSpec {
    name: "nvme-tcp",
    role: LayerRole::Device,
    devices: (1, 1),
    beside: None,
    options: &[rate::BIT_RATE],
    doc: "the device as a target of NVMe over TCP (nvmet) presents it, through a network namespace",
};

/// The kind.
#[derive(Debug)]
pub(in crate::workload::disk::stack) struct NvmeTcp;

impl LayerKind for NvmeTcp {
    fn spec(&self) -> &'static LayerSpec {
        &SPEC
    }

    fn programs(&self) -> &'static [Program] {
        &PROGRAMS
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

    fn make(&self, site: &mut BuildSite<'_, '_>) -> Result<PathBuf, Fault> {
        let device = site.device()?.to_owned();
        let network = LayerNetwork::of(site.record)?;
        let target = Target::of(&site.record.uuid, &network);
        let bit_rate = rate::bit_rate(site.layer);
        let commands = &mut *site.commands;
        load(KERNEL, commands)?;
        load(rate::kernel_of(site.layer), commands)?;
        commands.as_one(NETWORK, |commands| network.make(bit_rate, commands))?;
        commands.as_one(TARGET, |_| {
            configfs::with(Some(&network.namespace), |root| {
                target.make(&root.join("nvmet"), &device, network.server.into())
            })
        })?;
        commands.as_one(SESSION, |commands| target.connect(network.server.into(), commands))
    }

    fn take_down(&self, record: &LayerRecord, commands: &mut Commands<'_>) -> Result<bool, Fault> {
        let network = LayerNetwork::of(record)?;
        let target = Target::of(&record.uuid, &network);
        let mut was_there = target.disconnect(Path::new(CONTROLLERS))?;
        if Path::new("/sys/kernel/config").exists() {
            let server = network.server.into();
            was_there |= configfs::with(None, |root| target.take_down(&root.join("nvmet"), server))?;
        }
        Ok(network.take_down(commands)? || was_there)
    }
}

/// The names that the target goes by.
pub(super) struct Target {
    uuid: String,
    /// Of the subsystem and of the one host that may use it (NVM Express base specification, NVMe Qualified Names).
    name: String,
    /// The number of nvmet's port.
    port: String,
}

impl Target {
    /// That of a layer with this UUID.
    pub(super) fn of(uuid: &str, network: &LayerNetwork) -> Self {
        let name = format!("nqn.2014-08.org.nvmexpress:uuid:{uuid}");
        // Numbers of 16 bits, of which administrators use the first.
        let port = 1024 + network.number % 64_000;
        Self { uuid: uuid.to_owned(), name, port: port.to_string() }
    }

    /// Makes it in the folder of nvmet; it listens at `server`, in the network namespace of the calling thread.
    ///
    /// # Errors
    /// What the kernel said.
    pub(super) fn make(&self, nvmet: &Path, device: &str, server: IpAddr) -> Result<(), Fault> {
        let subsystem = nvmet.join("subsystems").join(&self.name);
        let host = nvmet.join("hosts").join(&self.name);
        configfs::make(&subsystem)?;
        configfs::put(&subsystem.join("attr_allow_any_host"), "0")?;
        configfs::make(&host)?;
        configfs::link(&host, &subsystem.join("allowed_hosts").join(&self.name))?;
        let namespace = subsystem.join("namespaces/1");
        configfs::make(&namespace)?;
        configfs::put(&namespace.join("device_path"), device)?;
        configfs::put(&namespace.join("device_uuid"), &self.uuid)?;
        configfs::put(&namespace.join("enable"), "1")?;
        let port = nvmet.join("ports").join(&self.port);
        configfs::make(&port)?;
        configfs::put(&port.join("addr_traddr"), &server.to_string())?;
        configfs::put(&port.join("addr_adrfam"), if server.is_ipv4() { "ipv4" } else { "ipv6" })?;
        configfs::put(&port.join("addr_trtype"), "tcp")?;
        configfs::put(&port.join("addr_trsvcid"), &PORT.to_string())?;
        configfs::link(&subsystem, &port.join("subsystems").join(&self.name))
    }

    /// Removes it from the folder of nvmet; whether something of it was there.
    ///
    /// # Errors
    /// What the kernel said.
    pub(super) fn take_down(&self, nvmet: &Path, server: IpAddr) -> Result<bool, Fault> {
        let port = nvmet.join("ports").join(&self.port);
        let mut was_there = configfs::remove(&port.join("subsystems").join(&self.name))?;
        // Another may have had that number before.
        let address = read_to_string(port.join("addr_traddr")).unwrap_or_default();
        if port.exists() && (address.trim() == server.to_string() || address.trim().is_empty()) {
            was_there |= configfs::remove(&port)?;
        }
        let subsystem = nvmet.join("subsystems").join(&self.name);
        let namespace = subsystem.join("namespaces/1");
        configfs::put_if_there(&namespace.join("enable"), "0")?;
        configfs::remove(&namespace)?;
        configfs::remove(&subsystem.join("allowed_hosts").join(&self.name))?;
        was_there |= configfs::remove(&subsystem)?;
        Ok(configfs::remove(&nvmet.join("hosts").join(&self.name))? || was_there)
    }

    /// Connects to it at `server`; the node of its disk.
    ///
    /// # Errors
    /// What the kernel said, or that the disk did not appear.
    pub(super) fn connect(&self, server: IpAddr, commands: &mut Commands<'_>) -> Result<PathBuf, Fault> {
        let Self { uuid, name, .. } = self;
        let words = format!(
            "transport=tcp,traddr={server},trsvcid={PORT},nqn={name},hostnqn={name},hostid={uuid},ctrl_loss_tmo={LOST_WITHIN}"
        );
        let fabrics = OpenOptions::new().read(true).write(true).open("/dev/nvme-fabrics");
        // It returns when there is a connection.
        fabrics
            .and_then(|mut fabrics| fabrics.write_all(words.as_bytes()))
            .map_err(|e| Fault::system(format!("connecting to {name} at {server} by NVMe over TCP"), e))?;
        let found = commands.wait_for(APPEARS_WITHIN, || disk_of(Path::new("/sys/block"), uuid))?;
        found.ok_or_else(|| Fault::Other(format!("the namespace {uuid} of NVMe did not appear")))
    }

    /// Removes the controllers of this machine's host driver that are connected to it; whether there was one.
    ///
    /// # Errors
    /// What the kernel said.
    pub(super) fn disconnect(&self, class: &Path) -> Result<bool, Fault> {
        let Ok(entries) = fs::read_dir(class) else { return Ok(false) };
        let is_ours = |folder: &PathBuf| {
            read_to_string(folder.join("subsysnqn")).is_ok_and(|found| found.trim() == self.name)
        };
        let ours: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_ours).collect();
        for controller in &ours {
            // It is gone when this returns.
            configfs::put_if_there(&controller.join("delete_controller"), "1")?;
        }
        Ok(!ours.is_empty())
    }
}

/// The node of the namespace with this UUID. With several paths to a namespace each has a hidden disk beside the one
/// that is used (`drivers/nvme/host/multipath.c`).
fn disk_of(blocks: &Path, uuid: &str) -> Option<PathBuf> {
    let text = |path: PathBuf| read_to_string(path).unwrap_or_default();
    let is_it = |folder: &PathBuf| {
        text(folder.join("uuid")).trim() == uuid && text(folder.join("hidden")).trim() != "1"
    };
    let found = fs::read_dir(blocks).ok()?.flatten().map(|entry| entry.path()).find(is_it)?;
    Some(Path::new("/dev").join(found.file_name()?)).filter(|node| node.exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_controllers_of_our_subsystem_are_removed() {
        let class = tempfile::tempdir().unwrap();
        let target = Target { uuid: "u".to_owned(), name: "nqn.ours".to_owned(), port: "7".to_owned() };
        for (controller, name) in [("nvme0", "nqn.other\n"), ("nvme1", "nqn.ours\n")] {
            let folder = class.path().join(controller);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("subsysnqn"), name).unwrap();
            fs::write(folder.join("delete_controller"), "").unwrap();
        }
        assert!(target.disconnect(class.path()).unwrap());
        let asked = |controller: &str| {
            read_to_string(class.path().join(controller).join("delete_controller")).unwrap()
        };
        assert_eq!((asked("nvme0").as_str(), asked("nvme1").as_str()), ("", "1"));
        assert!(!target.disconnect(&class.path().join("none")).unwrap());
    }

    #[test]
    fn a_hidden_path_is_not_the_disk() {
        let blocks = tempfile::tempdir().unwrap();
        // The node must be there, and this one is everywhere.
        for (name, hidden) in [("nvme0c0n1", "1\n"), ("null", "0\n")] {
            let folder = blocks.path().join(name);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("uuid"), "1-2\n").unwrap();
            fs::write(folder.join("hidden"), hidden).unwrap();
        }
        assert_eq!(disk_of(blocks.path(), "1-2"), Some(PathBuf::from("/dev/null")));
        assert_eq!(disk_of(blocks.path(), "1-3"), None);
    }
}
