//! Certificates that are believed and those that are not.

use base64::Engine;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::*;

/// How a server of this name is configured that chooses among these protocols (ALPN), and its authority in
/// PEM.
pub(super) fn configured(name: &str, protocols: &[&[u8]]) -> (Arc<ServerConfig>, String) {
    certified(CertificateParams::new(vec![name.to_owned()]).unwrap(), protocols)
}

/// The same with a certificate of which more is said.
fn certified(certificate: CertificateParams, protocols: &[&[u8]]) -> (Arc<ServerConfig>, String) {
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let certificate = certificate.signed_by(&key, &authority).unwrap();
    let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let mut config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], private)
        .unwrap();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    let text = base64::engine::general_purpose::STANDARD.encode(authority.der());
    (Arc::new(config), format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n"))
}

/// A server over TLS for this name, and its authority in PEM.
fn secure(name: &str) -> (Server, String) {
    let (config, authority) = configured(name, &[]);
    (served(config), authority)
}

/// A server that is configured so.
fn served(config: Arc<ServerConfig>) -> Server {
    Server::start(move |client| {
        let session = ServerConnection::new(Arc::clone(&config)).unwrap();
        let mut stream = StreamOwned::new(session, client);
        while hear(&mut stream)?.is_some() {
            ok(&mut stream, &content(100_000))?;
            stream.flush()?;
        }
        Ok(())
    })
}

pub(super) fn url(server: &Server) -> String {
    format!("https://127.0.0.1:{}/", server.port)
}

#[test]
fn a_certificate_is_believed_if_an_authority_vouches_for_its_name() {
    let (server, authority) = secure("127.0.0.1");
    let mut file = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    file.write_all(authority.as_bytes()).unwrap();
    let believed = ("ca-file", file.path().to_str().unwrap());
    let url = url(&server);
    for workload in [REQUESTS, DOWNLOAD] {
        for trust in [believed, ("insecure", "yes")] {
            let measured = run(workload, &[("url", &url), trust]).unwrap();
            assert_eq!(measured.fact("tls_version"), "TLSv1_3");
        }
        let why = run(workload, &[("url", &url)]).unwrap_err();
        assert!(why.contains("is not believed") || why.contains("no certificates of authorities"), "{why}");
    }
    let sum = sha256(&content(100_000));
    run(DOWNLOAD, &[("url", &url), believed, ("verify", &sum), ("until", "end")]).unwrap();
    // What is sent by way of TLS, made or read, arrives whole, or the server would not answer.
    let sent = ("upload-file", file.path().to_str().unwrap());
    let made = [("url", &*url), believed, ("size", "3000017"), ("until", "end"), ("streams", "2")];
    assert_eq!(run("http.upload", &made).unwrap().done_bytes, 6_000_034.0);
    let read = [("url", &*url), believed, sent, ("until", "end")];
    assert_eq!(run("http.upload", &read).unwrap().done_bytes, authority.len() as f64);
    // Tickets for another session come on connections that wait for their first request.
    let slow = [("url", &*url), believed, ("rate", "100/s"), ("connections", "8"), ("duration", "500ms")];
    assert_eq!(run(REQUESTS, &slow).unwrap().fact("connections_made"), "8");
    let given = [("url", &*url), believed, ("keep-alive", "no"), ("requests", "20"), ("connections", "2")];
    let anew = run(REQUESTS, &given).unwrap();
    assert_eq!(anew.metric("error_share"), 0.0);
    assert!(anew.metric("tls_handshakes_per_second") > 0.0, "{anew:?}");
    assert_eq!(anew.fact("tls_handshakes"), format!("full: {}, resumed: 0", anew.fact("connections_made")));
    // Those that stood before time counted are in no rate.
    let kept = run(REQUESTS, &[("url", &url), believed, ("requests", "20"), ("connections", "2")]).unwrap();
    assert!(kept.metrics.iter().all(|(name, _)| !name.as_str().starts_with("tls_")), "{kept:?}");
    for way in ["splice", "io_uring"] {
        let moved = run(DOWNLOAD, &[("url", &url), believed, ("move", way)]).unwrap_err();
        assert!(moved.contains("TLS must see all"), "{moved}");
    }
    let (other, authority) = secure("elsewhere.example");
    std::fs::write(file.path(), authority).unwrap();
    let why = run(REQUESTS, &[("url", &self::url(&other)), believed]).unwrap_err();
    assert!(why.contains("not for `127.0.0.1`"), "{why}");
}

/// Answers longer than what one turn receives come whole, and over several connections none waits for ever.
#[test]
fn regression_long_answers_over_tls_take_turns() {
    let bytes: usize = 6 << 20;
    let (config, _) = configured("127.0.0.1", &[]);
    let server = Server::start(move |client| {
        let session = ServerConnection::new(Arc::clone(&config)).unwrap();
        let mut stream = StreamOwned::new(session, client);
        while hear(&mut stream)?.is_some() {
            ok(&mut stream, &vec![7; bytes])?;
            stream.flush()?;
        }
        Ok(())
    });
    let url = url(&server);
    let given = [("url", &*url), ("insecure", "yes"), ("connections", "3"), ("requests", "9")];
    let measured = run(REQUESTS, &given).unwrap();
    assert_eq!(measured.metric("error_share"), 0.0, "{measured:?}");
    assert_eq!(measured.fact("connections_made"), "3");
    assert!(measured.done_bytes > 8.9 * bytes as f64, "{measured:?}");
}

#[test]
fn who_speaks_no_tls_is_told() {
    let server = Server::answering(|_, client| ok(client, b"x"));
    let why = run(REQUESTS, &[("url", &url(&server)), ("timeout", "500ms")]).unwrap_err();
    assert!(why.contains("TLS") || why.contains("handshake"), "{why}");
    let (server, _) = secure("127.0.0.1");
    let why = run(REQUESTS, &[("url", &server.url("/")), ("timeout", "500ms")]).unwrap_err();
    assert!(why.contains("no HTTP/1.1") || why.contains("broke"), "{why}");
}

/// Each fault of a certificate is told by its own reason, and with how far it is off.
#[test]
fn what_is_wrong_with_a_certificate_is_told() {
    let of = |from: i32, to: i32, name: &str| {
        let mut certificate = CertificateParams::new(vec![name.to_owned()]).unwrap();
        certificate.not_before = date_time_ymd(from, 1, 1);
        certificate.not_after = date_time_ymd(to, 1, 1);
        certified(certificate, &[])
    };
    for ((config, authority), told) in [
        (of(2001, 2002, "127.0.0.1"), "it has expired, "),
        (of(3001, 3002, "127.0.0.1"), "it is not valid yet, only in "),
        (of(2001, 3002, "elsewhere.example"), "it is not for `127.0.0.1`, but for elsewhere.example"),
    ] {
        let server = served(config);
        let mut file = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        file.write_all(authority.as_bytes()).unwrap();
        let believed = ("ca-file", file.path().to_str().unwrap());
        let url = url(&server);
        for workload in [REQUESTS, DOWNLOAD, "http.upload"] {
            let why = run(workload, &[("url", &url), believed]).unwrap_err();
            assert!(why.contains("is not believed") && why.contains(told), "{workload}: {why}");
        }
        if told.ends_with(", ") || told.ends_with("in ") {
            let why = run(REQUESTS, &[("url", &url), believed]).unwrap_err();
            assert!(why.contains(" days") && why.contains("the clock of this machine"), "{why}");
        }
        // Who does not look at it is answered.
        assert_eq!(run(REQUESTS, &[("url", &url), ("insecure", "yes")]).unwrap().metric("error_share"), 0.0);
    }
}
