//! `headroom serve`: the kept runs in a browser.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ::serve::{CertificateFiles, DEFAULT_PORT, WebServer, WebServerError, WebServerOptions};
use clap::{ArgAction, ArgMatches, Command, value_parser};
use machine::file::{self, Bounds};
use report::text::printable;
use store::SqliteStore;

use super::export::{language, language_argument};
use super::help::examples;
use super::{flag, option, store_argument, store_path};
use crate::exit::Failure;
use crate::output;
use crate::signals;

pub(super) fn define(command: Command) -> Command {
    let path =
        |name, help: &'static str| option(name, "FILE").value_parser(value_parser!(PathBuf)).help(help);
    command
        .before_help(examples([
            "serve",
            "serve --store /mnt/usb/headroom.db --lang ja",
            "serve --listen 10.0.0.2 --name lab.example",
        ]))
        .about("Show the kept runs in a browser: lists, pages, comparisons, trends")
        .long_about(
            "Shows the kept runs in a browser: a list with search, the page of each run with charts that zoom, \
             comparisons, trends, machines, and runs that are being measured. On this machine (127.0.0.1) everybody may \
             read. On any other address one signs in with a token, and all comes over TLS. To stop or remove runs takes \
             the write token, on this machine too. Tokens are shown once, here, and are others at the next start. \
             Ctrl-C or SIGTERM ends it.",
        )
        .arg(
            option("listen", "ADDR[:PORT]")
                .default_value("127.0.0.1:7118")
                .value_parser(listen_address)
                .help("Where to listen; 0.0.0.0 or [::] is every address of this machine"),
        )
        .arg(option("name", "HOST").action(ArgAction::Append).help(
            "A name by which browsers may call this machine, beside localhost and addresses; several times for several",
        ))
        .arg(
            path("certificate", "A certificate and its chain (PEM) [default: a new one, signed by itself, where TLS is needed]")
                .requires("key"),
        )
        .arg(path("key", "The certificate's private key (PEM)").requires("certificate"))
        .arg(flag("as-root", "Listen on an address that others reach, although this is root"))
        .arg(language_argument().help("The language of pages where the browser asks for none of en, ko and ja"))
        .arg(store_argument())
}

/// An address with or without a port.
fn listen_address(text: &str) -> Result<SocketAddr, String> {
    let bare = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).unwrap_or(text);
    let bare = if bare == "localhost" { "127.0.0.1" } else { bare };
    let address = bare.parse::<IpAddr>().map(|ip| SocketAddr::new(ip, DEFAULT_PORT));
    address.or_else(|_| text.parse()).map_err(|_| {
        "this is no address of a machine (127.0.0.1, 10.0.0.2:8080 and [::1]:7118 are)".to_owned()
    })
}

pub(super) fn carry_out(matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    let listen = matches.get_one::<SocketAddr>("listen").copied();
    let named = matches.get_one::<String>("store").map(PathBuf::from);
    let server = WebServer::bind(WebServerOptions {
        listen: listen.unwrap_or(SocketAddr::from(([127, 0, 0, 1], DEFAULT_PORT))),
        names: matches.get_many::<String>("name").unwrap_or_default().cloned().collect(),
        certificate: certificate(matches)?,
        as_root: matches.get_flag("as-root"),
        language: language(matches),
        open: Box::new(move || match &named {
            Some(path) => SqliteStore::open(path),
            None => SqliteStore::open_default(),
        }),
        tell: |text| output::note(&format!("{}\n", printable(text))),
    })
    .map_err(failure)?;
    let stop = Arc::new(AtomicBool::new(false));
    signals::watch(&stop).map_err(|source| Failure::File {
        what: "catching signals of",
        path: PathBuf::from("this program"),
        source,
    })?;
    output::print(beginning(&server, store_path(matches).as_deref()).as_bytes())?;
    server.run(&stop).map_err(failure)?;
    Ok(ExitCode::SUCCESS)
}

/// What whoever starts it has to know.
fn beginning(server: &WebServer, store: Option<&Path>) -> String {
    let store = printable(&store.map(|path| path.display().to_string()).unwrap_or_default());
    let mut text = format!("{}\nShows the runs of {store}; Ctrl-C ends it.\n", server.url());
    if let Some(token) = server.read_token() {
        text.push_str(&format!("Token to read:                      {token}\n"));
    }
    text.push_str(&format!("Token to stop and remove runs, too: {}\n", server.write_token()));
    if let Some(fingerprint) = server.fingerprint() {
        text.push_str(&format!("SHA-256 of the certificate: {fingerprint}\n"));
    }
    text
}

/// A chain with the keys of all its authorities is smaller.
const PEM_BYTES_MAX: u64 = 1 << 20;

/// Certificate and key, if they are given.
fn certificate(matches: &ArgMatches) -> Result<Option<CertificateFiles>, Failure> {
    let read = |name: &str| {
        let path = matches.get_one::<PathBuf>(name)?;
        let bytes = file::read(path, Bounds::of_file(PEM_BYTES_MAX));
        Some(bytes.map_err(|source| Failure::File { what: "reading", path: path.clone(), source }))
    };
    match (read("certificate").transpose()?, read("key").transpose()?) {
        (Some(certificate), Some(key)) => Ok(Some((certificate, key))),
        _ => Ok(None),
    }
}

fn failure(error: WebServerError) -> Failure {
    let help = error.help();
    match error {
        WebServerError::Store(error) => error.into(),
        WebServerError::Name(_) => Failure::arguments(error.to_string(), help),
        other => Failure::refused(other.to_string(), help),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_needs_no_port() {
        for (text, address) in [
            ("127.0.0.1", "127.0.0.1:7118"),
            ("localhost", "127.0.0.1:7118"),
            ("::1", "[::1]:7118"),
            ("[::]", "[::]:7118"),
            ("10.0.0.2:80", "10.0.0.2:80"),
        ] {
            assert_eq!(listen_address(text).unwrap(), address.parse().unwrap(), "{text}");
        }
        assert!(listen_address("lab.example").is_err() && listen_address("").is_err());
    }
}
