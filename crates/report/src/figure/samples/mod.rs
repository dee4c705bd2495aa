//! Samples of the trials that tell most, each workload's on one clock, and the
//! course of the whole run.

mod chosen;
mod counted;
mod cpus;
mod ends;
mod heat;
mod latency;
mod order;
mod panels;
mod window_phases;

pub(crate) use chosen::{OverlaidRun, of_trial, overlaid, sampled_trials};
pub use latency::latency_map;

use chart::plot::{Panels, Track};
use model::Value;
use model::run::CaseResult;
use model::trial::{MachineTrial, Series, Status, Trial, Window};

use super::factors::Factor;
use super::rule::{Reason, by_findings};
use super::{Figure, factors, quantity};
use crate::view::View;

/// Workloads whose samples are shown, at most.
const WORKLOADS_MOST: usize = 8;

/// Maps of latency over time that a page bears.
const MAPS_MOST: usize = 12;

/// Samples before and behind the window, in windows: warm-up and the end belong
/// to the picture, an hour of waiting does not.
const AROUND: f64 = 2.0;

/// And in seconds at least, for windows of milliseconds.
const AROUND_LEAST_S: f64 = 1.0;

/// Seconds that a warm-up takes at most behind a rest.
const WARM_UP_S: f64 = 60.0;

/// One trial with what is needed to draw its samples.
#[derive(Clone, Copy)]
struct SampledTrial<'a> {
    view: &'a View<'a>,
    case: &'a CaseResult,
    trial: &'a Trial,
    window: Window,
    reason: Reason,
    /// The machine that is looked at; absent for the one that drives.
    far: Option<&'a MachineTrial>,
    /// Whether several machines are drawn, and each must be called by its name.
    named: bool,
}

impl<'a> SampledTrial<'a> {
    /// All series of the trial that the machine saw which is looked at.
    fn series(&self) -> impl Iterator<Item = &'a Series> + Clone + use<'a> {
        let result = &self.trial.result;
        let load = if self.far.is_some() { &[][..] } else { &result.main().series };
        load.iter().chain(&self.far.unwrap_or_else(|| result.local()).series)
    }

    /// From when to when samples are drawn, in seconds since the window opened.
    fn span(&self) -> (f64, f64) {
        let length = self.window.seconds();
        let around = (length * AROUND).max(AROUND_LEAST_S);
        // A rest that was asked for belongs to the picture, with the warm-up behind it.
        let (idle, cool) = heat::rests(self.case);
        let before = if idle > 0.0 { around.max(idle + AROUND * length + WARM_UP_S) } else { around };
        (-before, length + around.max(cool))
    }

    /// A series as a track, its values times `scale`; `None` of what lies
    /// outside the span, or has no sensible clock.
    fn track(&self, series: &Series, name: String, scale: f64) -> Option<Track> {
        let interval_s = series.interval_ns as f64 / 1e9;
        if series.values.is_empty() || !(interval_s > 0.0 && interval_s.is_finite()) {
            return None;
        }
        // As whole numbers: seconds since boot have few digits left for a
        // fraction of a millisecond.
        let from = i128::from(series.start_ns) - i128::from(self.window.start_ns);
        let start_s = from as f64 / 1e9;
        let (low, high) = self.span();
        let skip = ((low - start_s) / interval_s).ceil().max(0.0) as usize;
        let values: Vec<f64> = series
            .values
            .iter()
            .enumerate()
            .skip(skip)
            .take_while(|(at, _)| start_s + interval_s * (*at as f64) < high)
            .map(|(_, v)| v * scale)
            .collect();
        let start_s = start_s + interval_s * skip as f64;
        values.iter().any(|v| v.is_finite()).then_some(Track { name, start_s, interval_s, values })
    }
}

/// From the first to the last sample of these tracks.
fn extent<'t>(tracks: impl Iterator<Item = (f64, f64, usize)> + 't, window: &Window) -> (f64, f64) {
    let ends = tracks.map(|(start, interval, count)| (start, start + interval * count as f64));
    ends.fold((0.0, window.seconds()), |(low, high), (s, e)| (low.min(s), high.max(e)))
}

