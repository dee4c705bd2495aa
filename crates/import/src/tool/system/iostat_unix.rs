//! iostat of FreeBSD, OpenBSD, NetBSD, macOS, Solaris and illumos. A first form has a line for each device (`-x`), a second
//! one groups of columns, one for each device, with those of terminals and processors beside them. The first report is of
//! all the time since the machine started.

use model::tool_result::{Counting, ToolResult};
use model::{MetricName, metric};

use super::cell::{CellUnit, Column, Mean, column, is_number};
use super::sample::SampleCell;
use super::sysstat::devices::{Report, results};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct IostatUnix;

const NAME: &str = "iostat-unix";

const RULES: &[CountingRule] = &[CountingRule {
    tool: NAME,
    versions: "all",
    units: "kr/s, kw/s, kps, KB/t, MB/s",
    counting: Counting::Binary,
    proof: "usr.sbin/iostat/iostat.c of FreeBSD and cmd/stat/iostat of illumos divide bytes by 1024; 93 transfers of 19.94 KB/t are \
            1.81 MB/s",
}];

const READS: Mean = Mean::By(&[metric::READ_IOPS]);
const WRITES: Mean = Mean::By(&[metric::WRITE_IOPS]);
const ALL: Mean = Mean::By(&[metric::IOPS, metric::READ_IOPS, metric::WRITE_IOPS]);

const fn of(headings: &'static [&'static str], name: &'static str, unit: CellUnit, mean: Mean) -> Column {
    Column { headings, metric: MetricName::new(name), unit, mean }
}

/// The columns of the first form.
const OF_LINES: &[Column] = &[
    of(&["r/s"], "read_iops", CellUnit::PER_SECOND, Mean::Plain),
    of(&["w/s"], "write_iops", CellUnit::PER_SECOND, Mean::Plain),
    of(&["kr/s"], "read_throughput", CellUnit::KIB_PER_S, Mean::Plain),
    of(&["kw/s"], "write_throughput", CellUnit::KIB_PER_S, Mean::Plain),
    of(&["Mr/s"], "read_throughput", CellUnit::MIB_PER_S, Mean::Plain),
    of(&["Mw/s"], "write_throughput", CellUnit::MIB_PER_S, Mean::Plain),
    of(&["ms/r"], "read_latency_mean", CellUnit::MILLISECONDS, READS),
    of(&["ms/w"], "write_latency_mean", CellUnit::MILLISECONDS, WRITES),
    of(&["ms/t", "svc_t"], "latency_mean", CellUnit::MILLISECONDS, ALL),
    of(&["wsvc_t"], "queue_wait_mean", CellUnit::MILLISECONDS, ALL),
    of(&["asvc_t"], "service_time_mean", CellUnit::MILLISECONDS, ALL),
    of(&["qlen"], "queue_depth", CellUnit::COUNT, Mean::Plain),
    of(&["wait"], "queue_depth_mean", CellUnit::COUNT, Mean::Plain),
    of(&["actv"], "active_depth_mean", CellUnit::COUNT, Mean::Plain),
    of(&["%b"], "busy_share", CellUnit::PERCENT, Mean::Plain),
];

/// Those of a device in the second form.
const OF_GROUPS: &[Column] = &[
    of(&["tps", "t/s"], "iops", CellUnit::PER_SECOND, Mean::Plain),
    of(&["KB/t"], "size_mean", CellUnit::KIB, ALL),
    of(&["MB/s"], "throughput", CellUnit::MIB_PER_S, Mean::Plain),
    of(&["kps"], "throughput", CellUnit::KIB_PER_S, Mean::Plain),
    of(&["serv"], "service_time_mean", CellUnit::MILLISECONDS, ALL),
];

/// Those of the processors.
const OF_PROCESSORS: &[Column] = &[
    of(&["us"], "cpu_user_share", CellUnit::PERCENT, Mean::Plain),
    of(&["ni"], "cpu_nice_share", CellUnit::PERCENT, Mean::Plain),
    of(&["sy"], "cpu_system_share", CellUnit::PERCENT, Mean::Plain),
    of(&["wt"], "cpu_wait_share", CellUnit::PERCENT, Mean::Plain),
    of(&["in"], "cpu_irq_share", CellUnit::PERCENT, Mean::Plain),
    of(&["st"], "cpu_steal_share", CellUnit::PERCENT, Mean::Plain),
    of(&["id"], "cpu_idle_share", CellUnit::PERCENT, Mean::Plain),
];

