//! Options of fio, as far as they say what work was done.

use std::collections::BTreeMap;

use model::tool_result::{ToolRemedy, ToolResult};
use model::{Value, WorkloadName};

use super::run::{FioJob, FioRun};
use crate::tool::number::leading;
use crate::tool::work::same_work;

/// Options that change nothing of the work, or that [`parameters`] reads. With any other, the work is
/// not taken for one of ours.
const KNOWN: &[&str] = &[
    "blocksize",
    "bs",
    "buffered",
    "clat_percentiles",
    "description",
    "direct",
    "directory",
    "disk_util",
    "end_fsync",
    "eta",
    "eta-interval",
    "eta-newline",
    "exitall",
    "fdatasync",
    "filename",
    "fsync",
    "group_reporting",
    "gtod_reduce",
    "invalidate",
    "iodepth",
    "iodepth_batch",
    "ioengine",
    "lat_percentiles",
    "log_avg_msec",
    "minimal",
    "name",
    "norandommap",
    "numjobs",
    "output",
    "output-format",
    "percentile_list",
    "ramp_time",
    "randrepeat",
    "readonly",
    "readwrite",
    "runtime",
    "rw",
    "rwmixread",
    "rwmixwrite",
    "size",
    "slat_percentiles",
    "status-interval",
    "stonewall",
    "sync",
    "terse-version",
    "thread",
    "time_based",
    "unified_rw_reporting",
    "unlink",
    "write_bw_log",
    "write_iops_log",
    "write_lat_log",
];

/// Options that take no word behind them: what follows is another option, or a job file.
const FLAGS: &[&str] = &[
    "exitall",
    "group_reporting",
    "minimal",
    "norandommap",
    "readonly",
    "refill_buffers",
    "stonewall",
    "thread",
    "time_based",
];

/// What the header of a job says: `rw=randread, bs=(R) 4096B-4096B, (W) ..., ioengine=psync, iodepth=1`;
/// before 2.18 the sizes are `4K-4K/4K-4K/4K-4K`.
pub(super) fn of_header(header: &str) -> BTreeMap<String, String> {
    let mut sizes: Vec<&str> = Vec::new();
    let mut options = BTreeMap::new();
    for part in header.split(", ") {
        let bare = part.trim_start_matches("bs=");
        if let Some((_, size)) = bare.split_once(") ").filter(|_| bare.starts_with('(')) {
            sizes.push(size);
        } else if let Some(all) = part.strip_prefix("bs=") {
            sizes.extend(all.split(['/', ',']));
        } else if let Some((name, value)) = part.split_once('=') {
            options.insert(name.to_owned(), value.to_owned());
        }
    }
    // One size for all directions, and no range.
    if let [first, rest @ ..] = sizes.as_slice()
        && rest.iter().all(|size| size == first)
        && let Some((least, most)) = first.split_once('-')
        && least == most
    {
        options.insert("bs".to_owned(), least.to_owned());
    }
    options
}

/// What a command line says.
#[derive(Debug, Default)]
pub(super) struct FioCommand {
    /// Of all jobs.
    pub(super) common: BTreeMap<String, String>,
    /// Of each job that it names.
    pub(super) jobs: Vec<(String, BTreeMap<String, String>)>,
    /// Whether that is all: a job file says more.
    pub(super) is_all: bool,
}

impl FioCommand {
    /// Whether an option is given, of whichever job.
    pub(super) fn has(&self, option: &str) -> bool {
        let of_jobs = self.jobs.iter().map(|(_, options)| options);
        of_jobs.chain([&self.common]).any(|options| options.contains_key(option))
    }
}

/// Reads the words of a command. What stands before the first name holds for all jobs.
pub(super) fn of_command(words: &[String]) -> FioCommand {
    let mut command = FioCommand { is_all: true, ..FioCommand::default() };
    let mut words = words.iter().skip(1).peekable();
    while let Some(word) = words.next() {
        let option = word.strip_prefix("--").or_else(|| word.strip_prefix('-'));
        let Some(option) = option.filter(|option| !option.is_empty()) else {
            command.is_all = false;
            continue;
        };
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, value.to_owned()),
            None => {
                let value = words.next_if(|next| !FLAGS.contains(&option) && !next.starts_with('-'));
                (option, value.cloned().unwrap_or_else(|| "1".to_owned()))
            }
        };
        if name == "name" {
            command.jobs.push((value.clone(), BTreeMap::new()));
        }
        let options = command.jobs.last_mut().map_or(&mut command.common, |(_, options)| options);
        options.insert(name.to_owned(), value);
    }
    command
}

