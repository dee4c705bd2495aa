//! What the kernel tells of pressure: `/proc/pressure/cpu`, `io`, `memory` and `irq`, and the files of control groups with the same
//! lines (the kernel's Documentation/accounting/psi.rst). Shares are of the last 10, 60 and 300 seconds; the total is of all the time
//! since the machine started.

use model::tool_result::{PrintedValue, ToolResult};
use model::{MetricName, Unit};

use crate::tool::arithmetic::share;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{plain, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Pressure;

const NAME: &str = "psi";

/// Resources, as their files are called.
const RESOURCES: &[&str] = &["cpu", "io", "memory", "irq"];

/// The fields of a line, with the ends of our names.
const FIELDS: &[(&str, &str)] =
    &[("avg10", "pressure_10_share"), ("avg60", "pressure_60_share"), ("avg300", "pressure_300_share")];

impl ToolReader for Pressure {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the lines of /proc/pressure/* and of `*.pressure` of control groups: shares of the last 10, 60 and 300 seconds in which tasks waited, \
         and for how long in all"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // Per cent, and microseconds.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["pressure", "avg10="]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        if PressureLine::of(&line.text).is_some() {
            return Some(Beginning::Certain);
        }
        title(&line.text).map(|_| Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.as_str();
        let is_own =
            before.is_empty() || last.is_blank() || title(text).is_some() || PressureLine::of(text).is_some();
        if is_own { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let named: Vec<&str> = block.command.map_or_else(Vec::new, |command| {
            command.words.iter().filter_map(|word| resource(word)).collect()
        });
        let mut results: Vec<ToolResult> = Vec::new();
        let mut titled = None;
        for line in block.lines {
            if let Some(resource) = title(&line.text) {
                titled = Some(resource);
                continue;
            }
            let Some(own) = PressureLine::of(&line.text) else { continue };
            if results.last().is_none_or(|last| own.begins_another(last)) {
                let mut result = block.result(NAME, self.programs());
                (result.lines.first, result.lines.last) = (line.number, line.number);
                // Of the files that a command names, one after the other.
                let by_command = named.get(results.len()).copied();
                let resource = own.file.or(titled.take()).or(by_command);
                result.options.extend(resource.map(|resource| ("resource".to_owned(), resource.to_owned())));
                results.push(result);
            }
            if let Some(result) = results.last_mut() {
                result.lines.last = line.number;
                own.fill(line.number, result);
            }
        }
        if results.is_empty() { Err(NotUnderstood::OtherText) } else { Ok(results) }
    }
}

/// The resource of a file: of `/proc/pressure/io`, of `io.pressure`.
fn resource(text: &str) -> Option<&'static str> {
    let file = text.rsplit('/').next()?.trim_end_matches(" <==");
    let name = file.strip_suffix(".pressure").or_else(|| text.contains("pressure/").then_some(file))?;
    RESOURCES.iter().copied().find(|resource| *resource == name)
}

/// `==> /proc/pressure/cpu <==`, as head and tail write above each of several files, and `/proc/pressure/cpu:`.
fn title(text: &str) -> Option<&'static str> {
    let text = text.trim();
    let file = text
        .strip_prefix("==> ")
        .and_then(|rest| rest.strip_suffix(" <=="))
        .or_else(|| text.strip_suffix(':'))?;
    resource(file)
}

/// `some avg10=98.97 avg60=99.01 avg300=97.90 total=6399080808`.
struct PressureLine<'a> {
    /// The resource that grep writes before it.
    file: Option<&'static str>,
    kind: &'a str,
    fields: &'a str,
}

impl<'a> PressureLine<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let text = text.trim();
        let (file, rest) = match text.split_once(':') {
            Some((file, rest)) => (resource(file), rest),
            None => (None, text),
        };
        let (kind, fields) = rest.split_once(' ')?;
        let is_one =
            ["some", "full"].contains(&kind) && fields.starts_with("avg10=") && fields.contains(" total=");
        is_one.then_some(Self { file, kind, fields })
    }

    /// Whether it is of another file than what was read of the last one.
    fn begins_another(&self, last: &ToolResult) -> bool {
        let has_kind = last.whole.figures.iter().any(|figure| figure.metric.as_str().starts_with(self.kind));
        let is_other = self.file.is_some() && last.options.get("resource").map(String::as_str) != self.file;
        self.kind == "some" || has_kind || is_other
    }

    fn fill(&self, line: u64, result: &mut ToolResult) {
        for field in self.fields.split_whitespace() {
            let Some((name, value)) = field.split_once('=') else { continue };
            let own = FIELDS.iter().find(|(known, _)| *known == name);
            let (end, printed) = match own {
                Some((_, end)) => (*end, share(line, value)),
                None => ("pressure_time", whole(value).map(|(total, _)| microseconds(line, total))),
            };
            if let Some(metric) = MetricName::intern(&format!("{}_{end}", self.kind)) {
                result.whole.add(metric, printed);
            }
        }
    }
}

fn microseconds(line: u64, total: u64) -> PrintedValue {
    plain(line, format!("{total} us"), total as f64 / 1e6, Unit::Seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resources(text: &str) -> Vec<String> {
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        assert!(output.unread.is_empty(), "{output:?}");
        output
            .results
            .iter()
            .map(|result| result.options.get("resource").cloned().unwrap_or_default())
            .collect()
    }

    const CPU: &str = "some avg10=98.97 avg60=99.01 avg300=97.90 total=6399080808\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n";

    #[test]
    fn the_resource_is_that_of_the_file() {
        assert_eq!(resources(CPU), [""]);
        assert_eq!(
            resources(&format!("$ cat /proc/pressure/cpu /proc/pressure/io\n{CPU}{CPU}")),
            ["cpu", "io"]
        );
        assert_eq!(
            resources(&format!("==> /proc/pressure/cpu <==\n{CPU}\n==> /proc/pressure/memory <==\n{CPU}")),
            ["cpu", "memory"]
        );
        let grep = CPU.replace("some", "/proc/pressure/io:some").replace("full", "/proc/pressure/io:full");
        assert_eq!(resources(&grep), ["io"]);
    }

    #[test]
    fn shares_and_totals_are_read() {
        let results = crate::tool::read("", CPU.as_bytes()).unwrap().results;
        let value = |name| results[0].whole.figure(MetricName::new(name)).map(|figure| figure.value);
        assert_eq!(
            (value("some_pressure_10_share"), value("some_pressure_time")),
            (Some(0.9897), Some(6_399.080_808))
        );
        assert_eq!(value("full_pressure_300_share"), Some(0.0));
    }
}
