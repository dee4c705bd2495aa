//! Servers of ours: an installed MariaDB or PostgreSQL in a folder of ours in the target, spoken to by a Unix socket
//! alone, with one user and a password that nobody knows; ended and removed at the end. It never runs as root, reads no
//! configuration of the machine's, and dies with this process.

mod account;
mod cold;
pub(in crate::workload) mod crash;
pub(in crate::workload) mod home;
mod mariadb;
mod postgres;
mod process;
mod program;
mod running;
mod started;
pub(in crate::workload) mod variables;

use std::fmt;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use engine::fault::Fault;
use engine::lock;
use model::parameter::{Kind, ParameterSpec, Parts, Word};
use model::plan::{FixtureKey, Ownership, Problem};
use model::scalar::binary;
use model::{FactName, Parameters, Value};
use rustix::fs::{Access, Mode, OFlags};
use rustix::process::Signal;
use serde::{Deserialize, Serialize};

use crate::fixture::{Fixture, FixtureKind, FixtureResult, Progress};
use crate::host::HostInfo;
use crate::in_memory::{self, Room};
use crate::workload::db::password::Password;
use crate::workload::db::server::account::ServerAccount;
use crate::workload::db::server::process::{ServerProcess, ServerSurroundings};
use crate::workload::db::server::program::{InstalledServer, ProgramNames};
use crate::workload::db::server::running::{ReachableServer, Registration};
use crate::workload::db::server::variables::ServerVariable;
use crate::workload::db::url::{DatabaseSystem, DatabaseUrl};
use crate::workload::file::tree::Tree;
use crate::workload::named;

pub use started::StartedDatabase;

/// The kind of fixtures.
pub const SERVERS: FixtureKind = FixtureKind { name: "database-server", make };

/// Which server is started.
pub(in crate::workload) const START: ParameterSpec = ParameterSpec::new(
    "start",
    Kind::Choice,
    "Start a server that is installed here, for this run only: in a hidden folder of the target, by a socket that is in \
     it, with a password that nobody knows. It is ended and removed at the end.",
)
.default("no")
.words(&[
    Word { word: "no", doc: "none: the url says which database it is" },
    Word { word: "mariadb", doc: "MariaDB (mariadbd)" },
    Word { word: "postgres", doc: "PostgreSQL (postgres)" },
])
.costly()
.not_work()
.only_with("url", &["sqlite:"]);

/// Which variables it gets.
pub(in crate::workload) const VARIABLES: ParameterSpec = ParameterSpec::new(
    variables::PARAMETER,
    Kind::Text,
    "Variables of the server, NAME=VALUE, several joined with +: of one that was started all, of another those of a \
     session. They are read back.",
)
.parts(Parts::Joined)
.always_told()
.costly();

/// Whether that may be set for a whole server.
pub(in crate::workload) const ALLOW_SETTINGS: ParameterSpec = ParameterSpec::new(
    variables::ALLOWANCE,
    Kind::Flag,
    "Set the variables for the whole server of the url, which all of its clients notice, and not for sessions only: SET \
     GLOBAL, or ALTER SYSTEM where no new start is needed. They are put back at the end; after a kill `headroom restore \
     --url` does that.",
)
.silent_by_default()
.default("no")
.not_work();

/// Where the password is.
pub(in crate::workload) const PASSWORD_FILE: ParameterSpec = ParameterSpec::new(
    "password-file",
    Kind::Path,
    "A file whose first line is the password for the server of the url. Without it, HEADROOM_DB_PASSWORD and what the \
     database's own clients read are used (PGPASSWORD, ~/.pgpass, MYSQL_PWD). No report has a password.",
)
.not_work();

/// The user whom such a server knows.
const USER: &str = "headroom";

/// How long a server may take to make its folder ready, and to begin. A recovery after a crash is in the latter.
const INITIALISED_WITHIN: Duration = Duration::from_secs(300);
const READY_WITHIN: Duration = Duration::from_secs(120);

/// So many times the bytes of the tables are allowed for, and so much stays free.
const DATA_TIMES: u64 = 3;
const RESERVE_BYTES: u64 = 64 << 20;

/// What an empty one has written about when it is ready: 110 MiB by MariaDB 10.11, 40 MiB by PostgreSQL 15.
const MADE_BYTES: u64 = 110 << 20;

/// How often it is looked how much there is meanwhile, and how deep.
const LOOK: Duration = Duration::from_millis(500);
const DEEPEST: u32 = 8;

