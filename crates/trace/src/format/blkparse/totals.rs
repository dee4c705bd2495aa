//! The tables at the end (`show_device_and_cpu_stats` in `blkparse.c`). Sizes are summed in
//! whole KiB and the bytes beyond apart, as there, so that they come out the same.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::event::{Action, BlockEvent};
use crate::format::blktrace::raw::{self, RawTrace};

/// So many CPUs have a row of their own; what is of others counts for the last.
const CPUS_MAX: usize = 1 << 16;

/// A count and a size.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    count: u64,
    kib: u64,
    bytes: u64,
}

impl Sum {
    fn add(&mut self, bytes: u32) {
        self.count += 1;
        self.kib = self.kib.wrapping_add(u64::from(bytes >> 10));
        self.bytes = self.bytes.wrapping_add(u64::from(bytes & 1023));
    }

    /// Takes the size back, not the count.
    fn take(&mut self, bytes: u32) {
        self.kib = self.kib.wrapping_sub(u64::from(bytes >> 10));
        self.bytes = self.bytes.wrapping_sub(u64::from(bytes & 1023));
    }

    fn join(&mut self, other: &Self) {
        self.count += other.count;
        self.kib = self.kib.wrapping_add(other.kib);
        self.bytes = self.bytes.wrapping_add(other.bytes);
    }

    fn shown(&self) -> String {
        let kib = self.kib.wrapping_add(self.bytes >> 10);
        format!("{}, {}iB", in_units(self.count, 0), in_units(kib, 1))
    }
}

/// `size_cnv` of blkparse.
fn in_units(mut number: u64, mut unit: usize) -> String {
    const UNITS: [&str; 5] = ["", "K", "M", "G", "P"];
    while number > 1_000_000 && unit < UNITS.len() - 1 {
        unit += 1;
        number /= 1000;
    }
    format!("{number:>8}{}", UNITS[unit])
}

/// What is counted of reads or of writes.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    queued: Sum,
    issued: Sum,
    requeued: u64,
    completed: Sum,
    merged: Sum,
}

/// What is counted of a CPU.
#[derive(Clone, Copy, Debug, Default)]
struct CpuTotals {
    ways: [Way; 2],
    /// The same of commands that programs send themselves.
    commands: [Way; 2],
    unplugs: u64,
}

/// What is counted of a trace.
#[derive(Debug, Default)]
pub(super) struct Totals {
    cpus: BTreeMap<u32, CpuTotals>,
    events: u64,
    last_ns: u64,
    depth: [u32; 2],
    depth_max: [u32; 2],
    losses: u64,
    lost: u64,
}

impl Totals {
    /// Counts an event; `raw` has the time since the first one.
    pub(super) fn event(&mut self, event: &BlockEvent, raw: &RawTrace) {
        self.events += 1;
        self.last_ns = raw.time_ns;
        let side = usize::from(raw.action & raw::WRITE != 0);
        let is_full = self.cpus.len() >= CPUS_MAX && !self.cpus.contains_key(&event.cpu);
        let cpu = self.cpus.entry(if is_full { u32::MAX } else { event.cpu }).or_default();
        let way = if raw::is_command(event) { &mut cpu.commands[side] } else { &mut cpu.ways[side] };
        match event.action {
            Action::Queue => way.queued.add(raw.bytes),
            Action::BackMerge | Action::FrontMerge | Action::RequestMerge => way.merged.add(raw.bytes),
            Action::Issue => {
                way.issued.add(raw.bytes);
                self.depth[side] = self.depth[side].saturating_add(1);
                self.depth_max[side] = self.depth_max[side].max(self.depth[side]);
            }
            Action::Requeue => {
                way.requeued += 1;
                way.issued.take(raw.bytes);
                self.depth[side] = self.depth[side].saturating_sub(1);
            }
            Action::Complete => {
                way.completed.add(raw.bytes);
                self.depth[side] = self.depth[side].saturating_sub(1);
            }
            Action::Unplug { .. } => cpu.unplugs += 1,
            Action::GetRequest
            | Action::Insert
            | Action::Remap { .. }
            | Action::Split { .. }
            | Action::Plug => {}
        }
    }

    /// Counts a loss; where the kernel does not tell how many, it is one.
    pub(super) fn lost(&mut self, events: Option<u64>) {
        self.losses += 1;
        self.lost = self.lost.saturating_add(events.unwrap_or(1));
    }

