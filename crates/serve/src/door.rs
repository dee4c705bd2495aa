//! Who may do what: what is fixed when the server starts.

use crate::error::WebServerError;
use crate::host;
use crate::session::Role;
use crate::token::Token;

/// Tokens, names, and how cookies are to be sent.
#[derive(Debug)]
pub(crate) struct Door {
    /// What lets one read; absent where the machine itself is the door.
    read: Option<Token>,
    write: Token,
    names: Vec<String>,
    is_secure: bool,
    cookie: String,
}

impl Door {
    /// For a server on this port. Fails if a name is none, or there are no random bytes.
    pub(crate) fn new(
        port: u16,
        is_foreign: bool,
        is_secure: bool,
        names: Vec<String>,
    ) -> Result<Self, WebServerError> {
        if let Some(wrong) = names.iter().find(|name| !host::is_name(name)) {
            return Err(WebServerError::Name(wrong.clone()));
        }
        let random = || Token::random().map_err(WebServerError::Random);
        let read = is_foreign.then(random).transpose()?;
        // Ports of one machine share its cookies, so that each port has a name of its own. The prefix makes browsers refuse a
        // cookie that came without TLS or for other hosts (RFC 6265bis, section 4.1.3.2).
        let cookie = if is_secure { format!("__Host-headroom-{port}") } else { format!("headroom-{port}") };
        Ok(Self { read, write: random()?, names, is_secure, cookie })
    }

    /// What whoever has this token may do; nothing where it is none of ours.
    pub(crate) fn role_of(&self, token: &str) -> Option<Role> {
        // Both are compared, whichever it is.
        let (reads, writes) = (self.read.as_ref().is_some_and(|read| read.is(token)), self.write.is(token));
        match (reads, writes) {
            (_, true) => Some(Role::Writer),
            (true, _) => Some(Role::Reader),
            _ => None,
        }
    }

    /// What one may do who has not signed in.
    pub(crate) fn role_of_anybody(&self) -> Role {
        if self.read.is_some() { Role::Nobody } else { Role::Reader }
    }

    /// Whether a browser may call the server so.
    pub(crate) fn is_called(&self, host: &str) -> bool {
        host::name(host).is_some_and(|name| host::is_allowed(name, &self.names))
    }

    /// The origin of pages that are asked for under this host.
    pub(crate) fn origin(&self, host: &str) -> String {
        format!("{}://{host}", if self.is_secure { "https" } else { "http" })
    }

    /// The name of the cookie of sessions.
    pub(crate) fn cookie(&self) -> &str {
        &self.cookie
    }

    /// A `Set-Cookie` for a session that lasts so many seconds.
    pub(crate) fn set_cookie(&self, value: &str, seconds: u64) -> String {
        let secure = if self.is_secure { "; Secure" } else { "" };
        format!("{}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}", self.cookie)
    }

    pub(crate) fn read_token(&self) -> Option<String> {
        self.read.as_ref().map(Token::secret)
    }

    pub(crate) fn write_token(&self) -> String {
        self.write.secret()
    }
}
