//! nginx, as Debian has it: one process on loopback, with a configuration, content and a log of its own
//! in the story's folder. Nothing of the machine's own nginx is read or touched. It ends when it is dropped.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use sha2::{Digest, Sha256};

use crate::common::{StoryFolder, eventually};
use crate::hosts::tool;

/// What is downloaded, and what is asked for often.
pub(super) const FILE_BYTES: u64 = 3_000_017;
pub(super) const PAGE_BYTES: u64 = 1024;

/// Answers over one connection. By default these are 1,000; with fewer each story meets the end of one.
pub(super) const ANSWERS_MOST: usize = 10;

/// How it is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Port {
    /// HTTP/1.1.
    Clear,
    /// TLS, with HTTP/1.1 and HTTP/2.
    Secure,
    /// HTTP/2 without TLS, by prior knowledge.
    Http2,
}

/// A request, as its log has it.
#[derive(Clone, Debug)]
pub(super) struct Answered {
    port: u16,
    pub(super) status: u16,
    /// Bytes of the body of the answer.
    pub(super) sent: u64,
    /// Bytes of the body of the request.
    pub(super) taken: u64,
    /// The number of the connection.
    pub(super) connection: u64,
    pub(super) path: String,
}

impl Answered {
    fn parse(line: &str) -> Self {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [port, status, sent, taken, connection, path] = words.as_slice() else { panic!("{line}") };
        Self {
            port: port.parse().unwrap(),
            status: status.parse().unwrap(),
            sent: sent.parse().unwrap(),
            // A request without a body has no length.
            taken: taken.parse().unwrap_or(0),
            connection: connection.parse().unwrap(),
            path: (*path).to_owned(),
        }
    }
}

/// A running one.
pub(super) struct Nginx {
    child: Child,
    folder: PathBuf,
    ports: [u16; 3],
}

impl Nginx {
    /// Starts one in a folder of the story's; none where there is no nginx. In CI there is.
    pub(super) fn start(place: &StoryFolder) -> Option<Self> {
        if !has("nginx", "-v") {
            return None;
        }
        let folder = place.path().join("nginx");
        for name in ["", "content", "put", "small"] {
            std::fs::create_dir(folder.join(name)).unwrap();
        }
        for (name, bytes) in [("file", FILE_BYTES), ("page", PAGE_BYTES)] {
            std::fs::write(folder.join("content").join(name), content(bytes)).unwrap();
        }
        make_certificate(&folder);
        // All three are free at once, so no two are the same.
        let free = [(); 3].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let ports = free.map(|listener| listener.local_addr().unwrap().port());
        std::fs::write(folder.join("nginx.conf"), configuration(ports)).unwrap();
        let prefix = folder.to_str().unwrap();
        let child = Command::new("nginx")
            .args(["-e", "error.log", "-p", prefix, "-c", "nginx.conf"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut server = Self { child, folder, ports };
        server.await_listening();
        Some(server)
    }

    fn await_listening(&mut self) {
        let log = self.folder.join("error.log");
        eventually("nginx listens", || {
            let ended = self.child.try_wait().unwrap();
            let says = || std::fs::read_to_string(&log).unwrap_or_default();
            assert!(ended.is_none(), "nginx ended: {}", says());
            self.ports.iter().all(|port| TcpStream::connect(("127.0.0.1", *port)).is_ok())
        });
    }

    fn port(&self, port: Port) -> u16 {
        let [clear, secure, http2_only] = self.ports;
        match port {
            Port::Clear => clear,
            Port::Secure => secure,
            Port::Http2 => http2_only,
        }
    }

    pub(super) fn url(&self, port: Port, path: &str) -> String {
        let scheme = if port == Port::Secure { "https" } else { "http" };
        format!("{scheme}://127.0.0.1:{}{path}", self.port(port))
    }

    /// The same of several ports or paths, as the levels of a parameter.
    pub(super) fn urls(&self, each: &[(Port, &str)]) -> String {
        let urls: Vec<String> = each.iter().map(|(port, path)| self.url(*port, path)).collect();
        urls.join(",")
    }

    /// A file in its folder.
    pub(super) fn path(&self, name: &str) -> String {
        self.folder.join(name).to_str().unwrap().to_owned()
    }

    /// The certificate, which vouches for itself.
    pub(super) fn certificate(&self) -> String {
        self.path("certificate.pem")
    }

    /// What is logged of requests to a port for paths that begin so, once there are `count` of them.
    pub(super) fn answered(&self, port: Port, path: &str, count: usize) -> Vec<Answered> {
        let mut found = Vec::new();
        let number = self.port(port);
        eventually(&format!("{count} requests for {path} are logged"), || {
            let log = std::fs::read_to_string(self.folder.join("access.log")).unwrap();
            let whole = log.rsplit_once('\n').map_or("", |(whole, _)| whole);
            found = whole.lines().map(Answered::parse).collect();
            found.retain(|answer| answer.port == number && answer.path.starts_with(path));
            found.len() >= count
        });
        found
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether a program is there; where it is not, that is said, and in CI it is wrong.
pub(super) fn has(program: &str, argument: &str) -> bool {
    let found = Command::new(program).arg(argument).output().is_ok();
    assert!(found || std::env::var_os("CI").is_none(), "CI has no {program}");
    if !found {
        println!("skipped: there is no {program}");
    }
    found
}

/// Bytes that repeat after no block of any size.
fn content(bytes: u64) -> Vec<u8> {
    (0..bytes).map(|place| (place.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect()
}

/// What the file is, as a load is told it.
pub(super) fn file_sha256() -> String {
    let hex: String = Sha256::digest(content(FILE_BYTES)).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

/// One of a server, not of an authority.
fn make_certificate(folder: &Path) {
    let [key, certificate] =
        ["key.pem", "certificate.pem"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    let kind = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    let names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
    let rest = ["-addext", "basicConstraints=critical,CA:FALSE", "-days", "2"];
    let files = ["-keyout", &key, "-out", &certificate];
    tool("openssl", &[&kind[..], &names, &rest, &files].concat());
}

/// What stands in its configuration (nginx.org/en/docs). One process, so that none is left where it is
/// killed; folders of its own for what it buffers, because as root it gives the usual ones to another user.
fn configuration([clear, secure, http2_only]: [u16; 3]) -> String {
    format!(
        "daemon off;
master_process off;
worker_processes 1;
pid nginx.pid;
error_log error.log;
events {{ worker_connections 1024; }}
http {{
    log_format counted '$server_port $status $body_bytes_sent $content_length $connection $uri';
    access_log access.log counted;
    sendfile on;
    tcp_nopush on;
    keepalive_requests {ANSWERS_MOST};
    client_max_body_size 8m;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    server {{
        listen 127.0.0.1:{clear};
        listen 127.0.0.1:{secure} ssl http2;
        ssl_certificate certificate.pem;
        ssl_certificate_key key.pem;
        root content;
        location = /limited {{ alias content/large; limit_rate 10m; }}
        location = /moved {{ return 302 /file; }}
        location = /round {{ return 302 /round; }}
        location = /away {{ return 444; }}
        location /put/ {{ alias put/; dav_methods PUT; }}
        location /small/ {{ alias small/; dav_methods PUT; client_max_body_size 64k; }}
    }}
    server {{
        listen 127.0.0.1:{http2_only} http2;
        root content;
    }}
}}
"
    )
}
