//! Operands of dd, as far as they say what work was done.

use model::tool_result::ToolResult;
use model::{Value, WorkloadName};

use crate::tool::number::whole;
use crate::tool::work::same_work;

/// What makes data, and reads it from nowhere.
const SOURCES: &[&str] = &["/dev/zero", "/dev/urandom", "/dev/random"];

/// What takes data, and keeps none of it.
const SINKS: &[&str] = &["/dev/null", "/dev/zero"];

/// Fills in what the operands of the command say.
pub(super) fn fill(result: &mut ToolResult) {
    let operands = result.command.iter().skip(1).filter_map(|word| word.split_once('='));
    result.options = operands.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    if result.options.is_empty() {
        return;
    }
    let get = |name: &str| result.options.get(name).map(String::as_str);
    let has = |name: &str, words: &[&str]| {
        get(name).is_some_and(|list| list.split(',').any(|word| words.contains(&word)))
    };
    let input = get("if").filter(|path| !SOURCES.contains(path));
    let output = get("of").filter(|path| !SINKS.contains(path));
    // Copies and pipes do the work of two loads.
    let (pattern, flag, target) = match (get("if"), input, output) {
        (Some(_), None, Some(target)) => ("write", "oflag", target),
        (Some(_), Some(target), None) if get("of").is_some() => ("read", "iflag", target),
        _ => return,
    };
    let block = get("bs").or(get(if pattern == "write" { "obs" } else { "ibs" }));
    let Some(block) = block.map_or(Some(512), size) else { return };
    let sync = match () {
        () if has("oflag", &["dsync", "sync"]) => "dsync",
        () if has("conv", &["fsync", "fdatasync"]) => "end",
        () => "none",
    };
    let is_direct = has(flag, &["direct"]);
    let is_zeros = get("if") == Some("/dev/zero");
    let mut set: Vec<(&'static str, Value)> = vec![
        ("target", target.into()),
        ("pattern", pattern.into()),
        ("block-size", block.into()),
        ("engine", "sync".into()),
        ("direct", is_direct.into()),
    ];
    if pattern == "write" {
        set.push(("sync", sync.into()));
        set.push(("content", if is_zeros { "zeros" } else { "random" }.into()));
    }
    let counted = if has("iflag", &["count_bytes"]) { 1 } else { block };
    let bytes = get("count").and_then(size).and_then(|count| count.checked_mul(counted));
    set.extend(bytes.map(|bytes| ("bytes", bytes.into())));
    // Without a count all of a file is read, so what was read is its size.
    let is_file = pattern == "read" && !target.starts_with("/dev/");
    // BSD calls it `iseek`, too.
    let is_whole = is_file && ["count", "skip", "iseek"].into_iter().all(|name| get(name).is_none());
    let read = result.whole.bytes.as_ref().filter(|read| is_whole && read.value > 0.0);
    if let Some(read) = read {
        let read = read.value as u64;
        set.extend([("bytes", read.into()), ("size", read.into())]);
    }
    same_work(result, WorkloadName::new("disk"), set);
}

/// A number as dd's operands have it: `4k`, `1M`, `64kB`, `2x512`.
fn size(text: &str) -> Option<u64> {
    text.split('x').map(factor_of_size).try_fold(1u64, |all, one| all.checked_mul(one?))
}

fn factor_of_size(text: &str) -> Option<u64> {
    let (number, unit) = whole(text)?;
    let binary = unit.strip_suffix("iB").unwrap_or(unit);
    let scale: u64 = match binary {
        "" | "c" => 1,
        "w" => 2,
        "b" => 512,
        "k" | "K" => 1 << 10,
        "m" | "M" => 1 << 20,
        "g" | "G" => 1 << 30,
        "t" | "T" => 1 << 40,
        "kB" | "KB" => 1000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "TB" => 1_000_000_000_000,
        _ => return None,
    };
    number.checked_mul(scale)
}

/// Whether the operands of the command ask for larger records than were counted: these are then of another command.
pub(super) fn contradict(result: &ToolResult, full: u64) -> bool {
    let block = result.command.iter().find_map(|word| word.strip_prefix("bs=")).and_then(size);
    let bytes = result.whole.bytes.as_ref().map(|bytes| bytes.value);
    block.zip(bytes).is_some_and(|(block, bytes)| full as f64 * block as f64 > bytes)
}

/// Whether what was written comes from another file or device.
pub(super) fn copies(result: &ToolResult) -> bool {
    let of = |name: &str, others: &[&str]| {
        result.options.get(name).is_some_and(|path| !others.contains(&path.as_str()))
    };
    of("if", SOURCES) && of("of", SINKS)
}

