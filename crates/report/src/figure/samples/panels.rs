//! The panels: a line each says which series, how they are called, and how they
//! are written. What stayed at zero is no panel, and is named in the note.

use chart::plot::{Numbers, Panel, Track};
use language::resource_label;
use model::trial::Series;
use model::{Resource, ResourceKind, SeriesName, Unit, Value, fact, metric, series};
use std::collections::BTreeSet;

use super::{SampledTrial, counted, ends};
use crate::figure::quantity;

/// How the values of a series become those of its panel.
#[derive(Clone, Copy)]
enum Scale {
    /// As they are.
    As,
    /// CPUs to the share of all of them. Ticks of 10 ms in short intervals add up
    /// to more than there are CPUs; then of what was counted.
    OfCpus,
}

/// Whose series a track is made of.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Owner {
    /// A track for each resource of a kind that has a name.
    Each(ResourceKind),
    /// This one.
    One(Resource),
}
use Owner::{Each, One};

impl Owner {
    /// Whether there may be several.
    fn is_kind(&self) -> bool {
        matches!(self, Each(_))
    }

    fn is(&self, resource: &Resource) -> bool {
        match self {
            Each(kind) => resource.is_named(*kind),
            One(one) => resource == one,
        }
    }
}

/// Which series a track is made of.
struct Source {
    /// The title of its panel.
    panel: &'static str,
    owner: Owner,
    /// The name of the series.
    name: SeriesName,
    /// The words for it; `$resource` is the resource's name.
    key: &'static str,
}

const fn source(panel: &'static str, owner: Owner, name: SeriesName, key: &'static str) -> Source {
    Source { panel, owner, name, key }
}

/// One line of the table.
struct Spec {
    title: &'static str,
    numbers: Numbers,
    stacked: bool,
    scale: Scale,
    /// Whether a value that hardly moves says nothing: of amounts, not of rates.
    must_move: bool,
}

impl Spec {
    fn sources(&self) -> impl Iterator<Item = &'static Source> {
        SOURCES.iter().filter(move |s| s.panel == self.title)
    }
}

const fn panel(title: &'static str, numbers: Numbers) -> Spec {
    Spec { title, numbers, stacked: false, scale: Scale::As, must_move: false }
}

/// A track that is called by its resource.
const RESOURCE: &str = "figure-track-resource";

const BYTES_PER_SECOND: Numbers = Numbers::Unit(Unit::BytesPerSecond);
const PER_SECOND: Numbers = Numbers::Unit(Unit::PerSecond);

/// Every panel, in order; the load's own rate stands above them.
const PANELS: &[Spec] = &[
    panel("figure-panel-disk", BYTES_PER_SECOND),
    panel("figure-panel-in-flight", Numbers::Count),
    panel("figure-panel-network", Numbers::Bits),
    panel("figure-panel-retransmissions", PER_SECOND),
    panel("figure-panel-drops", PER_SECOND),
    Spec { stacked: true, scale: Scale::OfCpus, ..panel("figure-panel-cpu", Numbers::Share) },
    panel("figure-panel-pressure", Numbers::Share),
    Spec { must_move: true, ..panel("figure-panel-cache", Numbers::Unit(Unit::Bytes)) },
    panel("figure-panel-swap", BYTES_PER_SECOND),
    panel("figure-panel-frequency", Numbers::Unit(Unit::Hertz)),
    panel("figure-panel-temperature", Numbers::Unit(Unit::Celsius)),
    panel("figure-panel-throttle", PER_SECOND),
    panel("figure-panel-power", Numbers::Unit(Unit::Watts)),
    panel("figure-panel-switches", PER_SECOND),
];

