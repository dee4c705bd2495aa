//! `db.script`: a user's own transactions, in the language of pgbench's scripts.

mod arithmetic;
mod columns;
mod compiler;
mod scanner;
mod spec;
mod sql_file;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use engine::queue::Class;
use model::plan::{Effect, Problem};
use model::{FactName, Parameters, Value, WorkloadSpec};
use sha2::{Digest, Sha256};

use crate::workload::common::LoadSchedule;
use crate::workload::db::dataset::DataSet;
use crate::workload::db::dataset::sbtest::Sbtest;
use crate::workload::db::dataset::tpcb::TpcbSize;
use crate::workload::db::load::DatabaseLoad;
use crate::workload::db::metrics::{self, FIRST_STATEMENT, OF_TRANSACTIONS};
use crate::workload::db::parameters::{ClientOptions, word};
use crate::workload::db::planned;
use crate::workload::db::script::spec::{ANY_CONTENT, CONTENT, DATA, SHA256, SPEC};
use crate::workload::db::script::sql_file::SqlFile;
use crate::workload::db::transaction::TransactionMix;
use crate::workload::db::url::DatabaseSystem;
use crate::workload::{Planned, Workload, named};

pub(in crate::workload) use crate::workload::db::script::compiler::{ScriptCompiler, StatementVerb};
pub(in crate::workload) use crate::workload::db::script::scanner::ScriptError;
pub(in crate::workload) use crate::workload::db::script::spec::OF_VERBS;

/// So long a file may be.
const FILE_MOST: u64 = 1 << 20;

/// The workload.
#[derive(Debug)]
pub struct Script;

impl Workload for Script {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        let integer = |name| parameters.integer(named(name));
        let data = match word(parameters, "data", DATA)? {
            "pgbench" => ScriptData::Tpcb(TpcbSize::new(integer("scale")?)?),
            "sysbench" => ScriptData::Sbtest(Sbtest::new(integer("tables")?, integer("rows")?)?),
            "existing" => ScriptData::Existing,
            _ => ScriptData::OfFile,
        };
        let load = ScriptLoad {
            path: parameters.given(named("sql"), Parameters::text)?.map(PathBuf::from),
            content: parameters
                .given(named(CONTENT), Parameters::text)?
                .filter(|content| *content != ANY_CONTENT)
                .map(str::to_owned),
            data,
            is_fresh: parameters.flag(named("fresh"))?,
            read: OnceLock::new(),
        };
        Ok(planned::plan(SPEC.name, Box::new(load), ClientOptions::of(parameters, schedule)?))
    }
}

/// The classes of statements, by what they do.
pub(in crate::workload) const BY_VERB: [Class; 8] = [
    OF_TRANSACTIONS[0],
    OF_TRANSACTIONS[1],
    metrics::statement("begin"),
    metrics::statement("commit"),
    metrics::statement("selects"),
    metrics::statement("inserts"),
    metrics::statement("updates"),
    metrics::statement("deletes"),
];

/// The class of a statement among [`BY_VERB`].
pub(in crate::workload) fn class_by_verb(verb: StatementVerb, _text: &str) -> u8 {
    FIRST_STATEMENT
        + match verb {
            StatementVerb::Begin => 0,
            StatementVerb::Commit | StatementVerb::Rollback => 1,
            StatementVerb::Select => 2,
            StatementVerb::Insert => 3,
            StatementVerb::Update => 4,
            StatementVerb::Delete => 5,
        }
}

/// That a script is not read, in words.
pub(in crate::workload) fn unread(what: &str, error: &ScriptError) -> Problem {
    Problem::invalid(
        format!("{what}, line {}: {}", error.line, error.message),
        "see docs/guide/sql.md for what a file of transactions may have",
    )
}

/// What tables there are.
#[derive(Clone, Copy, Debug)]
enum ScriptData {
    /// Those that the file makes.
    OfFile,
    /// Those that are there already.
    Existing,
    Tpcb(TpcbSize),
    Sbtest(Sbtest),
}

/// A file that was read.
#[derive(Debug)]
struct ReadFile {
    file: SqlFile,
    digest: String,
    writes: bool,
}

#[derive(Debug)]
struct ScriptLoad {
    path: Option<PathBuf>,
    /// What the file must hold, by its digest; anything where absent.
    content: Option<String>,
    data: ScriptData,
    /// Whether the tables are made anew for each trial.
    is_fresh: bool,
    read: OnceLock<ReadFile>,
}

