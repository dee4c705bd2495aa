//! `release`: makes all that is handed out, from the sources of one commit: for each architecture a static program in
//! an archive, its debug data, packages for Debian and for RPM; an image for containers; the script that installs; what
//! the program is made of and under which licences; and the hashes of all.
//!
//! Whoever makes it from the same commit with the same compilers and packers gets the same bytes: times are the commit's,
//! owners are nobody's, and no path of this machine is in the program (decision 0035).

mod architecture;
mod bill;
mod command;
pub(crate) mod cross_test;
mod deb;
mod dependencies;
mod elf;
mod image;
pub(crate) mod install_test;
mod licences;
mod manual;
mod program;
mod rpm;
mod same_answers;
mod tree;

use std::env;
use std::fs;
use std::num::ParseIntError;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use clap::{Arg, ArgAction, ArgMatches, Command};
use tempfile::TempDir;

use self::architecture::Architecture;
use self::command::run as output;
use self::manual::Manual;
use self::program::Program;
use self::tree::PackagedFile;
use crate::error::Error;
use crate::{Task, cargo, tools};

/// The task.
pub(crate) const TASK: Task = Task {
    name: "release",
    about: "Make all that is handed out: static programs, packages, an image, and their hashes",
    arguments,
    run,
};

/// What packages and images say of the program in a line, and in a few.
const ABOUT: &str = "Benchmark of a whole server that says what holds it back";
const LONG_ABOUT: &str = "\
Headroom measures processor, memory, disks and networks of a server, with an
interval for every figure, and names the part that is full. It makes its loads
itself, watches the machine meanwhile, and writes one page to share.";

/// The licence of what is ours.
const LICENCE: &str = "MIT OR Apache-2.0";

/// The text of the LGPL, which Debian's `base-files` has.
const LGPL: &str = "/usr/share/common-licenses/LGPL-2.1";

/// The script that installs, from the root, and its line that is filled in.
const INSTALLER: &str = "packaging/install.sh";
const INSTALLER_URL: &str = "releases=''\n";

/// How large an archive with the program may be.
const ARCHIVE_BYTES_MAX: u64 = 10_000_000;

/// What is the same for every architecture.
struct Release {
    /// The version, as `Cargo.toml` has it.
    version: String,
    /// The time that all files get, in seconds since 1970.
    epoch: u64,
    /// Whom packages name: `Name <address>`.
    maintainer: String,
    /// From where `install.sh` fetches.
    url: Option<String>,
    /// The licences of others.
    licences: String,
    /// The bill of materials.
    bill: String,
    /// What the program writes of itself, once it is built.
    manual: Manual,
    /// The root of the workspace.
    root: PathBuf,
}

fn arguments(command: Command) -> Command {
    let names = architecture::ALL.iter().map(|architecture| architecture.name);
    let text = |name: &'static str, value: &'static str| Arg::new(name).long(name).value_name(value);
    command
        .arg(
            text("target", "ARCHITECTURE")
                .action(ArgAction::Append)
                .value_parser(names.collect::<Vec<_>>())
                .help("Only for this one; again for another [default: all]"),
        )
        .arg(text("out", "DIR").default_value("dist").help("Where it is put"))
        .arg(
            text("url", "URL")
                .help("From where install.sh is to fetch; without it, it is told when it is run"),
        )
        .arg(
            text("maintainer", "NAME <ADDRESS>")
                .help("Whom packages name as their maintainer [default: the author of the last commit]"),
        )
        .arg(
            Arg::new("twice")
                .long("twice")
                .action(ArgAction::SetTrue)
                .help("Build each program twice, in two folders, and fail if they differ"),
        )
}

fn run(root: &Path, arguments: &ArgMatches) -> Result<(), Error> {
    let text = |name: &str| arguments.get_one::<String>(name).cloned();
    let architectures: Vec<&'static Architecture> = match arguments.get_many::<String>("target") {
        Some(names) => names.filter_map(|name| Architecture::named(name)).collect(),
        None => architecture::ALL.iter().collect(),
    };
    hold_missing(&architectures)?;
    let epoch = source_date(root)?;
    if !output(Process::new("git").args(["status", "--porcelain"]).current_dir(root))
        .unwrap_or_default()
        .is_empty()
    {
        eprintln!("release: something here is not committed, so nobody else can make the same");
    }
    let mut release = described(root, &architectures, epoch, text("maintainer"), text("url"))?;
    let target = cargo::target_folder(root)?;
    fs::create_dir_all(&target).map_err(Error::file("make", &target))?;
    let work = tempfile::tempdir_in(&target).map_err(Error::file("make", &target))?;
    let mut programs = Vec::new();
    let mut faults = Vec::new();
    for architecture in &architectures {
        let folder = work.path().join(architecture.name);
        tree::make_folder(&folder)?;
        let program = program::build(root, architecture, epoch, &target, &folder)?;
        if arguments.get_flag("twice") {
            let again = work.path().join(format!("{}-again", architecture.name));
            faults.extend(difference(root, &program, epoch, &again)?);
        }
        programs.push(program);
    }
    release.manual = Manual::of(&here(root, &programs)?, &work.path().join("manual"))?;
    let ready = tempfile::Builder::new().prefix("not-released-").tempdir_in(&target);
    let ready = ready.map_err(Error::file("make", &target))?;
    pack(&release, &programs, &work.path().join("packing"), ready.path())?;
    faults.extend(excess(&programs, ready.path())?);
    hand_out(faults, ready, &root.join(text("out").unwrap_or_default()))
}

