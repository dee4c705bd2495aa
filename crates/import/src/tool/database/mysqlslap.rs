//! mysqlslap of MySQL and MariaDB: its reports, and the lines that it writes with --csv.

use std::collections::BTreeMap;

use model::database::metric::QUERIES_PER_SECOND;
use model::tool_result::{Counting, PrintedValue, ToolResult};
use model::{MetricName, Unit, Value, WorkloadName, metric};

use super::{divided, encoded, number};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{exact, quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};
use crate::tool::secret::hide_secrets;
use crate::tool::work::same_work;

/// The importer. It prints no multiples of units, so it has no counting rule.
pub(super) struct Mysqlslap;

const NAME: &str = "mysqlslap";

/// The names before its figures.
const MEAN: &str = "Average number of seconds to run all queries";
const LEAST: &str = "Minimum number of seconds to run all queries";
const MOST: &str = "Maximum number of seconds to run all queries";
const CLIENTS: &str = "Number of clients running queries";
const QUERIES: &str = "Average number of queries per client";
const NAMES: &[&str] = &[MEAN, LEAST, MOST, CLIENTS, QUERIES];

/// What stands before the name of a storage engine.
const ENGINE: &str = "Running for engine ";

/// What it says on the way with -v.
const PROGRESS: &[&str] = &[
    "Building Create Statements for Auto",
    "Building Query Statements for Auto",
    "Parsing engines to use.",
    "Starting Concurrency Test",
    "Loading Pre-data",
    "Generating primary key list",
    "Generating stats",
];

/// With -v it says something for each iteration; so many lines are one output at most.
const LINES_MAX: usize = 2000;

impl ToolReader for Mysqlslap {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the reports of mysqlslap (mariadb-slap), one for each concurrency and engine, and its --csv"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["mysqlslap", "mariadb-slap"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[
            NAMES,
            PROGRESS,
            &[ENGINE, "Benchmark", ",mixed,", ",read,", ",write,", ",key,", ",update,", ",query,"],
        ])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        if named(text).is_some() || text.starts_with(ENGINE) {
            return Some(Beginning::Certain);
        }
        let is_likely = text == "Benchmark" || PROGRESS.contains(&text) || csv(line).is_some();
        is_likely.then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        if csv(last).is_some() {
            return if before.is_empty() { Extent::EndsHere } else { Extent::EndsBefore };
        }
        if before.len() > LINES_MAX {
            return Extent::EndsBefore;
        }
        let is_figure = |line: &ToolLine| named(line.text.trim()).is_some();
        let Some((name, _)) = named(text) else {
            let is_heading = text.starts_with(ENGINE) || text == "Benchmark" || PROGRESS.contains(&text);
            let is_own = last.is_blank() || is_heading && !before.iter().any(is_figure);
            return if is_own { Extent::More } else { Extent::EndsBefore };
        };
        if before.iter().any(|line| named(line.text.trim()).is_some_and(|(earlier, _)| earlier == name)) {
            return Extent::EndsBefore;
        }
        if name == QUERIES { Extent::EndsHere } else { Extent::More }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let block = block.without_blank_end();
        let report = match block.lines.iter().find_map(csv) {
            Some(report) => report,
            None => SlapReport::of(block.lines),
        };
        let mean = report.mean.clone().ok_or(NotUnderstood::CutShort)?;
        let mut result = block.result(NAME, self.programs());
        hide_password(&mut result.command);
        let (given, is_all) = given(&result.command);
        let queries = report.clients.zip(report.each).filter(|(_, (each, _))| *each > 0);
        let mut requests = None;
        let operations = queries.and_then(|(clients, (each, line))| {
            let all = clients.checked_mul(each)?;
            requests = Some(all);
            let text = format!("{clients} x {each}");
            Some(PrintedValue { text, ..exact(line, all, Unit::One) })
        });
        let rate = operations.as_ref().and_then(|all| divided(all, &mean, Unit::PerSecond));
        result.whole.add(QUERIES_PER_SECOND, rate);
        result.whole.add(metric::ELAPSED, Some(mean.clone()));
        result.whole.add(MetricName::new("elapsed_min"), report.least.clone());
        result.whole.add(MetricName::new("elapsed_max"), report.most.clone());
        result.whole.operations = operations;
        result.whole.window = Some(mean);
        let told =
            [("concurrency", report.clients.map(|clients| clients.to_string())), ("engine", report.engine)];
        let mut all = given;
        all.extend(told.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        if let Some(parameters) = Some(&all).filter(|_| is_all).and_then(|all| work(all, requests)) {
            same_work(&mut result, WorkloadName::new("db.slap"), parameters);
        }
        all.retain(|name, _| !OF_SERVER.contains(&name.as_str()) && !SILENT.contains(&name.as_str()));
        result.options = all;
        Ok(vec![result])
    }
}

