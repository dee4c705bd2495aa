//! Serves stock clients of iperf3 until its input ends: for trying it, and for
//! measuring it against iperf3's own server.
//!
//! `cargo run -p agent --example iperf3_server -- 127.0.0.1:5201 [one-at-a-time]`
#![allow(clippy::print_stderr)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use agent::iperf3::{Iperf3Options, serve_iperf3};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let mut options = Iperf3Options::new(words.next().ok_or("give an address to listen at")?.parse()?);
    options.one_at_a_time = words.next().is_some();
    options.tell = Box::new(|what| eprintln!("{what}"));
    let stop = Arc::new(AtomicBool::new(false));
    let stops = Arc::clone(&stop);
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        stops.store(true, Ordering::Relaxed);
    });
    Ok(serve_iperf3(options, &stop)?)
}
