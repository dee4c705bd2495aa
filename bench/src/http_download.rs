//! `http.download` against curl, wget and aria2c: 1 GiB from the same nginx, into a file on the disk
//! of this folder by way of the page cache, or to nowhere. The server has the first CPU, each client
//! the last one.
//!
//! All figures are of the transfer, from the first request to the last byte written. Ours says so
//! itself (`until=end`). A peer's is its process, less what the same program takes for 1 KiB: its
//! start, its connection and its end. So one way serves for all three, and no tool's own clock is
//! relied upon. Each is told to ask no proxy, to read no settings of the user and to show no
//! progress, and aria2c to set up no file before it writes: with that they are fastest.
//!
//! Over TLS, and over HTTP/2 with it, curl's figures stand beside ours, without a goal.
//!
//! Which of the three is the peer is found out before the pairs begin, by three runs of each: the
//! fastest for the rate, that with least CPU for the CPU. Were it the best of each pair, the three
//! together would have chance on their side.

use std::fs;
use std::path::Path;

use stats::interval::median;

use crate::context::BenchContext;
use crate::http_nginx::{CONTENT_1G, CONTENT_1K, Nginx, Scheme, make_content};
use crate::judge::{Figure, Goal};
use crate::process_cost::ProcessCost;
use crate::{Benchmark, Sides, http_nginx, place};
use xtask::Error;

/// Into a file.
pub(crate) const FILE: Benchmark = Benchmark {
    name: "http-download-file",
    peer: "best of curl, wget and aria2c",
    needs: &["nginx", "curl", "wget", "aria2c", "taskset"],
    figures: &[
        Figure { what: "downloaded to a file", unit: "B/s", goal: Goal::LowAtLeast(1.0) },
        Figure { what: "CPU per byte downloaded to a file", unit: "s/B", goal: Goal::HighAtMost(1.0) },
    ],
    prepare: |context| prepare(context, Scheme::Http, To::File, &[Client::Curl, Client::Wget, Client::Aria2]),
};

/// To nowhere.
pub(crate) const NOWHERE: Benchmark = Benchmark {
    name: "http-download-nowhere",
    peer: "curl",
    needs: &["nginx", "curl", "taskset"],
    figures: &[
        Figure { what: "downloaded to nowhere", unit: "B/s", goal: Goal::LowAtLeast(1.0) },
        Figure { what: "CPU per byte downloaded to nowhere", unit: "s/B", goal: Goal::HighAtMost(1.0) },
    ],
    prepare: |context| prepare(context, Scheme::Http, To::Nowhere, &[Client::Curl]),
};

/// To nowhere, over TLS.
pub(crate) const SECURE: Benchmark = Benchmark {
    name: "http-download-tls",
    peer: "curl",
    needs: &["nginx", "curl", "taskset", "openssl"],
    figures: &[
        Figure { what: "downloaded over TLS", unit: "B/s", goal: Goal::None },
        Figure { what: "CPU per byte downloaded over TLS", unit: "s/B", goal: Goal::None },
    ],
    prepare: |context| prepare(context, Scheme::Https, To::Nowhere, &[Client::Curl]),
};

/// To nowhere, over HTTP/2 and TLS.
pub(crate) const HTTP2: Benchmark = Benchmark {
    name: "http-download-http2",
    figures: &[
        Figure { what: "downloaded over HTTP/2", unit: "B/s", goal: Goal::None },
        Figure { what: "CPU per byte downloaded over HTTP/2", unit: "s/B", goal: Goal::None },
    ],
    prepare: |context| prepare(context, Scheme::Http2, To::Nowhere, &[Client::Curl]),
    ..SECURE
};

/// Runs of each client that decide which is the peer.
const ROUNDS: usize = 3;

/// Runs of each client that tell what its start takes.
const STARTS: usize = 5;

#[derive(Clone, Copy, PartialEq, Eq)]
enum To {
    File,
    Nowhere,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Client {
    Curl,
    Wget,
    Aria2,
}

impl Client {
    const fn program(self) -> &'static str {
        match self {
            Self::Curl => "curl",
            Self::Wget => "wget",
            Self::Aria2 => "aria2c",
        }
    }

    /// Its words for bringing `url` to `name` in the folder `folder`.
    fn words(self, url: &str, folder: &str, name: &str) -> Vec<String> {
        let path = format!("{folder}/{name}");
        let path = path.as_str();
        let words = match self {
            // The first word of curl: no file of settings is read.
            Self::Curl => {
                vec!["-q", "--silent", "--show-error", "--fail", "--noproxy", "*", "--output", path, url]
            }
            Self::Wget => vec!["--no-config", "--quiet", "--no-proxy", "-O", path, url],
            Self::Aria2 => vec![
                "--no-conf",
                "--quiet",
                "--no-proxy=127.0.0.1",
                "--file-allocation=none",
                "--allow-overwrite=true",
                "--dir",
                folder,
                "--out",
                name,
                url,
            ],
        };
        words.into_iter().map(str::to_owned).collect()
    }

