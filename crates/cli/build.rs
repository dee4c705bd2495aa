//! What the linker does to keep the program small. `headroom.dwp` has the names and
//! lines that backtraces need, so names that only they would use are left out.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for argument in ["--compress-debug-sections=zlib", "-O2", "--discard-all"] {
        println!("cargo::rustc-link-arg-bins=-Wl,{argument}");
    }
}
