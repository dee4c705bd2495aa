//! mtr's reports for programs: CSV, JSON, XML, and the events of `--raw`. Each hop is a part, and the last one stands for the whole,
//! as in its table.

use std::collections::BTreeMap;

use serde_json::Value;

use model::tool_result::{ToolMeasurement, ToolPartKind, ToolResult};
use model::{Unit, metric};

use super::part;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::command_line::CommandLine;
use crate::tool::counting::CountingRule;
use crate::tool::latency::statistic;
use crate::tool::number::{exact, leading, plain, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct MtrForms;

/// Its results are those of mtr.
const NAME: &str = "mtr-report";

/// The tool that prints them.
const TOOL: &str = "mtr";

/// The names of its columns, with those of the statistics.
const COLUMNS: &[(&str, &str)] = &[("Avg", "avg"), ("Best", "min"), ("Wrst", "max"), ("StDev", "stddev")];

/// What its CSV begins with.
const CSV: &str = "Mtr_Version,Start_Time,Status,Host,Hop,Ip,";

impl ToolReader for MtrForms {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "mtr's `--csv`, `--json`, `--xml` and `--raw`: each hop, and the last one for the whole"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[TOOL]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // Milliseconds, and microseconds in `--raw`, without multiples.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[CSV, "<MTR SRC="]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.as_str();
        (text.starts_with(CSV) || text.starts_with("<MTR SRC=")).then_some(Beginning::Certain)
    }

    fn begins_below(&self, line: &ToolLine, command: Option<&CommandLine>) -> Option<Beginning> {
        let is_below = || {
            let words = command.and_then(|command| command.invocation(self.programs()));
            words.is_some_and(|words| words.iter().any(|word| word == "--raw" || word == "-l"))
        };
        self.begins(line)
            .or_else(|| (RawEvent::of(&line.text).is_some() && is_below()).then_some(Beginning::Likely))
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return Extent::More };
        let text = last.text.trim();
        if first.text.starts_with(CSV) {
            return if text.starts_with("MTR.") || text.starts_with(CSV) {
                Extent::More
            } else {
                Extent::EndsBefore
            };
        }
        if first.text.starts_with("<MTR ") {
            return if text == "</MTR>" { Extent::EndsHere } else { Extent::More };
        }
        if RawEvent::of(text).is_some() { Extent::More } else { Extent::EndsBefore }
    }

    fn knows_json(&self, text: &str) -> bool {
        text.contains("\"hubs\"") && text.contains("\"mtr\"")
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let first = block.lines.first().map_or("", |line| line.text.trim_start());
        let hops = match () {
            () if first.starts_with('{') => of_json(block).ok_or(NotUnderstood::OtherText)?,
            () if first.starts_with(CSV) => {
                block.lines.iter().filter_map(|line| of_csv(first, line)).collect()
            }
            () if first.starts_with("<MTR ") => of_xml(block.lines),
            () => of_raw(block.lines),
        };
        let mut result = block.result(TOOL, self.programs());
        if first.starts_with(CSV) {
            let row = block.lines.get(1).and_then(|line| line.text.split(',').next());
            result.version = row.and_then(|version| version.strip_prefix("MTR.")).map(str::to_owned);
        }
        for hop in hops {
            result.whole = hop.measured.clone();
            result.options.insert("host".to_owned(), hop.host.clone());
            result.parts.push(part(
                ToolPartKind::Target,
                format!("{} {}", hop.number, hop.host),
                hop.measured,
            ));
        }
        let has_figures = result.parts.iter().any(|part| !part.measured.figures.is_empty());
        if has_figures { Ok(vec![result]) } else { Err(NotUnderstood::CutShort) }
    }
}

/// One hop.
struct FormHop {
    number: u64,
    host: String,
    measured: ToolMeasurement,
}

impl FormHop {
    /// Of the values of its columns, by their names.
    fn of<'a>(line: u64, number: u64, host: &str, value: impl Fn(&str) -> Option<&'a str>) -> Option<Self> {
        let (sent, _) = whole(value("Snt")?)?;
        let lost = leading(value("Loss%").or_else(|| value("Loss"))?, false)?;
        let mut measured =
            ToolMeasurement { operations: Some(exact(line, sent, Unit::One)), ..ToolMeasurement::default() };
        measured
            .add(metric::LOSS, Some(plain(line, format!("{}%", lost.digits), lost.value / 100.0, Unit::One)));
        // Of no answer there is no time.
        if lost.value < 100.0 && host != "???" {
            for (column, name) in COLUMNS {
                if let (Some(value), Some(metric)) = (value(column), statistic(name)) {
                    measured.add(metric, time(line, value.trim(), "ms"));
                }
            }
        }
        Some(Self { number, host: host.to_owned(), measured })
    }
}

