//! Every kind of chart with data as measurements give them, as one page, to be
//! looked at: `cargo run -p chart --example gallery -- FILE [LANGUAGE]`.

use std::fmt::Write as _;

use chart::plot::{
    Axis, Bar, BarGroup, Bars, Better, Dot, Dots, HeatMap, Line, LinePanels, Lines, Mark, Measured, Numbers,
    Plot, RatioRow, Ratios, Reference, ReferenceKind, Roof, Roofline, RoundPanels, RoundSeries, RoundWindow,
    Scatter, Spread, Stack, Stacks, Zone,
};
use language::Language;
use model::Unit;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().unwrap_or_else(|| "gallery.html".to_owned());
    let language = arguments.next().and_then(|tag| Language::of_tag(&tag)).unwrap_or(Language::English);
    let words = language.words();
    let mut page = format!(
        "<!doctype html><html lang=\"{}\"><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>Charts</title><style>\
         body{{margin:0 auto;padding:10px;max-width:760px;font:15px system-ui,sans-serif}}\
         table{{border-collapse:collapse;font-size:12px}}td,th{{padding:2px 8px;text-align:left}}\
         h2{{font-size:16px;margin:28px 0 8px}}\
         @media screen and (prefers-color-scheme:dark){{body{{background:#0f1419;color:#e8ecf1}}}}\
         {}</style>",
        language.tag(),
        chart::plot::style_sheet()
    );
    for (title, plot) in all() {
        let svg = chart::plot::svg(plot.as_ref(), title, words);
        let _ = write!(page, "<h2>{title} ({} bytes)</h2>{svg}<p>{}</p>", svg.len(), plot.describe(words));
        let table = plot.table(words);
        let _ = write!(page, "<details><summary>{}</summary><table>", table.rows.len());
        for row in std::iter::once(&table.head).chain(&table.rows).take(12) {
            let _ = write!(page, "<tr>");
            row.iter().for_each(|cell| {
                let _ = write!(page, "<td>{}", cell.replace('<', "&lt;"));
            });
        }
        page.push_str("</table></details>");
    }
    std::fs::write(file, page)
}

/// A kind a function, in documentation order.
fn all() -> Vec<(&'static str, Box<dyn Plot>)> {
    vec![
        ("Lines: one", Box::new(lines_one())),
        ("Lines: several", Box::new(lines_several())),
        ("Lines: twelve with long names", Box::new(lines_many())),
        ("Lines: the rate and what it costs", Box::new(lines_with_latency())),
        ("Lines: a storage mountain", Box::new(mountain())),
        ("Bars: one series", Box::new(bars_one())),
        ("Bars: two series, own limits, notes", Box::new(bars_two())),
        ("Bars: the overview's parts with long names", Box::new(bars_long())),
        ("Heat: two factors", Box::new(heat())),
        ("Heat: many levels", Box::new(heat_many())),
        ("Scatter: latency against throughput", Box::new(scatter())),
        ("Scatter: a cloud", Box::new(cloud())),
        ("Roofline", Box::new(roofline())),
        ("Rounds: one", Box::new(rounds(1))),
        ("Rounds: three", Box::new(rounds(3))),
        ("Stacks: where the time goes", Box::new(stacks())),
        ("Ratios", Box::new(ratios())),
    ]
}

fn axis(title: &str, numbers: Numbers, spread: Spread) -> Axis {
    Axis { title: title.to_owned(), numbers, spread }
}

fn around(value: f64, off: f64) -> Measured {
    Measured { value, interval: Some((value * (1.0 - off), value * (1.0 + off))) }
}

fn reference(value: f64, label: &str, kind: ReferenceKind) -> Reference {
    Reference { value, label: label.to_owned(), kind }
}

/// IOPS over queue depth as a device that saturates gives them.
fn saturating(most: f64, half: f64) -> Vec<(f64, Measured)> {
    (0..7)
        .map(|i| 2f64.powi(i))
        .map(|depth| (depth, around(most * depth / (depth + half), 0.03 + 0.004 * half)))
        .collect()
}

