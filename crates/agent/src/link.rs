//! The link to the other end while a load runs over it: an interface that goes
//! down says so at once, long before a connection over it is given up.
//!
//! Only the own interface is seen. A cable that is pulled behind a switch is
//! noticed because nothing comes any more (`node::controller`, and the loads'
//! own sockets).

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use machine::route::{self, InterfaceProblem, Route};

use crate::{AgentError, Disconnect};

/// How often the interface is looked at: a question to the kernel of some 20 us.
const EVERY: Duration = Duration::from_millis(250);

/// For so long an interface may be down before the trial is given up: a moment is
/// nothing that TCP would not bear.
const BORNE: Duration = Duration::from_secs(2);

/// The interface towards the other end.
#[derive(Default)]
pub(crate) struct Link {
    interface: Option<String>,
    /// Ends the far end's connection by force: it would wait for what cannot come.
    disconnect: RefCell<Option<Disconnect>>,
    looked: Cell<Option<Instant>>,
    since: Cell<Option<Instant>>,
    lost: Cell<Option<InterfaceProblem>>,
}

impl Link {
    /// The interface of `route`; nothing is looked at where there is none, or it
    /// leads to this very machine.
    pub(crate) fn of(route: Option<&Route>) -> Self {
        let interface = route.filter(|route| !route.local).map(|route| route.interface.clone());
        Self { interface, ..Self::default() }
    }

    /// What ends the far end's connection once the link is lost.
    pub(crate) fn set_disconnect(&self, disconnect: Option<Disconnect>) {
        *self.disconnect.borrow_mut() = disconnect;
    }

    /// Whether the link is lost: down, and for longer than is borne. To be asked
    /// now and then.
    pub(crate) fn is_lost(&self) -> bool {
        if self.lost.get().is_some() {
            return true;
        }
        let now = Instant::now();
        if self.looked.get().is_some_and(|last| now - last < EVERY) {
            return false;
        }
        self.looked.set(Some(now));
        let found = self.interface.as_deref().and_then(route::trouble);
        self.note(found, now)
    }

    fn note(&self, found: Option<InterfaceProblem>, now: Instant) -> bool {
        if found.is_none() {
            self.since.set(None);
            return false;
        }
        let since = self.since.get().unwrap_or(now);
        self.since.set(Some(since));
        if now - since < BORNE {
            return false;
        }
        self.lost.set(found);
        if let Some(disconnect) = self.disconnect.borrow_mut().take() {
            disconnect();
        }
        true
    }

    /// `error`, with what is wrong with the link, if anything is.
    pub(crate) fn explains(&self, error: AgentError) -> AgentError {
        let Some(interface) = self.interface.as_deref().filter(|_| error != AgentError::Cancelled) else {
            return error;
        };
        let Some(trouble) = self.lost.get().or_else(|| route::trouble(interface)) else { return error };
        let (why, error) = (described(interface, trouble), error.to_string());
        // It says so itself where the trial was given up because of it.
        AgentError::Failed(if error.starts_with(&why) { why } else { format!("{why}: {error}") })
    }

    /// The same where the trial was given up because of it.
    pub(crate) fn error(&self) -> Option<AgentError> {
        let interface = self.interface.as_deref()?;
        self.lost.get().map(|trouble| AgentError::Failed(described(interface, trouble)))
    }
}

fn described(interface: &str, trouble: InterfaceProblem) -> String {
    let why = match trouble {
        InterfaceProblem::Gone => format!("there is no interface {interface} any more"),
        InterfaceProblem::Down => format!("the interface {interface} was switched off"),
        InterfaceProblem::NoCarrier => format!(
            "the interface {interface} lost its carrier (the cable, the switch, or the interface at the other end)"
        ),
    };
    format!("the link to the other end is gone: {why}")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    fn link() -> (Link, Arc<AtomicU32>) {
        let severed = Arc::new(AtomicU32::new(0));
        let counts = Arc::clone(&severed);
        let link = Link { interface: Some("hr-none".to_owned()), ..Link::of(None) };
        link.set_disconnect(Some(Box::new(move || {
            counts.fetch_add(1, Ordering::Relaxed);
        })));
        (link, severed)
    }

    #[test]
    fn a_link_that_is_down_for_a_moment_is_borne_and_one_that_stays_down_is_lost() {
        let (link, severed) = link();
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let down = Some(InterfaceProblem::NoCarrier);
        assert!(!link.note(down, at(0)) && !link.note(down, at(1900)));
        assert!(!link.note(None, at(1950)), "it came back");
        assert!(!link.note(down, at(2000)) && !link.note(down, at(3900)));
        assert_eq!((severed.load(Ordering::Relaxed), link.error()), (0, None));
        assert!(link.note(down, at(4000)) && link.is_lost());
        assert_eq!(severed.load(Ordering::Relaxed), 1);
        let why = link.error().unwrap().to_string();
        assert!(why.contains("hr-none lost its carrier"), "{why}");
        assert_eq!(link.explains(link.error().unwrap()).to_string(), why);
        assert_eq!(link.explains(AgentError::Died("x".to_owned())).to_string(), format!("{why}: x"));
        assert_eq!(link.explains(AgentError::Cancelled), AgentError::Cancelled);
    }

    #[test]
    fn an_error_is_told_with_the_state_of_the_interface() {
        let (link, _) = link();
        let error = link.explains(AgentError::Failed("x".to_owned())).to_string();
        assert!(error.contains("no interface hr-none") && error.ends_with(": x"), "{error}");
        let none = Link::of(None);
        assert!(!none.is_lost());
        assert_eq!(none.explains(AgentError::Hung(1)), AgentError::Hung(1));
    }
}
