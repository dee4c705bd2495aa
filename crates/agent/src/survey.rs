//! Saying of each case what it needs and whether it can run; nothing is
//! touched.

use std::collections::BTreeSet;
use std::net::ToSocketAddrs;
use std::path::Path;

use engine::IdlePhases;
use engine::numa::RequestedNodes;
use load::fixture::FixtureStore;
use load::host::{DeviceProbe, HostInfo, MemoryBeneath, StatusListener};
use load::in_memory;
use load::workload::Load;
use load::workload::common::requested_nodes;
use load::workload::disk::stack::presented_folder;
use machine::Host;
use machine::inventory::server;
use machine::inventory::storage::{self, StorageStack};
use machine::limit::{self, Beneath, WriteShare};
use machine::route;
use machine::setting::state_folder;
use machine::storage::{device_identity, device_state, memory_beneath};
use model::machine::{BlockDevice, Inventory};
use model::plan::{LoadSpec, Problem, Survey};
use model::profile::{Caches, OperationClass};
use model::resource::{PathStep, Symbol};
use model::scalar::binary;
use model::{LoadProfile, Resource, ResourceKind, metric};

use crate::network_storage;
use crate::stacked::SurveySite;

/// What workloads may know of this machine.
pub(crate) fn host_info(inventory: &Inventory, destroy: &[String], wipe: &[String]) -> HostInfo {
    HostInfo {
        cpus: inventory.cpu.allowed.len(),
        caches: inventory.cpu.caches.iter().map(|c| (c.level, c.bytes, c.shared_by.len())).collect(),
        memory_available: inventory.memory.available_bytes,
        cpu: inventory.cpu.clone(),
        memory: inventory.memory.clone(),
        destroy: destroy.to_vec(),
        wipe: wipe.to_vec(),
        look: DeviceProbe { state: device_state, identity: device_identity },
        beneath: MemoryBeneath(memory_beneath),
        room: None,
        state_folder: Some(state_folder()),
        attached: Vec::new(),
        status: StatusListener::default(),
    }
}

/// What the loads of a case need; of those on a stack that is among `fixtures`, on that.
pub(crate) fn survey(
    loads: Vec<LoadSpec>,
    inventory: &Inventory,
    (host_info, fixtures): (&HostInfo, &FixtureStore),
    host: &Host,
) -> Survey {
    let mut survey = Survey::default();
    // Bytes of it that targets take, and what memory those are.
    let mut in_targets = (0, String::new());
    let mut main = None;
    for load in loads {
        match add_load(&mut survey, &mut in_targets, load, (host_info, fixtures)) {
            Ok(load) => main = main.or(Some(load)),
            Err(problem) => {
                survey.problem = Some(problem);
                return survey;
            }
        }
    }
    if survey.memory_bytes > host_info.memory_room() {
        let (of_them, name) = in_targets;
        let targets = match of_them {
            0 => String::new(),
            bytes => format!(", {} of it for what is written to memory in the end ({name})", binary(bytes)),
        };
        survey.problem = Some(Problem::refused(
            format!(
                "the loads need {} of memory together{targets}, and {} are free",
                binary(survey.memory_bytes),
                binary(host_info.memory_available)
            ),
            "use smaller sizes or fewer threads",
        ));
    }
    if let Some(main) = main {
        survey.path = path(&main, inventory, host);
    }
    survey
}

