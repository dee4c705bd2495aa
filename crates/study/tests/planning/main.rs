//! Plans, orders and searches against an agent that only pretends: one program, since each is
//! linked with nearly all of the house.
// A test may unwrap, in its helpers too.
#![allow(clippy::unwrap_used)]

mod goals;
mod missing;
mod observed;
#[path = "../pretending/mod.rs"]
mod pretending;
mod ramp;
mod resume;
mod scheduling;
mod search;
mod written;
