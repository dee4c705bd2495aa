//! Releases of a program that does nothing: what is packed, and that it is packed the same each time.

use std::collections::BTreeSet;

use super::dependencies::Dependency;
use super::*;

/// The time of the release: 2023-11-14 22:13:20. RPM takes none before 1990.
pub(super) const EPOCH: u64 = 1_700_000_000;

/// A release of which little is known.
pub(super) fn release() -> Release {
    Release {
        version: "0.1.0".to_owned(),
        epoch: EPOCH,
        maintainer: "A Maintainer <maintainer@example.org>".to_owned(),
        url: None,
        licences: "Words of licences.\n".to_owned(),
        bill: "{}\n".to_owned(),
        manual: manual::tests::manual(),
        root: crate::root(),
    }
}

/// A crate that uses no other.
pub(super) fn dependency(name: &str, licence: Option<&str>) -> Dependency {
    Dependency {
        name: name.to_owned(),
        version: "1.0.0".to_owned(),
        about: None,
        licence: licence.map(str::to_owned),
        folder: PathBuf::new(),
        is_ours: false,
        hash: None,
        uses: BTreeSet::new(),
    }
}

/// A program for an architecture that says its version and does nothing else.
fn program(folder: &Path, architecture: &'static Architecture) -> Program {
    let [path, debug] = ["headroom", "headroom.debug"].map(|name| folder.join(name));
    fs::create_dir_all(folder).unwrap();
    fs::write(&path, "#!/bin/sh\necho headroom 0.1.0\n").unwrap();
    fs::write(&debug, "lines").unwrap();
    Program { architecture, path, debug }
}

/// Looks at a program for this machine.
pub(super) fn with_program(place: &Path, look: impl FnOnce(&Program)) {
    let native = Architecture::named(std::env::consts::ARCH).expect("tests run where releases are made for");
    look(&program(&place.join("program"), native));
}

#[test]
fn regression_what_has_a_fault_lay_among_what_is_handed_out() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("dist");
    let ready = || {
        let ready = tempfile::tempdir_in(place.path()).unwrap();
        fs::write(ready.path().join("headroom-0.1.0.tar.gz"), "packed").unwrap();
        ready
    };
    let one = ready();
    let kept = one.path().join("headroom-0.1.0.tar.gz");
    let error = hand_out(vec!["it is too large".to_owned()], one, &out).unwrap_err().to_string();
    assert!(error.contains("it is too large") && error.contains("what was made is in"), "{error}");
    assert!(kept.is_file() && !out.exists());
    hand_out(Vec::new(), ready(), &out).unwrap();
    assert_eq!(names(&out).unwrap(), ["headroom-0.1.0.tar.gz"]);
}

/// Whether a test is left out for want of a tool. In CI it is not.
pub(super) fn is_skipped(tool: &str) -> bool {
    let Err(why) = tools::require(&[tool]) else { return false };
    assert!(std::env::var_os("CI").is_none(), "{why}");
    eprintln!("skipped: {why}");
    true
}

/// Packs a release for all architectures into a folder of `place`.
fn packed(place: &Path) -> PathBuf {
    let programs: Vec<Program> =
        architecture::ALL.iter().map(|one| program(&place.join(one.name), one)).collect();
    let out = place.join("out");
    fs::create_dir(&out).unwrap();
    pack(&release(), &programs, &place.join("work"), &out).unwrap();
    out
}

#[test]
fn two_who_pack_get_the_same_bytes() {
    if is_skipped("rpmbuild") || is_skipped("dpkg-deb") {
        return;
    }
    let places = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [one, two] = places.each_ref().map(|place| packed(place.path()));
    let expected = [
        "SHA256SUMS",
        "THIRD-PARTY-LICENSES.txt",
        "headroom-0.1.0-1.aarch64.rpm",
        "headroom-0.1.0-1.x86_64.rpm",
        "headroom-0.1.0-aarch64-linux-debug.tar.gz",
        "headroom-0.1.0-aarch64-linux.tar.gz",
        "headroom-0.1.0-oci.tar",
        "headroom-0.1.0-x86_64-linux-debug.tar.gz",
        "headroom-0.1.0-x86_64-linux.tar.gz",
        "headroom-0.1.0.cdx.json",
        "headroom_0.1.0-1_amd64.deb",
        "headroom_0.1.0-1_arm64.deb",
        "install.sh",
    ];
    assert_eq!(names(&one).unwrap(), expected);
    for name in expected {
        assert!(fs::read(one.join(name)).unwrap() == fs::read(two.join(name)).unwrap(), "{name} differs");
    }
    let checked =
        output(Process::new("sha256sum").args(["--check", "--strict", "SHA256SUMS"]).current_dir(&one));
    assert_eq!(checked.unwrap().lines().count(), expected.len() - 1);
}

#[test]
fn what_is_too_large_is_named_with_its_size() {
    let place = tempfile::tempdir().unwrap();
    with_program(place.path(), |program| {
        let ready = place.path().join("ready");
        fs::create_dir(&ready).unwrap();
        let sized = |path: &Path, bytes: u64| fs::File::create(path).unwrap().set_len(bytes).unwrap();
        sized(&program.path, program::BYTES_MAX);
        sized(&ready.join("a-linux.tar.gz"), ARCHIVE_BYTES_MAX);
        sized(&ready.join("a-linux-debug.tar.gz"), 2 * ARCHIVE_BYTES_MAX);
        let programs = [program.clone()];
        assert_eq!(excess(&programs, &ready).unwrap(), Vec::<String>::new());
        sized(&program.path, program::BYTES_MAX + 100_000);
        sized(&ready.join("a-linux.tar.gz"), ARCHIVE_BYTES_MAX + 100_000);
        let large = excess(&programs, &ready).unwrap();
        assert_eq!(large.len(), 2, "{large:?}");
        assert!(
            large[0].contains("25.1 MB, and 25 MB") && large[1].contains("10.1 MB, and 10 MB"),
            "{large:?}"
        );
    });
}

