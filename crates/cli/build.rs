//! What the linker does to keep the program small. `headroom.dwp` has the names and
//! lines that backtraces need, so names that only they would use are left out.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The program of the tests may be large: it is waited for, and has its lines in itself.
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "debug") {
        return;
    }
    for argument in ["--compress-debug-sections=zlib", "-O2", "--discard-all"] {
        println!("cargo::rustc-link-arg-bins=-Wl,{argument}");
    }
}
