//! mtr: its report, and its screen. Each hop is a part, and the last one stands for the whole: routers on the way answer
//! seldom, and that loses nothing of what passes them.

use model::tool_result::{ToolMeasurement, ToolPartKind, ToolResult};
use model::{MetricName, Unit, metric};

use super::part;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::statistic;
use crate::tool::number::{exact, leading, plain, time};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Mtr;

const NAME: &str = "mtr";

/// Its headings, as far as all of its forms have them.
const LOSS: &str = "Loss%";
const SENT: &str = "Snt";

/// The columns that it has without `-o`, which are meant where the headings were cut off.
const COLUMNS: &[&str] = &[LOSS, SENT, "Last", "Avg", "Best", "Wrst", "StDev"];

/// How many bytes a moment has, in both forms.
const MOMENT: usize = 24;

/// What a host that did not answer is called.
const SILENT: &[&str] = &["???", "(waiting"];

impl ToolReader for Mtr {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the report of mtr and its screen, with the columns that it has without `-o` (loss, sent, last, mean, best, worst, deviation): each \
         hop, and the last one for the whole"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // Milliseconds, without multiples.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[LOSS, "Start: ", "|-- "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let of_columns = columns(&line.text).map(|_| Beginning::Certain);
        let is_likely = || start(&line.text).is_some() || is_whole_hop(line);
        of_columns.or_else(|| is_likely().then_some(Beginning::Likely))
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        // Further addresses of a hop stand without a number.
        let is_further = || last.is_indented() && last.text.split_whitespace().count() <= 2;
        let is_head =
            || matches!(before, [first] if start(&first.text).is_some()) && columns(&last.text).is_some();
        let is_hop = Hop::number(&last.text).is_some() || last.text.contains("|  `|-- ");
        let belongs = is_hop || is_head() || is_further();
        if before.is_empty() || belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        let first = block.lines.first().ok_or(NotUnderstood::CutShort)?;
        result.moment = start(&first.text).map(str::to_owned);
        let names = block.lines.iter().find_map(|line| columns(&line.text));
        let names = names.or_else(|| is_whole_hop(first).then(|| COLUMNS.to_vec()));
        let names = names.ok_or(NotUnderstood::OtherText)?;
        let hops = block.lines.iter().filter_map(|line| Some((line.number, Hop::of(line, &names)?)));
        for (line, hop) in hops {
            result.lines.last = line;
            result.whole = hop.measured.clone();
            result.options.insert("host".to_owned(), hop.host.clone());
            result.parts.push(part(
                ToolPartKind::Target,
                format!("{} {}", hop.number, hop.host),
                hop.measured,
            ));
        }
        if result.parts.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

/// When a report began: `Start: 2026-05-19T10:00:00+0000`, `Start: Tue May 19 10:00:00 2026`.
fn start(text: &str) -> Option<&str> {
    let moment = text.strip_prefix("Start: ")?;
    (moment.len() == MOMENT && moment.contains(':')).then_some(moment)
}

/// The headings from the loss on, where this is the line of headings: `HOST: a     Loss%   Snt   Last   Avg  Best  Wrst StDev`.
fn columns(text: &str) -> Option<Vec<&str>> {
    let is_host = ["HOST:", "Host", "host"].iter().any(|host| text.trim_start().starts_with(host));
    let names: Vec<&str> = text.split_whitespace().skip_while(|word| *word != LOSS).collect();
    (is_host && names.get(1) == Some(&SENT) && names.contains(&"Avg")).then_some(names)
}

/// Whether it is a row of a report with all columns that it has without `-o`: known without its headings.
fn is_whole_hop(line: &ToolLine) -> bool {
    let is_report = line.text.contains("|-- ");
    is_report && Hop::of(line, COLUMNS).is_some_and(|hop| hop.measured.figure(metric::LATENCY_MEAN).is_some())
}

/// A row.
struct Hop {
    number: u64,
    host: String,
    measured: ToolMeasurement,
}

impl Hop {
    /// The number of a row, and what stands behind it: `  1.|-- 10.0.0.1`, ` 1. 10.0.0.1`.
    fn number(text: &str) -> Option<(u64, &str)> {
        let (number, rest) = crate::tool::number::whole(text)?;
        let rest = rest.strip_prefix('.')?;
        Some((number, rest.strip_prefix("|--").unwrap_or(rest).trim_start()))
    }

