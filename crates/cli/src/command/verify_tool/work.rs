//! What both sides do, in turn: where, with what beside them, and what comes of it.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use import::tool;
use load::host::HostInfo;
use load::workload::db::server::StartedDatabase;
use machine::setting::state_folder;
use model::plan::{Problem, ProblemKind};
use model::profile::Aspect;
use model::tool_result::ToolResult;
use model::workload::Catalogue;
use model::{Run, ToolOutput};
use report::text::printable;
use rustix::process::geteuid;
use tempfile::TempDir;

use super::child::{Children, Served};
use super::program;
use super::tools::{ServerPlace, ServerProgram, TargetKind, VerifiedTool, VerifyPlan, VerifyServer};
use crate::command::check::own_words;
use crate::exit::Failure;
use crate::output;

/// Room for the tables of a database that is started.
const TABLE_BYTES: u64 = 64 << 20;

/// A device is read by so many bytes each time, and what is left of it at its end is not.
const DEVICE_STEP_BYTES: u64 = 2 << 20;

/// What is to be run, and where. What runs beside it is ended before what it lies in is removed: fields are dropped in
/// their order.
pub(super) struct Work {
    verified: &'static VerifiedTool,
    /// The tool's program.
    program: PathBuf,
    plan: VerifyPlan,
    beside: Beside,
    children: Children,
    /// The bytes of the device that is read.
    device_bytes: Option<u64>,
    /// Documents and outputs; what the loads store lies in one of its own.
    scratch: TempDir,
    /// Removed with all that is in it.
    _target: Option<TempDir>,
}

/// What runs beside both sides.
enum Beside {
    /// Nothing, or what is started each time.
    Nothing,
    /// A program, which is ended when this is dropped.
    Program { _server: Served },
    /// A program in a network namespace of its own, in which both sides run, too.
    Namespace(Served, PathBuf),
    /// A server of databases.
    Database(StartedDatabase),
}

impl Work {
    /// What the arguments ask for; what has to run beside it runs.
    pub(super) fn of(matches: &ArgMatches, verified: &'static VerifiedTool) -> Result<Self, Failure> {
        let named = matches.get_one::<String>("target").map(String::as_str);
        let (target, device_bytes) = match (verified.target, named) {
            (TargetKind::Folder, Some(folder)) => (Some(folder_in(Path::new(folder))?), None),
            (TargetKind::Device, Some(device)) => (None, Some(bytes_of_device(device)?)),
            (TargetKind::Nothing, _) => (None, None),
            (kind, None) => return Err(without_target(verified.program, kind)),
        };
        let in_target = target.as_ref().map(|folder| folder.path().to_string_lossy().into_owned());
        let scratch = folder_in(&std::env::temp_dir())?;
        let folder = scratch.path().join("server");
        let mut plan = VerifyPlan {
            seconds: matches.get_one::<u32>("seconds").copied().unwrap_or(5),
            target: in_target.or(device_bytes.and(named).map(str::to_owned)).unwrap_or_default(),
            folder: folder.to_string_lossy().into_owned(),
            ports: free_ports()?,
            ..VerifyPlan::default()
        };
        let mut children = Children::new()?;
        let beside = match &verified.server {
            VerifyServer::Database(start) => {
                let folder = named.map_or_else(std::env::temp_dir, PathBuf::from);
                let host = HostInfo { state_folder: Some(state_folder()), ..HostInfo::default() };
                let started = start(&folder, TABLE_BYTES, &host, &mut || !children.is_stopped());
                let database = started.map_err(|problem| refused(problem, &children))?;
                (plan.socket, plan.user) = (database.socket().to_owned(), database.user().to_owned());
                children.environment = database.environment().to_vec();
                Beside::Database(database)
            }
            VerifyServer::Program(server) => started(server, &plan, &children, scratch.path())?,
            VerifyServer::Nobody => Beside::Nothing,
        };
        let first = match &beside {
            Beside::Database(database) => Some(database.programs()),
            _ => None,
        };
        let program = program::find(verified.program, verified.package, first)?;
        program::check_version(verified, &program)?;
        Ok(Self { verified, program, plan, beside, children, device_bytes, scratch, _target: target })
    }

    /// What both measured: the tool's outputs, and our documents.
    pub(super) fn measure(&self, pairs: u32) -> Result<(Vec<ToolOutput>, Vec<Run>), Failure> {
        let catalogue = ::agent::catalogue();
        let (mut theirs, mut ours) = (Vec::new(), Vec::new());
        if let Some(before) = self.verified.before {
            let path = self.scratch.path().join("before");
            let words = self.with_program(before(&self.plan));
            self.children.output(&words, &path, u64::from(self.plan.seconds))?;
        }
        // What it did says what is to be run; this time does not count, for caches were cold.
        let first = self.theirs(&catalogue)?;
        let words =
            first.results.first().and_then(|result| own_words(result, &catalogue)).ok_or_else(|| {
                Failure::refused(
                    format!(
                        "what this version of {} did is not known to be work of a load here",
                        self.verified.program
                    ),
                    "`headroom check` shows how its output is read",
                )
            })?;
        let words = self.at_server(words);
        for pair in 0..pairs {
            output::note(&format!("pair {} of {pairs}\n", pair + 1));
            // A machine that becomes slower is so for both.
            if pair % 2 == 0 {
                theirs.push(self.theirs(&catalogue)?);
                ours.push(self.ours(&words, pair)?);
            } else {
                ours.push(self.ours(&words, pair)?);
                theirs.push(self.theirs(&catalogue)?);
            }
        }
        Ok((theirs, ours))
    }