impl ScriptLoad {
    fn compiled(&self, file: &SqlFile, system: DatabaseSystem) -> Result<TransactionMix, ScriptError> {
        let mut made = ScriptCompiler::new(system, class_by_verb);
        match self.data {
            ScriptData::OfFile | ScriptData::Existing => {}
            ScriptData::Tpcb(TpcbSize { scale }) => made = made.constant("scale", scale),
            ScriptData::Sbtest(Sbtest { tables, rows }) => {
                made = made.constant("tables", tables).constant("rows", rows);
            }
        }
        for transaction in &file.transactions {
            made.add(&transaction.text, transaction.line, transaction.weight, None)?;
        }
        Ok(made.finish())
    }

    /// What is called so in messages.
    fn name(&self) -> String {
        self.path.as_deref().unwrap_or(Path::new("")).display().to_string()
    }
}

impl DatabaseLoad for ScriptLoad {
    fn read(&self) -> Result<(), Problem> {
        if self.read.get().is_some() {
            return Ok(());
        }
        let Some(path) = &self.path else {
            return Err(Problem::invalid(
                "db.script executes the transactions of a file, and none is given",
                "add --sql FILE: statements as a script of pgbench has them",
            ));
        };
        let text = text_of(path)?;
        let wrong = |error: ScriptError| unread(&self.name(), &error);
        let file = SqlFile::read(&text).map_err(wrong)?;
        if !file.setup.is_empty() && !matches!(self.data, ScriptData::OfFile) {
            return Err(Problem::invalid(
                format!("{} makes tables of its own, and --data asks for others", self.name()),
                "leave data out, or what makes the tables",
            ));
        }
        let mix = self.compiled(&file, DatabaseSystem::Sqlite).map_err(wrong)?;
        let writes = mix.statements.iter().any(|statement| statement.writes);
        let digest: String = Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect();
        let content = content_of(&digest);
        if self.content.as_ref().is_some_and(|asked| *asked != content) {
            return Err(Problem::invalid(
                format!("{} does not hold what it must hold", self.name()),
                format!("its content is {content}; name the file that was meant, or leave out {CONTENT}"),
            ));
        }
        self.read.get_or_init(|| ReadFile { file, digest, writes });
        Ok(())
    }

    fn data(&self) -> DataSet {
        match self.data {
            ScriptData::Tpcb(size) => DataSet::Tpcb(size),
            ScriptData::Sbtest(data) => DataSet::Sbtest(data),
            ScriptData::Existing => DataSet::Existing,
            ScriptData::OfFile => {
                let statements = self.read.get().map(|read| read.file.setup.clone());
                DataSet::Statements { statements: statements.unwrap_or_default() }
            }
        }
    }

    fn effect(&self) -> Effect {
        match self.read.get() {
            Some(read) if !read.writes => Effect::Clean,
            _ if self.is_fresh => Effect::UsedUp,
            _ => Effect::Dirty,
        }
    }

    fn classes(&self) -> &'static [Class] {
        const ALL: &[Class] = &BY_VERB;
        ALL
    }

    fn mix(&self, system: DatabaseSystem) -> Result<TransactionMix, Problem> {
        let missing = || Problem::invalid("the file of transactions was not read", "");
        let read = self.read.get().ok_or_else(missing)?;
        self.compiled(&read.file, system).map_err(|error| unread(&self.name(), &error))
    }

    fn resolved(&self) -> Parameters {
        let content = self.read.get().map(|read| Value::from(content_of(&read.digest).as_str()));
        content.map(|content| (named(CONTENT), content)).into_iter().collect()
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        let digest = self.read.get().map(|read| Value::Text(read.digest.clone()));
        digest.map(|digest| (FactName::new("sql_sha256"), digest)).into_iter().collect()
    }
}

/// What the parameter says of a file with this digest.
fn content_of(digest: &str) -> String {
    format!("{SHA256}:{digest}")
}

/// What stands in a file of the user's.
fn text_of(path: &Path) -> Result<String, Problem> {
    let told = path.display();
    let wrong = |why: String| Problem::invalid(format!("reading {told}: {why}"), "give a file of SQL");
    let metadata = std::fs::metadata(path).map_err(|e| wrong(plain(&e)))?;
    if !metadata.is_file() {
        return Err(wrong("it is no file".to_owned()));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|e| wrong(plain(&e)))?;
    file.take(FILE_MOST + 1).read_to_end(&mut bytes).map_err(|e| wrong(plain(&e)))?;
    if bytes.len() as u64 > FILE_MOST {
        return Err(wrong("it is longer than 1 MiB".to_owned()));
    }
    String::from_utf8(bytes).map_err(|_| wrong("it is no UTF-8".to_owned()))
}

/// Why a file cannot be read, without the number of the error.
fn plain(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}