/// The charts of samples: for each workload its panels and its CPUs, then the
/// trials in the order they ran.
pub(super) fn figures(view: &View<'_>, cases: &[&CaseResult]) -> Vec<Figure> {
    let (mut all, mut maps) = (Vec::new(), Vec::new());
    let mut left = 0u64;
    for (_, own) in crate::grouped(cases.iter().map(|case| (case.loads.main.workload, *case))) {
        let Some(sampled_trial) = sampled_trial(view, &own) else { continue };
        if all.len() >= WORKLOADS_MOST * 2 {
            left += 1;
            continue;
        }
        all.extend(of_shot(&sampled_trial, &own));
        maps.extend(latency::figures(&sampled_trial, &own, MAPS_MOST.saturating_sub(maps.len())));
    }
    if let Some(last) = all.last_mut().filter(|_| left > 0) {
        last.notes.push(view.words.tell("figure-samples-left", &[("count", Value::from(left))]));
    }
    all.extend(maps);
    all.extend(order::figure(view, cases));
    all
}

/// Whether a trial has samples to be drawn.
fn has_samples(trial: &Trial) -> bool {
    trial.status == Status::Ok && trial.result.window.is_some() && trial.result.series().next().is_some()
}

/// The trial of a case that is nearest to its median, of those with samples, and its window.
fn middle<'a>(view: &View<'_>, case: &'a CaseResult) -> Option<(&'a Trial, Window)> {
    let metric = quantity::figure(case).and_then(|m| quantity::Metric::of(view.words, case, m));
    let median = metric.as_ref().and_then(|m| m.at(case)).map(|m| m.value);
    let off = |t: &Trial| {
        let own = metric.as_ref().and_then(|m| t.result.main().metrics.get(&m.name)).map(|q| q.value);
        own.zip(median).map_or(f64::MAX, |(own, median)| (own - median).abs())
    };
    let sampled = case.trials.iter().filter(|trial| has_samples(trial));
    let trial = sampled.min_by(|a, b| off(a).total_cmp(&off(b)))?;
    let window = trial.result.window.filter(|w| w.end_ns > w.start_ns)?;
    Some((trial, window))
}

/// The trial that tells most of a workload's cases: of the case nearest to a
/// limit, or else with the highest figure, the one nearest its median.
fn sampled_trial<'a>(view: &'a View<'a>, cases: &[&'a CaseResult]) -> Option<SampledTrial<'a>> {
    let sampled: Vec<&CaseResult> =
        cases.iter().copied().filter(|c| c.trials.iter().any(has_samples)).collect();
    let (case, reason) = by_findings(&sampled)?;
    let (trial, window) = middle(view, case)?;
    Some(SampledTrial { view, case, trial, window, reason, far: None, named: false })
}

fn of_shot(sampled_trial: &SampledTrial<'_>, cases: &[&CaseResult]) -> Vec<Figure> {
    let words = sampled_trial.view.words;
    let factors = factors::of(sampled_trial.view, cases);
    let place = called(sampled_trial, &factors, cases.len());
    let place = |key: &str| words.tell(key, &[("case", Value::Text(place.clone()))]);
    let mut all: Vec<Figure> = heat::figure(sampled_trial, place("figure-heat")).into_iter().collect();
    let others = ends::others(sampled_trial);
    let mut made = panels::of(&SampledTrial { named: !others.is_empty(), ..*sampled_trial });
    made.panels.extend(others.iter().flat_map(ends::panels));
    if !made.panels.is_empty() {
        let tracks = made.panels.iter().flat_map(|p| &p.tracks);
        let span = extent(tracks.map(|t| (t.start_s, t.interval_s, t.values.len())), &sampled_trial.window);
        let window = Some((0.0, sampled_trial.window.seconds()));
        let plot = Panels { span, window, phases: window_phases::of(sampled_trial), panels: made.panels };
        let figure = Figure::new("panels", place("figure-samples"), plot).note(Some(which(sampled_trial)));
        all.push(figure.note(made.left_out));
    }
    all.extend(cpus::of(sampled_trial).map(|plot| Figure::new("cpu-load", place("figure-cpus"), plot)));
    for far in others.iter().filter(|far| !ends::shares_processors(far)) {
        let title = ends::titled(far, &place("figure-cpus"));
        all.extend(cpus::of(far).map(|plot| Figure::new("cpu-load", title, plot)));
    }
    all
}

