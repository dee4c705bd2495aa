//! The fuzzers: libFuzzer on what Headroom reads, built with a look at which
//! branches the bytes reach, on the compiler of the house. What they found worth
//! keeping lies in `target/fuzz/corpus`, so that the next time goes on from there.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use tempfile::TempDir;
use xtask::{Error, cargo_program};

use crate::process::Running;
use crate::round::{Round, Trouble};
use crate::tally::Tally;

/// One fuzzer: a program of the workspace in `fuzz`.
#[derive(Debug)]
pub(crate) struct Fuzzer {
    /// What is typed, and the program's name.
    pub(crate) name: &'static str,
    /// What it reads.
    pub(crate) about: &'static str,
    /// What it begins with.
    seeds: Seeds,
}

/// Where the first inputs come from.
#[derive(Debug)]
enum Seeds {
    /// From nowhere: it makes its own.
    None,
    /// The files of a folder of the house, and of those in it.
    Folder(&'static str),
    /// These.
    Bytes(&'static [&'static [u8]]),
    /// What the program writes in short runs.
    Runs(fn(&Runs) -> Result<(), Trouble>),
}

/// Every fuzzer.
pub(crate) const FUZZERS: &[Fuzzer] = &[
    Fuzzer { name: "frames", about: "what a node hears", seeds: Seeds::None },
    Fuzzer {
        name: "document",
        about: "a run document: all that is made of one",
        seeds: Seeds::Runs(|runs| runs.documents()),
    },
    Fuzzer { name: "compare", about: "two run documents, compared", seeds: Seeds::Runs(|runs| runs.pairs()) },
    Fuzzer { name: "store", about: "a store", seeds: Seeds::Runs(|runs| runs.stores()) },
    Fuzzer { name: "recording", about: "a recorded machine", seeds: Seeds::Folder("tests/hosts") },
    Fuzzer { name: "fio-job", about: "a job file of fio", seeds: Seeds::Folder("tests/fio") },
    Fuzzer { name: "study", about: "a study file", seeds: Seeds::Folder("studies") },
    Fuzzer { name: "iperf3", about: "what a client of iperf3 says", seeds: Seeds::Bytes(IPERF3) },
    Fuzzer {
        name: "http-response",
        about: "what a server answers, over HTTP/1.1 and HTTP/2",
        seeds: Seeds::Bytes(RESPONSES),
    },
    Fuzzer { name: "store-answer", about: "what an object store says in XML", seeds: Seeds::Bytes(ANSWERS) },
    Fuzzer { name: "trace-file", about: "a trace in a file, of every format", seeds: Seeds::Bytes(TRACES) },
    Fuzzer {
        name: "tool-output",
        about: "what another tool printed, by every importer",
        seeds: Seeds::Folder("crates/import/tests/tool/fixtures"),
    },
    Fuzzer {
        name: "tool-block",
        about: "what another tool printed, given to each importer as its own",
        seeds: Seeds::Folder("crates/import/tests/tool/fixtures"),
    },
];

/// Answers behind the byte that says of which version they are and in what pieces they come: with a length, in
/// chunks, until the end of the connection; settings, a head and content of HTTP/2.
const RESPONSES: &[&[u8]] = &[
    b"\x20HTTP/1.1 200 OK\r\nServer: x\r\nETag: \"y\"\r\nContent-Length: 5\r\n\r\nhello",
    b"\x02HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nA: b\r\n\r\n",
    b"\x20HTTP/1.0 301 Moved\r\nLocation: http://a/b\r\nConnection: keep-alive\r\n\r\nuntil the end",
    b"\x21\0\0\0\x04\0\0\0\0\0\0\0\x01\x01\x04\0\0\0\x01\x88\0\0\x05\0\x01\0\0\0\x01hello",
    b"\x01\0\0\0\x04\0\0\0\0\0\0\0\x08\x07\0\0\0\0\0\0\0\0\0\0\0\0\0",
];

/// Answers behind their status: an error, a list of uploads that goes on, the name of an upload.
const ANSWERS: &[&[u8]] = &[
    b"\x01\x93<?xml version=\"1.0\"?><Error><Code>PermanentRedirect</Code><Message>a&amp;b</Message><Endpoint>c.d</Endpoint></Error>",
    b"\0\xc8<ListMultipartUploadsResult xmlns=\"x\"><Upload><Key>k</Key><UploadId>u</UploadId></Upload><IsTruncated>true</IsTruncated><NextKeyMarker>k</NextKeyMarker><NextUploadIdMarker>u</NextUploadIdMarker></ListMultipartUploadsResult>",
    b"\0\xc8<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>",
];