/// How often one that has ended is started again, and how long is waited in between.
const ATTEMPTS: u32 = 3;
const PAUSE: Duration = Duration::from_secs(1);

/// What tells servers apart.
trait ServerProduct: Sync + fmt::Debug {
    /// What it is called.
    fn name(&self) -> &'static str;

    /// How it is spoken to.
    fn system(&self) -> DatabaseSystem;

    /// Debian's package with it.
    fn package(&self) -> &'static str;

    /// Its programs.
    fn programs(&self) -> ProgramNames;

    /// The users as whom it may run, if we are root.
    fn users(&self) -> &'static [&'static str];

    /// What stands in place of a host in its URL.
    fn host(&self, place: &ServerPlace) -> String;

    /// What makes its folder ready.
    ///
    /// # Errors
    /// If a file for that cannot be made.
    fn initialise(&self, place: &ServerPlace) -> Result<Command, Fault>;

    /// What it is always told beside where it lies, as words of its command line.
    fn options(&self) -> &'static [&'static str];

    /// What starts it.
    ///
    /// # Errors
    /// If a file for that cannot be made.
    fn start(&self, place: &ServerPlace, asked: &[ServerVariable], launch: Launch) -> Result<Command, Fault>;

    /// Whether the process of this number lets clients in.
    fn is_ready(&self, place: &ServerPlace, process: u32) -> bool;

    /// Files for its first start, which may hold the password and are removed then.
    fn made_for_start(&self) -> &'static [&'static str];

    /// How it is ended: signals, each with the time that it may need.
    fn endings(&self) -> &'static [(Signal, Duration)];

    /// How the kernel ends it when this process dies.
    fn at_our_death(&self) -> Signal;

    /// About how much memory it takes.
    fn memory_bytes(&self, asked: &[ServerVariable]) -> u64;

    /// About how many bytes it takes in its folder, beside the tables.
    fn disk_bytes(&self, asked: &[ServerVariable]) -> u64;
}

/// Whether it is the first start in its folder, and whether it fills its buffers by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Launch {
    First,
    Again,
    /// Again, with empty buffers.
    Cold,
}

/// Where a server is, and by which programs.
#[derive(Clone, Debug)]
struct ServerPlace {
    around: ServerSurroundings,
    installed: InstalledServer,
    /// Its folder, kept open: a socket is reached through it, however long the path is (unix(7) allows 107 bytes).
    open: Arc<OwnedFd>,
}

impl ServerPlace {
    /// The folder of its tables and logs.
    fn data(&self) -> PathBuf {
        self.around.folder.join("data")
    }

    /// A short path of its folder, for this process.
    fn shortcut(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.open.as_raw_fd()))
    }
}

/// A server that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::workload) struct ServerRequest {
    start: StartedServer,
    variables: Vec<ServerVariable>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StartedServer {
    Mariadb,
    Postgres,
}

impl ServerRequest {
    /// The one that `parameters` ask for, if they ask for one.
    ///
    /// # Errors
    /// If a variable cannot be set.
    pub(in crate::workload) fn of(parameters: &Parameters) -> Result<Option<Self>, Problem> {
        if parameters.get(named("start")).is_none() {
            return Ok(None);
        }
        let start = match parameters.text(named("start"))? {
            "no" => return Ok(None),
            "mariadb" => StartedServer::Mariadb,
            "postgres" => StartedServer::Postgres,
            other => return Err(Problem::invalid(format!("`{other}` is no server that can be started"), "")),
        };
        Ok(Some(Self { start, variables: variables::of(parameters)? }))
    }