/// Fills in the options of a result, and the parameters of the same work where there is one.
pub(super) fn fill(result: &mut ToolResult, run: &FioRun, jobs: &[&FioJob]) {
    let mut options = run.options.clone();
    if let [first, others @ ..] = jobs {
        let is_common = |(name, value): &(&String, &String)| {
            others.iter().all(|job| job.options.get(*name) == Some(*value))
        };
        let common = first.options.iter().filter(is_common);
        options.extend(common.map(|(name, value)| (name.clone(), value.clone())));
    }
    let told: Option<u64> = jobs.iter().map(|job| job.jobs).sum();
    if let Some(told) = told {
        options.insert("numjobs".to_owned(), told.to_string());
    }
    let first = jobs.first().map_or("", |first| first.name.as_str());
    let is_one_work = jobs.iter().all(|job| job.name == first && !job.is_mixed);
    if run.knows_options
        && is_one_work
        && options.keys().all(|name| KNOWN.contains(&name.as_str()))
        && let Some(parameters) = parameters(&options)
    {
        same_work(result, WorkloadName::new("disk"), parameters);
    }
    result.options = options;
}

/// The parameters of the same work; `None` where it is none of ours.
fn parameters(options: &BTreeMap<String, String>) -> Option<Vec<(&'static str, Value)>> {
    let get = |name: &str| options.get(name).map(String::as_str);
    let is_set = |name: &str| get(name).is_some_and(|value| !["0", "false"].contains(&value));
    let number = |name: &str, usual: u64| get(name).map_or(Some(usual), |value| value.parse().ok());
    let pattern = match get("rw").or(get("readwrite")).unwrap_or("read") {
        "rw" => "readwrite",
        other => *PATTERNS.iter().find(|known| **known == other)?,
    };
    let engine = match get("ioengine").unwrap_or("psync") {
        "psync" | "sync" | "pvsync" | "pvsync2" | "vsync" => "sync",
        // windowsaio is to Windows what libaio is to Linux.
        "libaio" | "posixaio" | "windowsaio" => "aio",
        "io_uring" => "io_uring",
        "mmap" => "mmap",
        _ => return None,
    };
    let block = get("bs").or(get("blocksize")).map_or(Some(4096), size)?;
    let threads = number("numjobs", 1)?;
    let mut all: Vec<(&'static str, Value)> = vec![
        ("pattern", pattern.into()),
        ("block-size", block.into()),
        ("engine", engine.into()),
        ("direct", (is_set("direct") || get("buffered") == Some("0")).into()),
        ("threads", threads.into()),
    ];
    if let Some(target) = get("filename").or(get("directory")) {
        all.push(("target", target.into()));
    }
    if matches!(engine, "aio" | "io_uring") {
        all.push(("queue-depth", number("iodepth", 1)?.into()));
        all.push(("submit-batch", number("iodepth_batch", 1)?.into()));
    }
    if engine == "io_uring" {
        all.push(("registered", false.into()));
    }
    if pattern.ends_with("rw") || pattern == "readwrite" {
        let reads = match get("rwmixwrite") {
            Some(writes) => 100u32.checked_sub(writes.parse().ok()?)?,
            None => get("rwmixread").map_or(Some(50), |reads| reads.parse().ok())?,
        };
        all.push(("read-share", (f64::from(reads) / 100.0).into()));
    }
    if !pattern.ends_with("read") {
        all.extend(syncs(options)?);
    }
    let bytes = get("size").map(size);
    // Files of their own have as many bytes each.
    if let Some(bytes) = bytes.flatten().filter(|_| threads == 1 || get("filename").is_some()) {
        all.push(("size", bytes.into()));
    }
    match (is_set("time_based"), get("runtime").map(seconds)) {
        (true, Some(duration)) => all.push(("duration", duration?.into())),
        (false, None) => all.push(("bytes", bytes??.checked_mul(threads)?.into())),
        // It ends by whichever comes first.
        _ => return None,
    }
    Some(all)
}

const PATTERNS: &[&str] =
    &["read", "write", "randread", "randwrite", "readwrite", "randrw", "trim", "randtrim"];

