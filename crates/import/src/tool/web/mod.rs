//! Importers of tools for transfers and servers over HTTP: wget, wget2, curl, aria2, wrk, oha, hey, ab, siege, h2load,
//! bombardier, vegeta, k6, locust, autocannon, artillery, Gatling, JMeter, loadtest,
//! fortio, ghz, httperf, plow, rewrk, Nighthawk.

mod ab;
mod aria2;
mod artillery;
mod autocannon;
mod bombardier;
mod curl;
mod curl_labels;
mod fortio;
mod gatling;
mod ghz;
mod h2load;
mod hey;
mod httperf;
mod jmeter;
mod k6;
mod loadtest;
mod locust;
mod locust_lines;
mod locust_sums;
mod nighthawk;
mod oha;
mod outcome;
mod plow;
mod rewrk;
mod siege;
mod vegeta;
mod wget;
mod wget2;
mod wrk;
mod wrk_sums;

use std::collections::BTreeMap;

use model::tool_result::{Counting, PrintedValue, ToolResult};
use model::{Unit, Value, WorkloadName};

use super::number::{self, leading, plain, seconds};
use super::option_words::{self, OptionName, OptionWord, Takes};
use super::reader::ToolReader;
use super::work::same_work;

/// Those of this area; one that is surer of its beginning comes before others.
pub(super) const READERS: &[&dyn ToolReader] = &[
    &wget::Wget,
    &wget2::Wget2,
    &curl::Curl,
    &curl_labels::CurlLabels,
    &aria2::Aria2,
    &wrk::Wrk,
    &ab::Ab,
    &oha::Oha,
    &ghz::Ghz,
    &hey::Hey,
    &siege::Siege,
    &h2load::H2load,
    &bombardier::Bombardier,
    &vegeta::Vegeta,
    &k6::K6,
    &locust::Locust,
    &autocannon::Autocannon,
    &artillery::Artillery,
    &gatling::Gatling,
    &jmeter::JMeter,
    &loadtest::Loadtest,
    &fortio::Fortio,
    &httperf::Httperf,
    &plow::Plow,
    &rewrk::Rewrk,
    &nighthawk::Nighthawk,
];

/// A time of one or several numbers, each with its unit: `2.1s`, `44.87ms`, `1.50m`, `2m 3s`, `1h 5m`.
fn span(line: u64, text: &str) -> Option<PrintedValue> {
    let text = text.trim();
    let mut rest = text;
    let (mut value, mut half_step, mut parts) = (0.0, 0.0, 0);
    while !rest.is_empty() {
        let number = leading(rest, false)?;
        let unit_and_rest = number.rest.trim_start();
        let end = unit_and_rest.find(|c: char| !c.is_alphabetic()).unwrap_or(unit_and_rest.len());
        let unit = unit_and_rest.get(..end)?;
        let scale = match unit {
            "d" => 86_400.0,
            "h" => 3600.0,
            "m" => 60.0,
            other => seconds(other)?,
        };
        parts += 1;
        value += number.value * scale;
        // Of hours and minutes the rest is cut off, not rounded.
        half_step = if parts > 1 && scale >= 60.0 { scale } else { number.half_step * scale };
        rest = unit_and_rest.get(end..)?.trim_start();
    }
    (parts > 0).then(|| PrintedValue { half_step, ..plain(line, text, value, Unit::Seconds) })
}

/// What stands behind a label and a colon at the beginning of a line.
fn behind<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    Some(text.trim_start().strip_prefix(label)?.trim_start().strip_prefix(':')?.trim())
}

/// The first result that a reader finds in a text without a command.
#[cfg(test)]
fn first_of(reader: &dyn ToolReader, text: &str) -> Result<ToolResult, super::reader::NotUnderstood> {
    use super::block::{ToolBlock, ToolLine};
    let line = |(number, text): (u64, &str)| ToolLine { number, text: text.to_owned() };
    let lines: Vec<ToolLine> = (1..).zip(text.lines()).map(line).collect();
    reader.read(&ToolBlock { lines: &lines, command: None }).map(|mut all| all.remove(0))
}

/// Options of a command line: with `values` those that have one, which may stand in the same word.
/// What is no option is an operand, in `operands`.
struct CommandOptions {
    options: BTreeMap<String, String>,
    operands: Vec<String>,
}

