//! Where a working set lies: its pages and its node, surveyed before anything is
//! taken, granted when a worker takes it, and told afterwards as the kernel has
//! it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use engine::fault::Fault;
use engine::numa::{self, RequestedNodes};
use model::plan::Problem;
use model::scalar::binary;
use model::{FactName, Parameters, Value, fact};

use crate::workload::HostInfo;
use crate::workload::memory::buffer::Buffer;
use crate::workload::memory::pages::{self, Pages};
use crate::workload::memory::sizes;

/// What was asked for, and what was found; shared by the workers of a load.
#[derive(Clone, Debug)]
pub struct Layout {
    pages: Pages,
    asked: RequestedNodes,
    found: Arc<Mutex<GrantedMemory>>,
}

/// What all workers of a load were given.
#[derive(Debug)]
struct GrantedMemory {
    bytes: u64,
    /// Those in huge pages; absent where the kernel did not say of one.
    huge_bytes: Option<u64>,
    memory_nodes: BTreeSet<u32>,
    /// Bytes on another node than the worker that used them; absent where the kernel did not say of one.
    away_bytes: Option<f64>,
    cpu_nodes: BTreeSet<u32>,
}

impl Default for GrantedMemory {
    fn default() -> Self {
        let nodes = BTreeSet::default;
        Self {
            bytes: 0,
            huge_bytes: Some(0),
            memory_nodes: nodes(),
            away_bytes: Some(0.0),
            cpu_nodes: nodes(),
        }
    }
}

impl Layout {
    /// As the parameters say, in the nodes that were asked for.
    ///
    /// # Errors
    /// If one is missing or of another type.
    pub fn of(parameters: &Parameters, asked: RequestedNodes) -> Result<Self, Problem> {
        Ok(Self { pages: Pages::asked(parameters)?, asked, found: Arc::default() })
    }

    /// The same for another trial, in which nothing is found yet.
    #[must_use]
    pub fn anew(&self) -> Self {
        Self { found: Arc::default(), ..*self }
    }

    /// What a set that goes beyond the caches may take for all threads together:
    /// a part of what is free, and of reserved pages all that are.
    #[must_use]
    pub fn room(&self, host: &HostInfo) -> u64 {
        match self.pages {
            Pages::Reserved(page) => {
                let free =
                    host.memory.huge_pages.iter().find(|h| h.bytes == page).map_or(0, |h| h.free * page);
                // With none reserved, what is to be reserved is told by a size
                // that is worth it.
                if free > 2 * sizes::last_cache(host) { free } else { host.memory_available / 8 }
            }
            _ => self.free_bytes(host) / 8,
        }
    }

    /// Free memory, in the node that was asked for if one was.
    fn free_bytes(&self, host: &HostInfo) -> u64 {
        self.asked.free_bytes(&host.memory).unwrap_or(u64::MAX).min(host.memory_available)
    }

    /// What `threads` sets of `bytes` each take of the memory that is free, as
    /// whole pages; `size` is what a person gave.
    ///
    /// # Errors
    /// If there is not so much, or no such pages, or not so many CPUs in the node.
    pub fn survey(&self, host: &HostInfo, threads: u64, bytes: u64, size: u64) -> Result<u64, Problem> {
        self.asked.check_threads(threads, &host.cpu, &host.memory)?;
        let each = self.pages.rounded(bytes);
        self.pages.available(&host.memory, each, threads)?;
        if let Pages::Reserved(_) = self.pages {
            // Reserved pages are not among what is free.
            return Ok(0);
        }
        let all = each.saturating_mul(threads);
        let free = self.free_bytes(host);
        // A tenth stays free, so that measuring does not make the machine swap.
        if all > free / 10 * 9 {
            let node = if free < host.memory_available {
                self.asked.memory.map(|node| format!(" in NUMA node {node}")).unwrap_or_default()
            } else {
                String::new()
            };
            let threads = if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") };
            return Err(Problem::refused(
                format!(
                    "{threads} x {} need {} of memory, and {} are free{node}",
                    binary(size),
                    binary(all),
                    binary(free)
                ),
                "use a smaller size or fewer threads; size is what each thread works on",
            ));
        }
        Ok(all)
    }

    /// Takes memory.
    ///
    /// # Errors
    /// If the kernel has none, or not of this kind.
    pub fn buffer(&self, bytes: usize) -> Result<Buffer, Fault> {
        Buffer::of(bytes, self.pages)
    }

