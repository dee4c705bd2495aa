//! Sign-in against what servers send, byte for byte.

use crate::workload::db::client::StatementFailure;
use crate::workload::db::mysql::packet::{self, HEAD};
use crate::workload::db::mysql::sign_in::{Credentials, SignIn, SignInStep, Transport};

/// What MySQL's own tests of proofs take: a nonce and a password (`unittest/gunit/sha2_password-t.cc`).
const NONCE: [u8; 20] = *b"NR3HP:qIYa_9=db?Sd{`";
const PASSWORD: &[u8] = b"G!ider27";

/// Capabilities of MariaDB 10.11 and its extended ones; of MySQL 8.0; and of a server that speaks neither TLS nor more
/// than it must.
const OF_MARIADB: (u32, u32) = (0x81ff_fffe, 0x1d);
const OF_MYSQL: (u32, u32) = (0xdfff_ffff, 0);
const OF_OLD: (u32, u32) = (0x0008_a20d, 0);

const OK: &[u8] = &[0, 0, 0, 2, 0, 0, 0];

/// The first packet of a server.
fn greeting((capabilities, more): (u32, u32), plugin: &str) -> Vec<u8> {
    let [low, lower, high, higher] = capabilities.to_le_bytes();
    let mut all = b"\x0a5.5.5-10.11.19-MariaDB\0\x07\0\0\0".to_vec();
    all.extend_from_slice(&NONCE[..8]);
    all.extend_from_slice(&[0, low, lower, 45, 2, 0, high, higher, 21, 0, 0, 0, 0, 0, 0]);
    all.extend_from_slice(&more.to_le_bytes());
    all.extend_from_slice(&NONCE[8..]);
    all.push(0);
    all.extend_from_slice(plugin.as_bytes());
    all.push(0);
    all
}

fn credentials(password: &[u8]) -> Credentials<'_> {
    Credentials { user: "me", password, database: "here", trusts_sent_key: false }
}

/// Sign-in to which these packets come; what it answers to each, without heads, and the last step.
fn answers(
    sign_in: &mut SignIn<'_>,
    packets: &[&[u8]],
) -> Result<(Vec<Vec<u8>>, SignInStep), StatementFailure> {
    let (mut all, mut last) = (Vec::new(), SignInStep::Continue);
    for (place, content) in packets.iter().enumerate() {
        let mut out = Vec::new();
        let sequence = u8::try_from(place * 2).unwrap();
        last = sign_in.take(content, sequence, &mut out)?;
        if last == SignInStep::BeginTls {
            let request = out.len();
            sign_in.answer(&mut out)?;
            assert_eq!(out[request + 3], out[3] + 1, "packets are counted");
            all.push(out[HEAD..request].to_vec());
            out.drain(..request);
        } else if let Some((_, number)) = packet::first(&out) {
            assert_eq!(number, sequence + 1);
        }
        all.push(out.get(HEAD..).unwrap_or_default().to_vec());
    }
    Ok((all, last))
}

fn refusal(packets: &[&[u8]], credentials: Credentials<'_>, transport: Transport) -> String {
    answers(&mut SignIn::new(credentials, transport), packets).unwrap_err().message
}

/// What [`PASSWORD`] proves itself by for [`NONCE`]: `mysql_native_password`, `caching_sha2_password`.
const NATIVE_PROOF: [u8; 20] = [
    0x09, 0xcf, 0xf8, 0x85, 0x5e, 0x9e, 0x70, 0x53, 0x40, 0xff, 0x22, 0x70, 0xd8, 0xfb, 0x9f, 0xad, 0xba,
    0x90, 0x6b, 0x70,
];
const SHA2_PROOF: [u8; 32] = [
    0x4f, 0x97, 0xbb, 0xfd, 0x20, 0x24, 0x01, 0xc4, 0x2a, 0x69, 0xde, 0xaa, 0xe5, 0x3b, 0xda, 0x07, 0x7e,
    0xd7, 0x57, 0x85, 0x63, 0xc1, 0xa8, 0x0e, 0xb8, 0x16, 0xc8, 0x21, 0x19, 0xb6, 0x8d, 0x2e,
];

#[test]
fn the_answer_to_mariadb_has_what_both_know_and_the_proof() {
    let mut sign_in = SignIn::new(credentials(PASSWORD), Transport::Plain);
    let hello = greeting(OF_MARIADB, "mysql_native_password");
    let (answers, last) = answers(&mut sign_in, &[&hello, OK]).unwrap();
    let mut expected = 0x012e_a20c_u32.to_le_bytes().to_vec();
    expected.extend_from_slice(&(1_u32 << 30).to_le_bytes());
    expected.push(45);
    expected.extend_from_slice(&[0; 19]);
    expected.extend_from_slice(&0x10_u32.to_le_bytes());
    expected.extend_from_slice(b"me\0\x14");
    expected.extend_from_slice(&NATIVE_PROOF);
    expected.extend_from_slice(b"here\0mysql_native_password\0");
    assert_eq!(answers, [expected, Vec::new()]);
    assert_eq!(last, SignInStep::Done);
    let agreed = sign_in.agreed();
    assert!(agreed.has_no_eof && agreed.may_omit_columns && agreed.status == 2, "{agreed:?}");
}

