//! NUMA nodes: whose memory a working set lies in and whose CPUs its workers
//! run on, as asked and as the kernel says it was.
//!
//! System calls because no C library has them without another library
//! (libnuma): mbind(2), move_pages(2), getcpu(2).

use std::fs;

use engine::fault::Fault;
use model::Parameters;
use model::machine::{Memory, NumaNode};
use model::parameter::{Kind, ParameterSpec};
use model::plan::Problem;
use model::profile::Aspect;
use model::value::ParameterError;

use crate::workload::memory::buffer::Buffer;
use crate::workload::{HostInfo, named};

/// The node whose CPUs the workers run on.
pub const CPU_NODE: ParameterSpec = ParameterSpec::new(
    "cpu-node",
    Kind::Count,
    "The NUMA node whose CPUs the workers run on, each worker on one of its own. Without it they are placed as in \
     every load.",
).says(Aspect::CpuNode)
.or_zero();

/// The node whose memory is used.
pub const MEMORY_NODE: ParameterSpec = ParameterSpec::new(
    "memory-node",
    Kind::Count,
    "The NUMA node in whose memory the working sets lie. Without it each lies where the kernel puts what its worker \
     touches first: in the worker's node.",
).says(Aspect::MemoryNode)
.or_zero();

/// The nodes that were asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestedNodes {
    /// Of the CPUs.
    pub cpu: Option<u64>,
    /// Of the memory.
    pub memory: Option<u64>,
}

impl RequestedNodes {
    /// Reads both parameters.
    ///
    /// # Errors
    /// If one is no number.
    pub fn of(parameters: &Parameters) -> Result<Self, ParameterError> {
        let given = |name| parameters.given(name, Parameters::integer);
        Ok(Self { cpu: given(named("cpu-node"))?, memory: given(named("memory-node"))? })
    }

    /// Whether the machine has these nodes, and enough CPUs for `threads`
    /// workers in that of the CPUs.
    ///
    /// # Errors
    /// What is wrong, with the nodes that there are.
    pub fn survey(self, host: &HostInfo, threads: u64) -> Result<(), Problem> {
        if let Some(node) = self.memory
            && find(&host.memory, node)?.total_bytes == 0
        {
            return Err(Problem::refused(format!("NUMA node {node} has no memory"), listed(&host.memory)));
        }
        let Some(node) = self.cpu else { return Ok(()) };
        let all = &find(&host.memory, node)?.cpus;
        if all.is_empty() {
            return Err(Problem::refused(
                format!("NUMA node {node} has no CPU that is online"),
                listed(&host.memory),
            ));
        }
        let allowed = all.iter().filter(|cpu| host.cpu.allowed.contains(cpu)).count();
        if threads > allowed as u64 {
            return Err(Problem::refused(
                format!(
                    "{threads} threads are more than the {allowed} CPUs of NUMA node {node} that we may run on"
                ),
                format!("use at most {allowed} threads, or leave cpu-node out; {}", listed(&host.memory)),
            ));
        }
        Ok(())
    }

    /// The CPUs for `threads` workers, if a node was asked for.
    ///
    /// # Errors
    /// If the kernel does not say which CPUs a node has, or they went away.
    pub fn cpus(self, threads: usize) -> Result<Option<Vec<u32>>, Fault> {
        let Some(node) = self.cpu else { return Ok(None) };
        let path = format!("/sys/devices/system/node/node{node}/cpulist");
        let text = fs::read_to_string(&path)
            .map_err(|e| Fault::system(format!("reading the CPUs of node {node}"), e))?;
        let set = rustix::thread::sched_getaffinity(None)
            .map_err(|e| Fault::system("asking which CPUs we may run on", e))?;
        let cpus: Vec<u32> =
            cpu_list(&text).into_iter().filter(|cpu| set.is_set(*cpu as usize)).take(threads).collect();
        if cpus.len() < threads {
            return Err(Fault::Other(format!(
                "node {node} has only {} CPUs for {threads} workers",
                cpus.len()
            )));
        }
        Ok(Some(cpus))
    }
}

