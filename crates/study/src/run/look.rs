//! A look at what could disturb a measurement, before the first trial and after
//! the last.

use agent::{Agent, Watch};
use model::machine::{Look, Moment};
use model::message::{Reply, Request};

/// Looks now. One who cannot look measures all the same: the look is absent.
pub(super) fn take(agent: &mut dyn Agent, moment: Moment, cancelled: &dyn Fn() -> bool) -> Option<Look> {
    if cancelled() {
        return None;
    }
    let mut watch = Watch { on_event: &mut |_| {}, cancelled };
    match agent.call(Request::Look, &mut watch) {
        Ok(Reply::Look(findings)) => Some(Look { moment, findings }),
        _ => None,
    }
}
