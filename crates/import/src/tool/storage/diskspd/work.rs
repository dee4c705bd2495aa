//! What diskspd's input parameters say of the work, a line each.

use model::Value;
use model::tool_result::Counting;

use crate::tool::number::{quantity, whole};

/// A parameter by its name and its value, where it has one: `block size: 64KiB`, `software cache disabled`.
pub(super) fn option(line: &str) -> (String, String) {
    let (name, value) =
        line.split_once(": ").filter(|(name, _)| !name.contains('(')).unwrap_or((line, "yes"));
    (name.to_owned(), value.to_owned())
}

/// What says nothing of the work when its value is this, or whatever its value is.
const WITHOUT_EFFECT: &[(&str, Option<&str>)] = &[
    ("warm up time", None),
    ("cool down time", None),
    ("measuring latency", None),
    ("gathering IOPS at intervals of 1000ms", None),
    ("random seed", None),
    ("think time", Some("0ms")),
    ("burst size", Some("0")),
    ("thread stride size", Some("0")),
    ("IO priority", Some("normal")),
    ("hardware write cache disabled, writethrough on", None),
    ("using hardware write cache, writethrough off", None),
];

/// The parameters of the same work; `None` where it is none of ours, or not all is known. Writes are not: what is
/// written, and what is written through, is not the same.
pub(super) fn parameters_of_work(lines: &[String], size: &str) -> Option<Vec<(&'static str, Value)>> {
    let (mut block, mut step, mut is_random, mut threads, mut direct) = (None, None, None, None, None);
    let (mut is_read, mut is_asynchronous) = (false, false);
    let mut all: Vec<(&'static str, Value)> = vec![("engine", "aio".into()), ("size", bytes(size)?.into())];
    for line in lines {
        let (name, value) = option(line);
        let unit = |text: &str| text.trim_end_matches(')').split_once(": ").and_then(|(_, size)| bytes(size));
        match name.as_str() {
            "duration" => all.push(("duration", quantity(0, &value, Counting::Decimal)?.value.into())),
            "path" if !all.iter().any(|(name, _)| *name == "target") => {
                all.push(("target", value.trim_matches('\'').into()));
            }
            "block size" => block = Some(bytes(&value)?),
            "threads per file" => threads = Some(whole(&value)?.0),
            "number of outstanding I/O operations" | "number of outstanding I/O operations per thread" => {
                all.push(("queue-depth", whole(&value)?.0.into()));
            }
            "performing read test" => is_read = true,
            "using I/O Completion Ports" => is_asynchronous = true,
            "software cache disabled" | "software and hardware cache disabled" => direct = Some(true),
            "using software cache" => direct = Some(false),
            name if name.starts_with("using random I/O (") => {
                (step, is_random) = (Some(unit(name)?), Some(true));
            }
            name if name.starts_with("using sequential I/O (") => {
                (step, is_random) = (Some(unit(name)?), Some(false));
            }
            name => {
                let is_without =
                    |(own, of): &(&str, Option<&str>)| *own == name && of.is_none_or(|of| of == value);
                if !WITHOUT_EFFECT.iter().any(is_without) {
                    return None;
                }
            }
        }
    }
    let (is_random, threads) = (is_random?, threads?);
    // Threads that read in sequence all read the same.
    if !is_read || !is_asynchronous || step? != block? || !is_random && threads > 1 {
        return None;
    }
    all.push(("pattern", if is_random { "randread" } else { "read" }.into()));
    all.push(("block-size", block?.into()));
    all.push(("threads", threads.into()));
    all.push(("direct", direct?.into()));
    Some(all)
}

/// A number of bytes: `64KiB`, `65536`, `1024MiB`.
fn bytes(text: &str) -> Option<u64> {
    let (number, unit) = whole(text)?;
    let scale: u64 = match unit {
        "" | "B" => 1,
        "KiB" | "K" | "KB" => 1 << 10,
        "MiB" | "M" | "MB" => 1 << 20,
        "GiB" | "G" | "GB" => 1 << 30,
        "TiB" | "T" | "TB" => 1 << 40,
        _ => return None,
    };
    number.checked_mul(scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETERS: &[&str] = &[
        "duration: 30s",
        "warm up time: 5s",
        "random seed: 0",
        "path: 'C:\\x.dat'",
        "think time: 0ms",
        "burst size: 0",
        "software cache disabled",
        "hardware write cache disabled, writethrough on",
        "performing read test",
        "block size: 4KiB",
        "using random I/O (alignment: 4KiB)",
        "number of outstanding I/O operations per thread: 32",
        "threads per file: 4",
        "using I/O Completion Ports",
        "IO priority: normal",
    ];

    /// The work of these parameters with one of them changed.
    fn work(from: &str, to: &str) -> Option<String> {
        let changed = |line: &&str| if *line == from { to.to_owned() } else { (*line).to_owned() };
        let lines: Vec<String> = PARAMETERS.iter().map(changed).collect();
        let mut all = parameters_of_work(&lines, "1024MiB")?;
        all.sort_by_key(|(name, _)| *name);
        Some(all.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn reads_whose_parameters_are_all_known_are_work_of_ours() {
        let expected = "block-size=4096 direct=yes duration=30 engine=aio pattern=randread queue-depth=32 size=1073741824 \
                        target=C:\\x.dat threads=4";
        assert_eq!(work("", "").as_deref(), Some(expected));
        assert!(work("threads per file: 4", "threads per file: 1").is_some());
        for (from, to) in [
            ("performing read test", "performing write test"),
            ("think time: 0ms", "think time: 5ms"),
            ("random seed: 0", "using interlocked offsets"),
            ("using random I/O (alignment: 4KiB)", "using random I/O (alignment: 512B)"),
            ("using random I/O (alignment: 4KiB)", "using sequential I/O (stride: 4KiB)"),
        ] {
            assert_eq!(work(from, to), None, "{to}");
        }
    }
}
