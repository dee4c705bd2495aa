//! What is said of perturbed trials, on effects that are made.

use model::resource::PathStep;
use model::study::Pin;
use model::trial::{Placement, WorkerPlace};
use model::{ParameterName, ResourceKind};
use stats::response::Response;

use super::*;
use crate::validity::fixture;

fn tried(step: ProofStep, response: Response) -> Tried {
    let effect = ProofEffect {
        step,
        resource: None,
        machine: None,
        setting: None,
        parameter: None,
        from: None,
        to: None,
        taken: Some(0.1),
        idle: None,
        in_proportion: None,
        effect: 0.0,
        low: 0.0,
        high: 0.0,
        trials: 5,
    };
    Tried { effect, response, little: false, otherwise: false }
}

#[test]
fn what_moves_as_much_as_was_taken_is_proved_and_what_stays_is_refuted() {
    use Response::{Exceeds, Follows, Open, Stays};
    let named = |response| tried(ProofStep::Named, response);
    let other = |response| tried(ProofStep::Other, response);
    let slices = |effect| {
        let mut slices = tried(ProofStep::Other, Follows);
        (slices.effect.resource, slices.effect.effect) = (Some(Resource::of_cpus(&[0])), effect);
        slices
    };
    let idles = |share, response| {
        let mut slices = named(response);
        slices.effect.idle = Some(share);
        slices
    };
    let not = |why| (ProofOutcome::Unproved, Some(why));
    for (effects, said) in [
        (vec![named(Follows), other(Stays)], (ProofOutcome::Proved, None)),
        (vec![named(Follows)], (ProofOutcome::Proved, None)),
        (vec![named(Stays), other(Follows)], (ProofOutcome::Refuted, None)),
        // Both moved: nobody knows which it was.
        (vec![named(Follows), other(Follows)], not(UnprovedReason::Both)),
        // Slices of a processor take nothing else, and a load beside it takes processor time.
        (vec![named(Follows), slices(-0.096)], (ProofOutcome::Refuted, None)),
        (vec![named(Follows), slices(-0.06)], not(UnprovedReason::Both)),
        (vec![named(Open), slices(-0.096)], (ProofOutcome::Refuted, None)),
        // Too little is known.
        (vec![named(Open), slices(-0.06)], not(UnprovedReason::Noisy)),
        (vec![named(Open), other(Stays)], not(UnprovedReason::Noisy)),
        (vec![named(Follows), other(Open)], not(UnprovedReason::Noisy)),
        // It fell by far more than was taken.
        (vec![named(Exceeds), other(Stays)], not(UnprovedReason::Exceeds)),
        (vec![Tried { little: true, ..named(Stays) }], not(UnprovedReason::Little)),
        (vec![Tried { otherwise: true, ..named(Stays) }], not(UnprovedReason::Otherwise)),
        // A CPU that is idle for half of the time is not full, whatever its slices delay.
        (vec![idles(0.6, Follows), other(Open)], (ProofOutcome::Refuted, None)),
        (vec![idles(0.1, Follows), other(Stays)], (ProofOutcome::Proved, None)),
    ] {
        assert_eq!(judge(&effects), said, "{effects:?}");
    }
}

/// Bug: twice the threads proved that a disk's one thread was held back by its processor.
#[test]
fn more_under_way_proves_a_wait_and_no_processor() {
    let relief = |response| tried(ProofStep::Relief, response);
    assert_eq!(judge(&[relief(Response::Exceeds)]).0, ProofOutcome::Proved);
    assert_eq!(judge(&[relief(Response::Stays)]).0, ProofOutcome::Refuted);
    let named = tried(ProofStep::Named, Response::Stays);
    assert_eq!(judge(&[named, relief(Response::Exceeds)]).0, ProofOutcome::Refuted);
    // A window that the kernel did not grant was not given.
    let little = Tried { little: true, ..relief(Response::Stays) };
    assert_eq!(judge(&[little]), (ProofOutcome::Unproved, Some(UnprovedReason::Little)));
}

