//! Which steps a path has, in which order, and how much of each is used.

use model::Better;
use model::machine::BlockDevice;
use model::profile::{Caches, Flow, FlowUnit, Peer};
use model::trial::Window;

use super::*;
use crate::validity::fixture;

fn step(resource: &str) -> PathStep {
    PathStep { resource: Resource::from(resource), amplification: 1.0 }
}

/// A download through the page cache to `sda`, of which the kernel wrote 400 MB in a second.
fn download(path: &[&str]) -> CaseResult {
    let mut case = fixture::disk_case("write", 900e6, 400e6);
    fixture::set(&mut case, "direct", false);
    let profile = &mut case.loads.main.profile;
    profile.flows.insert(0, Flow::only(OperationClass::Receive, FlowUnit::Bytes));
    profile.peer = Some(Peer::AnotherProgram);
    assert_eq!(profile.caches, Caches::PageCache);
    case.path = path.iter().map(|resource| step(resource)).collect();
    for trial in &mut case.trials {
        trial.result.window = Some(Window { start_ns: 0, end_ns: 1_000_000_000 });
        trial.result.local_mut().counters.extend([
            fixture::counter("cpu:0", "/proc/stat softirq", 0.01, 10),
            fixture::counter("cpu:1", "/proc/stat softirq", 0.01, 62),
            fixture::counter("block:sda", "/proc/diskstats queue_ms", 1e-3, 32_000),
        ]);
    }
    case
}

fn machine() -> Machine {
    let mut machine = Machine::default();
    machine.inventory.block.push(BlockDevice {
        name: "sda".to_owned(),
        kind: BlockKind::Disk,
        queue_requests: Some(64),
        hardware_queues: Some(1),
        ..BlockDevice::default()
    });
    machine
}

fn run(cases: Vec<CaseResult>) -> Run {
    let mut run = crate::comparison::tests::run("r", &[], cases);
    run.machines = vec![machine()];
    run
}

#[test]
fn the_way_to_a_disk_of_a_node_ends_at_its_processors_and_devices() {
    use model::trial::MachineTrial;
    let mut case = fixture::disk_case("write", 400e6, 400e6);
    case.path = ["block:nvme0n1", "nic:eth0", "server:10.0.0.2"].map(step).to_vec();
    for trial in &mut case.trials {
        let devices = ["block:dm-0", "block:sdb"].map(Value::from).to_vec();
        trial.result.main_mut().facts.insert(fact::PRESENTED_ON, Value::List(devices));
        let mut node = MachineTrial::of("b");
        node.counters = vec![
            fixture::counter("cpu", "/proc/stat system", 0.01, 50),
            fixture::counter("cpu", "/proc/stat idle", 0.01, 150),
        ];
        trial.result.machines.push(node);
    }
    let mut run = run(vec![case]);
    let mut node = Machine { id: "b".to_owned(), ..Machine::default() };
    node.inventory.cpu.allowed = vec![0, 1];
    run.machines.push(node);
    let steps = path_of(&run, &run.cases[0]);
    let names: Vec<(Option<&str>, &str)> =
        steps.iter().map(|step| (step.machine.as_deref(), step.resource.as_str())).collect();
    let last = &names[names.len() - 3..];
    let cpus = Resource::of_cpus(&[0, 1]);
    assert_eq!(last, [(Some("b"), cpus.as_str()), (Some("b"), "block:dm-0"), (Some("b"), "block:sdb")]);
    let cpus = steps.iter().find(|step| step.resource == cpus && step.machine.is_some()).unwrap();
    assert!((cpus.used.as_ref().unwrap().share() - 0.25).abs() < 1e-9, "{cpus:?}");
}

/// Each step with its part, and the share that is used, in percent.
fn told(run: &Run) -> Vec<(String, Option<u32>)> {
    let one = |step: &PathUse| {
        let of = step.machine.as_deref().map(|name| format!(" of {name}")).unwrap_or_default();
        let part = match step.part {
            PathPart::Whole => "",
            PathPart::Memory => "memory ",
            PathPart::SoftInterrupts => "softirq ",
            PathPart::Queue => "queue ",
            PathPart::Unseen => "unseen ",
        };
        let share = step.used.as_ref().map(|used| (used.share() * 100.0).round() as u32);
        (format!("{part}{}{of}", step.resource), share)
    };
    path_of(run, &run.cases[0]).iter().map(one).collect()
}

fn names(told: &[(String, Option<u32>)]) -> Vec<&str> {
    told.iter().map(|(name, _)| name.as_str()).collect()
}

const PATH: &[&str] =
    &["cpu:0-1", "page-cache", "filesystem:/data (ext4)", "block:sda", "sata:sda", "nic:eth0"];