fn lines_one() -> Lines {
    Lines {
        x: axis("queue depth", Numbers::Count, Spread::Auto),
        y: axis("IOPS", Numbers::Unit(Unit::PerSecond), Spread::Auto),
        lines: vec![Line { name: String::new(), points: saturating(105e3, 8.0) }],
        references: vec![
            reference(97e3, "datasheet: 97 k IOPS", ReferenceKind::Promise),
            reference(540e3, "PCIe 3.0 x4: 540 k IOPS", ReferenceKind::Limit),
        ],
        marks: vec![Mark { x: 16.0, label: "knee: 16".to_owned() }],
        zones: Vec::new(),
        better: Some(Better::Higher),
    }
}

fn lines_several() -> Lines {
    let line = |name: &str, most, half| Line { name: name.to_owned(), points: saturating(most, half) };
    Lines {
        x: axis("threads", Numbers::Count, Spread::Auto),
        y: axis("throughput", Numbers::Unit(Unit::BytesPerSecond), Spread::Auto),
        lines: vec![
            line("read", 560e6, 2.0),
            line("random read", 545e6, 4.0),
            line("write", 410e6, 1.0),
            line("random write", 120e6, 1.0),
        ],
        references: vec![reference(560e6, "SATA 3, effective: 560 MB/s", ReferenceKind::Limit)],
        marks: vec![],
        zones: vec![],
        better: Some(Better::Higher),
    }
}

fn lines_many() -> Lines {
    let line = |i: i32| Line {
        name: format!("pattern=randread, block-size={} KiB, engine=io_uring", 4 << i),
        points: saturating(2e3 * 2f64.powi(i), 3.0),
    };
    Lines {
        x: axis("queue depth", Numbers::Count, Spread::Auto),
        y: axis("latency, 99th percentile", Numbers::Unit(Unit::Seconds), Spread::Auto),
        lines: (0..12).map(line).map(slow).collect(),
        references: vec![],
        marks: vec![],
        zones: vec![],
        better: Some(Better::Lower),
    }
}

fn lines_with_latency() -> LinePanels {
    let line = |name: &str, most| Line { name: name.to_owned(), points: saturating(most, 6.0) };
    let rates = vec![line("1 thread", 105e3), line("4 threads", 190e3), line("8 threads", 205e3)];
    let latency = |(i, rate): (usize, &Line)| {
        let threads = [1.0, 4.0, 8.0][i];
        let at = |(depth, rate): &(f64, Measured)| (*depth, around(2.0 * threads * depth / rate.value, 0.08));
        Line { name: rate.name.clone(), points: rate.points.iter().map(at).collect() }
    };
    let lower = Lines {
        y: axis("p99 latency", Numbers::Unit(Unit::Seconds), Spread::Auto),
        lines: rates.iter().enumerate().map(latency).collect(),
        better: Some(Better::Lower),
        references: vec![],
        ..lines_one()
    };
    let marks = vec![
        Mark { x: 16.0, label: "1 thread: full from here".to_owned() },
        Mark { x: 8.0, label: "4 threads, 8 threads: full from here".to_owned() },
    ];
    LinePanels { panels: vec![Lines { lines: rates, marks, ..lines_one() }, lower] }
}