fn add_load(
    survey: &mut Survey,
    in_targets: &mut (u64, String),
    load: LoadSpec,
    (host_info, fixtures): (&HostInfo, &FixtureStore),
) -> Result<Load, Problem> {
    let LoadSpec { workload: name, parameters, .. } = load;
    let nodes = requested_nodes(&parameters)?;
    nodes.check(&host_info.cpu, &host_info.memory)?;
    let site = SurveySite::of(name, parameters, host_info.within(nodes), fixtures)?;
    let host_info = &*site.host;
    let mut load = Load::named(name, site.parameters.clone(), host_info.cpus)?;
    load.schedule.check()?;
    check_search(&load, survey.loads.is_empty())?;
    check_rest(load.schedule.rest(), survey.loads.is_empty())?;
    let mut needs = load.survey(host_info)?;
    check_node_memory(nodes, needs.memory_bytes, host_info)?;
    let profile = load.profile();
    let threads = load.schedule.threads.saturating_mul(profile.targets.max(1));
    survey.threads = survey.threads.saturating_add(threads);
    survey.memory_bytes = survey.memory_bytes.saturating_add(needs.memory_bytes);
    survey.effect = survey.effect.max(needs.effect);
    let beneath = host_info.beneath;
    let parameters = site.finish(&mut needs, load.parameters.clone(), load.uses_up_stack())?;
    survey.limits.extend(needs.limits);
    for fixture in needs.fixtures {
        if survey.fixtures.contains(&fixture) {
            continue;
        }
        if let Some((bytes @ 1.., name)) = in_memory::fixture_bytes(&fixture, beneath) {
            survey.memory_bytes = survey.memory_bytes.saturating_add(bytes);
            *in_targets = (in_targets.0.saturating_add(bytes), name);
        }
        survey.fixtures.push(fixture);
    }
    survey.loads.push(LoadSpec { workload: name, parameters, profile: Some(profile) });
    Ok(load)
}

/// Whether the node that memory was asked of has as much free.
fn check_node_memory(nodes: RequestedNodes, needed: u64, host_info: &HostInfo) -> Result<(), Problem> {
    let Some((node, free)) = nodes.memory.zip(nodes.free_bytes(&host_info.memory)) else { return Ok(()) };
    if needed <= free / 10 * 9 {
        return Ok(());
    }
    Err(Problem::refused(
        format!(
            "the load needs {} of memory, and {} are free in NUMA node {node}",
            binary(needed),
            binary(free)
        ),
        "use smaller sizes or fewer threads, or another node",
    ))
}

/// Whether a rate can be searched for this load.
fn check_search(load: &Load, is_main: bool) -> Result<(), Problem> {
    if load.schedule.latency_target.is_none() {
        return Ok(());
    }
    if !is_main {
        return Err(Problem::invalid(
            "only the rate of the main load can be searched, and latency-target is one of a load beside it",
            "give that load a rate",
        ));
    }
    if load.spec.metric(metric::RATE_HELD).is_none() {
        return Err(Problem::invalid(
            format!("{} has no latency that is of interest, so there is no rate to search", load.spec.name),
            "leave out latency-target",
        ));
    }
    Ok(())
}

/// All loads rest together, for as long as the main one says.
fn check_rest(rest: IdlePhases, is_main: bool) -> Result<(), Problem> {
    let given =
        [("idle", rest.idle_ns), ("cool-down", rest.cool_down_ns)].into_iter().find(|(_, ns)| *ns > 0);
    match given.filter(|_| !is_main) {
        Some((name, _)) => Err(Problem::invalid(
            format!("{name} is of a whole trial, and here it is one of a load that runs beside another"),
            "give it to the main load",
        )),
        None => Ok(()),
    }
}