    fn of(line: &ToolLine, names: &[&str]) -> Option<Self> {
        let (number, rest) = Self::number(&line.text)?;
        let words: Vec<&str> = rest.split_whitespace().collect();
        // The autonomous system, the name and the address stand before the figures.
        let first = words.len().checked_sub(names.len())?;
        let (host, values) = words.split_at_checked(first)?;
        let is_system = |word: &str| {
            let number = word.strip_prefix("AS");
            number.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit() || c == '?'))
        };
        let host = host.iter().copied().filter(|word| !is_system(word)).collect::<Vec<_>>().join(" ");
        let mut measured = ToolMeasurement::default();
        let sent = names.iter().zip(values).find(|(name, _)| **name == SENT);
        let sent: u64 = sent.and_then(|(_, value)| value.parse().ok())?;
        let is_silent = SILENT.iter().any(|silent| host.starts_with(silent));
        for (name, value) in names.iter().zip(values) {
            let printed = match (*name, metric_of(name)) {
                (LOSS, _) => {
                    let share = leading(value, false)?;
                    let loss =
                        plain(line.number, format!("{}%", share.digits), share.value / 100.0, Unit::One);
                    measured.add(metric::LOSS, Some(loss));
                    measured.operations = Some(exact(line.number, sent, Unit::One));
                    continue;
                }
                // Of no answer there is no time.
                (_, Some(metric)) if !is_silent => Some((metric, time(line.number, value, "ms"))),
                _ => None,
            };
            if let Some((metric, printed)) = printed {
                measured.add(metric, printed);
            }
        }
        (!host.is_empty()).then_some(Self { number, host, measured })
    }
}

/// The metric of a column of times.
fn metric_of(name: &str) -> Option<MetricName> {
    match name {
        "Avg" => statistic("avg"),
        "Best" => statistic("min"),
        "Wrst" => statistic("max"),
        "StDev" => statistic("stddev"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_hop_stands_for_the_whole() {
        let text = "Start: 2026-05-19T10:00:00+0000\n\
                    HOST: a                           Loss%   Snt   Last   Avg  Best  Wrst StDev\n\
                    \x20 1.|-- 10.10.10.1                 0.0%    20    0.4   0.4   0.3   0.6   0.1\n\
                    \x20 2.|-- ???                       100.0    20    0.0   0.0   0.0   0.0   0.0\n\
                    \x20 3.|-- h (1.1.1.1)                5.0%    20    9.1   8.0   7.8   9.5   0.2\n\n";
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        let result = &results[0];
        let names: Vec<&str> = result.parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["1 10.10.10.1", "2 ???", "3 h (1.1.1.1)"]);
        let value = |name| result.whole.figure(name).map(|figure| figure.value);
        assert_eq!((value(metric::LATENCY_MEAN), value(metric::LOSS)), (Some(0.008), Some(0.05)));
        assert_eq!((result.lines.last, result.parts[1].measured.figures.len()), (5, 1));
    }

    #[test]
    fn rows_whose_headings_were_cut_off_have_the_usual_columns() {
        let text = "  4.|-- a.example   0.0%    20    0.4   0.4   0.3   0.6   0.1\n\
                    \x20 5.|-- 1.1.1.1    10.0%    20    9.1   8.0   7.8   9.5   0.2\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        let value = |name| result.whole.figure(name).map(|figure| figure.value);
        assert_eq!((value(metric::LATENCY_MEAN), value(metric::LOSS)), (Some(0.008), Some(0.1)));
        assert_eq!((result.parts.len(), result.lines.first, output.unread.len()), (2, 1, 0));
    }

    #[test]
    fn the_screen_has_no_bars_before_its_hosts() {
        let text = " Host                                Loss%   Snt   Last   Avg  Best  Wrst StDev\n \
                    1. AS???    10.0.2.2                 0.0%   215    0.5   0.7   0.5   2.0   0.2\n \
                    2. (waiting for reply)\n \
                    3. AS15169  8.8.8.8                  0.0%   215   13.9   9.5   8.2  13.9   1.7\n";
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        let names: Vec<&str> = results[0].parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["1 10.0.2.2", "3 8.8.8.8"]);
    }
}
