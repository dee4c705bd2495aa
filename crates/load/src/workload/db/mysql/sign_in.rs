//! How a client signs in to a server of MySQL's protocol: what the server says of itself, TLS where it is asked for, and
//! the proof of the password. Packets of that and the proofs are `mysql_common`'s; here is their order, and what is
//! refused. Nothing is sent or received here.
//!
//! A server chooses the way of signing in. Taken are those in which it does not learn the password
//! (`mysql_native_password`, `client_ed25519`), and `caching_sha2_password`, which asks for it where the server does not
//! remember it: it is sent over TLS or a socket of this machine, and otherwise encrypted for a key that the server sends,
//! if the user allows that, for somebody between the two could send one of his own.

use std::io;

use mysql_common::auth::plugins::{AuthProc, ChallengeResponsePlugin, Context};
use mysql_common::constants::{CapabilityFlags, MariadbCapabilities};
use mysql_common::crypto::der::{PubKeyFileType, pem_to_der};
use mysql_common::io::ParseBuf;
use mysql_common::packets::{AuthPlugin, AuthSwitchRequest, HandshakePacket, HandshakeResponse, SslRequest};
use mysql_common::proto::MySerialize;

use crate::workload::db::client::{FailureKind, StatementFailure};
use crate::workload::db::mysql::errors::ServerRefusal;
use crate::workload::db::mysql::packet::{self, PacketReader};
use crate::workload::db::wire::lost;

/// What a client of ours can be asked for, and asks for where the server knows it.
const WANTED: CapabilityFlags = CapabilityFlags::CLIENT_LONG_PASSWORD
    .union(CapabilityFlags::CLIENT_LONG_FLAG)
    .union(CapabilityFlags::CLIENT_TRANSACTIONS)
    .union(CapabilityFlags::CLIENT_MULTI_RESULTS)
    .union(CapabilityFlags::CLIENT_PS_MULTI_RESULTS)
    .union(CapabilityFlags::CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA)
    .union(CapabilityFlags::CLIENT_DEPRECATE_EOF)
    .union(NEEDED);

/// Without these nothing is spoken: MySQL has them since 5.5.7, MariaDB since 5.5.
const NEEDED: CapabilityFlags = CapabilityFlags::CLIENT_PROTOCOL_41
    .union(CapabilityFlags::CLIENT_SECURE_CONNECTION)
    .union(CapabilityFlags::CLIENT_PLUGIN_AUTH);

/// MariaDB then leaves the descriptions of columns out that a client has since it prepared the statement.
const WANTED_OF_MARIADB: MariadbCapabilities = MariadbCapabilities::MARIADB_CLIENT_CACHE_METADATA;

/// The longest packet that is taken. A server sends rows of up to its own `max_allowed_packet`.
const LONGEST: u32 = 1 << 30;

/// `utf8mb4_general_ci`, which all servers know.
const UTF8MB4: u8 = 45;

/// Bytes of what a server draws for a proof.
const NONCE: usize = 20;

/// So many packets of a server sign-in takes at most: the longest has five.
const PACKETS_MOST: u32 = 16;

/// A key of fewer bytes is none that is used; and how many more than the password it must have (OAEP with SHA-1).
const KEY_LEAST: usize = 128;
const KEY_MOST: usize = 1024;
const KEY_OVERHEAD: usize = 42;

/// How bytes go to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transport {
    /// In the clear over a network.
    Plain,
    /// By a socket of this machine, which nobody else reads.
    Local,
    /// Over TLS, for which the server is asked first.
    Tls,
}

/// As whom, and by what.
#[derive(Clone, Copy)]
pub(super) struct Credentials<'a> {
    pub(super) user: &'a str,
    pub(super) password: &'a [u8],
    /// The database that statements go to; empty for none.
    pub(super) database: &'a str,
    /// Whether the password may be encrypted for a key of which only the server says that it is its own.
    pub(super) trusts_sent_key: bool,
}

/// What has to be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SignInStep {
    /// What was written is sent, and the server's next packet is read.
    Continue,
    /// What was written is sent, TLS is begun, and then [`SignIn::answer`] written.
    BeginTls,
    /// It is done: the server takes requests.
    Done,
}

/// What was agreed with a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Agreed {
    /// Whether the descriptions of columns end with the last one, and rows with what says that all is well.
    pub(super) has_no_eof: bool,
    /// Whether an answer says if it describes its columns.
    pub(super) may_omit_columns: bool,
    /// The status of the session when it began.
    pub(super) status: u16,
}

