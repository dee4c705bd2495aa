//! Has the linker compress the line tables, which backtraces read so, too, and put
//! strings together that end alike.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for argument in ["--compress-debug-sections=zlib", "-O2"] {
        println!("cargo::rustc-link-arg-bins=-Wl,{argument}");
    }
}