/// What each panel shows, in order.
const SOURCES: &[Source] = &[
    source("figure-panel-disk", Each(ResourceKind::Block), series::READ_SECTORS, "figure-track-read"),
    source("figure-panel-disk", Each(ResourceKind::Block), series::WRITTEN_SECTORS, "figure-track-written"),
    source("figure-panel-in-flight", Each(ResourceKind::Block), series::IN_FLIGHT, "figure-track-requests"),
    source("figure-panel-network", Each(ResourceKind::Nic), series::RX_BYTES, "figure-track-received"),
    source("figure-panel-network", Each(ResourceKind::Nic), series::TX_BYTES, "figure-track-sent"),
    source(
        "figure-panel-retransmissions",
        One(Resource::TCP),
        series::RETRANSMITTED_SEGMENTS,
        "figure-track-retransmitted",
    ),
    source("figure-panel-retransmissions", One(Resource::TCP), series::TCP_TIMEOUTS, "figure-track-timeouts"),
    source("figure-panel-drops", Each(ResourceKind::Nic), series::RX_DROP, "figure-track-dropped-in"),
    source("figure-panel-drops", Each(ResourceKind::Nic), series::TX_DROP, "figure-track-dropped-out"),
    source("figure-panel-drops", Each(ResourceKind::Nic), series::QDISC_DROPS, "figure-track-dropped-queue"),
    source(
        "figure-panel-drops",
        One(Resource::UDP),
        series::RECEIVE_BUFFER_ERRORS,
        "figure-track-dropped-socket",
    ),
    source("figure-panel-drops", One(Resource::SOFTNET), series::DROPPED, "figure-track-dropped-backlog"),
    source("figure-panel-cpu", One(Resource::CPUS), series::USER, "figure-track-user"),
    source("figure-panel-cpu", One(Resource::CPUS), series::NICE, "figure-track-nice"),
    source("figure-panel-cpu", One(Resource::CPUS), series::SYSTEM, "figure-track-system"),
    source("figure-panel-cpu", One(Resource::CPUS), series::IRQ, "figure-track-irq"),
    source("figure-panel-cpu", One(Resource::CPUS), series::SOFTIRQ, "figure-track-softirq"),
    source("figure-panel-cpu", One(Resource::CPUS), series::STEAL, "figure-track-steal"),
    source("figure-panel-cpu", One(Resource::CPUS), series::IOWAIT, "figure-track-iowait"),
    source("figure-panel-pressure", One(Resource::CPU_PRESSURE), series::SOME, "figure-track-for-cpu"),
    source("figure-panel-pressure", One(Resource::IO_PRESSURE), series::SOME, "figure-track-for-io"),
    source("figure-panel-pressure", One(Resource::MEMORY_PRESSURE), series::SOME, "figure-track-for-memory"),
    source("figure-panel-pressure", One(Resource::IRQ_PRESSURE), series::FULL, "figure-track-for-irq"),
    source("figure-panel-cache", One(Resource::MEMORY), series::FILE_PAGES, "figure-track-cached"),
    source("figure-panel-cache", One(Resource::MEMORY), series::DIRTY_PAGES, "figure-track-dirty"),
    source("figure-panel-cache", One(Resource::MEMORY), series::WRITEBACK_PAGES, "figure-track-writeback"),
    source("figure-panel-swap", One(Resource::MEMORY), series::SWAPPED_IN, "figure-track-in"),
    source("figure-panel-swap", One(Resource::MEMORY), series::SWAPPED_OUT, "figure-track-out"),
    source("figure-panel-frequency", Each(ResourceKind::Cpu), series::FREQUENCY, RESOURCE),
    source("figure-panel-temperature", Each(ResourceKind::Sensor), series::TEMPERATURE, RESOURCE),
    source("figure-panel-throttle", Each(ResourceKind::Cpu), series::CORE_THROTTLES, RESOURCE),
    source(
        "figure-panel-throttle",
        Each(ResourceKind::Cpu),
        series::PACKAGE_THROTTLES,
        "figure-track-package",
    ),
    source("figure-panel-power", Each(ResourceKind::Power), series::POWER, RESOURCE),
    source("figure-panel-switches", One(Resource::CPUS), series::CONTEXT_SWITCHES, "figure-track-switches"),
    source("figure-panel-switches", One(Resource::CPUS), series::INTERRUPTS, "figure-track-interrupts"),
];

/// Tracks that are told apart in one panel.
const TRACKS_MOST: usize = 8;

/// Resources of one kind in one panel: those that did most.
const RESOURCES_MOST: usize = 3;

/// Panels of one trial, that of the load's own rate among them.
const PANELS_MOST: usize = 9;

/// An amount that moves by less of itself than this is flat.
const MOVES_LEAST: f64 = 0.1;

