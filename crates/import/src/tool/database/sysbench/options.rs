//! Options of sysbench, as far as they say what work was done.

use std::collections::BTreeMap;

use model::{Value, WorkloadName};

use super::report::SysbenchTest;
use crate::tool::number::whole;

/// What a command line says.
#[derive(Debug, Default)]
pub(super) struct SysbenchCommand {
    /// The test, or the name of its script.
    pub(super) test: Option<String>,
    /// Options with their values, in the words of 1.0.
    pub(super) options: BTreeMap<String, String>,
    /// Whether these are all that were given.
    pub(super) is_all: bool,
}

/// What a test is told to do.
const ACTIONS: &[&str] = &["run", "prepare", "cleanup", "help", "prewarm", "warmup"];

/// Earlier names of options.
const ALIASES: &[(&str, &str)] = &[
    ("num-threads", "threads"),
    ("max-time", "time"),
    ("max-requests", "events"),
    ("tx-rate", "rate"),
    ("oltp-table-size", "table-size"),
    ("oltp-tables-count", "tables"),
];

/// What ends a run of 0.4 and 0.5 where no option says so, in the words of 1.0.
pub(super) const ENDS_OF_0_X: &[(&str, &str)] = &[("time", "0"), ("events", "10000")];

/// Options that say how a run is reported, or where a server is: none of what it does.
const SILENT: &[&str] = &[
    "percentile",
    "report-interval",
    "report-checkpoints",
    "histogram",
    "verbosity",
    "debug",
    "rand-seed",
    "mysql-host",
    "mysql-port",
    "mysql-socket",
    "mysql-user",
    "mysql-password",
    "mysql-db",
    "pgsql-host",
    "pgsql-port",
    "pgsql-user",
    "pgsql-password",
    "pgsql-db",
];

/// Options of any test that may be given with a work of ours.
const COMMON: &[&str] = &[
    "test",
    "threads",
    "time",
    "events",
    "rate",
    "percentile",
    "report-interval",
    "histogram",
    "verbosity",
    "debug",
    "rand-seed",
    "thread-init-timeout",
];

impl SysbenchCommand {
    /// Of these words, which begin with the program. Without any nothing is known.
    pub(super) fn of(words: &[String]) -> Self {
        let mut command = Self { is_all: !words.is_empty(), ..Self::default() };
        for word in words.iter().skip(1) {
            command.take(word);
        }
        command
    }

    fn take(&mut self, word: &str) {
        // What a shell would have put in is not known.
        if word.contains(['$', '`', '*']) && !word.contains("password") {
            self.is_all = false;
        } else if let Some(option) = word.strip_prefix("--") {
            let (name, value) = option.split_once('=').unwrap_or((option, "on"));
            let name = name.replace('_', "-");
            let alias = ALIASES.iter().find(|(earlier, _)| *earlier == name);
            let name = alias.map_or(name.as_str(), |(_, name)| *name);
            if name == "test" {
                self.test = Some(script(value).to_owned());
            } else {
                self.options.insert(name.to_owned(), value.to_owned());
            }
        } else if ACTIONS.contains(&word) {
            if word != "run" {
                self.options.insert("command".to_owned(), word.to_owned());
            }
        } else if self.test.is_none() {
            self.test = Some(script(word).to_owned());
        } else {
            self.is_all = false;
        }
    }
}

/// The name of a script: without its folder and its ending.
fn script(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.strip_suffix(".lua").unwrap_or(name)
}

/// The test of this name.
pub(super) fn test_of(name: &str) -> Option<SysbenchTest> {
    match name {
        "cpu" => Some(SysbenchTest::Cpu),
        "memory" => Some(SysbenchTest::Memory),
        "fileio" => Some(SysbenchTest::Fileio),
        "threads" => Some(SysbenchTest::Threads),
        "mutex" => Some(SysbenchTest::Mutex),
        _ if name.starts_with("oltp") => Some(SysbenchTest::Oltp),
        _ => None,
    }
}

/// The name of a test; its scripts have names of their own.
pub(super) fn name_of(test: SysbenchTest) -> &'static str {
    match test {
        SysbenchTest::Cpu => "cpu",
        SysbenchTest::Memory => "memory",
        SysbenchTest::Fileio => "fileio",
        SysbenchTest::Threads => "threads",
        SysbenchTest::Mutex => "mutex",
        SysbenchTest::Oltp => "oltp",
    }
}

/// Options without those that say nothing of the work.
pub(super) fn of_work(options: BTreeMap<String, String>) -> BTreeMap<String, String> {
    options.into_iter().filter(|(name, _)| !SILENT.contains(&name.as_str())).collect()
}

