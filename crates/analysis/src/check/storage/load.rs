//! What a result says of a load on storage, by the options of its tool and in the tool's words. What
//! they do not say is unknown, but for defaults that every version of the tool has and that hold
//! where all options are seen.

use model::metric;
use model::tool_result::{ToolPartKind, ToolResult};

/// A load on a file or a device.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::check) struct StorageLoad<'a> {
    /// Whether it reads from the target.
    pub(in crate::check) reads: bool,
    /// Whether it writes to it.
    pub(in crate::check) writes: bool,
    /// Whether what it writes comes from another file or device, which may be the slower side.
    pub(in crate::check) copies: bool,
    /// Whether places are visited in any order.
    pub(in crate::check) is_random: bool,
    /// Whether it goes around the page cache; absent where that is not known.
    pub(in crate::check) is_direct: Option<bool>,
    /// Whether what it wrote was on the device at the end; absent where that is not known.
    pub(in crate::check) is_synced: Option<bool>,
    /// What the page cache has of its target when it begins.
    pub(in crate::check) cached: CachedBefore,
    /// Bytes that it touches, those of all its files.
    pub(in crate::check) span: Option<u64>,
    /// Whether it writes nothing but zeros; absent where that is not known.
    pub(in crate::check) zeros: Option<bool>,
    /// The file, folder or device; the first of several.
    pub(in crate::check) target: Option<&'a str>,
}

/// What the page cache has of a target when a load begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::check) enum CachedBefore {
    /// That depends on what was done before.
    #[default]
    Unknown,
    /// Nothing: the tool drops it.
    Dropped,
    /// All that fits: the tool wrote it just before.
    Written,
}

/// How the options of a tool are understood.
type OptionReader = for<'a> fn(&'a ToolResult) -> Option<StorageLoad<'a>>;

/// Tools that drive storage, by the names of their importers.
const TOOLS: &[(&str, OptionReader)] = &[
    ("dd", dd),
    ("fio", fio),
    ("kubestr", fio),
    ("sysbench", sysbench),
    ("diskspd", diskspd),
    ("iozone", iozone),
    ("ioping", ioping),
    ("hdparm", hdparm),
];

impl<'a> StorageLoad<'a> {
    /// That of a result; `None` if it is of none, or its options are not known.
    pub(in crate::check) fn of(result: &'a ToolResult) -> Option<Self> {
        let (_, read) = TOOLS.iter().find(|(tool, _)| *tool == result.tool)?;
        read(result)
    }
}

/// Bytes that were moved, both ways together: where only their rate was printed, what it makes in the window.
pub(in crate::check) fn moved(result: &ToolResult) -> Option<f64> {
    if let Some(bytes) = &result.whole.bytes {
        return Some(bytes.value);
    }
    of_directions(result).or_else(|| {
        let rate = result.whole.figure(metric::THROUGHPUT)?;
        Some(rate.value * result.whole.window.as_ref()?.value)
    })
}

fn of_directions(result: &ToolResult) -> Option<f64> {
    let parts = result.parts.iter().filter(|part| part.kind == ToolPartKind::Direction);
    let each = parts.map(|part| part.measured.bytes.as_ref().map(|bytes| bytes.value));
    let each = each.collect::<Option<Vec<f64>>>()?;
    (!each.is_empty()).then(|| each.iter().sum())
}

/// The value of the first of these options that is there.
fn option<'a>(result: &'a ToolResult, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| result.options.get(*name)).map(String::as_str)
}

/// Whether one of these options is on.
fn is_on(result: &ToolResult, names: &[&str]) -> bool {
    names.iter().any(|name| option(result, &[*name]).is_some_and(|value| !OFF.contains(&value)))
}

const OFF: &[&str] = &["0", "none", "no", "false", "off"];

/// dd, of GNU, BSD and busybox. With none of its operands there is nothing to know.
fn dd(result: &ToolResult) -> Option<StorageLoad<'_>> {
    const SOURCES: &[&str] = &["/dev/zero", "/dev/urandom", "/dev/random"];
    const SINKS: &[&str] = &["/dev/null", "/dev/zero"];
    let has = |operand: &str, words: &[&str]| {
        option(result, &[operand]).is_some_and(|list| list.split(',').any(|word| words.contains(&word)))
    };
    let input = option(result, &["if"]).filter(|path| !SOURCES.contains(path));
    let output = option(result, &["of"]).filter(|path| !SINKS.contains(path));
    let target = output.or(input)?;
    let flags = if output.is_some() { "oflag" } else { "iflag" };
    // On BSD and macOS disks have devices that go around the cache.
    let is_raw = target.starts_with("/dev/r") && result.version.as_deref() == Some("BSD");
    // Who closes a block device last waits until all is on it, and dd does so before it looks at the clock.
    let is_device = target.starts_with("/dev/");
    let is_synced = has("oflag", &["sync", "dsync"]) || has("conv", &["fsync", "fdatasync"]);
    Some(StorageLoad {
        reads: output.is_none(),
        writes: output.is_some(),
        copies: output.is_some() && input.is_some(),
        is_direct: Some(is_raw || has(flags, &["direct"])),
        is_synced: if is_synced { Some(true) } else { (!is_device).then_some(false) },
        span: result.whole.bytes.as_ref().map(|bytes| whole(bytes.value)),
        zeros: option(result, &["if"]).map(|path| path == "/dev/zero"),
        target: Some(target),
        ..StorageLoad::default()
    })
}

