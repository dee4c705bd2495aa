//! nginx, the server of both sides of a benchmark of HTTP: one worker, on loopback or in a network
//! namespace, with a configuration and content of its own in the scratch folder. Nothing of the
//! machine's own nginx is read or touched. It is a child like any other and ends when it is dropped.

use std::fs::{self, File};
use std::io;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Stdio};
use std::time::{Duration, Instant};

use crate::context::BenchContext;
use crate::random_file;
use xtask::Error;

/// What it serves: random bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Content {
    /// The path below `/`.
    pub(crate) name: &'static str,
    pub(crate) bytes: u64,
}

/// A small page.
pub(crate) const CONTENT_1K: Content = Content { name: "1k", bytes: 1 << 10 };
/// A picture.
pub(crate) const CONTENT_100K: Content = Content { name: "100k", bytes: 100 << 10 };
/// What is downloaded.
pub(crate) const CONTENT_1G: Content = Content { name: "1g", bytes: 1 << 30 };

/// All of its files, in the scratch folder.
const FOLDER: &str = "nginx";

/// How long it gets to listen.
const PATIENCE: Duration = Duration::from_secs(5);

/// How it is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    Http,
    /// TLS 1.3 with AES-256-GCM, which both sides' libraries prefer as well.
    Https,
    /// HTTP/2 over the same TLS.
    Http2,
}

/// A running one.
#[derive(Debug)]
pub(crate) struct Nginx {
    child: Child,
    port: u16,
    scheme: Scheme,
}

impl Nginx {
    /// Starts one on loopback, on this CPU.
    pub(crate) fn start(context: &BenchContext, cpu: u32, scheme: Scheme) -> Result<Self, Error> {
        let failed = |e: io::Error| Error::Bench(format!("starting nginx: {e}"));
        let port = {
            let listener = TcpListener::bind("127.0.0.1:0").map_err(failed)?;
            listener.local_addr().map_err(failed)?.port()
        };
        let words = command(context, &format!("127.0.0.1:{port}"), scheme)?;
        let child = Process::new("taskset")
            .args(["-c", &cpu.to_string()])
            .args(words)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let mut server = Self { child, port, scheme };
        server.await_listening(context)?;
        Ok(server)
    }