/// What is known of a run whose options are all known.
#[derive(Debug)]
pub(super) struct SysbenchWork<'a> {
    pub(super) test: SysbenchTest,
    pub(super) options: &'a BTreeMap<String, String>,
    /// Bytes that it moved.
    pub(super) bytes: Option<f64>,
    /// Events that it did.
    pub(super) events: Option<f64>,
}

type Parameter = (&'static str, Value);

impl SysbenchWork<'_> {
    /// The workload that does the same, with its parameters; `None` where there is none.
    pub(super) fn workload(&self) -> Option<(WorkloadName, Vec<Parameter>)> {
        let (name, known, parameters): (&'static str, &[&str], _) = match self.test {
            SysbenchTest::Cpu => ("cpu.primes", CPU, self.cpu()),
            SysbenchTest::Memory => ("memory.blocks", MEMORY, self.memory()),
            SysbenchTest::Threads => ("scheduler.threads", THREADS, self.threads()),
            SysbenchTest::Mutex => ("scheduler.mutex", MUTEX, self.mutex()),
            SysbenchTest::Fileio => ("disk", FILEIO, self.fileio()),
            SysbenchTest::Oltp => ("db.oltp", OLTP, self.oltp()),
        };
        let is_known =
            |option: &String| COMMON.contains(&option.as_str()) || known.contains(&option.as_str());
        let is_closed = self.get("rate", "0") == "0";
        if !is_closed || !self.options.keys().all(is_known) {
            return None;
        }
        Some((WorkloadName::intern(name)?, parameters?))
    }

    fn get<'b>(&'b self, name: &str, usual: &'b str) -> &'b str {
        self.options.get(name).map_or(usual, String::as_str)
    }

    fn count(&self, name: &str, usual: u64) -> Option<u64> {
        self.options.get(name).map_or(Some(usual), |value| value.parse().ok())
    }

    fn size(&self, name: &str, usual: u64) -> Option<u64> {
        self.options.get(name).map_or(Some(usual), |value| size(value))
    }

    /// What ends it: a time, or a count, but not whichever comes first.
    fn end(&self) -> Option<Parameter> {
        match (self.count("time", 10)?, self.count("events", 0)?) {
            (0, events) if events > 0 => Some(("requests", events.into())),
            (seconds, 0) if seconds > 0 => Some(("duration", f64::from(u32::try_from(seconds).ok()?).into())),
            _ => None,
        }
    }

    fn cpu(&self) -> Option<Vec<Parameter>> {
        let prime = self.count("cpu-max-prime", 10_000)?;
        Some(vec![("max-prime", prime.into()), ("threads", self.count("threads", 1)?.into()), self.end()?])
    }

    fn memory(&self) -> Option<Vec<Parameter>> {
        let operation = self.get("memory-oper", "write");
        let access = match self.get("memory-access-mode", "seq") {
            "seq" => "sequential",
            "rnd" => "random",
            _ => return None,
        };
        let scope = self.get("memory-scope", "global");
        let is_known = ["read", "write"].contains(&operation) && ["global", "local"].contains(&scope);
        if !is_known || self.get("memory-hugetlb", "off") != "off" {
            return None;
        }
        let total = self.size("memory-total-size", 100 << 30)?;
        // It ends by whichever comes first: by what was moved it shows.
        let end = if self.bytes? >= total as f64 { ("bytes", total.into()) } else { self.end()? };
        Some(vec![
            ("block-size", self.size("memory-block-size", 1024)?.into()),
            ("operation", operation.into()),
            ("access", access.into()),
            ("scope", scope.into()),
            ("threads", self.count("threads", 1)?.into()),
            end,
        ])
    }

    fn threads(&self) -> Option<Vec<Parameter>> {
        Some(vec![
            ("yields", self.count("thread-yields", 1000)?.into()),
            ("mutexes", self.count("thread-locks", 8)?.into()),
            ("threads", self.count("threads", 1)?.into()),
            self.end()?,
        ])
    }

    /// Each thread does one event.
    fn mutex(&self) -> Option<Vec<Parameter>> {
        let threads = self.count("threads", 1)?;
        let is_whole = self.events.is_some_and(|events| (events - threads as f64).abs() < 0.5);
        is_whole.then_some(())?;
        Some(vec![
            ("mutexes", self.count("mutex-num", 4096)?.into()),
            ("acquisitions", self.count("mutex-locks", 50_000)?.into()),
            ("count-to", self.count("mutex-loops", 10_000)?.into()),
            ("threads", threads.into()),
            ("requests", threads.into()),
        ])
    }

    /// Files that were there before. It fsyncs all files after so many requests of all threads, which
    /// no load of ours does.
    fn fileio(&self) -> Option<Vec<Parameter>> {
        let pattern = match self.get("file-test-mode", "") {
            "seqrewr" => "write",
            "seqrd" => "read",
            "rndrd" => "randread",
            "rndwr" => "randwrite",
            "rndrw" => "randrw",
            _ => return None,
        };
        let (direct, opened_sync) = match self.get("file-extra-flags", "") {
            "" => (false, false),
            "direct" => (true, false),
            "sync" | "dsync" => (false, true),
            _ => return None,
        };
        let is_plain = self.get("file-io-mode", "sync") == "sync"
            && self.get("file-merged-requests", "0") == "0"
            && self.get("file-fsync-all", "off") == "off";
        if !is_plain {
            return None;
        }
        let mut all: Vec<Parameter> = vec![
            ("pattern", pattern.into()),
            ("engine", "sync".into()),
            ("content", "zeros".into()),
            ("direct", direct.into()),
            ("block-size", self.size("file-block-size", 16_384)?.into()),
            ("files", self.count("file-num", 128)?.into()),
            ("size", self.size("file-total-size", 2 << 30)?.into()),
            ("threads", self.count("threads", 1)?.into()),
            self.end()?,
        ];
        if pattern == "randrw" {
            let ratio: f64 = self.get("file-rw-ratio", "1.5").parse().ok()?;
            all.push(("read-share", (ratio / (1.0 + ratio)).into()));
        }
        if !pattern.ends_with("read") {
            let sync = match (self.get("file-fsync-freq", "100"), self.get("file-fsync-end", "on")) {
                ("0", "on") if !opened_sync => "end",
                ("0", "off") if opened_sync => "dsync",
                ("0", "off") => "none",
                _ => return None,
            };
            all.push(("sync", sync.into()));
        }
        Some(all)
    }

    fn oltp(&self) -> Option<Vec<Parameter>> {
        let mix = match self.get("test", "") {
            "oltp_read_write" => "read-write",
            "oltp_read_only" => "read-only",
            "oltp_write_only" => "write-only",
            "oltp_point_select" => "point-select",
            "oltp_update_index" => "update-index",
            "oltp_update_non_index" => "update-non-index",
            "oltp_insert" => "insert",
            "oltp_delete" => "delete",
            _ => return None,
        };
        let prepared = match self.get("db-ps-mode", "auto") {
            "auto" => true,
            "disable" => false,
            _ => return None,
        };
        let distribution = self.get("rand-type", "special");
        if !["special", "uniform", "gaussian", "pareto"].contains(&distribution) {
            return None;
        }
        Some(vec![
            ("url", self.url()?.as_str().into()),
            ("mix", mix.into()),
            ("clients", self.count("threads", 1)?.into()),
            ("tables", self.count("tables", 1)?.into()),
            ("rows", self.count("table-size", 10_000)?.into()),
            ("range-size", self.count("range-size", 100)?.into()),
            ("distribution", distribution.into()),
            ("prepared", prepared.into()),
            self.end()?,
        ])
    }

    /// The server, with sysbench's own defaults for what is not said.
    fn url(&self) -> Option<String> {
        let (scheme, short, port) = match self.get("db-driver", "mysql") {
            "mysql" => ("mysql", "mysql", "3306"),
            "pgsql" => ("postgres", "pgsql", "5432"),
            _ => return None,
        };
        let of = |name: &str, usual: &'static str| {
            self.options.get(&format!("{short}-{name}")).map_or(usual, String::as_str).to_owned()
        };
        let (user, host, port) = (of("user", "sbtest"), of("host", "localhost"), of("port", port));
        let is_one = !host.contains(',') && !port.contains(',') && !self.options.contains_key("mysql-socket");
        is_one.then(|| format!("{scheme}://{user}@{host}:{port}/{}", of("db", "sbtest")))
    }
}

