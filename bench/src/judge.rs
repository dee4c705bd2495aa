//! From the pairs of one figure to its row: medians, the ratio with its
//! interval, and whether the goal is met. How the ratio is made is told in
//! `stats::comparison`; this only asks for it.

use machine::Host;
use machine::inventory;
use rustix::system::uname;
use stats::comparison::{RatioEstimate, paired_ratio};
use stats::interval::median;

/// One number that both sides of a benchmark yield.
#[derive(Clone, Copy)]
pub(crate) struct Figure {
    /// What it is.
    pub(crate) what: &'static str,
    /// Its SI unit, as a factor of the prefix stands before it: `B/s`, `s`.
    pub(crate) unit: &'static str,
    /// What it should be.
    pub(crate) goal: Goal,
}

/// What a figure should be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Goal {
    /// The ratio's whole interval lies between these.
    Within(f64, f64),
    /// The interval's lower end is at least this: ours is faster.
    LowAtLeast(f64),
    /// The interval's upper end is at most this: ours is cheaper.
    HighAtMost(f64),
    /// Our median is at least this, whatever the peer's.
    OursAtLeast(f64),
    /// Our median is at most this, whatever the peer's.
    OursAtMost(f64),
    /// Ours is at most this in every run, as for what must not happen once. The largest of all runs
    /// is told, of both sides.
    OursNeverAbove(f64),
    /// Told for what it explains.
    None,
}

impl Goal {
    fn text(self, unit: &str) -> String {
        match self {
            Self::Within(low, high) => format!("interval within {low:.2} to {high:.2}"),
            Self::LowAtLeast(low) => format!("interval from {low:.2} up"),
            Self::HighAtMost(high) => format!("interval up to {high:.2}"),
            Self::OursAtLeast(least) => format!("ours at least {}", with_prefix(least, unit)),
            Self::OursAtMost(most) => format!("ours at most {}", with_prefix(most, unit)),
            Self::OursNeverAbove(most) => format!("ours at most {} in every run", with_prefix(most, unit)),
            Self::None => "none".to_owned(),
        }
    }

    /// Whether it is met. A ratio whose interval could as well meet it is undecided, as is one that
    /// cannot be told. `ours` is what [`Goal::told`] says of all runs.
    fn met(self, ours: Option<f64>, ratio: Option<&RatioEstimate>) -> Met {
        // From `low` to `high`, whatever else the interval holds.
        let within = |low: f64, high: f64| {
            let Some(RatioEstimate { interval, .. }) = ratio else { return Met::Undecided };
            Met::within((interval.low, interval.high), (low, high))
        };
        let known = |test: &dyn Fn(f64) -> bool| match ours {
            Some(ours) if test(ours) => Met::Yes,
            Some(_) => Met::No,
            None => Met::Undecided,
        };
        match self {
            Self::Within(low, high) => within(low, high),
            Self::LowAtLeast(low) => within(low, f64::INFINITY),
            Self::HighAtMost(high) => within(0.0, high),
            Self::OursAtLeast(least) => known(&|ours| ours >= least),
            Self::OursAtMost(most) | Self::OursNeverAbove(most) => known(&|ours| ours <= most),
            Self::None => Met::NotAsked,
        }
    }

    /// What is told of the runs of one side.
    fn told(self, runs: &[f64]) -> Option<f64> {
        match self {
            Self::OursNeverAbove(_) => runs.iter().copied().reduce(f64::max),
            _ => median(runs),
        }
    }

    /// The same figure by two builds of one program: the first is at most 2 % worse than the second.
    const fn of_builds(self) -> Self {
        match self {
            Self::LowAtLeast(_) | Self::OursAtLeast(_) => Self::LowAtLeast(0.98),
            Self::HighAtMost(_) | Self::OursAtMost(_) => Self::HighAtMost(1.02),
            Self::Within(..) => Self::Within(0.98, 1.02),
            Self::OursNeverAbove(_) | Self::None => self,
        }
    }

    /// Whether a ratio decides it.
    const fn is_of_ratio(self) -> bool {
        matches!(self, Self::Within(..) | Self::LowAtLeast(_) | Self::HighAtMost(_))
    }
}

/// What became of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Met {
    Yes,
    No,
    /// More pairs would tell.
    Undecided,
    NotAsked,
}

impl Met {
    /// Whether an interval lies between these bounds.
    fn within(interval: (f64, f64), bounds: (f64, f64)) -> Self {
        if interval.0 >= bounds.0 && interval.1 <= bounds.1 {
            Met::Yes
        } else if interval.1 < bounds.0 || interval.0 > bounds.1 {
            Met::No
        } else {
            Met::Undecided
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Undecided => "undecided",
            Self::NotAsked => "-",
        }
    }
}

