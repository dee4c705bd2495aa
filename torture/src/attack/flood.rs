//! Strangers at a node's door, more than it takes: its owner gets in beside them.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, connect, socket_with};

use super::Attack;
use super::kill_node::{end, node, served};
use crate::round::{Round, Trouble};

pub(super) const ATTACK: Attack = Attack {
    name: "flood",
    about: "opens connections to a node from many addresses; the owner is served, the node stays small",
    round,
};

/// Connections that a stranger holds at once.
const HELD: usize = 16;
/// What a node may have in memory while it serves, bytes.
const MEMORY_MOST: u64 = 256 << 20;

/// What strangers say.
const WORDS: &[&[u8]] = &[
    b"",
    b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    b"SSH-2.0-OpenSSH_9.2\r\n",
    // The beginning of a TLS record that does not end.
    &[0x16, 0x03, 0x01, 0x40, 0x00, 0x01, 0x00, 0x3f, 0xfc, 0x03, 0x03],
    // An alert, and a record that is too long.
    &[0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28, 0x17, 0x03, 0x03, 0xff, 0xff],
];

fn round(round: &mut Round) -> Result<(), Trouble> {
    // With `--allow`, strangers are not even let into TLS.
    let allow: &[&str] = round.pick(&[&[] as &[&str], &["--allow", "127.0.0.1/32"]]);
    let (node, join) = node(round, allow)?;
    let address: SocketAddr = join
        .strip_prefix("headroom://")
        .and_then(|rest| rest.split('#').next())
        .and_then(|address| address.parse().ok())
        .ok_or_else(|| Trouble::Fault(format!("the join string has no address: {join}")))?;
    let (stop, opened) = (AtomicBool::new(false), AtomicU64::new(0));
    let strangers: Vec<u64> = (0..1 + round.below(12)).map(|_| round.below(u64::MAX)).collect();
    let served = std::thread::scope(|scope| {
        for seed in &strangers {
            let (stop, opened) = (&stop, &opened);
            scope.spawn(move || stranger(address, *seed, stop, opened));
        }
        round.wait(Duration::from_millis(400));
        let served = (0..3).try_for_each(|_| served(round, &join));
        stop.store(true, Ordering::Relaxed);
        served
    });
    round.count_times("connections of strangers", opened.load(Ordering::Relaxed));
    served?;
    round.count_times("runs of the owner served", 3);
    let memory = resident(node.id());
    if memory == 0 || memory > MEMORY_MOST {
        return Err(Trouble::Fault(format!("the node has {} MiB in memory", memory >> 20)));
    }
    end(node)
}

/// Opens connections from an address of its own until it is told to stop.
fn stranger(to: SocketAddr, seed: u64, stop: &AtomicBool, opened: &AtomicU64) {
    let mut random = SplitMix64::seed_from_u64(seed);
    let last = (seed % 200 + 1) as u8;
    let from = IpAddr::V4(Ipv4Addr::new(127, 0, 1 + (seed >> 8) as u8 % 4, last));
    let mut held: Vec<TcpStream> = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let Ok(mut stream) = dial(from, to) else {
            std::thread::sleep(Duration::from_millis(1));
            continue;
        };
        opened.fetch_add(1, Ordering::Relaxed);
        let words = WORDS[random.next_u64() as usize % WORDS.len()];
        // What is not taken, or not answered, is what a stranger wants.
        let _ = stream.write_all(words);
        match random.next_u64() % 4 {
            0 => drop(stream),
            1 => {
                let mut some = [0; 64];
                let _ = stream.set_read_timeout(Some(Duration::from_millis(20)));
                let _ = stream.read(&mut some);
            }
            _ => held.push(stream),
        }
        if held.len() > HELD {
            held.remove(random.next_u64() as usize % HELD);
        }
        std::thread::sleep(Duration::from_micros(random.next_u64() % 4000));
    }
}

fn dial(from: IpAddr, to: SocketAddr) -> std::io::Result<TcpStream> {
    let socket = socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    bind(&socket, &SocketAddr::new(from, 0))?;
    connect(&socket, &to)?;
    Ok(socket.into())
}

/// The most bytes that a process has had in memory.
fn resident(id: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) << 10
}
