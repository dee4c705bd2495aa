//! A tool for networks or servers whose other end was on the machine that it ran on: no network was measured. Said once for
//! each tool.

use model::finding::Evidence;
use model::tool_result::ToolResult;
use model::{Finding, FindingKind, Severity};

use crate::check::work::option;
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "other-end-here",
    doc: "A tool for networks or servers was given its own machine as the other end: the kernel and the processors were \
          measured, which both ends share.",
    english: r#"
finding-other-end-here =
    the other end of { $tool } was on the same machine ({ $host }): no network was measured, and both ends shared the
    processors
    .advice = run the other end on another machine, or take the figure for what this machine can do alone

evidence-lines-of-host =
    lines { $first } to { $last }: { $host }
"#,
    remedies: &[],
    look: ToolCheckLook::All(look),
};

/// Tools whose figure is taken for that of a network, or of a server that is reached over one.
const TOOLS: &[&str] = &[
    "iperf3",
    "iperf",
    "netperf",
    "netpipe",
    "nttcp",
    "nuttcp",
    "ntttcp",
    "qperf",
    "sockperf",
    "lagscope",
    "perftest",
    "wrk",
    "ab",
    "oha",
    "hey",
    "siege",
    "h2load",
    "bombardier",
    "vegeta",
    "locust",
    "autocannon",
    "loadtest",
];

/// What they call the other end.
const OTHER_END: &[&str] = &["client", "host", "ip", "url", "address"];

fn look(context: &ToolCheckContext<'_>) -> Vec<Finding> {
    let of_tool = |tool: &&str| {
        context.results.iter().filter(|result| result.tool == *tool).find_map(|result| finding(result))
    };
    TOOLS.iter().filter_map(of_tool).collect()
}

fn finding(result: &ToolResult) -> Option<Finding> {
    let host = host(option(result, OTHER_END)?);
    if !is_here(host) {
        return None;
    }
    let lines = Evidence::maybe_at("lines-of-host", None)
        .arg("first", result.lines.first)
        .arg("last", result.lines.last)
        .arg("host", host);
    let finding = Finding::new(FindingKind::Validity, CHECK.code, Severity::Note)
        .arg("tool", result.tool.as_str())
        .arg("host", host)
        .because(lines);
    Some(finding)
}

/// The host of an address or of a URL.
fn host(text: &str) -> &str {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    if let Some(inside) = host.strip_prefix('[') {
        return inside.split(']').next().unwrap_or_default();
    }
    // An address of IPv6 has more than one colon.
    match host.split_once(':') {
        Some((name, port)) if !port.contains(':') => name,
        _ => host,
    }
}

/// Whether every machine calls itself so.
fn is_here(host: &str) -> bool {
    matches!(host, "localhost" | "::1" | "0.0.0.0") || host.starts_with("127.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture;

    #[test]
    fn hosts_are_found_in_addresses_and_urls() {
        for (text, expected) in [
            ("10.0.0.2", "10.0.0.2"),
            ("127.0.0.1:8080", "127.0.0.1"),
            ("http://me@localhost:8080/x?y", "localhost"),
            ("http://[::1]:80/", "::1"),
            ("fd00::1", "fd00::1"),
        ] {
            assert_eq!(host(text), expected, "{text}");
        }
    }

    #[test]
    fn an_end_on_the_same_machine_is_told_once_for_a_tool() {
        let wrk = |url: &str| {
            format!(
                "Running 10s test @ {url}\n  1 threads and 2 connections\n  1000 requests in 10.00s, 1.00MB read\n\
                 Requests/sec:    100.00\nTransfer/sec:    102.40KB\n\n"
            )
        };
        let here = wrk("http://localhost:8080/x");
        assert_eq!(fixture::found(&CHECK, &format!("{here}{here}")).len(), 1);
        assert_eq!(fixture::found(&CHECK, &wrk("http://localhost.example/x")).len(), 0);
    }
}