/// Sign-in of one connection.
pub(super) struct SignIn<'a> {
    credentials: Credentials<'a>,
    transport: Transport,
    nonce: Vec<u8>,
    capabilities: CapabilityFlags,
    of_mariadb: MariadbCapabilities,
    plugin: AuthPlugin<'static>,
    procedure: Option<AuthProc>,
    packets: u32,
    /// The number of the next packet of ours.
    sequence: u8,
    agreed: Agreed,
}

/// What proofs are made of.
#[derive(Clone, Copy)]
struct Secrets<'a> {
    password: &'a [u8],
    transport: Transport,
    nonce: &'a [u8],
}

impl Context for Secrets<'_> {
    fn pass(&self) -> &[u8] {
        self.password
    }

    fn is_ipc_transport(&self) -> bool {
        self.transport == Transport::Local
    }

    fn is_tls_transport(&self) -> bool {
        self.transport == Transport::Tls
    }

    fn scramble(&self) -> &[u8] {
        self.nonce
    }

    fn server_key_pem(&self) -> Option<&[u8]> {
        None
    }
}

impl<'a> SignIn<'a> {
    /// Before anything came.
    pub(super) fn new(credentials: Credentials<'a>, transport: Transport) -> Self {
        Self {
            credentials,
            transport,
            nonce: Vec::new(),
            capabilities: CapabilityFlags::empty(),
            of_mariadb: MariadbCapabilities::empty(),
            plugin: AuthPlugin::MysqlNativePassword,
            procedure: None,
            packets: 0,
            sequence: 0,
            agreed: Agreed::default(),
        }
    }

    /// What was agreed, once it is done.
    pub(super) fn agreed(&self) -> Agreed {
        self.agreed
    }

    /// Takes a packet of the server, and writes the answer behind what is in `out`.
    ///
    /// # Errors
    /// With why nobody can sign in so.
    pub(super) fn take(
        &mut self,
        content: &[u8],
        sequence: u8,
        out: &mut Vec<u8>,
    ) -> Result<SignInStep, StatementFailure> {
        self.packets += 1;
        self.sequence = sequence.wrapping_add(1);
        if let Some(refusal) = ServerRefusal::of(content) {
            return Err(refused(format!("the server refuses the connection: {}", refusal.told())));
        }
        if self.packets == 1 {
            return self.greet(content, out);
        }
        if self.packets > PACKETS_MOST {
            return Err(refused("the server does not come to an end of signing in"));
        }
        match content.first() {
            Some(&packet::OK) => self.finish(content),
            Some(&packet::MORE_DATA) => self.go_on(&content[1..], out),
            Some(&packet::END) => self.switch(content, out),
            _ => Err(unexpected("while signing in")),
        }
    }

    /// The first packet: what the server can.
    fn greet(&mut self, content: &[u8], out: &mut Vec<u8>) -> Result<SignInStep, StatementFailure> {
        let server = greeting(content)?;
        let known = server.capabilities();
        if !known.contains(NEEDED) {
            return Err(refused(format!(
                "the server ({}) is too old: it does not sign in as MySQL 5.5.7 and MariaDB 5.5 do",
                server.server_version_str()
            )));
        }
        if self.credentials.user.contains('\0') || self.credentials.database.contains('\0') {
            return Err(refused("the name of a user or of a database has a zero byte"));
        }
        self.capabilities = WANTED & known;
        if !known.contains(CapabilityFlags::CLIENT_LONG_PASSWORD) {
            self.of_mariadb = WANTED_OF_MARIADB & server.mariadb_ext_capabilities();
        }
        self.agreed = Agreed {
            has_no_eof: self.capabilities.contains(CapabilityFlags::CLIENT_DEPRECATE_EOF),
            may_omit_columns: !self.of_mariadb.is_empty(),
            status: 0,
        };
        self.nonce = server.nonce();
        self.nonce.truncate(NONCE);
        // Servers tell their default. One that a user signs in by otherwise is told later.
        self.plugin = match server.auth_plugin() {
            Some(AuthPlugin::CachingSha2Password) => AuthPlugin::CachingSha2Password,
            _ => AuthPlugin::MysqlNativePassword,
        };
        if self.transport != Transport::Tls {
            self.answer(out)?;
            return Ok(SignInStep::Continue);
        }
        if !known.contains(CapabilityFlags::CLIENT_SSL) {
            return Err(refused("the server does not speak TLS, and the url asks for it"));
        }
        self.capabilities |= CapabilityFlags::CLIENT_SSL;
        let mut capabilities = self.capabilities;
        capabilities.set(CapabilityFlags::CLIENT_CONNECT_WITH_DB, !self.credentials.database.is_empty());
        let request =
            SslRequest::new(capabilities, LONGEST, UTF8MB4).with_mariadb_capabilities(self.of_mariadb);
        self.put(&request, out);
        Ok(SignInStep::BeginTls)
    }

