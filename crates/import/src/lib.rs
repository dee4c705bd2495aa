//! What others wrote, brought into this version's words: documents of version 0.1
//! and job files of fio. It knows `model` and nothing else, so that what a
//! workload becomes does not change what an old document means.

pub mod checked;
pub mod diagnostic;
pub mod fio;
pub mod v1;