#[test]
fn an_old_server_is_spoken_to_as_it_speaks() {
    let mut sign_in = SignIn::new(Credentials { database: "", ..credentials(b"") }, Transport::Plain);
    let hello = greeting(OF_OLD, "mysql_native_password");
    let (answers, _) = answers(&mut sign_in, &[&hello, OK]).unwrap();
    assert_eq!(answers[0][..4], 0x0008_a205_u32.to_le_bytes());
    assert_eq!(answers[0][32..], *b"me\0\0mysql_native_password\0");
    let agreed = sign_in.agreed();
    assert!(!agreed.has_no_eof && !agreed.may_omit_columns, "{agreed:?}");
}

#[test]
fn a_server_may_ask_for_another_way() {
    let hello = greeting(OF_MARIADB, "mysql_native_password");
    let mut switch = b"\xfeclient_ed25519\0".to_vec();
    switch.extend(0..32);
    let mut sign_in = SignIn::new(credentials(b"secret"), Transport::Plain);
    let (all, last) = answers(&mut sign_in, &[&hello, &switch, OK]).unwrap();
    // By RFC 8032 with `secret` in the place of the seed, reckoned apart; its public key is the one of MariaDB's manual.
    let signature = "546c3e9311d19ee389d1ae5d945821bfe459423910136f16b3bd2ae89fd7d63b\
                     449e689f4be812891a85b8f999076446d92adb83d0707215aaa60b5a23220907";
    let hex: String = all[1].iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!((hex.as_str(), last), (signature, SignInStep::Done));

    let mut switch = b"\xfemysql_native_password\0".to_vec();
    switch.extend_from_slice(&NONCE);
    switch.push(0);
    let hello = greeting(OF_MYSQL, "caching_sha2_password");
    let mut sign_in = SignIn::new(credentials(PASSWORD), Transport::Plain);
    let (all, _) = answers(&mut sign_in, &[&hello, &switch, OK]).unwrap();
    assert_eq!(all[1], NATIVE_PROOF);
}

#[test]
fn a_remembered_password_is_not_sent() {
    let hello = greeting(OF_MYSQL, "caching_sha2_password");
    let mut sign_in = SignIn::new(credentials(PASSWORD), Transport::Plain);
    let (all, last) = answers(&mut sign_in, &[&hello, &[1, 3], OK]).unwrap();
    let proof = [&b"me\0\x20"[..], &SHA2_PROOF, b"here\0caching_sha2_password\0"].concat();
    assert_eq!(all[0][32..], proof);
    assert_eq!((all[1].as_slice(), last), (&b""[..], SignInStep::Done));
}

#[test]
fn a_password_that_is_asked_for_goes_over_tls_or_a_socket_only() {
    let hello = greeting(OF_MYSQL, "caching_sha2_password");
    let mut sign_in = SignIn::new(credentials(PASSWORD), Transport::Tls);
    let (all, _) = answers(&mut sign_in, &[&hello, &[1, 4], OK]).unwrap();
    // The request for TLS is the beginning of the answer.
    assert_eq!((all[0].len(), &all[0][..]), (32, &all[1][..32]));
    assert_eq!(u32::from_le_bytes(all[0][..4].try_into().unwrap()) & 0x800, 0x800);
    assert_eq!(all[2], b"G!ider27\0");
    let mut sign_in = SignIn::new(credentials(PASSWORD), Transport::Local);
    assert_eq!(answers(&mut sign_in, &[&hello, &[1, 4]]).unwrap().0[1], b"G!ider27\0");

    let told = refusal(&[&hello, &[1, 4]], credentials(PASSWORD), Transport::Plain);
    assert!(told.contains("get-server-public-key") && !told.contains("G!ider27"), "{told}");
}

const KEY: &str = "-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAoQSAA15cerGpfYWpqPkx
/eeKsKmKIODMwCbQNbyO7DBe+4T0QLTmG7VMXiIQcUyECwV8XBqiZoWWb8nTBF52
rGGZBzV+zlRLhg3TpU34CVVc2EAcgrZHEiYZkP9e8b6Wwrp6OwEDxRYrf/Jw6sq/
DAvkuQePQmOnr07i5hLFhrMXbzl1gTOIPjocZDU01Zt0Yy0Dq442d7mK2eOpgjwr
x07/J91DBhz4mb3Tuc47/R8Xs7HOSbwruCzCilJwQF8aaBaTBw/ND7m2loC1tcuX
AFSOmYPlZbyJueAY/pqSOAXs+ztD1hXNREma31pehPq7C+WoEu2NK/NPt9XLX4il
6QIDAQAB
-----END PUBLIC KEY-----
";

