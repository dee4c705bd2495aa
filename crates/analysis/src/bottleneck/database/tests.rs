//! Each thing that may hold a load on a database back, and a load that is like it and is not held back by it.

use model::database::{fact as facts, metric as names};
use model::machine::CpuPlace;
use model::profile::{
    Arrival, Aspect, ClassName, Concurrency, Flow, FlowUnit, OperationClass, Peer, WaitsFor,
};
use model::resource::PathStep;
use model::run::CaseResult;
use model::trial::Window;
use model::{
    Better, FactName, Finding, MetricName, ParameterName, Quantity, Resource, ResourceKind, Unit, Value,
    fact, metric,
};

use crate::bottleneck::tests::{machine, verdict, verdict_on};
use crate::validity::fixture;

mod of_clients;
mod of_reads;

/// Transactions of 20 statements, 1,000 a second, by so many clients whose threads use so much CPU: one thread for all on
/// a server, one each for SQLite.
struct Load {
    clients: u64,
    cpu: f64,
    is_served: bool,
    metrics: Vec<(MetricName, f64)>,
    facts: Vec<(FactName, Value)>,
}

const RATE: f64 = 1000.0;
const STATEMENTS: f64 = 20.0;

impl Load {
    fn served(clients: u64, cpu: f64) -> Self {
        Self { clients, cpu, is_served: true, metrics: Vec::new(), facts: Vec::new() }
    }

    /// One on SQLite, whose clients wait for no lock.
    fn library(clients: u64, cpu: f64, committing: f64) -> Self {
        let load = Self { is_served: false, ..Self::served(clients, cpu) };
        load.with(names::CLIENTS_WAITING_FOR_LOCKS, 0.0)
            .with(names::CLIENTS_COMMITTING, committing)
            .knowing(facts::SYNCHRONOUS, "full")
    }

    fn with(mut self, name: MetricName, value: f64) -> Self {
        self.metrics.retain(|(known, _)| *known != name);
        self.metrics.push((name, value));
        self
    }

    fn knowing(mut self, name: FactName, value: impl Into<Value>) -> Self {
        self.facts.push((name, value.into()));
        self
    }

    fn case(self) -> CaseResult {
        let mut case = fixture::case(1);
        let class = OperationClass::Other(ClassName::new("transaction"));
        let profile = &mut case.loads.main.profile;
        profile.flows = vec![Flow::only(class, FlowUnit::Operations)];
        profile.peer = self.is_served.then_some(Peer::AnotherProgram);
        profile.waits_for = [WaitsFor::Peer, WaitsFor::Flush, WaitsFor::Lock].into();
        let workers = if self.is_served { 1 } else { self.clients };
        profile.concurrency = Concurrency { workers, operations: self.clients, ..Concurrency::default() };
        profile.aspects = [
            (ParameterName::new("clients"), Aspect::Streams),
            (ParameterName::new("threads"), Aspect::Workers),
        ]
        .into();
        let estimate = fixture::estimate(RATE, Unit::PerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::TRANSACTIONS_PER_SECOND, estimate);
        let result = &mut case.trials[0].result;
        result.window = Some(Window { start_ns: 0, end_ns: 1_000_000_000 });
        let main = result.main_mut();
        let measured = [
            (metric::TRANSACTIONS_PER_SECOND, RATE),
            (names::QUERIES_PER_SECOND, RATE * STATEMENTS),
            (metric::CPU_PER_OPERATION, self.cpu / RATE),
        ];
        for (name, value) in measured.into_iter().chain(self.metrics) {
            main.metrics.insert(name, Quantity { value, unit: Unit::One });
        }
        main.facts = self.facts.into_iter().collect();
        // Little's law.
        let mut latency = stats::histogram::new_latency();
        latency.record((self.clients as f64 / RATE * 1e9) as u64).unwrap();
        main.histograms.insert(metric::LATENCY, stats::histogram::encode(&latency).unwrap());
        case
    }