/// fio, with engines that read and write files. The name of a job is there only where its options are,
/// from a command line or from JSON.
fn fio(result: &ToolResult) -> Option<StorageLoad<'_>> {
    const ENGINES: &[&str] = &[
        "psync",
        "sync",
        "pvsync",
        "pvsync2",
        "vsync",
        "libaio",
        "posixaio",
        "io_uring",
        "mmap",
        "windowsaio",
    ];
    let engine = option(result, &["ioengine"]);
    if engine.is_some_and(|engine| !ENGINES.contains(&engine)) {
        return None;
    }
    // A job file has more than the command line that names it; of JSON all options are known.
    let given = || result.command.iter().skip(1);
    let is_job_file = |word: &String| !word.starts_with('-') && word.contains('.') && !word.contains('=');
    let is_hidden = given().any(|word| word.starts_with("--name")) && given().any(is_job_file);
    let is_known = option(result, &["name"]).is_some() && !is_hidden;
    let pattern = option(result, &["rw", "readwrite"]).or(is_known.then_some("read"))?;
    let operation = pattern.strip_prefix("rand").unwrap_or(pattern).split(':').next()?;
    let (reads, writes) = match operation {
        "read" => (true, false),
        "write" => (false, true),
        "rw" | "readwrite" => (true, true),
        _ => return None,
    };
    let is_direct = match option(result, &["direct"]) {
        _ if engine == Some("mmap") => Some(false),
        Some(value) => Some(!OFF.contains(&value)),
        None if option(result, &["buffered"]) == Some("0") => Some(true),
        None => is_known.then_some(false),
    };
    let is_synced = is_on(result, &["fsync", "fdatasync", "end_fsync", "fsync_on_close", "sync"]);
    let jobs = option(result, &["numjobs"]).map_or(Some(1), |jobs| jobs.parse().ok());
    let files = option(result, &["filename"]).map_or(jobs, |_| Some(1));
    let size = option(result, &["size"]).and_then(size);
    Some(StorageLoad {
        reads,
        writes,
        copies: false,
        is_random: pattern.starts_with("rand"),
        is_direct,
        is_synced: if is_synced { Some(true) } else { is_known.then_some(false) },
        cached: match option(result, &["invalidate"]) {
            Some("0") => CachedBefore::Unknown,
            _ => CachedBefore::Dropped,
        },
        span: size.zip(files).and_then(|(size, files): (u64, u64)| size.checked_mul(files)),
        zeros: is_known.then(|| is_on(result, &["zero_buffers"])),
        target: option(result, &["filename", "directory"]).map(|path| path.split(':').next().unwrap_or(path)),
    })
}

/// The test fileio of sysbench, whose files its command `prepare` wrote. Its heading says what is not
/// as usual.
fn sysbench(result: &ToolResult) -> Option<StorageLoad<'_>> {
    let mode = option(result, &["file-test-mode"])?;
    let (reads, writes) = match mode {
        "seqrd" | "rndrd" => (true, false),
        "seqwr" | "seqrewr" | "rndwr" => (false, true),
        "rndrw" => (true, true),
        _ => return None,
    };
    let is_mapped = option(result, &["file-io-mode"]) == Some("mmap");
    let flags = option(result, &["file-extra-flags"]).unwrap_or_default();
    let has = |words: &[&str]| flags.split([',', ' ']).any(|flag| words.contains(&flag));
    let never_syncs = option(result, &["file-fsync-freq"]) == Some("0")
        && option(result, &["file-fsync-end"]) == Some("off");
    let is_synced = has(&["sync", "dsync"]) || is_on(result, &["file-fsync-all", "file-fsync-end"]);
    Some(StorageLoad {
        reads,
        writes,
        is_random: mode.starts_with("rnd"),
        is_direct: Some(has(&["direct"]) && !is_mapped),
        is_synced: if is_synced { Some(true) } else { never_syncs.then_some(false) },
        cached: CachedBefore::Written,
        span: option(result, &["file-total-size"]).and_then(size),
        ..StorageLoad::default()
    })
}