/// A saved trace of a header, a block and a footer; an event and a remap of blktrace, with others lost between them;
/// fio's iologs.
const TRACES: &[&[u8]] = &[
    b"\x89HRT\r\n\x1a\n\x01\0\0\0\x12\0\0\0\x01\x04mono\x02\x01\x05\x09\x07\x01\x02\x08\0\x02\x01a\xe8\x0b\xcb\x97\
      \xf5HRbB\0\0\0\x04\0\0\0)\0\0\0)\0\0\0\n\0\0\0\0\0\0\0\x19\0\0\0\0\0\0\0;\xb1\x91\x16\0\0\0\0S(\xf2{\
      \x20\x14\x07\0dd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x08\0\x01\x08\x80\x01\x08\
      \xe6\n\0\x08\xe7\x12\0\x08\x10\x02\0\x01\x03\
      \xf5HRbF\0\0\0\0\0\0\0\x06\0\0\0\x06\0\0\0\n\0\0\0\0\0\0\0\x19\0\0\0\0\0\0\0\x9e\x1d\xb8M\0\0\0\0\
      \xc2\xf2V\x1c\x04\x01\n\x19\x03\0",
    b"\x07tae\x01\0\0\0d\0\0\0\0\0\0\0@\0\0\0\0\0\0\0\0\x10\0\0\x01\0\x11\0\x07\0\0\0\0\0\x80\0\0\0\0\0\0\0\0\0\
      \x07tae\x04\0\0\0\xc8\0\0\0\0\0\0\0@\0\0\0\0\0\0\0\0\x10\0\0\x0f\0\x12\0\x07\0\0\0\0\0\x80\0\0\0\0\0\0\0\x10\0\
      \0\x80\0\x01\0\x80\0\0\0\0\0\0\0\0\0\0",
    b"fio version 2 iolog\na add\na open\na wait 200 0\na read 0 4096\na datasync 0 0\na close\n",
    b"fio version 3 iolog\n0 a add\n0 a open\n7 a write 512 512\n9 a trim 0 512\n",
];

/// What clients of iperf3 send after their cookie, behind the byte that says in what
/// pieces: a length and parameters; a test that ended, with results.
const IPERF3: &[&[u8]] = &[
    b"\xff\x00\x00\x00\x4d{\"tcp\":true,\"omit\":0,\"time\":1,\"num\":0,\"blockcount\":0,\"parallel\":1,\"len\":1024}",
    b"\xff\x00\x00\x00\x66{\"udp\":true,\"omit\":0,\"time\":1,\"parallel\":2,\"len\":64,\"bandwidth\":1e6,\"reverse\":true,\"TOS\":0,\"fqrate\":0}",
    b"\xff\x00\x00\x00\x4d{\"tcp\":true,\"omit\":0,\"time\":1,\"num\":0,\"blockcount\":0,\"parallel\":1,\"len\":1024}\x04\x00\x00\x00\x33{\"cpu_util_total\":1,\"streams\":[{\"id\":1,\"bytes\":1}]}",
];

/// What makes the compiler count branches. Those of libFuzzer's own documentation
/// for programs without a sanitizer: the house has no memory of its own to get
/// wrong outside of a few checked places, and panics are what is looked for.
const FLAGS: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "--cfg=fuzzing",
    "-Ccodegen-units=4",
];

/// The longest that one input may take, s. Inputs have some 10 KB.
const SECONDS_MOST: u32 = 20;
/// The most memory that it may take, MiB.
const MEMORY_MOST: u32 = 2048;
/// Crashes of one fuzzer after which it is not begun again.
const CRASHES_MOST: usize = 5;

/// A fuzzer that is built.
#[derive(Debug)]
pub(crate) struct Built {
    name: &'static str,
    program: PathBuf,
    corpus: PathBuf,
    found: PathBuf,
    seeds: PathBuf,
}

