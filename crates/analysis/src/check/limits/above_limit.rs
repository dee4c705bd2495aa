//! A figure above what its link or device can carry.

use model::finding::{Evidence, Place};
use model::limit::Direction;
use model::tool_result::{PrintedValue, ToolResult};
use model::{Finding, FindingKind, Machine, MetricName, Severity, metric};

use super::bound::{BoundOf, BoundSource, ListedBounds, RateBound, is_over_network, of_network, of_storage};
use crate::check::storage::StorageLoad;
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// What is above a limit by less may be what was in buffers when the clock stopped.
const TOLERANCE: f64 = 0.02;

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "above-limit",
    doc: "The rate is above what its link or its device can carry: by the machine that was given, or by the links that the \
          text names.",
    english: r#"
finding-above-limit =
    { $tool } prints { $printed }, which is { SHORT($rate, $unit) }, but { $of ->
        [interface] the fastest interface of the machine, { RESOURCE($resource) }, carries { SHORT($most, $unit) }
        [link] the link that the text names, { $name }, carries { SHORT($most, $unit) }
       *[target] { RESOURCE($resource) } carries { SHORT($most, $unit) }
    } at most: { $cause ->
        [cache] memory answered in place of the device
        [sender] the sender counts what it hands over, and not what went over the wire
       *[unknown] it is another link's figure, or its unit is misread
    }
    .advice = { $cause ->
        [cache] use direct I/O, which bypasses the page cache
        [sender] take the receiver's figure
       *[unknown] check the unit, and on which machine it was measured
    }

evidence-limit-of-machine = { RESOURCE($resource) }: { SHORT($most, $unit) } ({ $source })
evidence-limit-in-text = line { $line }: { $name } carries { SHORT($most, $unit) }
"#,
    remedies: &[],
    look: ToolCheckLook::EachResult(look),
};

fn look(result: &ToolResult, context: &ToolCheckContext<'_>) -> Vec<Finding> {
    found(result, context.links_of(result), context.machine)
}

fn found(result: &ToolResult, links: Option<&ListedBounds>, machine: Option<&Machine>) -> Vec<Finding> {
    let whole = &result.whole;
    let printed = |name: MetricName| whole.figure(name).map(|printed| (name, printed));
    if is_over_network(result) {
        let Some(bound) = of_network(machine, links) else { return Vec::new() };
        let both = [metric::SEND_THROUGHPUT, metric::RECEIVE_THROUGHPUT];
        // Of two directions at once each has the link for itself.
        let names = match both.iter().any(|name| whole.figure(*name).is_some()) {
            true => both,
            false => [metric::THROUGHPUT, metric::SENDER_THROUGHPUT],
        };
        let above = |(name, printed): (MetricName, &PrintedValue)| {
            let cause = if name == metric::SENDER_THROUGHPUT { "sender" } else { "unknown" };
            finding(result, name, printed, &bound, cause)
        };
        return names.into_iter().filter_map(printed).filter_map(above).collect();
    }
    let Some(load) = StorageLoad::of(result) else { return Vec::new() };
    let ways: &[(MetricName, Direction)] = match (load.reads, load.writes) {
        (true, false) => &[(metric::THROUGHPUT, Direction::Read)],
        (false, true) => &[(metric::THROUGHPUT, Direction::Write)],
        _ => &[(metric::READ_THROUGHPUT, Direction::Read), (metric::WRITE_THROUGHPUT, Direction::Write)],
    };
    let cause = if load.is_direct == Some(false) { "cache" } else { "unknown" };
    let above = |(name, way): &(MetricName, Direction)| {
        let (name, printed) = printed(*name)?;
        finding(result, name, printed, &of_storage(&load, *way, machine, links)?, cause)
    };
    ways.iter().filter_map(above).collect()
}