impl CommandOptions {
    /// Reads the words behind the program. Letters behind one dash are an option each, up to one
    /// that has a value.
    fn of(words: &[String], values: &[&str]) -> Self {
        let takes = |name: OptionName<'_>| {
            let has_value = match name {
                OptionName::Long(long) => values.contains(&long),
                OptionName::Letter(letter) => values.contains(&&*letter.encode_utf8(&mut [0; 4])),
            };
            if has_value { Takes::Value } else { Takes::Nothing }
        };
        let mut given = Self { options: BTreeMap::new(), operands: Vec::new() };
        for word in option_words::read(words, takes) {
            match word {
                OptionWord::Option(name, value) => {
                    let name = match name {
                        OptionName::Long(long) => long.to_owned(),
                        OptionName::Letter(letter) => letter.to_string(),
                    };
                    given.options.insert(name, value.unwrap_or_default().to_owned());
                }
                OptionWord::Operand(text) | OptionWord::UnknownLetters(text) => {
                    given.operands.push(text.to_owned());
                }
            }
        }
        given
    }

    /// As [`CommandOptions::of`] of a program whose long names stand behind one dash, as those written in Go take them:
    /// letters behind one dash are one name.
    fn with_long_names(words: &[String], values: &[&str]) -> Self {
        let with_two_dashes = |word: &String| {
            let is_long = word.starts_with('-') && !word.starts_with("--") && word.chars().count() > 2;
            if is_long { format!("-{word}") } else { word.clone() }
        };
        Self::of(&words.iter().map(with_two_dashes).collect::<Vec<_>>(), values)
    }

    /// The value of an option, by its names.
    fn get(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.options.get(*name)).map(String::as_str)
    }

    /// Puts those of these names into a result, by our names for them. Others are not told: they may be secret.
    fn tell(&self, told: &[(&str, &str)], result: &mut ToolResult) {
        for (own, name) in told {
            if let Some(value) = self.get(&[own]) {
                result.options.insert((*name).to_owned(), value.to_owned());
            }
        }
    }

    /// As [`CommandOptions::tell`], by the names that they have themselves.
    fn tell_own_names(&self, told: &[&str], result: &mut ToolResult) {
        for name in told {
            self.tell(&[(*name, *name)], result);
        }
    }

    /// Puts the only operand into a result, which is a URL.
    fn tell_url(&self, result: &mut ToolResult) {
        if let [url] = self.operands.as_slice() {
            result.options.insert("url".to_owned(), url.clone());
        }
    }

    /// Whether all of them are among these.
    fn are_all(&self, known: &[&str]) -> bool {
        self.options.keys().all(|name| known.contains(&name.as_str()))
    }
}

/// Makes a result that of one fetch of `url` by HTTP/1.1 into the folder of a file, or to nowhere.
fn one_download(result: &mut ToolResult, url: &str, folder: Option<&str>) {
    let mut parameters: Vec<(&'static str, Value)> =
        vec![("url", url.into()), ("streams", 1u64.into()), ("until", "end".into())];
    if let Some(folder) = folder {
        parameters.extend([("target", folder.into()), ("direct", false.into())]);
    }
    same_work(result, WorkloadName::new("http.download"), parameters);
}

/// The folder of a file; nothing of `/dev/null`.
fn folder(path: &str) -> Option<&str> {
    match path.rsplit_once('/') {
        _ if path == "/dev/null" => None,
        Some(("", _)) => Some("/"),
        Some((folder, _)) => Some(folder),
        None => Some("."),
    }
}

/// A number without a unit that was cut off behind its last digit.
fn cut_off(line: u64, text: &str, unit: Unit, counting: Counting) -> Option<PrintedValue> {
    let printed = number::count(line, text, counting, unit)?;
    let is_exact = printed.counting.is_none() && unit == Unit::Bytes;
    Some(if is_exact { PrintedValue { half_step: 0.0, ..printed } } else { number::cut_off(printed) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_may_have_several_units() {
        let read = |text: &str| span(1, text).map(|time| (time.value, time.half_step));
        let near = |text: &str, value: f64, half: f64| {
            let (own, own_half) = read(text).unwrap();
            assert!((own - value).abs() < 1e-9 && (own_half - half).abs() < 1e-9, "{text} {own} {own_half}");
        };
        near("2.1s", 2.1, 0.05);
        near("0,7s", 0.7, 0.05);
        near("44.87ms", 0.044_87, 5e-6);
        near("1.50m", 90.0, 0.3);
        near("2m 3s", 123.0, 0.5);
        near("2.0018 sec", 2.0018, 0.000_05);
        near("1h 5m", 3900.0, 60.0);
        assert_eq!((read(""), read("2.1"), read("2 files")), (None, None, None));
    }

    #[test]
    fn options_may_be_joined_with_each_other_and_with_their_values() {
        let words: Vec<String> =
            "wrk -t2 -c 10 --latency --timeout=5 -sx http://a/b".split(' ').map(str::to_owned).collect();
        let read = CommandOptions::of(&words, &["t", "c", "timeout"]);
        assert_eq!((read.get(&["t"]), read.get(&["connections", "c"])), (Some("2"), Some("10")));
        assert_eq!((read.get(&["timeout"]), read.get(&["x"])), (Some("5"), Some("")));
        assert_eq!(read.operands, ["http://a/b"]);
        assert!(!read.are_all(&["t", "c", "timeout", "latency"]));
    }

    #[test]
    fn the_folder_of_a_file_is_where_its_bytes_go() {
        let read = ["/dev/null", "/x", "a/b/c", "c"].map(folder);
        assert_eq!(read, [None, Some("/"), Some("a/b"), Some(".")]);
    }

    #[test]
    fn only_options_that_are_no_secrets_are_told() {
        let words: Vec<String> =
            "hey -c 5 -disable-keepalive -a me:x http://h/".split(' ').map(str::to_owned).collect();
        let mut result = ToolResult::default();
        let given = CommandOptions::with_long_names(&words, &["c", "a"]);
        given.tell(&[("c", "clients")], &mut result);
        given.tell_own_names(&["disable-keepalive"], &mut result);
        given.tell_url(&mut result);
        let told: Vec<(&str, &str)> =
            result.options.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(told, [("clients", "5"), ("disable-keepalive", ""), ("url", "http://h/")]);
    }
}
