//! Screens of top, of procps in batch mode or copied from a terminal, of busybox, macOS and BSD. Of several screens the
//! first is of another time than the others: since the machine started, or since the program did.

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, LineRange, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, metric};

use super::cell::{CellUnit, Mean};
use super::clock::{between, leading_clock};
use super::load_average::of_load;
use super::sample::{Sample, SampleCell, Series};
use super::top_words::in_english;
use super::{shares, top_bsd};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::leading;
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Top;

const NAME: &str = "top";

/// So many processes are kept, those of the last screen that used a processor.
const PROCESSES_MAX: usize = 20;

const RULES: &[CountingRule] = &[CountingRule {
    tool: NAME,
    versions: "procps 3 and 4, busybox",
    units: "KiB, MiB; RES without a letter, and with m and g",
    counting: Counting::Binary,
    proof: "vmstat-4.0.2-summary and top-4.0.2-batch are of the same machine: 24684092 K total memory are 24105.6 MiB of \
            1048576 bytes",
}];

/// Names of what processors do, with our names.
pub(super) const STATES: &[(&[&str], MetricName)] = &[
    (&["us", "usr", "user"], MetricName::new("cpu_user_share")),
    (&["sy", "sys", "system", "kernel"], MetricName::new("cpu_system_share")),
    (&["ni", "nic", "nice"], MetricName::new("cpu_nice_share")),
    (&["id", "idle"], MetricName::new("cpu_idle_share")),
    (&["wa", "io", "iowait"], MetricName::new("cpu_wait_share")),
    (&["hi", "irq", "interrupt"], MetricName::new("cpu_irq_share")),
    (&["si", "sirq"], MetricName::new("cpu_softirq_share")),
    (&["st"], MetricName::new("cpu_steal_share")),
];

/// The same of memory.
const MEMORY: &[(&[&str], MetricName)] = &[
    (&["total"], MetricName::new("memory_total")),
    (&["free"], MetricName::new("memory_free")),
    (&["used"], MetricName::new("memory_used")),
    (&["buff/cache"], MetricName::new("memory_buffers_and_page_cache")),
    (&["buffers", "buff"], MetricName::new("memory_buffers")),
    (&["cached"], MetricName::new("memory_page_cache")),
    (&["avail"], MetricName::new("memory_available")),
];

/// The same of swap.
const SWAP: &[(&[&str], MetricName)] = &[
    (&["total"], MetricName::new("swap_total")),
    (&["free"], MetricName::new("swap_free")),
    (&["used"], MetricName::new("swap_used")),
    (&["cached"], MetricName::new("memory_page_cache")),
    (&["avail"], MetricName::new("memory_available")),
];

/// The same of tasks.
const TASKS: &[(&[&str], MetricName)] =
    &[(&["total"], MetricName::new("tasks")), (&["running"], MetricName::new("running_tasks"))];

/// So many headings has a list of processes of procps.
const HEADINGS: usize = 12;

/// Where its share of a processor stands among them.
const CPU_AT: usize = 8;

/// Where its resident memory does.
const RESIDENT_AT: usize = 5;

impl ToolReader for Top {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "screens of top, of procps and busybox: load, processors and memory, and up to 20 processes of the last \
         screen that used a processor; load and processors of macOS, BSD and illumos"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["top - ", "Processes: ", "Mem: ", "load averages:"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        is_first(&line.text).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        const BEGINNINGS: &[&str] =
            &["Tasks:", "Threads:", "%Cpu", "Cpu", "CPU", "Load average:", "Mem", "Swap"];
        let Some((last, _)) = lines.split_last() else { return Extent::More };
        let english = in_english(&last.text);
        let text = english.as_deref().unwrap_or_else(|| last.text.trim());
        let words = text.split_whitespace();
        let is_row = words.clone().count() >= 8
            && words.clone().next().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        let is_part = text.is_empty()
            || MAC.iter().any(|beginning| last.text.starts_with(beginning))
            || is_first(&last.text)
            || is_row
            || is_first(text)
            || Heading::of(text).is_some()
            || BEGINNINGS.iter().any(|beginning| text.starts_with(beginning))
            || memory_unit(text).is_some()
            || lines.first().is_some_and(|first| top_bsd::is_first(&first.text)) && top_bsd::is_line(text);
        if is_part { Extent::More } else { Extent::EndsBefore }
    }