/// When what was written is brought to the device.
fn syncs(options: &BTreeMap<String, String>) -> Option<Vec<(&'static str, Value)>> {
    let given = |name: &str| options.get(name).map(String::as_str).filter(|value| *value != "0");
    Some(match (given("sync"), given("fsync").or(given("fdatasync")), given("end_fsync")) {
        (None | Some("none"), None, None) => vec![("sync", "none".into())],
        (None | Some("none"), None, Some(_)) => vec![("sync", "end".into())],
        (None | Some("none"), Some(every), None) => {
            vec![("sync", "fsync".into()), ("sync-every", every.parse::<u64>().ok()?.into())]
        }
        (Some("1" | "sync" | "dsync"), None, None) => vec![("sync", "dsync".into())],
        _ => return None,
    })
}

/// Bytes, as fio reads them, and as its headers have them (`64.0KiB`): multiples are of 1024.
fn size(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 = text.get(..end)?.parse().ok()?;
    let unit = text.get(end..)?;
    let unit = unit.strip_prefix('.').map_or(unit, |decimals| decimals.trim_start_matches('0'));
    let scale: u64 = match unit.to_ascii_lowercase().trim_end_matches('b').trim_end_matches('i') {
        "" => 1,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        "t" => 1 << 40,
        _ => return None,
    };
    number.checked_mul(scale)
}