    /// Answers the server's first packet.
    ///
    /// # Errors
    /// If what the server drew makes no proof.
    pub(super) fn answer(&mut self, out: &mut Vec<u8>) -> Result<(), StatementFailure> {
        let proof = self.begin(self.plugin.clone())?;
        let Credentials { user, database, .. } = self.credentials;
        // The version says only which collation is sent: the one of `UTF8MB4`.
        let answer = HandshakeResponse::new(
            Some(proof),
            (5, 5, 7),
            Some(user.as_bytes()),
            (!database.is_empty()).then_some(database.as_bytes()),
            Some(self.plugin.clone()),
            self.capabilities,
            None,
            LONGEST,
        )
        .with_mariadb_ext_capabilities(self.of_mariadb);
        self.put(&answer, out);
        Ok(())
    }

    /// The server asks for another way of signing in.
    fn switch(&mut self, content: &[u8], out: &mut Vec<u8>) -> Result<SignInStep, StatementFailure> {
        if content.len() == 1 {
            return Err(refused(
                "the server asks for the passwords of MySQL 4.0, which anybody can find out",
            ));
        }
        let asked = ParseBuf(content).parse::<AuthSwitchRequest<'_>>(()).map_err(|e| broken(&e))?;
        asked.plugin_data().clone_into(&mut self.nonce);
        let proof = self.begin(asked.auth_plugin().into_owned())?;
        packet::put(out, self.next(), &proof);
        Ok(SignInStep::Continue)
    }

    /// The server asks for more, by the way that is under way.
    fn go_on(&mut self, challenge: &[u8], out: &mut Vec<u8>) -> Result<SignInStep, StatementFailure> {
        let Credentials { password, trusts_sent_key, .. } = self.credentials;
        if challenge == [FULL_SIGN_IN] && self.transport == Transport::Plain && !trusts_sent_key {
            return Err(refused(
                "the server does not remember the password (caching_sha2_password) and asks for it, and the \
                 connection is not encrypted: add tls=verify to the url, or get-server-public-key=yes, which \
                 believes whoever answers",
            ));
        }
        if challenge.len() > 1 && !is_key_for(challenge, password) {
            return Err(refused("the server sends no key that the password can be encrypted for"));
        }
        if let Some(proof) = self.prove(challenge)? {
            packet::put(out, self.next(), &proof);
        }
        Ok(SignInStep::Continue)
    }

    fn finish(&mut self, content: &[u8]) -> Result<SignInStep, StatementFailure> {
        self.agreed.status = ok_packet(content).ok_or_else(|| unexpected("while signing in"))?.status;
        Ok(SignInStep::Done)
    }

    /// Begins to sign in by `plugin`; returns the first proof.
    fn begin(&mut self, plugin: AuthPlugin<'static>) -> Result<Vec<u8>, StatementFailure> {
        let is_taken = matches!(
            plugin,
            AuthPlugin::MysqlNativePassword | AuthPlugin::CachingSha2Password | AuthPlugin::Ed25519
        );
        if !is_taken {
            return Err(refused(format!(
                "the server asks this user to sign in by `{}`; known are mysql_native_password, \
                 caching_sha2_password and client_ed25519",
                String::from_utf8_lossy(plugin.as_bytes())
            )));
        }
        self.procedure = Some(plugin.init().map_err(|e| refused(e.to_string()))?);
        self.plugin = plugin;
        let nonce = self.nonce.clone();
        Ok(self.prove(&nonce)?.unwrap_or_default())
    }

    /// What is answered to `challenge`, if anything.
    fn prove(&mut self, challenge: &[u8]) -> Result<Option<Vec<u8>>, StatementFailure> {
        let secrets =
            Secrets { password: self.credentials.password, transport: self.transport, nonce: &self.nonce };
        let procedure = self.procedure.as_mut().ok_or_else(|| unexpected("while signing in"))?;
        let answer = procedure.run(secrets, challenge).map_err(|e| {
            refused(format!("signing in by {} failed: {e}", String::from_utf8_lossy(self.plugin.as_bytes())))
        })?;
        Ok(answer.data().map(<[u8]>::to_vec))
    }

    /// The number of the next packet.
    fn next(&mut self) -> u8 {
        let sequence = self.sequence;
        self.sequence = sequence.wrapping_add(1);
        sequence
    }

