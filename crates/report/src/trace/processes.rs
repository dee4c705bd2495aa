//! Who submitted, and who made pages dirty: a buffered write is submitted by a worker of the
//! kernel long after some program wrote it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use trace::analysis::{CountedBytes, DirtiedPages, InodeOfDevice, ThreadIo};

use super::view::{self, TraceView, bytes, counted, duration, seconds, some};
use crate::document::{Block, Column, Rank, Section, Table, Text};

/// Names that a short table has; the detailed one has all threads.
const NAMES_MOST: usize = 8;
/// Threads and files of a detailed table.
const DETAILS_MOST: usize = 24;

/// The threads of one name.
#[derive(Clone, Debug, Default)]
struct NamedThreads {
    threads: u64,
    reads: CountedBytes,
    writes: CountedBytes,
    others: CountedBytes,
    flushes: u64,
    completed: u64,
    queue_to_complete_ns: u128,
    longest_ns: u64,
}

impl NamedThreads {
    fn of(io: &ThreadIo) -> Self {
        Self {
            threads: 1,
            reads: io.reads,
            writes: io.writes,
            others: io.others,
            flushes: io.flushes,
            completed: io.completed,
            queue_to_complete_ns: io.queue_to_complete_ns,
            longest_ns: io.longest_ns,
        }
    }

    fn join(&mut self, other: &Self) {
        self.threads += other.threads;
        for (own, more) in [
            (&mut self.reads, other.reads),
            (&mut self.writes, other.writes),
            (&mut self.others, other.others),
        ] {
            own.count += more.count;
            own.bytes = own.bytes.saturating_add(more.bytes);
        }
        self.flushes += other.flushes;
        self.completed += other.completed;
        self.queue_to_complete_ns += other.queue_to_complete_ns;
        self.longest_ns = self.longest_ns.max(other.longest_ns);
    }

    fn bytes(&self) -> u64 {
        self.reads.bytes.saturating_add(self.writes.bytes).saturating_add(self.others.bytes)
    }

    fn row(&self, name: String) -> Vec<Text> {
        let mean = (self.completed > 0)
            .then(|| seconds(self.queue_to_complete_ns as f64 / self.completed as f64 / 1e9));
        let longest = (self.longest_ns > 0).then(|| duration(self.longest_ns));
        vec![
            name.into(),
            moved(self.reads),
            moved(self.writes),
            moved(self.others),
            some(self.flushes),
            mean.unwrap_or_default().into(),
            longest.unwrap_or_default().into(),
        ]
    }
}

/// Bytes in so many pieces.
fn moved(io: CountedBytes) -> Text {
    if io.count == 0 {
        Text::default()
    } else {
        format!("{} / {}", bytes(io.bytes), counted(io.count)).into()
    }
}

/// Who submitted.
pub(super) fn submitted(view: &TraceView<'_>) -> Section {
    let words = view.words();
    let mut section = Section::new("processes", words.say("trace-processes"));
    section.names_rows = true;
    let report = &view.report().threads;
    if report.threads.is_empty() {
        return section;
    }
    let mut by_name: BTreeMap<String, NamedThreads> = BTreeMap::new();
    for (_, io) in &report.threads {
        by_name.entry(view.task(&io.task)).or_default().join(&NamedThreads::of(io));
    }
    let mut named: Vec<(String, NamedThreads)> = by_name.into_iter().collect();
    named.sort_by_key(|(name, io)| (Reverse(io.bytes()), name.clone()));
    let mut rest = NamedThreads::default();
    report.rest.iter().for_each(|io| rest.join(&NamedThreads::of(io)));
    for (_, io) in named.drain(NAMES_MOST.min(named.len())..) {
        rest.join(&io);
    }
    let mut rows: Vec<Vec<Text>> = named.into_iter().map(|(name, io)| io.row(name)).collect();
    rows.extend((rest.threads > 0).then(|| rest.row(words.say("trace-all-others"))));
    let table = Table { columns: columns(view), rows, ..Table::default() };
    section.put(Rank::Figure, Block::Table(table.without_empty_columns()));
    section.extend(command(view));
    section.push(Block::Table(threads(view)));
    if report.understated_by > 0 {
        let by = [("bytes", bytes(report.understated_by).into())];
        section.push(Block::Paragraph(words.tell("trace-understated", &by).into()));
    }
    section
}

