//! Documents that others wrote, brought into this version's words: those of
//! version 0.1 first. It knows `model` and nothing else, so that what a workload
//! becomes does not change what an old document means.

pub mod v1;
