//! Where a scenario takes place: what was laid for it, a folder and a store of its own,
//! and how headroom is started there. All of it is taken away when it is dropped, also
//! when something fails or the user wants an end.

mod database;
mod device;
mod group;
mod hosts;
mod neighbour;
mod server;
mod swap;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use rustix::thread::{CpuSet, sched_getaffinity};
use tempfile::TempDir;

use crate::scenario::{Access, Cpu, End, Limiter, Per, Scenario};
use crate::wire::WireCounts;
use database::Database;
use device::{Device, DeviceCounts};
use group::{Group, GroupLimit};
use hosts::{FAR, Hosts, Node};
use neighbour::Neighbour;
use server::Server;
use swap::Swap;

/// How long a load is measured that does not say so.
const SHORT: [&str; 6] = ["--duration", "800ms", "--warm-up", "200ms", "--trials", "3"];

/// The place. What is first here goes first.
pub(crate) struct Site {
    node: Option<Node>,
    neighbours: Vec<Neighbour>,
    server: Option<Server>,
    database: Option<Database>,
    hosts: Option<Hosts>,
    groups: Vec<(End, Group)>,
    affinity: Vec<(End, usize)>,
    swap: Option<Swap>,
    laid: Option<Device>,
    /// The disk below the folder.
    disk: Device,
    program: String,
    folder: TempDir,
}

impl Site {
    /// Lays all that a scenario asks for.
    ///
    /// # Errors
    /// Why this machine does not have it.
    pub(crate) fn new(program: &Path, scratch: &Path, scenario: &Scenario) -> Result<Self, String> {
        let failed = |e: std::io::Error| format!("{}: {e}", scratch.display());
        std::fs::create_dir_all(scratch).map_err(failed)?;
        let folder = tempfile::Builder::new().prefix("lab-").tempdir_in(scratch).map_err(failed)?;
        // A server that headroom starts there runs as another user than root.
        let open = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(folder.path(), open).map_err(failed)?;
        let mut site = Self {
            node: None,
            neighbours: Vec::new(),
            server: None,
            database: None,
            hosts: None,
            groups: Vec::new(),
            affinity: Vec::new(),
            swap: None,
            laid: None,
            disk: Device::below(folder.path())?,
            program: program.to_string_lossy().into_owned(),
            folder,
        };
        for limiter in scenario.lay {
            site.lay(limiter)?;
        }
        // Loads on a database have no node at the other end.
        if site.hosts.is_some() && site.database.is_none() {
            let key = site.path("node.json");
            let listen = format!("{FAR}:7117");
            let words = ["node", "--listen", &listen, "--key-file", &key];
            site.node = Some(Node::new(site.headroom(End::Far, &words))?);
        }
        Ok(site)
    }

    fn lay(&mut self, limiter: &Limiter) -> Result<(), String> {
        match *limiter {
            Limiter::Quota(end, percent) => {
                self.groups.push((end, Group::new(GroupLimit::Cpu(percent))?));
            }
            Limiter::Throttle(access, per, rate) => {
                let device = self.driven().number()?;
                self.groups.push((End::Near, Group::new(GroupLimit::Io { device, access, per, rate })?));
            }
            Limiter::Lowered(access, per, lowering) => {
                let device = self.driven().number()?;
                self.groups.push((End::Near, Group::lowered(device, access, per, lowering)?));
            }
            Limiter::Memory(mib) => {
                self.groups.push((End::Near, Group::new(GroupLimit::Memory(mib))?));
            }
            Limiter::Swap(mib) => self.swap = Some(Swap::new(self.folder.path(), mib)?),
            Limiter::Server(serving) => self.server = Some(Server::new(serving)?),
            Limiter::Database(settings) => {
                let (folder, around) = (self.folder.path().join("database"), self.around(End::Far));
                let address = if self.hosts.is_some() { FAR } else { "127.0.0.1" };
                self.database = Some(Database::new(&folder, &around, address, settings)?);
            }
            Limiter::File(name, content) => {
                std::fs::write(self.path(name), content).map_err(|e| format!("{name}: {e}"))?;
            }
            Limiter::Loop(mib) => self.laid = Some(Device::new_loop(mib)?),
            Limiter::LoopOnDisk(mib) => self.laid = Some(Device::new_loop_on(self.folder.path(), mib)?),
            Limiter::Zram(mib) => self.laid = Some(Device::new_zram(mib)?),
            Limiter::Burner(cpu) => self.neighbours.push(Neighbour::burner(number(cpu)?)?),
            Limiter::Copier(cpu) => self.neighbours.push(Neighbour::copier(number(cpu)?)?),
            Limiter::ForkStorm => self.neighbours.push(Neighbour::fork_storm()?),
            Limiter::Reader => self.neighbours.push(Neighbour::reader(self.folder.path())?),
            Limiter::Affinity(end, cpu) => self.affinity.push((end, number(cpu)?)),
            Limiter::Veth => self.hosts = Some(Hosts::with_veth()?),
            Limiter::Wire(way, states_speed) => self.hosts = Some(Hosts::with_wire(way, states_speed)?),
            Limiter::Shape(end, words) => self.two_ends()?.shape(end, words)?,
            Limiter::Class(end, words) => self.two_ends()?.class(end, words)?,
            Limiter::Sysctl(end, name, value) => self.two_ends()?.set(end, name, value)?,
        }
        Ok(())
    }

