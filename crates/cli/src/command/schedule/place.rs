//! Where units are written: a folder that is named, or where systemd looks for those of a user or of the machine
//! (systemd.unit(5)).

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use clap::ArgMatches;

use crate::exit::Failure;

/// Units of the whole machine.
const SYSTEM_UNITS: &str = "/etc/systemd/system";

/// Where units are written.
#[derive(Debug)]
pub(super) struct Place {
    /// The folder.
    pub(super) folder: PathBuf,
    /// How systemd is told of them, where it looks there.
    pub(super) control: Option<&'static str>,
}

impl Place {
    /// The place that is named, if one is.
    pub(super) fn of(matches: &ArgMatches) -> Result<Option<Self>, Failure> {
        if let Some(folder) = matches.get_one::<String>("to") {
            return Ok(Some(Self { folder: PathBuf::from(folder), control: None }));
        }
        if matches.get_flag("system") {
            return Ok(Some(Self { folder: PathBuf::from(SYSTEM_UNITS), control: Some("systemctl") }));
        }
        if !matches.get_flag("user") {
            return Ok(None);
        }
        let of = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let settings = of("XDG_CONFIG_HOME").or_else(|| Some(of("HOME")?.join(".config")));
        match settings {
            Some(settings) => {
                let folder = settings.join("systemd/user");
                Ok(Some(Self { folder, control: Some("systemctl --user") }))
            }
            None => {
                Err(Failure::arguments("neither HOME nor XDG_CONFIG_HOME is set", "name a folder: --to DIR"))
            }
        }
    }

    /// Makes the folder of a user's units, which is not there before the first.
    pub(super) fn make(&self) -> Result<(), Failure> {
        if self.control != Some("systemctl --user") || self.folder.is_dir() {
            return Ok(());
        }
        DirBuilder::new().recursive(true).mode(0o755).create(&self.folder).map_err(|source| Failure::File {
            what: "making",
            path: self.folder.clone(),
            source,
        })
    }
}