#[test]
fn a_limit_of_ours_that_is_raised_decides_before_all_else() {
    let raised = |response| {
        let mut raised = tried(ProofStep::Relief, response);
        raised.effect.setting = Some("a-rate".to_owned());
        raised
    };
    let named = |response| tried(ProofStep::Named, response);
    assert_eq!(judge(&[named(Response::Open), raised(Response::Follows)]).0, ProofOutcome::Proved);
    assert_eq!(judge(&[named(Response::Follows), raised(Response::Stays)]).0, ProofOutcome::Refuted);
    let open = judge(&[named(Response::Follows), raised(Response::Open)]).0;
    assert_eq!(open, ProofOutcome::Proved, "what is known of the other");
}

#[test]
fn threads_that_are_not_missed_prove_what_they_share() {
    let rival = |response| judge(&[tried(ProofStep::Rival, response)]).0;
    assert_eq!(rival(Response::Stays), ProofOutcome::Proved);
    assert_eq!(rival(Response::Follows), ProofOutcome::Refuted);
    assert_eq!(rival(Response::Open), ProofOutcome::Unproved);
}

/// A run of a disk case with one thread on the first of two CPUs, whose verdict is `code`.
fn run_of(code: &str) -> Run {
    let mut case = crate::bottleneck::tests::disk(32, 70_000.0, 450.0, 7.0);
    case.path = vec![PathStep { resource: Resource::from("block:vda"), amplification: 1.0 }];
    // Those of parameters that are set: a closed loop has no rate.
    let aspects = [("queue-depth", Aspect::Depth), ("threads", Aspect::Workers)];
    fixture::set(&mut case, "threads", 1u64);
    case.loads.main.profile.aspects =
        aspects.into_iter().map(|(name, aspect)| (ParameterName::intern(name).unwrap(), aspect)).collect();
    for trial in &mut case.trials {
        let workers = vec![WorkerPlace { load: 0, cpu: Some(0) }];
        let interrupts = Vec::new();
        trial.result.placement =
            Some(Placement { asked: Pin::Spread, policy: Pin::Spread, reason: None, workers, interrupts });
    }
    case.findings = vec![Finding::new(FindingKind::Bottleneck, code, Severity::Note)];
    let mut run = crate::comparison::tests::run("a", &[], vec![case]);
    run.machines = vec![crate::bottleneck::tests::machine()];
    run
}

/// What is tried, in words.
fn tries(run: &Run, named: Option<&str>) -> Result<Vec<String>, &'static str> {
    let holds = |name: &str| (name == "a-cap").then_some(ResourceKind::Block);
    let said = |one: Perturbation| {
        let how = match one.how {
            PerturbationKind::Cpu(take) if take.of_group => format!("group {:?}", take.cpus),
            PerturbationKind::Cpu(take) => format!("cpu {:?}", take.cpus),
            PerturbationKind::Company(says) => {
                format!("company {:?}", says.iter().map(|(aspect, _)| *aspect).next_back().unwrap())
            }
            PerturbationKind::Level { parameter, value } => format!("{parameter}={value}"),
            PerturbationKind::Settings(all) => format!("{all:?}"),
        };
        format!("{:?} {how}", one.step)
    };
    perturbations(run, 0, named, &holds).map(|all| all.into_iter().map(said).collect())
}

