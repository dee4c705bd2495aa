//! The package for Debian and what is made from it, packed by `dpkg-deb`. Its files are those of every package, the
//! changelogs and the copyright in Debian's form (Debian Policy, chapter 12), and small scripts that tell
//! systemd of the unit. Nothing is started by installing it: a node is reached from other machines.

use std::path::{Path, PathBuf};
use std::process::Command as Process;

use super::command::{date, run};
use super::program::Program;
use super::tree::{self, PackagedFile};
use super::{ABOUT, LONG_ABOUT, Release};
use crate::error::Error;

/// The scripts by their names, in the folder [`SCRIPTS`].
const SCRIPT_NAMES: &[&str] = &["postinst", "prerm", "postrm"];
/// Where they lie, from the root.
const SCRIPTS: &str = "packaging/debian";
/// Where Debian's zsh looks for functions that packages bring.
const ZSH: &str = "usr/share/zsh/vendor-completions";
/// Where documents lie in the package.
const DOCUMENTS: &str = "usr/share/doc/headroom";

/// What lintian finds and is meant so.
const OVERRIDES: &str = "\
# The package is no upload to Debian.
headroom: initial-upload-closes-no-bugs
# The program is static, so that it runs on any distribution.
headroom: shared-library-lacks-prerequisites
headroom: statically-linked-binary
headroom: embedded-library
";

/// Packs into the folder `out`, by way of `work`, an empty folder, and says where the package is.
pub(super) fn pack(release: &Release, program: &Program, work: &Path, out: &Path) -> Result<PathBuf, Error> {
    let architecture = program.architecture.debian;
    let version = version(&release.version);
    let tree = work.join("deb");
    let mut files = tree::installed(release, program, ZSH)?;
    files.push(PackagedFile::text(&format!("{DOCUMENTS}/copyright"), copyright(release)?));
    files.push(PackagedFile::text(&format!("{DOCUMENTS}/changelog.Debian"), changelog(release, &version)?));
    files.push(PackagedFile::text(
        &format!("{DOCUMENTS}/changelog"),
        tree::read(&release.root.join("CHANGELOG.md"))?,
    ));
    files.push(PackagedFile::text("usr/share/lintian/overrides/headroom", OVERRIDES));
    tree::write(&tree, &files)?;
    for name in ["changelog", "changelog.Debian"] {
        tree::gzip(&tree.join(DOCUMENTS).join(name))?;
    }
    let bytes: u64 = files.iter().map(|file| file.content.len() as u64).sum();
    let mut control = vec![
        PackagedFile::text("control", control(release, &version, architecture, bytes.div_ceil(1024))),
        PackagedFile::text("md5sums", md5sums(&tree)?),
    ];
    for name in SCRIPT_NAMES {
        let text = tree::read(&release.root.join(SCRIPTS).join(name))?;
        control.push(PackagedFile::program(name, text));
    }
    tree::write(&tree.join("DEBIAN"), &control)?;
    let package = out.join(format!("headroom_{version}_{architecture}.deb"));
    // xz, which dpkg of every Debian that is still in use unpacks; zstd is not.
    let mut dpkg = Process::new("dpkg-deb");
    dpkg.env("SOURCE_DATE_EPOCH", release.epoch.to_string());
    run(dpkg.args(["--root-owner-group", "-Zxz", "--build"]).arg(&tree).arg(&package))?;
    Ok(package)
}

/// A version as Debian orders them: `1.0.0-rc.1` comes before `1.0.0`, which `~` says.
fn version(version: &str) -> String {
    format!("{}-1", version.replacen('-', "~", 1).replace('-', "."))
}

fn control(release: &Release, version: &str, architecture: &str, kib: u64) -> String {
    let maintainer = &release.maintainer;
    // Lines of a description begin with a space.
    let description: String = LONG_ABOUT.lines().map(|line| format!(" {line}\n")).collect();
    format!(
        "Package: headroom\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: {maintainer}\n\
         Installed-Size: {kib}\nSection: admin\nPriority: optional\nDescription: {ABOUT}\n{description}"
    )
}

