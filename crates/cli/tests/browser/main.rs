//! Pages in a real browser: what a page must look like at every width, light,
//! dark and on paper, and that our checks of it can fail. Needs Chromium.
// A test may unwrap, in its helpers too.
#![allow(clippy::unwrap_used)]

mod access;
mod checks;
mod chromium;
#[path = "../../../report/src/tests/disks.rs"]
mod disks;
mod inspect;
#[path = "../../../report/src/tests/long/mod.rs"]
#[allow(dead_code)]
mod long;
#[path = "../../../report/src/tests/odd.rs"]
mod odd;
mod pages;
mod pdf;
mod pictures;
mod served;
#[path = "../../../report/src/tests/server.rs"]
mod server;

use std::path::PathBuf;

/// The browser of these tests; without one they are skipped visibly, and fail
/// in CI.
fn browser() -> Option<PathBuf> {
    match cli::browser::find() {
        Ok(program) => Some(program),
        Err(failure) => {
            let in_ci = std::env::var("CI").is_ok_and(|ci| !["", "0", "false"].contains(&ci.as_str()));
            assert!(!in_ci, "in CI nothing is skipped: {}", failure.message());
            eprintln!("SKIPPED: {}", failure.message());
            None
        }
    }
}