/// Half of a ratio's interval is at most so much of it where it is known well enough.
const KNOWN: f64 = 0.02;

/// When and on what it was measured.
#[derive(Debug)]
pub(crate) struct Circumstances {
    date: String,
    machine: String,
}

impl Circumstances {
    /// Today, here, beside this peer.
    pub(crate) fn now(peer: &str) -> Self {
        let cpu = inventory::cpu::describe(&Host::this(), &mut Vec::new());
        let model = cpu.model.unwrap_or_else(|| "unknown processor".to_owned());
        let kernel = uname();
        let count = inventory::cpu::allowed_count();
        Self {
            date: jiff::Timestamp::now().strftime("%Y-%m-%d").to_string(),
            machine: format!("{model}, {count} CPUs, Linux {}, {peer}", kernel.release().to_string_lossy()),
        }
    }
}

/// The columns of the page.
pub(crate) const COLUMNS: [&str; 11] = [
    "name",
    "what",
    "ours",
    "peer",
    "ratio",
    "95 % interval",
    "pairs",
    "goal",
    "met",
    "date",
    "machine and peer",
];

/// One figure as it is written down: a cell a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row(pub(super) [String; COLUMNS.len()]);

impl Row {
    /// The benchmark.
    pub(crate) fn name(&self) -> &str {
        &self.0[0]
    }

    /// Which of its figures.
    pub(crate) fn what(&self) -> &str {
        &self.0[1]
    }

    /// The ratio, or our own figure where the goal is of that.
    pub(crate) fn ratio_or_ours(&self) -> &str {
        if self.0[7].starts_with("ours") { &self.0[2] } else { &self.0[4] }
    }

    /// What became of the goal.
    pub(crate) fn met(&self) -> &str {
        &self.0[8]
    }

    /// Says anew whether its goal is met, by what stands in its cells: rows of before there was
    /// *undecided* said no.
    pub(crate) fn judge_again(&mut self) {
        let number = |text: &str| text.trim().parse::<f64>().ok();
        let both = |text: &str| text.split_once(" to ").and_then(|(a, b)| Some((number(a)?, number(b)?)));
        let goal = &self.0[7];
        let bounds = if let Some(rest) = goal.strip_prefix("interval within ") {
            both(rest)
        } else if let Some(rest) = goal.strip_prefix("interval from ") {
            number(rest.trim_end_matches("up")).map(|low| (low, f64::INFINITY))
        } else if let Some(rest) = goal.strip_prefix("interval up to ") {
            number(rest).map(|high| (0.0, high))
        } else {
            None
        };
        if let (Some((low, high)), Some(interval)) = (bounds, both(&self.0[5])) {
            Met::within(interval, (low, high)).word().clone_into(&mut self.0[8]);
        }
    }

    /// For the terminal.
    pub(crate) fn line(&self, peer_name: &str) -> String {
        let [name, what, ours, peer, ratio, interval, pairs, goal, met, ..] = &self.0;
        format!(
            "{name}: {what}: headroom {ours}, {peer_name} {peer}, ratio {ratio} ({interval}), {pairs} pairs, \
             goal: {goal}, met: {met}"
        )
    }
}

impl Figure {
    /// It as it is judged between two builds of one program.
    pub(crate) const fn of_builds(&self) -> Self {
        Self { what: self.what, unit: self.unit, goal: self.goal.of_builds() }
    }

    /// Whether more pairs are not wanted: the ratio is known to 2 %, or no goal hangs on it. Whether
    /// the goal is met is not looked at, for pairs that are added until it is would meet it by chance.
    pub(crate) fn is_known(&self, pairs: &[(f64, f64)]) -> bool {
        let half = |r: RatioEstimate| (r.interval.high - r.interval.low) / (2.0 * r.ratio);
        !self.goal.is_of_ratio() || paired_ratio(pairs, 0.95).is_some_and(|ratio| half(ratio) <= KNOWN)
    }