    fn disagreements_of_all(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        shares::of_top(lines)
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut screens: Vec<Screen> = Vec::new();
        let mut result = block.result(NAME, self.programs());
        for line in block.lines.iter().filter(|line| !line.is_blank()) {
            if is_first(&line.text) {
                screens.push(Screen::of(line));
            } else if let Some(screen) = screens.last_mut()
                && !screen.take(line)
            {
                result.unread.push(LineRange { first: line.number, last: line.number });
            }
        }
        if screens.iter().all(|screen| screen.cells.is_empty()) {
            return Err(NotUnderstood::CutShort);
        }
        let is_busybox = block.lines.first().is_some_and(|line| line.text.starts_with("Mem:"));
        let system = screens.iter().find_map(|screen| screen.system);
        let version = if is_busybox { "busybox" } else { "procps" };
        result.version = Some(system.unwrap_or(version).to_owned());
        let processes = screens.last_mut().map(|last| std::mem::take(&mut last.processes));
        fill(&mut result, screens);
        result.parts.extend(processes.unwrap_or_default());
        Ok(vec![result])
    }
}

/// Puts the screens into a result.
fn fill(result: &mut ToolResult, screens: Vec<Screen>) {
    let clocks: Vec<Option<f64>> = screens.iter().map(|screen| screen.clock).collect();
    let first_clock = clocks.first().copied().flatten();
    let mut screens = screens.into_iter();
    let Some(first) = screens.next() else { return };
    let first = Sample { cells: first.cells, ..Sample::default() };
    if screens.len() == 0 {
        result.whole = first.measurement();
        return;
    }
    let sample = |(screen, from): (Screen, &Option<f64>)| Sample {
        start_s: first_clock.zip(*from).map(|(first, from)| between(first, from)),
        length_s: from.zip(screen.clock).map(|(from, to)| between(from, to)),
        cells: screen.cells,
    };
    let series = Series { samples: screens.zip(&clocks).map(sample).collect(), ..Series::default() };
    series.fill(result);
    let part = ToolPart {
        kind: ToolPartKind::Phase,
        name: "first screen".to_owned(),
        start_s: None,
        measured: first.measurement(),
    };
    result.parts.insert(0, part);
}

/// One screen.
#[derive(Debug, Default)]
struct Screen {
    clock: Option<f64>,
    cells: Vec<SampleCell>,
    heading: Option<Heading>,
    processes: Vec<ToolPart>,
    /// The system, where it is one whose processes are not read.
    system: Option<&'static str>,
}

impl Screen {
    /// One that begins with this line.
    fn of(line: &ToolLine) -> Self {
        let text = line.text.trim();
        let words: Vec<&str> =
            text.strip_prefix("top - ").unwrap_or_default().split_whitespace().take(2).collect();
        let clock = leading_clock(&words).map(|(clock, _)| clock);
        let system = if text.starts_with("Processes:") { Some(MAC_OS) } else { None };
        let system = if top_bsd::is_first(text) { Some(BSD) } else { system };
        let mut screen = Self { clock, system, ..Self::default() };
        screen.take(line);
        screen
    }