/// Puts what is ready where it was asked for; what has faults is nothing to hand out, and stays where it can be looked at.
fn hand_out(mut faults: Vec<String>, ready: TempDir, out: &Path) -> Result<(), Error> {
    if faults.is_empty() {
        return put(ready.path(), out);
    }
    faults.push(format!(
        "what was made is in `{}`; nothing was put into `{}`",
        ready.keep().display(),
        out.display()
    ));
    Err(Error::Release(faults.join("\n")))
}

/// What is larger than it may be.
fn excess(programs: &[Program], ready: &Path) -> Result<Vec<String>, Error> {
    let mut files: Vec<(String, PathBuf, u64)> = Vec::new();
    for program in programs {
        let what = format!("the program for {}", program.architecture.name);
        files.push((what, program.path.clone(), program::BYTES_MAX));
    }
    for name in names(ready)?.into_iter().filter(|name| name.ends_with("-linux.tar.gz")) {
        let file = ready.join(&name);
        files.push((name, file, ARCHIVE_BYTES_MAX));
    }
    let mut large = Vec::new();
    for (what, file, most) in files {
        let bytes = file.metadata().map_err(Error::file("read", &file))?.len();
        if bytes > most {
            let [size, most] = [bytes, most].map(|bytes| bytes as f64 / 1e6);
            large.push(format!("{what} has {size:.1} MB, and {most:.0} MB are allowed"));
        }
    }
    Ok(large)
}

/// A program that runs here: the one that is released, or where none of these does, a quickly built one.
fn here(root: &Path, programs: &[Program]) -> Result<PathBuf, Error> {
    if let Some(native) = programs.iter().find(|program| program.architecture.is_native()) {
        return Ok(native.path.clone());
    }
    let built = cargo::build(root, &["build", "--package", "cli", "--bin", "headroom"])?;
    cargo::headroom(&built).map(Path::to_owned)
}

/// Fails with all that is missing at once, before anything is built.
fn hold_missing(architectures: &[&'static Architecture]) -> Result<(), Error> {
    let mut missing: Vec<String> = architectures.iter().flat_map(|one| one.missing()).collect();
    missing.extend(tools::require(&["dpkg-deb", "rpmbuild"]).err());
    if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = architecture::ALL.iter().map(|one| one.name).collect();
    Err(Error::Release(format!(
        "something is missing (`--target {}` makes one architecture only):\n  {}",
        names.join("|"),
        missing.join("\n  ")
    )))
}

/// The time of the release: what SOURCE_DATE_EPOCH says, or the time of the last commit.
fn source_date(root: &Path) -> Result<u64, Error> {
    let text = match env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => text,
        Err(_) => output(Process::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root))?,
    };
    let wrong = |e: ParseIntError| Error::Release(format!("`{}` is no time in seconds: {e}", text.trim()));
    text.trim().parse().map_err(wrong)
}