/// A name before figures, and what follows it.
fn named(text: &str) -> Option<(&'static str, &str)> {
    let (name, value) = text.split_once(": ")?;
    let known = NAMES.iter().find(|known| **known == name)?;
    Some((*known, value.trim()))
}

/// One report: of one engine, and of one number of clients.
#[derive(Debug, Default)]
struct SlapReport {
    engine: Option<String>,
    mean: Option<PrintedValue>,
    least: Option<PrintedValue>,
    most: Option<PrintedValue>,
    clients: Option<u64>,
    /// Queries of each client, with their line; 0 where it does not count them.
    each: Option<(u64, u64)>,
}

impl SlapReport {
    fn of(lines: &[ToolLine]) -> Self {
        let mut report = Self::default();
        for line in lines {
            let text = line.text.trim();
            if let Some(engine) = text.strip_prefix(ENGINE) {
                report.engine = Some(engine.to_owned());
            }
            let Some((name, value)) = named(text) else { continue };
            let seconds = || quantity(line.number, value, Counting::Decimal);
            match name {
                MEAN => report.mean = seconds(),
                LEAST => report.least = seconds(),
                MOST => report.most = seconds(),
                CLIENTS => report.clients = whole(value).map(|(clients, _)| clients),
                _ => report.each = whole(value).map(|(each, _)| (each, line.number)),
            }
        }
        report
    }
}

/// `innodb,mixed,0.054,0.049,0.060,2,100`: engine, load, mean, least and most seconds, clients, queries of
/// each.
fn csv(line: &ToolLine) -> Option<SlapReport> {
    let fields: Vec<&str> = line.text.trim().split(',').collect();
    let [engine, load, mean, least, most, clients, each] = fields.as_slice() else { return None };
    let is_known = ["mixed", "read", "write", "key", "update", "query"].contains(load);
    let is_name = engine.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let seconds = |text: &&str| {
        let has_thousandths = text.split_once('.').is_some_and(|(_, decimals)| decimals.len() == 3);
        number(line.number, text, Unit::Seconds).filter(|read| has_thousandths && read.text == **text)
    };
    if !is_known || !is_name {
        return None;
    }
    Some(SlapReport {
        engine: (!engine.is_empty()).then(|| (*engine).to_owned()),
        mean: Some(seconds(mean)?),
        least: Some(seconds(least)?),
        most: Some(seconds(most)?),
        clients: Some(clients.parse().ok()?),
        each: Some((each.parse().ok()?, line.number)),
    })
}

/// Options by their short names.
const SHORT: &[(&str, &str)] = &[
    ("a", "auto-generate-sql"),
    ("c", "concurrency"),
    ("i", "iterations"),
    ("e", "engine"),
    ("q", "query"),
    ("x", "number-char-cols"),
    ("y", "number-int-cols"),
    ("h", "host"),
    ("P", "port"),
    ("u", "user"),
    ("S", "socket"),
];

/// Options of which the value may stand in a word of its own.
const SEPARATE: &[&str] = &["c", "i", "e", "q", "x", "y", "h", "P", "u", "S"];

/// Where the server is.
const OF_SERVER: &[&str] = &["host", "port", "user", "socket", "password", "protocol"];

/// What changes only the report, and that no file says anything.
const SILENT: &[&str] = &["csv", "verbose", "silent", "iterations", "no-defaults"];

/// Options with values, and whether these are all that were given.
fn given(words: &[String]) -> (BTreeMap<String, String>, bool) {
    let mut options = BTreeMap::new();
    let mut is_all = !words.is_empty();
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        let (name, value) = if let Some(long) = word.strip_prefix("--") {
            long.split_once('=').map_or((long, "on".to_owned()), |(name, value)| (name, value.to_owned()))
        } else if let Some(short) =
            word.strip_prefix('-').filter(|rest| rest.starts_with(|c: char| c.is_ascii()))
        {
            let (letter, value) = short.split_at(1);
            let name = SHORT.iter().find(|(known, _)| *known == letter).map(|(_, name)| *name);
            match (letter, name) {
                ("p", _) => ("password", "***".to_owned()),
                ("v", _) => ("verbose", "on".to_owned()),
                (_, Some(name)) if SEPARATE.contains(&letter) && value.is_empty() => {
                    (name, words.next().cloned().unwrap_or_default())
                }
                (_, Some(name)) if SEPARATE.contains(&letter) => (name, value.to_owned()),
                (_, Some(name)) if value.is_empty() => (name, "on".to_owned()),
                _ => {
                    is_all = false;
                    continue;
                }
            }
        } else {
            is_all = false;
            continue;
        };
        if value.contains(['$', '`']) {
            is_all = false;
        } else {
            options.insert(name.to_owned(), value);
        }
    }
    (options, is_all)
}