/// Builds these, and makes what they begin with by the program.
///
/// # Errors
/// If that fails.
pub(crate) fn build(
    root: &Path,
    target: &Path,
    program: &Path,
    fuzzers: &[&Fuzzer],
) -> Result<Vec<Built>, Error> {
    let folder = target.join("fuzz");
    let mut command = Command::new(cargo_program());
    command.args([
        "build",
        "--profile",
        "fuzz",
        "--locked",
        "--package",
        "headroom-fuzz",
        "--features",
        "libfuzzer",
    ]);
    // With a target named, scripts and macros of the build are without counters.
    command.args(["--target", HOST, "--target-dir"]).arg(&folder);
    for fuzzer in fuzzers {
        command.args(["--bin", fuzzer.name]);
    }
    let status = command.env("RUSTFLAGS", FLAGS.join(" ")).current_dir(root).status();
    match status {
        Ok(status) if status.success() => {}
        Ok(status) => return Err(Error::Torture(format!("the fuzzers are not built: {status}"))),
        Err(e) => return Err(Error::Torture(format!("cargo cannot be run: {e}"))),
    }
    let built = |fuzzer: &&Fuzzer| {
        let name = fuzzer.name;
        let own = |what: &str| folder.join(what).join(name);
        let built = Built {
            name,
            program: folder.join(HOST).join("fuzz").join(name),
            corpus: own("corpus"),
            found: own("found"),
            seeds: own("seeds"),
        };
        for new in [&built.corpus, &built.found, &built.seeds] {
            std::fs::create_dir_all(new).map_err(Error::file("write", new))?;
        }
        fuzzer.sow(root, program, &built.seeds)?;
        Ok(built)
    };
    fuzzers.iter().map(built).collect()
}

impl Fuzzer {
    /// Puts what it begins with into a folder.
    fn sow(&self, root: &Path, program: &Path, folder: &Path) -> Result<(), Error> {
        let put = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            std::fs::write(&path, bytes).map_err(Error::file("write", &path))
        };
        match &self.seeds {
            Seeds::None => Ok(()),
            Seeds::Bytes(all) => {
                all.iter().enumerate().try_for_each(|(number, bytes)| put(&number.to_string(), bytes))
            }
            Seeds::Folder(from) => {
                let mut folders = vec![root.join(from)];
                while let Some(from) = folders.pop() {
                    for entry in std::fs::read_dir(&from).map_err(Error::file("read", &from))?.flatten() {
                        let path = entry.path();
                        if path.is_file() {
                            let bytes = std::fs::read(&path).map_err(Error::file("read", &path))?;
                            put(&entry.file_name().to_string_lossy(), &bytes)?;
                        } else if path.is_dir() {
                            folders.push(path);
                        }
                    }
                }
                Ok(())
            }
            Seeds::Runs(make) => {
                let round = Round::new(program, folder.parent().unwrap_or(folder), 0)
                    .map_err(Error::file("write", folder))?;
                make(&Runs { round, folder }).map_err(|trouble| {
                    let (Trouble::Fault(why) | Trouble::Untried(why)) = trouble;
                    Error::Torture(format!("the first inputs of {} cannot be made: {why}", self.name))
                })
            }
        }
    }
}

/// Short runs of the program, as first inputs.
struct Runs<'a> {
    round: Round,
    folder: &'a Path,
}

impl Runs<'_> {
    const SHORT: [&'static str; 6] = ["--duration", "200ms", "--warm-up", "0", "--trials", "2"];
    /// What is run, of as many kinds as have something of their own to show.
    const KINDS: [&'static [&'static str]; 4] = [
        &["null", "--threads", "1,2"],
        &["disk", "--target", ".", "--size", "4m", "--pattern", "randwrite,randread"],
        &["memory.latency", "--size", "16k,64k"],
        &["net.stream"],
    ];

    fn documents(&self) -> Result<(), Trouble> {
        for kind in Self::KINDS {
            for detail in ["--json", "--json=full"] {
                let ended =
                    self.round.run(&[&["run"], kind, &Self::SHORT, &[detail]].concat())?.with(&[0])?;
                self.put(&format!("{}{detail}", kind[0]), ended.printed.as_bytes())?;
            }
        }
        Ok(())
    }

    fn pairs(&self) -> Result<(), Trouble> {
        for kind in Self::KINDS {
            let one = || {
                Ok(self.round.run(&[&["run"], kind, &Self::SHORT, &["--json"]].concat())?.with(&[0])?.printed)
            };
            self.put(kind[0], format!("[{},{}]", one()?, one()?).as_bytes())?;
        }
        Ok(())
    }

    fn stores(&self) -> Result<(), Trouble> {
        let store = self.round.path("seed.db");
        for kind in &Self::KINDS[..2] {
            let words = [&["run"], *kind, &Self::SHORT, &["--store", &store]].concat();
            self.round.run(&words)?.with(&[0])?;
            let bytes = std::fs::read(&store).map_err(|e| Trouble::Untried(format!("{store}: {e}")))?;
            self.put(kind[0], &bytes)?;
        }
        Ok(())
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), Trouble> {
        let path = self.folder.join(name);
        std::fs::write(&path, bytes).map_err(|e| Trouble::Untried(format!("{}: {e}", path.display())))
    }
}