/// The resources that the main load's data passes.
pub(crate) fn path(main: &Load, inventory: &Inventory, host: &Host) -> Vec<PathStep> {
    let (under, profile) = (under(main, host), main.profile());
    let share = 1.0 / under.len().max(1) as f64;
    let step = |resource: Resource| vec![PathStep { resource, amplification: 1.0 }];
    let steps = main.spec.path.iter().map(|symbol| match symbol {
        Symbol::WorkerCpus => step(Resource::of_cpus(&inventory.cpu.allowed)),
        Symbol::Memory => step(Resource::MEMORY),
        Symbol::Own(resource) => step(Resource::from(*resource)),
        Symbol::TargetFileSystem => {
            let mounted = under.iter().flatten().filter_map(|u| u.filesystem.as_ref());
            let mut steps =
                summed(mounted.map(|m| (Resource::of(ResourceKind::FileSystem, m.name()), share)));
            if profile.caches == Caches::PageCache && !steps.is_empty() {
                steps.insert(0, PathStep { resource: Resource::PAGE_CACHE, amplification: 1.0 });
            }
            steps
        }
        // Who knows where the peer is adds it.
        Symbol::PeerInterface => Vec::new(),
        Symbol::ServerInterface => {
            let servers = main.servers();
            let share = 1.0 / servers.len().max(1) as f64;
            let mut steps =
                summed(servers.iter().map(|name| (Resource::of(ResourceKind::Server, name), share)));
            steps.extend(summed(interfaces(&servers)));
            steps
        }
        Symbol::TargetDevice => {
            let names: Vec<_> = under.iter().map(|u| u.as_ref()?.block.as_deref()).collect();
            let beneath = |device: &BlockDevice| beneath(device, host);
            let mut steps = limit::to_block_devices(inventory, &names, flow(&profile), &beneath);
            // A discard is a command: no data passes a link.
            steps.retain(|s| !trims(&profile) || s.resource.is_named(ResourceKind::Block));
            if !trims(&profile) {
                steps.extend(summed(network_storage::shares(&under, &steps, host).into_iter()));
                let of_disks = behind(inventory, &steps, flow(&profile), host);
                steps.extend(of_disks);
                steps.extend(behind_shares(&under, inventory, flow(&profile), host));
            }
            steps
        }
    });
    steps.flatten().collect()
}

/// The block devices that the main load's data passes, and those under its targets, by the kernel's names.
pub(crate) fn blocks(main: &Load, inventory: &Inventory, host: &Host) -> Vec<String> {
    let steps = path(main, inventory, host);
    let passed = steps.iter().filter_map(|step| step.resource.named(ResourceKind::Block));
    let mut all: Vec<String> = passed.map(str::to_owned).collect();
    all.extend(under(main, host).into_iter().flatten().filter_map(|stack| stack.device));
    all
}

/// The interfaces towards the servers of a load. A name that leads nowhere is told by who connects.
fn interfaces(servers: &[String]) -> impl Iterator<Item = (Resource, f64)> {
    let address = |host: &String| (host.as_str(), 0).to_socket_addrs().ok()?.next();
    let ways = servers.iter().filter_map(address).filter_map(|to| route::towards(to.ip()).ok());
    let names: BTreeSet<String> = ways.map(|way| way.interface).collect();
    let share = 1.0 / names.len().max(1) as f64;
    names.into_iter().map(move |name| (Resource::of(ResourceKind::Nic, &name), share))
}

/// Shares of one resource as one step, in the order in which they come.
fn summed(shares: impl Iterator<Item = (Resource, f64)>) -> Vec<PathStep> {
    let mut steps: Vec<PathStep> = Vec::new();
    for (resource, share) in shares {
        match steps.iter_mut().find(|s| s.resource == resource) {
            Some(step) => step.amplification += share,
            None => steps.push(PathStep { resource, amplification: share }),
        }
    }
    steps
}

/// What lies behind the servers of a path, where that is this machine.
fn behind(inventory: &Inventory, path: &[PathStep], flow: WriteShare, host: &Host) -> Vec<PathStep> {
    let disks =
        path.iter().filter_map(|step| Some((step.resource.named(ResourceKind::Block)?, step.amplification)));
    let shares = disks.flat_map(|(disk, passing)| {
        let devices = server::presented_by_itself(host, disk);
        let names: Vec<_> = devices.iter().map(|name| Some(name.as_str())).collect();
        let beneath = |device: &BlockDevice| beneath(device, host);
        let steps = limit::to_block_devices(inventory, &names, flow, &beneath);
        steps.into_iter().map(move |step| (step.resource, step.amplification * passing))
    });
    summed(shares)
}

