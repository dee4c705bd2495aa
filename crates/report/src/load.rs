//! What the report reads of a load's profile.

use std::borrow::Cow;

use language::format::Rates;
use model::LoadProfile;
use model::run::{CaseResult, Companion};

/// What the main load of a case is.
pub(crate) fn profile(case: &CaseResult) -> Cow<'_, LoadProfile> {
    import::v1::of_case(case)
}

/// What the rates of a case are written in.
pub(crate) fn rates(case: &CaseResult) -> Rates {
    Rates::of(profile(case).rate_unit)
}

/// The same of a load that ran beside one.
pub(crate) fn rates_beside(companion: &Companion) -> Rates {
    Rates::of(import::v1::of_companion(companion).rate_unit)
}