/// What the case of a trial is called, one of so many of its workload.
fn called(sampled_trial: &SampledTrial<'_>, factors: &[Factor], cases: usize) -> String {
    let workload = sampled_trial.view.called(sampled_trial.case.loads.main.workload.as_str());
    match cases {
        1 => workload,
        _ => format!("{workload}, {}", factors::label(factors, sampled_trial.case)),
    }
}

/// Which trial it is, and why that one.
fn which(sampled_trial: &SampledTrial<'_>) -> String {
    let trial = which_trial(sampled_trial);
    match sampled_trial.reason.text(sampled_trial.view.words) {
        Some(reason) => format!("{reason} {trial}"),
        None => trial,
    }
}

/// Which of the trials of its case it is.
fn which_trial(sampled_trial: &SampledTrial<'_>) -> String {
    let words = sampled_trial.view.words;
    let trials = &sampled_trial.case.trials;
    let place = trials.iter().position(|t| std::ptr::eq(t, sampled_trial.trial)).unwrap_or(0);
    let of = [("trial", Value::from(place as u64 + 1)), ("trials", Value::from(trials.len() as u64))];
    match trials.len() {
        1 => words.say("figure-samples-only"),
        _ if sampled_trial.reason == Reason::Chosen => words.tell("figure-samples-chosen", &of),
        _ => words.tell("figure-samples-middle", &of),
    }
}

#[cfg(test)]
mod tests {
    use model::limit::LimitKind;
    use model::trial::{InterruptLine, LOCAL, LoadTrial, Placement, WorkerPlace};
    use model::{ParameterName, SeriesName, Unit, WorkloadName};

    use super::*;
    use crate::figure::tests::fixture::{disk, kinds, limited, run, sampled, seen, series};

    const ONE_SECOND: u64 = 1_000_000_000;

    fn all() -> Vec<Series> {
        let from = ONE_SECOND - 200_000_000;
        let of = |resource, name, unit, values: &[f64]| series(resource, name, unit, from, values);
        vec![
            of("load", "operations", Unit::PerSecond, &[10.0, 20.0, 30.0]),
            of("load", "throughput", Unit::BytesPerSecond, &[1.0, 2.0, 3.0]),
            of("block:sda", "read_sectors", Unit::BytesPerSecond, &[4e6, 5e6, 6e6]),
            of("block:sda", "written_sectors", Unit::BytesPerSecond, &[0.0, 0.0, 0.0]),
            of("cpu", "user", Unit::One, &[1.0, 2.0, 3.0]),
            of("cpu", "idle", Unit::One, &[3.0, 2.0, 2.0]),
            of("cpu:0", "user", Unit::One, &[0.5, 0.9, 1.2]),
            of("cpu:0", "system", Unit::One, &[0.25, 0.05, 0.1]),
            of("cpu:0", "iowait", Unit::One, &[0.25, 0.05, 0.0]),
            of("cpu:1", "idle", Unit::One, &[1.0, 1.0, 1.0]),
            of("memory", "pswpin", Unit::BytesPerSecond, &[0.0, 0.0, 0.0]),
        ]
    }

    fn panels_of(case: &CaseResult) -> panels::TrialPanels {
        let run = run(Vec::new());
        seen(&run, |view| panels::of(&sampled_trial(view, &[case]).unwrap()))
    }

