//! How warm the machine got, how fast its cores ran and what it drew: idle, under
//! load and cooling down. Only of cases that had an idle or a cool-down: without
//! one there is nothing to hold a load against.

use analysis::heat::{self, Clock, Heat, PowerDraw, SettledTemperature, Warming};
use model::run::CaseResult;
use model::{Resource, ResourceKind, Unit};

use super::View;
use crate::document::{Block, Column, Section, Table, Text};
use crate::format;

/// Rows of one table: the cores of a large server in a few cases.
const ROWS_MOST: usize = 240;

pub(super) fn write(view: &View<'_>) -> Section {
    let mut section = Section::new("heat", view.say("heat-title"));
    let rested = |c: &&CaseResult| {
        let profile = crate::load::profile(c);
        profile.idle_s.or(profile.cool_down_s).is_some()
    };
    let cases = view.cases().filter(rested).map(|case| (case, heat::of_case(case)));
    let cases: Vec<(&CaseResult, Heat)> = cases.filter(|(_, heat)| *heat != Heat::default()).collect();
    if cases.is_empty() {
        return section;
    }
    section.push(Block::Paragraph(view.say("heat-about").into()));
    let sensor = |(case, heat): &(&CaseResult, Heat)| {
        (view.short(case), heat.sensors.iter().map(|s| warming(view, s)).collect())
    };
    let columns =
        ["heat-sensor", "heat-idle", "heat-load", "heat-rise", "heat-peak", "heat-steady", "heat-half"];
    section.extend(table(view, &columns, cases.iter().map(sensor).collect()));
    let clocks = |(case, heat): &(&CaseResult, Heat)| {
        let own = heat.clocks.iter().filter(|c| is_busy(case, c));
        (view.short(case), own.map(|c| clock(view, c)).collect())
    };
    let columns = ["heat-clock", "heat-idle", "heat-first", "heat-last"];
    section.extend(table(view, &columns, cases.iter().map(clocks).collect()));
    let power = |(case, heat): &(&CaseResult, Heat)| {
        (view.short(case), heat.power.iter().map(|p| draw(view, p, heat)).collect())
    };
    let columns = ["heat-power", "heat-idle", "heat-load", "heat-energy"];
    section.extend(table(view, &columns, cases.iter().map(power).collect()));
    section
}

/// Rows of a case below its name, where there are several cases.
fn table(view: &View<'_>, columns: &[&str], rows: Vec<(String, Vec<Vec<String>>)>) -> Option<Block> {
    let (first, others) = columns.split_first()?;
    let mut all = vec![Column::words(view.say(first))];
    all.extend(others.iter().map(|key| Column::numbers(view.say(key))));
    let mut table = Table { caption: String::new(), columns: all, ..Table::default() };
    let several = rows.iter().filter(|(_, own)| !own.is_empty()).count() > 1;
    for (case, own) in rows.into_iter().filter(|(_, own)| !own.is_empty()) {
        if table.rows.len() + own.len() > ROWS_MOST {
            break;
        }
        if several {
            table.groups.push((table.rows.len(), case.into()));
        }
        table.rows.extend(own.into_iter().map(|row| row.into_iter().map(Text::from).collect::<Vec<_>>()));
    }
    (!table.rows.is_empty()).then(|| Block::Table(table.without_empty_columns()))
}

fn warming(view: &View<'_>, sensor: &Warming) -> Vec<String> {
    let celsius = |value: f64| format::fixed(value, 0, "\u{b0}C");
    let steady = match sensor.settled {
        Some(SettledTemperature::After(seconds)) => format::span(seconds),
        Some(SettledTemperature::NotYet) => view.say("heat-not-steady"),
        None => String::new(),
    };
    vec![
        view.resource(&sensor.resource),
        sensor.idle.map(celsius).unwrap_or_default(),
        celsius(sensor.load),
        sensor.rise().map(|rise| format!("{rise:+.0} K")).unwrap_or_default(),
        celsius(sensor.peak),
        steady,
        sensor.half_s.map(format::span).unwrap_or_default(),
    ]
}

