//! `headroom schedule STUDY`: the same measurement again and again, by a timer of systemd, held against earlier runs by `headroom
//! trend`. It only writes or prints units; starting them is left to `systemctl`. What it removes is what it wrote.

mod place;
mod timing;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgGroup, ArgMatches, Command};
use model::parameter::Kind;
use model::scalar;
use report::text::printable;
use study::built_in;

use self::place::Place;
use self::timing::{Every, QuietWindow};
use super::help::examples;
use super::systemd_unit::{exec_start, whole_line};
use super::{command_line, flag, option, store_argument, store_path};
use crate::exit::Failure;
use crate::output::{self, Pending};
use crate::{mask_keys, unknown_study};

/// What both units begin with: only what has it is replaced or removed.
const MARK: &str = "# Made by `headroom schedule`";
const SERVICE: &str = include_str!("schedule.service");
const TIMER: &str = include_str!("schedule.timer");
/// The longest name: a tag may have as many characters.
const NAME_MAX: usize = 48;

pub(super) fn define(command: Command) -> Command {
    let place = ["print", "to", "user", "system"];
    command
        .before_help(examples([
            "schedule disk --every 1d -- --target /data",
            "schedule nightly.toml --every 1w --user",
            "schedule --remove disk --user",
        ]))
        .about("Repeat a study by a timer of systemd, and compare it with earlier runs")
        .long_about(
            "Makes a service and a timer for systemd that repeat a study. The service runs the study with the options \
             after `--`, tagged schedule=NAME, and then `headroom trend --tag schedule=NAME --fail-if-worse`. So it fails \
             (`systemctl --failed`) if a trial failed or a figure is worse. The units are printed, unless you name a place \
             for them; nothing is started. Everybody may read a unit: keep passwords in files.",
        )
        .arg(
            Arg::new("study")
                .value_name("STUDY")
                .required_unless_present("remove")
                .help("A workload, a built-in study, or a .toml file"),
        )
        .arg(Arg::new("options").value_name("OPTIONS").num_args(1..).last(true).allow_hyphen_values(true).help(
            "Options of `headroom run`",
        ))
        .arg(
            option("every", "TIME")
                .value_parser(Every::read)
                .required_unless_present("remove")
                .help("1h, 2h, 3h, 4h, 6h, 8h, 12h, 1d, 1w (on Sunday) or 1month (on the first)"),
        )
        .arg(
            option("between", "HH:MM-HH:MM")
                .value_parser(QuietWindow::read)
                .help("Begin and end within these hours, local time; what still runs at their end is interrupted"),
        )
        .arg(
            option("budget", "DURATION")
                .value_parser(duration_s)
                .help("The longest that a run may take; it has to fit between the hours"),
        )
        .arg(
            option("on-worse", "COMMAND")
                .help("If anything is worse, pass what `headroom trend` prints to this shell command"),
        )
        .arg(
            option("name", "NAME")
                .value_parser(unit_name)
                .help("What the units are called, headroom-NAME [default: the study's name]"),
        )
        .arg(
            option("remove", "NAME")
                .value_parser(unit_name)
                .conflicts_with_all(["study", "every", "between", "budget", "on-worse", "name", "options", "print", "store"])
                .help("Remove the units of this name, which this command wrote"),
        )
        .arg(flag("print", "Print the units, as without a place for them"))
        .arg(option("to", "DIR").help("Write the units into this folder"))
        .arg(flag("user", "Write the units where systemd looks for those of this user"))
        .arg(flag("system", "Write the units where systemd looks for those of the machine (/etc/systemd/system)"))
        .group(ArgGroup::new("place").args(place))
        .arg(store_argument())
}

pub(super) fn carry_out(matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    if let Some(name) = matches.get_one::<String>("remove") {
        return remove(name, matches);
    }
    let units = Units::of(matches)?;
    match Place::of(matches)? {
        None => output::done(format!(
            "# {}\n{}\n# {}\n{}",
            units.file("service"),
            units.service,
            units.file("timer"),
            units.timer
        )),
        Some(place) => units.write(&place),
    }
}

