//! Ports that run out, in a network namespace that has few of them. Needs root and `ip`.

use std::process::Command;

use rustix::thread::{UnshareFlags, unshare_unsafe};

use super::*;

/// Sets something of the network namespace of this thread.
fn set(name: &str, value: &str) {
    std::fs::write(format!("/proc/sys/net/ipv4/{name}"), value).unwrap();
}

/// Does something in a thread with a network namespace of its own, from which connections go out by a hundred
/// ports. Threads that it starts are in the same namespace.
fn with_few_ports<R: Send>(act: impl FnOnce() -> R + Send) -> R {
    std::thread::scope(|scope| {
        let inside = || {
            // SAFETY: the table of open files stays shared.
            unsafe { unshare_unsafe(UnshareFlags::NEWNET) }.expect("this test runs as root");
            let up = Command::new("ip").args(["link", "set", "lo", "up"]).status().expect("ip is installed");
            assert!(up.success());
            set("ip_local_port_range", "40000 40099");
            // On loopback a port in TIME_WAIT would be used again after a second.
            set("tcp_tw_reuse", "0");
            act()
        };
        scope.spawn(inside).join().unwrap()
    })
}

/// A server that leaves it to the client to close: each connection keeps a port of the client in TIME_WAIT.
#[test]
fn ports_that_run_out_are_told_with_their_range_and_what_helps() {
    if !rustix::process::geteuid().is_root() {
        assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped");
        return println!("skipped: a network namespace needs root");
    }
    let (failed, kept) = with_few_ports(|| {
        let server = Server::answering(|_, client| ok(client, b"hello"));
        let url = server.url("/");
        let kept = run(REQUESTS, &[("url", &url), ("connections", "2"), ("requests", "500")]);
        let given = [("url", &*url), ("keep-alive", "no"), ("connections", "2"), ("duration", "5s")];
        let failed = run(REQUESTS, &given);
        // The server ends by a connection to itself, which needs a port too.
        set("ip_local_port_range", "32768 60999");
        (failed, kept)
    });
    let why = failed.unwrap_err();
    for part in [
        "no port of this machine is left",
        "net.ipv4.ip_local_port_range has 100 ports, 40000 to 40099",
        "TIME_WAIT",
        "Use keep-alive=yes, a rate, or a wider net.ipv4.ip_local_port_range",
    ] {
        assert!(why.contains(part), "{part}: {why}");
    }
    // The remedy is one.
    assert_eq!(kept.unwrap().fact("connections_made"), "2");
}