/// The panels of one trial, and what is not drawn.
pub(super) struct TrialPanels {
    pub(super) panels: Vec<Panel>,
    pub(super) left_out: Option<String>,
}

pub(super) fn of(sampled_trial: &SampledTrial<'_>) -> TrialPanels {
    let words = sampled_trial.view.words;
    let mut panels = loads(sampled_trial);
    let counted = counted::panels(sampled_trial);
    // These come beside the others, and not in their place.
    let most = PANELS_MOST + counted.len();
    panels.extend(counted);
    let (mut flat, mut more) = (Vec::new(), Vec::new());
    for spec in PANELS {
        let title = words.say(spec.title);
        match one(sampled_trial, spec, RESOURCES_MOST) {
            Some(panel) if panels.len() < most => panels.push(panel),
            Some(_) => more.push(title),
            None if is_there(sampled_trial, spec) => flat.push(title),
            None => {}
        }
    }
    let said = |key: &str, all: &[String]| {
        (!all.is_empty()).then(|| words.tell(key, &[("panels", Value::Text(all.join(", ")))]))
    };
    let notes: Vec<String> = [said("figure-samples-flat", &flat), said("figure-samples-more", &more)]
        .into_iter()
        .flatten()
        .collect();
    TrialPanels { panels, left_out: (!notes.is_empty()).then(|| notes.join(" ")) }
}

/// What has to do with heat, in the order of its chart.
const HEAT: &[&str] = &[
    "figure-panel-temperature",
    "figure-panel-frequency",
    "figure-panel-power",
    "figure-panel-throttle",
    "figure-panel-cpu",
];

/// The panels of heat, with more sensors than beside everything else.
pub(super) fn of_heat(sampled_trial: &SampledTrial<'_>) -> Vec<Panel> {
    HEAT.iter().filter_map(spec).filter_map(|spec| one(sampled_trial, spec, TRACKS_MOST)).collect()
}

/// The panels with these titles.
pub(super) fn of_titles<'t>(
    sampled_trial: &SampledTrial<'_>,
    titles: impl Iterator<Item = &'t &'static str>,
) -> Vec<Panel> {
    titles.filter_map(spec).filter_map(|spec| one(sampled_trial, spec, RESOURCES_MOST)).collect()
}

fn spec(title: &&'static str) -> Option<&'static Spec> {
    PANELS.iter().find(|p| p.title == *title)
}

/// The rate of each load: the main one's in the figure of its case, the others'
/// in what they have.
fn loads(sampled_trial: &SampledTrial<'_>) -> Vec<Panel> {
    let of_bytes = quantity::figure(sampled_trial.case) == Some(metric::THROUGHPUT);
    let words = sampled_trial.view.words;
    let main = load(
        sampled_trial,
        &sampled_trial.view.called(sampled_trial.case.loads.main.workload.as_str()),
        sampled_trial.series(),
        of_bytes,
    );
    let beside = (1..).zip(&sampled_trial.case.loads.beside).filter_map(|(place, beside)| {
        let name = &beside.workload;
        let of_bytes = beside.profile.headline == metric::THROUGHPUT;
        let title = words
            .tell("figure-beside", &[("workload", Value::Text(sampled_trial.view.called(name.as_str())))]);
        load(sampled_trial, &title, sampled_trial.trial.result.load(place)?.series.iter(), of_bytes)
    });
    main.into_iter().chain(targets(sampled_trial, of_bytes)).chain(beside).take(PANELS_MOST / 2).collect()
}

/// Each of several targets of the main load, in one panel.
fn targets(sampled_trial: &SampledTrial<'_>, of_bytes: bool) -> Option<Panel> {
    let words = sampled_trial.view.words;
    let own = &sampled_trial.trial.result.main().targets;
    let panels = own.iter().filter_map(|own| load(sampled_trial, &own.target, own.series.iter(), of_bytes));
    let mut all: Vec<Panel> = panels.collect();
    let several = all.len() > 1;
    let numbers = all.first()?.numbers;
    let tracks = all.drain(..).filter(|p| p.numbers == numbers).flat_map(|panel| {
        let name = panel.title;
        panel.tracks.into_iter().map(move |track| Track { name: name.clone(), ..track })
    });
    let tracks: Vec<Track> = tracks.take(TRACKS_MOST).collect();
    let key = if of_bytes { "figure-track-throughput" } else { "figure-track-operations" };
    let title = words.tell("figure-panel-targets", &[("metric", Value::Text(words.say(key)))]);
    several.then_some(Panel { title, numbers, stacked: false, tracks, references: Vec::new() })
}

fn load<'a>(
    sampled_trial: &SampledTrial<'_>,
    title: &str,
    series: impl Iterator<Item = &'a Series> + Clone,
    of_bytes: bool,
) -> Option<Panel> {
    let mut names = [series::OPERATIONS, series::THROUGHPUT];
    if of_bytes {
        names.reverse();
    }
    let found = names
        .iter()
        .find_map(|name| series.clone().find(|s| s.resource == Resource::LOAD && s.name == *name))?;
    let is_bytes = found.unit == Unit::BytesPerSecond;
    let name = sampled_trial.view.words.say(if is_bytes {
        "figure-track-throughput"
    } else {
        "figure-track-operations"
    });
    let track = sampled_trial.track(found, name, 1.0)?;
    // Networks are sold and asked for in bits.
    let is_network = is_bytes && crate::load::rates(sampled_trial.case) == language::format::Rates::Bits;
    Some(Panel {
        title: title.to_owned(),
        numbers: if is_network { Numbers::Bits } else { Numbers::Unit(found.unit) },
        stacked: false,
        tracks: vec![track],
        references: Vec::new(),
    })
}

