//! The figures of one test of netperf: in columns, by keys, or between commas.

use model::tool_result::ToolMeasurement;
use model::{MetricName, Unit, metric};

use super::{is_figures, is_interim, key, rate, test_of, unit};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::number::{exact, time, whole};

/// The key of the unit of a rate.
const UNITS: &str = "THROUGHPUT_UNITS";

/// The unit of a rate that is told without it, where no option asks for another one.
fn default_unit(test: &str, block: &ToolBlock<'_>) -> Option<&'static str> {
    let asks = |words: &[String]| words.iter().any(|word| word.starts_with("-f"));
    let is_asked = block.command.is_some_and(|command| asks(&command.words));
    let unit = match () {
        () if test.to_ascii_uppercase().contains("REQUEST/RESPONSE") => "Trans/s",
        () if test.ends_with("STREAM") => "10^6bits/s",
        () => return None,
    };
    (!is_asked).then_some(unit)
}

/// A line of numbers, by its words.
type Row<'a> = (u64, Vec<&'a str>);

/// What a test says.
#[derive(Debug, Default)]
pub(super) struct NetperfTable {
    pub(super) whole: ToolMeasurement,
    /// What the sender says, where the receiver does, too.
    pub(super) sent: Option<ToolMeasurement>,
    /// Bytes of a message.
    pub(super) message: Option<u64>,
    /// Bytes of the receiver's socket buffer.
    pub(super) receive_buffer: Option<u64>,
    /// Bytes of a request, and of its answer.
    pub(super) request: Option<(u64, u64)>,
}

impl NetperfTable {
    /// Reads all lines.
    pub(super) fn of(test: &str, block: &ToolBlock<'_>) -> Self {
        let mut table = Self::default();
        let names = ["Throughput", "Latency", "Transaction Rate"];
        let is_header =
            |line: &&ToolLine| line.text.contains(',') && names.iter().any(|name| line.text.contains(name));
        let has = |word: &str| block.lines.iter().any(|line| line.text.contains(word));
        let is_omni = test.starts_with("OMNI");
        // What `-O` was asked for of another test: no classic table has a latency, and each has sockets.
        let is_asked = has("Latency") && !has("Socket");
        if block.lines.iter().any(|line| key(&line.text).is_some()) {
            table.keys(test, block);
        } else if let Some(header) = block.lines.iter().skip(1).find(is_header) {
            table.columns(header, block);
        } else if !(is_omni || is_asked) || !table.stacked(block) && is_omni {
            table.classic(test, block);
        }
        table
    }

    /// The table of an omni test: a name stands in several lines, one upon another, above its value. False if none
    /// of them is known.
    fn stacked(&mut self, block: &ToolBlock<'_>) -> bool {
        let Some(at) = block.lines.iter().position(|line| is_figures(&line.text)) else { return false };
        let (heads, Some(values)) = (block.lines.get(1..at).unwrap_or_default(), block.lines.get(at)) else {
            return false;
        };
        let text = values.text.as_str();
        let is_start = |at: usize| {
            let before = text.get(..at).is_some_and(|before| before.is_empty() || before.ends_with(' '));
            before && text.get(at..).is_some_and(|rest| !rest.starts_with(' '))
        };
        let starts: Vec<usize> = (0..text.len()).filter(|at| is_start(*at)).collect();
        let ends = starts.iter().skip(1).copied().chain([usize::MAX]);
        let within = |text: &str, from: usize, to: usize| {
            text.get(from..to.min(text.len())).map(|text| text.trim().to_ascii_uppercase().replace(' ', "_"))
        };
        let column = |(from, to): (&usize, usize)| {
            let words = heads.iter().filter_map(|head| within(&head.text, *from, to));
            let name: Vec<String> = words.filter(|word| !word.is_empty()).collect();
            let value = text.get(*from..to.min(text.len())).unwrap_or_default().trim();
            (values.number, name.join("_"), value.to_owned())
        };
        let pairs: Vec<(u64, String, String)> = starts.iter().zip(ends).map(column).collect();
        self.named(&pairs);
        !self.whole.figures.is_empty()
    }

