//! A page with charts of distributions, of time and of paths, to look at:
//! `cargo run -p chart --example gallery_time -- PAGE.html [ko|ja]`.

use std::fmt::Write as _;

use chart::plot::{
    Axis, Bin, BoxRow, Boxes, Chain, CpuLoad, CpuRow, Curve, Histogram, Link, Measured, Numbers, Panel,
    Panels, Percentiles, Plot, Reference, ReferenceKind, Spread, Track, style_sheet, svg,
};
use language::{Language, Words};
use model::Unit;

/// Numbers that look random and are the same each time (Knuth's MMIX).
struct Dice(u64);

impl Dice {
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / f64::from(1u32 << 31)
    }

    /// About normal, of mean 0 and deviation 1.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.share()).sum::<f64>() - 6.0
    }
}

const RATE: Numbers = Numbers::Unit(Unit::BytesPerSecond);
const SECONDS: Numbers = Numbers::Unit(Unit::Seconds);

fn axis(title: &str, numbers: Numbers) -> Axis {
    Axis { title: title.to_owned(), numbers, spread: Spread::Auto }
}

fn limit(value: f64, label: &str) -> Reference {
    Reference { value, label: label.to_owned(), kind: ReferenceKind::Limit }
}

fn track(name: &str, interval_s: f64, values: Vec<f64>) -> Track {
    Track { name: name.to_owned(), start_s: 0.0, interval_s, values }
}

fn panel(title: &str, numbers: Numbers, tracks: Vec<Track>) -> Panel {
    Panel { title: title.to_owned(), numbers, stacked: false, tracks, references: Vec::new() }
}

fn second(dice: &mut Dice) -> Panels {
    let mut wave = |n: usize, mean: f64, spread: f64| -> Vec<f64> {
        (0..n).map(|_| (mean + spread * dice.normal()).max(0.0)).collect()
    };
    let mut throughput = panel("disk vda", RATE, vec![track("read", 0.01, wave(130, 520e6, 30e6))]);
    throughput.references.push(limit(560e6, "SATA 3: 560 MB/s"));
    let mut user = panel(
        "CPU",
        Numbers::Share,
        vec![
            track("user", 0.05, wave(26, 0.2, 0.04)),
            track("system", 0.05, wave(26, 0.35, 0.05)),
            track("steal", 0.05, wave(26, 0.05, 0.02)),
        ],
    );
    user.stacked = true;
    let heat = panel(
        "sensor",
        Numbers::Unit(Unit::Celsius),
        vec![track("disk", 0.25, vec![41.0, 41.0, 42.0, 44.0, 45.0])],
    );
    Panels {
        span: (0.0, 1.3),
        window: Some((0.3, 1.3)),
        phases: vec![],
        panels: vec![throughput, user, heat],
    }
}

fn hour(dice: &mut Dice) -> Panels {
    let mut values: Vec<f64> =
        (0..36_000).map(|i| 430e6 - f64::from(i) * 3e3 + 12e6 * dice.normal()).collect();
    for at in [4_000, 17_777, 17_778, 30_123] {
        values[at] = 0.0;
    }
    let writes: Vec<f64> =
        (0..36_000).map(|i| if i % 3000 < 250 { 90e6 } else { 4e6 } + 6e5 * dice.normal()).collect();
    let depth: Vec<f64> = (0..3600).map(|_| 30.0 + 2.0 * dice.normal()).collect();
    let mut gap: Vec<f64> =
        (0..36_000).map(|i| 0.2 + 0.03 * dice.normal() + if i > 18_000 { 0.3 } else { 0.0 }).collect();
    gap[9_000..12_000].fill(f64::NAN);
    let system: Vec<f64> = (0..36_000).map(|_| 0.2 + 0.02 * dice.normal()).collect();
    let mut disk = panel("disk nvme0n1", RATE, vec![track("read", 0.1, values), track("write", 0.1, writes)]);
    disk.references.push(limit(3.9e9, "PCIe 3.0 x4: 3.9 GB/s"));
    disk.references.push(Reference {
        value: 450e6,
        label: "datasheet: 450 MB/s".into(),
        kind: ReferenceKind::Promise,
    });
    let queue = panel("disk nvme0n1", Numbers::Count, vec![track("in flight", 1.0, depth)]);
    let mut cpu = panel("CPU", Numbers::Share, vec![track("user", 0.1, gap), track("system", 0.1, system)]);
    cpu.stacked = true;
    Panels {
        span: (0.0, 3600.0),
        window: Some((300.0, 3300.0)),
        phases: vec![],
        panels: vec![disk, queue, cpu],
    }
}

