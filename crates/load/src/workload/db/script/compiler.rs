//! Makes transactions of scripts: what `\set` says becomes a step that sets a variable, and a statement one that
//! executes it.

use std::collections::{BTreeMap, BTreeSet};

use crate::workload::db::expression::ValueExpression;
use crate::workload::db::generator::ValueGenerator;
use crate::workload::db::script::arithmetic;
use crate::workload::db::script::columns::columns;
use crate::workload::db::script::scanner::{self, ScriptError, ScriptItem, ScriptStatement, StatementPart};
use crate::workload::db::transaction::{
    Execution, SqlStatement, Transaction, TransactionMix, TransactionStep,
};
use crate::workload::db::url::DatabaseSystem;

/// So many statements all transactions of a load may have, and so many steps one of them.
const STATEMENTS_MOST: usize = 1000;
const STEPS_MOST: usize = 10_000;

/// What a statement does, as its first word says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::workload) enum StatementVerb {
    Begin,
    Commit,
    Rollback,
    Select,
    Insert,
    Update,
    Delete,
}

impl StatementVerb {
    /// Of the statement with this text.
    fn of(text: &str) -> Option<Self> {
        let upper = text.to_ascii_uppercase();
        let mut words = upper.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
        Some(match words.next()? {
            "BEGIN" | "START" => Self::Begin,
            "COMMIT" | "END" => Self::Commit,
            "ROLLBACK" => Self::Rollback,
            "SELECT" | "VALUES" => Self::Select,
            "INSERT" | "REPLACE" => Self::Insert,
            "UPDATE" => Self::Update,
            "DELETE" => Self::Delete,
            // What comes behind the queries that it names.
            "WITH" => words
                .find_map(|word| match word {
                    "INSERT" => Some(Self::Insert),
                    "UPDATE" => Some(Self::Update),
                    "DELETE" => Some(Self::Delete),
                    _ => None,
                })
                .unwrap_or(Self::Select),
            _ => return None,
        })
    }

    /// Whether it changes rows.
    pub(in crate::workload) fn writes(self) -> bool {
        matches!(self, Self::Insert | Self::Update | Self::Delete)
    }
}

/// In the figures of which class a statement is, by what it does and its text.
pub(in crate::workload) type Classify = fn(StatementVerb, &str) -> u8;

/// Makes a load of scripts.
#[derive(Debug)]
pub(in crate::workload) struct ScriptCompiler {
    system: DatabaseSystem,
    classify: Classify,
    /// Names that stand for numbers.
    constants: BTreeMap<String, i64>,
    /// The variables of names.
    variables: BTreeMap<String, usize>,
    /// Those that the present transaction has set so far.
    set: BTreeSet<usize>,
    steps: Vec<TransactionStep>,
    mix: TransactionMix,
}

impl ScriptCompiler {
    /// For a database of this system.
    pub(in crate::workload) fn new(system: DatabaseSystem, classify: Classify) -> Self {
        Self {
            system,
            classify,
            constants: BTreeMap::new(),
            variables: BTreeMap::new(),
            set: BTreeSet::new(),
            steps: Vec::new(),
            mix: TransactionMix::default(),
        }
    }

    /// With a name that stands for a number, as `:scale` does.
    pub(in crate::workload) fn constant(mut self, name: &str, value: u64) -> Self {
        self.constants.insert(name.to_owned(), i64::try_from(value).unwrap_or(i64::MAX));
        self
    }