    #[test]
    fn panels_are_on_the_clock_of_the_window() {
        let made = panels_of(&sampled(disk("randread", 4096, 8, 80e3), &all()));
        let titles: Vec<&str> = made.panels.iter().map(|p| p.title.as_str()).collect();
        assert_eq!(titles, ["Disk", "disk throughput: disk sda", "CPU time"]);
        let load = &made.panels[0].tracks[0];
        assert_eq!((load.start_s, load.interval_s), (-0.2, 0.1));
        assert_eq!(load.values, [10.0, 20.0, 30.0]);
        // What stayed at zero is no track, and no panel.
        let tracks: Vec<&str> = made.panels[1].tracks.iter().map(|t| t.name.as_str()).collect();
        assert_eq!(tracks, ["read"]);
        assert!(made.left_out.unwrap().contains("swapping"));
        // Of four CPUs; where more was counted than there are, of that.
        assert_eq!(made.panels[2].tracks[0].values, [0.25, 0.5, 0.6]);
    }

    #[test]
    fn the_load_is_told_as_its_case_is() {
        let made = panels_of(&sampled(disk("read", 1 << 20, 8, 2e3), &all()));
        assert_eq!(made.panels[0].tracks[0].values, [1.0, 2.0, 3.0]);
    }

    #[test]
    fn loads_beside_it_have_panels_of_their_own() {
        let mut case = sampled(disk("randread", 4096, 8, 80e3), &all());
        case.loads.beside.push(model::run::CaseLoad {
            role: model::run::LoadRole::Beside,
            workload: WorkloadName::new("cpu.primes"),
            ..model::run::CaseLoad::default()
        });
        for trial in &mut case.trials {
            let series = vec![series("load", "operations", Unit::PerSecond, ONE_SECOND, &[7.0])];
            trial.result.loads.push(LoadTrial { series, ..LoadTrial::of(1, LOCAL) });
        }
        let made = panels_of(&case);
        assert_eq!(made.panels[1].title, "beside it: Processor");
        assert_eq!(made.panels[1].tracks[0].values, [7.0]);
    }

    #[test]
    fn a_cpu_is_busy_but_for_idleness() {
        let mut case = sampled(disk("randread", 4096, 8, 80e3), &all());
        for trial in &mut case.trials {
            trial.result.placement = Some(Placement {
                asked: model::study::Pin::Auto,
                policy: model::study::Pin::Auto,
                reason: None,
                workers: vec![WorkerPlace { load: 0, cpu: Some(1) }],
                interrupts: vec![InterruptLine {
                    irq: 1,
                    name: String::new(),
                    cpus: vec![1],
                    counts: vec![1],
                }],
            });
        }
        let run = run(Vec::new());
        let load = seen(&run, |view| cpus::of(&sampled_trial(view, &[&case]).unwrap())).unwrap();
        assert_eq!(load.cpus.len(), 2);
        assert_eq!(
            load.cpus[0].busy.iter().map(|b| (b * 100.0).round()).collect::<Vec<_>>(),
            [75.0, 95.0, 100.0]
        );
        assert_eq!(load.cpus[1].busy, [0.0, 0.0, 0.0]);
        assert_eq!(load.cpus[0].note, None);
        assert!(load.cpus[1].note.as_ref().unwrap().contains("interrupts"), "{:?}", load.cpus[1].note);
    }

    #[test]
    fn the_trial_nearest_the_median_of_the_case_nearest_a_limit() {
        let near = limited(disk("read", 1 << 20, 8, 500.0), LimitKind::Link, 560e6, 1.0);
        let far = limited(disk("write", 1 << 20, 8, 100.0), LimitKind::Link, 560e6, 1.0);
        let cases = [sampled(far, &all()), sampled(near, &all())];
        let run = run(Vec::new());
        seen(&run, |view| {
            let sampled_trial = sampled_trial(view, &[&cases[0], &cases[1]]).unwrap();
            assert_eq!(sampled_trial.case.label, cases[1].label);
            // The third of five is the median.
            assert!(std::ptr::eq(sampled_trial.trial, &cases[1].trials[2]));
            assert_eq!(sampled_trial.reason, Reason::NearestLimit);
        });
    }

