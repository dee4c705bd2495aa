//! Stock clients (Debian's iperf3) against our server, on loopback.

use std::io::{Read, Write};
use std::net::{IpAddr, TcpStream, UdpSocket};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::wire::control_protocol::{ControlConnection, State};
use super::wire::parameters::{Parameters, Results, StreamResult};
use super::*;

/// A server that ends with the test.
pub(super) struct Serving {
    port: u16,
    stop: Arc<AtomicBool>,
    told: Arc<Mutex<Vec<String>>>,
    thread: Option<JoinHandle<()>>,
}

impl Serving {
    pub(super) fn begin(change: impl FnOnce(&mut Iperf3Options)) -> Self {
        let mut options = Iperf3Options::new("127.0.0.1:0".parse().unwrap());
        let told = Arc::new(Mutex::new(Vec::new()));
        let (stop, hears) = (Arc::new(AtomicBool::new(false)), Arc::clone(&told));
        options.tell = Box::new(move |what| hears.lock().unwrap().push(what.to_owned()));
        change(&mut options);
        let server = Iperf3Server::open(options).unwrap();
        let (port, stopped) = (server.address().port(), Arc::clone(&stop));
        let thread = Some(std::thread::spawn(move || server.serve(&stopped).unwrap()));
        Self { port, stop, told, thread }
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn told(&self) -> String {
        self.told.lock().unwrap().join("\n")
    }

    /// What was told once it is enough: a client may end before its line is written.
    fn told_once(&self, is_enough: impl Fn(&str) -> bool) -> String {
        let until = Instant::now() + Duration::from_secs(10);
        loop {
            let told = self.told();
            if is_enough(&told) || Instant::now() > until {
                return told;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let ended = self.thread.take().unwrap().join();
        assert!(ended.is_ok() || std::thread::panicking());
    }
}

/// Whether there is a stock client; in CI there is.
pub(super) fn is_there() -> bool {
    let found = Command::new("iperf3").arg("--version").output();
    let found = found.is_ok_and(|o| o.stdout.starts_with(b"iperf 3."));
    if !found {
        assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped");
        println!("skipped: there is no iperf3 to speak with");
    }
    found
}

/// A stock client, ended after 20 s whatever happens.
fn begin(port: u16, arguments: &str) -> Child {
    Command::new("timeout")
        .args(["20", "iperf3", "-J", "-c", "127.0.0.1", "-p", &port.to_string()])
        .args(arguments.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// What it printed.
fn end(child: Child) -> Value {
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text)
        .unwrap_or_else(|e| panic!("{e}: {text}{}", String::from_utf8_lossy(&output.stderr)))
}

fn client(port: u16, arguments: &str) -> Value {
    let told = end(begin(port, arguments));
    assert_eq!(told.get("error"), None, "{arguments}: {told}");
    told
}

fn number(told: &Value, at: &str) -> f64 {
    told.pointer(at).and_then(Value::as_f64).unwrap_or_else(|| panic!("{at} is missing in {told:#}"))
}

#[test]
fn what_a_stock_client_sends_arrives_to_the_last_byte() {
    if !is_there() {
        return;
    }
    let serving = Serving::begin(|_| {});
    for arguments in ["-t 1 -b 400M", "-t 1 -P 4 -b 100M -w 200K -l 32K -N", "-n 3M", "-k 20 -M 1000 -C reno"]
    {
        let told = client(serving.port, arguments);
        let sent = number(&told, "/end/sum_sent/bytes");
        assert!(sent > 0.0, "{arguments}");
        assert_eq!(number(&told, "/end/sum_received/bytes"), sent, "{arguments}");
        assert!(number(&told, "/end/sum_received/seconds") > 0.0, "{arguments}");
        assert!(number(&told, "/end/cpu_utilization_percent/remote_total") > 0.0, "{arguments}");
        assert!(told.pointer("/end/receiver_tcp_congestion").is_some(), "{arguments}");
    }
    let told = serving.told_once(|told| told.contains("TCP, 4 stream(s)"));
    assert!(told.contains("TCP, 4 stream(s), received"), "{told}");
}

#[test]
fn a_stock_client_receives_and_does_both_at_once() {
    if !is_there() {
        return;
    }
    let serving = Serving::begin(|_| {});
    let told = client(serving.port, "-t 1 -R -P 2 -b 100M --get-server-output");
    let (sent, received) = (number(&told, "/end/sum_sent/bytes"), number(&told, "/end/sum_received/bytes"));
    // The client stops counting when it has enough, with bytes still on the way.
    assert!(received > 0.0 && received <= sent, "{received} of {sent}");
    assert!(number(&told, "/end/sum_sent/retransmits") >= 0.0);
    // 2 x 100 Mbit/s for a second are 25 MB: paced, whatever the machine does.
    assert!(sent < 40e6, "{sent}");
    assert!(told["server_output_text"].as_str().is_some_and(|t| t.contains("Headroom")), "{told:#}");

    let told = client(serving.port, "-t 1 --bidir -b 200M");
    assert_eq!(number(&told, "/end/sum_sent/bytes"), number(&told, "/end/sum_received/bytes"));
    let (sent, received) = (
        number(&told, "/end/sum_sent_bidir_reverse/bytes"),
        number(&told, "/end/sum_received_bidir_reverse/bytes"),
    );
    assert!(received > 0.0 && received <= sent, "{received} of {sent}");
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn datagrams_go_both_ways_at_the_rate() {
    if !is_there() {
        return;
    }
    let serving = Serving::begin(|_| {});
    for arguments in ["-l 1000 -b 50M", "-l 1000 -b 50M -R", "-l 500 -b 10M -P 2 --udp-counters-64bit"] {
        let told = client(serving.port, &format!("-u -t 1 {arguments}"));
        let packets = number(&told, "/end/sum/packets");
        assert!(packets > 500.0, "{arguments}: {packets}");
        assert!(number(&told, "/end/sum/lost_packets") <= packets, "{arguments}");
        assert!(number(&told, "/end/sum/jitter_ms") >= 0.0, "{arguments}");
        let bytes = number(&told, "/end/sum_received/bytes");
        // 50 Mbit/s are 6.25 MB in a second; what comes too much would be
        // another rate.
        assert!(bytes > 0.0 && bytes < 8e6, "{arguments}: {bytes}");
    }
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn seconds_to_omit_do_not_count() {
    if !is_there() {
        return;
    }
    let serving = Serving::begin(|_| {});
    let told = client(serving.port, "-t 1 -O 1 -b 80M");
    let (sent, received) = (number(&told, "/end/sum_sent/bytes"), number(&told, "/end/sum_received/bytes"));
    // 10 MB in the second that counts, 10 in the one before.
    assert!(received > 5e6 && received < 15e6 && sent < 15e6, "{received} of {sent}");
    let seconds = number(&told, "/end/sum_received/seconds");
    assert!(seconds < 1.9, "{seconds}");
    let told = client(serving.port, "-u -t 1 -O 1 -b 8M -l 1000");
    // 1000 in the second that counts.
    assert!(number(&told, "/end/sum/packets") < 1500.0, "{told:#}");
}

#[test]
fn several_clients_are_served_at_once() {
    if !is_there() {
        return;
    }
    let serving = Serving::begin(|_| {});
    let arguments = ["-t 1 -b 100M -P 2", "-t 1 -b 100M -R", "-u -t 1 -b 10M", "-u -t 1 -b 10M -R"];
    let children = arguments.map(|arguments| begin(serving.port, arguments));
    for (child, arguments) in children.into_iter().zip(arguments) {
        let told = end(child);
        assert_eq!(told.get("error"), None, "{arguments}: {told}");
        assert!(number(&told, "/end/sum_received/bytes") > 0.0, "{arguments}");
    }
    // All four lasted a second; one after the other they would have needed four.
    let told = serving.told_once(|told| told.lines().count() >= 4);
    assert_eq!(told.lines().count(), 4, "{told}");
}

#[test]
fn one_at_a_time_tells_the_second_that_it_is_busy() {
    if !is_there() {
        return;
    }
    let serving = Serving::begin(|options| options.one_at_a_time = true);
    // One that has begun and does not go on.
    let first = stalled(serving.port);
    let told = end(begin(serving.port, "-n 1M"));
    assert!(told["error"].as_str().unwrap().contains("busy"), "{told}");
    drop(first);
    // The server notices that it has gone.
    while serving.told().lines().count() < 2 {
        std::thread::sleep(Duration::from_millis(1));
    }
    client(serving.port, "-n 1M");
}

#[test]
fn what_is_not_allowed_is_refused_in_words_that_the_client_has() {
    if !is_there() {
        return;
    }
    let serving = Serving::begin(|options| {
        options.caps = ServerLimits { streams: 2, seconds: 5, ..ServerLimits::default() }
    });
    let refused = |arguments: &str| {
        let told = end(begin(serving.port, arguments));
        told["error"].as_str().unwrap_or_default().to_owned()
    };
    assert!(refused("-t 1 -P 3").contains("stream"), "{}", refused("-t 1 -P 3"));
    assert!(refused("-t 6").contains("duration"), "{}", refused("-t 6"));
    client(serving.port, "-n 1M");
}

#[test]
fn a_server_that_ends_says_so() {
    if !is_there() {
        return;
    }
    let serving = Serving::begin(|_| {});
    let child = begin(serving.port, "-t 10 -b 10M");
    std::thread::sleep(Duration::from_millis(500));
    drop(serving);
    let told = end(child);
    assert!(told["error"].as_str().unwrap().contains("terminated"), "{told}");
}

#[test]
fn garbage_and_silence_get_nothing() {
    let serving = Serving::begin(|_| {});
    for garbage in [&b"GET / HTTP/1.1\r\nHost: x\r\n\r\nxxxxxxxxxxxxxxxxxxxxxx"[..], &[0; 37], &[0xff; 64]] {
        let mut stream = TcpStream::connect(("127.0.0.1", serving.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream.write_all(garbage).unwrap();
        let mut answer = Vec::new();
        // Closed or reset, but never answered.
        let _ = stream.read_to_end(&mut answer);
        assert_eq!(answer, b"");
    }
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    udp.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    for garbage in [&b"9876"[..], b"", &[7; 1000]] {
        udp.send_to(garbage, ("127.0.0.1", serving.port)).unwrap();
        assert!(udp.recv(&mut [0; 8]).is_err());
    }
    assert_eq!(serving.told(), "");
}

/// A client that says its cookie, has its answer, and says no more.
fn stalled(port: u16) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let mut cookie = [b'b'; 37];
    cookie[36] = 0;
    stream.write_all(&cookie).unwrap();
    let mut answer = [0];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(answer, [9]);
    stream
}

/// A client that says its cookie and then `said`; what it hears until the server
/// closes the connection.
fn heard(port: u16, said: &[u8]) -> Vec<u8> {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        let heard = heard_at_once(port, said);
        // The session before is not wholly gone: a stock server says so too.
        if heard != [0xff] || Instant::now() > end {
            return heard;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn heard_at_once(port: u16, said: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut cookie = [b'a'; 37];
    cookie[36] = 0;
    stream.write_all(&cookie).unwrap();
    stream.write_all(said).unwrap();
    let mut heard = Vec::new();
    let _ = stream.read_to_end(&mut heard);
    heard
}

#[test]
fn wrong_lengths_and_no_json_are_refused_and_a_slow_client_is_dropped() {
    let caps = ServerLimits { patience: Duration::from_millis(300), ..ServerLimits::default() };
    let serving = Serving::begin(|options| options.caps = caps);
    let refused = [&[9, 0xfe, 0, 0, 0, 114, 0, 0, 0, 0][..], &[9]];
    assert_eq!(heard(serving.port, &[0xff, 0xff, 0xff, 0xff]), refused[0]);
    assert_eq!(heard(serving.port, b"\0\0\0\x02xx"), refused[0]);
    assert_eq!(heard(serving.port, b"\0\0\0\x02{}"), [9, 0xfe, 0, 0, 0, 13, 0, 0, 0, 0]);
    // One byte of the length, and then silence.
    assert_eq!(heard(serving.port, b"\0"), refused[1]);
    // Asks for streams and opens none.
    let asked = br#"{"tcp":true,"parallel":1,"time":1}"#;
    let mut frame = Vec::from((asked.len() as u32).to_be_bytes());
    frame.extend(asked);
    assert_eq!(heard(serving.port, &frame), [9, 10, 0xfe, 0, 0, 0, 200, 0, 0, 0, 0]);
    let told = serving.told_once(|told| told.contains("timed out"));
    assert!(told.contains("timed out"), "{told}");
}

/// Bug: 64 connections that said nothing, or 16 that said a cookie and no more,
/// kept all clients out.
#[test]
fn clients_that_say_nothing_or_do_not_go_on_lock_nobody_out() {
    let serving = Serving::begin(|_| {});
    let connect = || TcpStream::connect(("127.0.0.1", serving.port)).unwrap();
    let _silent: Vec<TcpStream> = (0..100).map(|_| connect()).collect();
    let begun = |number: u8| {
        let mut stream = connect();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let cookie = [&[b'a' + number; 36][..], &[0]].concat();
        stream.write_all(&cookie).unwrap();
        let mut answer = [0];
        stream.read_exact(&mut answer).unwrap();
        (stream, answer[0])
    };
    let clients: Vec<_> = (0..20)
        .map(|number| {
            // Those that gave way are gone in a moment.
            std::thread::sleep(Duration::from_millis(5));
            begun(number)
        })
        .collect();
    assert!(clients.iter().all(|(_, answer)| *answer == 9), "{clients:?}");
}

#[test]
fn beyond_loopback_somebody_must_be_named() {
    let open = Iperf3Options::new("0.0.0.0:0".parse().unwrap());
    let error = Iperf3Server::open(open).unwrap_err().to_string();
    assert!(error.contains("iperf3 has no key"), "{error}");
    let serving = Serving::begin(|options| options.admit = Some(Box::new(|from: IpAddr| from.is_ipv6())));
    assert_eq!(heard(serving.port, b""), b"");
}

/// Bug: what was on the way when the client had enough was thrown away, as stock
/// servers do.
#[test]
fn what_is_on_the_way_at_the_end_is_waited_for() {
    let serving = Serving::begin(|_| {});
    let connect = || TcpStream::connect(("127.0.0.1", serving.port)).unwrap();
    let cookie = [&[b'c'; 36][..], &[0]].concat();
    let mut stream = connect();
    stream.write_all(&cookie).unwrap();
    let mut control = ControlConnection::new(stream).unwrap();
    let wait = Duration::from_secs(5);
    let expect =
        |control: &mut ControlConnection, state| assert_eq!(control.hear(wait).unwrap(), Some(state));
    expect(&mut control, State::ParamExchange);
    let asked = Parameters { tcp: true, parallel: 1, num: 1000, ..Parameters::default() };
    control.write_json(&asked).unwrap();
    expect(&mut control, State::CreateStreams);
    let mut data = connect();
    data.write_all(&cookie).unwrap();
    expect(&mut control, State::TestStart);
    expect(&mut control, State::TestRunning);
    data.write_all(&[1; 400]).unwrap();
    control.say(State::TestEnd).unwrap();
    expect(&mut control, State::ExchangeResults);
    let ours = StreamResult { id: 7, bytes: 1000, ..StreamResult::default() };
    control.write_json(&Results { streams: vec![ours], ..Results::default() }).unwrap();
    std::thread::sleep(Duration::from_millis(20));
    data.write_all(&[1; 600]).unwrap();
    let theirs: Results = control.read_json(10_000, Instant::now() + wait).unwrap();
    let received = &theirs.streams[0];
    assert_eq!((received.id, received.bytes, received.retransmits), (7, 1000, -1));
    // They came 20 ms after the end, and the time goes on until then.
    assert!(received.end_time >= 0.02, "{received:?}");
    expect(&mut control, State::DisplayResults);
    control.say(State::IperfDone).unwrap();
}
