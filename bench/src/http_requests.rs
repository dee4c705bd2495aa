//! `http.requests` against wrk: the same page of the same nginx, over as many connections that stay,
//! one thread on both sides. The server has the first CPU, each client the last one.
//!
//! wrk has no warm-up, so ours has none either. What wrk takes is all that its process took; of ours
//! it is what the workers took in the window, for the rest of the process plans, watches and keeps
//! the result.

use crate::context::BenchContext;
use crate::http_nginx::{CONTENT_1K, CONTENT_100K, Content, Nginx, Scheme, make_content};
use crate::judge::{Figure, Goal};
use crate::process_cost::ProcessCost;
use crate::{Benchmark, Sides, http_nginx, place};
use xtask::Error;

const CPU: &str = "user and kernel CPU per request";

const PLAIN: &[Figure] = &[
    Figure { what: "1k requests/s", unit: "1/s", goal: Goal::LowAtLeast(0.97) },
    Figure { what: CPU, unit: "s", goal: Goal::HighAtMost(1.1) },
];

const LARGER: &[Figure] = &[
    Figure { what: "100k requests/s", unit: "1/s", goal: Goal::None },
    Figure { what: CPU, unit: "s", goal: Goal::None },
];

const SECURE: &[Figure] = &[
    Figure { what: "1k requests/s over TLS", unit: "1/s", goal: Goal::None },
    Figure { what: CPU, unit: "s", goal: Goal::None },
];

const fn plain<const CONNECTIONS: u32>(name: &'static str) -> Benchmark {
    Benchmark {
        name,
        peer: "wrk",
        needs: &["nginx", "wrk", "taskset"],
        figures: PLAIN,
        prepare: |context| prepare(context, CONNECTIONS, Scheme::Http, CONTENT_1K),
    }
}

const fn secure<const CONNECTIONS: u32>(name: &'static str) -> Benchmark {
    Benchmark {
        name,
        peer: "wrk",
        needs: &["nginx", "wrk", "taskset", "openssl"],
        figures: SECURE,
        prepare: |context| prepare(context, CONNECTIONS, Scheme::Https, CONTENT_1K),
    }
}

/// A few connections.
pub(crate) const PLAIN_16: Benchmark = plain::<16>("http-requests-16");
/// Some.
pub(crate) const PLAIN_64: Benchmark = plain::<64>("http-requests-64");
/// Many.
pub(crate) const PLAIN_256: Benchmark = plain::<256>("http-requests-256");
/// Larger answers.
pub(crate) const LARGER_16: Benchmark = Benchmark {
    name: "http-requests-100k",
    figures: LARGER,
    prepare: |context| prepare(context, 16, Scheme::Http, CONTENT_100K),
    ..PLAIN_16
};
/// Over TLS, a few connections.
pub(crate) const SECURE_16: Benchmark = secure::<16>("http-requests-tls-16");
/// Over TLS, some.
pub(crate) const SECURE_64: Benchmark = secure::<64>("http-requests-tls-64");
/// Over TLS, many.
pub(crate) const SECURE_256: Benchmark = secure::<256>("http-requests-tls-256");

struct Requests {
    _server: Nginx,
    url: String,
    connections: String,
    /// The client's.
    cpu: u32,
}

fn prepare(
    context: &BenchContext,
    connections: u32,
    scheme: Scheme,
    content: Content,
) -> Result<Box<dyn Sides>, Error> {
    make_content(context, content)?;
    let server = Nginx::start(context, place::first()?, scheme)?;
    let url = server.url(content);
    let (connections, cpu) = (connections.to_string(), place::last()?);
    Ok(Box::new(Requests { _server: server, url, connections, cpu }))
}

impl Sides for Requests {
    fn ours(&self, context: &BenchContext, seed: u64) -> Result<Vec<f64>, Error> {
        let what = ["http.requests", "--url", &self.url, "--connections", &self.connections];
        let words = [&what[..], &["--insecure", "yes", "--warm-up", "0s"]].concat();
        let metrics = context.headroom(Some(self.cpu), &words, seed)?;
        let errors = metrics.get("error_share")?;
        if errors > 0.0 {
            return Err(Error::Bench(format!("a share of {errors} of the answers to headroom are errors")));
        }
        Ok(vec![metrics.get("requests_per_second")?, metrics.get("cpu_per_operation")?])
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        let (connections, time) = (format!("-c{}", self.connections), format!("-d{}s", context.seconds));
        let cost = ProcessCost::of(context, Some(self.cpu), "wrk", &["-t1", &connections, &time, &self.url])?;
        let output = WrkOutput::read(&cost.text)
            .ok_or_else(|| Error::Bench(format!("wrk tells no rate, or errors:\n{}", cost.text)))?;
        Ok(vec![output.requests_per_s, cost.cpu_s / output.requests])
    }

    fn version(&self, context: &BenchContext) -> Result<String, Error> {
        // It says so with an exit status of 1.
        let text = context.output(None, "sh", &["-c", "wrk -v || true"])?;
        let wrk = text.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
        Ok(format!("{wrk}, {}", http_nginx::version(context)?))
    }
}

/// What wrk tells of a run without errors.
#[derive(Debug, PartialEq)]
struct WrkOutput {
    requests: f64,
    requests_per_s: f64,
}

impl WrkOutput {
    fn read(text: &str) -> Option<Self> {
        let mut lines = text.lines().map(str::trim);
        if lines.clone().any(|line| line.starts_with("Socket errors:") || line.starts_with("Non-2xx")) {
            return None;
        }
        let requests: f64 =
            lines.clone().find_map(|line| line.split_once(" requests in ")?.0.parse().ok())?;
        let requests_per_s: f64 =
            lines.find_map(|line| line.strip_prefix("Requests/sec:")?.trim().parse().ok())?;
        (requests > 0.0 && requests_per_s > 0.0).then_some(Self { requests, requests_per_s })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By wrk 4.1.0.
    const CAPTURE: &str = "Running 2s test @ http://127.0.0.1:18080/1k
  1 threads and 16 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.13ms    1.55ms   8.90ms   84.35%
    Req/Sec    31.86k     7.04k   42.92k    55.00%
  63630 requests in 2.01s, 76.70MB read
Requests/sec:  31614.14
Transfer/sec:     38.11MB
";

    #[test]
    fn a_real_answer_is_read() {
        let expected = WrkOutput { requests: 63_630.0, requests_per_s: 31_614.14 };
        assert_eq!(WrkOutput::read(CAPTURE), Some(expected));
    }

    #[test]
    fn an_answer_with_errors_or_without_a_rate_is_none() {
        for line in
            ["  Socket errors: connect 0, read 3, write 0, timeout 0\n", "  Non-2xx or 3xx responses: 7\n"]
        {
            let text = CAPTURE.replace("Requests/sec:", &format!("{line}Requests/sec:"));
            assert_eq!(WrkOutput::read(&text), None, "{line}");
        }
        assert_eq!(WrkOutput::read(""), None);
        assert_eq!(WrkOutput::read(&CAPTURE.replace("63630", "0")), None);
        assert_eq!(WrkOutput::read(&CAPTURE.replace("Requests/sec", "Requests")), None);
    }
}