/// The changelog of the package, which says no more than that of Headroom.
fn changelog(release: &Release, version: &str) -> Result<String, Error> {
    let date = date(release.epoch, "--rfc-email")?;
    let maintainer = &release.maintainer;
    Ok(format!(
        "headroom ({version}) unstable; urgency=medium\n\n  * Version {} (see changelog.gz).\n\n -- {maintainer}  {date}\n",
        release.version
    ))
}

/// The copyright in the form that machines read (DEP-5).
fn copyright(release: &Release) -> Result<String, Error> {
    let mit = String::from_utf8_lossy(&tree::read(&release.root.join("LICENSE-MIT"))?).into_owned();
    let holder = mit.lines().find_map(|line| line.strip_prefix("Copyright (c) ")).ok_or_else(|| {
        Error::Release("LICENSE-MIT has no line that begins with `Copyright (c)`".to_owned())
    })?;
    let year = date(release.epoch, "+%Y")?;
    let indented: String = mit
        .lines()
        .map(|line| if line.trim().is_empty() { " .\n".to_owned() } else { format!(" {line}\n") })
        .collect();
    Ok(format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: headroom\n\
         Comment: The program contains libraries under licences of their own, the GNU C Library among them.\n \
         Their notices and texts are in THIRD-PARTY-LICENSES.txt beside this file.\n\n\
         Files: *\nCopyright: {year} {holder}\nLicense: Expat or Apache-2.0\n\n\
         License: Expat\n{indented}\n\
         License: Apache-2.0\n On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.\n"
    ))
}

/// The sums by which `dpkg --verify` finds files that were changed.
fn md5sums(tree: &Path) -> Result<String, Error> {
    let script = r#"cd "$0" && find usr -type f -print0 | sort -z | xargs -0 md5sum --"#;
    run(Process::new("sh").args(["-c", script]).arg(tree))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::tests::{is_skipped, release, with_program};

    #[test]
    fn a_version_that_comes_before_is_ordered_so() {
        assert_eq!(version("0.1.0"), "0.1.0-1");
        assert_eq!(version("1.0.0-rc.1"), "1.0.0~rc.1-1");
        assert_eq!(version("1.0.0-rc-1"), "1.0.0~rc.1-1");
    }

    #[test]
    fn the_package_has_what_it_says_and_starts_nothing() {
        if is_skipped("dpkg-deb") {
            return;
        }
        let place = tempfile::tempdir().unwrap();
        with_program(place.path(), |program| {
            let release = release();
            let package = pack(&release, program, &place.path().join("work"), place.path()).unwrap();
            let field = |name: &str| {
                run(Process::new("dpkg-deb").arg("--field").arg(&package).arg(name))
                    .unwrap()
                    .trim()
                    .to_owned()
            };
            assert_eq!(field("Architecture"), program.architecture.debian);
            assert_eq!(field("Version"), "0.1.0-1");
            assert_eq!(field("Depends"), "");
            let listed = run(Process::new("dpkg-deb").arg("--contents").arg(&package)).unwrap();
            let line =
                |path: &str| listed.lines().find(|line| line.ends_with(&format!(" ./{path}"))).unwrap();
            assert!(line("usr/bin/headroom").starts_with("-rwxr-xr-x root/root "));
            assert!(line("usr/share/man/man1/headroom.1.gz").starts_with("-rw-r--r-- root/root "));
            assert!(
                line(&format!("usr/lib/systemd/system/{}", tree::UNIT_NAME))
                    .starts_with("-rw-r--r-- root/root ")
            );
            assert!(line("usr/share/doc/headroom/copyright").contains(" 2023-11-14 "), "{listed}");
        });
        for name in SCRIPT_NAMES {
            let script = std::fs::read_to_string(crate::root().join(SCRIPTS).join(name)).unwrap();
            assert!(!script.contains(" start ") && !script.contains(" enable "), "{name} starts something");
        }
    }
}
