//! Trouble made on purpose: what holds a load back, or disturbs it, must be
//! named, and a quiet run must not be accused. Needs root and control groups.

#![allow(clippy::unwrap_used)]

#[path = "../stories/common.rs"]
#[allow(dead_code)]
mod common;
mod evidence;
mod group;
mod open_loop;
mod trouble;
mod watched;
