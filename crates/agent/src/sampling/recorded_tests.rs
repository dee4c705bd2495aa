//! Recorded machines through idle, a load and a cool-down: what the samplers read
//! of them becomes series, and the series findings.

use machine::{Host, inventory};
use std::path::Path;

use analysis::{Context, RULES};
use engine::placement::{LoadPlace, PlacementInput, cores_first, place_around};
use machine::sampler::{self, Scope};
use model::machine::{Inventory, Machine};
use model::run::CaseResult;
use model::study::{Controls, Pin};
use model::trial::{Placement, Status, Trial, TrialResult, Window, WorkerPlace};
use model::{Finding, ParameterName, Parameters, WorkloadName};

use super::track::SampleBuffer;

const S: u64 = 1_000_000_000;
/// Idle until then, load until then, cool-down until then, s.
const PHASES: [u64; 3] = [30, 90, 120];
/// How far apart frames are, s.
const STEP: u64 = 5;

fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../tests/hosts/{name}.host"));
    std::fs::read_to_string(path).unwrap()
}

/// The machine with other numbers in some of its files.
fn with(text: &str, numbers: &[(&str, u64)]) -> Host {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for (path, number) in numbers {
        let head = format!("==> {path}");
        let at = lines.iter().position(|l| *l == head).unwrap_or_else(|| panic!("there is no {path}"));
        lines[at + 1] = number.to_string();
    }
    Host::parse(&(lines.join("\n") + "\n"))
}

/// A trial of the machine, whose files hold what `at` says at each second.
fn trial(text: &str, at: impl Fn(u64) -> Vec<(&'static str, u64)>) -> Trial {
    let scope = Scope::of(&inventory::describe(&Host::parse(text)), &Host::parse(text)).and_cores(true);
    let [idle_s, load_s, end_s] = PHASES;
    let window = Window { start_ns: (1000 + idle_s) * S, end_ns: (1000 + load_s) * S };
    let mut track = SampleBuffer::new(sampler::open_all(&with(text, &at(0)), &scope));
    track.start(1000 * S, STEP * S);
    track.rests();
    for second in (0..=end_s).step_by(STEP as usize) {
        if second == idle_s {
            track.open_window(window.start_ns, STEP * S);
        }
        track.take((1000 + second) * S, sampler::open_all(&with(text, &at(second)), &scope));
    }
    let mut result = TrialResult { window: Some(window), ..TrialResult::default() };
    (result.local_mut().series, result.local_mut().counters) = (track.series(), track.counters(window));
    Trial { order: 0, block: 0, started: String::new(), status: Status::Ok, reason: None, result }
}

/// Pins so many workers as a trial would, or to these CPUs.
fn pinned(inventory: &Inventory, workers: Result<Vec<u32>, usize>) -> Placement {
    let input = PlacementInput { allowed: cores_first(&inventory.cpu), local: Vec::new() };
    let place = workers.map_or_else(LoadPlace::Anywhere, LoadPlace::Own);
    let decision = place_around(Pin::Spread, &[place], &input);
    let workers = decision.cpus.into_iter().map(|cpu| WorkerPlace { load: 0, cpu }).collect();
    Placement { asked: Pin::Auto, policy: Pin::Spread, reason: None, workers, interrupts: Vec::new() }
}

/// All findings about one trial of `cpu.primes` with an idle.
fn findings(text: &str, mut trial: Trial, workers: Result<Vec<u32>, usize>) -> Vec<Finding> {
    let machine = Machine { inventory: inventory::describe(&Host::parse(text)), ..Machine::default() };
    let mut parameters = Parameters::default();
    let count = workers.as_ref().map_or_else(|n| *n, Vec::len);
    parameters.set(ParameterName::new("threads"), count as u64);
    parameters.set(ParameterName::new("idle"), PHASES[0] as f64);
    trial.result.placement = Some(pinned(&machine.inventory, workers));
    let mut case = CaseResult { trials: vec![trial], ..CaseResult::default() };
    case.loads.main.profile = import::v1::profile(WorkloadName::new("cpu.primes"), &parameters);
    (case.loads.main.workload, case.loads.main.parameters) = (WorkloadName::new("cpu.primes"), parameters);
    let controls = Controls::default();
    let siblings = &analysis::Siblings::of(std::slice::from_ref(&case));
    let context =
        Context { controls: &controls, headline: None, machine: Some(&machine), expect: None, siblings };
    let mut found: Vec<Finding> = RULES.iter().flat_map(|rule| rule.look(&case, &context)).collect();
    analysis::write_english(&mut found);
    found
}

fn said<'a>(findings: &'a [Finding], code: &str) -> Option<&'a str> {
    findings.iter().find(|f| f.code == code).map(|f| f.text.as_str())
}

