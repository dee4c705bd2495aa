//! How a connection to PostgreSQL begins: TLS if it is asked for, then whoever the server wants to be shown (its
//! documentation, section 55.2.1). Where it wants nothing, it trusts, or has asked the kernel who is at the other end
//! of its socket (`peer`).

use bytes::BytesMut;
use fallible_iterator::FallibleIterator;
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{
    ChannelBinding, SCRAM_SHA_256, SCRAM_SHA_256_PLUS, ScramSha256,
};
use postgres_protocol::message::backend::{AuthenticationSaslBody, Message};
use postgres_protocol::message::frontend;

use crate::workload::db::client::StatementFailure;
use crate::workload::db::password::Password;
use crate::workload::db::postgres::channel_binding;
use crate::workload::db::postgres::errors::{failure, malformed};
use crate::workload::db::wire::{Account, WireStream, lost};

/// The longest message that is taken here.
const LENGTH_MOST: u32 = 16 << 20;

/// The next message.
pub(super) fn next(wire: &mut WireStream) -> Result<Message, StatementFailure> {
    loop {
        // The library makes room for whatever length comes, before the message does: another protocol's may be anything.
        if let [_, a, b, c, d, ..] = *wire.received()
            && u32::from_be_bytes([a, b, c, d]) > LENGTH_MOST
        {
            return Err(lost(
                "what the server sends is not PostgreSQL's protocol: a message is longer than 16 MiB",
            ));
        }
        if let Some(message) = Message::parse(wire.received_mut()).map_err(|e| malformed(&e))? {
            return Ok(message);
        }
        wire.receive()?;
    }
}

/// Signs in: when this returns, the server is ready for the first statement.
pub(super) fn sign_in(wire: &mut WireStream, account: &Account) -> Result<(), StatementFailure> {
    if wire.wants_tls() {
        begin_tls(wire)?;
    }
    let mut out = BytesMut::new();
    let database = (!account.database.is_empty()).then_some(("database", account.database.as_str()));
    let parameters =
        [("user", account.user.as_str()), ("client_encoding", "UTF8"), ("application_name", "headroom")];
    frontend::startup_message(parameters.into_iter().chain(database), &mut out).map_err(|e| malformed(&e))?;
    wire.send(&out)?;
    let mut scram = None;
    loop {
        out.clear();
        let written = match next(wire)? {
            Message::ReadyForQuery(_) => return Ok(()),
            Message::ErrorResponse(body) => return Err(lost(failure(&body).message)),
            Message::AuthenticationCleartextPassword => {
                if !wire.is_private() {
                    return Err(lost(
                        "the server asks for the password in the clear, which everybody on the way could read: use \
                         tls=verify in the url",
                    ));
                }
                frontend::password_message(password(account)?, &mut out)
            }
            Message::AuthenticationMd5Password(body) => {
                let hash = md5_hash(account.user.as_bytes(), password(account)?, body.salt());
                frontend::password_message(hash.as_bytes(), &mut out)
            }
            Message::AuthenticationSasl(body) => {
                let (mechanism, binding) = choose(&body, wire)?;
                let begun = scram.insert(ScramSha256::new(password(account)?, binding));
                frontend::sasl_initial_response(mechanism, begun.message(), &mut out)
            }
            Message::AuthenticationSaslContinue(body) => {
                let begun: &mut ScramSha256 = scram.as_mut().ok_or_else(unasked)?;
                begun.update(body.data()).map_err(|e| lost(format!("SCRAM with the server failed: {e}")))?;
                frontend::sasl_response(begun.message(), &mut out)
            }
            Message::AuthenticationSaslFinal(body) => {
                // It must prove that it knows the password, too (RFC 5802).
                let mut begun = scram.take().ok_or_else(unasked)?;
                let is_it = begun.finish(body.data());
                is_it.map_err(|e| {
                    lost(format!("the server does not prove that it knows the password: {e}"))
                })?;
                Ok(())
            }
            Message::AuthenticationGss
            | Message::AuthenticationSspi
            | Message::AuthenticationKerberosV5
            | Message::AuthenticationScmCredential => {
                return Err(lost(
                    "the server asks for a way to sign in that is not known here (SCRAM, md5 and peer are)",
                ));
            }
            // It may let in whoever it likes, but not half-way through SCRAM: then it is not who knows the password.
            Message::AuthenticationOk if scram.is_some() => return Err(unasked()),
            _ => Ok(()),
        };
        written.map_err(|e| malformed(&e))?;
        if !out.is_empty() {
            wire.send(&out)?;
        }
    }
}

#[cold]
fn unasked() -> StatementFailure {
    lost("the server skips a step of SCRAM, and does not prove that it knows the password")
}

fn password(account: &Account) -> Result<&[u8], StatementFailure> {
    account.password.as_ref().map(Password::bytes).ok_or_else(|| {
        lost(format!(
            "the server asks {} for a password, and none was given: give it by the environment \
             (HEADROOM_DB_PASSWORD, PGPASSWORD)",
            account.user
        ))
    })
}

/// Asks for TLS, which the server answers with one byte.
fn begin_tls(wire: &mut WireStream) -> Result<(), StatementFailure> {
    let mut out = BytesMut::new();
    frontend::ssl_request(&mut out);
    wire.send(&out)?;
    while wire.received().is_empty() {
        wire.receive()?;
    }
    match wire.received()[0] {
        b'S' => {
            wire.advance(1);
            wire.begin_tls()
        }
        b'E' => match next(wire)? {
            Message::ErrorResponse(body) => Err(lost(failure(&body).message)),
            _ => Err(lost("the server does not answer whether it speaks TLS")),
        },
        _ => Err(lost("the server does not speak TLS (`ssl` is off), which the url asks for")),
    }
}

/// The kind of SCRAM: bound to the connection of TLS where both ends can.
fn choose(
    body: &AuthenticationSaslBody,
    wire: &WireStream,
) -> Result<(&'static str, ChannelBinding), StatementFailure> {
    let offers = |name: &str| body.mechanisms().any(|mechanism| Ok(mechanism == name));
    let binds = offers(SCRAM_SHA_256_PLUS).map_err(|e| malformed(&e))?;
    let plain = offers(SCRAM_SHA_256).map_err(|e| malformed(&e))?;
    let bound = wire.certificate().and_then(channel_binding::of_certificate);
    match bound {
        Some(hash) if binds => Ok((SCRAM_SHA_256_PLUS, ChannelBinding::tls_server_end_point(hash))),
        // It could, and the server must learn that: somebody between may have left its offer out.
        Some(_) if plain => Ok((SCRAM_SHA_256, ChannelBinding::unrequested())),
        None if plain => Ok((SCRAM_SHA_256, ChannelBinding::unsupported())),
        _ => Err(lost("the server offers no kind of SCRAM that is known here")),
    }
}