    fn two_ends(&self) -> Result<&Hosts, String> {
        self.hosts.as_ref().ok_or_else(|| "there is no network to change".to_owned())
    }

    /// `headroom run LOAD --json`, with the node as peer where there is one.
    pub(crate) fn run(&self, load: &[&str]) -> Command {
        let device = self.laid.as_ref().and_then(Device::path).unwrap_or_default();
        let mut words = vec!["run"];
        let of_database = || self.database.as_ref().map(|database| database.url().to_owned());
        let url = self.server.as_ref().map(Server::url).or_else(of_database).unwrap_or_default();
        words.extend(load.iter().map(|word| match *word {
            "DEVICE" => device.as_str(),
            "URL" => url.as_str(),
            other => other,
        }));
        if !load.contains(&"--duration") {
            words.extend(SHORT);
        }
        if let Some(node) = &self.node {
            words.extend(["--peer", node.join.as_str()]);
        }
        words.push("--json");
        self.headroom(End::Near, &words)
    }

    /// The words that bring what follows to an end: into its groups, on its CPUs and into its namespaces. All is one
    /// process.
    fn around(&self, end: End) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        let mut add = |words: &[&str]| all.extend(words.iter().map(|word| (*word).to_owned()));
        for (_, group) in self.groups.iter().filter(|(of, _)| *of == end) {
            add(&["sh", "-c", "echo $$ >\"$0\" && exec \"$@\"", &group.processes()]);
        }
        for (_, cpu) in self.affinity.iter().filter(|(of, _)| *of == end) {
            add(&["taskset", "-c", &cpu.to_string()]);
        }
        if let Some(hosts) = &self.hosts {
            add(&["nsenter", "--target", &hosts.id(end), "--net", "--mount"]);
        }
        all
    }

    /// `headroom WORDS` at an end. It is one process, whose id is that of the program.
    fn headroom(&self, end: End, words: &[&str]) -> Command {
        let mut all = self.around(end);
        let mut add = |words: &[&str]| all.extend(words.iter().map(|word| (*word).to_owned()));
        // A mount namespace is entered at its root.
        add(&["sh", "-c", "cd \"$0\" && exec \"$@\"", &self.folder.path().to_string_lossy(), &self.program]);
        add(words);
        let mut command = Command::new(&all[0]);
        command.args(&all[1..]).current_dir(self.folder.path());
        let own = if end == End::Near { "near" } else { "far" };
        command.env("NO_COLOR", "1").env("XDG_DATA_HOME", self.path(own));
        command.env("HEADROOM_STATE", self.path(&format!("{own}-state")));
        command
    }

    /// A path in the folder.
    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_string_lossy().into_owned()
    }

    /// The processes beside the load that are the lab's own, as /proc calls them.
    pub(crate) fn own_processes(&self) -> Vec<String> {
        let node = self.node.iter().map(Node::id);
        let database = self.database.iter().map(Database::id);
        let ids = self.neighbours.iter().map(Neighbour::id).chain(node).chain(database);
        std::iter::once("self".to_owned()).chain(ids.map(|id| id.to_string())).collect()
    }

    /// The neighbours, as /proc calls them.
    pub(crate) fn neighbours(&self) -> Vec<String> {
        self.neighbours.iter().map(|neighbour| neighbour.id().to_string()).collect()
    }

    /// What the quota of an end counted.
    pub(crate) fn throttled(&self, end: End) -> Option<f64> {
        self.groups.iter().filter(|(of, _)| *of == end).find_map(|(_, group)| group.throttled())
    }

    /// What a throttle counted.
    pub(crate) fn serviced(&self, access: Access, per: Per) -> Option<f64> {
        self.groups.iter().find_map(|(_, group)| group.serviced(access, per))
    }

    /// What the device below the load did.
    pub(crate) fn device(&self) -> Option<DeviceCounts> {
        self.driven().counts()
    }

    /// What the disk below the folder did.
    pub(crate) fn disk(&self) -> Option<DeviceCounts> {
        self.disk.counts()
    }

    fn driven(&self) -> &Device {
        self.laid.as_ref().unwrap_or(&self.disk)
    }

    /// Seconds that the server rested.
    pub(crate) fn rested_s(&self) -> Option<f64> {
        self.server.as_ref().map(Server::rested_s)
    }

    /// Datagrams that full sockets of an end dropped.
    pub(crate) fn socket_drops(&self, end: End) -> Option<f64> {
        self.hosts.as_ref()?.socket_drops(end)
    }

    /// Bytes that left by the interface of an end.
    pub(crate) fn sent(&self, end: End) -> Option<f64> {
        self.hosts.as_ref()?.sent(end)
    }

    pub(crate) fn wire(&self) -> Option<Arc<WireCounts>> {
        self.hosts.as_ref()?.wire()
    }
}

/// The number of a CPU.
pub(crate) fn number(cpu: Cpu) -> Result<usize, String> {
    let set = sched_getaffinity(None).map_err(|e| format!("the CPUs that may be used: {e}"))?;
    let mut all = (0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu));
    let (first, last) = (all.next(), all.next_back());
    match (cpu, first, last) {
        (Cpu::First, Some(first), Some(_)) => Ok(first),
        (Cpu::Last, Some(_), Some(last)) => Ok(last),
        _ => Err("it takes two CPUs".to_owned()),
    }
}