    /// Adds the transaction that `text` is, which begins in this line. It comes by this weight; the time of all of it
    /// is in the figures of `class`, too, where there is one.
    ///
    /// # Errors
    /// The first thing that is not read.
    pub(in crate::workload) fn add(
        &mut self,
        text: &str,
        line: usize,
        weight: u64,
        class: Option<u8>,
    ) -> Result<(), ScriptError> {
        let items = scanner::scan(text, line)?;
        self.set.clear();
        let verbs = items.iter().filter_map(|item| match item {
            ScriptItem::Statement(statement) => StatementVerb::of(&whole_text(statement)),
            ScriptItem::Command(..) => None,
        });
        let writes = verbs.clone().any(StatementVerb::writes);
        let mut begun = false;
        for verb in verbs {
            let is_wrong = match verb {
                StatementVerb::Begin => std::mem::replace(&mut begun, true),
                StatementVerb::Commit | StatementVerb::Rollback => !std::mem::replace(&mut begun, false),
                _ => false,
            };
            if is_wrong {
                return Err(ScriptError::new(line, "BEGIN and COMMIT do not belong together in it"));
            }
        }
        if begun {
            return Err(ScriptError::new(line, "it begins a transaction and does not end it"));
        }
        for item in &items {
            match item {
                ScriptItem::Command(line, command) => self.command(*line, command)?,
                ScriptItem::Statement(statement) => self.statement(statement, writes)?,
            }
        }
        let mut steps = std::mem::take(&mut self.steps);
        if !steps.iter().any(|step| !matches!(step, TransactionStep::Set(..))) {
            return Err(ScriptError::new(line, "it has no statement"));
        }
        if steps.len() > STEPS_MOST || self.mix.statements.len() > STATEMENTS_MOST {
            let why = format!("it has more than {STATEMENTS_MOST} statements or {STEPS_MOST} steps");
            return Err(ScriptError::new(line, why));
        }
        steps.extend(class.map(TransactionStep::Record));
        self.mix.transactions.push(Transaction { weight, steps });
        Ok(())
    }

    /// All that was added.
    pub(in crate::workload) fn finish(self) -> TransactionMix {
        self.mix
    }

    /// The variable of this name.
    fn variable(&mut self, name: &str) -> usize {
        if let Some(variable) = self.variables.get(name) {
            return *variable;
        }
        let variable = self.mix.variables;
        self.mix.variables += 1;
        self.variables.insert(name.to_owned(), variable);
        variable
    }

    /// What a name stands for, where the present transaction has set it.
    fn named(&self, name: &str) -> Option<ValueExpression> {
        let set = self.variables.get(name).filter(|variable| self.set.contains(variable));
        let constant = || self.constants.get(name).map(|number| ValueExpression::Constant(*number));
        set.map(|variable| ValueExpression::Variable(*variable)).or_else(constant)
    }