/// Warms to a quarter of the way in each step of the load.
fn warmed(second: u64, idle: u64, rise: u64) -> u64 {
    let [begin, end, _] = PHASES;
    let steps = second.clamp(begin, end) - begin;
    let left = 0.75f64.powi((steps / STEP) as i32);
    let warm = rise as f64 * (1.0 - left);
    let cooled = 0.6f64.powi((second.saturating_sub(end) / STEP) as i32);
    idle + (warm * cooled) as u64
}

const CORE: &str = "/sys/devices/platform/coretemp.0/hwmon/hwmon1/temp2_input";
const CLOCK: &str = "/sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq";
const THROTTLE: &str = "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count";

#[test]
fn a_server_with_sensors_tells_how_its_load_warmed_slowed_and_throttled_it() {
    let text = text("study-a");
    let quiet = |_| vec![];
    let all = findings(&text, trial(&text, quiet), Err(1));
    for code in ["slowed-down", "throttled"] {
        assert_eq!(said(&all, code), None, "{all:#?}");
    }
    let loaded = |second| {
        let busy = second > PHASES[0] && second <= PHASES[1];
        let clock = if !busy {
            800_000
        } else if second < 60 {
            4_700_000
        } else {
            3_900_000
        };
        vec![(CORE, warmed(second, 34_000, 20_000)), (CLOCK, clock), (THROTTLE, second.saturating_sub(70))]
    };
    let all = findings(&text, trial(&text, loaded), Err(1));
    let heat = said(&all, "temperature").unwrap();
    assert!(heat.starts_with("coretemp/Core 0 rose by 19 K to 53 \u{b0}C, steady after 3"), "{heat}");
    let sensors = all.iter().find(|f| f.code == "temperature").unwrap();
    assert!(sensors.evidence.len() > 4, "every core is told: {sensors:#?}");
    assert!(said(&all, "slowed-down").unwrap().contains("from 4.7 GHz to 3.9 GHz"), "{all:#?}");
    assert!(
        said(&all, "throttled").unwrap().starts_with("CPU 0 slowed itself down in 1 of 1 trials for heat")
    );
}

const ENERGY: &str = "/sys/devices/virtual/powercap/intel-rapl/intel-rapl:0/energy_uj";

#[test]
fn a_server_of_two_sockets_tells_of_siblings_nodes_and_power() {
    let text = text("two-socket-nvme");
    // 40 W idle and 200 W under load.
    let drawn = |second: u64| {
        let busy = second.clamp(PHASES[0], PHASES[1]) - PHASES[0];
        vec![(ENERGY, (second * 40 + busy * 160) * 1_000_000)]
    };
    let trial = trial(&text, drawn);
    let heat = analysis::heat::of_trial(&trial, Some(PHASES[0] as f64));
    let package = heat.power.iter().find(|p| p.resource.as_str() == "power:package-0").unwrap();
    assert_eq!((package.idle, package.load), (Some(40.0), 200.0));

    let on = |workers| {
        let mut trial = trial.clone();
        trial.result.main_mut().facts.insert(model::fact::MEMORY_NODE, 0u64.into());
        findings(&text, trial, workers)
    };
    // CPUs of both packages are numbered in turn: node 0 has the even ones.
    assert_eq!(said(&on(Err(1)), "numa-remote"), None);
    let remote = on(Ok(vec![1]));
    assert!(
        said(&remote, "numa-remote").unwrap().contains("node 1 and their memory lies on node 0 (distance 20")
    );
    assert_eq!(said(&on(Err(32)), "smt-shared"), None, "every core has one");
    let all = on(Err(33));
    assert!(
        said(&all, "smt-shared")
            .unwrap()
            .starts_with("1 core ran two threads of the load, such as CPUs 0 and 32")
    );
    let mistake = on(Ok(vec![0, 32]));
    assert!(said(&mistake, "smt-shared").unwrap().ends_with("while 31 cores had none"), "{mistake:#?}");
    assert!(
        said(&on(Err(80)), "more-threads-than-cores")
            .unwrap()
            .starts_with("80 threads take turns on 64 CPUs")
    );
    assert!(said(&on(Err(1)), "more-threads-than-cores").is_none());
}