    /// Runs the tool once, and reads what it prints.
    fn theirs(&self, catalogue: &Catalogue) -> Result<ToolOutput, Failure> {
        let command = (self.verified.command)(&self.plan);
        let path = self.scratch.path().join("printed");
        let seconds = u64::from(self.plan.seconds);
        let other_end = match &self.verified.server {
            VerifyServer::Program(server) if server.place == ServerPlace::OneClient => {
                Some(serve(server, &self.plan, &self.children, self.scratch.path())?)
            }
            _ => None,
        };
        let printed = self.children.output(&self.with_program(command.clone()), &path, seconds);
        drop(other_end);
        let printed = printed?;
        let typed = output::joined(command.iter().map(String::as_str));
        let text = format!("$ {typed}\n{printed}");
        let mut output = tool::read(self.verified.program, text.as_bytes()).map_err(|error| {
            Failure::refused(printable(&error.to_string()), "`headroom check` reads texts of tools")
        })?;
        match output.results.as_mut_slice() {
            [one] => self.add_span(one, catalogue),
            _ => {
                return Err(Failure::refused(
                    format!(
                        "what {} printed is not understood:\n{}",
                        self.verified.program,
                        printable(printed.trim())
                    ),
                    "try its command by hand",
                ));
            }
        }
        Ok(output)
    }

    /// Of a device the tool does not print how large it is; a load of ours says so in its document.
    fn add_span(&self, result: &mut ToolResult, catalogue: &Catalogue) {
        let spec = result.workload.and_then(|workload| catalogue.workload(workload));
        let (Some(bytes), Some(spec)) = (self.device_bytes, spec) else { return };
        let of_span = |parameter: &&model::ParameterSpec| parameter.says == Some(Aspect::Span);
        for parameter in spec.parameters.iter().filter(of_span) {
            result.parameters.set(parameter.name, bytes);
        }
    }

    /// Runs our load once.
    fn ours(&self, words: &[String], pair: u32) -> Result<Run, Failure> {
        let document = self.scratch.path().join(format!("{pair}.json"));
        let own = std::env::current_exe().map_err(|source| Failure::File {
            what: "finding",
            path: "headroom".into(),
            source,
        })?;
        let mut command = self.entering();
        command.push(own.to_string_lossy().into_owned());
        command.extend_from_slice(words);
        let store = self.scratch.path().join("runs.db").to_string_lossy().into_owned();
        // The kernel places the tool's threads, too.
        command
            .extend(["--trials", "1", "--pin", "none", "--store", store.as_str(), "-o"].map(str::to_owned));
        command.push(document.to_string_lossy().into_owned());
        self.children.output(&command, &self.scratch.path().join("said"), u64::from(self.plan.seconds))?;
        let unread = |source| Failure::File { what: "reading", path: document.clone(), source };
        let bytes = std::fs::read(&document).map_err(unread)?;
        serde_json::from_slice(&bytes).map_err(|error| unread(error.into()))
    }

    /// The words that run a command of the tool's: its program by its whole path, where the other end is.
    fn with_program(&self, command: Vec<String>) -> Vec<String> {
        let mut words = self.entering();
        words.push(self.program.to_string_lossy().into_owned());
        words.extend(command.into_iter().skip(1));
        words
    }

    /// The words before a command that enters the network namespace of what runs beside it (nsenter(1)).
    fn entering(&self) -> Vec<String> {
        match &self.beside {
            Beside::Namespace(server, nsenter) => {
                let nsenter = nsenter.to_string_lossy().into_owned();
                vec![nsenter, format!("--net=/proc/{}/ns/net", server.id()), "--".to_owned()]
            }
            Beside::Nothing | Beside::Program { .. } | Beside::Database(_) => Vec::new(),
        }
    }

    /// The words of our load, with the whole of a server that was started in place of the tool's database in it: the tool
    /// names one that holds its own tables.
    fn at_server(&self, mut words: Vec<String>) -> Vec<String> {
        if let Beside::Database(database) = &self.beside {
            let is_url = |word: &&mut String| word.contains("://");
            words.iter_mut().filter(is_url).for_each(|word| *word = database.url());
        }
        words
    }
}

/// Starts a program that serves all the time; one that is started for each client only has to be there.
fn started(
    server: &ServerProgram,
    plan: &VerifyPlan,
    children: &Children,
    scratch: &Path,
) -> Result<Beside, Failure> {
    Ok(match server.place {
        ServerPlace::OneClient => {
            program::find(server.program, server.package, None)?;
            Beside::Nothing
        }
        ServerPlace::Loopback => Beside::Program { _server: serve(server, plan, children, scratch)? },
        ServerPlace::Namespace => {
            if !geteuid().is_root() {
                return Err(Failure::refused(
                    format!(
                        "{} would listen to other machines, and only root may give it a network namespace of its own",
                        server.program
                    ),
                    "run this as root, or hold another tool for networks against Headroom",
                ));
            }
            let nsenter = program::find("nsenter", "util-linux", None)?;
            Beside::Namespace(serve(server, plan, children, scratch)?, nsenter)
        }
    })
}