#[test]
fn what_comes_from_a_node_begins_in_its_memory_and_ends_at_the_link_of_the_disk() {
    let mut case = download(PATH);
    let far = fixture::far(&mut case);
    far.facts.insert(fact::INTERFACE, "eth1".into());
    let id = far.machine.clone();
    let mut run = run(vec![case]);
    let mut node = Machine { id: id.clone(), ..Machine::default() };
    node.inventory.cpu.allowed = vec![0, 1, 2, 3];
    run.machines.push(node);
    let told = told(&run);
    let of = |name: &str| format!("{name} of {id}");
    let far = [of("memory memory"), of("cpu:0-3"), of("nic:eth1")];
    let near =
        ["nic:eth0", "softirq cpu:1", "cpu:0-1", "page-cache", "filesystem:/data (ext4)", "queue block:sda"];
    let all: Vec<&str> =
        far.iter().map(String::as_str).chain(near).chain(["block:sda", "sata:sda"]).collect();
    assert_eq!(names(&told), all);
    let share = |name: &str| told.iter().find(|(own, _)| own == name).unwrap().1;
    assert_eq!((share("softirq cpu:1"), share("queue block:sda")), (Some(62), Some(50)));
    assert_eq!((share("block:sda"), share("sata:sda"), share("nic:eth0")), (None, None, None));
}