#[test]
fn what_is_named_is_taken_and_what_is_not() {
    let of = |code: &str| tries(&run_of(code), None);
    let words = |all: &[&str]| Ok(all.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
    assert_eq!(of("device-full"), words(&["Named company Rate", "Other cpu [0]"]));
    assert_eq!(of("one-core-full"), words(&["Named cpu [0]", "Other company Rate", "Relief threads=2"]));
    // On the CPU without workers: only the quota is taken.
    assert_eq!(of("cpu-quota"), words(&["Named group [1]"]));
    assert_eq!(of("latency-bound"), words(&["Relief queue-depth=64"]));
    for code in ["scheduler-bound", "memory-latency", "loss-bound", "credits-used-up", "cannot-tell"] {
        assert_eq!(of(code), Err("nothing"), "{code}");
    }
    // A planted verdict is tried as if it had been found.
    assert_eq!(tries(&run_of("device-full"), Some("cpu-quota")), words(&["Named group [1]"]));
}

/// Where a quota stops us, what we compute to take of a CPU is taken of the quota.
#[test]
fn a_quota_is_not_taken_for_a_processor() {
    for code in ["one-core-full", "own-cores-full"] {
        assert_eq!(tries(&run_of("cpu-quota"), Some(code)), Err("nothing"), "{code}");
    }
}

#[test]
fn others_are_left_alone() {
    let mut run = run_of("own-cores-full");
    let others = |code: &str| Finding::new(FindingKind::Validity, code, Severity::Warning);
    run.cases[0].findings.push(others("disturbed-by-others"));
    assert_eq!(tries(&run, None), Err("others"));
    let mut run = run_of("device-full");
    run.cases[0].findings.push(others("others-use-the-device"));
    assert_eq!(tries(&run, None), Err("others"));
}

#[test]
fn a_throttle_of_ours_is_raised_and_a_device_is_not_taken_for_one() {
    let set = |code: &str| {
        let mut run = run_of(code);
        let mut change = model::setting::Change::new("a-cap", Value::from(1000u64));
        change.resource = Some("vda".to_owned());
        let state = model::setting::SettingState::asked(&change, model::Unit::PerSecond);
        run.cases[0].settings.insert(change.key(), vec![state]);
        tries(&run, None).unwrap()
    };
    assert_eq!(set("io-quota").last().unwrap(), "Relief [(\"a-cap@vda\", Integer(1250))]");
    assert!(set("device-full").iter().all(|one| !one.contains("a-cap")));
}

/// Bug: a companion within a sender's quota left it less time and the stream faster, for the sender
/// woke up elsewhere and spent half as long on each byte; the quota was refuted.
#[test]
fn work_that_takes_half_the_time_is_done_in_another_way() {
    let case = |cpu_us: f64| crate::bottleneck::tests::disk(1, 10_000.0, 100.0, cpu_us);
    assert!(is_otherwise(&case(10.0), &case(5.0), false));
    assert!(is_otherwise(&case(10.0), &case(20.0), false));
    assert!(!is_otherwise(&case(10.0), &case(12.0), false));
    // Nobody knows of the other end.
    assert!(!is_otherwise(&case(10.0), &case(5.0), true));
}

/// Bug: a thread that fills one of many CPUs, wherever it is put, leaves them idle, and was refuted.
#[test]
fn cpus_are_idle_where_the_threads_that_may_run_on_them_are_too() {
    let idle_of = |cpu_us: f64| {
        // 10,000 a second, so that this much of a CPU.
        let mut case = crate::bottleneck::tests::disk(1, 10_000.0, 100.0, cpu_us);
        for trial in &mut case.trials {
            let each = model::Quantity { value: cpu_us / 1e6, unit: model::Unit::Seconds };
            trial.result.main_mut().metrics.insert(metric::CPU_PER_OPERATION, each);
            let of = |cpu: u32| fixture::counter(format!("cpu:{cpu}"), "/proc/stat idle", 0.01, 80);
            trial.result.local_mut().counters = vec![of(0), of(1), of(2)];
        }
        let take = model::search::CpuTake { cpus: vec![0, 1, 2], share: 0.1, far: false, of_group: false };
        idle(&case, &take, crate::measure::End::Drives).unwrap()
    };
    assert!((idle_of(97.0) - 0.03).abs() < 0.02, "{}", idle_of(97.0));
    assert!((idle_of(30.0) - 0.7).abs() < 0.02, "{}", idle_of(30.0));
    // No idler than its CPUs.
    assert!((idle_of(2.0) - 0.8).abs() < 0.02, "{}", idle_of(2.0));
}