    /// With the database on a device that has these counters.
    fn on_device(self, all: &[(&str, f64, u64)]) -> CaseResult {
        let mut case = self.case();
        let resource = Resource::of(ResourceKind::Block, "sda");
        case.path = vec![PathStep { resource, amplification: 1.0 }];
        let counters = &mut case.trials[0].result.local_mut().counters;
        for (name, scale, steps) in all {
            let source = format!("/proc/diskstats {name}");
            counters.push(fixture::counter("block:sda", &source, *scale, *steps));
        }
        case
    }

    /// On a machine whose two CPUs are busy for these hundredths of the second.
    fn on_busy(self, hundredths: u64) -> CaseResult {
        let mut case = self.case();
        let counters = &mut case.trials[0].result.local_mut().counters;
        for (cpu, cpus) in [("cpu", 2), ("cpu:0", 1), ("cpu:1", 1)] {
            for (name, ticks) in [("user", hundredths), ("idle", 100 - hundredths)] {
                counters.push(fixture::counter(cpu, &format!("/proc/stat {name}"), 0.01, cpus * ticks));
            }
        }
        case
    }

    fn verdict(self) -> Finding {
        verdict(&[self.case()])
    }

    fn code(self) -> String {
        self.verdict().code
    }
}

fn said(finding: &Finding, name: &str) -> String {
    finding.args.get(name).map(ToString::to_string).unwrap_or_default()
}

#[test]
fn of_ends_that_fill_all_cpus_together_the_one_that_uses_more_is_named() {
    let with = |clients: f64, server: f64, hundredths: u64| {
        let load = Load::served(16, clients).with(names::SERVER_CPU, server);
        let found = verdict(&[load.on_busy(hundredths)]);
        (found.code.clone(), said(&found, "how"))
    };
    let is = |code: &str, how: &str| (code.to_owned(), how.to_owned());
    assert_eq!(with(0.6, 1.3, 98), is("server-cpu-bound", "shared"));
    assert_eq!(with(0.9, 0.8, 98), is("client-bound", "shared"));
    assert_eq!(with(0.6, 1.2, 90), is("server-cpu-bound", "shared"), "more clients than CPUs");
    assert_eq!(with(0.5, 1.1, 80).0, "cannot-tell", "CPUs idle");
    assert_eq!(with(0.3, 0.6, 98).0, "cannot-tell", "others compute there");
}

#[test]
fn other_programs_that_fill_all_cpus_are_told_where_clients_stand_ready() {
    let with = |server: f64, ready: f64| {
        let load = Load::served(16, 0.2).with(names::SERVER_CPU, server).knowing(fact::RUN_DELAY, ready);
        verdict(&[load.knowing(facts::SERVER_IS_HERE, true).on_busy(98)])
    };
    let found = with(0.5, 0.4);
    assert_eq!(found.code, "all-cores-full");
    assert!(found.text.contains("part of it with other programs"), "{}", found.text);
    assert_eq!(with(0.5, 0.1).code, "cannot-tell", "nobody waits for a CPU");
    assert_eq!(with(1.5, 0.4).code, "server-cpu-bound", "it is the server that fills them");
    let hidden = Load::served(16, 0.2).knowing(fact::RUN_DELAY, 0.4).knowing(facts::SERVER_IS_HERE, true);
    assert_eq!(verdict(&[hidden.on_busy(98)]).code, "cannot-tell", "it may be the server that fills them");
}

/// Bug: of a server that waits for a CPU among other programs only its own time was spoken of.
#[test]
fn cpus_that_others_fill_stand_beside_a_server_that_is_here() {
    let with = |hundredths: u64| {
        let load = Load::served(1, 0.1).with(names::SERVER_CPU, 0.1).knowing(facts::ROUND_TRIP, 10e-6);
        let found = verdict(&[load.knowing(facts::SERVER_IS_HERE, true).on_busy(hundredths)]);
        assert_eq!(found.code, "server-bound");
        found.evidence.iter().any(|one| one.beside && one.code == "busy")
    };
    assert!(with(98) && !with(60));
}