fn mountain() -> Lines {
    let rate = |span: f64| {
        let hit = |size: f64| (size / span).min(1.0);
        1.0 / (hit(256e6) / 98e3 + (hit(16e9) - hit(256e6)) / 41e3 + (1.0 - hit(16e9)) / 9.8e3)
    };
    let points = (0..16).map(|i| 2f64.powi(22 + i)).map(|span| (span, around(rate(span), 0.03)));
    let gib = 1024.0 * 1024.0 * 1024.0;
    let level = |from: f64, to: f64, value| Zone { from, to, level: Some(value), label: String::new() };
    let edge = |from: f64, to: f64, label: &str| Zone { from, to, level: None, label: label.to_owned() };
    Lines {
        x: axis("span", Numbers::Binary, Spread::Auto),
        y: axis("IOPS", Numbers::Unit(Unit::PerSecond), Spread::Auto),
        lines: vec![Line { name: String::new(), points: points.collect() }],
        references: vec![],
        marks: vec![],
        zones: vec![
            level(gib / 256.0, gib / 8.0, 98e3),
            edge(gib / 8.0, gib / 4.0, "128 to 256 MiB: drive, controller or hypervisor"),
            level(gib, 8.0 * gib, 42e3),
            edge(8.0 * gib, 16.0 * gib, "8 to 16 GiB: page cache"),
            level(64.0 * gib, 128.0 * gib, 10.5e3),
        ],
        better: Some(Better::Higher),
    }
}

fn slow(mut line: Line) -> Line {
    for (_, m) in &mut line.points {
        let scale = 1e-8;
        m.value *= scale;
        m.interval = m.interval.map(|(low, high)| (low * scale, high * scale));
    }
    line
}

fn bar(series: usize, value: Option<Measured>) -> Bar {
    Bar { series, value, reference: None, note: None }
}

fn bars_one() -> Bars {
    let group = |label: &str, value: f64, off: f64| BarGroup {
        label: label.to_owned(),
        bars: vec![bar(0, Some(around(value, off)))],
    };
    Bars {
        value: axis("throughput", Numbers::Unit(Unit::BytesPerSecond), Spread::Auto),
        series: vec![],
        groups: vec![
            group("sequential read", 541e6, 0.01),
            group("sequential write", 498e6, 0.04),
            group("random read, depth 32", 391e6, 0.02),
            group("random write, depth 32", 214e6, 0.2),
            BarGroup { label: "verify".to_owned(), bars: vec![bar(0, None)] },
        ],
        references: vec![
            reference(560e6, "SATA 3, effective: 560 MB/s", ReferenceKind::Limit),
            reference(550e6, "datasheet: 550 MB/s", ReferenceKind::Promise),
        ],
        better: Some(Better::Higher),
    }
}

fn bars_two() -> Bars {
    let values = [(60.8e3, 24.1e3), (212e3, 61e3), (540e3, 0.0)];
    let names = ["ext4 on RAID 6", "XFS on LVM on LUKS on RAID 6", "raw device"];
    let groups = names.iter().zip(values).map(|(name, (read, write))| {
        let mut bars = vec![bar(0, Some(around(read, 0.05))), bar(1, Some(around(write, 0.08)))];
        bars[0].reference = Some(reference(600e3, "limit 600 k", ReferenceKind::Limit));
        if write == 0.0 {
            bars[1].value = None;
            bars[1].note = Some("refused: the device is in use by md0, and nothing was written".to_owned());
        } else if write > 50e3 {
            bars[1].note = Some("burst: less was written than the drive's cache may hold".to_owned());
        }
        BarGroup { label: (*name).to_owned(), bars }
    });
    Bars {
        value: axis("IOPS", Numbers::Unit(Unit::PerSecond), Spread::Auto),
        series: vec!["read".to_owned(), "write".to_owned()],
        groups: groups.collect(),
        references: vec![reference(3e6, "PCIe 5.0 x4: 3 M IOPS", ReferenceKind::Limit)],
        better: Some(Better::Higher),
    }
}

fn bars_long() -> Bars {
    let shares = [
        ("memory bandwidth, all threads, copy of pages of 4 KiB", 0.91),
        ("disk vda, sequential reading with io_uring and O_DIRECT at queue depth 32", 0.97),
        ("net lo", 0.403),
        ("CPU", 0.02),
    ];
    let group = |(label, share): (&str, f64)| BarGroup {
        label: label.to_owned(),
        bars: vec![bar(0, Some(Measured { value: share, interval: None }))],
    };
    Bars {
        value: axis("share of the limit", Numbers::Share, Spread::Auto),
        series: vec![],
        groups: shares.into_iter().map(group).collect(),
        references: vec![reference(1.0, "limit", ReferenceKind::Limit)],
        better: None,
    }
}