    fn await_listening(&mut self, context: &BenchContext) -> Result<(), Error> {
        let deadline = Instant::now() + PATIENCE;
        // It listens before it writes its number, and ends where it cannot.
        let number = folder(context).join(NUMBER);
        while !number.is_file() || TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            context.go_on()?;
            let ended = self.child.try_wait().map_err(|e| Error::Bench(format!("watching nginx: {e}")))?;
            if ended.is_some() || Instant::now() > deadline {
                let says = fs::read_to_string(folder(context).join(LOG)).unwrap_or_default();
                let (port, says) = (self.port, says.trim_end());
                return Err(Error::Bench(format!("nginx does not listen on port {port}: {says}")));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// How it is reached.
    pub(crate) const fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Where it has this.
    pub(crate) fn url(&self, content: Content) -> String {
        let scheme = match self.scheme {
            Scheme::Http => "http",
            Scheme::Https | Scheme::Http2 => "https",
        };
        format!("{scheme}://127.0.0.1:{}/{}", self.port, content.name)
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const LOG: &str = "error.log";

/// Where it writes its number, once it listens.
const NUMBER: &str = "nginx.pid";

fn folder(context: &BenchContext) -> PathBuf {
    context.scratch(FOLDER)
}

/// The words that start one which listens at `listen`, an address with its port: it stays in the
/// foreground and is a single process.
pub(crate) fn command(context: &BenchContext, listen: &str, scheme: Scheme) -> Result<Vec<String>, Error> {
    let folder = folder(context);
    let content = folder.join("content");
    fs::create_dir_all(&content).map_err(Error::file("make", &content))?;
    if scheme != Scheme::Http {
        make_certificate(context, &folder)?;
    }
    for (name, text) in [("nginx.conf", configuration(listen, scheme)), (LOG, String::new())] {
        let path = folder.join(name);
        fs::write(&path, text).map_err(Error::file("write", &path))?;
    }
    // One that was killed left its number.
    let _ = fs::remove_file(folder.join(NUMBER));
    // Names without a folder are taken from that of `-p`.
    let prefix = folder.to_string_lossy();
    Ok(["nginx", "-e", LOG, "-p", &prefix, "-c", "nginx.conf"].map(str::to_owned).to_vec())
}

/// Waits until one that was started by [`command`] listens, wherever that is: it writes its number when it does
/// (`main` of nginx's `src/core/nginx.c`).
pub(crate) fn await_number(context: &BenchContext) -> Result<(), Error> {
    let (folder, deadline) = (folder(context), Instant::now() + PATIENCE);
    while !folder.join(NUMBER).exists() {
        context.go_on()?;
        if Instant::now() > deadline {
            let says = fs::read_to_string(folder.join(LOG)).unwrap_or_default();
            return Err(Error::Bench(format!("nginx does not listen: {}", says.trim_end())));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

/// What stands in its configuration (nginx.org/en/docs/ngx_core_module.html,
/// http/ngx_http_core_module.html, http/ngx_http_ssl_module.html; those of Debian, except:)
///
/// - `master_process off`: the worker is the process that was started. A master that is killed would
///   leave its worker.
/// - `keepalive_requests`: connections stay, for both sides. By default each is closed after 1,000
///   answers.
/// - folders of its own for what it buffers: as root it gives the usual ones to another user when it
///   starts.
fn configuration(listen: &str, scheme: Scheme) -> String {
    const CERTIFICATE: &str = "        ssl_certificate certificate.pem;\n        ssl_certificate_key key.pem;\n        \
         ssl_protocols TLSv1.3;\n        ssl_conf_command Ciphersuites TLS_AES_256_GCM_SHA384;\n";
    let (tls, certificate) = match scheme {
        Scheme::Http => ("", ""),
        Scheme::Https => (" ssl", CERTIFICATE),
        Scheme::Http2 => (" ssl http2", CERTIFICATE),
    };
    format!(
        "daemon off;\nmaster_process off;\nworker_processes 1;\npid {NUMBER};\nerror_log {LOG};\n\
         events {{\n    worker_connections 1024;\n}}\n\
         http {{\n    access_log off;\n    sendfile on;\n    tcp_nopush on;\n    \
         keepalive_requests 1000000000;\n    \
         client_body_temp_path body;\n    proxy_temp_path proxy;\n    fastcgi_temp_path fastcgi;\n    \
         uwsgi_temp_path uwsgi;\n    scgi_temp_path scgi;\n    \
         server {{\n        listen {listen}{tls};\n        root content;\n{certificate}    }}\n}}\n"
    )
}

/// A certificate that nobody vouches for, and its key.
fn make_certificate(context: &BenchContext, folder: &Path) -> Result<(), Error> {
    let (key, certificate) = (folder.join("key.pem"), folder.join("certificate.pem"));
    if certificate.exists() {
        return Ok(());
    }
    let (key, certificate) = (key.to_string_lossy(), certificate.to_string_lossy());
    let kind = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    let rest = ["-subj", "/CN=127.0.0.1", "-days", "2", "-keyout", &key, "-out", &certificate];
    context.output(None, "openssl", &[&kind[..], &rest].concat()).map(drop)
}

/// Makes the file of this content, on the device and in the page cache; one that is there stays.
/// As much again must be free for who downloads it, and once more for all else.
pub(crate) fn make_content(context: &BenchContext, content: Content) -> Result<(), Error> {
    let folder = folder(context).join("content");
    fs::create_dir_all(&folder).map_err(Error::file("make", &folder))?;
    let path = folder.join(content.name);
    if path.exists() {
        return Ok(());
    }
    let file = File::create(&path).map_err(Error::file("make", &path))?;
    random_file::require_room(&file, &path, 3 * content.bytes)?;
    random_file::fill(context, &path, content.bytes).map(drop)
}

/// `nginx/1.22.1`.
pub(crate) fn version(context: &BenchContext) -> Result<String, Error> {
    // It says so on its standard error.
    let text = context.output(None, "sh", &["-c", "nginx -v 2>&1"])?;
    Ok(text.trim().trim_start_matches("nginx version: ").to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    #[test]
    fn a_server_answers_until_it_is_dropped() {
        if let Some(why) = xtask::tools::missing(&["nginx"]) {
            return println!("skipped: {why}");
        }
        let target = tempfile::tempdir().unwrap();
        let context = BenchContext::new(target.path(), 1).unwrap();
        make_content(&context, CONTENT_1K).unwrap();
        let server = Nginx::start(&context, crate::place::last().unwrap(), Scheme::Http).unwrap();
        await_number(&context).unwrap();
        let address = ("127.0.0.1", server.port);
        assert_eq!(server.url(CONTENT_1K), format!("http://127.0.0.1:{}/1k", server.port));
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(b"GET /1k HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        assert!(answer.starts_with(b"HTTP/1.1 200 OK\r\n"));
        let content = fs::read(context.scratch("nginx/content/1k")).unwrap();
        assert_eq!(content.len(), 1024);
        assert!(answer.ends_with(&content));
        drop(server);
        assert!(TcpStream::connect(address).is_err(), "it still listens");
    }

    #[test]
    fn one_that_cannot_start_says_why() {
        if let Some(why) = xtask::tools::missing(&["nginx"]) {
            return println!("skipped: {why}");
        }
        let target = tempfile::tempdir().unwrap();
        let context = BenchContext::new(target.path(), 1).unwrap();
        // A folder stands where its number is to be written.
        fs::create_dir_all(context.scratch(FOLDER).join(NUMBER)).unwrap();
        let error = Nginx::start(&context, crate::place::last().unwrap(), Scheme::Http).unwrap_err();
        assert!(error.to_string().contains(NUMBER), "{error}");
    }

    #[test]
    fn a_configuration_names_the_address_and_no_folder_of_the_machine() {
        let plain = configuration("127.0.0.1:8080", Scheme::Http);
        assert!(plain.contains("        listen 127.0.0.1:8080;\n        root content;\n    }\n"), "{plain}");
        assert!(!plain.contains('/') && !plain.contains("ssl"), "{plain}");
        let secure = configuration("127.0.0.1:8443", Scheme::Https);
        assert!(
            secure.contains("        listen 127.0.0.1:8443 ssl;\n        root content;\n        ssl_"),
            "{secure}"
        );
        assert!(secure.ends_with("TLS_AES_256_GCM_SHA384;\n    }\n}\n"), "{secure}");
        assert_eq!(configuration("127.0.0.1:8443", Scheme::Http2).replace(" ssl http2;", " ssl;"), secure);
    }
}
