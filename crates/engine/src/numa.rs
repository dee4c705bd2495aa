//! NUMA nodes: on whose CPUs the workers of a load run and in whose memory its buffers lie, as
//! asked and as the kernel says it was. One way for every load: the policy of a thread holds for
//! all that it touches first (set_mempolicy(2)), so no load need know of it.
//!
//! System calls because no C library has them without another library
//! (libnuma): set_mempolicy(2), get_mempolicy(2), move_pages(2), getcpu(2).

use std::collections::BTreeSet;
use std::ops::Range;
use std::{fs, io};

use model::machine::{Cpu, Memory, NumaNode};
use model::plan::Problem;
use model::{FactName, Value, fact};
use rustix::thread::CpuSet;

use crate::fault::Fault;

/// The nodes that were asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestedNodes {
    /// Of the CPUs.
    pub cpu: Option<u64>,
    /// Of the memory.
    pub memory: Option<u64>,
}

impl RequestedNodes {
    /// Whether the machine has these nodes, with CPUs that we may run on in the one and memory in
    /// the other.
    ///
    /// # Errors
    /// What is wrong, with the nodes that there are.
    pub fn check(self, cpu: &Cpu, memory: &Memory) -> Result<(), Problem> {
        if let Some(node) = self.memory
            && find(memory, node)?.total_bytes == 0
        {
            return Err(Problem::refused(format!("NUMA node {node} has no memory"), listed(memory)));
        }
        let Some(node) = self.cpu else { return Ok(()) };
        let all = &find(memory, node)?.cpus;
        let lacks =
            |what: &str| Problem::refused(format!("NUMA node {node} has no CPU {what}"), listed(memory));
        match self.cpus_of(cpu, memory) {
            _ if all.is_empty() => Err(lacks("that is online")),
            Some(allowed) if allowed.is_empty() => Err(lacks("that we may run on")),
            _ => Ok(()),
        }
    }

    /// Whether each of so many workers can have a CPU of its own in the node of the CPUs.
    ///
    /// # Errors
    /// If there are not enough.
    pub fn check_threads(self, threads: u64, cpu: &Cpu, memory: &Memory) -> Result<(), Problem> {
        let Some((node, allowed)) = self.cpu.zip(self.cpus_of(cpu, memory)) else { return Ok(()) };
        if threads <= allowed.len() as u64 {
            return Ok(());
        }
        let allowed = allowed.len();
        Err(Problem::refused(
            format!(
                "{threads} threads are more than the {allowed} CPUs of NUMA node {node} that we may run on"
            ),
            format!("use at most {allowed} threads, or leave cpu-node out; {}", listed(memory)),
        ))
    }

    /// The CPUs that workers may run on, of a machine that is described; none where no node of
    /// CPUs was asked for.
    #[must_use]
    pub fn cpus_of(self, cpu: &Cpu, memory: &Memory) -> Option<Vec<u32>> {
        let node = find(memory, self.cpu?).ok()?;
        Some(cpu.allowed.iter().copied().filter(|number| node.cpus.contains(number)).collect())
    }

    /// Free bytes of the node that memory was asked of; absent where no node was asked for or the
    /// kernel does not say.
    #[must_use]
    pub fn free_bytes(self, memory: &Memory) -> Option<u64> {
        memory.nodes.iter().find(|n| Some(u64::from(n.id)) == self.memory)?.free_bytes
    }

    /// What threads are confined to, on this machine as it is now.
    ///
    /// # Errors
    /// If the kernel does not say which CPUs the node has, or it has none any more.
    pub fn confinement(self) -> Result<Confinement, Fault> {
        let memory_node = self.memory;
        let Some(node) = self.cpu else { return Ok(Confinement { cpus: Vec::new(), memory_node }) };
        let path = format!("/sys/devices/system/node/node{node}/cpulist");
        let text = fs::read_to_string(&path)
            .map_err(|e| Fault::system(format!("reading the CPUs of NUMA node {node}"), e))?;
        let set = affinity()?;
        let cpus: Vec<u32> = listed_cpus(&text).into_iter().filter(|cpu| has(&set, *cpu)).collect();
        if cpus.is_empty() {
            return Err(Fault::Other(format!("NUMA node {node} has no CPU that we may run on any more")));
        }
        Ok(Confinement { cpus, memory_node })
    }
}

/// What the threads of a load are confined to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Confinement {
    /// The CPUs that they may run on, those of a node; empty where they are not confined.
    pub cpus: Vec<u32>,
    /// The node that their memory comes from, and from nowhere else.
    pub memory_node: Option<u64>,
}

