//! Has the linker compress the line tables, which backtraces read so, too.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-arg-bins=-Wl,--compress-debug-sections=zlib");
}