    /// Notes what the calling worker was given; to be called once by each, when
    /// time does not count any more.
    pub fn note(&self, buffer: &Buffer) {
        let huge = pages::in_huge_pages(buffer, self.pages);
        let (nodes, own) = (numa::of_pages(&buffer.range()), numa::of_this_thread());
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.bytes += buffer.len() as u64;
        found.huge_bytes = found.huge_bytes.zip(huge).map(|(all, huge)| all + huge);
        found.memory_nodes.extend(nodes);
        let away = own.and_then(|own| numa::share_away(&buffer.range(), own));
        found.away_bytes = found.away_bytes.zip(away).map(|(all, share)| all + share * buffer.len() as f64);
        found.cpu_nodes.extend(own);
    }

    /// What was granted to all workers that noted it: `page_size` in bytes where
    /// all pages are of one, `huge_page_share`, `cpu_node` and `memory_node` (a
    /// text with all of them where there are several).
    #[must_use]
    pub fn facts(&self) -> Vec<(FactName, Value)> {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let mut facts = Vec::new();
        if found.bytes == 0 {
            return facts;
        }
        if let Some(huge) = found.huge_bytes {
            let page = match self.pages {
                Pages::Reserved(page) => Some(page),
                _ if huge == 0 => Some(rustix::param::page_size() as u64),
                // PMD_SIZE of the machines whose base pages have 4 KiB.
                _ if huge == found.bytes => Some(2 << 20),
                _ => None,
            };
            facts.extend(page.map(|page| (FactName::new("page_size"), Value::Integer(page))));
            facts.push((fact::HUGE_PAGE_SHARE, Value::Number(huge as f64 / found.bytes as f64)));
        }
        facts.extend(numa::node_value(&found.cpu_nodes).map(|nodes| (fact::CPU_NODE, nodes)));
        facts.extend(numa::node_value(&found.memory_nodes).map(|nodes| (fact::MEMORY_NODE, nodes)));
        let away = found.away_bytes.map(|bytes| Value::Number(bytes / found.bytes as f64));
        facts.extend(away.map(|share| (fact::MEMORY_AWAY_SHARE, share)));
        facts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::machine::{HugePages, NumaNode};

    use crate::workload::named;

    fn layout(pages: &str, memory_node: Option<u64>) -> Layout {
        let mut parameters = Parameters::default();
        parameters.set(named("page-size"), pages);
        Layout::of(&parameters, RequestedNodes { cpu: None, memory: memory_node }).unwrap()
    }

    fn host() -> HostInfo {
        let mut host = HostInfo { cpus: 2, memory_available: 8 << 30, ..HostInfo::default() };
        let node = NumaNode { total_bytes: 8 << 30, free_bytes: Some(1 << 30), ..NumaNode::default() };
        host.memory.nodes = vec![node];
        host.memory.huge_pages = vec![HugePages { bytes: 2 << 20, reserved: 600, free: 512 }];
        host
    }

    #[test]
    fn a_survey_counts_whole_pages() {
        let size = (3 << 20) - 100;
        assert_eq!(layout("base", None).survey(&host(), 2, size, size), Ok(6 << 20));
        assert_eq!(layout("auto", None).survey(&host(), 2, size, size), Ok(8 << 20));
        assert_eq!(layout("2MiB", None).survey(&host(), 256, size, size), Ok(0), "all of the pool");
        let problem = layout("2MiB", None).survey(&host(), 257, size, size).unwrap_err();
        assert!(problem.help.contains("echo 602 >"), "{problem:?}");
    }

    #[test]
    fn a_node_has_what_is_free_in_it() {
        let (here, bytes) = (layout("base", Some(0)), 1 << 30);
        let problem = here.survey(&host(), 1, bytes, bytes).unwrap_err();
        assert!(problem.message.contains("1 GiB are free in NUMA node 0"), "{problem:?}");
        assert!(layout("base", None).survey(&host(), 1, bytes, bytes).is_ok());
        assert_eq!(here.room(&host()), 128 << 20);
        assert_eq!(layout("2MiB", None).room(&host()), 1 << 30);
    }

    #[test]
    fn what_was_granted_is_told_once_for_all_workers() {
        let layout = layout("base", None);
        assert!(layout.facts().is_empty());
        for _ in 0..2 {
            let mut buffer = layout.buffer(4 << 20).unwrap();
            buffer.as_mut_slice().fill(1);
            layout.clone().note(&buffer);
        }
        let facts = layout.facts();
        let fact =
            |name: &str| facts.iter().find(|(n, _)| n.as_str() == name).map(|(_, value)| value.clone());
        assert_eq!(layout.found.lock().unwrap().bytes, 8 << 20);
        // A kernel without smaps says nothing.
        if let Some(share) = fact("huge_page_share") {
            assert_eq!(share, Value::Number(0.0));
            assert_eq!(fact("page_size"), Some(Value::Integer(rustix::param::page_size() as u64)));
        }
    }
}