    /// Takes a line; says whether it was understood.
    fn take(&mut self, line: &ToolLine) -> bool {
        let english = in_english(&line.text).filter(|_| self.heading.is_none());
        let text = english.as_deref().unwrap_or_else(|| line.text.trim());
        if let Some(system) = self.system {
            let read = if system == BSD { top_bsd::cells } else { of_mac };
            self.cells.extend(read(line.number, line.text.trim()));
            return true;
        }
        if let Some(heading) = Heading::of(text) {
            self.heading = Some(heading);
            return true;
        }
        if let Some(heading) = &self.heading {
            let process = heading.process(line);
            if let Some(process) = process.clone().flatten()
                && self.processes.len() < PROCESSES_MAX
            {
                self.processes.push(process);
            }
            return process.is_some();
        }
        let load = ["load average:", "Load average:"].iter().find_map(|name| text.split_once(name));
        let found = if let Some((_, loads)) = load {
            of_load(line.number, loads)
        } else if let Some((name, rest)) = text.split_once(':') {
            match name.trim_end() {
                "Tasks" | "Threads" => pairs(line.number, rest, TASKS, CellUnit::COUNT),
                "%Cpu(s)" | "Cpu(s)" | "CPU" => pairs(line.number, rest, STATES, CellUnit::PERCENT),
                // Of one processor, where each has a line.
                name if name.starts_with("%Cpu") || name.starts_with("Cpu") => return true,
                _ => of_memory(line.number, text),
            }
        } else {
            Vec::new()
        };
        let is_any = !found.is_empty();
        self.cells.extend(found);
        is_any
    }
}

/// Whether a screen begins with this line.
fn is_first(text: &str) -> bool {
    text.starts_with("top - ") && text.contains("load average:")
        || text.starts_with("Processes: ") && text.contains(" total, ") && text.contains(" sleeping")
        || text.starts_with("Mem: ") && text.contains("K used,") && text.contains("K free,")
        || top_bsd::is_first(text)
}

const MAC_OS: &str = "macOS";
const BSD: &str = "BSD";

/// How lines of macOS begin, but for processes.
const MAC: &[&str] =
    &["Load Avg:", "SharedLibs:", "MemRegions:", "PhysMem:", "VM:", "Networks:", "Disks:", "PID "];

/// `Load Avg: 1.37, 1.32, 1.55  CPU usage: 2.40% user, 4.92% sys, 92.66% idle`, or one of both.
fn of_mac(line: u64, text: &str) -> Vec<SampleCell> {
    let load = text.split_once("Load Avg:").map(|(_, loads)| of_load(line, loads));
    let states = text.split_once("CPU usage:");
    let states = states.map(|(_, states)| pairs(line, states, STATES, CellUnit::PERCENT));
    [load, states].into_iter().flatten().flatten().collect()
}

/// `MiB Mem :  24105.6 total,  14228.9 free`, with swap behind it where the screen is wide.
fn of_memory(line: u64, text: &str) -> Vec<SampleCell> {
    let swap = text.find("iB Swap").and_then(|at| at.checked_sub(1)).filter(|at| *at > 0);
    let (memory, swap) = swap.and_then(|at| text.split_at_checked(at)).unwrap_or((text, ""));
    let one = |text: &str| {
        let (name, rest) = text.split_once(':')?;
        let names = if name.trim_end().ends_with("Swap") { SWAP } else { MEMORY };
        Some(pairs(line, rest, names, memory_unit(text)?))
    };
    [memory, swap].into_iter().filter_map(one).flatten().collect()
}

/// The unit of a line about memory or swap; where its numbers have letters, that is of no account.
fn memory_unit(text: &str) -> Option<CellUnit> {
    let (name, _) = text.split_once(':')?;
    match name.trim_end() {
        "KiB Mem" | "KiB Swap" => Some(CellUnit::bytes("KiB", 1024.0, Counting::Binary)),
        "Mem" | "Swap" => Some(CellUnit::KIB),
        "MiB Mem" | "MiB Swap" => Some(CellUnit::bytes("MiB", 1_048_576.0, Counting::Binary)),
        "GiB Mem" | "GiB Swap" => Some(CellUnit::bytes("GiB", 1_073_741_824.0, Counting::Binary)),
        _ => None,
    }
}

/// Numbers with names behind them: `48.1 us, 51.2 sy`, `4.0%us,`, `0% usr`, `24105.6 total,`.
pub(super) fn pairs(
    line: u64,
    text: &str,
    names: &[(&[&str], MetricName)],
    unit: CellUnit,
) -> Vec<SampleCell> {
    // A wide number leaves no space behind the comma before it: `0.0 ni,100.0 id`.
    let mut before = ' ';
    let spaced = |c: char| {
        let last = std::mem::replace(&mut before, c);
        if c == ',' && last.is_alphabetic() { ' ' } else { c }
    };
    let text: String = text.chars().map(spaced).collect();
    let words = text.split([' ', '%']).map(|word| word.trim_end_matches([',', '.']));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let pair = |pair: &[&str]| {
        let [number, name] = pair else { return None };
        let (_, metric) = names.iter().find(|(known, _)| known.contains(name))?;
        let printed = unit.read(line, number)?;
        Some(SampleCell { metric: *metric, printed, mean: Mean::Plain })
    };
    words.windows(2).filter_map(pair).collect()
}

