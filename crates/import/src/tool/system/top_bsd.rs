//! Screens of top on BSD and illumos: the load, and what processors do. Memory and processes are not read.

use super::cell::CellUnit;
use super::load_average::of_load;
use super::sample::SampleCell;
use super::top::{STATES, pairs};

/// Before the load.
const LOADS: &str = "load averages:";

/// How lines of a screen begin, but for the first and those of processes.
const LINES: &[&str] = &["CPU", "Kernel:", "Mem", "Swap", "ARC:", "PID "];

/// Whether a screen begins with this line: `last pid: 95780;  load averages:  9.45,  8.12,  5.26    up 0+00:31:10`.
pub(super) fn is_first(text: &str) -> bool {
    let text = text.trim_start();
    let is_own = text.starts_with("last pid:") || text.starts_with(LOADS);
    is_own && text.contains(LOADS) && text.contains(" up ")
}

/// Whether it is a further line of a screen.
pub(super) fn is_line(text: &str) -> bool {
    let parts = [" processes:", " threads:", " Compressed, "];
    LINES.iter().any(|line| text.starts_with(*line)) || parts.iter().any(|part| text.contains(*part))
}

/// What a line says.
pub(super) fn cells(line: u64, text: &str) -> Vec<SampleCell> {
    if let Some((_, loads)) = text.split_once(LOADS) {
        return of_load(line, loads);
    }
    match text.split_once(':') {
        Some(("CPU" | "CPU states", states)) => pairs(line, states, STATES, CellUnit::PERCENT),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use model::MetricName;

    #[test]
    fn load_and_processors_are_read() {
        let text = "last pid: 95780;  load averages:  9.45,  8.12,  5.26    up 0+00:31:10  09:39:47\n\
                    188 processes: 9 running, 141 sleeping, 38 waiting\n\
                    CPU:  0.5% user,  0.0% nice, 51.0% system, 45.0% interrupt,  1.0% idle\n\
                    Mem: 108M Active, 66M Inact, 90M Wired, 43M Buf, 1722M Free\nSwap:\n\n\
                    \x20 PID USERNAME   PRI NICE   SIZE    RES STATE   C   TIME    WCPU COMMAND\n\
                    \x20  12 root       -92    -     0K   328K CPU0    0   8:28  70.68% [intr{irq259:\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        let value = |name| result.whole.figure(MetricName::new(name)).map(|printed| printed.value);
        assert_eq!((result.version.as_deref(), result.unread.len()), (Some("BSD"), 0));
        assert_eq!(value("load_average_1"), Some(9.45));
        assert_eq!((value("cpu_system_share"), value("cpu_irq_share")), (Some(0.51), Some(0.45)));
        assert_eq!((value("cpu_idle_share"), output.unread.len()), (Some(0.01), 0));
    }
}
