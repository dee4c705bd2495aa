//! Where the programs of an installed server are, and of which version it is.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use model::plan::Problem;

use crate::workload::db::server::ServerProduct;

/// Folders of administrators' programs, which PATH lacks for ordinary users.
const FOLDERS: [&str; 5] = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/usr/libexec"];

/// A version has so many characters at most.
const VERSION_MOST: usize = 120;

/// An installed server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InstalledServer {
    /// The server itself.
    pub(super) server: PathBuf,
    /// What makes a folder ready for it.
    pub(super) initialiser: PathBuf,
    /// As the server says it.
    pub(super) version: String,
}

/// What the programs of a server are called, and in which folders they may be beside the usual ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProgramNames {
    pub(super) server: &'static str,
    pub(super) initialiser: &'static str,
    /// Folders with one for each version in them, and what follows the version: `/usr/lib/postgresql` and `bin`.
    pub(super) versions: &'static [(&'static str, &'static str)],
}

impl InstalledServer {
    /// The newest of `product` that is installed.
    ///
    /// # Errors
    /// If there is none, or it does not say its version.
    pub(super) fn find(product: &dyn ServerProduct) -> Result<Self, Problem> {
        let names = product.programs();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let usual = std::env::split_paths(&path).chain(FOLDERS.map(PathBuf::from));
        let folders: Vec<PathBuf> = by_version(names.versions).into_iter().chain(usual).collect();
        let missing = || {
            Problem::refused(
                format!("{} is not installed: there is no program `{}`", product.name(), names.server),
                format!("install it ({} in Debian), or leave start out", product.package()),
            )
        };
        let is_program = |path: &PathBuf| path.is_absolute() && path.is_file();
        let in_folder = |name: &str| folders.iter().map(|folder| folder.join(name)).find(is_program);
        let server = in_folder(names.server).ok_or_else(missing)?;
        // That of the same version lies beside it, wherever a link leads.
        let real = server.canonicalize().unwrap_or_else(|_| server.clone());
        let beside = Some(real.with_file_name(names.initialiser)).filter(is_program);
        let initialiser = beside.or_else(|| in_folder(names.initialiser)).ok_or_else(|| {
            Problem::refused(
                format!("{} is there, but not its program `{}`", product.name(), names.initialiser),
                format!("install all of it ({} in Debian)", product.package()),
            )
        })?;
        let version = version(&real).map_err(|why| {
            Problem::refused(
                format!("{} does not say its version: {why}", real.display()),
                "see whether it runs at all",
            )
        })?;
        Ok(Self { server: real, initialiser, version })
    }
}

/// The folders of all versions, the newest first.
fn by_version(versions: &[(&str, &str)]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for (folder, behind) in versions {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            if let Some(version) = entry.file_name().to_str().and_then(numbers) {
                found.push((version, entry.path().join(behind)));
            }
        }
    }
    found.sort_by_key(|(version, _)| Reverse(version.clone()));
    found.into_iter().map(|(_, path)| path).collect()
}

/// The numbers of a version: `9.6` comes before `15`.
fn numbers(text: &str) -> Option<Vec<u32>> {
    text.split('.').map(|part| part.parse().ok()).collect()
}

/// What the program says of itself: `mariadbd  Ver 10.11.19-MariaDB ...`, `postgres (PostgreSQL) 15.18 (...)`.
fn version(program: &Path) -> Result<String, String> {
    let output = Command::new(program)
        .arg("--version")
        .env_clear()
        .env("LC_ALL", "C")
        .current_dir("/")
        .stdin(Stdio::null())
        .output()
        .map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().next().unwrap_or_default().trim();
    let line = line.rsplit_once('/').filter(|_| line.starts_with('/')).map_or(line, |(_, rest)| rest);
    if !output.status.success() || line.is_empty() {
        return Err(format!("{}", output.status));
    }
    Ok(line.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(VERSION_MOST).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_comes_first_by_its_numbers() {
        let place = tempfile::tempdir_in(".").unwrap();
        for version in ["9.6", "15", "17", "old", "9.10"] {
            std::fs::create_dir(place.path().join(version)).unwrap();
        }
        let found = by_version(&[(place.path().to_str().unwrap(), "bin"), ("/no/such/folder", "bin")]);
        let expected = ["17", "15", "9.10", "9.6"].map(|version| place.path().join(version).join("bin"));
        assert_eq!(found, expected);
    }
}
