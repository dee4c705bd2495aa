//! `dist`: builds what is handed out, with the profile of that name, and puts the
//! debug data into a file of its own beside the program: a backtrace finds it
//! there (`.gnu_debuglink`), and who wants a small program leaves it behind.

use std::path::Path;
use std::process::Command as Process;

use clap::ArgMatches;

use crate::cargo;
use crate::error::Error;
use crate::{Task, tools};

/// The task.
pub(crate) const TASK: Task = Task {
    name: "dist",
    about: "Build the program that is handed out, with its debug data apart",
    arguments: |command| command,
    run: |root, _: &ArgMatches| run(root),
};

fn run(root: &Path) -> Result<(), Error> {
    tools::require(&["objcopy"]).map_err(Error::Build)?;
    let mut words = vec!["build", "--profile", "dist", "--package", "cli", "--bin", "headroom"];
    // `headroom --version --verbose` tells it.
    let commit = commit(root).map(|commit| format!("env.HEADROOM_COMMIT=\"{commit}\""));
    words.extend(commit.iter().flat_map(|setting| ["--config", setting.as_str()]));
    let built = cargo::build(root, &words)?;
    let program = cargo::headroom(&built)?;
    let apart = program.with_extension("debug");
    // The link is to be made anew where cargo found nothing to do.
    if has_line_tables(program)? {
        set_debug_data_apart("objcopy", program, program, &apart)?;
    }
    for path in [program, &apart] {
        let bytes = path.metadata().map_err(Error::file("read", path))?.len();
        println!("{}: {:.1} MB", path.display(), bytes as f64 / 1e6);
    }
    Ok(())
}

/// The commit that is built, with a mark where files differ from it; nothing outside a clone.
pub(crate) fn commit(root: &Path) -> Option<String> {
    let described = Process::new("git")
        .args(["describe", "--always", "--dirty", "--abbrev=12", "--exclude", "*"])
        .current_dir(root)
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let text = String::from_utf8(described.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|commit| !commit.is_empty())
}

/// Whether the debug data are still in the program.
fn has_line_tables(program: &Path) -> Result<bool, Error> {
    let bytes = std::fs::read(program).map_err(Error::file("read", program))?;
    Ok(bytes.windows(12).any(|window| window == b".debug_line\0"))
}

/// Writes a program without its debug data, and these into a file of their own, to which the program has a link
/// by name and checksum. `from` and `program` may be one file.
pub(crate) fn set_debug_data_apart(
    objcopy: &str,
    from: &Path,
    program: &Path,
    apart: &Path,
) -> Result<(), Error> {
    let [from, program, apart] = [from, program, apart].map(|path| path.display().to_string());
    run_objcopy(objcopy, &["--only-keep-debug", "--compress-debug-sections=zlib", &from, &apart])?;
    run_objcopy(objcopy, &["--strip-all", &format!("--add-gnu-debuglink={apart}"), &from, &program])
}

fn run_objcopy(objcopy: &str, arguments: &[&str]) -> Result<(), Error> {
    match Process::new(objcopy).args(arguments).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Error::Build(format!("`{objcopy} {}`: {status}", arguments.join(" ")))),
        Err(e) => Err(Error::Build(format!("`{objcopy}` cannot be run: {e}"))),
    }
}