    fn product(&self) -> &'static dyn ServerProduct {
        match self.start {
            StartedServer::Mariadb => &mariadb::MariaDb,
            StartedServer::Postgres => &postgres::Postgres,
        }
    }

    /// How it is spoken to.
    pub(in crate::workload) fn system(&self) -> DatabaseSystem {
        self.product().system()
    }

    /// What is made to start it in `folder`, without its tables.
    pub(in crate::workload) fn key(&self, folder: &str) -> FixtureKey {
        let product = self.product();
        let name = product.name();
        FixtureKey {
            details: serde_json::json!({ "start": self.start, "variables": self.variables }),
            written: MADE_BYTES,
            about: format!("starts {name} for this run in a folder of its own in {folder}, and removes it"),
            ..FixtureKey::new(SERVERS.name, folder, product.disk_bytes(&self.variables), Ownership::Created)
        }
    }

    /// Looks whether it can run in `folder`, a whole path, with `data_bytes` of tables; starts nothing. Returns about
    /// how much memory it takes, that of the folder if that is some.
    ///
    /// # Errors
    /// Why it cannot.
    pub(in crate::workload) fn survey(
        &self,
        folder: &Path,
        data_bytes: u64,
        host: &HostInfo,
    ) -> Result<u64, Problem> {
        let product = self.product();
        InstalledServer::find(product)?;
        let account = ServerAccount::find(product.users())?;
        if let Some(closed) = account.first_closed(folder) {
            return Err(Problem::refused(
                format!(
                    "{} is not run as root but as {}, and that user may not enter {}",
                    product.name(),
                    account.name,
                    closed.display()
                ),
                "use a target that all users may reach, or run this as another user than root",
            ));
        }
        // A page that is written is in the log before, and rows that are replaced stay for a while.
        let data_bytes = data_bytes.saturating_mul(DATA_TIMES);
        let needed = product.disk_bytes(&self.variables).saturating_add(data_bytes);
        let in_memory = has_room(folder, needed, host)?;
        let own = product.memory_bytes(&self.variables);
        Ok(own.saturating_add(if in_memory { needed } else { 0 }))
    }
}

/// Whether `folder` has room for so many bytes; whether that room is memory.
fn has_room(folder: &Path, needed: u64, host: &HostInfo) -> Result<bool, Problem> {
    let shown = folder.display();
    let refused = |e: rustix::io::Errno| {
        let why = std::io::Error::from(e);
        Problem::refused(
            format!("{shown} cannot be written to: {why}"),
            "give a folder in which you may write: `--target FOLDER`",
        )
    };
    let stat = rustix::fs::statvfs(folder).map_err(refused)?;
    rustix::fs::access(folder, Access::WRITE_OK | Access::EXEC_OK).map_err(refused)?;
    let free = stat.f_bavail.saturating_mul(stat.f_frsize);
    let Room { bytes, memory } = in_memory::room(folder, free, host);
    if needed.saturating_add(RESERVE_BYTES) <= bytes {
        return Ok(memory.is_some());
    }
    let (free, needed) = (binary(bytes), binary(needed));
    Err(Problem::refused(
        format!("a server with its tables may need {needed} in {shown}, where {free} are free"),
        "give fewer rows or tables, or another target",
    ))
}

fn make(key: &FixtureKey, host: &HostInfo, progress: &mut Progress<'_>) -> FixtureResult {
    let details = key.details.clone();
    let request: ServerRequest = serde_json::from_value(details)
        .map_err(|e| Fault::Other(format!("this agent does not know what a server is to be: {e}")))?;
    Ok(Box::new(PrivateServer::start(request, key, host, progress)?))
}

/// A server of ours. It is ended and removed when it is dropped.
#[derive(Debug)]
pub(in crate::workload) struct PrivateServer {
    request: ServerRequest,
    registration: Registration,
    place: ServerPlace,
    /// It stands before the folder: fields are dropped in their order. Who kills it on purpose has it, too.
    process: Arc<Mutex<ServerProcess>>,
    tree: Box<Tree>,
}

impl PrivateServer {
    fn start(
        request: ServerRequest,
        key: &FixtureKey,
        host: &HostInfo,
        progress: &mut Progress<'_>,
    ) -> Result<Self, Fault> {
        let product = request.product();
        let installed = InstalledServer::find(product)?;
        let account = ServerAccount::find(product.users())?;
        let password =
            Password::random().map_err(|e| Fault::system("asking the kernel for a random password", e))?;
        let tree = Box::new(Tree::make(Path::new(&key.target), host)?);
        let folder = tree.server_folder(account.ids)?;
        let at_our_death = product.at_our_death();
        let around = ServerSurroundings { folder, account, password, at_our_death };
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let open = rustix::fs::open(&around.folder, flags, Mode::empty())
            .map_err(|e| Fault::system(format!("opening {}", around.folder.display()), e))?;
        let place = ServerPlace { around, installed, open: Arc::new(open) };
        // What is there says that it gets on.
        let (mut bytes, mut looked) = (0, Instant::now());
        let mut goes_on = || {
            if looked.elapsed() >= LOOK {
                (bytes, looked) = (bytes_in(&place.around.folder, 0), Instant::now());
            }
            progress(bytes)
        };
        let mut initialise = product.initialise(&place)?;
        place.around.run(&mut initialise, "initialise.log", INITIALISED_WITHIN, &mut goes_on)?;
        let process = launch(&request, &place, Launch::First, &mut goes_on)?;
        for name in product.made_for_start() {
            // Some are made by one start only.
            let _ = std::fs::remove_file(place.around.folder.join(name));
        }
        let password = place.around.password.clone();
        let reachable = ReachableServer { key: key.clone(), url: url(&request, &place, ""), password };
        let registration = Registration::new(reachable);
        Ok(Self { request, registration, place, process: Arc::new(Mutex::new(process)), tree })
    }

