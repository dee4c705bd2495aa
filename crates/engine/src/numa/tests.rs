//! Nodes that a person asks for, of made-up machines, and what this kernel says of node 0.

use model::machine::{Cpu, Memory, NumaNode};

use super::*;

fn machine() -> (Cpu, Memory) {
    let node = |id, gib: u64, cpus: &[u32]| NumaNode {
        id,
        total_bytes: gib << 30,
        free_bytes: Some(gib << 29),
        cpus: cpus.to_vec(),
        ..NumaNode::default()
    };
    let nodes =
        vec![node(0, 4, &[0, 1]), node(1, 4, &[2, 3]), node(2, 8, &[]), node(3, 0, &[4]), node(4, 4, &[5])];
    (Cpu { allowed: vec![0, 1, 2, 4], ..Cpu::default() }, Memory { nodes, ..Memory::default() })
}

fn check(cpu: Option<u64>, memory: Option<u64>, threads: u64) -> Result<(), Problem> {
    let (asked, (cpu, memory)) = (RequestedNodes { cpu, memory }, machine());
    asked.check(&cpu, &memory)?;
    asked.check_threads(threads, &cpu, &memory)
}

#[test]
fn nodes_that_cannot_serve_are_refused_with_a_list() {
    assert_eq!(check(None, None, 99), Ok(()));
    assert_eq!(check(Some(0), Some(1), 2), Ok(()));
    assert_eq!(check(Some(1), Some(2), 1), Ok(()), "memory without CPUs serves as memory");
    for (cpu, memory, threads, says) in [
        (Some(7), None, 1, "no NUMA node 7"),
        (Some(9_000_000_000_000_000), None, 1, "no NUMA node 9000000000000000 "),
        (None, Some(7), 1, "no NUMA node 7"),
        (Some(2), None, 1, "node 2 has no CPU that is online"),
        (Some(4), None, 1, "node 4 has no CPU that we may run on"),
        (None, Some(3), 1, "node 3 has no memory"),
        (Some(1), None, 2, "more than the 1 CPUs of NUMA node 1"),
    ] {
        let problem = check(cpu, memory, threads).unwrap_err();
        assert!(problem.message.contains(says), "{problem:?}");
        assert!(problem.help.contains("0 (4 GiB, 2 CPUs)"), "{problem:?}");
    }
}

#[test]
fn a_kernel_without_nodes_is_told_apart() {
    let asked = RequestedNodes { cpu: None, memory: Some(0) };
    let problem = asked.check(&Cpu::default(), &Memory::default()).unwrap_err();
    assert!(problem.help.contains("tells of no nodes"), "{problem:?}");
}

#[test]
fn a_node_has_the_cpus_that_we_may_run_on_and_memory_of_its_own() {
    let (cpu, memory) = machine();
    let asked = |cpu, memory| RequestedNodes { cpu, memory };
    assert_eq!(asked(Some(1), None).cpus_of(&cpu, &memory), Some(vec![2]));
    assert_eq!(asked(None, Some(1)).cpus_of(&cpu, &memory), None);
    assert_eq!(asked(Some(0), Some(2)).free_bytes(&memory), Some(4 << 30));
    assert_eq!(asked(Some(0), None).free_bytes(&memory), None);
}

#[test]
fn lists_of_cpus_are_read() {
    assert_eq!(listed_cpus("0-2,8\n"), [0, 1, 2, 8]);
    assert_eq!(listed_cpus("\n"), [0u32; 0]);
}

#[test]
fn nodes_of_several_workers_are_told_together() {
    let value = |nodes: &[u32]| node_value(&nodes.iter().copied().collect());
    assert_eq!(value(&[]), None);
    assert_eq!(value(&[3]), Some(Value::Integer(3)));
    assert_eq!(joined(&Value::Integer(2), &"0 2".into()), value(&[0, 2]));
    assert_eq!(value(&[0, 2]), Some("0 2".into()));
}

fn page_of(bytes: &[u8]) -> Range<*const u8> {
    bytes.as_ptr_range()
}

#[test]
fn the_kernel_says_where_touched_pages_lie() {
    let Some(own) = of_this_thread() else { return };
    let buffer = vec![1u8; 1 << 20];
    let nodes = of_pages(&page_of(&buffer));
    // A kernel without NUMA, or a container, may say nothing.
    if !nodes.is_empty() && fs::exists("/sys/devices/system/node/node1").is_ok_and(|there| !there) {
        assert_eq!(nodes, [own]);
        assert_eq!(share_away(&page_of(&buffer), own), Some(0.0));
        assert_eq!(share_away(&page_of(&buffer), own + 1), Some(1.0));
    }
}

#[test]
fn a_thread_is_confined_until_it_is_let_go_and_tells_how() {
    let asked = RequestedNodes { cpu: Some(0), memory: Some(0) };
    // No node is shown, or a container forbids policies: visibly nothing is tried.
    let (Ok(confinement), Ok(before)) = (asked.confinement(), MemoryPolicy::of_this_thread()) else {
        eprintln!("skipped: this machine shows no NUMA node 0, or forbids policies of memory");
        return;
    };
    let Ok(confined) = confinement.enter() else {
        eprintln!("skipped: this machine forbids policies of memory");
        return;
    };
    let buffer = vec![1u8; 1 << 20];
    let facts = confinement.facts(&[page_of(&buffer)]);
    assert!(facts.contains(&(fact::MEMORY_POLICY, "bind:0".into())), "{facts:?}");
    assert!(facts.contains(&(fact::CPU_NODE, Value::Integer(0))), "{facts:?}");
    let on: Vec<u32> = (0..CpuSet::MAX_CPU as u32).filter(|cpu| has(&affinity().unwrap(), *cpu)).collect();
    assert_eq!(on, confinement.cpus);
    drop(confined);
    assert_eq!(MemoryPolicy::of_this_thread().unwrap(), before);
}

#[test]
fn memory_of_a_node_that_is_not_there_is_refused_by_the_kernel_too() {
    for node in [1000, 100_000] {
        Confinement { cpus: Vec::new(), memory_node: Some(node) }.enter().unwrap_err();
    }
    assert!(Confinement::default().enter().is_ok());
    assert!(Confinement::default().facts(&[]).is_empty());
}