const CPU: &[&str] = &["cpu-max-prime"];

const THREADS: &[&str] = &["thread-yields", "thread-locks"];

const MUTEX: &[&str] = &["mutex-num", "mutex-locks", "mutex-loops"];

const MEMORY: &[&str] = &[
    "memory-access-mode",
    "memory-block-size",
    "memory-hugetlb",
    "memory-oper",
    "memory-scope",
    "memory-total-size",
];

const FILEIO: &[&str] = &[
    "file-block-size",
    "file-extra-flags",
    "file-fsync-all",
    "file-fsync-end",
    "file-fsync-freq",
    "file-fsync-mode",
    "file-io-mode",
    "file-merged-requests",
    "file-num",
    "file-rw-ratio",
    "file-test-mode",
    "file-total-size",
];

const OLTP: &[&str] = &[
    "db-driver",
    "db-ps-mode",
    "mysql-db",
    "mysql-host",
    "mysql-password",
    "mysql-port",
    "mysql-user",
    "pgsql-db",
    "pgsql-host",
    "pgsql-password",
    "pgsql-port",
    "pgsql-user",
    "rand-type",
    "range-size",
    "table-size",
    "tables",
];

/// Bytes as its options and its headings have them, multiples of 1024: `1K`, `16KiB`, `2Gb`, `16384`.
fn size(text: &str) -> Option<u64> {
    let (number, unit) = whole(text)?;
    let scale: u64 = match unit.trim().trim_end_matches(['b', 'B']).trim_end_matches('i') {
        "" => 1,
        "K" | "k" => 1 << 10,
        "M" | "m" => 1 << 20,
        "G" | "g" => 1 << 30,
        "T" | "t" => 1 << 40,
        _ => return None,
    };
    number.checked_mul(scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(command: &str, bytes: Option<f64>, events: Option<f64>) -> Option<String> {
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        let command = SysbenchCommand::of(&words);
        let name = command.test.clone()?;
        let mut options = command.options;
        options.insert("test".to_owned(), name.clone());
        let work = SysbenchWork { test: test_of(&name)?, options: &options, bytes, events };
        let (workload, mut parameters) = work.workload().filter(|_| command.is_all)?;
        parameters.sort_by_key(|(name, _)| *name);
        let each: Vec<String> = parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
        Some(format!("{workload} {}", each.join(" ")))
    }

    #[test]
    fn options_become_parameters_of_the_same_work() {
        for (command, expected) in [
            ("sysbench cpu --threads=4 run", "cpu.primes duration=10 max-prime=10000 threads=4"),
            (
                "sysbench cpu --events=100 --time=0 --cpu-max-prime=20000 run",
                "cpu.primes max-prime=20000 requests=100 threads=1",
            ),
            (
                "sysbench --test=threads --num-threads=2 --max-time=3 run",
                "scheduler.threads duration=3 mutexes=8 threads=2 yields=1000",
            ),
            (
                "sysbench fileio --file-test-mode=rndrw --file-fsync-freq=0 --file-num=10 --file-total-size=1G run",
                "disk block-size=16384 content=zeros direct=no duration=10 engine=sync files=10 pattern=randrw \
                 read-share=0.6 size=1073741824 sync=end threads=1",
            ),
            (
                "sysbench /x/oltp_point_select.lua --mysql-host=db --mysql-password=a --threads=8 run",
                "db.oltp clients=8 distribution=special duration=10 mix=point-select prepared=yes range-size=100 \
                 rows=10000 tables=1 url=mysql://sbtest@db:3306/sbtest",
            ),
        ] {
            assert_eq!(work(command, None, None).as_deref(), Some(expected), "{command}");
        }
    }

    #[test]
    fn what_ended_a_memory_test_shows_in_what_was_moved() {
        let command = "sysbench memory --memory-total-size=4G --memory-block-size=1M run";
        let all = "memory.blocks access=sequential block-size=1048576 bytes=4294967296 operation=write scope=global threads=1";
        assert_eq!(work(command, Some(4_294_967_296.0), None).as_deref(), Some(all));
        let timed = all.replace("bytes=4294967296", "duration=10");
        assert_eq!(work(command, Some(1e9), None), Some(timed));
        let mutex = "scheduler.mutex acquisitions=50000 count-to=10000 mutexes=4096 requests=2 threads=2";
        assert_eq!(work("sysbench mutex --threads=2 run", None, Some(2.0)).as_deref(), Some(mutex));
        assert_eq!(work("sysbench mutex --threads=2 run", None, Some(1.0)), None);
    }

    #[test]
    fn what_is_not_all_known_is_no_work_of_ours() {
        for command in [
            "sysbench cpu --threads=$t run",
            "sysbench cpu --events=100 run",
            "sysbench cpu --config-file=x run",
            "sysbench cpu --rate=5 run",
            "sysbench memory --memory-oper=none run",
            "sysbench fileio --file-test-mode=rndwr run",
            "sysbench fileio --file-test-mode=seqwr --file-fsync-freq=0 run",
            "sysbench oltp_read_write --skip-trx run",
            "sysbench oltp_read_write --mysql-host=a,b run",
            "sysbench mine.lua run",
        ] {
            assert_eq!(work(command, Some(1.0), None), None, "{command}");
        }
    }

    #[test]
    fn sizes_are_binary_with_any_ending() {
        assert_eq!(
            [size("1K"), size("16KiB"), size("2Gb"), size("16384"), size("1.5M")],
            [Some(1024), Some(16_384), Some(2 << 30), Some(16_384), None]
        );
    }
}