/// What lies behind the servers of shares that this machine presents to itself: the file system, and what that lies on.
fn behind_shares(
    under: &[Option<StorageStack>],
    inventory: &Inventory,
    flow: WriteShare,
    host: &Host,
) -> Vec<PathStep> {
    let share = 1.0 / under.len().max(1) as f64;
    let folder = |stack: &StorageStack| {
        let mounted = stack.filesystem.as_ref().filter(|_| stack.server.is_some())?;
        presented_folder(Path::new(&mounted.point))
    };
    let folders = under.iter().flatten().filter_map(folder);
    let stacks = folders.filter_map(|folder| storage::under(host, &folder));
    let steps = stacks.flat_map(|StorageStack { filesystem, block, .. }| {
        let beneath = |device: &BlockDevice| beneath(device, host);
        let devices = limit::to_block_devices(inventory, &[block.as_deref()], flow, &beneath);
        let devices = devices.into_iter().map(|step| (step.resource, step.amplification * share));
        let system =
            filesystem.map(|mounted| (Resource::of(ResourceKind::FileSystem, mounted.name()), share));
        system.into_iter().chain(devices).collect::<Vec<_>>()
    });
    summed(steps)
}

/// What the file of a loop device lies on. Another namespace may have given the
/// device its file: then there is no such path here.
pub(crate) fn beneath(device: &BlockDevice, host: &Host) -> Option<Beneath> {
    let file = device.backing_file.as_deref()?;
    let StorageStack { filesystem, block, .. } = storage::under(host, Path::new(file))?;
    Some(Beneath { filesystem: filesystem.map(|m| m.name()), block })
}

/// Which way a load's bytes flow.
fn flow(profile: &LoadProfile) -> WriteShare {
    WriteShare { written: profile.flow(OperationClass::Write).map_or(0.0, |flow| flow.share) }
}

/// Whether a load only discards.
fn trims(profile: &LoadProfile) -> bool {
    !profile.flows.is_empty() && profile.flows.iter().all(|flow| flow.class == OperationClass::Trim)
}

/// What lies under each path that a load drives.
pub(crate) fn under(load: &Load, host: &Host) -> Vec<Option<StorageStack>> {
    load.targets().iter().map(|target| storage::under(host, Path::new(target))).collect()
}

#[cfg(test)]
mod extremes_tests;
#[cfg(test)]
mod replaced_tests;

#[cfg(test)]
mod tests {
    use model::{ParameterName, WorkloadName};

    use super::*;

    fn load(changes: &[(&str, &str)]) -> LoadSpec {
        let mut load = LoadSpec::new(WorkloadName::new("disk"), model::Parameters::default());
        changes
            .iter()
            .for_each(|(name, value)| load.parameters.set(ParameterName::intern(name).unwrap(), *value));
        load
    }

    fn planned(load: &LoadSpec) -> Load {
        Load::named(load.workload, load.parameters.clone(), 1).unwrap()
    }

    #[test]
    fn bytes_flow_as_the_pattern_says() {
        let written = |pattern| flow(&planned(&load(&[("pattern", pattern)])).profile()).written;
        assert_eq!(["read", "randread", "trim"].map(written), [0.0; 3]);
        assert_eq!(["write", "randwrite"].map(written), [1.0; 2]);
        assert_eq!(["readwrite", "randrw"].map(written), [0.5; 2]);
        let mut mix = load(&[("pattern", "randrw")]);
        mix.parameters.set(ParameterName::new("read-share"), 0.6);
        assert!((flow(&planned(&mix).profile()).written - 0.4).abs() < 1e-12);
    }