    /// The row of these pairs (ours, peer's).
    pub(crate) fn judge(&self, name: &str, pairs: &[(f64, f64)], on: &Circumstances) -> Row {
        let ratio = paired_ratio(pairs, 0.95);
        let ours = self.goal.told(&pairs.iter().map(|(ours, _)| *ours).collect::<Vec<_>>());
        let peer = self.goal.told(&pairs.iter().map(|(_, peer)| *peer).collect::<Vec<_>>());
        let cell =
            |value: Option<f64>| value.map_or("none".to_owned(), |value| with_prefix(value, self.unit));
        let met = self.goal.met(ours, ratio.as_ref());
        let row = [
            name.to_owned(),
            self.what.to_owned(),
            cell(ours),
            cell(peer),
            ratio.map_or("none".to_owned(), |r| format!("{:.3}", r.ratio)),
            ratio.map_or("none".to_owned(), |r| format!("{:.3} to {:.3}", r.interval.low, r.interval.high)),
            pairs.len().to_string(),
            self.goal.text(self.unit),
            met.word().to_owned(),
            on.date.clone(),
            on.machine.clone(),
        ];
        Row(row)
    }
}

/// Four digits with a decimal prefix: `18.61 GB/s`, `411.2 ns`; `1/s` becomes
/// `k/s`. Zero has no prefix.
fn with_prefix(value: f64, unit: &str) -> String {
    const PREFIXES: [(f64, &str); 7] =
        [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "u"), (1e-9, "n")];
    // What rounds up to the next prefix takes it.
    let fits = |(scale, _): &&(f64, &str)| value.abs() >= scale * 0.999_95;
    let smallest = if value == 0.0 { (1.0, "") } else { (1e-12, "p") };
    let (scale, prefix) = *PREFIXES.iter().find(fits).unwrap_or(&smallest);
    let scaled = value / scale;
    let decimals = if scaled.abs() < 9.9995 {
        3
    } else if scaled.abs() < 99.995 {
        2
    } else {
        usize::from(scaled.abs() < 999.95)
    };
    let text = format!("{scaled:.decimals$} {prefix}{}", unit.strip_prefix('1').unwrap_or(unit));
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(goal: Goal, pairs: &[(f64, f64)]) -> Row {
        let on = Circumstances { date: "2026-01-02".to_owned(), machine: "M, 2 CPUs, p 1.0".to_owned() };
        Figure { what: "events", unit: "1/s", goal }.judge("primes-1", pairs, &on)
    }

    #[test]
    fn a_row_has_medians_ratio_interval_and_goal() {
        let pairs: Vec<_> = (0..15).map(|i| (2000.0 + f64::from(i), 1000.0)).collect();
        let row = row(Goal::Within(0.97, 1.03), &pairs);
        // The interval by hand: order statistics 4 and 12 of 15, barely narrowed by interpolation.
        assert_eq!(row.0[2..5], ["2.007 k/s", "1.000 k/s", "2.007"]);
        assert_eq!(row.0[5..9], ["2.003 to 2.011", "15", "interval within 0.97 to 1.03", "no"]);
        assert_eq!(
            row.line("sysbench"),
            "primes-1: events: headroom 2.007 k/s, sysbench 1.000 k/s, ratio 2.007 (2.003 to 2.011), 15 pairs, \
             goal: interval within 0.97 to 1.03, met: no"
        );
    }

    #[test]
    fn a_build_may_be_two_per_cent_worse_than_another() {
        let met = |goal, ratio: f64| {
            let pairs: Vec<_> = (0..15).map(|_| (ratio, 1.0)).collect();
            let figure = Figure { what: "events", unit: "1/s", goal }.of_builds();
            let on = Circumstances { date: "2026-01-02".to_owned(), machine: "M".to_owned() };
            figure.judge("primes-1", &pairs, &on).0[8].clone()
        };
        // Beside its peer it would have to be faster, or is ten times as fast as it has to be.
        for goal in [Goal::LowAtLeast(1.0), Goal::OursAtLeast(0.1)] {
            assert_eq!([met(goal, 0.985), met(goal, 0.97)], ["yes", "no"], "{goal:?}");
        }
        for goal in [Goal::HighAtMost(0.5), Goal::OursAtMost(10.0)] {
            assert_eq!([met(goal, 1.015), met(goal, 1.03)], ["yes", "no"], "{goal:?}");
        }
        assert_eq!([met(Goal::Within(0.9, 1.1), 1.0), met(Goal::Within(0.9, 1.1), 1.05)], ["yes", "no"]);
    }

    #[test]
    fn goals_look_at_the_end_of_the_interval_that_could_fail() {
        // Ratios of 0.96 to 1.0 about 0.98.
        let pairs: Vec<_> = (0..15).map(|i| (0.966 + 0.002 * f64::from(i), 1.0)).collect();
        let met = |goal| row(goal, &pairs).0[8].clone();
        assert_eq!(met(Goal::LowAtLeast(0.97)), "yes");
        assert_eq!(met(Goal::LowAtLeast(0.975)), "undecided", "though the ratio is 0.98");
        assert_eq!(met(Goal::LowAtLeast(0.995)), "no");
        assert_eq!(met(Goal::HighAtMost(0.99)), "yes");
        assert_eq!(met(Goal::HighAtMost(0.985)), "undecided");
        assert_eq!(met(Goal::HighAtMost(0.965)), "no");
        assert_eq!(met(Goal::Within(0.97, 1.03)), "yes");
        assert_eq!(met(Goal::Within(0.975, 1.03)), "undecided");
        assert_eq!(met(Goal::Within(1.01, 1.03)), "no");
        assert_eq!(met(Goal::OursAtLeast(0.979)), "yes");
        assert_eq!(met(Goal::OursAtLeast(0.981)), "no");
        assert_eq!(met(Goal::OursAtMost(0.981)), "yes");
        assert_eq!(met(Goal::OursAtMost(0.979)), "no");
        assert_eq!(met(Goal::None), "-");
    }

    #[test]
    fn what_must_not_happen_once_is_looked_for_in_every_run() {
        let mut pairs = vec![(0.0, 0.0); 15];
        let clean = row(Goal::OursNeverAbove(0.0), &pairs);
        assert_eq!(clean.0[2..5], ["0.000 /s", "0.000 /s", "none"]);
        assert_eq!(clean.0[7..9], ["ours at most 0.000 /s in every run", "yes"]);
        // The median is zero still.
        pairs[4].0 = 3.0;
        let once = row(Goal::OursNeverAbove(0.0), &pairs);
        assert_eq!((once.0[2].as_str(), once.met()), ("3.000 /s", "no"));
        assert_eq!(once.ratio_or_ours(), "3.000 /s");
        assert_eq!(row(Goal::OursNeverAbove(0.0), &[]).met(), "undecided");
    }

    #[test]
    fn a_ratio_that_cannot_be_told_meets_no_goal() {
        let row = row(Goal::HighAtMost(0.7), &[(0.0, 1.0), (0.5, 1.0)]);
        assert_eq!(row.0[4..6], ["none", "none"]);
        assert_eq!(row.0[8], "undecided");
    }

    #[test]
    fn a_row_of_before_is_judged_again_by_its_cells() {
        for (goal, interval, met) in [
            ("interval from 0.97 up", "0.911 to 1.050", "undecided"),
            ("interval from 0.97 up", "0.900 to 0.960", "no"),
            ("interval up to 0.50", "0.100 to 0.400", "yes"),
            ("interval within 0.90 to 1.10", "0.950 to 1.200", "undecided"),
            ("ours at most 2.000 s", "0.1 to 0.2", "no"),
            ("interval up to 0.50", "none", "no"),
        ] {
            let mut row = row(Goal::None, &[(1.0, 1.0)]);
            (row.0[7], row.0[5], row.0[8]) = (goal.to_owned(), interval.to_owned(), "no".to_owned());
            row.judge_again();
            assert_eq!(row.0[8], met, "{goal} {interval}");
        }
    }

    #[test]
    fn pairs_are_enough_once_the_ratio_is_known_to_two_percent() {
        let figure = |goal| Figure { what: "events", unit: "1/s", goal };
        let spread = |by: f64| -> Vec<_> { (0..16).map(|i| (1.0 + by * f64::from(i % 4), 1.0)).collect() };
        assert!(figure(Goal::LowAtLeast(0.97)).is_known(&spread(0.01)));
        // Whether it is met is not looked at.
        assert!(figure(Goal::LowAtLeast(1.02)).is_known(&spread(0.01)));
        assert!(!figure(Goal::LowAtLeast(0.1)).is_known(&spread(0.1)));
        // Nothing hangs on these.
        assert!(figure(Goal::OursAtMost(2.0)).is_known(&spread(0.1)));
        assert!(figure(Goal::None).is_known(&[]));
    }

    #[test]
    fn figures_have_four_digits_and_a_prefix() {
        for (value, unit, text) in [
            (4358.1, "1/s", "4.358 k/s"),
            (25_961_325.3, "1/s", "25.96 M/s"),
            (18.608e9, "B/s", "18.61 GB/s"),
            (4.11e-7, "s", "411.0 ns"),
            (999.96, "1/s", "1.000 k/s"),
            (1.0, "s", "1.000 s"),
            (0.0, "s", "0.000 s"),
            (0.0, "1", "0.000"),
            (0.25, "1", "250.0 m"),
        ] {
            assert_eq!(with_prefix(value, unit), text);
        }
    }
}
