//! How far a result is from a promise: one file a rule.

pub(crate) mod promise;
pub(crate) mod untested;