fn clock(view: &View<'_>, clock: &Clock) -> Vec<String> {
    let hertz = |value: f64| format::setting(value, Unit::Hertz);
    vec![
        view.resource(&clock.resource),
        clock.idle.map(hertz).unwrap_or_default(),
        hertz(clock.first),
        hertz(clock.last),
    ]
}

fn draw(view: &View<'_>, zone: &PowerDraw, heat: &Heat) -> Vec<String> {
    let watts = |value: f64| format::setting(value, Unit::Watts);
    // It is that of all packages together.
    let first = heat.power.iter().find(|p| heat::is_package(&p.resource));
    let energy = heat.energy_per_operation.filter(|_| first == Some(zone));
    vec![
        view.resource(&zone.resource),
        zone.idle.map(watts).unwrap_or_default(),
        watts(zone.load),
        energy.map(|joules| format::quantity(joules, Unit::Joules)).unwrap_or_default(),
    ]
}

/// Whether a CPU is one that the load was pinned to; all are, where it was not.
fn is_busy(case: &CaseResult, clock: &Clock) -> bool {
    let placed = case.trials.iter().find_map(|t| t.result.placement.as_ref());
    let mut cpus = placed.into_iter().flat_map(|p| &p.workers).filter_map(|w| w.cpu).peekable();
    cpus.peek().is_none() || cpus.any(|cpu| clock.resource == Resource::of(ResourceKind::Cpu, cpu))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::markdown;
    use crate::page::{Subject, document};
    use model::metric;
    use model::trial::{Series, Status, Trial, TrialResult, Window};
    use model::{Resource, SeriesName};

    const S: u64 = 1_000_000_000;

    /// A run whose one case had 30 s of idle before a minute's load.
    fn run(rested: bool) -> model::Run {
        let mut run = crate::tests::run();
        let of = |resource: &str, name: &str, unit, idle: f64, load: f64| Series {
            resource: Resource::from(resource),
            name: SeriesName::intern(name).unwrap(),
            unit,
            start_ns: 100 * S,
            interval_ns: S,
            values: [[idle; 30].as_slice(), &[load; 60], &[idle; 30]].concat(),
        };
        let series = vec![
            of("sensor:coretemp/Core 0", "temperature", Unit::Celsius, 45.0, 62.0),
            of("cpu:0", "scaling_cur_freq", Unit::Hertz, 800e6, 4.7e9),
            of("power:package-0", "energy_uj", Unit::Watts, 20.0, 80.0),
        ];
        let window = Some(Window { start_ns: 130 * S, end_ns: 190 * S });
        let mut result = TrialResult { window, ..TrialResult::default() };
        result.local_mut().series = series;
        let rate = model::Quantity { value: 1000.0, unit: Unit::PerSecond };
        result.main_mut().metrics.insert(metric::IOPS, rate);
        let trial =
            Trial { order: 0, block: 0, started: String::new(), status: Status::Ok, reason: None, result };
        run.cases[0].trials = vec![trial];
        if rested {
            run.cases[0].loads.main.profile.idle_s = Some(30.0);
        }
        run
    }

    fn page(run: &model::Run) -> String {
        let words = language::Language::English.words();
        markdown::write(&document(&Subject { run, words }))
    }

    #[test]
    fn what_a_load_adds_stands_beside_what_the_machine_does_without_it() {
        let page = page(&run(true));
        for told in
            ["coretemp/Core 0", "45 \u{b0}C", "62 \u{b0}C", "+17 K", "800 MHz", "4.7 GHz", "80 W", "80.00 mJ"]
        {
            assert!(page.contains(told), "{told}: {page}");
        }
    }

    #[test]
    fn a_run_without_a_rest_has_no_such_section() {
        assert!(page(&run(true)).contains("Temperature, clock and power"));
        assert!(!page(&run(false)).contains("Temperature, clock and power"));
    }
}
