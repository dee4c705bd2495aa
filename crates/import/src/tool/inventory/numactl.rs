//! `numactl --hardware`: the nodes of a machine, the memory of each, and how far they are from one another.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolResult};
use model::{MetricName, Unit};

use super::{printed, result_of, target};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{exact, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Numactl;

const NAME: &str = "numactl";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "2.x",
    units: "MB",
    counting: Counting::Binary,
    proof: "numactl-2.0.16-one-node: 24105 MB of a machine of which free prints 24684092 KiB, which are 24105 MiB",
};

const RULES: &[CountingRule] = &[BYTES];

/// Linux has no more nodes (MAX_NUMNODES, 2^10).
const NODES_MAX: usize = 1024;

/// Bytes of one MB of it.
const MEGABYTE: f64 = 1_048_576.0;

impl ToolReader for Numactl {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "numactl --hardware: the memory and the processors of each node, and the distances between nodes"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["available: "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let is_first = line.text.starts_with("available: ") && line.text.contains(" nodes (");
        is_first.then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim_start();
        let is_distance = distances(text).is_some();
        let belongs = before.is_empty() || text.starts_with("node ") || is_distance;
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut nodes: Vec<(String, ToolMeasurement)> = Vec::new();
        for line in block.lines {
            if let Some((node, name, value)) = of_node(line) {
                let name = MetricName::new(name);
                match nodes.iter_mut().find(|(own, _)| own == node) {
                    Some((_, measured)) => measured.add(name, Some(value)),
                    None => {
                        let mut measured = ToolMeasurement::default();
                        measured.add(name, Some(value));
                        if nodes.len() < NODES_MAX {
                            nodes.push((node.to_owned(), measured));
                        }
                    }
                }
            } else if let Some((node, all)) = distances(line.text.trim_start()) {
                let farthest = all.iter().max().copied();
                if let Some((_, measured)) = nodes.iter_mut().find(|(own, _)| own == node) {
                    let farthest = farthest.map(|distance| exact(line.number, distance, Unit::One));
                    measured.add(MetricName::new("node_distance_max"), farthest);
                }
            }
        }
        let parts = nodes.into_iter().filter_map(|(node, measured)| target(format!("node {node}"), measured));
        result_of(block, self, parts.collect())
    }
}

/// The node, and what `node 0 size: 24105 MB`, `node 0 free: 14523 MB` or `node 0 cpus: 0 1` says of it.
fn of_node(line: &ToolLine) -> Option<(&str, &'static str, PrintedValue)> {
    let (label, value) = line.text.trim().strip_prefix("node ")?.split_once(':')?;
    let (node, what) = label.split_once(' ')?;
    whole(node).filter(|(_, rest)| rest.is_empty())?;
    let value = value.trim();
    let name = match what {
        "cpus" => {
            let cpus = value.split_whitespace().count() as u64;
            return Some((node, "cpus", exact(line.number, cpus, Unit::One)));
        }
        "size" => "memory_total",
        "free" => "memory_free",
        _ => return None,
    };
    let (amount, _) = whole(value).filter(|(_, rest)| rest.trim() == "MB")?;
    // What is left of a MB is cut off.
    Some((node, name, printed(line.number, value, amount as f64 * MEGABYTE, MEGABYTE, Unit::Bytes)))
}

/// `  0:  10  21`: the node, and how far each one is from it.
fn distances(text: &str) -> Option<(&str, Vec<u64>)> {
    let (node, rest) = text.split_once(':')?;
    whole(node).filter(|(_, rest)| rest.is_empty())?;
    let all: Option<Vec<u64>> = rest.split_whitespace().map(|word| word.parse().ok()).collect();
    Some((node, all.filter(|all| !all.is_empty())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_node_has_its_memory_and_its_farthest_other() {
        let text = "available: 2 nodes (0-1)\nnode 0 cpus: 0 2 4\nnode 0 size: 100 MB\nnode 0 free: 50 MB\n\
                    node 1 cpus: 1 3\nnode 1 size: 200 MB\nnode distances:\nnode   0   1\n  0:  10  21\n  1:  21  10\n";
        let result = crate::tool::read("", text.as_bytes()).unwrap().results.remove(0);
        let value = |part: usize, name: &'static str| {
            result.parts[part].measured.figure(MetricName::new(name)).map(|printed| printed.value)
        };
        assert_eq!((value(0, "cpus"), value(1, "cpus")), (Some(3.0), Some(2.0)));
        assert_eq!(value(1, "memory_total"), Some(200.0 * 1_048_576.0));
        assert_eq!(value(0, "node_distance_max"), Some(21.0));
        assert_eq!(value(1, "memory_free"), None);
    }
}