/// `MTR.0.95,1795948878,OK,127.0.0.1,1,127.0.0.1,0.00,5,0,0.06,0.06,0.05,0.07,0.01`.
fn of_csv(heading: &str, line: &ToolLine) -> Option<FormHop> {
    let names: Vec<&str> = heading.split(',').collect();
    let cells: Vec<&str> = line.text.split(',').collect();
    let value = |name: &str| names.iter().position(|own| *own == name).and_then(|at| cells.get(at).copied());
    let (number, _) = whole(value("Hop")?)?;
    FormHop::of(line.number, number, value("Ip")?, value)
}

/// `<HUB COUNT="1" HOST="127.0.0.1">`, and below it `<Avg>   0.1</Avg>`.
fn of_xml(lines: &[ToolLine]) -> Vec<FormHop> {
    let mut hops = Vec::new();
    let mut open: Option<(u64, u64, String)> = None;
    let mut values: BTreeMap<String, String> = BTreeMap::new();
    for line in lines {
        let text = line.text.trim();
        let attribute =
            |name: &str| text.split_once(&format!("{name}=\"")).and_then(|(_, rest)| rest.split('"').next());
        if text.starts_with("<HUB ") {
            let number = attribute("COUNT").and_then(whole).map_or(0, |(number, _)| number);
            open = Some((line.number, number, attribute("HOST").unwrap_or_default().to_owned()));
            values.clear();
        } else if text == "</HUB>" {
            let value = |name: &str| values.get(name).map(String::as_str);
            hops.extend(open.take().and_then(|(line, number, host)| FormHop::of(line, number, &host, value)));
        } else if let Some((name, rest)) = text.strip_prefix('<').and_then(|text| text.split_once('>')) {
            let value = rest.split("</").next().unwrap_or_default().trim();
            values.insert(name.to_owned(), value.to_owned());
        }
    }
    hops
}

fn of_json(block: &ToolBlock<'_>) -> Option<Vec<FormHop>> {
    let document: Value = serde_json::from_str(&block.text()).ok()?;
    let hubs = document.pointer("/report/hubs")?.as_array()?;
    let line_of = |place: usize| {
        let hosts = block.lines.iter().filter(|line| line.text.trim_start().starts_with("\"host\""));
        hosts.map(|line| line.number).nth(place).unwrap_or(block.range().first)
    };
    let hop = |(place, hub): (usize, &Value)| {
        let texts: BTreeMap<String, String> = hub
            .as_object()?
            .iter()
            .map(|(name, value)| {
                (name.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            })
            .collect();
        let value = |name: &str| texts.get(name).map(String::as_str);
        let number = value("count").and_then(whole).map_or(place as u64 + 1, |(number, _)| number);
        FormHop::of(line_of(place), number, value("host")?, value)
    };
    Some(hubs.iter().enumerate().filter_map(hop).collect())
}

/// An event of `--raw`: `x 0 33000` that a packet went out, `h 0 127.0.0.1` which host answered, `p 0 45 33000` after how many
/// microseconds.
enum RawEvent<'a> {
    Sent(u64),
    Host(u64, &'a str),
    Answer(u64, f64),
    Name,
}

impl<'a> RawEvent<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let hop = |word: &str| word.parse::<u64>().ok().filter(|hop| *hop < 256);
        match words.as_slice() {
            ["x", number, sequence] => sequence.parse::<u64>().ok().and_then(|_| hop(number)).map(Self::Sent),
            ["h", number, host] => hop(number).map(|hop| Self::Host(hop, host)),
            ["d", number, _] => hop(number).map(|_| Self::Name),
            ["p", number, time, ..] => {
                hop(number).zip(time.parse().ok()).map(|(hop, time)| Self::Answer(hop, time))
            }
            _ => None,
        }
    }
}