/// Bug: a file that a node sends had no source, be it its disk or its page cache.
#[test]
fn what_a_node_sends_of_a_file_comes_from_its_disk_only_where_its_page_cache_lacked_it() {
    let begins = |cached: Option<f64>| {
        let mut case = download(PATH);
        let served = model::ParameterName::new("serve-file");
        case.loads.main.profile.aspects.insert(served, model::profile::Aspect::ServedFile);
        case.loads.main.parameters.set(served, "/srv/big.iso");
        for trial in &mut case.trials {
            let share = cached.map(|share| (fact::SERVED_CACHED_SHARE, Value::from(share)));
            trial.result.main_mut().facts.extend(share);
        }
        let id = fixture::far(&mut case).machine.clone();
        let mut run = run(vec![case]);
        let mount = |point: &str| model::machine::Mount { point: point.to_owned(), ..Default::default() };
        let disk = |name: &str, point: &str| BlockDevice {
            name: name.to_owned(),
            mounts: vec![mount(point)],
            ..BlockDevice::default()
        };
        let mut node = Machine { id: id.clone(), ..Machine::default() };
        node.inventory.block = vec![disk("sda1", "/"), disk("sdb1", "/srv"), disk("sdc1", "/srv/big")];
        run.machines.push(node);
        let told = told(&run);
        let own = names(&told).into_iter().filter_map(|name| name.strip_suffix(&format!(" of {id}")));
        own.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(begins(Some(1.0)), ["page-cache", "memory memory"]);
    assert_eq!(begins(Some(0.2)), ["block:sdb1", "page-cache", "memory memory"]);
    assert_eq!(begins(None), ["block:sdb1", "page-cache", "memory memory"], "nobody knows");
}

#[test]
fn a_device_behind_the_page_cache_is_held_against_what_it_took_alone_and_its_link() {
    let mut alone = fixture::disk_case("write", 500e6, 500e6);
    fixture::set(&mut alone, "direct", true);
    let estimate = fixture::estimate(500e6, Unit::BytesPerSecond, Better::Higher);
    alone.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
    let mut run = run(vec![download(PATH), alone]);
    let link = model::Limit::new(
        Resource::from("sata:sda"),
        metric::THROUGHPUT,
        Unit::BytesPerSecond,
        LimitKind::Link,
        String::new(),
    );
    run.machines[0].limits.push(model::Limit { effective: Some(560e6), ..link });
    let told = told(&run);
    let share = |name: &str| told.iter().find(|(own, _)| own == name).unwrap().1;
    assert_eq!((share("block:sda"), share("sata:sda")), (Some(80), Some(71)));
    // Two disks that took it together took half of it each.
    let half = |name: &str| PathStep { amplification: 0.5, ..step(name) };
    let whole = std::mem::replace(&mut run.cases[1].path, vec![half("block:sdb"), half("block:sda")]);
    assert!(self::told(&run).contains(&("block:sda".to_owned(), Some(160))));
    run.cases[1].path = whole;
    // A load that reads into memory is not what was written.
    run.cases[0].loads.main.profile.flows.retain(|flow| flow.class != OperationClass::Write);
    let told = self::told(&run);
    assert!(told.iter().all(|(name, share)| !name.starts_with("sata") || share.is_none()), "{told:?}");
}

#[test]
fn a_server_that_is_none_of_ours_is_there_and_unknown() {
    let run = run(vec![download(&["server:10.0.0.2:80", "nic:eth0", "cpu:0-1", "block:sda"])]);
    let told = told(&run);
    assert_eq!(names(&told)[..2], ["unseen server:10.0.0.2:80", "nic:eth0"]);
    assert_eq!(told[0].1, None);
}

#[test]
fn what_is_sent_ends_in_the_memory_of_the_other_end() {
    let mut case = fixture::case(1);
    fixture::workload(&mut case, "net.stream");
    fixture::set(&mut case, "direction", "send");
    fixture::set(&mut case, "peer", "10.0.0.2:7117");
    case.path = vec![step("cpu:0-1"), step("nic:eth0")];
    case.trials[0].result.local_mut().counters =
        vec![fixture::counter("cpu:0", "/proc/stat softirq", 0.01, 20)];
    fixture::far_machine(&mut case).counters =
        vec![fixture::counter("cpu:3", "/proc/stat softirq", 0.01, 40)];
    let id = fixture::far(&mut case).machine.clone();
    let told = told(&run(vec![case]));
    let far = [format!("softirq cpu:3 of {id}"), format!("memory memory of {id}")];
    let near = ["cpu:0-1", "softirq cpu:0", "nic:eth0"];
    assert_eq!(names(&told), [&near[..], &[far[0].as_str(), far[1].as_str()]].concat());
}

#[test]
fn what_holds_a_case_back_is_at_the_end_that_the_finding_means() {
    let mut case = fixture::case(1);
    fixture::workload(&mut case, "net.stream");
    fixture::set(&mut case, "peer", "10.0.0.2:7117");
    let found = |code| Finding::new(model::FindingKind::Bottleneck, code, model::Severity::Note);
    let far = |case: &CaseResult| {
        ["sender-cpu", "receiver-cpu", "link-full"].map(|code| is_of_other_end(case, &found(code)))
    };
    fixture::set(&mut case, "direction", "receive");
    assert_eq!(far(&case), [false; 3], "there is no other machine");
    fixture::far(&mut case);
    assert_eq!(far(&case), [true, false, false]);
    fixture::set(&mut case, "direction", "send");
    assert_eq!(far(&case), [false, true, false]);
    assert!(!is_of_other_end(&case, &found("receiver-cpu").arg("end", "near")));
    assert!(is_of_other_end(&case, &found("allowance-exceeded").arg("end", "far")));
    // A limit of an interface that has the same name at both ends.
    let used = |machine: Option<&str>, fraction: f64| Utilization {
        machine: machine.map(str::to_owned),
        resource: Resource::from("nic:eth0"),
        quantity: metric::THROUGHPUT,
        kind: LimitKind::Link,
        demand: fraction * 1e9,
        limit: 1e9,
        unit: Unit::BytesPerSecond,
        fraction,
        promise: None,
        allowance: None,
        flows: None,
        line_only: false,
        usual: None,
        source: String::new(),
    };
    case.utilization = vec![used(Some("far"), 0.97), used(None, 0.38)];
    let full = |fraction: f64| found("link-full").on(Resource::from("nic:eth0")).arg("fraction", fraction);
    assert!(is_of_other_end(&case, &full(0.97)) && !is_of_other_end(&case, &full(0.38)));
}

#[test]
fn the_cpu_that_a_verdict_names_is_the_one_that_takes_packets() {
    let mut case = download(PATH);
    let found = |code: &str, cpu: &str| {
        let found = Finding::new(FindingKind::Bottleneck, code, model::Severity::Note);
        found.on(Resource::from(cpu)).arg("end", "near")
    };
    let mut shown = |finding| {
        case.findings = vec![finding];
        let told = told(&run(vec![case.clone()]));
        told.into_iter().find(|(name, _)| name.starts_with("softirq")).unwrap()
    };
    assert_eq!(shown(found("receiver-cpu", "cpu:0")), ("softirq cpu:0".to_owned(), Some(10)));
    assert_eq!(shown(found("receiver-cpu", "cpu")), ("softirq cpu:1".to_owned(), Some(62)));
    assert_eq!(shown(found("one-core-full", "cpu:0")).0, "softirq cpu:1", "threads are, not packets");
}

#[test]
fn storage_that_a_server_has_lies_behind_the_interface_and_the_server() {
    let mut case = fixture::disk_case("write", 900e6, 400e6);
    let path = ["cpu:0-1", "block:sdz", "nic:eth0", "server:10.0.0.3", "block:ram0"];
    case.path = path.iter().map(|resource| step(resource)).collect();
    let run = run(vec![case]);
    let found = told(&run);
    assert_eq!(names(&found), ["cpu:0-1", "block:sdz", "nic:eth0", "unseen server:10.0.0.3", "block:ram0"]);
}