/// diskspd, by the lines of its input parameters.
fn diskspd(result: &ToolResult) -> Option<StorageLoad<'_>> {
    let has = |beginning: &str| result.options.keys().any(|line| line.starts_with(beginning));
    let (reads, writes) = match (has("performing read test"), has("performing write test")) {
        (false, false) if has("performing mix test") => (true, true),
        (false, false) => return None,
        only => only,
    };
    let is_direct = has("software cache disabled") || has("software and hardware cache disabled");
    let writes_through = has("hardware write cache disabled") || has("software and hardware cache disabled");
    Some(StorageLoad {
        reads,
        writes,
        is_random: has("using random I/O"),
        is_direct: if is_direct { Some(true) } else { has("using software cache").then_some(false) },
        is_synced: if writes_through {
            Some(true)
        } else {
            has("using hardware write cache").then_some(false)
        },
        target: option(result, &["path"]).map(|path| path.trim_matches('\'')),
        ..StorageLoad::default()
    })
}

/// iozone, which writes each file before it reads it. Without its command nothing is known.
fn iozone(result: &ToolResult) -> Option<StorageLoad<'_>> {
    let flags = result.command.get(1..).filter(|words| !words.is_empty())?;
    // Several letters may stand in one word.
    let letters = || flags.iter().filter_map(|word| word.strip_prefix('-'));
    let has = |flag: char| {
        letters().any(|own| own.contains(flag) && own.chars().all(|letter| letter.is_ascii_alphabetic()))
    };
    // The first of its tests writes, and comes before all others.
    let tests = || flags.windows(2).filter(|pair| pair[0] == "-i").map(|pair| pair[1].as_str());
    let writes_only = tests().next().is_some() && tests().all(|test| test == "0");
    Some(StorageLoad {
        reads: !writes_only,
        writes: true,
        is_direct: Some(has('I')),
        is_synced: Some(has('e') || has('o')),
        cached: CachedBefore::Written,
        span: option(result, &["size"]).and_then(size),
        ..StorageLoad::default()
    })
}

/// ioping, which keeps what it reads out of the page cache unless it is told otherwise. Without its command nothing is
/// known.
fn ioping(result: &ToolResult) -> Option<StorageLoad<'_>> {
    let flags = result.command.get(1..).filter(|words| !words.is_empty())?;
    let letters = || flags.iter().filter_map(|word| word.strip_prefix('-'));
    let has = |flag: char| {
        letters().any(|own| own.contains(flag) && own.chars().all(|letter| letter.is_ascii_alphabetic()))
    };
    let is_cached = has('C') || letters().any(|own| ["cached", "-cached"].contains(&own));
    let writes = has('W') || has('G');
    Some(StorageLoad { reads: !has('W'), writes, is_direct: Some(!is_cached), ..StorageLoad::default() })
}

/// hdparm, which empties the page cache before it reads the device. Of cached reads it says itself what they are.
fn hdparm(result: &ToolResult) -> Option<StorageLoad<'_>> {
    let timing = option(result, &["timing"]).filter(|timing| timing.ends_with("disk reads"))?;
    Some(StorageLoad {
        reads: true,
        is_direct: Some(timing.starts_with("O_DIRECT")),
        cached: CachedBefore::Dropped,
        target: option(result, &["device"]),
        ..StorageLoad::default()
    })
}

/// A size as these tools take it: multiples are of 1024.
fn size(text: &str) -> Option<u64> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 = text.get(..end)?.parse().ok()?;
    let unit = text.get(end..)?.trim().to_ascii_lowercase();
    let scale: u64 = match unit.trim_end_matches('b').trim_end_matches('i') {
        "" => 1,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        "t" => 1 << 40,
        _ => return None,
    };
    number.checked_mul(scale)
}