fn heat() -> HeatMap {
    let sizes = ["4 KiB", "8 KiB", "16 KiB", "32 KiB", "64 KiB", "128 KiB", "256 KiB", "1 MiB"];
    let depths = ["1", "2", "4", "8", "16", "32"];
    let cell = |depth: usize, size: usize| {
        let (depth, size) = (2f64.powi(depth as i32), 4096.0 * 2f64.powi(size as i32));
        let value = 1.0 / (1.0 / (560e6 / size) + 80e-6 / depth);
        Some(around(value, 0.03))
    };
    let mut cells: Vec<Vec<_>> =
        (0..depths.len()).map(|d| (0..sizes.len()).map(|s| cell(d, s)).collect()).collect();
    cells[5][7] = None;
    HeatMap {
        title: "IOPS".to_owned(),
        numbers: Numbers::Unit(Unit::PerSecond),
        x: ("block size".to_owned(), sizes.map(str::to_owned).into()),
        y: ("queue depth".to_owned(), depths.map(str::to_owned).into()),
        cells,
        better: Some(Better::Higher),
    }
}

fn heat_many() -> HeatMap {
    let levels: Vec<String> = (0..64).map(|cpu| format!("CPU {cpu}")).collect();
    let cell = |a: usize, b: usize| {
        let hops =
            usize::from(a / 2 != b / 2) + usize::from(a / 16 != b / 16) + usize::from(a / 32 != b / 32);
        (a != b).then(|| Measured {
            value: 22e-9 + 41e-9 * hops as f64 + (a * 7 + b * 3) as f64 * 1e-11,
            interval: None,
        })
    };
    HeatMap {
        title: "time from one CPU to another".to_owned(),
        numbers: Numbers::Unit(Unit::Seconds),
        x: ("to".to_owned(), levels.clone()),
        y: ("from".to_owned(), levels),
        cells: (0..64).map(|a| (0..64).map(|b| cell(a, b)).collect()).collect(),
        better: Some(Better::Lower),
    }
}

fn scatter() -> Scatter {
    let group = |name: &str, most: f64, service: f64| {
        let dot = |i: i32| {
            let depth = 2f64.powi(i);
            let rate = most * depth / (depth + most * service);
            Dot {
                x: around(rate, 0.03),
                y: around(depth / rate, 0.05),
                label: if i % 2 == 0 { format!("depth {depth}") } else { format!("{depth}") },
            }
        };
        Dots { name: name.to_owned(), dots: (0..7).map(dot).collect(), joined: true }
    };
    Scatter {
        better: (Some(Better::Higher), Some(Better::Lower)),
        x: axis("IOPS", Numbers::Unit(Unit::PerSecond), Spread::Auto),
        y: axis("latency, median", Numbers::Unit(Unit::Seconds), Spread::Auto),
        groups: vec![
            group("io_uring", 98e3, 85e-6),
            group("libaio", 83e3, 100e-6),
            group("psync", 61e3, 140e-6),
        ],
        references: vec![reference(100e3, "datasheet: 100 k IOPS", ReferenceKind::Promise)],
    }
}

fn roofline() -> Roofline {
    let roof = |name: &str, value| Roof { name: name.to_owned(), most: around(value, 0.02) };
    Roofline {
        x: "operations for each byte".to_owned(),
        y: axis("operations per second", Numbers::Unit(Unit::PerSecond), Spread::Decades),
        roofs: vec![roof("L1", 410e9), roof("L2", 160e9), roof("L3", 45e9), roof("memory", 12e9)],
        ceilings: vec![roof("AVX-512", 96e9), roof("AVX2", 48e9), roof("scalar", 7e9)],
    }
}