    /// Its words for a server that is reached so, whose certificate nobody vouches for.
    const fn words_for(self, scheme: Scheme) -> &'static [&'static str] {
        match (self, scheme) {
            (_, Scheme::Http) => &[],
            (Self::Curl, Scheme::Https) => &["--insecure", "--http1.1"],
            (Self::Curl, Scheme::Http2) => &["--insecure", "--http2"],
            (Self::Wget, _) => &["--no-check-certificate"],
            (Self::Aria2, _) => &["--check-certificate=false"],
        }
    }

    fn version(self, context: &BenchContext) -> Result<String, Error> {
        Ok(version_in(&context.output(None, self.program(), &["--version"])?))
    }
}

/// `curl 7.88.1`: the name that begins the answer, and the first word with a digit in front.
fn version_in(answer: &str) -> String {
    let mut words = answer.split_whitespace().skip_while(|word| *word == "GNU");
    let name = words.next().unwrap_or_default();
    let number = words.find(|word| word.starts_with(|c: char| c.is_ascii_digit())).unwrap_or_default();
    format!("{name} {number}").trim_end().to_owned()
}

/// A client, and what it takes for next to nothing.
#[derive(Clone, Copy)]
struct Candidate {
    client: Client,
    start_s: f64,
    start_cpu_s: f64,
}

struct Download {
    server: Nginx,
    to: To,
    /// The client's.
    cpu: u32,
    fastest: Candidate,
    cheapest: Candidate,
}

fn prepare(
    context: &BenchContext,
    scheme: Scheme,
    to: To,
    clients: &[Client],
) -> Result<Box<dyn Sides>, Error> {
    make_content(context, CONTENT_1K)?;
    make_content(context, CONTENT_1G)?;
    let (server, cpu) = (Nginx::start(context, place::first()?, scheme)?, place::last()?);
    let route = Route { context, server: &server, to, cpu };
    let candidates = clients.iter().map(|client| route.candidate(*client)).collect::<Result<Vec<_>, _>>()?;
    let mut runs = vec![Vec::new(); candidates.len()];
    for _ in 0..ROUNDS {
        for (candidate, runs) in candidates.iter().zip(&mut runs) {
            runs.push(route.transfer(candidate)?);
        }
    }
    let [fastest, cheapest] = best(&runs)
        .map(|places| places.map(|place| candidates[place]))
        .ok_or_else(|| Error::Bench("no client downloads anything".to_owned()))?;
    Ok(Box::new(Download { server, to, cpu, fastest, cheapest }))
}

/// Which of the clients with these runs (bytes per second, CPU per byte) has the highest rate at the
/// median, and which takes least CPU.
fn best(runs: &[Vec<[f64; 2]>]) -> Option<[usize; 2]> {
    let middle = |column: usize| -> Option<Vec<f64>> {
        let of = |runs: &Vec<[f64; 2]>| median(&runs.iter().map(|run| run[column]).collect::<Vec<_>>());
        runs.iter().map(of).collect()
    };
    let (rates, costs) = (middle(0)?, middle(1)?);
    let fastest = (0..rates.len()).max_by(|a, b| rates[*a].total_cmp(&rates[*b]))?;
    let cheapest = (0..costs.len()).min_by(|a, b| costs[*a].total_cmp(&costs[*b]))?;
    Some([fastest, cheapest])
}

/// From where a client brings it, and where to.
struct Route<'a> {
    context: &'a BenchContext,
    server: &'a Nginx,
    to: To,
    cpu: u32,
}

impl Route<'_> {
    /// One run of a client for this content.
    fn fetch(&self, client: Client, content: http_nginx::Content) -> Result<ProcessCost, Error> {
        let (folder, name) = match self.to {
            To::File => (self.context.scratch("download"), "came"),
            To::Nowhere => (Path::new("/dev").to_owned(), "null"),
        };
        if self.to == To::File {
            fs::create_dir_all(&folder).map_err(Error::file("make", &folder))?;
        }
        let words = client.words(&self.server.url(content), &folder.to_string_lossy(), name);
        let of_scheme = client.words_for(self.server.scheme()).iter().copied();
        let words: Vec<&str> = words.iter().map(String::as_str).chain(of_scheme).collect();
        let cost = ProcessCost::of(self.context, Some(self.cpu), client.program(), &words)?;
        if self.to == To::File {
            let path = folder.join(name);
            let got = fs::metadata(&path).map_err(Error::file("look at", &path))?.len();
            fs::remove_file(&path).map_err(Error::file("remove", &path))?;
            if got != content.bytes {
                let (program, all) = (client.program(), content.bytes);
                return Err(Error::Bench(format!("{program} brought {got} of {all} bytes")));
            }
        }
        Ok(cost)
    }

    fn candidate(&self, client: Client) -> Result<Candidate, Error> {
        let starts = (0..STARTS).map(|_| self.fetch(client, CONTENT_1K)).collect::<Result<Vec<_>, _>>()?;
        let middle = |of: fn(&ProcessCost) -> f64| median(&starts.iter().map(of).collect::<Vec<_>>());
        let start = middle(|cost| cost.wall_s).zip(middle(|cost| cost.cpu_s));
        let (start_s, start_cpu_s) =
            start.ok_or_else(|| Error::Bench(format!("the start of {} has no time", client.program())))?;
        Ok(Candidate { client, start_s, start_cpu_s })
    }

    /// Bytes per second and CPU seconds per byte of one transfer.
    fn transfer(&self, candidate: &Candidate) -> Result<[f64; 2], Error> {
        let cost = self.fetch(candidate.client, CONTENT_1G)?;
        let (wall_s, cpu_s) = (cost.wall_s - candidate.start_s, cost.cpu_s - candidate.start_cpu_s);
        if wall_s <= 0.0 || cpu_s <= 0.0 {
            let program = candidate.client.program();
            return Err(Error::Bench(format!("{program} took no longer for 1 GiB than for 1 KiB")));
        }
        let bytes = CONTENT_1G.bytes as f64;
        Ok([bytes / wall_s, cpu_s / bytes])
    }
}