/// `0-3,8` as the numbers it stands for.
fn cpu_list(text: &str) -> Vec<u32> {
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

/// Free bytes of the node that memory was asked of; absent where no node was
/// asked for or the kernel does not say.
#[must_use]
pub fn free_bytes(asked: RequestedNodes, memory: &Memory) -> Option<u64> {
    memory.nodes.iter().find(|n| Some(u64::from(n.id)) == asked.memory)?.free_bytes
}

/// `MPOL_BIND` of `include/uapi/linux/mempolicy.h`.
const MPOL_BIND: libc::c_long = 2;

/// Has the kernel take the pages of a buffer that nobody touched yet from `node` and from nowhere
/// else.
///
/// # Errors
/// If it refuses: no such node, or a container that forbids it.
pub fn bind(buffer: &Buffer, node: u64) -> Result<(), Fault> {
    let (start, bytes) = (buffer.as_mut_ptr(), buffer.len());
    const BITS: usize = libc::c_ulong::BITS as usize;
    let mut mask = [0 as libc::c_ulong; 1024 / BITS];
    let at = usize::try_from(node).unwrap_or(usize::MAX);
    let Some(word) = mask.get_mut(at / BITS) else {
        return Err(Fault::Other(format!("node {node} is beyond the 1024 that a kernel may have")));
    };
    *word |= 1 << (at % BITS);
    // One more than the bits that are given (mbind(2), BUGS).
    let bits = (mask.len() * BITS + 1) as libc::c_ulong;
    // SAFETY: the range is the buffer's; the mask is as long as said and
    // outlives the call.
    let result = unsafe { libc::syscall(libc::SYS_mbind, start, bytes, MPOL_BIND, mask.as_ptr(), bits, 0) };
    if result == 0 {
        return Ok(());
    }
    Err(Fault::system(format!("taking memory from node {node} (mbind)"), std::io::Error::last_os_error()))
}

/// At most so many pages are asked after.
const SAMPLES: usize = 512;

/// The nodes that pages of this buffer lie in, by a sample; empty where the
/// kernel does not say. The kernel is asked about addresses; nothing is touched.
#[must_use]
pub fn of_pages(buffer: &Buffer) -> Vec<u32> {
    let (start, bytes) = (buffer.as_mut_ptr(), buffer.len());
    let page = rustix::param::page_size();
    let count = (bytes / page).clamp(1, SAMPLES);
    let step = bytes / count / page * page;
    let addresses: Vec<*mut u8> = (0..count).map(|i| start.wrapping_add(i * step)).collect();
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
    let mut nodes: Vec<u32> = states.into_iter().filter_map(|state| u32::try_from(state).ok()).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
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
mod tests {
    use super::*;

    fn host() -> HostInfo {
        let node = |id, gib: u64, cpus: &[u32]| NumaNode {
            id,
            total_bytes: gib << 30,
            free_bytes: Some(gib << 29),
            cpus: cpus.to_vec(),
            ..NumaNode::default()
        };
        let mut host = HostInfo::default();
        host.cpu.allowed = vec![0, 1, 2];
        host.memory.nodes = vec![node(0, 4, &[0, 1]), node(1, 4, &[2, 3]), node(2, 8, &[]), node(3, 0, &[4])];
        host
    }

    fn survey(cpu: Option<u64>, memory: Option<u64>, threads: u64) -> Result<(), Problem> {
        RequestedNodes { cpu, memory }.survey(&host(), threads)
    }

    #[test]
    fn nodes_that_cannot_serve_are_refused_with_a_list() {
        assert_eq!(survey(None, None, 99), Ok(()));
        assert_eq!(survey(Some(0), Some(1), 2), Ok(()));
        assert_eq!(survey(Some(1), Some(2), 1), Ok(()), "memory without CPUs serves as memory");
        for (cpu, memory, threads, says) in [
            (Some(7), None, 1, "no NUMA node 7"),
            (Some(9_000_000_000_000_000), None, 1, "no NUMA node 9000000000000000 "),
            (None, Some(7), 1, "no NUMA node 7"),
            (Some(2), None, 1, "node 2 has no CPU"),
            (None, Some(3), 1, "node 3 has no memory"),
            (Some(1), None, 2, "more than the 1 CPUs of NUMA node 1"),
        ] {
            let problem = survey(cpu, memory, threads).unwrap_err();
            assert!(problem.message.contains(says), "{problem:?}");
            assert!(problem.help.contains("0 (4 GiB, 2 CPUs)"), "{problem:?}");
        }
    }

    #[test]
    fn a_kernel_without_nodes_is_told_apart() {
        let asked = RequestedNodes { cpu: None, memory: Some(0) };
        assert!(asked.survey(&HostInfo::default(), 1).unwrap_err().help.contains("tells of no nodes"));
    }

    #[test]
    fn lists_of_cpus_are_read() {
        assert_eq!(cpu_list("0-2,8\n"), [0, 1, 2, 8]);
        assert_eq!(cpu_list("\n"), [0u32; 0]);
    }

    #[test]
    fn free_bytes_are_those_of_the_node_of_the_memory() {
        let asked = RequestedNodes { cpu: Some(0), memory: Some(2) };
        assert_eq!(free_bytes(asked, &host().memory), Some(4 << 30));
        assert_eq!(free_bytes(RequestedNodes::default(), &host().memory), None);
    }

    #[test]
    fn the_kernel_says_where_touched_pages_lie() {
        let Some(own) = of_this_thread() else { return };
        let mut buffer = Buffer::new(1 << 20).unwrap();
        assert_eq!(of_pages(&buffer), [0u32; 0], "nothing was touched yet");
        buffer.as_mut_slice().fill(1);
        let nodes = of_pages(&buffer);
        // A kernel without NUMA, or a container, may say nothing.
        if !nodes.is_empty() && fs::exists("/sys/devices/system/node/node1").is_ok_and(|there| !there) {
            assert_eq!(nodes, [own]);
        }
    }

    #[test]
    fn memory_of_a_node_that_is_not_there_is_refused_by_the_kernel_too() {
        let buffer = Buffer::new(1 << 16).unwrap();
        bind(&buffer, 1000).unwrap_err();
        bind(&buffer, 100_000).unwrap_err();
    }
}