    /// Which server it is, from which program, as whom it runs, and what it was told beside where it lies.
    pub(in crate::workload) fn facts(&self) -> Vec<(FactName, Value)> {
        let text = |name, text: String| (FactName::new(name), Value::Text(text));
        let asked: Vec<_> = self.request.variables.iter().map(ServerVariable::assignment).collect();
        let mut facts = vec![
            text("server_started", self.request.product().name().to_owned()),
            text("server_version", self.place.installed.version.clone()),
            text("server_program", self.place.installed.server.display().to_string()),
            text("server_user", self.place.around.account.name.clone()),
            text("server_options", self.request.product().options().join(", ")),
        ];
        if !asked.is_empty() {
            facts.push(text("server_configuration", asked.join(", ")));
        }
        facts
    }
}

#[cfg(test)]
impl PrivateServer {
    /// Where it is, for its one user; a client speaks to its database `database`.
    fn url(&self, database: &str) -> DatabaseUrl {
        url(&self.request, &self.place, database)
    }

    /// The password of its user.
    fn password(&self) -> &Password {
        &self.place.around.password
    }

    /// The number of its process, or of the first of its processes.
    fn process_id(&self) -> u32 {
        lock(&self.process).id()
    }
}

/// Bytes of the files in `folder` and below, as far as they can be seen.
fn bytes_in(folder: &Path, depth: u32) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let of_entry = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(about) if about.is_dir() && depth < DEEPEST => bytes_in(&entry.path(), depth + 1),
        Ok(about) if about.is_file() => about.len(),
        _ => 0,
    };
    entries.map(of_entry).fold(0, u64::saturating_add)
}

/// Where it is, for its one user; a client speaks to its database `database`.
fn url(request: &ServerRequest, place: &ServerPlace, database: &str) -> DatabaseUrl {
    let product = request.product();
    DatabaseUrl {
        system: product.system(),
        user: USER.to_owned(),
        host: product.host(place),
        port: None,
        database: database.to_owned(),
        options: Vec::new(),
        started: Some(product.name()),
    }
}

/// Starts the server and waits until it lets clients in.
fn launch(
    request: &ServerRequest,
    place: &ServerPlace,
    launch: Launch,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<ServerProcess, Fault> {
    let product = request.product();
    let mut command = product.start(place, &request.variables, launch)?;
    let log = match launch {
        Launch::First => "server.log".to_owned(),
        Launch::Again | Launch::Cold => format!("server-{}.log", engine::clock::now_ns()),
    };
    let mut process = place.around.start(&mut command, &log)?;
    let name = product.name();
    match process.wait_until(READY_WITHIN, goes_on, |process| product.is_ready(place, process.id()))? {
        Some(status) => {
            Err(Fault::Other(format!("{name} ended as it was started ({status}){}", process.reason())))
        }
        None if product.is_ready(place, process.id()) => Ok(process),
        None => Err(Fault::Other(format!(
            "{name} let nobody in within {} s{}",
            READY_WITHIN.as_secs(),
            process.reason()
        ))),
    }
}

impl Fixture for PrivateServer {
    /// One that has ended, in a trial that has failed, is started again, and recovers from what it left.
    fn check(&self) -> Result<(), Fault> {
        let mut process = lock(&self.process);
        if process.is_alive(&self.place.shortcut()) {
            return Ok(());
        }
        let again = || launch(&self.request, &self.place, Launch::Again, &mut || true);
        let mut started = again();
        for _ in 1..ATTEMPTS {
            if started.is_ok() {
                break;
            }
            // Processes of one that was killed may hold its memory for a moment.
            std::thread::sleep(PAUSE);
            started = again();
        }
        *process = started?;
        Ok(())
    }

    fn remove(self: Box<Self>) -> Result<(), Fault> {
        let Self { request, registration, process, tree, .. } = *self;
        drop(registration);
        let stopped = lock(&process).stop(request.product().endings());
        drop(process);
        stopped.and(tree.remove())
    }
}

#[cfg(test)]
mod tests;
