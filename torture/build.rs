//! Says for which target this program is compiled, which the fuzzers are built for.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=TORTURE_HOST={}", std::env::var("TARGET").unwrap_or_default());
}