impl Sides for Download {
    fn ours(&self, context: &BenchContext, seed: u64) -> Result<Vec<f64>, Error> {
        let (url, folder) = (self.server.url(CONTENT_1G), context.scratch("download"));
        let folder = folder.to_string_lossy();
        let mut words = vec!["http.download", "--url", url.as_str(), "--until", "end", "--warm-up", "0s"];
        if self.to == To::File {
            words.extend(["--target", &*folder]);
        }
        let of_scheme: &[&str] = match self.server.scheme() {
            Scheme::Http => &[],
            Scheme::Https => &["--insecure", "yes"],
            Scheme::Http2 => &["--insecure", "yes", "--http", "2"],
        };
        words.extend(of_scheme.iter().copied());
        let metrics = context.headroom_by_count(Some(self.cpu), &words, seed)?;
        Ok(vec![metrics.get("throughput")?, metrics.get("cpu_per_byte")?])
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        let route = Route { context, server: &self.server, to: self.to, cpu: self.cpu };
        let [rate, mut cpu] = route.transfer(&self.fastest)?;
        if self.cheapest.client != self.fastest.client {
            [_, cpu] = route.transfer(&self.cheapest)?;
        }
        Ok(vec![rate, cpu])
    }

    fn version(&self, context: &BenchContext) -> Result<String, Error> {
        let (fastest, server) = (self.fastest.client.version(context)?, http_nginx::version(context)?);
        if self.cheapest.client == self.fastest.client {
            return Ok(format!("{fastest}, {server}"));
        }
        let cheapest = self.cheapest.client.version(context)?;
        Ok(format!("{fastest} (fastest), {cheapest} (least CPU), {server}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_at_the_median_is_taken_for_each_figure() {
        let run = |rate: f64, cpu: f64| [rate, cpu];
        let steady = vec![run(2.0, 3.0), run(2.1, 3.1), run(2.2, 3.2)];
        let lucky = vec![run(1.0, 9.0), run(9.0, 1.0), run(1.1, 8.0)];
        let thrifty = vec![run(1.5, 2.0), run(1.5, 2.0), run(1.5, 2.0)];
        assert_eq!(best(&[steady.clone(), lucky.clone(), thrifty]), Some([0, 2]));
        assert_eq!(best(&[lucky, steady.clone()]), Some([1, 1]));
        assert_eq!(best(&[]), None);
        assert_eq!(best(&[steady, Vec::new()]), None);
    }

    #[test]
    fn versions_are_read_from_real_answers() {
        for (answer, version) in [
            (
                "curl 7.88.1 (x86_64-pc-linux-gnu) libcurl/7.88.1 OpenSSL/3.0.19\nRelease-Date: 2023",
                "curl 7.88.1",
            ),
            ("GNU Wget 1.21.3 built on linux-gnu.\n\n-cares +digest", "Wget 1.21.3"),
            ("aria2 version 1.36.0\nCopyright (C) 2006, 2019 Tatsuhiro Tsujikawa\n", "aria2 1.36.0"),
            ("", ""),
        ] {
            assert_eq!(version_in(answer), version);
        }
    }

    #[test]
    fn every_client_writes_to_the_file_and_asks_no_proxy() {
        for client in [Client::Curl, Client::Wget, Client::Aria2] {
            let words = client.words("http://127.0.0.1:80/1g", "/scratch", "came").join(" ");
            assert!(words.contains("proxy"), "{words}");
            let is_there = words.contains("/scratch/came") || words.contains("--dir /scratch --out came");
            assert!(is_there && words.ends_with(" http://127.0.0.1:80/1g"), "{words}");
        }
        assert!(Client::Curl.words("u", "/dev", "null").contains(&"/dev/null".to_owned()));
        assert_eq!(Client::Curl.words("u", "/", "x")[0], "-q", "curl wants it first");
        // It speaks HTTP/2 over TLS wherever it is not told otherwise.
        assert!(Client::Curl.words_for(Scheme::Https).contains(&"--http1.1"));
        assert!(Client::Curl.words_for(Scheme::Http2).contains(&"--http2"));
    }
}