/// Bug: where clients may run on some of the CPUs only, all of them were said to be threads of those.
#[test]
fn all_cpus_are_threads_of_the_cores_that_all_of_them_have() {
    let on = |cores: [u32; 2]| {
        let mut machine = machine();
        let place = |(cpu, core): (u32, u32)| CpuPlace { cpu, core, ..CpuPlace::default() };
        machine.inventory.cpu.topology = (0..).zip(cores).map(place).collect();
        (machine.inventory.cpu.online, machine.inventory.cpu.allowed) = (vec![0, 1], vec![1]);
        let load = Load::served(16, 0.2).with(names::SERVER_CPU, 0.5).knowing(fact::RUN_DELAY, 0.4);
        let found = verdict_on(&machine, &[load.knowing(facts::SERVER_IS_HERE, true).on_busy(98)]);
        assert_eq!(found.code, "all-cores-full");
        found.text
    };
    assert!(on([0, 1]).starts_with("all 2 CPUs are busy"), "{}", on([0, 1]));
    assert!(on([0, 0]).starts_with("all 2 CPUs, threads of one core, are busy"), "{}", on([0, 0]));
}

#[test]
fn a_server_that_uses_all_its_cpus_or_computes_most_of_the_time_is_full() {
    let all = |used: f64| {
        Load::served(50, 0.5).with(names::SERVER_CPU, used).knowing(facts::SERVER_CPUS, 4.0).verdict()
    };
    let found = all(3.9);
    assert_eq!((found.code.as_str(), said(&found, "how").as_str()), ("server-cpu-bound", "cpus"));
    assert!(found.text.contains("uses 3.90 of the 4 CPUs that it may"), "{}", found.text);
    assert_eq!(all(3.5).code, "server-cpu-bound", "more clients than CPUs wait for them");
    assert_eq!(all(3.2).code, "cannot-tell");
    let found = Load::served(1, 0.2).with(names::SERVER_CPU, 0.6).verdict();
    assert_eq!((found.code.as_str(), said(&found, "how").as_str()), ("server-cpu-bound", "turns"));
    assert!(found.advice.as_ref().unwrap().contains("more --clients can use more CPUs"), "{found:?}");
}

/// Bug: a server that its control group holds to a fifth of a CPU was said to spend the time by itself.
#[test]
fn a_server_that_uses_up_a_quota_of_its_group_is_held_by_that() {
    let with = |used: f64| {
        let load = Load::served(8, 0.1).with(names::SERVER_CPU, used).knowing(facts::SERVER_CPUS, 2.0);
        load.knowing(facts::SERVER_CPU_QUOTA, 0.2).knowing(facts::ROUND_TRIP, 10e-6).verdict()
    };
    let found = with(0.19);
    assert_eq!((found.code.as_str(), said(&found, "how").as_str()), ("server-cpu-bound", "quota"));
    assert!(found.text.contains("uses 0.19 of the 0.20 CPUs that the quota"), "{}", found.text);
    assert!(found.advice.as_ref().unwrap().contains("raise the quota"), "{found:?}");
    assert_eq!(with(0.1).code, "server-bound");
}

#[test]
fn of_a_server_that_is_not_seen_nothing_is_said_of_its_processors() {
    let found = Load::served(8, 0.2).knowing(facts::SERVER_IS_HERE, false).verdict();
    assert_eq!(found.code, "cannot-tell");
    assert!(found.text.contains("its processors are not seen"), "{}", found.text);
    let found = Load::served(8, 0.2).knowing(facts::SERVER_IS_HERE, true).verdict();
    assert!(found.text.contains("its processes were not found"), "{}", found.text);
}

#[test]
fn sqlite_computes_in_the_threads_of_its_clients() {
    let found = Load::library(1, 0.7, 0.1).verdict();
    assert_eq!((found.code.as_str(), said(&found, "engine").as_str()), ("server-cpu-bound", "library"));
    let advice = found.advice.unwrap();
    assert!(advice.contains("more --clients") && !advice.contains("--threads"), "{advice}");
    let full = Load::library(4, 1.95, 0.1).verdict();
    assert_eq!((full.code.as_str(), said(&full, "how").as_str()), ("server-cpu-bound", "cpus"));
}