fn seconds(text: &str) -> Option<f64> {
    let number = leading(text, false)?;
    let scale = match number.rest {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    Some(number.value * scale)
}

/// The options that a remedy asks for, with their values.
pub(super) fn remedied(remedy: &ToolRemedy) -> Vec<(&'static str, Option<String>)> {
    let one = || Some("1".to_owned());
    match remedy {
        ToolRemedy::BypassPageCache => vec![("direct", one())],
        ToolRemedy::SyncAtEnd => vec![("end_fsync", one())],
        ToolRemedy::RunFor(seconds) => vec![("time_based", None), ("runtime", Some(seconds.to_string()))],
        ToolRemedy::RandomContent => vec![("refill_buffers", None)],
        ToolRemedy::WarmUp(seconds) => vec![("ramp_time", Some(seconds.to_string()))],
        ToolRemedy::Repeat(_) | ToolRemedy::SpanBeyondMemory | ToolRemedy::MeasureReceiver => Vec::new(),
    }
}

/// Sets an option of a command, for all its jobs.
pub(super) fn set(words: &mut Vec<String>, name: &str, value: Option<&str>) {
    let word = match value {
        Some(value) => format!("--{name}={value}"),
        None => format!("--{name}"),
    };
    let place = take_out(words, name);
    let jobs = words.iter().filter(|word| option_name(word) == Some("name")).count();
    // What stands behind a name is of that job alone.
    let place =
        if jobs > 1 { words.iter().position(|word| option_name(word) == Some("name")) } else { place };
    words.insert(place.unwrap_or(words.len()), word);
}

/// Takes an option out of a command, wherever it is given: of several the last counts. Where the first stood is
/// returned.
fn take_out(words: &mut Vec<String>, name: &str) -> Option<usize> {
    let mut first = None;
    while let Some(at) = words.iter().position(|word| option_name(word) == Some(name)) {
        first.get_or_insert(at);
        let has_value = words.get(at).is_some_and(|word| word.contains('='));
        words.remove(at);
        let is_value = words.get(at).is_some_and(|next| !next.starts_with('-'));
        if !has_value && is_value && !FLAGS.contains(&name) {
            words.remove(at);
        }
    }
    first
}

/// The name of an option, with one dash or two before it.
fn option_name(word: &str) -> Option<&str> {
    word.strip_prefix('-')?.trim_start_matches('-').split('=').next()
}

#[cfg(test)]
mod tests {
    use model::ParameterName;

    use super::*;

    fn read(command: &str) -> Option<String> {
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        let FioCommand { common, jobs, is_all } = of_command(&words);
        let run = FioRun { options: common, knows_options: is_all, ..FioRun::default() };
        let jobs: Vec<FioJob> =
            jobs.into_iter().map(|(name, options)| FioJob { name, options, ..FioJob::default() }).collect();
        let mut result = ToolResult::default();
        fill(&mut result, &run, &jobs.iter().collect::<Vec<_>>());
        result.workload?;
        let one = |(name, value): (ParameterName, &Value)| format!("{name}={value}");
        Some(result.parameters.iter().map(one).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn options_become_parameters_of_the_same_work() {
        let command = "fio --name=x --rw=randrw --rwmixread=70 --bs=8k --size=16M --filename=f --ioengine=io_uring \
                       --iodepth=8 --direct=1 --numjobs=2 --time_based --runtime=2";
        let expected = "block-size=8192 direct=yes duration=2 engine=io_uring pattern=randrw queue-depth=8 read-share=0.7 \
                        registered=no size=16777216 submit-batch=1 sync=none target=f threads=2";
        assert_eq!(read(command).as_deref(), Some(expected));
        let command = "fio -filename=/dev/sdb -direct=1 -iodepth 1 -thread -rw=randrw -bs=16k -size=500M -numjobs=10 -runtime=10s \
                       -time_based -name=t";
        let expected = "block-size=16384 direct=yes duration=10 engine=sync pattern=randrw read-share=0.5 size=524288000 \
                        sync=none target=/dev/sdb threads=10";
        assert_eq!(read(command).as_deref(), Some(expected));
        let command = "fio --name x --rw write --size 1G --end_fsync 1";
        let expected = "block-size=4096 bytes=1073741824 direct=no engine=sync pattern=write size=1073741824 sync=end threads=1";
        assert_eq!(read(command).as_deref(), Some(expected));
    }

    #[test]
    fn what_is_not_all_known_is_no_work_of_ours() {
        for command in [
            "fio job.fio",
            "fio --group_reporting job.fio",
            "fio --name=x --rw=read --size=1G --rate=5m",
            "fio --name=x --rw=read --size=1G --ioengine=rados",
            "fio --name=x --rw=read --size=1G --name=y --rw=write",
            "fio --name=x --rw=read --size=1G --runtime=5",
            "fio --name=x --rw=read --bs=4k,8k --size=1G",
        ] {
            assert_eq!(read(command), None, "{command}");
        }
    }

    #[test]
    fn a_header_says_the_size_where_there_is_one() {
        let all = of_header(
            "rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1",
        );
        let all: Vec<String> = all.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(all, ["bs=4096B", "iodepth=1", "ioengine=psync", "rw=randread"]);
        for header in ["rw=rw, bs=(R) 4096B-8192B, (W) 4096B-4096B", "rw=rw, bs=4K-4K/8K-8K, iodepth=1"] {
            assert!(!of_header(header).contains_key("bs"), "{header}");
        }
        for (header, bytes) in [
            ("rw=randread, bs=4K-4K/4K-4K/4K-4K, ioengine=libaio, iodepth=16", 4096),
            ("rw=write, bs=(R) 64.0KiB-64.0KiB, (W) 64.0KiB-64.0KiB, (T) 64.0KiB-64.0KiB", 65_536),
            ("rw=write, bs=1024KiB-1024KiB,1024KiB-1024KiB,1024KiB-1024KiB", 1 << 20),
        ] {
            assert_eq!(size(&of_header(header)["bs"]), Some(bytes), "{header}");
        }
        assert_eq!(size("1.5KiB"), None);
    }

    #[test]
    fn each_job_of_a_command_has_what_stands_behind_its_name() {
        let words = "fio --bs=64k --name=a --rw=read --name=b --rw=write".split(' ').map(str::to_owned);
        let command = of_command(&words.collect::<Vec<_>>());
        let of = |options: &BTreeMap<String, String>| options.values().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(of(&command.common), "64k");
        let jobs: Vec<String> = command.jobs.iter().map(|(_, options)| of(options)).collect();
        assert_eq!(jobs, ["a read", "b write"]);
        assert!(command.is_all && !of_command(&["fio".to_owned(), "job.fio".to_owned()]).is_all);
    }

    #[test]
    fn an_option_is_replaced_or_added() {
        let mut words: Vec<String> = ["fio", "--direct=0", "--rw=read"].map(str::to_owned).to_vec();
        set(&mut words, "direct", Some("1"));
        set(&mut words, "time_based", None);
        assert_eq!(words, ["fio", "--direct=1", "--rw=read", "--time_based"]);
    }

    #[test]
    fn an_option_that_is_given_twice_is_replaced_once() {
        let set_in = |command: &str| {
            let mut words: Vec<String> = command.split(' ').map(str::to_owned).collect();
            set(&mut words, "runtime", Some("60"));
            words.join(" ")
        };
        assert_eq!(set_in("fio --runtime=1 --name=a --runtime=2"), "fio --runtime=60 --name=a");
        assert_eq!(set_in("fio -name a -runtime 2 -rw=read"), "fio -name a --runtime=60 -rw=read");
    }

    #[test]
    fn an_option_is_set_for_all_jobs() {
        let mut words: Vec<String> =
            "fio --bs=4k --name=a --direct=0 --name b --rw=write".split(' ').map(str::to_owned).collect();
        set(&mut words, "direct", Some("1"));
        assert_eq!(words.join(" "), "fio --bs=4k --direct=1 --name=a --name b --rw=write");
    }
}