fn finding(
    result: &ToolResult,
    metric: MetricName,
    printed: &PrintedValue,
    bound: &RateBound,
    cause: &str,
) -> Option<Finding> {
    if printed.least() <= bound.most * (1.0 + TOLERANCE) {
        return None;
    }
    let unit = printed.unit.symbol();
    let place = Place::Metric(metric);
    let (of, name, resource) = match &bound.of {
        BoundOf::Target(resource) => ("target", None, Some(resource)),
        BoundOf::FastestInterface(resource) => ("interface", None, Some(resource)),
        BoundOf::Links(name) => ("link", Some(name.as_str()), None),
    };
    let evidence = match &bound.source {
        BoundSource::Machine(source) => {
            Evidence::at("limit-of-machine", place).arg("source", source.as_str())
        }
        BoundSource::Line(line) => Evidence::at("limit-in-text", place).arg("line", *line),
    };
    let mut evidence = evidence.arg("most", bound.most).arg("unit", unit);
    let mut finding = Finding::new(FindingKind::Validity, CHECK.code, Severity::Error)
        .arg("tool", result.tool.as_str())
        .arg("printed", printed.text.as_str())
        .arg("rate", printed.value)
        .arg("most", bound.most)
        .arg("unit", unit)
        .arg("of", of)
        .arg("cause", cause);
    if let Some(name) = name {
        evidence = evidence.arg("name", name);
        finding = finding.arg("name", name);
    }
    if let Some(resource) = resource {
        evidence = evidence.arg("resource", resource.as_str());
        finding = finding.on(resource.clone());
    }
    Some(finding.because(evidence))
}

#[cfg(test)]
mod tests {
    use model::limit::{Limit, LimitKind};
    use model::machine::{BlockDevice, NetworkInterface};
    use model::tool_result::{ToolMeasurement, ToolPart, ToolPartKind};
    use model::{Resource, ResourceKind, Unit};

    use super::*;
    use crate::check::fixture;

    fn rate(line: u64, value: f64) -> PrintedValue {
        PrintedValue {
            line,
            text: format!("{value} B/s"),
            value,
            unit: Unit::BytesPerSecond,
            half_step: 0.0,
            counting: None,
        }
    }

    fn iperf3(received: f64, sent: f64) -> ToolResult {
        let mut result = ToolResult {
            tool: "iperf3".to_owned(),
            command: ["iperf3", "-c", "10.0.0.2"].map(str::to_owned).to_vec(),
            ..ToolResult::default()
        };
        result.whole.add(metric::THROUGHPUT, Some(rate(3, received)));
        result.whole.add(metric::SENDER_THROUGHPUT, Some(rate(2, sent)));
        result
    }

    fn link(kind: ResourceKind, name: &str, most: f64) -> Limit {
        let resource = Resource::of(kind, name);
        let source = "the link's registers".to_owned();
        let limit = Limit::new(resource, metric::THROUGHPUT, Unit::BytesPerSecond, LimitKind::Link, source);
        Limit { effective: Some(most), ..limit }
    }

    fn machine() -> Machine {
        let interface = |name: &str, kind: &str| NetworkInterface {
            name: name.to_owned(),
            kind: kind.to_owned(),
            state: "up".to_owned(),
            ..NetworkInterface::default()
        };
        let mut machine = Machine::default();
        machine.inventory.network = vec![interface("lo", "loopback"), interface("eth0", "ethernet")];
        machine.inventory.block = vec![BlockDevice { name: "sda".to_owned(), ..BlockDevice::default() }];
        machine.limits =
            vec![link(ResourceKind::Nic, "eth0", 117.7e6), link(ResourceKind::Sata, "sda", 560e6)];
        machine
    }

    fn causes(result: &ToolResult, lists: &[ToolResult], machine: Option<&Machine>) -> Vec<String> {
        let found = crate::said::written(found(result, Some(&ListedBounds::of(lists)), machine));
        found.iter().map(|finding| finding.args["cause"].to_string()).collect()
    }

    #[test]
    fn what_no_interface_carries_is_told() {
        let machine = machine();
        let causes = |result: ToolResult| causes(&result, &[], Some(&machine));
        assert_eq!(causes(iperf3(117e6, 118e6)), [""; 0]);
        assert_eq!(causes(iperf3(117e6, 131e6)), ["sender"]);
        assert_eq!(causes(iperf3(941e6, 117e6)), ["unknown"]);
        let mut local = iperf3(941e6, 117e6);
        local.command[2] = "127.0.0.1".to_owned();
        assert_eq!(causes(local), [""; 0]);
    }

