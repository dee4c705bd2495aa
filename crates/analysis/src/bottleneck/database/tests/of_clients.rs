//! What holds a load back whose clients compute.

use super::*;

#[test]
fn clients_whose_thread_is_full_hold_the_server_back() {
    let found = Load::served(50, 0.97).with(names::SERVER_CPU, 0.5).verdict();
    assert_eq!((found.code.as_str(), said(&found, "how").as_str()), ("client-bound", "threads"));
    assert!(found.text.contains("the thread of the clients computes 97 % of the time"), "{}", found.text);
    assert!(found.advice.as_ref().unwrap().contains("more --threads let"), "{found:?}");
    let found = Load::served(50, 0.6).with(names::SERVER_CPU, 0.5).verdict();
    assert_eq!(found.code, "cannot-tell");
    assert!(found.ruled_out.iter().any(|evidence| evidence.code == "worker-cpu"), "{found:?}");
}

/// Bug: of four threads of clients on one CPU, which they fill, nothing was said: each computes for a quarter of the time.
#[test]
fn clients_whose_threads_fill_the_cpus_that_they_are_pinned_to_hold_the_server_back() {
    let with = |allowed: &[u32], cpu: f64| {
        let mut case = Load::served(8, cpu).with(names::SERVER_CPU, 0.5).case();
        case.loads.main.profile.concurrency.workers = 4;
        let mut machine = machine();
        machine.inventory.cpu.allowed = allowed.to_vec();
        verdict_on(&machine, &[case])
    };
    let found = with(&[0], 0.98);
    assert_eq!((found.code.as_str(), said(&found, "how").as_str()), ("client-bound", "cpus"));
    assert!(
        found.text.contains("the 4 threads of the clients use 0.98 of the one CPU that they may"),
        "{}",
        found.text
    );
    assert!(found.advice.as_ref().unwrap().contains("on more CPUs"), "{found:?}");
    assert_ne!(with(&[0], 0.7).code, "client-bound", "it has room");
    assert_ne!(with(&[0, 1], 0.98).code, "client-bound", "there is another CPU");
}

#[test]
fn a_client_that_computes_for_half_of_a_transaction_is_what_is_measured() {
    let found = Load::served(1, 0.55).with(names::SERVER_CPU, 0.4).verdict();
    assert_eq!((found.code.as_str(), said(&found, "how").as_str()), ("client-bound", "turns"));
    assert_eq!(Load::served(1, 0.45).with(names::SERVER_CPU, 0.4).code(), "cannot-tell");
    // Others wait meanwhile.
    assert_eq!(Load::served(2, 0.55).with(names::SERVER_CPU, 0.4).code(), "cannot-tell");
}