fn cloud() -> Scatter {
    let dot = |i: u64| {
        let a = (i * 2_654_435_761 % 1000) as f64 / 1000.0;
        let b = (i * 40_503 % 977) as f64 / 977.0;
        let exact = |value| Measured { value, interval: None };
        Dot { x: exact(2.1e9 + 1.4e9 * a), y: exact(0.8 + 0.3 * a + 0.2 * b), label: String::new() }
    };
    Scatter {
        better: (None, None),
        x: axis("frequency of the CPU", Numbers::Unit(Unit::Hertz), Spread::Auto),
        y: axis("instructions per cycle", Numbers::Unit(Unit::One), Spread::Auto),
        groups: vec![Dots { name: String::new(), dots: (1..120).map(dot).collect(), joined: false }],
        references: vec![],
    }
}

fn ratios() -> Ratios {
    let row = |label: &str, ratio: Option<(f64, f64, f64)>, verdict: &str, good| RatioRow {
        label: label.to_owned(),
        ratio: ratio.map(|(value, low, high)| Measured { value, interval: Some((low, high)) }),
        verdict: verdict.to_owned(),
        good,
    };
    Ratios {
        sides: ("6.1.0-18".to_owned(), "6.18.5".to_owned()),
        margin: 0.05,
        rows: vec![
            row("disk randread 4k depth 1: IOPS", Some((1.21, 1.17, 1.26)), "better", Some(true)),
            row(
                "disk randread 4k depth 1: latency, 99th percentile",
                Some((0.84, 0.79, 0.9)),
                "better",
                Some(true),
            ),
            row("net.stream: throughput", Some((1.004, 0.99, 1.02)), "same", None),
            row("memory copy: throughput", Some((0.86, 0.83, 0.89)), "worse", Some(false)),
            row("db transactions: latency, maximum", Some((1.1, 0.7, 1.72)), "cannot tell", None),
            row("cpu.primes", None, "not comparable", None),
        ],
    }
}

fn rounds(count: usize) -> RoundPanels {
    let course = |which: usize| {
        let rounds = [9, 13, 25][which];
        let wobble = |i: usize| 1.0 + ((i * 7 + which) % 5) as f64 * [0.01, 0.02, 0.12][which];
        let value = |i: usize| 30e3 * wobble(i) * (1.0 + 2.0 * (-(i as f64) / 2.0).exp());
        let values: Vec<f64> = (0..rounds).map(value).collect();
        let last = &values[rounds - 5..];
        let mean = last.iter().sum::<f64>() / 5.0;
        let slope = (2.0 * last[4] + last[3] - last[1] - 2.0 * last[0]) / 10.0;
        let verdict = match which {
            2 => "not steady in 25 rounds: range 48 %, slope 12 %".to_owned(),
            _ => format!("steady after {rounds} rounds: range 7 %, slope 2 %"),
        };
        let name = if count == 1 { String::new() } else { format!("random write, {} KiB", 4 << which) };
        let window = Some(RoundWindow { rounds: 5, mean, slope });
        RoundSeries { name, values, window, verdict, steady: which < 2 }
    };
    RoundPanels {
        value: axis("IOPS", Numbers::Unit(Unit::PerSecond), Spread::Linear),
        better: Some(Better::Higher),
        range: 0.2,
        courses: (0..count).map(course).collect(),
    }
}

fn stacks() -> Stacks {
    let row =
        |label: &str, values: [f64; 3]| Stack { label: label.to_owned(), values: values.map(Some).to_vec() };
    Stacks {
        value: axis("mean latency", Numbers::Unit(Unit::Seconds), Spread::Auto),
        better: Some(Better::Lower),
        parts: ["waiting", "submit", "device"].map(str::to_owned).to_vec(),
        rows: vec![
            row("io_uring, queue depth 1", [0.0, 2e-6, 84e-6]),
            row("io_uring, queue depth 32", [0.0, 21e-6, 379e-6]),
            row("aio, queue depth 32", [0.0, 33e-6, 390e-6]),
            row("sync, 200 k/s asked for", [610e-6, 1e-6, 95e-6]),
        ],
    }
}