fn cpus(dice: &mut Dice, count: u32, length: f64, interval_s: f64) -> CpuLoad {
    let n = (length / interval_s) as usize;
    let row = |cpu: u32, dice: &mut Dice| {
        let base = if cpu == 1 {
            0.97
        } else if cpu % 8 < 3 {
            0.62
        } else {
            0.12
        };
        let busy = (0..n)
            .map(|i| {
                let on = i as f64 / n as f64 > 0.15;
                (if on { base } else { 0.03 } + 0.08 * dice.normal()).clamp(0.0, 1.0)
            })
            .collect();
        let note = (cpu == 1).then(|| "takes the disk's interrupts".to_owned());
        CpuRow { cpu, start_s: 0.0, interval_s, busy, note }
    };
    let cpus = (0..count).map(|cpu| row(cpu, dice)).collect();
    CpuLoad { span: (0.0, length), window: Some((length * 0.2, length)), cpus }
}

fn percentiles(dice: &mut Dice) -> Percentiles {
    let curve = |name: &str, scale: f64, tail: f64, count: u64, dice: &mut Dice| {
        let last = 1.0 - 10.0 / count as f64;
        let mut points = Vec::new();
        let mut nines = 0.0;
        let mut value: f64 = scale * 0.7;
        while nines < -(1.0 - last).log10() {
            points.push((1.0 - 10f64.powf(-nines), value));
            value += value * tail * (0.01 + 0.03 * dice.share()) * (1.0 + nines * 0.8);
            nines += 0.05;
        }
        points.push((last, value));
        Curve { name: name.to_owned(), points, count }
    };
    Percentiles {
        value: axis("latency", SECONDS),
        curves: vec![
            curve("depth 1", 90e-6, 0.8, 120_000, dice),
            curve("depth 8", 160e-6, 1.0, 900_000, dice),
            curve("depth 32", 420e-6, 1.3, 1_400_000, dice),
        ],
        references: vec![Reference {
            value: 0.01,
            label: "promised: 10 ms".into(),
            kind: ReferenceKind::Promise,
        }],
    }
}

fn histogram(dice: &mut Dice) -> Histogram {
    let mut bins: Vec<Bin> = (0..90)
        .map(|i| {
            let (low, high) = (5e-5 * 1.08f64.powi(i), 5e-5 * 1.08f64.powi(i + 1));
            Bin { low, high, count: 0 }
        })
        .collect();
    for i in 0..40_000 {
        let (mean, wide) = if i % 9 == 0 { (52.0, 3.0) } else { (20.0, 4.0) };
        let at = (mean + wide * dice.normal()).clamp(0.0, 89.0) as usize;
        bins[at].count += 1;
    }
    bins[88].count = 3;
    let named =
        |value: f64, label: &str| Reference { value, label: label.to_owned(), kind: ReferenceKind::Ideal };
    Histogram {
        value: axis("latency", SECONDS),
        bins,
        references: vec![
            named(2.4e-4, "median 240 us"),
            named(3.4e-3, "99 %: 3.4 ms"),
            named(4.1e-3, "99.9 %: 4.1 ms"),
        ],
    }
}