#[test]
fn clients_that_wait_for_locks_most_of_the_time_are_held_back_by_them() {
    let waiting = |clients: f64| {
        let load = Load::served(8, 0.2).with(names::SERVER_CPU, 0.5);
        load.with(names::CLIENTS_WAITING_FOR_LOCKS, clients).verdict()
    };
    let found = waiting(6.0);
    assert_eq!(found.code, "lock-bound");
    assert!(found.text.contains("8 clients wait 75 % of the time"), "{}", found.text);
    let found = waiting(1.0);
    assert_eq!(found.code, "cannot-tell");
    assert!(found.ruled_out.iter().any(|evidence| evidence.code == "lock-wait"), "{found:?}");
    let sleeping = Load::library(4, 0.8, 0.1).with(names::CLIENTS_WAITING_FOR_LOCKS, 2.5).verdict();
    assert_eq!(sleeping.code, "lock-bound");
    assert!(sleeping.advice.unwrap().contains("one writer at a time: fewer --clients"));
}

/// Bug: of clients that wait for two things, neither of which takes half of their time, both were ruled out.
#[test]
fn the_longest_wait_is_told_where_none_takes_half_of_the_time() {
    let load = Load::served(8, 0.2).with(names::SERVER_CPU, 0.5).with(names::CLIENTS_WAITING_FOR_READS, 2.5);
    let found = load.with(names::CLIENTS_WAITING_FOR_LOCKS, 3.0).verdict();
    assert_eq!(found.code, "cannot-tell");
    let beside = |code: &str| found.evidence.iter().any(|one| one.beside && one.code == code);
    assert!(beside("lock-wait") && !beside("read-wait"), "{found:?}");
    assert!(found.ruled_out.iter().all(|one| one.code != "lock-wait"), "{found:?}");
}

#[test]
fn work_that_is_undone_as_often_as_it_is_kept_is_lost_to_conflicts() {
    let with = |again: f64| {
        let load = Load::served(8, 0.2).with(names::SERVER_CPU, 0.5);
        load.with(names::RETRIES_PER_SECOND, again).verdict()
    };
    let found = with(3000.0);
    assert_eq!((found.code.as_str(), said(&found, "how").as_str()), ("lock-bound", "conflicts"));
    assert!(found.text.contains("75 %"), "{}", found.text);
    assert_eq!(with(300.0).code, "cannot-tell");
}

#[test]
fn clients_that_wait_for_flushes_are_held_back_by_the_log() {
    let with = |waiting: f64, flushes: f64| {
        Load::served(8, 0.2)
            .with(names::SERVER_CPU, 0.5)
            .with(names::CLIENTS_WAITING_FOR_LOG, waiting)
            .with(names::SERVER_FLUSHES_PER_SECOND, flushes)
            .knowing(facts::INNODB_FLUSH_LOG_AT_TRX_COMMIT, "1")
    };
    let found = with(6.0, 250.0).verdict();
    assert_eq!(found.code, "log-flush-bound");
    assert!(found.text.contains("a flush stands for 4.0 transactions"), "{}", found.text);
    assert!(found.advice.as_ref().unwrap().contains("innodb_flush_log_at_trx_commit=2"), "{found:?}");
    assert!(found.evidence.iter().any(|evidence| evidence.code == "setting"), "{found:?}");
    assert_eq!(with(3.0, 250.0).code(), "cannot-tell");
    // One flush a second is waited for by nobody.
    for flushes in [1.0, 0.0] {
        let found = with(6.0, flushes).verdict();
        assert_eq!(found.code, "cannot-tell");
        assert!(found.ruled_out.iter().any(|evidence| evidence.code == "log-unwaited"), "{found:?}");
    }
    let mut only_reads = with(6.0, 250.0).case();
    only_reads.loads.main.profile.waits_for.remove(&WaitsFor::Flush);
    assert_eq!(verdict(&[only_reads]).code, "cannot-tell");
}

#[test]
fn what_the_device_takes_for_a_flush_stands_beside_it() {
    let counted = [("flushes", 1.0, 500), ("flush_ms", 1e-3, 1000)];
    let found = verdict(&[Load::library(1, 0.1, 0.85).on_device(&counted)]);
    assert_eq!(found.code, "log-flush-bound");
    assert_eq!(found.args["flush_s"], Value::Number(0.002));
}