/// Whether it writes to a file or a device.
pub(super) fn writes(result: &ToolResult) -> bool {
    result.options.get("of").is_some_and(|path| !SINKS.contains(&path.as_str()))
}

#[cfg(test)]
mod tests {
    use model::tool_result::ToolRemedy;
    use model::{ParameterName, Unit};

    use super::super::dd_remedy;
    use super::*;
    use crate::tool::number::exact;

    #[test]
    fn operands_become_parameters_of_the_same_work() {
        let read = |words: &str| {
            let command = words.split(' ').map(str::to_owned).collect();
            let mut result = ToolResult { command, ..ToolResult::default() };
            fill(&mut result);
            let one = |(name, value): (ParameterName, &Value)| format!("{name}={value}");
            result.parameters.iter().map(one).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            read("dd if=/dev/zero of=x bs=1M count=64 oflag=direct conv=fsync"),
            "block-size=1048576 bytes=67108864 content=zeros direct=yes engine=sync pattern=write sync=end target=x"
        );
        assert_eq!(
            read("dd if=/dev/sda of=/dev/null bs=64kB"),
            "block-size=64000 direct=no engine=sync pattern=read target=/dev/sda"
        );
        assert_eq!(
            read("dd if=x of=/dev/null bs=1M iflag=direct"),
            "block-size=1048576 direct=yes engine=sync pattern=read target=x",
            "nothing says how long the file is"
        );
        assert_eq!(read("dd if=/dev/zero of=/dev/null bs=1M"), "", "that drives no disk");
        assert_eq!(
            read("dd if=x of=/dev/zero bs=1M"),
            "block-size=1048576 direct=no engine=sync pattern=read target=x",
            "what is written there is nowhere"
        );
        assert_eq!(read("dd if=a of=b"), "", "that drives two");
        assert_eq!(
            read("dd if=x of=/dev/null bs=1M count=4096 iflag=count_bytes"),
            "block-size=1048576 bytes=4096 direct=no engine=sync pattern=read target=x"
        );
        assert_eq!(
            (size("2x512"), size("1GB"), size("1MiB"), size("x")),
            (Some(1024), Some(1_000_000_000), Some(1 << 20), None)
        );
    }

    #[test]
    fn what_was_read_of_a_whole_file_is_its_size() {
        let read = |words: &str| {
            let command = words.split(' ').map(str::to_owned).collect();
            let mut result = ToolResult { command, ..ToolResult::default() };
            result.whole.bytes = Some(exact(1, 1 << 20, Unit::Bytes));
            fill(&mut result);
            let integer = |name: &'static str| result.parameters.integer(ParameterName::new(name)).ok();
            (integer("bytes"), integer("size"))
        };
        assert_eq!(read("dd if=x of=/dev/null bs=64k"), (Some(1 << 20), Some(1 << 20)));
        assert_eq!(read("dd if=x of=/dev/null bs=64k count=16"), (Some(1 << 20), None));
        assert_eq!(read("dd if=x of=/dev/null bs=64k skip=1"), (None, None));
        assert_eq!(read("dd if=x of=/dev/null bs=64k iseek=1"), (None, None));
        assert_eq!(read("dd if=/dev/sda of=/dev/null bs=64k"), (None, None), "it may have ended otherwise");
    }

    #[test]
    fn the_command_gets_what_it_lacks() {
        let command = "dd if=/dev/zero of=x oflag=dsync".split(' ').map(str::to_owned).collect();
        let mut result = ToolResult { command, ..ToolResult::default() };
        fill(&mut result);
        let remedies = [ToolRemedy::BypassPageCache, ToolRemedy::SyncAtEnd, ToolRemedy::RunFor(30)];
        let corrected = dd_remedy::corrected(&result, &remedies).join(" ");
        assert_eq!(corrected, "dd if=/dev/zero of=x oflag=dsync,direct conv=fdatasync");
    }

    #[test]
    fn records_of_another_size_are_of_another_command() {
        let contradicts = |words: &str, bytes: u64, full: u64| {
            let command = words.split(' ').map(str::to_owned).collect();
            let mut result = ToolResult { command, ..ToolResult::default() };
            result.whole.bytes = Some(exact(1, bytes, Unit::Bytes));
            contradict(&result, full)
        };
        assert!(contradicts("dd if=a of=b bs=1M", 4096, 8));
        assert!(!contradicts("dd if=a of=b bs=512", 4096, 8));
        assert!(!contradicts("dd if=a of=b bs=512", 4100, 8), "the last one is a part");
        assert!(!contradicts("dd if=a of=b", 4096, 1), "it may have been any");
    }
}
