//! A benchmark of memory whose arrays the last cache holds: what it measured is the cache. STREAM asks for arrays of
//! four times all last caches together ("Run Rules" in stream.c 5.10); the same holds for mbw and for
//! sysbench, whose block of 1 KiB stays in the first cache. The caches are those of the machine, or of lscpu in the
//! same text; where nobody knows them, only what every processor holds is told.

use model::finding::Evidence;
use model::tool_result::ToolResult;
use model::{Finding, FindingKind, Machine, Severity, ToolOutput, Unit};

use crate::check::work::{bytes, option};
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// Arrays of so many times the last caches are large enough.
const TIMES: f64 = 4.0;

/// What the caches of all processors hold on which such tools are run: 256 KiB is the least second cache of the servers
/// of the last fifteen years (Intel's before Skylake), and their last caches are larger.
const ALWAYS: f64 = 262_144.0;

/// The inventory that lists caches, and how it calls them.
const LISTS: &str = "lscpu";
const CACHE: &str = " cache";

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "arrays-in-cache",
    doc: "The arrays of a benchmark of memory fit into the last caches, or are not four times as large, as STREAM asks for: \
          caches answered in place of the memory.",
    english: r#"
finding-arrays-in-cache =
    { $tool } worked on { BINARY($array) } at a time{ $how ->
        [always] , which the caches of any processor hold: it measured the cache, and not the memory
        [inside] , and the last caches hold { BINARY($cache) }: it measured the cache, and not the memory
       *[near] , and the last caches hold { BINARY($cache) }: they answered a part of it; STREAM asks for arrays four times
            as large
    }
    .advice = { $how ->
        [always] give each array at least four times what the last caches hold, which lscpu lists
       *[other] give each array at least { BINARY($least) }
    }

evidence-array-size = lines { $first } to { $last }: { BINARY($array) }
"#,
    remedies: &[],
    look: ToolCheckLook::EachResult(look),
};

fn look(result: &ToolResult, context: &ToolCheckContext<'_>) -> Vec<Finding> {
    let caches = || {
        let of_machine = context.machine.and_then(of_machine);
        of_machine.or_else(|| context.output_of(result).and_then(of_text))
    };
    let found = array(result).and_then(|array| match caches() {
        Some(caches) => finding(result, array, caches),
        None => (array <= ALWAYS).then(|| about(result, "always", Severity::Warning, array)),
    });
    found.into_iter().collect()
}

/// The bytes of one array, by the options of STREAM, mbw and sysbench.
fn array(result: &ToolResult) -> Option<f64> {
    let number = |name: &str| option(result, &[name])?.parse::<f64>().ok();
    let of_elements = || Some(number("array-size")? * number("bytes-per-element")?);
    let of_mebibytes = || Some(number("MiB")? * f64::from(1 << 20));
    let of_blocks = || bytes(option(result, &["memory-block-size"])?).map(|bytes| bytes as f64);
    of_elements().or_else(of_mebibytes).or_else(of_blocks).filter(|array| *array > 0.0)
}

/// The bytes of all caches of the last level that the machine has.
fn of_machine(machine: &Machine) -> Option<f64> {
    let cpu = &machine.inventory.cpu;
    let last = cpu.cache_kinds.iter().map(|kind| kind.level).max();
    let of_kinds = || {
        let kinds = cpu.cache_kinds.iter().filter(|kind| Some(kind.level) == last);
        last.map(|_| kinds.map(|kind| kind.bytes as f64 * f64::from(kind.instances)).sum::<f64>())
    };
    let of_first = || cpu.caches.iter().max_by_key(|cache| cache.level).map(|cache| cache.bytes as f64);
    of_kinds().or_else(of_first).filter(|bytes| *bytes > 0.0)
}

/// The same by lscpu: names are in the order of their levels.
fn of_text(output: &ToolOutput) -> Option<f64> {
    let parts = output.results.iter().filter(|result| result.tool == LISTS).flat_map(|result| &result.parts);
    let caches = parts.filter(|part| part.name.ends_with(CACHE));
    let last = caches.max_by(|a, b| a.name.cmp(&b.name))?;
    let size =
        last.measured.figures.iter().map(|figure| &figure.printed).find(|size| size.unit == Unit::Bytes)?;
    Some(size.value).filter(|bytes| *bytes > 0.0)
}

fn finding(result: &ToolResult, array: f64, caches: f64) -> Option<Finding> {
    let least = TIMES * caches;
    let (how, severity) = match array {
        array if array <= caches => ("inside", Severity::Warning),
        array if array < least => ("near", Severity::Note),
        _ => return None,
    };
    Some(about(result, how, severity, array).arg("cache", caches).arg("least", least))
}

fn about(result: &ToolResult, how: &str, severity: Severity, array: f64) -> Finding {
    let lines = Evidence::maybe_at("array-size", None)
        .arg("first", result.lines.first)
        .arg("last", result.lines.last)
        .arg("array", array);
    Finding::new(FindingKind::Validity, CHECK.code, severity)
        .arg("how", how)
        .arg("tool", result.tool.as_str())
        .arg("array", array)
        .because(lines)
}

#[cfg(test)]
mod tests {
    use model::Value;
    use model::machine::CacheKind;

    use super::*;
    use crate::check::fixture;

    const LSCPU: &str = "Architecture:            x86_64\nL1d cache:               64 KiB (2 instances)\nL3 cache:                32 MiB (1 instance)\n\n";

    fn mbw(mebibytes: u32) -> String {
        format!(
            "0 Method: MEMCPY Elapsed: 0.50000 MiB: {mebibytes}.00000 Copy: {}.000 MiB/s\n",
            mebibytes * 2
        )
    }

    #[test]
    fn arrays_are_held_against_the_caches_that_the_text_lists() {
        let how = |mebibytes: u32| {
            let found = fixture::found(&CHECK, &format!("{LSCPU}{}", mbw(mebibytes)));
            found.first().and_then(|finding| finding.args.get("how").cloned())
        };
        assert_eq!(how(16), Some(Value::from("inside")));
        assert_eq!(how(64), Some(Value::from("near")));
        assert_eq!(how(128), None);
        assert!(fixture::found(&CHECK, &mbw(16)).is_empty(), "of unknown caches nothing is said");
    }

    #[test]
    fn all_caches_of_the_last_level_count() {
        let mut machine = Machine::default();
        let kind = |level: u32, bytes: u64, instances: u32| CacheKind {
            level,
            kind: "Unified".to_owned(),
            bytes,
            instances,
        };
        assert_eq!(of_machine(&machine), None);
        machine.inventory.cpu.cache_kinds = vec![kind(2, 1 << 20, 8), kind(3, 16 << 20, 2)];
        assert_eq!(of_machine(&machine), Some(f64::from(32 << 20)));
    }

    #[test]
    fn a_block_of_sysbench_stays_in_the_cache() {
        let capture =
            include_str!("../../../../import/tests/tool/fixtures/sysbench/sysbench-1.0.20-memory.out");
        assert_eq!(fixture::found(&CHECK, &format!("{LSCPU}{capture}")).len(), 1);
        assert_eq!(fixture::found(&CHECK, capture).len(), 0, "some processor has no 1 MiB of caches");
        let small = capture.replace("block size: 1024KiB", "block size: 1KiB");
        let alone = fixture::found(&CHECK, small.split_once('\n').unwrap().1);
        assert_eq!(alone.first().and_then(|finding| finding.args.get("how")), Some(&Value::from("always")));
    }
}