/// Bug: of a log whose flushes wait for what others write to the device nothing was said but that they are slow.
#[test]
fn what_the_device_moves_for_each_transaction_stands_beside_its_flushes() {
    let with = |sectors: u64| {
        let counted = [("read_sectors", 512.0, 0), ("written_sectors", 512.0, sectors)];
        let found = verdict(&[Load::library(1, 0.1, 0.85).on_device(&counted)]);
        assert_eq!(found.code, "log-flush-bound");
        found.evidence.into_iter().find(|one| one.beside && one.code == "device-work")
    };
    let told = with(1_000_000).and_then(|one| one.text).unwrap_or_default();
    assert!(told.contains("512 MB/s, 500 KiB for each transaction"), "{told}");
    assert_eq!(with(60_000), None);
}

#[test]
fn what_sqlite_waits_for_is_told_by_when() {
    let found = Load::library(1, 0.2, 0.9).verdict();
    assert_eq!(found.code, "log-flush-bound");
    assert!(found.text.contains("waits 80 % of its time"), "what commits also computes: {}", found.text);
    assert!(found.advice.unwrap().contains("--synchronous normal"));
    let found = Load::library(1, 0.2, 0.1).verdict();
    assert_eq!(found.code, "page-read-bound");
    assert!(found.advice.unwrap().contains("--cache-size"));
    assert_eq!(Load::library(1, 0.4, 0.3).code(), "cannot-tell", "neither is half of it");
    // It stands ready without a CPU.
    let ready = Load::library(1, 0.2, 0.9).knowing(fact::RUN_DELAY, 0.5);
    assert_eq!(ready.code(), "cannot-tell");
}

#[test]
fn sessions_that_read_pages_say_so() {
    let with = |reading: f64| {
        let load = Load::served(8, 0.2).with(names::SERVER_CPU, 0.5);
        load.with(names::CLIENTS_WAITING_FOR_READS, reading).code()
    };
    assert_eq!((with(5.0).as_str(), with(3.0).as_str()), ("page-read-bound", "cannot-tell"));
}

#[test]
fn of_a_server_that_says_nothing_of_its_reads_the_device_tells() {
    let with = |ms: u64| {
        let load = Load::served(8, 0.2).with(names::SERVER_CPU, 0.5);
        verdict(&[load.on_device(&[("read_ms", 1e-3, ms)])]).code
    };
    assert_eq!((with(5000).as_str(), with(3000).as_str()), ("page-read-bound", "cannot-tell"));
}

/// Bug: one client was said to wait for its operations on the device, and told to take more threads.
#[test]
fn a_transaction_is_no_operation_of_a_device() {
    let found = verdict(&[Load::library(1, 0.4, 0.3).on_device(&[])]);
    assert_eq!((found.code.as_str(), found.advice), ("cannot-tell", None));
}

/// A transaction takes 1 ms.
#[test]
fn statements_that_take_as_long_as_their_way_are_held_back_by_it() {
    let with = |rtt_s: f64| Load::served(1, 0.1).knowing(facts::ROUND_TRIP, rtt_s);
    let found = with(30e-6).with(names::SERVER_CPU, 0.3).verdict();
    assert_eq!(found.code, "round-trip-bound");
    assert!(found.text.contains("20.0 round trips of") && found.text.contains("60 %"), "{}", found.text);
    assert!(found.advice.as_ref().unwrap().contains("a larger --clients"), "{found:?}");
    let found = with(10e-6).with(names::SERVER_CPU, 0.3).verdict();
    assert_eq!(found.code, "cannot-tell");
    assert!(found.ruled_out.iter().any(|evidence| evidence.code == "trips"), "{found:?}");
}

/// Bug: of a server that sends much for each statement over a way that is narrow the server was spoken of alone.
#[test]
fn large_answers_stand_beside_a_server_of_a_database() {
    let with = |came: u64| {
        let load =
            Load::served(1, 0.1).knowing(facts::ROUND_TRIP, 10e-6).knowing(facts::SERVER_IS_HERE, false);
        let mut case = load.case();
        case.path = vec![PathStep { resource: Resource::from("nic:eth0"), amplification: 1.0 }];
        let counter = fixture::counter("nic:eth0", "/proc/net/dev rx_bytes", 1.0, came);
        case.trials[0].result.local_mut().counters.push(counter);
        let found = verdict(&[case]);
        assert_eq!(found.code, "server-bound");
        found.evidence.iter().any(|one| one.beside && one.code == "large-answers")
    };
    // Of 20,000 statements a second.
    assert!(with(2_000_000_000) && !with(20_000_000));
}