#[test]
fn the_installer_is_told_from_where_and_nothing_else() {
    let with = |url: &str| installer(&Release { url: Some(url.to_owned()), ..release() });
    let script = with("https://example.org/v0.1.0/").unwrap();
    assert!(script.contains("\nreleases='https://example.org/v0.1.0'\n"), "{script}");
    for wrong in ["https://example.org/'; rm -r x; '", "https://example.org/a b", "https://example.org/$HOME"]
    {
        assert!(with(wrong).unwrap_err().to_string().contains(wrong));
    }
    assert!(installer(&release()).unwrap().contains(INSTALLER_URL));
}

#[test]
fn scripts_have_no_fault_that_shellcheck_knows() {
    if is_skipped("shellcheck") {
        return;
    }
    for script in
        [INSTALLER, "packaging/debian/postinst", "packaging/debian/prerm", "packaging/debian/postrm"]
    {
        output(Process::new("shellcheck").args(["--shell=sh", "--"]).arg(crate::root().join(script)))
            .unwrap();
    }
}

/// What `install.sh` says with these words, with a home in `place`; an error is told as it ended.
fn install(place: &Path, out: &Path, words: &[&str]) -> Result<String, Error> {
    let mut sh = Process::new("sh");
    sh.arg(out.join("install.sh")).args(words).env("HOME", place.join("home"));
    output(sh.env_remove("XDG_DATA_HOME").env_remove("XDG_STATE_HOME"))
}

/// A folder with what the installer reads: the archive of this machine, its hash and the script.
fn offline(place: &Path) -> PathBuf {
    let out = place.join("out");
    fs::create_dir_all(&out).unwrap();
    fs::create_dir_all(place.join("home")).unwrap();
    with_program(place, |program| archives(&release(), program, &place.join("work"), &out).unwrap());
    let script = installer(&release()).unwrap();
    tree::write(&out, &[PackagedFile::program("install.sh", script)]).unwrap();
    let sums = sums(&out).unwrap();
    tree::write(&out, &[PackagedFile::text("SHA256SUMS", sums)]).unwrap();
    out
}

#[test]
fn what_was_installed_for_a_user_runs_and_is_taken_away_again() {
    let place = tempfile::tempdir().unwrap();
    let out = offline(place.path());
    install(place.path(), &out, &["--user"]).unwrap();
    let program = place.path().join("home/.local/bin/headroom");
    assert_eq!(output(&mut Process::new(&program)).unwrap(), "headroom 0.1.0\n");
    // Once more is no error.
    install(place.path(), &out, &["--user", "--from", &out.display().to_string()]).unwrap();
    install(place.path(), &out, &["--user", "--uninstall"]).unwrap();
    assert!(!program.exists());
    let left = output(Process::new("find").arg(place.path().join("home")).args(["-type", "f"])).unwrap();
    assert_eq!(left, "");
}

#[test]
fn what_was_changed_on_its_way_is_not_installed() {
    let place = tempfile::tempdir().unwrap();
    let out = offline(place.path());
    let name = format!("headroom-0.1.0-{}-linux.tar.gz", std::env::consts::ARCH);
    let mut bytes = fs::read(out.join(&name)).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(out.join(&name), bytes).unwrap();
    let error = install(place.path(), &out, &["--user"]).unwrap_err().to_string();
    assert!(error.contains("SHA256SUMS") && error.contains(&name), "{error}");
    assert!(!place.path().join("home/.local").exists());
}

#[test]
fn a_program_of_somebody_else_is_neither_replaced_nor_removed() {
    let place = tempfile::tempdir().unwrap();
    let out = offline(place.path());
    let program = place.path().join("home/.local/bin/headroom");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    fs::write(&program, "mine").unwrap();
    for words in [&["--user"][..], &["--user", "--uninstall"]] {
        let error = install(place.path(), &out, words).unwrap_err().to_string();
        assert!(error.contains("is not Headroom's"), "{error}");
        assert_eq!(fs::read_to_string(&program).unwrap(), "mine");
    }
}

#[test]
fn what_could_put_settings_back_is_not_taken_away() {
    let place = tempfile::tempdir().unwrap();
    let out = offline(place.path());
    install(place.path(), &out, &["--user"]).unwrap();
    let journal = place.path().join("home/.local/state/headroom/settings.journal");
    fs::create_dir_all(journal.parent().unwrap()).unwrap();
    fs::write(&journal, "{}\n").unwrap();
    let error = install(place.path(), &out, &["--user", "--uninstall"]).unwrap_err().to_string();
    assert!(error.contains("headroom restore"), "{error}");
    fs::write(&journal, "").unwrap();
    install(place.path(), &out, &["--user", "--uninstall"]).unwrap();
}

#[test]
fn what_is_missing_is_named_with_how_to_get_one_architecture() {
    let missing = architecture::ALL.iter().flat_map(Architecture::missing).count();
    let all: Vec<&'static Architecture> = architecture::ALL.iter().collect();
    match hold_missing(&all) {
        Ok(()) => assert_eq!(missing, 0),
        Err(error) => assert!(error.to_string().contains("`--target x86_64|aarch64`"), "{error}"),
    }
}
