//! Memory of one node, used from another: the guest has two nodes of one CPU
//! each. That the far one is slower cannot be seen there, only where everything
//! lies and what is said of it.

use serde_json::Value;

use crate::common::{StoryFolder, stderr, trials};

const RUN: &[&str] = &["run", "memory.latency", "--size", "4MiB", "--duration", "300ms", "--trials", "1"];

/// The document of a chase from the CPUs of one node through the memory of
/// another.
fn chase(cpu: &str, memory: &str) -> Value {
    let (code, document) =
        StoryFolder::new().document(&[RUN, &["--cpu-node", cpu, "--memory-node", memory]].concat());
    assert_eq!(code, 0);
    document
}

fn codes(document: &Value) -> Vec<&str> {
    let findings = document["cases"][0]["findings"].as_array().unwrap();
    findings.iter().map(|f| f["code"].as_str().unwrap()).collect()
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn memory_of_another_node_is_where_it_was_asked_for_and_is_named() {
    for (cpu, memory) in [("0", "1"), ("1", "0"), ("1", "1")] {
        let document = chase(cpu, memory);
        let trial = trials(&document)[0];
        assert_eq!(trial["status"], "ok", "{trial}");
        let fact = |name: &str| trial["loads"][0]["facts"][name].to_string();
        assert_eq!((fact("cpu_node"), fact("memory_node")), (cpu.to_owned(), memory.to_owned()), "{trial}");
        // Each node has one CPU of its own number.
        assert_eq!(trial["placement"]["workers"][0]["cpu"].to_string(), cpu, "{trial}");
        let said = codes(&document);
        assert_eq!(said.contains(&"numa-remote"), cpu != memory, "{cpu} {memory}: {said:?}");
    }
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_node_that_does_not_exist_is_refused_with_those_that_do() {
    for words in [["--memory-node", "7"], ["--cpu-node", "2"]] {
        let output = StoryFolder::new().run(&[RUN, &words].concat());
        let said = stderr(&output);
        assert!(!output.status.success() && said.contains('7') | said.contains('2'), "{said}");
        assert!(said.contains('0') && said.contains('1'), "{said}");
    }
}