/// The password is no matter of a document.
fn hide_password(words: &mut [String]) {
    hide_secrets(words);
    for word in words.iter_mut().filter(|word| word.starts_with("-p") && word.len() > 2) {
        *word = "-p***".to_owned();
    }
}

/// The parameters of the same work; `None` where it is none of ours.
fn work(options: &BTreeMap<String, String>, requests: Option<u64>) -> Option<Vec<(&'static str, Value)>> {
    const KNOWN: &[&str] = &[
        "auto-generate-sql",
        "auto-generate-sql-load-type",
        "auto-generate-sql-write-number",
        "concurrency",
        "engine",
        "number-char-cols",
        "number-int-cols",
        "number-of-queries",
        "host",
        "port",
        "user",
        "socket",
        "password",
    ];
    let is_known = |name: &String| KNOWN.contains(&name.as_str()) || SILENT.contains(&name.as_str());
    let get = |name: &str| options.get(name).map(String::as_str);
    let count = |name: &str, usual: u64| get(name).map_or(Some(usual), |value| value.parse().ok());
    let mix = get("auto-generate-sql-load-type").unwrap_or("mixed");
    let is_ours = get("auto-generate-sql") == Some("on")
        && ["mixed", "read", "write", "key", "update"].contains(&mix)
        && get("engine").is_none_or(|engine| engine.eq_ignore_ascii_case("innodb"));
    if !is_ours || !options.keys().all(is_known) {
        return None;
    }
    // The files of the client may say another server.
    let place = match get("socket") {
        Some(socket) if get("host").is_none_or(|host| host == "localhost") => encoded(socket),
        _ => format!("{}:{}", encoded(get("host")?), get("port")?),
    };
    let user = get("user")?;
    let mut all: Vec<(&'static str, Value)> = vec![
        ("url", format!("mysql://{user}@{place}/mysqlslap").as_str().into()),
        ("mix", mix.into()),
        ("clients", count("concurrency", 1)?.into()),
        ("rows", count("auto-generate-sql-write-number", 100)?.into()),
        ("int-columns", count("number-int-cols", 1)?.into()),
        ("char-columns", count("number-char-cols", 1)?.into()),
        ("prepared", false.into()),
        ("requests", requests?.into()),
    ];
    // The others put nothing in.
    if ["mixed", "write"].contains(&mix) {
        all.push(("repeated-inserts", true.into()));
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> ToolLine {
        ToolLine { number: 1, text: text.to_owned() }
    }

    #[test]
    fn lists_with_commas_are_its_own_only_with_its_seven_fields() {
        let report = csv(&line(",query,0.050,0.049,0.060,2,100")).unwrap();
        assert_eq!((report.engine, report.clients, report.each), (None, Some(2), Some((100, 1))));
        for text in [
            "innodb,mixed,0.054,0.049,0.060,2",
            "innodb,other,0.054,0.049,0.060,2,100",
            "innodb,mixed,0.05,0.049,0.060,2,100",
            "a b,mixed,0.054,0.049,0.060,2,100",
            "1,2,3,4,5,6,7",
        ] {
            assert!(csv(&line(text)).is_none(), "{text}");
        }
    }

    #[test]
    fn a_server_is_named_by_its_socket_or_its_port() {
        let read = |command: &str| {
            let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
            let each = work(&given(&words).0, Some(100))?;
            Some(each.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" "))
        };
        let usual = "mysqlslap --no-defaults -a --auto-generate-sql-load-type=read -c4 -ume";
        let expected = "mix=read clients=4 rows=100 int-columns=1 char-columns=1 prepared=no requests=100";
        assert_eq!(
            read(&format!("{usual} --socket=/tmp/a/s")),
            Some(format!("url=mysql://me@%2ftmp%2fa%2fs/mysqlslap {expected}"))
        );
        assert_eq!(
            read(&format!("{usual} -h db -P 3306 -S /tmp/s")),
            Some(format!("url=mysql://me@db:3306/mysqlslap {expected}"))
        );
        assert_eq!(read(usual), None, "files may say where");
    }

    #[test]
    fn options_are_read_in_both_ways_of_writing() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let (options, is_all) = given(&words("mysqlslap -a -c4 -i 3 --engine=innodb -hdb -pxyz -vv"));
        let each: Vec<String> = options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let expected =
            "auto-generate-sql=on concurrency=4 engine=innodb host=db iterations=3 password=*** verbose=on";
        assert_eq!(each.join(" "), expected);
        assert!(is_all && !given(&words("mysqlslap -c $n -a")).1 && !given(&words("mysqlslap -Z")).1);
        let mut command = words("mysqlslap -psecret --password=secret -P 1");
        hide_password(&mut command);
        assert_eq!(command.join(" "), "mysqlslap -p*** --password=*** -P 1");
    }
}