/// Bug: of transactions whose statements are lost on the way the server was said to take its time.
#[test]
fn transactions_that_wait_until_tcp_sends_again_are_held_back_by_loss() {
    let with = |timeouts: u64| {
        let load =
            Load::served(1, 0.1).knowing(facts::ROUND_TRIP, 10e-6).knowing(facts::SERVER_IS_HERE, false);
        let mut case = load.case();
        let result = &mut case.trials[0].result;
        let mut times = stats::histogram::new_latency();
        times.record_n(1_000_000, 100).unwrap();
        times.record_n(210_000_000, 10).unwrap();
        let text = stats::histogram::encode(&times).unwrap();
        result.main_mut().histograms.insert(metric::LATENCY, text);
        let counter = fixture::counter("tcp", "/proc/net/netstat TCPTimeouts", 1.0, timeouts);
        result.local_mut().counters.push(counter);
        verdict(&[case]).code
    };
    assert_eq!(with(5), "loss-bound", "the server's kernel counts the others");
    assert_eq!(with(1), "server-bound");
}

/// Bug: of a rate that is not kept, because each statement goes there and back, nothing was said.
#[test]
fn a_rate_that_is_not_kept_is_the_way_s_where_all_clients_wait_for_it() {
    let with = |rtt_s: f64| {
        let load = Load::served(1, 0.1).knowing(facts::ROUND_TRIP, rtt_s);
        let mut case = load.with(names::SERVER_CPU, 0.3).case();
        let concurrency = &mut case.loads.main.profile.concurrency;
        (concurrency.arrival, concurrency.rate_per_s) = (Arrival::Open, Some(2.0 * RATE));
        let histograms = &mut case.trials[0].result.main_mut().histograms;
        let since_sent = histograms[&metric::LATENCY].clone();
        histograms.insert(metric::SERVICE_TIME, since_sent);
        let mut since_due = stats::histogram::new_latency();
        since_due.record(500_000_000).unwrap();
        histograms.insert(metric::LATENCY, stats::histogram::encode(&since_due).unwrap());
        verdict(&[case])
    };
    let found = with(30e-6);
    assert_eq!(found.code, "round-trip-bound");
    assert!(found.text.contains("60 %"), "{}", found.text);
    assert_eq!(with(10e-6).code, "cannot-tell");
}

#[test]
fn what_is_neither_the_way_nor_computing_nor_a_wait_that_is_known_is_spent_in_the_server() {
    let with = |clients: u64, cpu: f64, log: f64, server: Option<f64>| {
        let load = Load::served(clients, cpu).knowing(facts::ROUND_TRIP, 10e-6);
        let load = load.with(names::CLIENTS_WAITING_FOR_LOG, log);
        match server {
            Some(used) => load.with(names::SERVER_CPU, used),
            None => load.knowing(facts::SERVER_IS_HERE, false),
        }
    };
    let found = with(1, 0.1, 0.0, None).verdict();
    assert_eq!(found.code, "server-bound");
    assert!(found.advice.unwrap().contains("--clients"));
    assert_eq!(with(1, 0.1, 0.3, None).code(), "cannot-tell", "less than half is left");
    assert_eq!(with(1, 0.1, 0.0, Some(0.1)).code(), "server-bound");
    assert_eq!(with(1, 0.1, 0.0, Some(0.4)).code(), "cannot-tell", "it computes");
    assert_eq!(with(50, 0.7, 0.0, None).code(), "cannot-tell", "answers wait for the clients' thread");
}

#[test]
fn a_load_on_no_database_is_none() {
    let mut case = Load::served(8, 0.2).with(names::CLIENTS_WAITING_FOR_LOCKS, 8.0).case();
    case.loads.main.estimates.remove(&metric::TRANSACTIONS_PER_SECOND);
    let estimate = fixture::estimate(RATE, Unit::PerSecond, Better::Higher);
    case.loads.main.estimates.insert(metric::REQUESTS_PER_SECOND, estimate);
    assert_eq!(verdict(&[case]).code, "round-trip-bound");
}
