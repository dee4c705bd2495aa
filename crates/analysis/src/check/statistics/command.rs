//! A command that asks for something else than the output below it says: that is of another run, or the command was
//! changed when it was written down. Of tools whose output tells some of its options.

use model::tool_result::ToolResult;

use crate::check::work::{bytes, option};

/// A tool, an option that its output tells, and how commands give it.
const TOLD: &[(&str, &str, &[&str])] = &[
    ("fio", "rw", &["--rw", "--readwrite"]),
    ("fio", "bs", &["--bs", "--blocksize"]),
    ("fio", "iodepth", &["--iodepth"]),
    ("fio", "ioengine", &["--ioengine"]),
    ("sysbench", "threads", &["--threads", "--num-threads"]),
];

/// What the command of a result has, and what its output says instead.
pub(super) fn contradictions(result: &ToolResult) -> Vec<(String, String)> {
    if result.tool == "dd" {
        return more_than_asked(result).into_iter().collect();
    }
    // Of several jobs each has its own, and files of jobs have more.
    let given = || result.command.iter().skip(1);
    let jobs = given().filter(|word| word.starts_with("--name")).count();
    let has_file = given().any(|word| !word.starts_with('-') && word.contains('.'));
    if jobs > 1 || has_file {
        return Vec::new();
    }
    let of_tool = TOLD.iter().filter(|(tool, _, _)| *tool == result.tool);
    let wrong = of_tool.filter_map(|(_, own, flags)| {
        let told = option(result, &[*own])?;
        let (word, asked) = asked(&result.command, flags)?;
        (!is_same(asked, told)).then(|| (word.to_owned(), format!("{own}={told}")))
    });
    wrong.collect()
}

/// Of dd, which may end before all is copied, but never copies more blocks than it was asked for.
fn more_than_asked(result: &ToolResult) -> Option<(String, String)> {
    let records = result.whole.operations.as_ref()?;
    let asked = option(result, &["count"])?;
    // With some flags, and with a B at its end, it counts bytes.
    let is_of_bytes = option(result, &["iflag"]).is_some_and(|flags| flags.contains("count_bytes"));
    let count = bytes(asked).filter(|_| !is_of_bytes && !asked.ends_with(['B', 'b', 'c', 'w']))?;
    (records.least() > count as f64 + 1.0)
        .then(|| (format!("count={asked}"), format!("records={}", records.text)))
}

/// The word that gives one of these options, if one alone does, and its value.
fn asked<'a>(command: &'a [String], flags: &[&str]) -> Option<(&'a str, &'a str)> {
    let mut given = command.iter().filter_map(|word| {
        let (flag, value) = word.split_once('=')?;
        flags.contains(&flag).then_some((word.as_str(), value))
    });
    let first = given.next()?;
    given.next().is_none().then_some(first)
}

/// Whether both say the same, as far as they can be compared: `4k` is `4096B`, and ranges are left out.
fn is_same(asked: &str, told: &str) -> bool {
    match (bytes(asked), bytes(told)) {
        (Some(asked), Some(told)) => asked == told,
        (None, None) => plain(asked) == plain(told),
        _ => true,
    }
}

/// A word without what may follow it, `randread:8`, and by its usual name.
fn plain(word: &str) -> String {
    let word = word.split(':').next().unwrap_or(word).to_ascii_lowercase();
    if word == "readwrite" { "rw".to_owned() } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(command: &str) -> Vec<(String, String)> {
        let text = format!(
            "$ fio --name=x {command}\n\
             x: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=8\n\
             fio-3.33\nx: (groupid=0, jobs=1): err= 0: pid=1: Fri Nov 27 19:33:58 2026\n  \
             read: IOPS=10.0k, BW=39.1MiB/s (41.0MB/s)(391MiB/10000msec)\n"
        );
        contradictions(&import::tool::read("", text.as_bytes()).unwrap().results[0])
    }

    #[test]
    fn dd_copies_no_more_blocks_than_it_is_asked_for() {
        let wrong = |count: &str| {
            let text = format!(
                "$ dd if=/dev/zero of=/mnt/x bs=1M count={count}\n1024+0 records in\n1024+0 records out\n\
                 1073741824 bytes (1.1 GB, 1.0 GiB) copied, 2.13 s, 504 MB/s\n"
            );
            contradictions(&import::tool::read("", text.as_bytes()).unwrap().results[0]).len()
        };
        assert_eq!((wrong("512"), wrong("1024"), wrong("2k"), wrong("512B")), (1, 0, 0, 0));
    }

    #[test]
    fn a_command_asks_for_what_its_output_says() {
        assert!(wrong("--rw=randread --bs=4k --ioengine=libaio --iodepth=8").is_empty());
        assert!(wrong("--rw=randread:4 --bs=4k,8k --iodepth=8").is_empty());
        let other = |word: &str, told: &str| vec![(word.to_owned(), told.to_owned())];
        assert_eq!(wrong("--rw=randwrite --bs=4k"), other("--rw=randwrite", "rw=randread"));
        assert_eq!(wrong("--rw=randread --bs=8k"), other("--bs=8k", "bs=4096B"));
        assert_eq!(wrong("--rw=randread --iodepth=64"), other("--iodepth=64", "iodepth=8"));
        assert!(wrong("--rw=randwrite --name=y --rw=read").is_empty(), "which of them it is of is not known");
    }
}
