//! What mpstat and sar say: rows with times of day, and what they themselves print of all of them.

use model::tool_result::{ToolPart, ToolPartKind, ToolResult};

use super::columns;
use super::table::{Head, Table, Tables};
use crate::tool::reader::NotUnderstood;
use crate::tool::system::clock::between;
use crate::tool::system::sample::{Sample, Series, SeriesByItem};

/// What stands for all processors.
const ALL: &str = "all";

/// Tables with the same headings.
struct Group<'a> {
    head: &'a Head,
    series: SeriesByItem,
}

/// A result for each kind of table and each thing that its rows are of; of processors one for all of them.
///
/// # Errors
/// If another program made them, or there is no figure.
pub(super) fn results(tables: &Tables, base: &ToolResult) -> Result<Vec<ToolResult>, NotUnderstood> {
    let is_of_processes = |table: &Table| table.head.words.iter().any(|word| word == "PID" || word == "TID");
    if tables.list.iter().any(is_of_processes) {
        return Err(NotUnderstood::OtherText);
    }
    let first = tables.list.iter().find_map(|table| table.head.clock);
    let mut groups: Vec<Group<'_>> = Vec::new();
    for table in &tables.list {
        let at = match groups.iter().position(|group| group.head.words == table.head.words) {
            Some(at) => at,
            None => {
                groups.push(Group { head: &table.head, series: SeriesByItem::default() });
                groups.len() - 1
            }
        };
        if let Some(group) = groups.get_mut(at) {
            group.add(table, first);
        }
    }
    let mut base = base.clone();
    base.unread.extend(&tables.unread);
    let results: Vec<ToolResult> = groups.iter().flat_map(|group| group.results(&base)).collect();
    if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
}

impl Group<'_> {
    /// Adds the rows of a table. The first ones began at the time of the heading, later ones when those
    /// before them ended.
    fn add(&mut self, table: &Table, first: Option<f64>) {
        let (mut began, mut ended) = (None, table.head.clock);
        for row in &table.rows {
            if row.clock.is_some() && row.clock != ended {
                (began, ended) = (ended, row.clock);
            }
            let span = began.zip(row.clock).zip(first);
            let sample = Sample {
                start_s: span.map(|((from, _), first)| between(first, from)),
                length_s: span.map(|((from, to), _)| between(from, to)),
                cells: row.cells.clone(),
            };
            let series = self.series.entry(&row.item);
            if row.is_average {
                series.average = Some(sample);
            } else if row.clock.is_some() && row.clock == table.head.clock {
                series.since_boot = Some(sample);
            } else {
                series.samples.push(sample);
            }
        }
    }

    fn results(&self, base: &ToolResult) -> Vec<ToolResult> {
        let item = self.head.item_at.and_then(|at| self.head.words.get(at));
        let item = item.map(|word| word.trim_end_matches(':').to_lowercase()).unwrap_or_default();
        let report = self.head.words.iter().find(|word| !columns::is_item(word));
        let mut base = base.clone();
        base.options.extend(report.map(|first| ("report".to_owned(), columns::report(first).to_owned())));
        let result = |series: &Series| {
            let mut result = base.clone();
            if !series.item.is_empty() {
                result.options.insert(item.clone(), series.item.clone());
            }
            series.fill(&mut result);
            result
        };
        let Some(all) = self.series.all().iter().find(|series| series.item == ALL) else {
            return self.series.all().iter().map(result).collect();
        };
        let mut whole = result(all);
        let others = self.series.all().iter().filter(|series| series.item != ALL);
        whole.parts.extend(others.map(|series| ToolPart {
            kind: ToolPartKind::Target,
            name: format!("{item} {}", series.item),
            start_s: None,
            measured: series.whole(),
        }));
        vec![whole]
    }
}

#[cfg(test)]
mod tests {
    use model::{MetricName, metric};

    use super::*;

    fn read(text: &str) -> Vec<ToolResult> {
        crate::tool::read("", text.as_bytes()).unwrap().results
    }

    const USER: MetricName = MetricName::new("cpu_user_share");

    #[test]
    fn the_time_of_the_heading_is_when_the_first_row_began() {
        let results = read(
            "11:59:58 PM CPU %user %idle\n11:59:59 PM all 10.00 90.00\n12:00:01 AM all 30.00 70.00\n\
             Average: all 23.33 76.67\n",
        );
        assert_eq!((results[0].tool.as_str(), results.len()), ("sar", 1));
        let starts: Vec<Option<f64>> = results[0].parts.iter().map(|part| part.start_s).collect();
        assert_eq!(starts, [Some(0.0), Some(1.0)]);
        assert_eq!(results[0].whole.window.as_ref().unwrap().text, "1 s + 2 s");
        assert!((results[0].whole.figure(USER).unwrap().value - 0.2333).abs() < 1e-9);
    }

    #[test]
    fn mpstat_and_sar_are_told_apart_by_the_order_of_their_columns() {
        let tool = |headings: &str| {
            let results = read(&format!("10:00:00 CPU {headings}\n10:00:01 all 1.00 2.00 3.00 4.00\n"));
            results[0].tool.clone()
        };
        assert_eq!(tool("%usr %iowait %irq %steal"), "mpstat");
        assert_eq!(tool("%usr %iowait %steal %irq"), "sar");
    }

    #[test]
    fn interfaces_are_results_and_processors_parts() {
        let results = read("10:00:00 IFACE rxkB/s txkB/s\n10:00:01 lo 1.00 2.00\n10:00:01 eth0 3.00 4.00\n");
        let names: Vec<&str> = results.iter().map(|result| result.options["iface"].as_str()).collect();
        assert_eq!(names, ["lo", "eth0"]);
        assert_eq!(results[1].whole.figure(metric::RECEIVE_THROUGHPUT).unwrap().value, 3072.0);
        let results = read("10:00:00 CPU %user %idle\n10:00:01 all 1.00 99.00\n10:00:01 0 2.00 98.00\n");
        assert_eq!(results.len(), 1);
        assert_eq!(results[0].parts[0].name, "cpu 0");
    }

    #[test]
    fn processes_are_not_taken_for_processors() {
        let text = "10:00:00 UID PID %usr %system %CPU CPU Command\n10:00:01 0 1 1.00 2.00 3.00 0 sh\n";
        assert!(read(text).iter().all(|result| result.tool == "pidstat"));
    }
}