    #[test]
    fn an_interface_of_unknown_speed_may_have_carried_it() {
        let mut machine = machine();
        machine.limits.remove(0);
        let result = iperf3(941e6, 941e6);
        assert_eq!(causes(&result, &[], Some(&machine)), [""; 0]);
    }

    #[test]
    fn a_link_of_the_text_is_a_limit_without_a_machine() {
        let mut measured = ToolMeasurement::default();
        measured.add(metric::THROUGHPUT, Some(rate(1, 125e6)));
        let name = "03:00.0 Ethernet controller".to_owned();
        let part = ToolPart { kind: ToolPartKind::Target, name, start_s: None, measured };
        let list = ToolResult { tool: "lspci".to_owned(), parts: vec![part], ..ToolResult::default() };
        let result = iperf3(941e6, 117e6);
        assert_eq!(causes(&result, &[list], None), ["unknown"]);
        assert_eq!(causes(&result, &[], None), [""; 0]);
    }

    #[test]
    fn what_a_disk_cannot_give_came_from_memory() {
        let text = |flags: &str| {
            format!(
                "$ dd if=/dev/sda of=/dev/null bs=1M count=64{flags}\n64+0 records in\n64+0 records out\n\
                 67108864 bytes (67 MB, 64 MiB) copied, 0.04 s, 1.7 GB/s\n"
            )
        };
        let causes = |text: String| {
            let output = import::tool::read("", text.as_bytes()).unwrap();
            causes(&output.results[0], &[], Some(&machine()))
        };
        assert_eq!(causes(text("")), ["cache"]);
        assert_eq!(causes(text(" iflag=direct")), ["unknown"]);
        assert_eq!(fixture::found(&CHECK, &text("")).len(), 0, "nothing is known of the machine");
    }

    #[test]
    fn a_drive_is_held_against_the_link_that_smartctl_tells() {
        let text = |link: &str, drive: &str| {
            format!(
                "$ smartctl -i /dev/sda\nsmartctl 7.3 2022-02-28 r5338 [x86_64-linux-6.1.0] (local build)\n\n\
                 === START OF INFORMATION SECTION ===\nDevice Model:     Samsung SSD 860 PRO 256GB\n\
                 SATA Version is:  SATA 3.1, 6.0 Gb/s (current: {link} Gb/s)\n\n\
                 $ dd if=/dev/{drive} of=/dev/null bs=1M count=1024 iflag=direct\n1024+0 records in\n1024+0 records out\n\
                 1073741824 bytes (1.1 GB, 1.0 GiB) copied, 1.98 s, 542 MB/s\n"
            )
        };
        let count = |link: &str, drive: &str| fixture::found(&CHECK, &text(link, drive)).len();
        assert_eq!((count("3.0", "sda"), count("3.0", "sda1")), (1, 1));
        assert_eq!((count("6.0", "sda"), count("3.0", "sdb")), (0, 0));
    }

    #[test]
    fn what_hdparm_reads_is_held_against_the_link() {
        let text =
            |what: &str, rate: &str| format!("$ hdparm -tT /dev/sda\n\n/dev/sda:\n Timing {what}: {rate}\n");
        let causes = |text: String| {
            let output = import::tool::read("", text.as_bytes()).unwrap();
            causes(&output.results[0], &[], Some(&machine()))
        };
        assert_eq!(
            causes(text("buffered disk reads", "4500 MB in  3.00 seconds = 1500.00 MB/sec")),
            ["cache"]
        );
        assert_eq!(causes(text("buffered disk reads", "1500 MB in  3.00 seconds = 500.00 MB/sec")), [""; 0]);
        let cached = "20000 MB in  2.00 seconds = 10000.00 MB/sec";
        assert_eq!(causes(text("cached reads", cached)), [""; 0], "it says so itself");
    }
}