/// A duration as it was typed, once it can be read.
fn duration_s(text: &str) -> Result<String, String> {
    scalar::parse(Kind::Duration, text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

/// A name of units: it becomes the name of files, and a tag.
fn unit_name(text: &str) -> Result<String, &'static str> {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    match !text.is_empty()
        && text.len() <= NAME_MAX
        && text.chars().all(is_letter)
        && !text.starts_with(['-', '.'])
    {
        true => Ok(text.to_owned()),
        false => {
            Err("a name has 1 to 48 letters, digits, `-`, `_` or `.`, and begins with a letter or a digit")
        }
    }
}

/// The two units.
#[derive(Debug)]
struct Units {
    name: String,
    service: String,
    timer: String,
}

impl Units {
    fn of(matches: &ArgMatches) -> Result<Self, Failure> {
        let text = |id: &str| matches.get_one::<String>(id).map(String::as_str);
        let study = text("study").unwrap_or_default();
        check_study(study)?;
        let name = match text("name") {
            Some(name) => name.to_owned(),
            None => unit_name(stem(study)).map_err(|why| {
                Failure::arguments(
                    format!("units cannot be called {}", printable(stem(study))),
                    format!("--name: {why}"),
                )
            })?,
        };
        let every = matches.get_one::<Every>("every").copied().unwrap_or(Every::Day);
        let window = matches.get_one::<QuietWindow>("between").copied();
        timing::check(every, window, text("budget"))?;

        let program = std::env::current_exe().map_err(|source| no_folder("the program", source))?;
        let folder = std::env::current_dir().map_err(|source| no_folder("the present folder", source))?;
        let store = store_path(matches).map(|path| folder.join(path).display().to_string());
        let store: Vec<&str> = store.iter().flat_map(|path| ["--store", path.as_str()]).collect();
        let tag = format!("schedule={name}");
        let program = program.display().to_string();

        let mut run = vec![program.as_str(), "run", study];
        run.extend(matches.get_many::<String>("options").unwrap_or_default().map(String::as_str));
        run.extend(text("budget").into_iter().flat_map(|budget| ["--budget", budget]));
        run.extend(["--tag", tag.as_str()]);
        run.extend_from_slice(&store);
        check_secrets(&run)?;
        check_command(&run)?;
        let mut trend = vec![program.as_str(), "trend", "--tag", tag.as_str(), "--fail-if-worse"];
        trend.extend(text("on-worse").into_iter().flat_map(|command| ["--on-worse", command]));
        trend.extend_from_slice(&store);
        check_secrets(&trend)?;
        check_alarm(text("on-worse").unwrap_or_default())?;

        let longest = window.map_or_else(|| "infinity".to_owned(), |window| window.seconds().to_string());
        let calendar = every.calendar(window);
        let folder = whole_line(&folder)?;
        let service = filled(
            SERVICE,
            &[
                ("{name}", name.as_str()),
                ("{folder}", folder.as_str()),
                ("{longest}", longest.as_str()),
                ("{run}", exec_start(&run)?.as_str()),
                ("{trend}", exec_start(&trend)?.as_str()),
            ],
        );
        let timer = filled(TIMER, &[("{name}", name.as_str()), ("{calendar}", calendar.as_str())]);
        Ok(Self { name, service, timer })
    }

    fn file(&self, kind: &str) -> String {
        file_name(&self.name, kind)
    }

    /// Writes both; none before both may be written.
    fn write(&self, place: &Place) -> Result<ExitCode, Failure> {
        place.make()?;
        let mut pending = Vec::new();
        for (kind, text) in [("service", &self.service), ("timer", &self.timer)] {
            let path = place.folder.join(self.file(kind));
            if path.symlink_metadata().is_ok() && !is_ours(&path) {
                let why = "it is there, and `headroom schedule` did not write it".to_owned();
                return Err(output::refused(&path, why, "choose another --name"));
            }
            pending.push((Pending::by_name(&path)?, text, path));
        }
        let mut said = String::new();
        for (pending, text, path) in pending {
            pending.finish(text.as_bytes())?;
            said.push_str(&format!("Wrote {}\n", printable(&path.display().to_string())));
        }
        if let Some(control) = place.control {
            said.push_str(&format!(
                "To start it: {control} daemon-reload && {control} enable --now {}\n",
                self.file("timer")
            ));
        }
        output::done(said)
    }
}

/// Removes the units of this name, if this command wrote them and no timer waits for them.
fn remove(name: &str, matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let Some(place) = Place::of(matches)? else {
        return Err(Failure::arguments(
            "--remove does not say where the units are",
            "name the place: --user, --system or --to DIR",
        ));
    };
    let timer = file_name(name, "timer");
    if let Some(control) = place.control
        && place.folder.join("timers.target.wants").join(&timer).symlink_metadata().is_ok()
    {
        return Err(Failure::refused(
            format!("{timer} is enabled"),
            format!("disable it first: {control} disable --now {timer}"),
        ));
    }
    let paths = ["timer", "service"].map(|kind| place.folder.join(file_name(name, kind)));
    let there: Vec<&PathBuf> = paths.iter().filter(|path| path.symlink_metadata().is_ok()).collect();
    if there.is_empty() {
        let folder = printable(&place.folder.display().to_string());
        return Err(Failure::arguments(
            format!("there are no units headroom-{name} in {folder}"),
            "correct the name or the place",
        ));
    }
    if let Some(other) = there.iter().find(|path| !is_ours(path)) {
        let shown = printable(&other.display().to_string());
        return Err(Failure::refused(
            format!("{shown} was not written by `headroom schedule`"),
            "remove it yourself, if it is to go",
        ));
    }
    let mut said = String::new();
    for path in there {
        fs::remove_file(path).map_err(|source| Failure::File {
            what: "removing",
            path: path.clone(),
            source,
        })?;
        said.push_str(&format!("Removed {}\n", printable(&path.display().to_string())));
    }
    output::done(said)
}

fn file_name(name: &str, kind: &str) -> String {
    format!("headroom-{name}.{kind}")
}

/// Whether a file is one that this command wrote: a link is not.
fn is_ours(path: &Path) -> bool {
    let is_file = path.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    is_file && fs::read_to_string(path).is_ok_and(|text| text.starts_with(MARK))
}

/// What a study is called: a file by its name without its ending.
fn stem(study: &str) -> &str {
    match is_file(study) {
        true => Path::new(study).file_stem().and_then(|stem| stem.to_str()).unwrap_or(study),
        false => study,
    }
}

fn is_file(study: &str) -> bool {
    study.ends_with(".toml")
}

/// A mistyped study would fail at night.
fn check_study(study: &str) -> Result<(), Failure> {
    let catalogue = ::agent::catalogue();
    if is_file(study) {
        return match Path::new(study).is_file() {
            true => Ok(()),
            false => {
                Err(Failure::arguments(format!("there is no file {}", printable(study)), "correct the path"))
            }
        };
    }
    match catalogue.called(study).is_some() || built_in::find(study).is_some() {
        true => Ok(()),
        false => Err(unknown_study::failure(study, &catalogue)),
    }
}

/// What is secret must not stand in a unit.
fn check_secrets(words: &[&str]) -> Result<(), Failure> {
    match words.iter().find(|word| !mask_keys::secrets(word.as_bytes()).is_empty()) {
        Some(word) => Err(Failure::refused(
            format!(
                "{} has a key or a password in it, and everybody may read a unit",
                mask_keys::shortened(word)
            ),
            "keep it in a file that only you may read, and name that",
        )),
        None => Ok(()),
    }
}

/// Nor may the command of an alarm have a password in it.
fn check_alarm(command: &str) -> Result<(), Failure> {
    if !import::tool::has_secret(command) {
        return Ok(());
    }
    Err(Failure::refused(
        "the command of --on-worse has a password or a key in it, and everybody may read a unit",
        "keep it in a file that only you may read: `$(cat FILE)` puts it in, or name a script",
    ))
}

/// Mistyped options would fail at night, too.
fn check_command(run: &[&str]) -> Result<(), Failure> {
    match command_line().try_get_matches_from(std::iter::once("headroom").chain(run[1..].iter().copied())) {
        Ok(matches) => check_devices(&matches),
        Err(error) => {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
            Err(Failure::arguments(
                format!("`headroom run` does not take this: {}", printable(first)),
                "try it before: `headroom run STUDY OPTIONS --dry-run`",
            ))
        }
    }
}

/// What is overwritten every night must be the same device after the next start of the machine, when the kernel gives
/// names anew (udev(7)).
fn check_devices(matches: &ArgMatches) -> Result<(), Failure> {
    let run = matches.subcommand_matches("run");
    let given_up = run.and_then(|run| run.try_get_many::<String>("destroy").ok().flatten());
    let is_by_kernel = |path: &&String| Path::new(path.as_str()).parent() == Some(Path::new("/dev"));
    match given_up.into_iter().flatten().find(is_by_kernel) {
        Some(path) => Err(Failure::refused(
            format!("{} may be another device after the next start of the machine", printable(path)),
            "name it, for --target too, by its link in /dev/disk/by-id, /dev/disk/by-path or /dev/mapper",
        )),
        None => Ok(()),
    }
}

fn no_folder(what: &'static str, source: std::io::Error) -> Failure {
    Failure::File { what: "finding", path: PathBuf::from(what), source }
}

/// A unit with its places filled, one in a line; what was filled in is not looked at again.
fn filled(unit: &str, parts: &[(&str, &str)]) -> String {
    let line = |line: &str| {
        let found = parts.iter().find(|(place, _)| line.contains(*place));
        found.map_or_else(|| line.to_owned(), |(place, text)| line.replacen(*place, text, 1)) + "\n"
    };
    unit.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(typed: &[&str]) -> Result<Units, Failure> {
        let words = ["headroom", "schedule"].iter().chain(typed);
        let matches = command_line().try_get_matches_from(words).unwrap();
        Units::of(matches.subcommand_matches("schedule").unwrap())
    }

    fn of(typed: &str) -> Units {
        units(&typed.split(' ').collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn a_day_has_its_hours_and_a_run_its_budget() {
        let units = of(
            "disk --every 1d --between 01:30-05:00 --budget 30m --store /s.db -- --target /data --tag rack=3",
        );
        assert!(units.timer.contains("\nOnCalendar=*-*-* 01:30:00\n"), "{}", units.timer);
        assert!(units.service.contains("\nTimeoutStartSec=12600\n"), "{}", units.service);
        let run = " run disk --target /data --tag rack=3 --budget 30m --tag schedule=disk --store /s.db\n";
        assert!(units.service.contains(run), "{}", units.service);
        let trend = " trend --tag schedule=disk --fail-if-worse --store /s.db\n";
        assert!(units.service.contains(trend), "{}", units.service);
        for text in [&units.service, &units.timer] {
            assert!(text.starts_with(MARK) && !text.contains(['{', '}']), "{text}");
        }
    }

    #[test]
    fn what_would_fail_at_night_is_refused_by_day() {
        for (typed, code, says) in [
            ("dsik --every 1d", 2, "no workload and no built-in study `dsik`"),
            ("no/such.toml --every 1d", 2, "there is no file no/such.toml"),
            ("disk --every 1d -- --targte /data", 2, "does not take this"),
            ("disk --every 6h --between 01:00-05:00 --budget 1h", 2, "once a day"),
            ("disk --every 1d --between 01:00-05:00", 2, "nobody knows"),
            ("disk --every 1d --between 01:00-02:00 --budget 61m", 2, "does not fit"),
            (
                "disk --every 1d -- --target /dev/sdb --destroy /dev/sdb",
                3,
                "/dev/sdb may be another device after the next start",
            ),
            (
                "net.stream --every 1d -- --peer headroom://10.0.0.2:7117#AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8.ICEiIyQlJicoKSorLC0uLw",
                3,
                "everybody may read a unit",
            ),
        ] {
            let failure = units(&typed.split(' ').collect::<Vec<_>>()).unwrap_err();
            assert_eq!(failure.code(), code, "{typed}: {}", failure.message());
            assert!(failure.message().contains(says), "{typed}: {}", failure.message());
            assert!(!failure.message().contains("AAECAwQF"), "{}", failure.message());
        }
    }

    #[test]
    fn a_device_that_keeps_its_name_may_be_overwritten_each_night() {
        let link = "/dev/disk/by-id/ata-x";
        let units = of(&format!("disk --every 1d -- --target {link} --destroy {link}"));
        assert!(units.service.contains(&format!(" --destroy {link} ")), "{}", units.service);
    }

    #[test]
    fn words_are_quoted_and_line_breaks_refused() {
        let typed = ["disk", "--every", "1d", "--name", "a", "--on-worse", "mail -s \"50% worse\" root"];
        let units_of = units(&typed).unwrap();
        assert!(
            units_of.service.contains(r#"--on-worse "mail -s \"50%% worse\" root""#),
            "{}",
            units_of.service
        );
        let broken = ["disk", "--every", "1d", "--on-worse", "a\nExecStart=b"];
        assert_eq!(units(&broken).unwrap_err().code(), 2);
    }

    #[test]
    fn an_alarm_with_a_password_in_it_is_refused() {
        let with = |password: &str| {
            let command = format!("curl -u me:{password} -d @- https://h/");
            units(&["disk", "--every", "1d", "--on-worse", &command])
        };
        let failure = with("geheim").unwrap_err();
        assert_eq!(failure.code(), 3);
        assert!(!failure.message().contains("geheim"), "{}", failure.message());
        assert!(with("$(cat /etc/alarm)").is_ok());
    }

    #[test]
    fn only_units_of_ours_are_replaced_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().to_str().unwrap();
        let carry = |typed: &[&str]| {
            let words = ["headroom", "schedule"].iter().chain(typed);
            let matches = command_line().try_get_matches_from(words).unwrap();
            carry_out(matches.subcommand_matches("schedule").unwrap(), &[])
        };
        let names = || {
            let mut names: Vec<_> =
                fs::read_dir(to).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        let write = ["disk", "--every", "1d", "--to", to];
        carry(&write).unwrap();
        carry(&write).unwrap();
        assert_eq!(names(), ["headroom-disk.service", "headroom-disk.timer"]);
        let remove = ["--remove", "disk", "--to", to];
        carry(&remove).unwrap();
        assert!(names().is_empty());
        assert_eq!(carry(&remove).unwrap_err().code(), 2);
        fs::write(folder.path().join("headroom-disk.timer"), "[Timer]\n").unwrap();
        for typed in [&write[..], &remove[..]] {
            assert_eq!(carry(typed).unwrap_err().code(), 3);
        }
        assert_eq!(names(), ["headroom-disk.timer"]);
        assert_eq!(carry(&["--remove", "disk"]).unwrap_err().code(), 2, "it does not say where");
    }
}