/// The heading of the processes, by the places of its columns.
#[derive(Debug)]
struct Heading {
    command: usize,
    /// Whether the command has all words behind its place; else it has one, and fields that somebody added follow.
    is_last: bool,
    pid: usize,
    cpu: usize,
    /// Memory that is there, which busybox does not tell.
    resident: Option<usize>,
}

impl Heading {
    fn of(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let place = |name: &str| words.iter().position(|word| *word == name);
        // In other languages the last is another word, and the share of memory has the same.
        let last = words.len().checked_sub(1)?;
        let command = place("COMMAND").or((words.len() == HEADINGS).then_some(last))?;
        let (pid, cpu) = (place("PID")?, place("%CPU")?);
        let resident = place("RES").or((words.len() == HEADINGS && cpu == CPU_AT).then_some(RESIDENT_AT));
        let is_behind = command > pid && command > cpu;
        is_behind.then_some(Self { command, is_last: command == last, pid, cpu, resident })
    }

    /// The process of a row: nothing within if it used no processor; nothing at all if it is no row.
    fn process(&self, line: &ToolLine) -> Option<Option<ToolPart>> {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let pid = words.get(self.pid).filter(|pid| pid.bytes().all(|byte| byte.is_ascii_digit()))?;
        let command = words.get(self.command..).filter(|command| !command.is_empty())?;
        let command = if self.is_last { command.join(" ") } else { (*command.first()?).to_owned() };
        let percent = words.get(self.cpu)?;
        // busybox's state may have two words.
        let is_shifted =
            percent.ends_with('%') && words.get(self.cpu + 1).is_some_and(|word| word.ends_with('%'));
        if is_shifted && self.resident.is_none() {
            return None;
        }
        let used = CellUnit::PERCENT.read(line.number, percent)?;
        if used.value <= 0.0 {
            return Some(None);
        }
        let mut part = ToolPart {
            kind: ToolPartKind::Thread,
            name: format!("{command} ({pid})"),
            start_s: None,
            measured: model::tool_result::ToolMeasurement::default(),
        };
        // procps counts 100 % for each processor; busybox for all of them.
        let metric = if self.resident.is_some() { metric::CPU } else { MetricName::new("cpu_share") };
        part.measured.add(metric, Some(used));
        let resident =
            self.resident.and_then(|at| words.get(at)).filter(|word| leading(word, false).is_some());
        let resident = resident.and_then(|word| CellUnit::KIB.read(line.number, word));
        part.measured.add(MetricName::new("memory_resident"), resident);
        Some(Some(part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> ToolResult {
        let mut results = crate::tool::read("", text.as_bytes()).unwrap().results;
        assert_eq!(results.len(), 1, "{text}");
        results.remove(0)
    }

    fn value(result: &ToolResult, name: &'static str) -> Option<f64> {
        result.whole.figure(MetricName::new(name)).map(|printed| printed.value)
    }

    const FIRST: &str = "top - 20:04:56 up  4:32,  0 user,  load average: 2.93, 2.26, 2.21\n";

    #[test]
    fn regression_fields_behind_the_command_made_the_list_of_processes_unknown() {
        let text = format!(
            "{FIRST}%Cpu(s): 48.1 us, 51.2 sy,  0.7 id\n\n\
             \x20   PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND       PPID   UID\n\
             \x20  4810 me        20   0   10288   4052   3332 R   5.9   0.1   0:00.02 top           1580  1000\n"
        );
        let names: Vec<String> = read(&text).parts.into_iter().map(|part| part.name).collect();
        assert_eq!(names, ["top (4810)"]);
    }

    #[test]
    fn the_screen_of_macos_has_load_and_processors() {
        let result = read(
            "Processes: 438 total, 2 running, 436 sleeping, 1983 threads   02:36:51\n\
             Load Avg: 1.37, 1.32, 1.55  CPU usage: 2.50% user, 5.00% sys, 92.50% idle\n\
             SharedLibs: 194M resident, 46M data, 27M linkedit.\nPhysMem: 16G used (2883M wired), 142M unused.\n\n\
             PID    COMMAND      %CPU TIME     #TH   #WQ  #PORTS MEM\n99440  Chrom e      0.0  02:39.93 15    2    121    28M\n",
        );
        assert_eq!(result.version.as_deref(), Some("macOS"));
        assert_eq!(
            (value(&result, "load_average_1"), value(&result, "cpu_idle_share")),
            (Some(1.37), Some(0.925))
        );
        assert!(result.unread.is_empty());
    }

    #[test]
    fn the_lines_of_all_versions_are_read() {
        for (cpu, memory, used) in [
            (
                "%Cpu(s): 48.1 us, 51.2 sy,  0.7 id",
                "MiB Mem :     16.0 total,      4.0 used,",
                4.0 * 1_048_576.0,
            ),
            (
                "%Cpu(s): 48,1 us, 51,2 sy,  0,7 id",
                "MiB Mem :     16,0 total,      4,0 used,",
                4.0 * 1_048_576.0,
            ),
            ("Cpu(s): 48.1%us, 51.2%sy,  0.7%id", "Mem:   16384k total,     4096k used,", 4.0 * 1_048_576.0),
            (
                "%Cpu(s): 48.1 us, 51.2 sy,  0.7 id",
                "KiB Mem :  16384 total,     4096 used",
                4.0 * 1_048_576.0,
            ),
        ] {
            let result = read(&format!("{FIRST}{cpu}\n{memory}\n"));
            let user = value(&result, "cpu_user_share").unwrap();
            assert!((user - 0.481).abs() < 1e-9, "{cpu}");
            assert_eq!(value(&result, "memory_used"), Some(used), "{memory}");
            assert_eq!(value(&result, "load_average_5"), Some(2.26));
            assert!(result.unread.is_empty());
        }
    }

    #[test]
    fn a_wide_number_stands_close_to_the_comma() {
        let result = read(&format!("{FIRST}%Cpu(s):  0.0 us,  0.0 sy,  0.0 ni,100.0 id\n"));
        assert_eq!(value(&result, "cpu_idle_share"), Some(1.0));
        assert_eq!(value(&result, "cpu_nice_share"), Some(0.0));
    }

    #[test]
    fn busybox_has_another_screen() {
        let result = read(
            "Mem: 100K used, 50K free, 0K shrd, 0K buff, 25K cached\nCPU:  10% usr  20% sys   0% nic  70% idle\n\
             Load average: 1.00 2.00 3.00 1/100 1234\n  PID  PPID USER     STAT   VSZ %VSZ %CPU COMMAND\n\
             7     1 root     R     1234   0%  10% dd if=a of=b\n",
        );
        assert_eq!(value(&result, "memory_used"), Some(102_400.0));
        assert!((value(&result, "cpu_idle_share").unwrap() - 0.7).abs() < 1e-9);
        assert_eq!(value(&result, "load_average_15"), Some(3.0));
        assert_eq!(result.parts[0].name, "dd if=a of=b (7)");
    }

    #[test]
    fn the_first_of_several_screens_does_not_count() {
        let screen = |time: &str, user: &str| {
            format!("{}%Cpu(s): {user} us, 1.0 sy\n\n", FIRST.replace("20:04:56", time))
        };
        let text =
            [screen("20:00:00", "90.0"), screen("20:00:02", "10.0"), screen("20:00:04", "20.0")].concat();
        let result = read(&text);
        assert!((value(&result, "cpu_user_share").unwrap() - 0.15).abs() < 1e-9);
        assert_eq!(result.parts[0].name, "first screen");
        assert_eq!((result.parts[1].start_s, result.parts[2].start_s), (Some(0.0), Some(2.0)));
    }
}
