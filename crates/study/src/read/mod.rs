//! Reading a study from arguments or from TOML; a job file of fio is read by
//! [`import::fio`]. All end in the same checks: [`import::checked`].

pub mod arguments;
mod controls;
mod document;
pub mod endurance;
pub mod expect;
pub mod goal;
pub mod inputs;
mod observe;
mod settings;
mod stack;
pub mod verdict;

pub use controls::{CONTROLS, Control, RAMP};
pub use document::{from_toml, from_toml_with};
pub(crate) use settings::parts as setting_parts;
