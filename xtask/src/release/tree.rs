//! Folders of files that become archives and packages. Owners, permissions and times are the same whoever packs,
//! when and under which umask.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use super::Release;
use super::command::run;
use super::program::Program;
use crate::error::Error;

/// Where the template of the unit lies, from the root.
const UNIT: &str = "crates/cli/src/command/node.service";

/// The file name of the unit.
pub(super) const UNIT_NAME: &str = "headroom-node.service";

/// A file of a package.
pub(super) struct PackagedFile {
    /// Where it lies, from the root of the package.
    pub(super) path: String,
    /// Its permissions.
    pub(super) mode: u32,
    pub(super) content: Vec<u8>,
}

impl PackagedFile {
    /// A file that nobody runs.
    pub(super) fn text(path: &str, content: impl Into<Vec<u8>>) -> Self {
        Self { path: path.to_owned(), mode: 0o644, content: content.into() }
    }

    /// A file that is run.
    pub(super) fn program(path: &str, content: impl Into<Vec<u8>>) -> Self {
        Self { path: path.to_owned(), mode: 0o755, content: content.into() }
    }
}

/// The licences that go with every program, in a folder.
pub(super) fn licences(release: &Release, folder: &str) -> Result<Vec<PackagedFile>, Error> {
    let mut files =
        vec![PackagedFile::text(&format!("{folder}/THIRD-PARTY-LICENSES.txt"), release.licences.as_str())];
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        files.push(PackagedFile::text(&format!("{folder}/{name}"), read(&release.root.join(name))?));
    }
    Ok(files)
}

/// What packages of distributions install: the program, the unit, documents, and what the program wrote of itself;
/// `zsh` as [`Manual::files`](super::manual::Manual::files) takes it.
pub(super) fn installed(release: &Release, program: &Program, zsh: &str) -> Result<Vec<PackagedFile>, Error> {
    let mut files = vec![
        PackagedFile::program("usr/bin/headroom", read(&program.path)?),
        PackagedFile::text(
            &format!("usr/lib/systemd/system/{UNIT_NAME}"),
            unit(&release.root, "/usr/bin/headroom")?,
        ),
        PackagedFile::text("usr/share/doc/headroom/THIRD-PARTY-LICENSES.txt", release.licences.as_str()),
    ];
    files.extend(release.manual.files(zsh));
    Ok(files)
}

/// The unit of a node, for a program that is installed at this path.
pub(super) fn unit(root: &Path, program: &str) -> Result<String, Error> {
    let template = String::from_utf8_lossy(&read(&root.join(UNIT))?).into_owned();
    let lines = "# Options of `headroom node`, such as HEADROOM_NODE_OPTIONS=\"--allow 10.0.0.0/8\".\n\
                 EnvironmentFile=-/etc/default/headroom-node\n\
                 # The join strings would stay in the journal; `headroom node --print` shows them.\n\
                 StandardOutput=null";
    let command = format!("{program} node $HEADROOM_NODE_OPTIONS");
    let unit = template
        .replacen("{does}", "lets who has its join string measure with this machine", 1)
        .replacen("{lines}", lines, 1)
        .replacen("{command}", &command, 1);
    if unit.contains('{') {
        return Err(Error::Release(format!("`{UNIT}` has a place that nothing is known for")));
    }
    Ok(unit)
}

/// Writes files into a folder.
pub(super) fn write(folder: &Path, files: &[PackagedFile]) -> Result<(), Error> {
    make_folder(folder)?;
    for file in files {
        let mut parent = folder.to_owned();
        let (folders, _) = file.path.rsplit_once('/').unwrap_or_default();
        for name in folders.split('/').filter(|name| !name.is_empty()) {
            parent.push(name);
            make_folder(&parent)?;
        }
        let path = folder.join(&file.path);
        fs::write(&path, &file.content).map_err(Error::file("write", &path))?;
        set_mode(&path, file.mode)?;
    }
    Ok(())
}

/// Packs what a folder contains, and says where the archive is: at the path with `.gz` behind it. gzip, not a stronger
/// compression: `tar` unpacks it on the barest system.
pub(super) fn archive(folder: &Path, file: &Path, epoch: u64) -> Result<PathBuf, Error> {
    plain_archive(folder, file, epoch)?;
    gzip(file)
}

/// Packs what a folder contains.
pub(super) fn plain_archive(folder: &Path, file: &Path, epoch: u64) -> Result<(), Error> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(Error::file("read", folder))? {
        names.push(entry.map_err(Error::file("read", folder))?.file_name());
    }
    names.sort();
    let options = ["--format=ustar", "--sort=name", "--owner=0", "--group=0", "--numeric-owner"];
    let mut tar = Process::new("tar");
    tar.arg("--create").arg("--file").arg(file).args(options).arg(format!("--mtime=@{epoch}"));
    run(tar.arg("--directory").arg(folder).arg("--").args(names)).map(drop)
}

/// Compresses a file in its place, without its name and time, and says what it is called then.
pub(super) fn gzip(file: &Path) -> Result<PathBuf, Error> {
    run(Process::new("gzip").args(["--best", "--no-name", "--force", "--"]).arg(file))?;
    let mut name = file.as_os_str().to_owned();
    name.push(".gz");
    Ok(PathBuf::from(name))
}

/// Reads a file whole.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(Error::file("read", path))
}

/// Makes a folder that may be there.
pub(super) fn make_folder(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(Error::file("make", path))?;
    set_mode(path, 0o755)
}

/// Sets the permissions of a file or folder.
pub(super) fn set_mode(path: &Path, mode: u32) -> Result<(), Error> {
    fs::set_permissions(path, Permissions::from_mode(mode)).map_err(Error::file("write", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_does_not_show_who_packed_it_when() {
        let place = tempfile::tempdir().unwrap();
        let made = ["one", "two"].map(|name| {
            let folder = place.path().join(name);
            let mut files =
                [PackagedFile::program("a/b/program", "x"), PackagedFile::text("a/text", "words\n")];
            if name == "two" {
                files.reverse();
            }
            write(&folder, &files).unwrap();
            let archive = archive(&folder, &place.path().join(format!("{name}.tar")), 86_400).unwrap();
            fs::read(archive).unwrap()
        });
        assert_eq!(made[0], made[1]);
        let file = place.path().join("one.tar.gz");
        let listed =
            run(Process::new("tar").args(["--list", "--verbose", "--numeric-owner", "--file"]).arg(file));
        let listed = listed.unwrap();
        let program = listed.lines().find(|line| line.ends_with(" a/b/program")).unwrap();
        assert!(
            program.starts_with("-rwxr-xr-x 0/0 ") && program.contains(" 1970-01-02 00:00 "),
            "{program}"
        );
        assert!(listed.lines().next().unwrap().starts_with("drwxr-xr-x 0/0 "), "{listed}");
    }

    #[test]
    fn the_unit_of_packages_starts_the_installed_program() {
        let unit = unit(&crate::root(), "/usr/bin/headroom").unwrap();
        assert!(unit.contains("\nExecStart=/usr/bin/headroom node $HEADROOM_NODE_OPTIONS\n"), "{unit}");
        assert!(unit.contains("\nEnvironmentFile=-/etc/default/headroom-node\n"), "{unit}");
        assert!(unit.starts_with("[Unit]\n") && unit.contains("\nStateDirectory=headroom\n"), "{unit}");
    }
}
