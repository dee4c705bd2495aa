//! What others wrote, brought into this version's words: documents of version 0.1,
//! job files of fio, and what other tools print. It knows `model` and nothing else, so that what a
//! workload becomes does not change what an old document means.

pub mod checked;
pub mod database_options;
pub mod diagnostic;
pub mod fio;
pub mod habits;
pub mod tool;
pub mod v1;
