//! Who has signed in: a cookie that only the server reads, and for each a second secret that forms must bring, so that no
//! other site can have a form of its own sent in a reader's name.
//!
//! Sessions are kept in memory, by the hashes of their cookies, and end with the program. There are so many at most; a new
//! one takes the place of the oldest.

use std::collections::HashMap;
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::token::{Token, digest};

/// What somebody may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// Nothing but sign in.
    Nobody,
    /// See everything.
    Reader,
    /// Stop and remove runs, too.
    Writer,
}

/// How long a session lasts.
pub(crate) const LASTS: Duration = Duration::from_secs(12 * 3600);

/// So many sessions at most.
const MOST: usize = 512;

/// One who has signed in.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    /// What they may do.
    pub(crate) role: Role,
    /// What their forms must bring.
    pub(crate) form_secret: Token,
    began: Instant,
}

/// All who have signed in.
#[derive(Debug, Default)]
pub(crate) struct Sessions(Mutex<HashMap<[u8; 32], Session>>);

impl Sessions {
    /// Begins a session; the answer is its cookie's value. Fails if there are no random bytes.
    pub(crate) fn begin(&self, role: Role) -> io::Result<String> {
        let (cookie, form_secret) = (Token::random()?.secret(), Token::random()?);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, session| session.began.elapsed() < LASTS);
        if all.len() >= MOST
            && let Some(oldest) = all.iter().min_by_key(|(_, session)| session.began).map(|(key, _)| *key)
        {
            all.remove(&oldest);
        }
        all.insert(digest(&cookie), Session { role, form_secret, began: Instant::now() });
        Ok(cookie)
    }

    /// The session of this cookie.
    pub(crate) fn of(&self, cookie: &str) -> Option<Session> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(&digest(cookie)).filter(|session| session.began.elapsed() < LASTS).cloned()
    }

    /// Ends the session of this cookie.
    pub(crate) fn end(&self, cookie: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&digest(cookie));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_has_its_role_until_it_ends() {
        let sessions = Sessions::default();
        let (reader, writer) = (sessions.begin(Role::Reader).unwrap(), sessions.begin(Role::Writer).unwrap());
        assert_eq!(sessions.of(&reader).unwrap().role, Role::Reader);
        assert_eq!(sessions.of(&writer).unwrap().role, Role::Writer);
        assert!(sessions.of("").is_none());
        sessions.end(&writer);
        assert!(sessions.of(&writer).is_none() && sessions.of(&reader).is_some());
    }

    #[test]
    fn there_are_so_many_at_most_and_the_oldest_goes() {
        let sessions = Sessions::default();
        let first = sessions.begin(Role::Reader).unwrap();
        let second = sessions.begin(Role::Reader).unwrap();
        for _ in 0..MOST - 1 {
            sessions.begin(Role::Reader).unwrap();
        }
        assert!(sessions.of(&first).is_none() && sessions.of(&second).is_some());
    }
}