    /// The tables.
    pub(super) fn text(&self, name: &str) -> String {
        let mut out = String::new();
        let mut total = CpuTotals::default();
        for (cpu, totals) in &self.cpus {
            line(&mut out, format_args!("CPU{cpu} ({name}):"));
            totals.put(&mut out, Some(self.depth_max));
            total.join(totals);
        }
        if self.cpus.len() > 1 {
            line(&mut out, format_args!("\nTotal ({name}):"));
            total.put(&mut out, None);
        }
        let milliseconds = self.last_ns / 1_000_000;
        let [reads, writes] = total.ways.map(|way| {
            let Sum { kib, bytes, .. } = way.completed;
            kib.wrapping_mul(1000).wrapping_add(bytes).checked_div(milliseconds).unwrap_or(0)
        });
        line(&mut out, format_args!("\nThroughput (R/W): {reads}KiB/s / {writes}KiB/s"));
        line(&mut out, format_args!("Events ({name}): {} entries", self.events));
        let all = self.events as f64 + self.lost as f64;
        let share = if all > 0.0 { 100.0 * self.lost as f64 / all } else { 0.0 };
        line(&mut out, format_args!("Skips: {} forward ({} - {share:5.1}%)", self.losses, self.lost));
        out
    }
}

impl CpuTotals {
    fn join(&mut self, other: &Self) {
        let all = self.ways.iter_mut().chain(&mut self.commands);
        for (mine, theirs) in all.zip(other.ways.iter().chain(&other.commands)) {
            mine.queued.join(&theirs.queued);
            mine.issued.join(&theirs.issued);
            mine.requeued += theirs.requeued;
            mine.completed.join(&theirs.completed);
            mine.merged.join(&theirs.merged);
        }
        self.unplugs += other.unplugs;
    }

    /// `dump_io_stats` of blkparse.
    fn put(&self, out: &mut String, depth: Option<[u32; 2]>) {
        let [reads, writes] = &self.ways;
        let rows = [
            (" Reads Queued:    ", reads.queued, " Writes Queued:    ", writes.queued),
            (" Read Dispatches: ", reads.issued, " Write Dispatches: ", writes.issued),
            (" Reads Completed: ", reads.completed, " Writes Completed: ", writes.completed),
            (" Read Merges:     ", reads.merged, " Write Merges:     ", writes.merged),
        ];
        for (index, (read, reads_sum, write, writes_sum)) in rows.into_iter().enumerate() {
            line(out, format_args!("{read}{}\t{write}{}", reads_sum.shown(), writes_sum.shown()));
            if index == 1 {
                let [reads, writes] = [reads.requeued, writes.requeued].map(|count| in_units(count, 0));
                line(out, format_args!(" Reads Requeued:  {reads}\t\t Writes Requeued:  {writes}"));
            }
        }
        if let Some([reads, writes]) = depth {
            let space = "        ";
            line(out, format_args!(" Read depth:      {reads:>8}{space}\t Write depth:      {writes:>8}"));
        }
        self.put_commands(out);
        let (unplugs, space) = (self.unplugs, "        ");
        line(out, format_args!(" IO unplugs:      {unplugs:>8}{space}\t Timer unplugs:    {:>8}", 0));
    }

    /// The rows of commands that programs send themselves, where they did.
    fn put_commands(&self, out: &mut String) {
        let [reads, writes] = &self.commands;
        let is_any = |way: &Way| way.issued.count + way.requeued + way.completed.count > 0;
        if !is_any(reads) && !is_any(writes) {
            return;
        }
        let [read, write] = [reads, writes].map(|way| way.queued.shown());
        line(out, format_args!(" PC Reads Queued: {read}\t PC Writes Queued: {write}"));
        let [read, write] = [reads, writes].map(|way| way.issued.shown());
        line(out, format_args!(" PC Read Disp.:   {read}\t PC Write Disp.:   {write}"));
        let [read, write] = [reads, writes].map(|way| in_units(way.requeued, 0));
        line(out, format_args!(" PC Reads Req.:   {read}\t\t PC Writes Req.:   {write}"));
        let [read, write] = [reads, writes].map(|way| in_units(way.completed.count, 0));
        line(out, format_args!(" PC Reads Compl.: {read}\t\t PC Writes Compl.: {write}"));
    }
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_grow_units_as_blkparses() {
        assert_eq!(in_units(12, 0), "      12");
        assert_eq!(in_units(1_000_000, 1), " 1000000K");
        assert_eq!(in_units(1_000_001, 1), "    1000M");
        assert_eq!(in_units(u64::MAX, 0), "18446744P");
    }
}