    /// `-k`: a key and a value on each line.
    fn keys(&mut self, test: &str, block: &ToolBlock<'_>) {
        let pair = |line: &'_ ToolLine| {
            let (key, value) = key(&line.text)?;
            Some((line.number, key.to_owned(), value.to_owned()))
        };
        let mut pairs: Vec<(u64, String, String)> = block.lines.iter().filter_map(pair).collect();
        let is_told = pairs.iter().any(|(_, name, _)| name == UNITS);
        if let Some(unit) = default_unit(test, block).filter(|_| !is_told) {
            pairs.push((block.range().first, UNITS.to_owned(), unit.to_owned()));
        }
        self.named(&pairs);
    }

    /// `-o`: names between commas, and values between commas.
    fn columns(&mut self, header: &ToolLine, block: &ToolBlock<'_>) {
        let values = block.lines.iter().find(|line| line.number > header.number && is_figures(&line.text));
        let Some(values) = values else { return };
        let names = header.text.split(',').map(|name| name.trim().to_ascii_uppercase().replace(' ', "_"));
        let pairs: Vec<(u64, String, String)> = names
            .zip(values.text.split(','))
            .map(|(name, value)| (values.number, name, value.trim().to_owned()))
            .collect();
        self.named(&pairs);
    }

    /// Figures by their names, as keys or as headings of columns.
    fn named(&mut self, pairs: &[(u64, String, String)]) {
        let units = pairs.iter().find(|(_, name, _)| name == UNITS);
        let unit = units.and_then(|(_, _, value)| unit(value));
        for (line, name, value) in pairs {
            let line = *line;
            // In a table of `-O` the unit may stand below the wrong name.
            let metric = match name.trim_end_matches("_MICROSECONDS") {
                "THROUGHPUT" => {
                    self.add_rate(line, value, unit);
                    continue;
                }
                "TRANSACTION_RATE" | "TRANSACTION_RATE_TRAN/S" => {
                    if self.whole.figure(metric::OPERATIONS_PER_SECOND).is_none() {
                        self.add_rate(line, value, Some("Trans/s"));
                    }
                    continue;
                }
                "ELAPSED_TIME" | "ELAPSED_TIME_(SEC)" => {
                    self.whole.window = time(line, value, "s");
                    continue;
                }
                "MIN_LATENCY" | "MINIMUM_LATENCY" => MetricName::new("latency_min"),
                "MEAN_LATENCY" => MetricName::new("latency_mean"),
                "P50_LATENCY" | "50TH_PERCENTILE_LATENCY" => metric::LATENCY_P50,
                "P90_LATENCY" | "90TH_PERCENTILE_LATENCY" => metric::LATENCY_P90,
                "P99_LATENCY" | "99TH_PERCENTILE_LATENCY" => metric::LATENCY_P99,
                "MAX_LATENCY" | "MAXIMUM_LATENCY" => metric::LATENCY_MAX,
                "STDDEV_LATENCY" => MetricName::new("latency_stddev"),
                _ => continue,
            };
            self.whole.add(metric, time(line, value, "us"));
        }
    }

    fn add_rate(&mut self, line: u64, number: &str, unit: Option<&str>) {
        if let Some((metric, printed)) = unit.and_then(|unit| rate(line, number, unit)) {
            self.whole.add(metric, Some(printed));
        }
    }

    /// The classic tables, whose columns stand in an order that never changed.
    fn classic(&mut self, test: &str, block: &ToolBlock<'_>) {
        let mut rows: Vec<Row<'_>> = Vec::new();
        let mut unit_of_table: Option<&str> = None;
        let mut is_transfer = false;
        for line in block.lines {
            let words: Vec<&str> = line.text.split_whitespace().collect();
            let moved = words.get(4).filter(|_| is_transfer && words.len() == 9);
            if let Some((bytes, "")) = moved.and_then(|bytes| whole(bytes)) {
                // With -v 2.
                self.whole.bytes = Some(exact(line.number, bytes, Unit::Bytes));
                is_transfer = false;
            } else if is_figures(&line.text) {
                rows.push((line.number, words));
            } else if !is_interim(&line.text) && test_of(&line.text).is_none() {
                is_transfer |= line.text.contains("Xfered");
                let found = words.iter().find_map(|word| unit(word));
                let found = found.or_else(|| line.text.contains("per sec").then_some("Trans/s"));
                unit_of_table = found.or(unit_of_table);
            }
        }
        self.rows(test, &rows, unit_of_table);
    }

    fn rows(&mut self, test: &str, rows: &[Row<'_>], unit_of_table: Option<&str>) {
        let Some((line, words)) = rows.first() else { return };
        let line = *line;
        let at = |place: usize| words.get(place).copied().unwrap_or_default();
        let size = |place: usize| whole(at(place)).map(|(size, _)| size);
        // Of an omni test the unit stands in the row, behind the time and the rate.
        if let Some(place) = words.iter().position(|word| unit(word).is_some()) {
            let Some(before) = place.checked_sub(2) else { return };
            self.whole.window = time(line, at(before), "s");
            self.add_rate(line, at(before + 1), unit(at(place)));
        } else if test.contains("REQUEST/RESPONSE") || test.contains("Request/Response") {
            self.whole.window = time(line, at(4), "s");
            self.add_rate(line, at(5), Some("Trans/s"));
            self.request = size(2).zip(size(3));
        } else if test.starts_with("UDP STREAM") || test.starts_with("UDP UNIDIRECTIONAL") {
            self.datagrams(rows, unit_of_table);
        } else if words.len() >= 5 {
            self.whole.window = time(line, at(3), "s");
            self.add_rate(line, at(4), unit_of_table);
            (self.receive_buffer, self.message) = (size(0), size(2));
        }
    }

    /// Two rows: of the sender, and of the receiver, who has no column for messages' size and errors.
    fn datagrams(&mut self, rows: &[Row<'_>], unit: Option<&str>) {
        let Some(unit) = unit else { return };
        let measured = |row: Option<&Row<'_>>, places: [usize; 3]| {
            let (line, words) = row?;
            let [seconds, messages, number] = places.map(|place| words.get(place).copied());
            let mut measured = ToolMeasurement {
                window: time(*line, seconds?, "s"),
                operations: whole(messages?).map(|(messages, _)| exact(*line, messages, Unit::One)),
                ..ToolMeasurement::default()
            };
            let (metric, printed) = rate(*line, number?, unit)?;
            measured.add(metric, Some(printed));
            Some(measured)
        };
        let Some(sent) = measured(rows.first(), [2, 3, 5]) else { return };
        let of_sender = sent.figure(metric::THROUGHPUT).cloned();
        let received = measured(rows.get(1), [1, 2, 3]);
        self.whole = received.unwrap_or_else(|| ToolMeasurement { figures: Vec::new(), ..sent.clone() });
        self.whole.add(metric::SENDER_THROUGHPUT, of_sender);
        self.sent = Some(sent);
    }
}