impl Confinement {
    /// Whether it confines anything.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.cpus.is_empty() && self.memory_node.is_none()
    }

    /// Confines the calling thread, and those that it starts, until what is returned is dropped.
    /// Memory that was touched before stays where it is.
    ///
    /// # Errors
    /// If the kernel refuses: a node that is gone, or a container that forbids it.
    pub fn enter(&self) -> Result<ConfinedThread, Fault> {
        let mut confined = ConfinedThread { affinity: None, policy: None };
        if !self.cpus.is_empty() {
            let before = affinity()?;
            let mut set = CpuSet::new();
            self.cpus.iter().filter(|cpu| is_in_set(**cpu)).for_each(|cpu| set.set(*cpu as usize));
            rustix::thread::sched_setaffinity(None, &set)
                .map_err(|e| Fault::system("keeping a thread on the CPUs of a NUMA node", e))?;
            confined.affinity = Some(before);
        }
        if let Some(node) = self.memory_node {
            let refused =
                |e| Fault::system(format!("taking memory from NUMA node {node} (set_mempolicy)"), e);
            let before = MemoryPolicy::of_this_thread().map_err(refused)?;
            MemoryPolicy::bind(node)?.apply().map_err(refused)?;
            confined.policy = Some(before);
        }
        Ok(confined)
    }

    /// What the kernel says that a thread was given which was confined: the node that it runs on,
    /// its policy, and the nodes that `buffers` lie in. Nothing where it was not confined.
    pub(crate) fn facts(&self, buffers: &[Range<*const u8>]) -> Vec<(FactName, Value)> {
        if self.is_none() {
            return Vec::new();
        }
        let policy = self.memory_node.and_then(|_| MemoryPolicy::of_this_thread().ok());
        let pages: BTreeSet<u32> = buffers.iter().flat_map(of_pages).collect();
        let nodes = [(fact::CPU_NODE, of_this_thread().into_iter().collect()), (fact::MEMORY_NODE, pages)];
        let named = |(name, nodes): (FactName, BTreeSet<u32>)| Some((name, node_value(&nodes)?));
        let policy = policy.map(|policy| (fact::MEMORY_POLICY, Value::Text(policy.text())));
        nodes.into_iter().filter_map(named).chain(policy).collect()
    }
}

/// Gives a thread back what it had before it was confined.
#[derive(Debug)]
#[must_use]
pub struct ConfinedThread {
    affinity: Option<CpuSet>,
    policy: Option<MemoryPolicy>,
}

impl Drop for ConfinedThread {
    fn drop(&mut self) {
        // What was there a moment ago is allowed, unless a container changed meanwhile: then its
        // own limits hold anyhow.
        let _ = self.affinity.as_ref().map(|set| rustix::thread::sched_setaffinity(None, set));
        let _ = self.policy.as_ref().map(MemoryPolicy::apply);
    }
}

/// CPUs with larger numbers have no place in a set of the C library's size.
fn is_in_set(cpu: u32) -> bool {
    (cpu as usize) < CpuSet::MAX_CPU
}

fn has(set: &CpuSet, cpu: u32) -> bool {
    is_in_set(cpu) && set.is_set(cpu as usize)
}

fn affinity() -> Result<CpuSet, Fault> {
    rustix::thread::sched_getaffinity(None).map_err(|e| Fault::system("asking which CPUs we may run on", e))
}

/// `0-3,8` as the numbers it stands for.
fn listed_cpus(text: &str) -> Vec<u32> {
    let range = |part: &str| -> Option<std::ops::RangeInclusive<u32>> {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        Some(from.parse().ok()?..=to.parse().ok()?)
    };
    text.trim().split(',').filter_map(range).flatten().collect()
}

fn find(memory: &Memory, node: u64) -> Result<&NumaNode, Problem> {
    memory.nodes.iter().find(|n| u64::from(n.id) == node).ok_or_else(|| {
        Problem::refused(
            format!("there is no NUMA node {node} on this machine, or it is offline"),
            listed(memory),
        )
    })
}

/// The nodes of a machine in a line.
fn listed(memory: &Memory) -> String {
    let nodes: Vec<_> = memory
        .nodes
        .iter()
        .map(|n| {
            let has = if n.total_bytes == 0 {
                "no memory".to_owned()
            } else {
                model::scalar::binary(n.total_bytes)
            };
            format!("{} ({has}, {} CPUs)", n.id, n.cpus.len())
        })
        .collect();
    if nodes.is_empty() {
        return "this kernel tells of no nodes; leave cpu-node and memory-node out".to_owned();
    }
    format!("the nodes are: {}", nodes.join(", "))
}

/// Nodes as the value of a fact: a number where there is one, `0 1` where there are several.
#[must_use]
pub fn node_value(nodes: &BTreeSet<u32>) -> Option<Value> {
    match nodes.len() {
        0 => None,
        1 => nodes.first().map(|node| Value::Integer(u64::from(*node))),
        _ => Some(Value::Text(nodes.iter().map(u32::to_string).collect::<Vec<_>>().join(" "))),
    }
}

/// What two workers of a load tell of their nodes, together.
pub(crate) fn joined(one: &Value, other: &Value) -> Option<Value> {
    let numbers = |value: &Value| -> BTreeSet<u32> {
        value.to_string().split_whitespace().filter_map(|node| node.parse().ok()).collect()
    };
    node_value(&(&numbers(one) | &numbers(other)))
}

/// The most nodes that a kernel may have (`NODES_SHIFT` is at most 10).
const NODES_MOST: usize = 1024;
const WORD_BITS: usize = libc::c_ulong::BITS as usize;

/// Of `include/uapi/linux/mempolicy.h`.
const MPOL_DEFAULT: libc::c_int = 0;
const MPOL_BIND: libc::c_int = 2;