    fn put(&mut self, content: &impl MySerialize, out: &mut Vec<u8>) {
        let packet = packet::OpenPacket::begin(out, self.next());
        content.serialize(out);
        packet.end(out);
    }
}

/// What a server of `caching_sha2_password` sends where it does not remember the password.
const FULL_SIGN_IN: u8 = 4;

/// What the first packet of a server says.
fn greeting(content: &[u8]) -> Result<HandshakePacket<'_>, StatementFailure> {
    /// From the end of the version to how many bytes were drawn.
    const DRAWN_AT: usize = 21;
    if content.first() != Some(&10) {
        return Err(refused("what answers is no server of MySQL's protocol, or a very old one"));
    }
    let version = content.iter().skip(1).position(|byte| *byte == 0);
    let drawn = version.and_then(|length| content.get(1 + length + DRAWN_AT));
    // The library reckons with a byte that has a sign.
    if drawn.is_none_or(|drawn| *drawn > 127) {
        return Err(unexpected("as its first packet"));
    }
    ParseBuf(content).parse::<HandshakePacket<'_>>(()).map_err(|e| broken(&e))
}

/// What is read of a packet that says that all is well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OkPacket {
    pub(super) rows: u64,
    /// The status of the session (dev.mysql.com, `SERVER_STATUS_flags_enum`).
    pub(super) status: u16,
}

/// What the content of one says; its first byte is not looked at.
#[inline]
pub(super) fn ok_packet(content: &[u8]) -> Option<OkPacket> {
    let mut content = PacketReader(content);
    content.take(1)?;
    let rows = content.length()?;
    content.length()?;
    let status = u16::try_from(content.number(2)?).ok()?;
    Some(OkPacket { rows, status })
}

/// Whether `pem` is a public RSA key that has room for `password`: one that `mysql_common` takes without a panic.
fn is_key_for(pem: &[u8], password: &[u8]) -> bool {
    let Ok((der, kind)) = pem_to_der(pem) else { return false };
    let modulus = match kind {
        PubKeyFileType::Pkcs1 => modulus(&der),
        PubKeyFileType::Pkcs8 => of_public_key_info(&der).and_then(modulus),
    };
    let bytes = modulus.map_or(0, <[u8]>::len);
    (KEY_LEAST..=KEY_MOST).contains(&bytes) && password.len() + 1 + KEY_OVERHEAD < bytes
}

/// The key in what X.509 has around it (RFC 5280, section 4.1: `SubjectPublicKeyInfo`).
fn of_public_key_info(der: &[u8]) -> Option<&[u8]> {
    let mut outer = der_value(&mut { der }, 0x30)?;
    der_value(&mut outer, 0x30)?;
    der_value(&mut outer, 0x03)?.strip_prefix(&[0])
}

/// The modulus of a key (RFC 8017, appendix A.1.1: `RSAPublicKey`), without what makes it positive, if its exponent is
/// one too.
fn modulus(der: &[u8]) -> Option<&[u8]> {
    let mut fields = der_value(&mut { der }, 0x30)?;
    let modulus = der_value(&mut fields, 0x02)?;
    let exponent = der_value(&mut fields, 0x02)?;
    let modulus = modulus.strip_prefix(&[0]).unwrap_or(modulus);
    (modulus.first().is_some_and(|byte| *byte != 0) && (1..=8).contains(&exponent.len())).then_some(modulus)
}

/// The content of the value with this tag that `der` begins with; `der` is what follows.
fn der_value<'a>(der: &mut &'a [u8], tag: u8) -> Option<&'a [u8]> {
    let mut content = PacketReader(der);
    if content.number(1)? != u64::from(tag) {
        return None;
    }
    let length = match content.number(1)? {
        short @ 0..=0x7f => short,
        long @ 0x81..=0x84 => {
            let bytes = content.take(usize::try_from(long - 0x80).ok()?)?;
            bytes.iter().fold(0, |length, byte| length << 8 | u64::from(*byte))
        }
        _ => return None,
    };
    let value = content.take(usize::try_from(length).ok()?)?;
    *der = content.0;
    Some(value)
}

fn refused(message: impl Into<String>) -> StatementFailure {
    StatementFailure { kind: FailureKind::Refused, message: message.into() }
}

/// A server that does not keep to the protocol.
pub(super) fn unexpected(when: &str) -> StatementFailure {
    lost(format!("the server sent what MySQL's protocol does not have {when}"))
}

fn broken(error: &io::Error) -> StatementFailure {
    lost(format!("the server sent what MySQL's protocol does not have while signing in: {error}"))
}
