//! What the program says of its build (`headroom --version --verbose`), and what the linker does to keep it
//! small. `headroom.dwp` has the names and lines that backtraces need, so names that only they would use
//! are left out.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = std::env::var("TARGET").unwrap_or_else(|_| "unknown".to_owned());
    println!("cargo::rustc-env=HEADROOM_TARGET={target}");
    // The program of the tests may be large: it is waited for, and has its lines in itself.
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "debug") {
        return;
    }
    for argument in ["--compress-debug-sections=zlib", "-O2", "--discard-all"] {
        println!("cargo::rustc-link-arg-bins=-Wl,{argument}");
    }
}