    fn command(&mut self, line: usize, command: &str) -> Result<(), ScriptError> {
        let (word, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
        if word != "set" {
            let why = match word {
                "sleep" => ": clients that wait are loads with a `rate`",
                _ => "",
            };
            return Err(ScriptError::new(line, format!("`\\{word}` is not read{why}")));
        }
        let rest = rest.trim();
        let (name, expression) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        if name.is_empty() || !name.chars().all(arithmetic::is_of_name) {
            return Err(ScriptError::new(line, format!("`{name}` is no name of a variable")));
        }
        let made = arithmetic::generator(expression, &|name: &str| self.named(name));
        let generator = made.map_err(|why| ScriptError::new(line, why))?;
        self.put(name, generator);
        Ok(())
    }

    fn put(&mut self, name: &str, generator: ValueGenerator) {
        let variable = self.variable(name);
        self.set.insert(variable);
        self.steps.push(TransactionStep::Set(variable, generator));
    }

    fn statement(&mut self, asked: &ScriptStatement, writes: bool) -> Result<(), ScriptError> {
        let wrong = |why: String| ScriptError::new(asked.line, why);
        let text = whole_text(asked);
        let verb = StatementVerb::of(&text).ok_or_else(|| {
            let word: String = text.split_whitespace().next().unwrap_or_default().chars().take(40).collect();
            wrong(format!(
                "`{word}` is not executed: a transaction has SELECT, INSERT, UPDATE, DELETE, BEGIN, COMMIT and ROLLBACK"
            ))
        })?;
        let (mut pieces, mut parameters) = (vec![String::new()], Vec::new());
        let last = |pieces: &mut Vec<String>, text: &str| {
            if let Some(piece) = pieces.last_mut() {
                piece.push_str(text);
            }
        };
        for part in &asked.parts {
            match part {
                StatementPart::Text(text) => last(&mut pieces, text),
                StatementPart::Variable(name) => match self.named(name) {
                    Some(ValueExpression::Constant(number)) => last(&mut pieces, &number.to_string()),
                    Some(ValueExpression::Variable(variable)) => {
                        pieces.push(String::new());
                        parameters.push(variable);
                    }
                    _ => return Err(wrong(format!("`:{name}` was not set before"))),
                },
            }
        }
        if let [only] = &mut *pieces {
            *only = self.in_dialect(verb, only, writes);
        }
        let class = (self.classify)(verb, &pieces.join("?"));
        let statement = self.number(SqlStatement::of_pieces(pieces, verb.writes()));
        let execution = Execution { statement, table: None, class, parameters };
        if !asked.keeps {
            self.steps.push(TransactionStep::Execute(execution));
            return Ok(());
        }
        let names = columns(&text).ok_or_else(|| {
            wrong("\\gset needs the name of each column: write `expression AS name`".to_owned())
        })?;
        let into: Vec<usize> = names.iter().map(|name| self.variable(name)).collect();
        self.set.extend(&into);
        self.steps.push(TransactionStep::Keep(execution, into));
        Ok(())
    }

    /// The number of a statement, which is added if there is none like it.
    fn number(&mut self, statement: SqlStatement) -> usize {
        let known = self.mix.statements.iter().position(|known| *known == statement);
        known.unwrap_or_else(|| {
            self.mix.statements.push(statement);
            self.mix.statements.len() - 1
        })
    }

    /// What begins and ends a transaction, as this system has it. One of SQLite that reads before it writes cannot
    /// wait for another that writes, so that one that writes takes the lock when it begins.
    fn in_dialect(&self, verb: StatementVerb, text: &str, writes: bool) -> String {
        let upper = text.to_ascii_uppercase();
        let words: Vec<&str> = upper.split_whitespace().collect();
        let is_plain = matches!(*words, [_] | [_, "TRANSACTION" | "WORK"]);
        match verb {
            StatementVerb::Begin if is_plain && writes && self.system == DatabaseSystem::Sqlite => {
                "BEGIN IMMEDIATE".to_owned()
            }
            StatementVerb::Begin if is_plain => "BEGIN".to_owned(),
            StatementVerb::Commit if is_plain => "COMMIT".to_owned(),
            _ => text.to_owned(),
        }
    }
}

/// A statement with a question mark for each variable.
fn whole_text(statement: &ScriptStatement) -> String {
    let text = |part: &StatementPart| match part {
        StatementPart::Text(text) => text.clone(),
        StatementPart::Variable(_) => "?".to_owned(),
    };
    statement.parts.iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::db::generator::{SqlValue, ValueRandom};

    fn by_verb(verb: StatementVerb, _text: &str) -> u8 {
        verb as u8
    }

    fn compiler(system: DatabaseSystem) -> ScriptCompiler {
        ScriptCompiler::new(system, by_verb).constant("scale", 3)
    }

    #[test]
    fn a_script_of_pgbench_becomes_steps() {
        let script = "\\set aid random(1, 100 * :scale)\nBEGIN;\nUPDATE a SET x = x + :scale WHERE id = :aid;\n\
                      SELECT x, y AS other FROM a WHERE id = :aid \\gset\nDELETE FROM a WHERE x = :x;\nEND;";
        let mut made = compiler(DatabaseSystem::Sqlite);
        made.add(script, 1, 4, Some(9)).unwrap();
        let mix = made.finish();
        let texts: Vec<String> = mix.statements.iter().map(SqlStatement::text).collect();
        assert_eq!(
            texts,
            [
                "BEGIN IMMEDIATE",
                "UPDATE a SET x = x + 3 WHERE id = ?",
                "SELECT x, y AS other FROM a WHERE id = ?",
                "DELETE FROM a WHERE x = ?",
                "COMMIT",
            ]
        );
        assert!(mix.statements[1].writes && !mix.statements[2].writes);
        let [only] = &*mix.transactions else { panic!("{mix:?}") };
        assert_eq!((only.weight, only.steps.len(), mix.variables), (4, 7, 3));
        let TransactionStep::Set(0, generator) = &only.steps[0] else { panic!("{only:?}") };
        let mut values = mix.values();
        generator.set(0, &mut values, &mut ValueRandom::new(4));
        assert!(matches!(values[0], SqlValue::Integer(1..=300)), "{values:?}");
        assert!(matches!(&only.steps[3], TransactionStep::Keep(_, into) if *into == [1, 2]), "{only:?}");
        let TransactionStep::Execute(delete) = &only.steps[4] else { panic!("{only:?}") };
        assert_eq!((&*delete.parameters, delete.class), (&[1][..], StatementVerb::Delete as u8));
        assert_eq!(only.steps[6], TransactionStep::Record(9));
    }

    #[test]
    fn beginnings_and_ends_are_those_of_the_system() {
        let texts = |system, script| {
            let mut made = compiler(system);
            made.add(script, 1, 1, None).unwrap();
            made.finish().statements.iter().map(SqlStatement::text).collect::<Vec<_>>()
        };
        let reads = "START TRANSACTION; SELECT 1; END";
        assert_eq!(texts(DatabaseSystem::Sqlite, reads), ["BEGIN", "SELECT 1", "COMMIT"]);
        let writes = "begin work; delete from t; end";
        assert_eq!(texts(DatabaseSystem::MySql, writes), ["BEGIN", "delete from t", "COMMIT"]);
    }

    #[test]
    fn what_reads_and_what_writes_is_told_apart() {
        for (text, verb) in [
            ("with a as (select 1) select * from a", Some(StatementVerb::Select)),
            ("WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a", Some(StatementVerb::Insert)),
            ("(select 1)", Some(StatementVerb::Select)),
            ("REPLACE INTO t VALUES (1)", Some(StatementVerb::Insert)),
            ("ATTACH DATABASE 'x' AS y", None),
            ("PRAGMA synchronous=off", None),
            ("", None),
        ] {
            assert_eq!(StatementVerb::of(text), verb, "{text}");
        }
    }

    #[test]
    fn what_is_not_read_is_told_with_its_line() {
        for (script, line, why) in [
            ("ATTACH DATABASE '/home/x' AS y;", 5, "`ATTACH` is not executed"),
            ("DROP TABLE t;", 5, "`DROP` is not executed"),
            ("SELECT 1;\n\\sleep 10 ms", 6, "`\\sleep` is not read: clients that wait"),
            ("\\if 1", 5, "`\\if` is not read"),
            ("SELECT :nowhere;", 5, "`:nowhere` was not set"),
            ("\\set a :b", 5, "`:b` was not set"),
            ("\\set a-b 1", 5, "no name of a variable"),
            ("\\set a 1", 5, "no statement"),
            ("BEGIN; SELECT 1;", 5, "does not end it"),
            ("SELECT 1; COMMIT;", 5, "do not belong together"),
            ("SELECT max(x) FROM t \\gset", 5, "name of each column"),
        ] {
            let error = compiler(DatabaseSystem::Sqlite).add(script, 5, 1, None).unwrap_err();
            assert!(error.line == line && error.message.contains(why), "{script}: {error:?}");
        }
    }

    #[test]
    fn a_variable_of_another_transaction_is_not_set() {
        let mut made = compiler(DatabaseSystem::Sqlite);
        made.add("\\set a 1\nSELECT :a;", 1, 1, None).unwrap();
        assert!(made.add("SELECT :a;", 3, 1, None).unwrap_err().message.contains("`:a` was not set"));
    }
}