    #[test]
    fn samples_far_from_the_window_or_without_a_clock_are_left_out() {
        let ok = series("load", "operations", Unit::PerSecond, ONE_SECOND, &[1.0]);
        let late = Series { start_ns: u64::MAX, ..ok.clone() };
        let stopped = Series { interval_ns: 0, ..ok.clone() };
        for bad in [
            late,
            stopped,
            Series { values: Vec::new(), ..ok.clone() },
            Series { values: vec![f64::NAN], ..ok.clone() },
        ] {
            let made = panels_of(&sampled(disk("randread", 4096, 8, 80e3), &[bad]));
            assert!(made.panels.is_empty());
        }
        // An hour of waiting before the window is cut off.
        let early = Series { start_ns: 0, interval_ns: 1_000_000, values: vec![5.0; 3_600_000], ..ok };
        let case = sampled(disk("randread", 4096, 8, 80e3), &[early]);
        let made = panels_of(&case);
        assert!(made.panels[0].tracks[0].values.len() <= 5000);
    }

    /// Twenty seconds of rest, a window of one second, and five to cool down.
    fn rested() -> CaseResult {
        let from = 20 * ONE_SECOND;
        let values: Vec<f64> = (0..260)
            .map(|i| match i {
                ..200 => 40.0,
                200..210 => 40.0 + f64::from(i - 199) * 2.0,
                _ => 50.0,
            })
            .collect();
        let core = |name: &str| series(name, "temperature", Unit::Celsius, 0, &values);
        let names =
            ["Core 0", "Core 1", "Core 2", "Core 3", "Core 4"].map(|c| format!("sensor:coretemp/{c}"));
        let all: Vec<Series> = names.iter().map(|name| core(name)).collect();
        let mut case = sampled(disk("randread", 4096, 8, 80e3), &all);
        case.loads.main.parameters.set(ParameterName::new("idle"), 20.0);
        case.loads.main.parameters.set(ParameterName::new("cool-down"), 5.0);
        for trial in &mut case.trials {
            trial.result.window = Some(Window { start_ns: from, end_ns: from + ONE_SECOND });
        }
        case
    }

    #[test]
    fn heat_is_shown_from_rest_to_rest() {
        let run = run(vec![rested()]);
        let own: Vec<&CaseResult> = run.cases.iter().collect();
        let figures = seen(&run, |view| super::figures(view, &own));
        assert_eq!(kinds(&figures)[..2], ["heat-over-time", "panels"]);
        let said = figures[0].notes.join(" ");
        assert!(
            said.starts_with("coretemp/Core 0: 40 °C at rest, 60 °C at the most under load, 20 °C more."),
            "{said}"
        );
        let words = language::Language::English.words();
        let told = figures[0].plot.describe(words);
        assert!(
            told.contains("at rest: -20 s to 0 s.") && told.contains("cooling down: 1 s to 6 s."),
            "{told}"
        );
        // More sensors than beside everything else.
        assert_eq!(figures[0].plot.table(words).rows.len(), 5);
        // Nobody asked for a rest, or nothing gets hot.
        let mut plain = rested();
        plain.loads.main.parameters.remove(ParameterName::new("idle"));
        plain.loads.main.parameters.remove(ParameterName::new("cool-down"));
        let mut cold = rested();
        cold.trials.iter_mut().for_each(|t| {
            t.result.local_mut().series.iter_mut().for_each(|s| s.name = SeriesName::new("other"))
        });
        for case in [plain, cold] {
            let figures = seen(&run, |view| super::figures(view, &[&case]));
            assert!(!kinds(&figures).contains(&"heat-over-time"));
        }
    }

    #[test]
    fn the_order_of_trials_shows_each_against_its_median() {
        let cases = vec![sampled(disk("randread", 4096, 8, 80e3), &all()), disk("randread", 4096, 16, 90e3)];
        let run = run(cases);
        let own: Vec<&CaseResult> = run.cases.iter().collect();
        let of_both = seen(&run, |view| figures(view, &own));
        assert_eq!(kinds(&of_both), ["panels", "cpu-load", "scatter"]);
        // Few trials show no course.
        let few = seen(&run, |view| figures(view, &own[..1]));
        assert_eq!(kinds(&few), ["panels", "cpu-load"]);
    }
}