fn boxes(dice: &mut Dice) -> Boxes {
    let row = |label: &str, mean: f64, spread: f64, n: usize, dice: &mut Dice| {
        let trials: Vec<f64> =
            (0..n).map(|i| mean * (1.0 + spread * dice.normal()) + mean * 0.004 * i as f64).collect();
        let estimate =
            Measured { value: mean, interval: Some((mean * (1.0 - spread), mean * (1.0 + spread))) };
        BoxRow { label: label.to_owned(), trials, estimate: Some(estimate), apart: None }
    };
    Boxes {
        value: axis("IOPS", Numbers::Unit(Unit::PerSecond)),
        rows: vec![
            row("random read 4 KiB, depth 1", 10_900.0, 0.02, 5, dice),
            row("random read 4 KiB, depth 16", 82_000.0, 0.05, 5, dice),
            row("random read 4 KiB, depth 32", 91_400.0, 0.01, 20, dice),
            row("random write 4 KiB, depth 32", 61_000.0, 0.09, 3, dice),
        ],
        references: vec![limit(98_000.0, "datasheet: 98 k IOPS")],
    }
}

fn chain() -> Chain {
    let link =
        |name: &str, detail: Option<&str>, share: Option<f64>, amplification: f64, is_bottleneck: bool| {
            Link {
                name: name.to_owned(),
                detail: detail.map(str::to_owned),
                share,
                amplification,
                is_bottleneck,
                is_waited_for: false,
                may_be_fullest: true,
            }
        };
    Chain {
        links: vec![
            link("CPU 0-7", Some("1.4 of 8 CPUs"), Some(0.175), 1.0, false),
            link("file system /data", None, None, 1.0, false),
            link("md0 RAID 6", None, None, 1.0, false),
            link("RAID card 03:00.0", Some("572 of 3,900 MB/s"), Some(0.147), 1.333, false),
            link("disks sda ... sdh", Some("143 of 150 MB/s each"), Some(0.953), 1.333, true),
        ],
    }
}

fn show(page: &mut String, title: &str, plot: &dyn Plot, words: &Words) {
    let drawn = svg(plot, title, words);
    let _ = write!(page, "<h2>{title} <small>{} bytes</small></h2>{drawn}", drawn.len());
    let _ = write!(page, "<p>{}</p><details><summary>table</summary><table><tr>", plot.describe(words));
    let table = plot.table(words);
    table.head.iter().for_each(|cell| page.push_str(&format!("<th>{cell}</th>")));
    for row in table.rows {
        page.push_str("</tr><tr>");
        row.iter().for_each(|cell| page.push_str(&format!("<td>{cell}</td>")));
    }
    page.push_str("</tr></table></details>");
}

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_else(|| "gallery.html".to_owned());
    let language = arguments.next().and_then(|tag| Language::of_tag(&tag)).unwrap_or_default();
    let words = language.words();
    let mut page = format!(
        "<!doctype html><meta charset=utf-8><meta name=viewport content='width=device-width'>\
         <meta name=color-scheme content='light dark'><style>{}\
         body{{font-family:system-ui,sans-serif;margin:1em auto;max-width:760px;padding:0 10px}}\
         @media screen and (prefers-color-scheme:dark){{body{{background:#0f1419;color:#e8ecf1}}}}\
         small{{font-weight:400;opacity:.6}}p{{font-size:13px}}</style>",
        style_sheet()
    );
    let mut dice = Dice(7);
    show(&mut page, "A second of reading", &second(&mut dice), words);
    show(&mut page, "An hour", &hour(&mut dice), words);
    for (count, length, interval) in [(2, 1.3, 0.05), (16, 60.0, 0.1), (128, 600.0, 0.5)] {
        show(&mut page, &format!("{count} CPUs"), &cpus(&mut dice, count, length, interval), words);
    }
    show(&mut page, "Percentiles of latency", &percentiles(&mut dice), words);
    show(&mut page, "Histogram of latency", &histogram(&mut dice), words);
    show(&mut page, "Trials", &boxes(&mut dice), words);
    show(&mut page, "The path", &chain(), words);
    std::fs::write(path, page)
}
