//! What names of workloads, parameters, metrics and resources look like in source, and what
//! only looks so.

use super::*;

const STREAM: &str = "pub const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new(\"net.stream\"),
    parameters: &[
        ParameterSpec::new(
            \"size\", Kind::Size),
        ParameterSpec::new(\"queue-depth\", Kind::Count),
        ParameterSpec::new(\"sync\", Kind::Choice),
    ],
};
#[cfg(test)]
mod tests { fn f() { MetricName::new(\"made-up\"); } }
";

fn found_in(path: &str, text: &str) -> Vec<(usize, String)> {
    let sources = Sources::new(vec![
        Source::made_up("crates/load/src/workload/net/stream.rs", STREAM),
        Source::made_up(
            METRICS,
            "/// Not `A = \"a\"`.\n    READ_IOPS = \"read_iops\";\n    CPU = \"cpu\";\n",
        ),
        Source::made_up(RESOURCES, "    (Self::Block, \"block\"),\n    (Self::Cpu, \"cpu\"),\n"),
        Source::made_up(path, text),
    ]);
    found(&sources).remove(path).unwrap_or_default()
}

/// How many names each of these has.
fn assert_found(path: &str, cases: &[(&str, usize)]) {
    for (text, count) in cases {
        let found = found_in(path, text);
        assert_eq!(found.len(), *count, "{text}: {found:?}");
    }
}

#[test]
fn names_are_found_wherever_they_are_made_or_compared() {
    let cases = [
        ("fn f() { g(case.workload != \"net.stream\"); }", 1),
        ("fn f() { match case.workload.as_str() { \"net.stream\" => 1, _ => 2 }; }", 1),
        ("fn f() { case.workload.starts_with(\"net.\"); }", 1),
        ("fn f() { case.workload == \"null\"; }", 1),
        ("fn f() { parameters.get(ParameterName::new(\"direct\")); }", 1),
        ("const A: MetricName = model::MetricName::new(\"hue\");", 1),
        ("const A: ParameterSpec = ParameterSpec::new(\"hue\", Kind::Flag, \"\");", 1),
        ("fn f() { WorkloadName::intern(\"disk\"); MetricName::intern(text); }", 1),
        ("fn f() { MetricName::intern(&format!(\"{x}_p99\")); ClassName::new(\"stamp\"); }", 2),
        ("const N: &str = \"hue\"; fn f() { FactName::new(N); SeriesName::new(concat!(\"a\", \"b\")); }", 2),
        ("fn f() { metric::IOPS.of(\"stamp\"); metric::IOPS.of(class); text.of(\"stamp\"); }", 1),
        ("fn f() { vec![MetricName::new(\"hue\")]; html! { p { \"net.stream\" } } }", 2),
        ("fn f() { matches!(case.workload.as_str(), \"net.stream\" | \"x\"); }", 2),
        ("const A: &[&str] = &[\"net.stream\"];", 1),
        ("fn f() { g(\"net.other\"); other.get(\"size\"); case.parameters.get(name); }", 0),
        ("#[cfg(test)]\nmod tests { fn f() { ParameterName::new(\"size\"); } }", 0),
        // Parameters and metrics.
        ("fn f() { \"size\" == parameter.as_str() || spec.parameter.name != \"size\"; }", 2),
        ("fn f() { matches!(metric, \"read_iops\" | \"other\" if metric == \"cpu\"); }", 2),
        ("fn f() { match other.name() { \"read_iops\" => 1, \"rest\" => 2, _ => 3 }; }", 1),
        ("fn f() { match x.as_deref() { Some(\"queue-depth\") => 1, _ => 2 }; }", 0),
        ("fn f() { match part.name.as_str() { \"queue-depth\" | \"size\" => 1, _ => 2 }; }", 1),
        ("fn f() { assert(parameter == \"made-up\", word == \"sync\", choice.as_str() == \"sync\"); }", 0),
        ("fn f() { path.name() == \"size\"; key == \"queue-depth\"; parameter.len() == 4; }", 0),
        ("fn f() { metric.as_str().starts_with(\"read_\") || parameter.name.as_str().contains(\"-\"); }", 2),
        ("fn f() { headline.as_str().strip_suffix(\"_p99\"); text.strip_suffix(\"_p99\"); }", 1),
        // Kinds of resources.
        (
            "const A: &[T] = &[t(\"block:\"), t(\"cpu:sda\"), t(\"tape:\"), t(\"cpu: busy\"), t(\"cpu:{n}\")];",
            2,
        ),
        ("fn f() { u.resource == \"memory\" || kind == \"cpu\"; }", 2),
        ("fn f() { match step.resource.kind_word() { \"cpu\" | \"tape\" => 1, _ => 2 }; }", 1),
        ("fn f() { match (kind, name) { (\"block\", \"cpu\") => 1, (\"tape\", _) => 2, _ => 3 }; }", 1),
        ("fn f() { id.starts_with(\"block:loop\") || id.strip_prefix(\"cpu:\").is_some(); }", 2),
        ("fn f() { step.resource.split(':').next(); resource.split_once(':'); place.split(':'); }", 2),
        ("fn f() { resource.split('+'); resource == \"\"; line.starts_with(\"model name:\"); }", 0),
        ("fn f() { found.on(\"memory\").arg(\"cpu\", cpu); kind == \"loopback\"; kind != Kind::Cpu; }", 0),
        ("fn f() { resource.kind() == ResourceKind::Cpu; resource.to_owned() + \":0\"; }", 0),
    ];
    assert_found("crates/cli/src/a.rs", &cases);
    let text = "fn f() { ParameterName::new(\"size\"); }";
    assert_found("crates/analysis/src/tests.rs", &[(text, 0)]);
    assert_found("crates/load/src/b.rs", &[(text, 0)]);
    assert_found("crates/model/src/parameter.rs", &[(text, 0)]);
    assert_found("crates/model/src/label.rs", &[(text, 1)]);
}

#[test]
fn two_names_of_one_sort_make_a_table() {
    let cases = [
        ("const A: &[&str] = &[\"size\", \"other\", \"queue-depth\"];", 2),
        ("static A: [(&str, &str); 2] = [(\"bs\", \"size\"), (\"iodepth\", \"queue-depth\")];", 2),
        ("impl A { const A: [&str; 2] = [\"cpu\", \"read_iops\"]; }", 2),
        ("fn f() { const A: &[&str] = &[\"size\", \"sync\", \"sync\"]; }", 3),
        // Roles of colours, keys of sentences, arguments of functions.
        ("const A: &[(&str, &str)] = &[(\"cpu\", \"#2f6db5\"), (\"size\", \"#7c57a8\")];", 0),
        ("const A: &[(W, &str)] = &[(W::Lock, \"sync\"), (W::Thread, \"sync\")];", 0),
        ("const A: &[T] = &[t(\"size\", \"sync\"), T { a: \"size\", b: \"sync\" }];", 0),
        ("const A: &[&str] = &[\"size-title\", \"sync.css\"]; fn f() { g(&[\"size\", \"sync\"]); }", 0),
        ("#[cfg(test)]\nconst A: &[&str] = &[\"size\", \"queue-depth\"];", 0),
    ];
    assert_found("crates/report/src/a.rs", &cases);
    assert_found("crates/machine/src/inventory/cgroup.rs", &[(cases[0].0, 0)]);
}

#[test]
fn facts_and_series_are_looked_up_by_literals() {
    let cases = [
        ("fn f() { result.main().facts.get(\"interface\"); facts.contains_key(\"mss\"); }", 2),
        ("fn f() { all.find(|s| s.name == \"temperature\"); series.name != \"idle\"; }", 2),
        ("fn f() { facts.get(name); args.get(\"interface\"); facts.insert(\"mss\", 1); }", 0),
        ("fn f() { all.find(|s| s.name.as_str() == \"temperature\"); }", 1),
        ("fn f() { all.find(|s| s == \"temperature\"); s.label == \"x\"; nic.name == \"lo\"; }", 0),
    ];
    assert_found("crates/chart/src/a.rs", &cases);
    assert_found("crates/agent/src/a.rs", &cases.map(|(text, _)| (text, 0)));
}

#[test]
fn each_name_is_told_once_with_its_line() {
    let text = "fn f() {\n    case.workload == \"net.stream\";\n    resource.split(':');\n}\n";
    let told = found_in("crates/report/src/a.rs", text);
    assert_eq!(told, [(2, "\"net.stream\"".to_owned()), (3, "':'".to_owned())]);
}

#[test]
fn names_are_read_where_they_are_declared() {
    let declared = Declared::of(&Sources::read(&crate::root()).unwrap());
    for (names, name) in [
        (&declared.workloads, "disk"),
        (&declared.parameters, "queue-depth"),
        (&declared.metrics, "read_iops"),
        (&declared.metrics, "flops_per_cycle"),
        (&declared.kinds, "nic"),
    ] {
        assert!(names.contains(name), "{name}: {names:?}");
    }
}