/// What each hop did, counted of the events.
#[derive(Default)]
struct CountedHop {
    line: u64,
    host: Option<String>,
    sent: u64,
    times_us: Vec<f64>,
}

fn of_raw(lines: &[ToolLine]) -> Vec<FormHop> {
    let mut counted: BTreeMap<u64, CountedHop> = BTreeMap::new();
    for line in lines {
        match RawEvent::of(&line.text) {
            Some(RawEvent::Sent(hop)) => counted.entry(hop).or_default().sent += 1,
            Some(RawEvent::Host(hop, host)) => {
                counted.entry(hop).or_default().host.get_or_insert_with(|| host.to_owned());
            }
            Some(RawEvent::Answer(hop, time)) => {
                let own = counted.entry(hop).or_default();
                own.line = line.number;
                own.times_us.push(time);
            }
            Some(RawEvent::Name) | None => {}
        }
    }
    // Beyond the target packets go out, too, until it is known that it answered.
    let mut hosts: Vec<String> = Vec::new();
    let mut hops = Vec::new();
    for (number, own) in counted {
        let host = own.host.clone().unwrap_or_else(|| "???".to_owned());
        if hosts.contains(&host) && host != "???" {
            break;
        }
        hops.push(FormHop { number: number + 1, measured: own.measured(), host: host.clone() });
        hosts.push(host);
    }
    hops
}

impl CountedHop {
    fn measured(&self) -> ToolMeasurement {
        let line = self.line;
        let mut measured = ToolMeasurement::default();
        let received = self.times_us.len() as u64;
        measured.operations = Some(exact(line, self.sent.max(received), Unit::One));
        if self.sent > 0 {
            let lost = self.sent.saturating_sub(received);
            let share = lost as f64 / self.sent as f64;
            measured.add(metric::LOSS, Some(plain(line, format!("{lost}/{}", self.sent), share, Unit::One)));
        }
        let count = self.times_us.len() as f64;
        let mean = self.times_us.iter().sum::<f64>() / count;
        let least = self.times_us.iter().copied().fold(f64::INFINITY, f64::min);
        let most = self.times_us.iter().copied().fold(0.0, f64::max);
        for (name, value) in [("avg", mean), ("min", least), ("max", most)] {
            if let Some(metric) = statistic(name).filter(|_| count > 0.0) {
                let printed =
                    plain(line, format!("{value:.0} us, {name} of {count}"), value / 1e6, Unit::Seconds);
                measured.add(metric, Some(printed));
            }
        }
        measured
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hops(name: &str, text: &str) -> Vec<String> {
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{name}: {output:?}") };
        assert_eq!((result.tool.as_str(), output.unread.len()), (TOOL, 0), "{name}: {output:?}");
        result.parts.iter().map(|part| part.name.clone()).collect()
    }

    #[test]
    fn all_forms_have_the_same_hops() {
        for (name, text) in [
            ("csv", include_str!("../../../tests/tool/fixtures/mtr/mtr-0.95-csv.out")),
            ("json", include_str!("../../../tests/tool/fixtures/mtr/mtr-0.95-json.out")),
            ("raw", include_str!("../../../tests/tool/fixtures/mtr/mtr-0.95-raw.out")),
        ] {
            assert_eq!(hops(name, text), ["1 127.0.0.1"], "{name}");
        }
    }

    #[test]
    fn hops_that_do_not_answer_have_no_times() {
        let text = "Mtr_Version,Start_Time,Status,Host,Hop,Ip,Loss%,Snt, ,Last,Avg,Best,Wrst,StDev,\nMTR.0.92,1,OK,h,1,10.0.0.1,0.00,10,0,0.40,0.44,0.30,0.60,0.10\n\
                    MTR.0.92,1,OK,h,2,???,100.00,10,0,0.00,0.00,0.00,0.00,0.00\nMTR.0.92,1,OK,h,3,1.1.1.1,10.00,10,0,9.10,8.00,7.80,9.50,0.20\n";
        assert_eq!(hops("csv", text), ["1 10.0.0.1", "2 ???", "3 1.1.1.1"]);
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        assert_eq!(results[0].parts[1].measured.figures.len(), 1);
        assert_eq!(results[0].whole.figure(metric::LOSS).map(|loss| loss.value), Some(0.1));
        assert_eq!(results[0].version.as_deref(), Some("0.92"));
    }
}
