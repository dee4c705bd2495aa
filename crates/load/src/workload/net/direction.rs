//! The ways in which the streams of a load go.

use model::Parameters;
use model::profile::OperationClass;
use model::value::ParameterError;

use crate::workload::named;

/// The ways, seen from the end that drives.
#[derive(Clone, Copy, Debug)]
pub struct StreamDirection {
    /// From the end that drives.
    pub sends: bool,
    /// To it.
    pub receives: bool,
}

impl StreamDirection {
    pub(super) fn of(parameters: &Parameters) -> Result<Self, ParameterError> {
        let word = parameters.text(named("direction"))?;
        let goes = |way| word == way || word == "both";
        Ok(Self { sends: goes("send"), receives: goes("receive") })
    }

    /// The same, seen from the other end.
    pub(super) fn turned(self) -> Self {
        Self { sends: self.receives, receives: self.sends }
    }

    /// What is done.
    pub(super) fn classes(self) -> Vec<OperationClass> {
        let ways = [(OperationClass::Send, self.sends), (OperationClass::Receive, self.receives)];
        ways.into_iter().filter_map(|(class, goes)| goes.then_some(class)).collect()
    }
}