    #[test]
    fn a_load_of_a_node_has_the_cpus_and_the_memory_of_that_node() {
        use model::machine::NumaNode;
        let node = |id: u32, cpus: &[u32]| NumaNode {
            id,
            total_bytes: 4 << 30,
            free_bytes: Some(u64::from(id + 1) << 30),
            cpus: cpus.to_vec(),
            ..NumaNode::default()
        };
        let mut host_info = HostInfo { cpus: 4, memory_available: 8 << 30, ..HostInfo::default() };
        host_info.cpu.allowed = vec![0, 1, 2, 3];
        host_info.memory.nodes = vec![node(0, &[0]), node(1, &[1, 2, 3])];
        let surveyed = |name, parameters: &[(&str, model::Value)]| {
            let mut load = LoadSpec::new(name, model::Parameters::default());
            parameters.iter().for_each(|(name, value)| {
                load.parameters.set(ParameterName::intern(name).unwrap(), value.clone());
            });
            super::survey(
                vec![load],
                &Inventory::default(),
                (&host_info, &FixtureStore::default()),
                &Host::this(),
            )
        };
        let primes = WorkloadName::new("cpu.primes");
        let all = surveyed(primes, &[("threads", "all".into()), ("cpu-node", 1u64.into())]);
        assert_eq!((all.problem, all.threads), (None, 3), "all CPUs are those of the node");
        let problem = surveyed(primes, &[("cpu-node", 7u64.into())]).problem.unwrap();
        assert!(problem.message.contains("no NUMA node 7") && problem.help.contains("3 CPUs"), "{problem:?}");
        // A load that chooses its CPUs itself cannot choose those of another node.
        let handoff = WorkloadName::new("scheduler.handoff");
        let problem = surveyed(handoff, &[("from", 0u64.into()), ("cpu-node", 1u64.into())]).problem.unwrap();
        assert!(problem.message.contains("CPU 0"), "{problem:?}");
        let blocks = WorkloadName::new("memory.blocks");
        let block = |node: u64| {
            surveyed(blocks, &[("block-size", (1u64 << 30).into()), ("memory-node", node.into())])
        };
        assert!(block(0).problem.unwrap().message.contains("1 GiB are free in NUMA node 0"));
        assert_eq!(block(1).problem, None);
    }

    #[test]
    fn a_load_beside_another_has_no_rest_of_its_own() {
        assert_eq!(check_rest(IdlePhases::default(), false), Ok(()));
        let rest = IdlePhases { cool_down_ns: 3, ..IdlePhases::default() };
        assert_eq!(check_rest(rest, true), Ok(()));
        assert!(check_rest(rest, false).unwrap_err().message.starts_with("cool-down is of a whole trial"));
    }

    #[test]
    fn regression_a_file_given_up_in_memory_was_not_held_to_the_memory_that_is_free() {
        let file = tempfile::NamedTempFile::new_in(".").unwrap();
        // A hole, which takes memory when it is written.
        file.as_file().set_len(4 << 30).unwrap();
        let path = file.path().to_string_lossy().into_owned();
        let host_info = HostInfo {
            cpus: 2,
            memory_available: 2 << 30,
            destroy: vec![path.clone()],
            beneath: MemoryBeneath(|_| Some("tmpfs at /mnt".to_owned())),
            ..HostInfo::default()
        };
        let surveyed = |pattern: &str| {
            let loads = vec![load(&[("pattern", pattern), ("target", &path)])];
            super::survey(loads, &Inventory::default(), (&host_info, &FixtureStore::default()), &Host::this())
        };
        let problem = surveyed("write").problem.expect("it takes 4 GiB of 2");
        assert!(problem.message.contains("to memory in the end (tmpfs at /mnt)"), "{problem:?}");
        assert_eq!(surveyed("read").problem, None, "reading takes none");
    }

    #[test]
    fn targets_of_one_file_system_share_its_path() {
        let host = Host::this();
        let mut load = load(&[("pattern", "randread")]);
        let both = model::Value::List(vec!["/proc/self".into(), "/proc".into()]);
        load.parameters.set(ParameterName::new("target"), both);
        let steps = path(&planned(&load), &Inventory::default(), &host);
        let proc: Vec<_> = steps.iter().filter(|s| s.resource.is_named(ResourceKind::FileSystem)).collect();
        assert_eq!(proc.len(), 1, "{steps:?}");
        assert_eq!(proc[0].amplification, 1.0);
        load.parameters.set(ParameterName::new("engine"), "null");
        assert!(
            path(&planned(&load), &Inventory::default(), &host)
                .iter()
                .all(|s| s.resource.is_named(ResourceKind::Cpu))
        );
    }
}