fn columns(view: &TraceView<'_>) -> Vec<Column> {
    vec![
        view.words_column("trace-processes"),
        view.column("trace-column-reads"),
        view.column("trace-column-writes"),
        view.column("trace-column-others").to_spare(2),
        view.column("trace-flushes").to_spare(1),
        view.column("trace-column-mean-whole"),
        view.column("trace-column-longest").to_spare(1),
    ]
}

/// Each thread by itself.
fn threads(view: &TraceView<'_>) -> Table {
    let all = view.report().threads.threads.iter().take(DETAILS_MOST);
    let row = |(thread, io): &(u32, ThreadIo)| {
        NamedThreads::of(io).row(format!("{} {thread}", view.task(&io.task)))
    };
    Table { columns: columns(view), rows: all.map(row).collect(), ..Table::default() }.without_empty_columns()
}

/// What the kernel charged to the command, whoever submitted it.
fn command(view: &TraceView<'_>) -> Option<Block> {
    let command = view.subject.command?;
    let io = command.io?;
    let arguments = [
        ("command", command.line.as_str().into()),
        ("read", bytes(io.device_bytes_read).into()),
        ("written", bytes(io.device_bytes_written).into()),
        ("calls_read", bytes(io.call_bytes_read).into()),
        ("calls_written", bytes(io.call_bytes_written).into()),
    ];
    Some(Block::Paragraph(Text::ticked(&view.words().tell("trace-command-io", &arguments))))
}

/// Who made pages dirty, and of which files.
pub(super) fn dirtied(view: &TraceView<'_>) -> Section {
    let words = view.words();
    let mut section = Section::new("dirtied", words.say("trace-dirtied"));
    section.names_rows = true;
    let report = &view.report().dirtied;
    if report.pages.count == 0 {
        return section;
    }
    let mut by_name: BTreeMap<String, u64> = BTreeMap::new();
    for (_, pages) in &report.threads {
        *by_name.entry(view.task(&pages.task)).or_default() += pages.pages.count;
    }
    let mut named: Vec<(String, u64)> = by_name.into_iter().collect();
    named.sort_by_key(|(name, times)| (Reverse(*times), name.clone()));
    let others = report.other_threads.map_or(0, |pages| pages.pages.count);
    let rest = others + named.drain(NAMES_MOST.min(named.len())..).map(|(_, times)| times).sum::<u64>();
    named.extend((rest > 0).then(|| (words.say("trace-all-others"), rest)));
    let row = |(name, dirtied): (String, u64)| {
        let share = dirtied as f64 / report.pages.count.max(1) as f64;
        vec![name.into(), counted(dirtied).into(), view::share(Some(share))]
    };
    let columns = vec![
        view.words_column("trace-dirtied"),
        view.column("trace-column-dirtied"),
        view.column("trace-column-share"),
    ];
    let rows = named.into_iter().map(row).collect();
    section.put(Rank::Figure, Block::Table(Table { columns, rows, ..Table::default() }));
    section.push(Block::Paragraph(words.say("trace-dirtied-note").into()));
    section.push(Block::Table(files(view)));
    section
}

/// The files, by the numbers that the kernel's events have.
fn files(view: &TraceView<'_>) -> Table {
    let columns = vec![
        view.words_column("trace-column-file"),
        view.words_column("trace-column-by"),
        view.column("trace-column-dirtied"),
    ];
    let row = |(file, DirtiedPages { task, pages }): &(InodeOfDevice, DirtiedPages)| {
        let device = file.device.map_or_else(String::new, |device| view.device(device) + " ");
        vec![format!("{device}{}", file.inode).into(), view.task(task).into(), counted(pages.count).into()]
    };
    let rows = view.report().dirtied.files.iter().take(DETAILS_MOST).map(row).collect();
    Table { columns, rows, ..Table::default() }
}
