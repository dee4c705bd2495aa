//! How tasks use cargo: the one that runs them, its target folder, and the
//! programs that it says it built.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

use cargo_metadata::{Message, MetadataCommand};

use crate::error::Error;

/// The cargo that runs this program, so that all steps use one toolchain.
#[must_use]
pub fn cargo_program() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Where cargo puts what it builds.
///
/// # Errors
/// If cargo does not say.
pub fn target_folder(root: &Path) -> Result<PathBuf, Error> {
    let metadata =
        MetadataCommand::new().current_dir(root).no_deps().other_options(["--offline".to_owned()]).exec()?;
    Ok(metadata.target_directory.into_std_path_buf())
}

/// A program that cargo built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Built {
    /// The package whose target it is.
    pub(crate) package: String,
    /// The target: a test's file name, or the library's or program's name.
    pub(crate) target: String,
    /// Whether it is a harness of tests; else it is the program itself.
    pub(crate) is_test: bool,
    /// Whether the target is a test of its own, not tests within a library or program.
    pub(crate) is_integration: bool,
    pub(crate) executable: PathBuf,
    /// The package's folder, in which its tests are run.
    pub(crate) folder: PathBuf,
}

/// Builds with these arguments, and says which programs that gave.
pub(crate) fn build(root: &Path, arguments: &[&str]) -> Result<Vec<Built>, Error> {
    build_with(root, arguments, &[])
}

/// The same with these variables in the environment.
pub(crate) fn build_with(
    root: &Path,
    arguments: &[&str],
    variables: &[(String, OsString)],
) -> Result<Vec<Built>, Error> {
    let failed = |why: String| Error::Build(format!("`cargo {}`: {why}", arguments.join(" ")));
    let output = Process::new(cargo_program())
        .args(arguments)
        .arg("--message-format=json-render-diagnostics")
        .current_dir(root)
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| failed(e.to_string()))?;
    if !output.status.success() {
        return Err(failed(format!("{}, see above", output.status)));
    }
    Ok(built(&output.stdout))
}

/// The programs in cargo's messages.
fn built(messages: &[u8]) -> Vec<Built> {
    let program = |message: Message| {
        let Message::CompilerArtifact(artifact) = message else { return None };
        let folder = artifact.manifest_path.parent()?.to_owned();
        Some(Built {
            package: folder.file_name()?.to_owned(),
            is_integration: artifact.target.is_test(),
            target: artifact.target.name,
            is_test: artifact.profile.test,
            executable: artifact.executable?.into(),
            folder: folder.into(),
        })
    };
    Message::parse_stream(messages).filter_map(|message| program(message.ok()?)).collect()
}

/// Builds the program `headroom` as the README says, and tells where it is.
///
/// # Errors
/// If it cannot be built.
pub fn built_program(root: &Path) -> Result<PathBuf, Error> {
    headroom(&build(root, &["build", "--release", "--package", "cli", "--bin", "headroom"])?)
        .map(Path::to_owned)
}

/// The program `headroom` among what was built.
pub(crate) fn headroom(built: &[Built]) -> Result<&Path, Error> {
    built
        .iter()
        .find(|built| built.target == "headroom" && !built.is_test)
        .map(|built| built.executable.as_path())
        .ok_or_else(|| Error::Build("cargo named no program `headroom`".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artifact(name: &str, kind: &str, test: bool, executable: &str) -> String {
        format!(
            r#"{{"reason":"compiler-artifact","package_id":"path+file:///w/crates/cli#0.1.0","manifest_path":"/w/crates/cli/Cargo.toml","target":{{"kind":["{kind}"],"crate_types":["bin"],"name":"{name}","src_path":"/w/x.rs","edition":"2024","doc":false,"doctest":false,"test":true}},"profile":{{"opt_level":"0","debuginfo":0,"debug_assertions":true,"overflow_checks":true,"test":{test}}},"features":[],"filenames":[],"executable":{executable},"fresh":true}}"#
        )
    }

    #[test]
    fn programs_and_tests_are_told_apart() {
        let text = [
            artifact("cli", "lib", false, "null"),
            artifact("cli", "lib", true, "\"/w/t/cli-1\""),
            artifact("headroom", "bin", false, "\"/w/t/headroom\""),
            artifact("stories", "test", true, "\"/w/t/stories-1\""),
        ]
        .join("\n");
        let found = built(text.as_bytes());
        let short: Vec<_> = found.iter().map(|b| (b.target.as_str(), b.is_test, b.is_integration)).collect();
        assert_eq!(short, [("cli", true, false), ("headroom", false, false), ("stories", true, true)]);
        assert_eq!(
            (found[0].package.as_str(), found[0].folder.as_path()),
            ("cli", Path::new("/w/crates/cli"))
        );
        assert_eq!(headroom(&found).unwrap(), Path::new("/w/t/headroom"));
        assert!(headroom(&found[..1]).is_err());
    }
}
