//! What the fuzzers share: the program as a user types it, on a file with the bytes;
//! and a mutator that knows JSON.

mod json;
pub mod pretending;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::OnceLock;

pub use json::mutate;

/// What a fuzzer is where libFuzzer is not compiled: something that can be linked, and says what is missing.
#[macro_export]
macro_rules! main_without_libfuzzer {
    () => {
        #[cfg(not(feature = "libfuzzer"))]
        fn main() {
            panic!("built without libFuzzer: add `--features libfuzzer`");
        }
    };
}

/// A folder for the file that is read, in the temporary folder: whoever starts the
/// fuzzer says where that is, and removes it, for a fuzzer may end at any time.
fn folder() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("headroom-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("there is room for a folder");
        folder
    })
}

/// A file with these bytes, the same for each input.
///
/// # Panics
/// If it cannot be written.
pub fn file(name: &str, bytes: &[u8]) -> String {
    let path = folder().join(name);
    std::fs::write(&path, bytes).expect("there is room for a file");
    path.to_string_lossy().into_owned()
}

/// `headroom ARGUMENTS` in this process. What it prints goes where libFuzzer has
/// closed it.
///
/// # Panics
/// If it ends with a code that it does not have.
pub fn headroom(arguments: &[&str]) {
    let words = std::iter::once("headroom").chain(arguments.iter().copied());
    let code = cli::main(words.map(OsString::from));
    let known = [0, 1, 2, 3].map(ExitCode::from);
    let told = format!("{code:?}");
    assert!(known.iter().any(|known| format!("{known:?}") == told), "it ended with {told}");
}

/// One of so many, always the same for these bytes.
pub fn chosen(bytes: &[u8], of: usize) -> usize {
    bytes.iter().fold(0_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(*byte))) % of.max(1)
}