/// Starts a program that serves, with the files that it needs.
fn serve(
    server: &ServerProgram,
    plan: &VerifyPlan,
    children: &Children,
    scratch: &Path,
) -> Result<Served, Failure> {
    let found = |name, package| {
        program::find(name, package, None).map(|path: PathBuf| path.to_string_lossy().into_owned())
    };
    for (name, text) in (server.files)(plan) {
        let path = Path::new(&plan.folder).join(name);
        let unmade = |source| Failure::File { what: "making", path: path.clone(), source };
        path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(unmade)?;
        std::fs::write(&path, text).map_err(unmade)?;
    }
    let command = (server.command)(plan);
    let own = found(server.program, server.package)?;
    let mut words = Vec::new();
    if server.place == ServerPlace::Namespace {
        // Each becomes the next, so that all of them are one process.
        let up = "\"$0\" link set lo up && exec \"$@\"";
        words.push(found("unshare", "util-linux")?);
        words.extend(["--net", "sh", "-c", up].map(str::to_owned));
        words.push(found("ip", "iproute2")?);
    }
    words.push(own);
    words.extend(command.into_iter().skip(1));
    children.serve(&words, &scratch.join("served"), (plan.ports[0], server.place))
}

/// That it is not said on what a tool is to work.
fn without_target(tool: &str, kind: TargetKind) -> Failure {
    match kind {
        TargetKind::Device => Failure::arguments(
            format!("{tool} reads a device, and it is not said which"),
            "name a block device with --target: it is only read",
        ),
        TargetKind::Folder | TargetKind::Nothing => Failure::arguments(
            format!("{tool} stores files, and it is not said where"),
            "name a folder on the device to be measured with --target",
        ),
    }
}

/// How much is read of a block device.
fn bytes_of_device(device: &str) -> Result<u64, Failure> {
    let shown = printable(device);
    let unread = |error: std::io::Error| {
        let help = match error.kind() {
            std::io::ErrorKind::PermissionDenied => "run this as root, or as a user who may read the device",
            _ => "name a block device with --target",
        };
        Failure::refused(format!("{shown} cannot be read: {error}"), help)
    };
    let about = std::fs::metadata(device).map_err(unread)?;
    if !about.file_type().is_block_device() {
        return Err(Failure::arguments(
            format!("{shown} is no block device"),
            "name one with --target: it is only read",
        ));
    }
    let bytes = File::open(device).and_then(|mut file| file.seek(SeekFrom::End(0))).map_err(unread)?;
    match bytes / DEVICE_STEP_BYTES * DEVICE_STEP_BYTES {
        0 => Err(Failure::refused(format!("{shown} has {bytes} bytes"), "name a larger device")),
        whole => Ok(whole),
    }
}

/// Why no database was started; that somebody asked to stop, if so.
fn refused(problem: Problem, children: &Children) -> Failure {
    let Problem { kind, message, help } = problem;
    match kind {
        _ if children.is_stopped() => Failure::Interrupted,
        ProblemKind::Invalid => Failure::arguments(message, help),
        ProblemKind::Refused => Failure::refused(message, help),
    }
}

/// A new folder in this one.
fn folder_in(folder: &Path) -> Result<TempDir, Failure> {
    let made = tempfile::Builder::new().prefix("headroom-verify-").tempdir_in(folder);
    made.map_err(|source| Failure::File { what: "making a folder in", path: folder.to_owned(), source })
}

/// Two ports of the loopback interface that nobody has.
fn free_ports() -> Result<[u16; 2], Failure> {
    let bind = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    // Both are bound at once, so that they are not the same.
    let both = bind().and_then(|one| Ok((one, bind()?)));
    let ports = both.and_then(|(one, other)| Ok([one.local_addr()?.port(), other.local_addr()?.port()]));
    ports.map_err(|source| Failure::File { what: "finding a port on", path: "127.0.0.1".into(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_device_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let failure = bytes_of_device(file.path().to_str().unwrap()).unwrap_err();
        assert!(failure.message().contains("is no block device"), "{}", failure.message());
        assert_eq!(failure.code(), crate::exit::INVALID);
        let failure = bytes_of_device("/no/such/device").unwrap_err();
        assert_eq!(failure.code(), crate::exit::REFUSED);
    }

    #[test]
    fn two_ports_are_two() {
        let [one, other] = free_ports().unwrap();
        assert!(one != other && one > 0 && other > 0, "{one} {other}");
    }

    #[test]
    fn a_tool_without_a_target_says_what_it_needs() {
        assert!(without_target("hdparm", TargetKind::Device).help().unwrap().contains("block device"));
        assert!(without_target("fio", TargetKind::Folder).help().unwrap().contains("folder"));
    }
}