/// The target of this machine.
const HOST: &str = env!("TORTURE_HOST");

/// Gives each fuzzer the same part of the time.
pub(crate) fn all(built: &[Built], length: Duration, stop: &AtomicBool) -> Vec<Tally> {
    let begun = Instant::now();
    let mut tallies = Vec::new();
    for (index, fuzzer) in built.iter().enumerate() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let share = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let of = u32::try_from(built.len()).unwrap_or(u32::MAX);
        let mut tally = Tally::new(fuzzer.name);
        let until = begun + length * share / of;
        if let Err(Trouble::Fault(why) | Trouble::Untried(why)) = one(fuzzer, until, stop, &mut tally) {
            tally.add_untried(&why);
        }
        eprintln!("{}", tally.line());
        tallies.push(tally);
    }
    tallies
}

/// A folder for what a fuzzer reads; in memory, for nothing of it is measured.
fn in_memory() -> std::io::Result<TempDir> {
    let shared = Path::new("/dev/shm");
    let base = if shared.is_dir() { shared.to_owned() } else { std::env::temp_dir() };
    tempfile::Builder::new().prefix("headroom-torture-").tempdir_in(base)
}

/// Runs one until then, again after each input that it did not bear.
fn one(fuzzer: &Built, until: Instant, stop: &AtomicBool, tally: &mut Tally) -> Result<(), Trouble> {
    loop {
        let begun = Instant::now();
        let seconds = until.saturating_duration_since(begun).as_secs().max(1);
        let folder = in_memory().map_err(|e| Trouble::Untried(format!("a folder: {e}")))?;
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL"]).arg(&fuzzer.program).env("TMPDIR", folder.path());
        command.arg(format!("-max_total_time={seconds}"));
        command.arg(format!("-timeout={SECONDS_MOST}")).arg(format!("-rss_limit_mb={MEMORY_MOST}"));
        command.arg(format!("-artifact_prefix={}/", fuzzer.found.display()));
        // Slow ones are told as such at the limit only.
        command.arg(format!("-report_slow_units={SECONDS_MOST}"));
        command.args(["-print_final_stats=1", "-verbosity=1", "-close_fd_mask=1"]);
        command.arg(&fuzzer.corpus).arg(&fuzzer.seeds);
        let mut run = Running::start(command)?;
        while !run.has_ended() {
            if stop.load(Ordering::Relaxed) {
                run.signal(Signal::INT);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let said = run.said();
        let took = begun.elapsed();
        let number = |name: &str| {
            let line = said.lines().rev().find_map(|line| line.strip_prefix(name));
            line.and_then(|rest| rest.trim().parse::<u64>().ok()).unwrap_or(0)
        };
        let inputs = number("stat::number_of_executed_units:");
        tally.add_inputs(inputs, took);
        tally.count("inputs that reached something new", number("stat::new_units_added:"));
        let crash =
            said.lines().find_map(|line| line.split_once("Test unit written to ")).map(|(_, path)| path);
        match crash {
            Some(path) => {
                let why = said
                    .lines()
                    .find(|line| ["panicked at", "ERROR:", "ALARM:"].iter().any(|word| line.contains(word)));
                let panicked = said.lines().skip_while(|line| !line.contains("panicked at")).take(2);
                let panicked = panicked.collect::<Vec<_>>().join(" ");
                let why = if panicked.is_empty() { why.unwrap_or_default().to_owned() } else { panicked };
                tally.add_fault(&format!("{why}\n  again: {} {path}", fuzzer.program.display()));
            }
            None if !stop.load(Ordering::Relaxed) && run.signal_of_end().is_some() => {
                tally.add_fault("it was killed by a signal and left no input: a full stack, or no memory");
                return Ok(());
            }
            None if inputs == 0 => {
                let tail: Vec<&str> = said.lines().rev().take(8).collect();
                return Err(Trouble::Untried(tail.into_iter().rev().collect::<Vec<_>>().join("\n  ")));
            }
            None => {}
        }
        let is_over = Instant::now() + Duration::from_secs(1) >= until;
        if is_over || stop.load(Ordering::Relaxed) || tally.faults() >= CRASHES_MOST {
            return Ok(());
        }
    }
}
