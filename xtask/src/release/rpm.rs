//! The package for Fedora, openSUSE and what is made from them, packed by `rpmbuild` from files that are there
//! already (`packaging/headroom.spec`).

use std::path::{Path, PathBuf};
use std::process::Command as Process;

use super::command::{date, run};
use super::program::Program;
use super::tree::{self, PackagedFile};
use super::{ABOUT, LICENCE, LONG_ABOUT, Release};
use crate::error::Error;

/// The recipe, from the root.
const SPEC: &str = "packaging/headroom.spec";

/// Where zsh looks for functions that packages bring.
const ZSH: &str = "usr/share/zsh/site-functions";

/// Packs into the folder `out`, by way of `work`, an empty folder, and says where the package is.
pub(super) fn pack(release: &Release, program: &Program, work: &Path, out: &Path) -> Result<PathBuf, Error> {
    let architecture = program.architecture.name;
    let version = version(&release.version);
    let tree = work.join("tree");
    let mut files = tree::installed(release, program, ZSH)?;
    files.extend(tree::licences(release, "usr/share/doc/headroom")?);
    let changelog = tree::read(&release.root.join("CHANGELOG.md"))?;
    files.push(PackagedFile::text("usr/share/doc/headroom/CHANGELOG.md", changelog));
    tree::write(&tree, &files)?;
    let definitions = [
        ("_topdir", work.join("rpmbuild").display().to_string()),
        ("_rpmdir", out.display().to_string()),
        ("_rpmfilename", "%%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm".to_owned()),
        // What would differ from one builder to the next.
        ("_buildhost", "headroom".to_owned()),
        ("use_source_date_epoch_as_buildtime", "1".to_owned()),
        ("clamp_mtime_to_source_date_epoch", "1".to_owned()),
        ("headroom_version", version.clone()),
        ("headroom_summary", ABOUT.to_owned()),
        // A value of a definition has one line.
        ("headroom_description", LONG_ABOUT.replace('\n', " ")),
        ("headroom_license", LICENCE.to_owned()),
        ("headroom_maintainer", release.maintainer.clone()),
        ("headroom_date", date(release.epoch, "+%a %b %d %Y")?),
        ("headroom_tree", tree.display().to_string()),
    ];
    let mut rpmbuild = Process::new("rpmbuild");
    // A user's own macros do not count.
    rpmbuild.env("HOME", work).env("SOURCE_DATE_EPOCH", release.epoch.to_string());
    rpmbuild.args(["-bb", "--quiet", "--target", &format!("{architecture}-linux")]);
    for (name, value) in definitions {
        rpmbuild.arg("--define").arg(format!("{name} {value}"));
    }
    run(rpmbuild.arg(release.root.join(SPEC)))?;
    Ok(out.join(format!("headroom-{version}-1.{architecture}.rpm")))
}

/// A version as RPM orders them: `1.0.0-rc.1` comes before `1.0.0`, which `~` says.
fn version(version: &str) -> String {
    version.replacen('-', "~", 1).replace('-', ".")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::tests::{EPOCH, is_skipped, release, with_program};

    #[test]
    fn a_version_that_comes_before_is_ordered_so() {
        assert_eq!(version("0.1.0"), "0.1.0");
        assert_eq!(version("1.0.0-rc.1"), "1.0.0~rc.1");
    }

    #[test]
    fn the_package_needs_no_library() {
        if is_skipped("rpmbuild") {
            return;
        }
        let place = tempfile::tempdir().unwrap();
        with_program(place.path(), |program| {
            let package = pack(&release(), program, &place.path().join("work"), place.path()).unwrap();
            let ask = |what: &[&str]| {
                run(Process::new("rpm").args(["-qp", "--nosignature"]).args(what).arg(&package))
            };
            let files = ask(&["--list"]).unwrap();
            assert!(files.lines().any(|line| line == "/usr/bin/headroom"), "{files}");
            let needs = ask(&["--requires"]).unwrap();
            assert!(needs.lines().all(|need| need == "/bin/sh" || need.starts_with("rpmlib(")), "{needs}");
            let said = ask(&["--queryformat", "%{ARCH} %{VERSION} %{BUILDTIME} %{BUILDHOST}"]).unwrap();
            assert_eq!(said, format!("{} 0.1.0 {EPOCH} headroom", program.architecture.name));
        });
    }
}