/// A count of bytes that was printed.
fn whole(value: f64) -> u64 {
    value.max(0.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(tool: &str, options: &str) -> ToolResult {
        let pairs = options.split_whitespace().filter_map(|word| word.split_once('='));
        ToolResult {
            tool: tool.to_owned(),
            options: pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            ..ToolResult::default()
        }
    }

    #[test]
    fn operands_of_dd_say_where_the_bytes_go() {
        let of = |options: &str| {
            let result = result("dd", options);
            StorageLoad::of(&result).map(|l| (l.writes, l.is_direct, l.is_synced, l.zeros))
        };
        assert_eq!(of("if=/dev/zero of=/data/x bs=1M"), Some((true, Some(false), Some(false), Some(true))));
        assert_eq!(
            of("if=/dev/zero of=x oflag=direct conv=notrunc,fsync"),
            Some((true, Some(true), Some(true), Some(true)))
        );
        assert_eq!(of("if=/dev/urandom of=/dev/sdb").map(|l| l.2), Some(None), "closing it waits");
        assert_eq!(of("if=/data/x of=/dev/null iflag=direct").map(|l| (l.0, l.1)), Some((false, Some(true))));
        assert_eq!(of("if=/dev/zero of=/dev/null"), None);
        assert_eq!(of(""), None);
    }

    #[test]
    fn of_fio_only_what_is_all_known_has_defaults() {
        let of = |options: &str| {
            let result = result("fio", options);
            StorageLoad::of(&result).map(|l| (l.reads, l.writes, l.is_direct, l.is_synced, l.span))
        };
        assert_eq!(
            of("name=x rw=randwrite size=64M numjobs=4"),
            Some((false, true, Some(false), Some(false), Some(256 << 20)))
        );
        assert_eq!(
            of("name=x rw=write size=64M numjobs=4 filename=f direct=1 end_fsync=1"),
            Some((false, true, Some(true), Some(true), Some(64 << 20)))
        );
        assert_eq!(of("rw=read ioengine=libaio iodepth=1"), Some((true, false, None, None, None)));
        assert_eq!(of("name=x rw=read ioengine=net"), None);
        assert_eq!(of("name=x rw=trim"), None);
        assert_eq!(of("name=x rw=read size=10%").and_then(|l| l.4), None);
    }

    #[test]
    fn sysbench_tells_its_flags() {
        let of = |options: &str| {
            let result = result("sysbench", options);
            StorageLoad::of(&result).map(|l| (l.is_random, l.is_direct, l.is_synced, l.span))
        };
        let usual = "file-test-mode=rndrd file-total-size=2GiB";
        assert_eq!(of(usual), Some((true, Some(false), None, Some(2 << 30))));
        assert_eq!(
            of("file-test-mode=seqwr file-extra-flags=direct file-fsync-end=on"),
            Some((false, Some(true), Some(true), None))
        );
        assert_eq!(of("threads=4"), None);
    }

    #[test]
    fn iozone_goes_through_the_page_cache_unless_it_is_told() {
        let of = |command: &str| {
            let mut result = result("iozone", "size=64k record=4k");
            result.command = command.split_whitespace().map(str::to_owned).collect();
            StorageLoad::of(&result).map(|l| (l.reads, l.is_direct, l.is_synced, l.span))
        };
        assert_eq!(of("iozone -a -g 128m"), Some((true, Some(false), Some(false), Some(65_536))));
        assert_eq!(of("iozone -Rab x.wks"), Some((true, Some(false), Some(false), Some(65_536))));
        assert_eq!(of("iozone -i 0 -i 1 -aI"), Some((true, Some(true), Some(false), Some(65_536))));
        assert_eq!(of("iozone -i 0 -e"), Some((false, Some(false), Some(true), Some(65_536))));
        assert_eq!(of(""), None);
    }

    #[test]
    fn ioping_is_told_to_go_through_the_page_cache() {
        let of = |command: &str| {
            let mut result = result("ioping", "");
            result.command = command.split_whitespace().map(str::to_owned).collect();
            StorageLoad::of(&result).map(|l| (l.reads, l.is_direct))
        };
        assert_eq!(of("ioping -c 5 -C ."), Some((true, Some(false))));
        assert_eq!(of("ioping -RC -s4k /x"), Some((true, Some(false))));
        assert_eq!(of("ioping -cached /x"), Some((true, Some(false))));
        assert_eq!((of("ioping -c 5 /C"), of("")), (Some((true, Some(true))), None));
    }

    #[test]
    fn diskspd_tells_its_caches_line_by_line() {
        let of = |lines: &[&str]| {
            let options = lines.iter().map(|line| ((*line).to_owned(), "yes".to_owned())).collect();
            let result = ToolResult { tool: "diskspd".to_owned(), options, ..ToolResult::default() };
            StorageLoad::of(&result).map(|l| (l.reads, l.writes, l.is_direct, l.is_synced))
        };
        let cached = ["using software cache", "using hardware write cache, writethrough off"];
        assert_eq!(
            of(&[&cached[..], &["performing write test"]].concat()),
            Some((false, true, Some(false), Some(false)))
        );
        assert_eq!(
            of(&["software cache disabled", "performing mix test (read/write ratio: 70/30)"]),
            Some((true, true, Some(true), None))
        );
        assert_eq!(of(&cached), None);
    }
}
