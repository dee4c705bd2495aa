//! A stock server (Debian's iperf3) as a far end, driven as the near end of a
//! trial does it. The whole way, with the engine, is a story of the program.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use engine::clock;
use load::workload::net::iperf3::{Head, greet_tcp, greet_udp};
use model::message::{
    OpenOrder, RendezvousAddress, RendezvousKind, Reply, Request, TrialOrder, TrialReport, TrialRole,
};
use model::plan::LoadSpec;
use model::study::Pin;
use model::trial::Timeline;
use model::{MetricName, ParameterName, Parameters, Value, WorkloadName, metric};

use super::{Iperf3End, PORT, ServerLimits, tests};
use crate::{Agent, AgentError, CallContext};

/// A stock server; it ends with the test.
struct Stock {
    child: Child,
    port: u16,
}

impl Stock {
    fn begin() -> Option<Self> {
        if !tests::is_there() {
            return None;
        }
        let port = free_port();
        let child = Command::new("timeout")
            .args(["--foreground", "30", "iperf3", "-s", "-J", "-p", &port.to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Some(Self { child, port })
    }

    fn end(&self) -> Iperf3End {
        Iperf3End::of(&format!("iperf3://127.0.0.1:{}", self.port)).unwrap()
    }

    fn kill(&mut self) {
        // TERM, which `timeout` passes on to the server.
        let pid = rustix::process::Pid::from_child(&self.child);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        let _ = self.child.wait();
    }
}

impl Drop for Stock {
    fn drop(&mut self) {
        self.kill();
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn load(parameters: &[(&str, Value)]) -> LoadSpec {
    let mut given = Parameters::default();
    given.set(ParameterName::new("protocol"), "tcp");
    given.set(ParameterName::new("direction"), "send");
    given.set(ParameterName::new("streams"), 1u64);
    given.set(ParameterName::new("duration"), 0.3);
    for (name, value) in parameters {
        given.set(ParameterName::intern(name).unwrap(), value.clone());
    }
    LoadSpec::new(WorkloadName::new("net.stream"), given)
}

fn call(end: &mut Iperf3End, request: Request) -> Result<Reply, AgentError> {
    end.call(request, &mut CallContext { on_event: &mut |_| {}, cancelled: &|| false })
}

fn open(end: &mut Iperf3End, load: &LoadSpec) -> Result<RendezvousAddress, AgentError> {
    let order = OpenOrder { listen: "127.0.0.1".parse().unwrap(), near: None, loads: vec![load.clone()] };
    match call(end, Request::Open(order))? {
        Reply::Open(rendezvous) => Ok(rendezvous),
        other => panic!("{other:?}"),
    }
}

/// A trial of 0.3 s whose near end does `near` with the rendezvous address until that time of
/// the clock.
fn trial(
    end: &mut Iperf3End,
    load: &LoadSpec,
    near: impl FnOnce(&RendezvousAddress, u64),
) -> Result<TrialReport, AgentError> {
    let rendezvous = open(end, load)?;
    assert_eq!((rendezvous.kind, rendezvous.cookie.len()), (RendezvousKind::Iperf3, 36));
    let out_of_band = end.out_of_band()?;
    let order = TrialOrder {
        loads: vec![load.clone()],
        seed: 1,
        warm_up_s: 0.0,
        interval_s: None,
        cut_least_s: 0.0,
        pin: Pin::None,
        role: TrialRole::Answers { rendezvous: None },
        take_cpu: None,
        observe: Vec::new(),
        from_last: false,
        lines_s: None,
        log_operations: None,
    };
    std::thread::scope(|scope| {
        let there = scope.spawn(|| call(end, Request::Trial(Box::new(order))));
        let start_ns = clock::now_ns();
        let end_ns = start_ns + 300_000_000;
        let times = Timeline { start_ns, window_ns: start_ns, interval_ns: 1_000_000, end_ns };
        out_of_band(&Request::Begin(times)).unwrap();
        near(&rendezvous, end_ns);
        match there.join().unwrap()? {
            Reply::Trial(report) => Ok(*report),
            other => panic!("{other:?}"),
        }
    })
}

fn connected(rendezvous: &RendezvousAddress) -> TcpStream {
    let stream = TcpStream::connect((rendezvous.address, rendezvous.tcp)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
    stream.set_write_timeout(Some(Duration::from_millis(100))).unwrap();
    greet_tcp(&stream, &rendezvous.cookie).unwrap();
    stream
}

fn send(streams: &mut [TcpStream], end_ns: u64) -> u64 {
    let mut sent = 0;
    while clock::now_ns() < end_ns {
        for stream in &mut *streams {
            sent += stream.write(&[1; 10_000]).unwrap() as u64;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    sent
}

/// Waits until the server closes it.
fn closed(stream: &mut TcpStream) -> u64 {
    let mut got = Vec::new();
    let _ = stream.read_to_end(&mut got);
    got.len() as u64
}

fn value(report: &TrialReport, name: MetricName) -> f64 {
    report.result.main().metrics.get(&name).unwrap_or_else(|| panic!("{name} is missing: {report:?}")).value
}

#[test]
fn a_stock_server_tells_what_it_received() {
    let Some(stock) = Stock::begin() else { return };
    let mut end = stock.end();
    // Twice: the server has to be there again.
    for _ in 0..2 {
        let mut sent = 0;
        let report = trial(&mut end, &load(&[("streams", 2u64.into())]), |rendezvous, end_ns| {
            let mut streams = [connected(rendezvous), connected(rendezvous)];
            sent = send(&mut streams, end_ns);
            streams.iter_mut().for_each(|stream| _ = closed(stream));
        });
        let report = report.unwrap();
        let seconds = report.result.window.unwrap().seconds();
        let received = value(&report, metric::THROUGHPUT) * seconds;
        assert!(received > 0.0 && received <= sent as f64 + 1.0, "{received} of {sent}");
        assert!(
            report.result.main().facts[&model::fact::PEER_TOOL].to_string().starts_with("iperf 3."),
            "{report:?}"
        );
        assert!(!report.result.main().metrics.contains_key(&metric::SENDER_THROUGHPUT));
    }
}

#[test]
fn a_stock_server_sends_and_tells_what_left_it() {
    let Some(stock) = Stock::begin() else { return };
    let mut received = 0;
    let receive = load(&[("direction", "receive".into())]);
    let report =
        trial(&mut stock.end(), &receive, |rendezvous, _| received = closed(&mut connected(rendezvous)))
            .unwrap();
    let sent = value(&report, metric::SENDER_THROUGHPUT) * report.result.window.unwrap().seconds();
    assert!(received > 0 && value(&report, metric::RETRANSMITS) >= 0.0);
    // What it sent is here, or was in its socket when it closed it.
    assert!(sent * 1.01 >= received as f64, "{received} of {sent}");
}

#[test]
fn a_stock_server_counts_datagrams() {
    let Some(stock) = Stock::begin() else { return };
    let udp = load(&[("protocol", "udp".into()), ("buffer", 200u64.into())]);
    let report = trial(&mut stock.end(), &udp, |rendezvous, end_ns| {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.connect((rendezvous.address, rendezvous.udp)).unwrap();
        greet_udp(&socket, Duration::from_secs(5)).unwrap();
        let mut datagram = [0; 200];
        // The third of each ten is never sent.
        for number in (1..).filter(|number| number % 10 != 3) {
            if clock::now_ns() >= end_ns {
                return;
            }
            Head::at(clock::now_ns(), number).put(true, &mut datagram);
            let _ = socket.send(&datagram);
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    let report = report.unwrap();
    let (loss, packets) = (value(&report, metric::LOSS), value(&report, metric::PACKETS_PER_SECOND));
    assert!(loss > 0.05 && loss < 0.2 && packets > 0.0, "{report:?}");
    assert!(value(&report, metric::JITTER) >= 0.0);
}

#[test]
fn our_own_server_is_such_a_far_end_too() {
    let serving = tests::Serving::begin(|_| {});
    let mut end = Iperf3End::of(&format!("127.0.0.1:{}", serving.port())).unwrap();
    let mut sent = 0;
    let report = trial(&mut end, &load(&[]), |rendezvous, end_ns| {
        let mut streams = [connected(rendezvous)];
        sent = send(&mut streams, end_ns);
        closed(&mut streams[0]);
    });
    let report = report.unwrap();
    let received = value(&report, metric::THROUGHPUT) * report.result.window.unwrap().seconds();
    assert!(received > 0.0 && received <= sent as f64 + 1.0, "{received} of {sent}");
}

#[test]
fn a_busy_server_is_told() {
    let Some(stock) = Stock::begin() else { return };
    let (mut first, mut second) = (stock.end(), stock.end());
    open(&mut first, &load(&[])).unwrap();
    second.again = Duration::from_millis(100);
    let error = open(&mut second, &load(&[])).unwrap_err().to_string();
    assert!(error.contains("is busy: it serves one client at a time"), "{error}");
    // When the first has gone, it is there again.
    drop(first);
    second.again = Duration::from_secs(5);
    open(&mut second, &load(&[])).unwrap();
}

#[test]
fn a_server_that_dies_in_the_middle_fails_the_trial() {
    let Some(mut stock) = Stock::begin() else { return };
    let mut end = stock.end();
    let failed = trial(&mut end, &load(&[]), |rendezvous, _| {
        let stream = connected(rendezvous);
        std::thread::sleep(Duration::from_millis(100));
        stock.kill();
        drop(stream);
    });
    let error = failed.unwrap_err().to_string();
    assert!(error.contains("in the middle of the test") || error.contains("ended the test"), "{error}");
}

#[test]
fn what_is_no_iperf3_or_not_there_is_named() {
    let mut nobody = Iperf3End::of(&format!("iperf3://127.0.0.1:{}", free_port())).unwrap();
    nobody.again = Duration::ZERO;
    let error = open(&mut nobody, &load(&[])).unwrap_err();
    assert!(matches!(&error, AgentError::Unreachable(why) if why.contains("`iperf3 -s`")), "{error}");

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut other = Iperf3End::of(&format!("iperf3://{}", listener.local_addr().unwrap())).unwrap();
    other.again = Duration::ZERO;
    let said = std::thread::spawn(move || listener.accept().unwrap().0.write_all(b"SSH-2.0-x\r\n").unwrap());
    let error = open(&mut other, &load(&[])).unwrap_err().to_string();
    assert!(error.contains("no state of iperf3"), "{error}");
    said.join().unwrap();
}

#[test]
fn a_refusal_of_the_server_is_passed_on() {
    let serving = tests::Serving::begin(|options| {
        options.caps = ServerLimits { streams: 2, ..ServerLimits::default() }
    });
    let mut end = Iperf3End::of(&format!("127.0.0.1:{}", serving.port())).unwrap();
    let begun = Instant::now();
    let error = open(&mut end, &load(&[("streams", 3u64.into())])).unwrap_err().to_string();
    assert!(error.contains("does not take so many streams"), "{error}");
    // It is not asked again.
    assert!(serving.told().lines().count() <= 1, "{:?} {}", begun.elapsed(), serving.told());
}

#[test]
fn only_streams_can_have_such_a_far_end() {
    let end = Iperf3End::of("iperf3://[::1]:5999").unwrap();
    assert_eq!(end.address().to_string(), "[::1]:5999");
    assert_eq!(Iperf3End::of("iperf3://127.0.0.1/").unwrap().address().port(), PORT);
    for wrong in ["iperf3://", "iperf3://127.0.0.1:x", "iperf3://127.0.0.1:0", "iperf3://:5201"] {
        assert!(Iperf3End::of(wrong).is_err(), "{wrong}");
    }
    let other = LoadSpec { workload: WorkloadName::new("net.pingpong"), ..load(&[]) };
    let refused = |loads: &[LoadSpec]| end.refuses(loads).map(|problem| problem.message).unwrap_or_default();
    assert!(refused(&[other]).contains("net.pingpong"));
    assert!(refused(&[load(&[]), load(&[])]).contains("one load"));
    assert!(refused(&[load(&[("streams", 129u64.into())])]).contains("128 streams"));
    assert!(refused(&[load(&[("buffer", (2u64 << 20).into())])]).contains("1 MiB"));
    assert_eq!(refused(&[load(&[])]), "");
}