/// From which nodes the kernel takes what a thread touches first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MemoryPolicy {
    mode: libc::c_int,
    nodes: [libc::c_ulong; NODES_MOST / WORD_BITS],
}

impl MemoryPolicy {
    /// From `node` and from nowhere else.
    fn bind(node: u64) -> Result<Self, Fault> {
        let mut policy = Self { mode: MPOL_BIND, nodes: [0; NODES_MOST / WORD_BITS] };
        let at = usize::try_from(node).unwrap_or(usize::MAX);
        let Some(word) = policy.nodes.get_mut(at / WORD_BITS) else {
            let what = format!("node {node} is beyond the {NODES_MOST} that a kernel may have");
            return Err(Fault::Other(what));
        };
        *word |= 1 << (at % WORD_BITS);
        Ok(policy)
    }

    fn of_this_thread() -> io::Result<Self> {
        let mut policy = Self { mode: MPOL_DEFAULT, nodes: [0; NODES_MOST / WORD_BITS] };
        // SAFETY: both are written by the kernel, the mask up to as many bits as said; no address
        // is asked after.
        let result = unsafe {
            libc::syscall(
                libc::SYS_get_mempolicy,
                &raw mut policy.mode,
                policy.nodes.as_mut_ptr(),
                NODES_MOST as libc::c_ulong,
                std::ptr::null_mut::<libc::c_void>(),
                0 as libc::c_ulong,
            )
        };
        if result == 0 { Ok(policy) } else { Err(io::Error::last_os_error()) }
    }

    fn apply(&self) -> io::Result<()> {
        // One more than the bits that are given (mbind(2), BUGS); the default has no mask.
        let (nodes, bits) = match self.mode {
            MPOL_DEFAULT => (std::ptr::null(), 0),
            _ => (self.nodes.as_ptr(), NODES_MOST + 1),
        };
        // SAFETY: the mask is as long as said and outlives the call, which only reads it.
        let result =
            unsafe { libc::syscall(libc::SYS_set_mempolicy, self.mode, nodes, bits as libc::c_ulong) };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// `bind:1`, `default`: as the kernel's options of mounts have it.
    fn text(&self) -> String {
        let nodes: Vec<u32> = (0..NODES_MOST as u32)
            .filter(|node| {
                let at = *node as usize;
                (self.nodes[at / WORD_BITS] >> (at % WORD_BITS)) & 1 == 1
            })
            .collect();
        match self.mode {
            MPOL_DEFAULT => "default".to_owned(),
            MPOL_BIND => format!("bind:{}", model::resource::cpu_list(&nodes)),
            other => format!("{other}:{}", model::resource::cpu_list(&nodes)),
        }
    }
}

/// At most so many pages are asked after.
const SAMPLES: usize = 512;

/// The nodes that pages of this buffer lie in, by a sample; empty where the
/// kernel does not say.
#[must_use]
pub fn of_pages(buffer: &Range<*const u8>) -> Vec<u32> {
    let mut nodes = of_sample(buffer);
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// The share of this buffer that lies in other nodes than this, by a sample; none where the kernel does not say.
#[must_use]
pub fn share_away(buffer: &Range<*const u8>, node: u32) -> Option<f64> {
    let nodes = of_sample(buffer);
    let away = nodes.iter().filter(|other| **other != node).count();
    (!nodes.is_empty()).then(|| away as f64 / nodes.len() as f64)
}

/// The node of each page of a sample. The kernel is asked about addresses; nothing is touched.
fn of_sample(buffer: &Range<*const u8>) -> Vec<u32> {
    let page = rustix::param::page_size();
    let bytes = buffer.end.addr().saturating_sub(buffer.start.addr());
    let count = (bytes / page).clamp(1, SAMPLES);
    let step = bytes / count / page * page;
    let addresses: Vec<*const u8> = (0..count).map(|i| buffer.start.wrapping_add(i * step)).collect();
    let mut states = vec![-1 as libc::c_int; count];
    // SAFETY: both arrays have `count` entries; without nodes to move to the
    // kernel only says where each page is (move_pages(2)).
    let result = unsafe {
        libc::syscall(
            libc::SYS_move_pages,
            0,
            count as libc::c_ulong,
            addresses.as_ptr(),
            std::ptr::null::<libc::c_int>(),
            states.as_mut_ptr(),
            0,
        )
    };
    if result != 0 {
        return Vec::new();
    }
    // What is no node is an error of that page: not yet touched.
    states.into_iter().filter_map(|state| u32::try_from(state).ok()).collect()
}

/// The node of the CPU that this thread runs on.
#[must_use]
pub fn of_this_thread() -> Option<u32> {
    let (mut cpu, mut node) = (0 as libc::c_uint, 0 as libc::c_uint);
    // SAFETY: both are written by the kernel; the third argument is unused.
    let result = unsafe {
        libc::syscall(libc::SYS_getcpu, &raw mut cpu, &raw mut node, std::ptr::null_mut::<libc::c_void>())
    };
    (result == 0).then_some(node)
}

#[cfg(test)]
mod tests;