/// Columns whose numbers are not kept.
const OTHERS: &[&str] =
    &["tin", "tout", "%w", "ms/o", "s/w", "h/w", "trn", "tot", "xfrs", "MB", "1m", "5m", "15m", "sp", "dt"];

/// A device has as many columns in the second form.
const GROUP: usize = 3;

/// What stands above the columns of the second form beside names of devices.
const NO_DEVICES: &[&str] = &["tty", "cpu", "load", "average"];

/// Above the first form.
const TITLE: &str = "extended device statistics";

impl ToolReader for IostatUnix {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "iostat of FreeBSD, OpenBSD, macOS, Solaris and illumos, with a line for each device or columns for it; not with commas (-r), \
         nor NetBSD's -x"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["iostat"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["device", "tps", "t/s", "tty", "cpu", "disk"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        if is_title(text) || lines_heading(text).is_some() || groups_heading(text).is_some() {
            return Some(Beginning::Certain);
        }
        names(text).is_some().then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        let is_heading = is_title(text) || lines_heading(text).is_some() || groups_heading(text).is_some();
        if before.is_empty()
            || is_heading
            || text.is_empty()
            || text == "^C"
            || is_date(text)
            || names(text).is_some()
        {
            return Extent::More;
        }
        // Names of devices alone are none of it without the columns below them.
        let is_table =
            before.len() > 1 || before.first().is_some_and(|first| names(first.text.trim()).is_none());
        if is_table && is_row(text) { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let block = block.without_blank_end();
        let mut reports: Vec<Report> = Vec::new();
        let mut seen: Vec<String> = Vec::new();
        let mut columns: Vec<&str> = Vec::new();
        let mut devices: Vec<&str> = Vec::new();
        let mut unread = Vec::new();
        for line in block.lines {
            let text = line.text.trim();
            if let Some(names) = names(text) {
                devices = names;
            } else if let Some(heading) = lines_heading(text).or_else(|| groups_heading(text)) {
                columns = heading;
            } else if is_row(text) {
                let rows = match columns.contains(&"device") {
                    true => of_line(line.number, text, &columns).map(|row| vec![row]),
                    false => of_groups(line.number, text, &columns, &devices),
                };
                let Some(rows) = rows else {
                    unread.push(line.number);
                    continue;
                };
                // What comes a second time is of the next span.
                let is_next = rows.first().is_some_and(|(name, _)| seen.contains(name));
                if reports.is_empty() || is_next {
                    reports.push(Report::default());
                    seen.clear();
                }
                seen.extend(rows.iter().map(|(name, _)| name.clone()));
                if let Some(report) = reports.last_mut() {
                    report.rows.extend(rows);
                }
            }
        }
        // Somebody may have copied any of several.
        if let [only] = reports.as_mut_slice() {
            only.is_cut_out = true;
        }
        let mut base = block.result(NAME, self.programs());
        for line in unread {
            base.unread.push(model::tool_result::LineRange { first: line, last: line });
        }
        if reports.iter().all(|report| report.rows.is_empty()) {
            return Err(NotUnderstood::OtherText);
        }
        results(&reports, &base)
    }
}

/// With `---- errors ---` behind it where these are asked for.
fn is_title(text: &str) -> bool {
    text.strip_prefix(TITLE)
        .is_some_and(|rest| rest.chars().all(|c| "- ".contains(c) || c.is_ascii_lowercase()))
}

/// `Sat Nov 28 07:00:00 2026`, of `-T d`.
fn is_date(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    (4..=7).contains(&words.len()) && words.iter().any(|word| word.matches(':').count() == 2)
}

/// The columns of the first form.
fn lines_heading(text: &str) -> Option<Vec<&str>> {
    if !text.contains("r/s") || !text.contains("device") {
        return None;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_known =
        |word: &&str| *word == "device" || column(OF_LINES, word).is_some() || OTHERS.contains(word);
    let has = |names: &[&str]| words.iter().any(|word| names.contains(word));
    let is_at_edge = words.first() == Some(&"device") || words.last() == Some(&"device");
    (is_at_edge && has(&["kr/s", "Mr/s"]) && words.iter().all(is_known)).then_some(words)
}

/// The columns of the second form.
fn groups_heading(text: &str) -> Option<Vec<&str>> {
    if !(text.contains("tps") || text.contains("t/s")) {
        return None;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_known = |word: &&str| {
        column(OF_GROUPS, word).is_some() || column(OF_PROCESSORS, word).is_some() || OTHERS.contains(word)
    };
    let has = |names: &[&str]| words.iter().any(|word| names.contains(word));
    (has(&["MB/s", "kps"]) && has(&["tps", "t/s"]) && words.iter().all(is_known)).then_some(words)
}

/// The line above those: `tty  ada0  ada1  cpu`. The devices of it.
fn names(text: &str) -> Option<Vec<&str>> {
    // Prose has points and capitals, and no device without a number.
    if text.len() > 400 || !(text.starts_with("tty") || text.contains("cpu") || text.contains("disk")) {
        return None;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let devices: Vec<&str> = words.iter().copied().filter(|word| !NO_DEVICES.contains(word)).collect();
    let is_device = |word: &&str| {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_-/".contains(c);
        word.starts_with(|c: char| c.is_ascii_alphabetic())
            && word.ends_with(|c: char| c.is_ascii_digit())
            && word.chars().all(is_name)
    };
    (!devices.is_empty() && devices.iter().all(is_device)).then_some(devices)
}

/// Whether most of the words of a line are numbers.
fn is_row(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let numbers = words.iter().filter(|word| is_number(word)).count();
    numbers >= GROUP && numbers + 3 >= words.len()
}

/// What a line of the first form says of its device. Names may have spaces where they stand at the end: `d1 (/export)`.
fn of_line(line: u64, text: &str, columns: &[&str]) -> Option<(String, Vec<SampleCell>)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let numbers = columns.len().checked_sub(1)?;
    let (name, values, columns) = match columns.first() {
        Some(&"device") => (words.first()?.to_string(), words.get(1..)?, columns.get(1..)?),
        _ => (words.get(numbers..)?.join(" "), words.get(..numbers)?, columns.get(..numbers)?),
    };
    if name.is_empty() || values.len() != numbers || !values.iter().all(|word| is_number(word)) {
        return None;
    }
    Some((name, cells(line, columns, values, OF_LINES)))
}

/// What a line of the second form says of each device, and of the processors, whose name is empty.
fn of_groups(
    line: u64,
    text: &str,
    columns: &[&str],
    devices: &[&str],
) -> Option<Vec<(String, Vec<SampleCell>)>> {
    let values: Vec<&str> = text.split_whitespace().collect();
    let places: Vec<usize> = (0..columns.len())
        .filter(|at| columns.get(*at).is_some_and(|word| column(OF_GROUPS, word).is_some()))
        .collect();
    let groups: Vec<&[usize]> = places.chunks(GROUP).collect();
    if values.len() != columns.len()
        || groups.len() != devices.len()
        || !values.iter().all(|word| is_number(word))
    {
        return None;
    }
    let mut rows = Vec::new();
    for (device, group) in devices.iter().zip(groups) {
        let (first, last) = (*group.first()?, *group.last()?);
        let cells = cells(line, columns.get(first..=last)?, values.get(first..=last)?, OF_GROUPS);
        rows.push(((*device).to_owned(), cells));
    }
    let of_cpus = cells(line, columns, &values, OF_PROCESSORS);
    if !of_cpus.is_empty() {
        rows.push((String::new(), of_cpus));
    }
    Some(rows)
}

fn cells(line: u64, columns: &[&str], values: &[&str], known: &'static [Column]) -> Vec<SampleCell> {
    let cell = |(heading, value): (&&str, &&str)| {
        let Column { metric, unit, mean, .. } = column(known, heading)?;
        Some(SampleCell { metric: *metric, printed: unit.read(line, value)?, mean: *mean })
    };
    columns.iter().zip(values).filter_map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(result: &ToolResult, name: &'static str) -> Option<f64> {
        result.whole.figure(MetricName::new(name)).map(|printed| printed.value)
    }

    fn device<'a>(results: &'a [ToolResult], name: &str) -> &'a ToolResult {
        let is_it = |result: &&ToolResult| result.options.get("device").is_some_and(|device| device == name);
        results.iter().find(is_it).unwrap_or_else(|| panic!("{name}"))
    }

    #[test]
    fn lines_of_solaris_are_read_with_names_that_have_spaces() {
        let heading = "                    extended device statistics\n    r/s    w/s   kr/s   kw/s wait actv wsvc_t asvc_t  %w  %b device\n";
        let text = format!(
            "$ iostat -xnz 5 2\n{heading}    0.3   23.8    7.4  198.7  0.0  0.3    0.0   13.3   0  16 d0\n\
             {heading}    0.4   23.0    8.0  200.0  0.0  0.3    0.0   13.3   0  16 d0\n\
             \x20   0.6   23.8   15.0  199.0  0.0  0.4    1.7   14.7   4  18 d1 (/)\n"
        );
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        assert!(output.unread.is_empty(), "{:?}", output.unread);
        let d0 = device(&output.results, "d0");
        assert_eq!(value(d0, "write_throughput"), Some(200.0 * 1024.0));
        assert_eq!(value(device(&output.results, "d1 (/)"), "busy_share"), Some(0.18));
        assert!(d0.tool == NAME && !d0.is_since_boot(), "the second report counts");
    }

    #[test]
    fn lines_of_freebsd_are_read() {
        let text = "$ iostat -x -w 1 -c 2\n                        extended device statistics\n\
            device       r/s     w/s     kr/s     kw/s  ms/r  ms/w  ms/o  ms/t qlen  %b\n\
            ada0           1       5     33.1    122.5     1     2     0     2    0   1\n\
            \x20                       extended device statistics\n\
            device       r/s     w/s     kr/s     kw/s  ms/r  ms/w  ms/o  ms/t qlen  %b\n\
            ada0         300    1100   9600.0  70400.0     0     1     0     1    4  60\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [ada0] = output.results.as_slice() else { panic!("{:?}", output.results) };
        assert_eq!(value(ada0, "write_throughput"), Some(70_400.0 * 1024.0));
        assert_eq!(value(ada0, "write_latency_mean"), Some(0.001));
        assert!(output.unread.is_empty(), "{:?}", output.unread);
    }

    #[test]
    fn columns_for_each_device_are_read() {
        let macos = "              disk0               disk2       cpu    load average\n\
            \x20   KB/t  tps  MB/s     KB/t  tps  MB/s  us sy id   1m   5m   15m\n\
            \x20  19.94   93  1.81    21.02    0  0.00  10  5 85  2.11 2.30 2.40\n\
            \x20 128.00  800 100.00    0.00    0  0.00   5  3 92  2.11 2.30 2.40\n";
        let output = crate::tool::read("", format!("$ iostat -w 1 -c 2\n{macos}").as_bytes()).unwrap();
        assert!(output.unread.is_empty(), "{:?}", output.unread);
        let disk0 = device(&output.results, "disk0");
        assert_eq!(value(disk0, "throughput"), Some(100.0 * 1_048_576.0));
        let processors = output.results.iter().find(|result| !result.options.contains_key("device")).unwrap();
        assert_eq!(value(processors, "cpu_idle_share"), Some(0.92));
        let openbsd = "      tty              wd0             sd0             cpu\n tin tout  KB/t  t/s  MB/s   KB/t  t/s  MB/s  us ni sy sp in id\n\
                       \x20  0   99 16.00   64  1.00  64.00   16  1.00   3  0  2  0  0 95\n";
        let output = crate::tool::read("", openbsd.as_bytes()).unwrap();
        assert_eq!(value(device(&output.results, "sd0"), "iops"), Some(16.0));
        let solaris = "   tty        sd0           nfs1           cpu\n tin tout kps tps serv  kps tps serv   us sy wt id\n\
                       \x20  0   10  50   8   12    0   0    0    2   1  0 97\n";
        let output = crate::tool::read("", solaris.as_bytes()).unwrap();
        assert_eq!(value(device(&output.results, "sd0"), "throughput"), Some(50.0 * 1024.0));
    }

    #[test]
    fn other_texts_are_none() {
        for text in ["the cpu of host1", "tty1", "tps 5", "Device r/s w/s rkB/s", "cpu0", "disk1"] {
            let line = ToolLine { number: 1, text: text.to_owned() };
            assert_ne!(IostatUnix.begins(&line), Some(Beginning::Certain), "{text}");
            let output = crate::tool::read("", format!("{text}\nThe 1 2 3 of it.\n").as_bytes()).unwrap();
            assert!(output.results.is_empty(), "{text}");
        }
    }
}