/// The series of one source, of the machine that the load ran on.
fn found<'a>(
    sampled_trial: &SampledTrial<'a>,
    source: &'static Source,
) -> impl Iterator<Item = &'a Series> + use<'a> {
    sampled_trial.series().filter(move |s| s.name == source.name && source.owner.is(&s.resource))
}

fn is_there(sampled_trial: &SampledTrial<'_>, spec: &'static Spec) -> bool {
    spec.sources().any(|s| found(sampled_trial, s).next().is_some())
}

fn one(sampled_trial: &SampledTrial<'_>, spec: &'static Spec, most: usize) -> Option<Panel> {
    let words = sampled_trial.view.words;
    let chosen = resources(sampled_trial, spec, most);
    // Beside the name of a machine there is no room for that of a resource.
    let several = chosen.len() > 1 || sampled_trial.named;
    let mut tracks: Vec<Track> = Vec::new();
    for source in spec.sources() {
        for series in found(sampled_trial, source).filter(|s| chosen.contains(&&s.resource)) {
            let name = Value::Text(resource_label(words, &series.resource));
            let mut label = words.tell(source.key, &[("resource", name.clone())]);
            if several && source.owner.is_kind() && source.key != RESOURCE {
                label = words.tell("figure-track-of", &[("resource", name), ("what", Value::Text(label))]);
            }
            tracks.extend(sampled_trial.track(series, label, 1.0));
        }
    }
    if matches!(spec.scale, Scale::OfCpus) {
        to_shares(sampled_trial, &mut tracks);
    }
    tracks.retain(|t| shows(t, spec.must_move));
    tracks.truncate(TRACKS_MOST);
    let title = match chosen.as_slice() {
        // Tracks that are called by their resource say it themselves.
        [only] if !several && spec.sources().all(|s| s.owner.is_kind() && s.key != RESOURCE) => {
            let of = [("panel", words.say(spec.title)), ("resource", resource_label(words, only))];
            words.tell("figure-panel-of", &of.map(|(name, text)| (name, Value::Text(text))))
        }
        _ => words.say(spec.title),
    };
    let title = if sampled_trial.named { ends::titled(sampled_trial, &title) } else { title };
    (!tracks.is_empty()).then_some(Panel {
        title,
        numbers: spec.numbers,
        stacked: spec.stacked,
        tracks,
        references: Vec::new(),
    })
}

