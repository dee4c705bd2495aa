//! The program `xtask`; the tasks are the library's.

fn main() -> std::process::ExitCode {
    xtask::main()
}