/// Of 512 bits.
const SHORT_KEY: &str = "-----BEGIN PUBLIC KEY-----
MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAMvIQJ9d80+5WtfbRpnDH4fi4RGS0N5j
RsCjR0quqCm16SVuEOFDpKKb3xG8Q2auohli4pm44q/NkcZsCN7XockCAwEAAQ==
-----END PUBLIC KEY-----
";

#[test]
fn where_the_user_allows_it_the_password_is_encrypted_for_the_key_that_is_sent() {
    let hello = greeting(OF_MYSQL, "caching_sha2_password");
    let trusting = |password| Credentials { trusts_sent_key: true, ..credentials(password) };
    let key = [b"\x01", KEY.as_bytes()].concat();
    let encrypted = || {
        let mut sign_in = SignIn::new(trusting(PASSWORD), Transport::Plain);
        let (all, last) = answers(&mut sign_in, &[&hello, &[1, 4], &key, OK]).unwrap();
        assert_eq!((all[1].as_slice(), last), (&[2][..], SignInStep::Done));
        all[2].clone()
    };
    let (one, other) = (encrypted(), encrypted());
    assert_eq!((one.len(), other.len()), (256, 256));
    assert_ne!(one, other, "it is padded with random bytes");

    let long = [b'x'; 214];
    let cut = format!("{}\n-----END PUBLIC KEY-----", &KEY[..200]);
    let cases: [(&str, &[u8]); 5] = [
        (SHORT_KEY, PASSWORD),
        (&cut[..], PASSWORD),
        ("no key", PASSWORD),
        ("-----BEGIN PUBLIC KEY-----\nMAA=\n-----END PUBLIC KEY-----", PASSWORD),
        (KEY, &long),
    ];
    for (sent, password) in cases {
        let sent = [b"\x01", sent.as_bytes()].concat();
        let told = refusal(&[&hello, &[1, 4], &sent], trusting(password), Transport::Plain);
        assert!(told.contains("no key that the password can be encrypted for"), "{told}");
    }
}

#[test]
fn what_nobody_should_answer_is_refused() {
    let hello = greeting(OF_MARIADB, "mysql_native_password");
    let told = |packets: &[&[u8]]| refusal(packets, credentials(PASSWORD), Transport::Plain);
    let cases: [(&[&[u8]], &str); 12] = [
        (&[&hello, b"\xfemysql_clear_password\0"], "mysql_clear_password"),
        (&[&hello, b"\xfedialog\0Password:"], "`dialog`"),
        (&[&hello, b"\xfe"], "MySQL 4.0"),
        (&[&hello, b"\xfeclient_ed25519\0short"], "client_ed25519 failed"),
        (&[&hello, b"\x01more"], "no key"),
        (&[&hello, b"\x07"], "does not have"),
        (&[&hello, b""], "does not have"),
        (&[b"\xff\x10\x04Too many connections"], "Too many connections"),
        (&[&hello, b"\xff\x15\x04#28000Access denied for user 'me'@'here'"], "Access denied for user 'me'"),
        (&[b"\x09old"], "very old"),
        (&[b"\x0anothing"], "does not have"),
        (&[b""], "no server"),
    ];
    for (packets, why) in cases {
        let told = told(packets);
        assert!(told.contains(why), "{why}: {told}");
        assert!(!told.contains("G!ider27"), "{told}");
    }
    // None of its first packets is taken in part.
    for cut in 1..hello.len() - 24 {
        assert!(told(&[&hello[..cut]]).contains("does not have"), "{cut}");
    }
    let old = greeting((0x0000_a20d, 0), "");
    assert!(told(&[&old]).contains("too old"));
    let told = refusal(&[&greeting(OF_OLD, "x")], credentials(PASSWORD), Transport::Tls);
    assert!(told.contains("does not speak TLS"), "{told}");
    let nobody = Credentials { user: "a\0b", ..credentials(b"") };
    assert!(refusal(&[&hello], nobody, Transport::Plain).contains("zero byte"));
}

#[test]
fn a_server_that_asks_for_ever_is_left() {
    let hello = greeting(OF_MARIADB, "mysql_native_password");
    let mut switch = b"\xfemysql_native_password\0".to_vec();
    switch.extend_from_slice(&NONCE);
    let mut packets: Vec<&[u8]> = vec![&hello[..]];
    packets.resize(40, &switch);
    let told = refusal(&packets, credentials(PASSWORD), Transport::Plain);
    assert!(told.contains("does not come to an end"), "{told}");
}