/// The resources of a panel: those on the case's path first, then those that
/// did most.
fn resources<'a>(sampled_trial: &SampledTrial<'a>, spec: &'static Spec, most: usize) -> Vec<&'a Resource> {
    let mut all: Vec<(&Resource, bool, f64)> = Vec::new();
    for series in spec.sources().flat_map(|s| found(sampled_trial, s)) {
        let sum = series.values.iter().filter(|v| v.is_finite()).map(|v| v.abs()).sum::<f64>();
        match all.iter_mut().find(|(r, _, _)| series.resource == **r) {
            Some((_, _, total)) => *total += sum,
            None => {
                all.push((&series.resource, is_on_path(sampled_trial, &series.resource), sum));
            }
        }
    }
    if !spec.sources().any(|s| s.owner.is_kind()) {
        return all.into_iter().map(|(r, _, _)| r).collect();
    }
    all.retain(|(_, _, sum)| *sum > 0.0);
    all.sort_by(|a, b| b.1.cmp(&a.1).then(b.2.total_cmp(&a.2)));
    all.truncate(most);
    all.into_iter().map(|(r, _, _)| r).collect()
}

/// Whether the data passed a resource; at the far end only its interface is known.
fn is_on_path(sampled_trial: &SampledTrial<'_>, resource: &Resource) -> bool {
    match sampled_trial.far {
        Some(far) => {
            let mut ends = sampled_trial.trial.result.loads.iter().filter(|end| end.machine == far.machine);
            let interface = ends.find_map(|end| end.facts.get(&fact::INTERFACE)).map(ToString::to_string);
            interface.is_some_and(|name| resource.named(ResourceKind::Nic) == Some(name.as_str()))
        }
        None => sampled_trial.case.path.iter().any(|p| p.resource == *resource),
    }
}

/// Whether a track says something.
fn shows(track: &Track, must_move: bool) -> bool {
    let known = track.values.iter().copied().filter(|v| v.is_finite());
    let (low, high) = known.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
    if must_move { high - low > high.abs().max(low.abs()) * MOVES_LEAST } else { low != 0.0 || high != 0.0 }
}

/// CPUs at work to shares of all of them.
fn to_shares(sampled_trial: &SampledTrial<'_>, tracks: &mut [Track]) {
    let cpus = cpus(sampled_trial);
    let idle = sampled_trial.series().find(|s| s.resource == Resource::CPUS && s.name == series::IDLE);
    let idle = idle.and_then(|s| sampled_trial.track(s, String::new(), 1.0));
    let longest = tracks.iter().map(|t| t.values.len()).max().unwrap_or(0);
    for at in 0..longest {
        let all = tracks.iter().chain(&idle).filter_map(|t| t.values.get(at)).filter(|v| v.is_finite());
        let counted: f64 = all.sum();
        for value in tracks.iter_mut().filter_map(|t| t.values.get_mut(at)) {
            *value /= counted.max(cpus);
        }
    }
}

/// How many CPUs the machine had in the case; where the inventory does not say, as many as
/// were seen at work.
fn cpus(sampled_trial: &SampledTrial<'_>) -> f64 {
    let machines = &sampled_trial.view.run.machines;
    let known = match sampled_trial.far {
        Some(far) => {
            let machine = machines.iter().find(|m| m.id == far.machine);
            machine.map_or(0, |m| m.inventory.cpu.online.len())
        }
        None => analysis::cpus_online(sampled_trial.case, machines.first()) as usize,
    };
    let seen = sampled_trial.series().filter(|s| s.resource.is_named(ResourceKind::Cpu));
    known.max(seen.map(|s| &s.resource).collect::<BTreeSet<_>>().len()).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn flat_tracks_say_nothing() {
        let track = |values: &[f64]| Track {
            name: String::new(),
            start_s: 0.0,
            interval_s: 1.0,
            values: values.to_vec(),
        };
        assert!(!shows(&track(&[0.0, 0.0, f64::NAN]), false));
        assert!(shows(&track(&[0.0, 0.1]), false) && shows(&track(&[5.0, 5.0]), false));
        assert!(!shows(&track(&[100.0, 105.0]), true) && shows(&track(&[100.0, 150.0]), true));
        assert!(!shows(&track(&[f64::NAN]), true));
    }

    #[test]
    fn each_series_stands_in_one_panel() {
        let all = || PANELS.iter().flat_map(Spec::sources).map(|s| (&s.owner, s.name));
        assert_eq!(all().count(), SOURCES.len(), "a source has no panel");
        assert!(PANELS.iter().all(|panel| panel.sources().next().is_some()));
        assert_eq!(all().collect::<HashSet<_>>().len(), SOURCES.len());
    }
}