/// What is known of the release before anything is built.
fn described(
    root: &Path,
    architectures: &[&'static Architecture],
    epoch: u64,
    maintainer: Option<String>,
    url: Option<String>,
) -> Result<Release, Error> {
    let author = || output(Process::new("git").args(["log", "-1", "--format=%an <%ae>"]).current_dir(root));
    let maintainer = maintainer.map_or_else(author, Ok)?.trim().to_owned();
    let dependencies = dependencies::of(root, architectures)?;
    let own = dependencies.values().find(|one| one.is_ours && one.name == "cli");
    let own = own.ok_or_else(|| Error::Release("the workspace has no package `cli`".to_owned()))?;
    let lgpl = Path::new(LGPL);
    let lgpl = fs::read_to_string(lgpl).map_err(Error::file("read", lgpl))?;
    Ok(Release {
        version: own.version.clone(),
        epoch,
        maintainer,
        url,
        licences: licences::text(&dependencies, &lgpl)?,
        bill: bill::bill(&own.version, &image::created(epoch)?, &dependencies),
        manual: Manual::default(),
        root: root.to_owned(),
    })
}

/// Builds a program again, in another folder, and says if it is another.
fn difference(root: &Path, program: &Program, epoch: u64, work: &Path) -> Result<Option<String>, Error> {
    let folder = work.join("made");
    tree::make_folder(&folder)?;
    let again = program::build(root, program.architecture, epoch, &work.join("target"), &folder)?;
    let name = program.architecture.name;
    let [one, two] = [tree::read(&program.path)?, tree::read(&again.path)?];
    if one == two {
        println!("{name}: a second build gave the same program");
        return Ok(None);
    }
    let same = one.iter().zip(&two).take_while(|(one, two)| one == two).count();
    let [one, two] = [one.len(), two.len()];
    Ok(Some(format!(
        "two builds of the program for {name} differ, first in byte {same}: they have {one} and {two} bytes"
    )))
}

/// Packs everything into the folder `out`, by way of the folder `work`; neither has anything in it.
fn pack(release: &Release, programs: &[Program], work: &Path, out: &Path) -> Result<(), Error> {
    for program in programs {
        let work = work.join(program.architecture.name);
        archives(release, program, &work.join("archives"), out)?;
        deb::pack(release, program, &work.join("deb"), out)?;
        rpm::pack(release, program, &work.join("rpm"), out)?;
    }
    image::pack(release, programs, &work.join("image"), out)?;
    let files = [
        PackagedFile::text(&format!("headroom-{}.cdx.json", release.version), release.bill.as_str()),
        PackagedFile::text("THIRD-PARTY-LICENSES.txt", release.licences.as_str()),
        PackagedFile::program("install.sh", installer(release)?),
    ];
    tree::write(out, &files)?;
    let sums = sums(out)?;
    tree::write(out, &[PackagedFile::text("SHA256SUMS", sums)])
}

/// Packs the program with what `install.sh` installs, and its debug data.
fn archives(release: &Release, program: &Program, work: &Path, out: &Path) -> Result<(), Error> {
    let name = format!("headroom-{}-{}-linux", release.version, program.architecture.name);
    let mut files = tree::licences(release, &name)?;
    files.push(PackagedFile::program(&format!("{name}/headroom"), tree::read(&program.path)?));
    let unit = tree::unit(&release.root, "/usr/local/bin/headroom")?;
    files.push(PackagedFile::text(&format!("{name}/{}", tree::UNIT_NAME), unit));
    let folder = work.join("program");
    tree::write(&folder, &files)?;
    tree::archive(&folder, &out.join(format!("{name}.tar")), release.epoch)?;
    let folder = work.join("debug");
    let debug = PackagedFile::text(&format!("{name}/headroom.debug"), tree::read(&program.debug)?);
    tree::write(&folder, &[debug])?;
    tree::archive(&folder, &out.join(format!("{name}-debug.tar")), release.epoch).map(drop)
}

/// The script that installs, which knows from where.
fn installer(release: &Release) -> Result<String, Error> {
    let path = release.root.join(INSTALLER);
    let script = fs::read_to_string(&path).map_err(Error::file("read", &path))?;
    let Some(url) = &release.url else { return Ok(script) };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/@%+".contains(c);
    if !url.chars().all(is_plain) || !script.contains(INSTALLER_URL) {
        return Err(Error::Release(format!("`{url}` cannot be put into `{INSTALLER}`")));
    }
    Ok(script.replacen(INSTALLER_URL, &format!("releases='{}'\n", url.trim_end_matches('/')), 1))
}

/// The hashes of all files of a folder, as `sha256sum` writes and checks them.
fn sums(folder: &Path) -> Result<String, Error> {
    let mut lines = Vec::new();
    for name in names(folder)? {
        lines.push(format!("{}  {name}\n", image::sha256(&tree::read(&folder.join(&name))?)));
    }
    Ok(lines.concat())
}

/// The names of the files of a folder, in order.
fn names(folder: &Path) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(Error::file("read", folder))? {
        let entry = entry.map_err(Error::file("read", folder))?;
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// The one file of a release in this folder that ends so.
fn artefact(folder: &Path, ending: &str) -> Result<String, Error> {
    let all = names(folder)?;
    let found: Vec<&String> =
        all.iter().filter(|name| name.starts_with("headroom") && name.ends_with(ending)).collect();
    match found[..] {
        [name] => Ok(name.clone()),
        _ => Err(Error::Release(format!(
            "`{}` has {} files `headroom*{ending}`, and one is needed: `cargo xtask release` makes it in a new folder",
            folder.display(),
            found.len()
        ))),
    }
}

/// Puts what is ready where it was asked for, and says what there is.
fn put(ready: &Path, out: &Path) -> Result<(), Error> {
    fs::create_dir_all(out).map_err(Error::file("make", out))?;
    for name in names(ready)? {
        let file = out.join(&name);
        fs::copy(ready.join(&name), &file).map_err(Error::file("write", &file))?;
        let bytes = file.metadata().map_err(Error::file("read", &file))?.len();
        println!("{}: {:.1} MB", file.display(), bytes as f64 / 1e6);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
