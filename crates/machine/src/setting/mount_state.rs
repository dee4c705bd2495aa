//! The options of a mounted file system that can be read back and put back: those of the mount alone
//! and those of the file system, as `/proc/self/mountinfo` shows them (proc_pid_mountinfo(5),
//! `fs/proc_namespace.c`). It leaves out what is as by default; ext4, of which the default is each
//! file system's own (tune2fs(8)), says all of it in `/proc/fs/ext4/*/options`.

use std::path::Path;

use crate::Host;
use crate::inventory::block::mount::{self, Line};

/// The file systems of which options can be changed, by their drivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Driver {
    /// Also of ext2 and ext3.
    Ext4,
    Xfs,
    Btrfs,
}

/// A state of a mounted file system, of which words are options.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MountOption {
    /// What the words have in common: two of one key exclude each other.
    pub(super) key: &'static str,
    form: Form,
}

#[derive(Debug, PartialEq, Eq)]
enum Form {
    /// One of several words: those that stand there where they hold, and the one that does not.
    Words(&'static [&'static str], Option<&'static str>),
    /// `KEY=NUMBER`, with the number that is not shown.
    Number(Option<u32>),
    /// `compress=METHOD`; without one, `no`.
    Compression,
}

const fn words(
    key: &'static str,
    shown: &'static [&'static str],
    silent: Option<&'static str>,
) -> MountOption {
    MountOption { key, form: Form::Words(shown, silent) }
}

const fn number(key: &'static str, default: Option<u32>) -> MountOption {
    MountOption { key, form: Form::Number(default) }
}

/// Of the mount alone (`show_mnt_opts`).
const OF_MOUNT: &[MountOption] = &[
    words("atime", &["noatime", "relatime"], Some("strictatime")),
    words("diratime", &["nodiratime"], Some("diratime")),
];

pub(super) const LAZYTIME: &str = "lazytime";

/// Of every file system (`show_sb_opts`); `dirsync` can be set and not be taken away (`fs/fs_context.c`).
const OF_ALL: &[MountOption] =
    &[words(LAZYTIME, &["lazytime"], Some("nolazytime")), words("sync", &["sync"], Some("async"))];

/// `ext4_mount_opts` and `_ext4_show_options` in `fs/ext4/super.c`.
const OF_EXT4: &[MountOption] = &[
    words("barrier", &["barrier", "nobarrier"], None),
    number("commit", None),
    words("discard", &["discard", "nodiscard"], None),
    words("delalloc", &["delalloc", "nodelalloc"], None),
    words("auto_da_alloc", &["auto_da_alloc", "noauto_da_alloc"], None),
    number("max_batch_time", None),
    number("min_batch_time", None),
    number("inode_readahead_blks", None),
];

/// `btrfs_show_options` in `fs/btrfs/super.c`; 30 s is `BTRFS_DEFAULT_COMMIT_INTERVAL`.
const OF_BTRFS: &[MountOption] = &[
    words("barrier", &["nobarrier"], Some("barrier")),
    number("commit", Some(30)),
    words("discard", &["discard", "discard=async"], Some("nodiscard")),
    words("flushoncommit", &["flushoncommit"], Some("noflushoncommit")),
    words("autodefrag", &["autodefrag"], Some("noautodefrag")),
    MountOption { key: "compress", form: Form::Compression },
];

const NO_COMPRESSION: &str = "compress=no";

/// Other ways to write an option (ext4(5), btrfs(5)).
const ALIASES: &[(&str, &str)] = &[
    ("barrier=0", "nobarrier"),
    ("barrier=1", "barrier"),
    ("discard=sync", "discard"),
    ("compress=none", NO_COMPRESSION),
];

impl MountOption {
    /// Whether it is the mount's own, and no other mount of the file system has it.
    pub(super) fn is_of_mount(&self) -> bool {
        OF_MOUNT.contains(self)
    }

    /// The option, as the table of mounts writes it; none where the text is no option of this state.
    fn parse(&self, text: &str) -> Option<String> {
        let value = || text.strip_prefix(self.key)?.strip_prefix('=');
        match self.form {
            Form::Words(shown, silent) => {
                shown.iter().copied().chain(silent).find(|word| *word == text).map(str::to_owned)
            }
            Form::Number(_) => value()?.parse::<u32>().ok().map(|number| format!("{}={number}", self.key)),
            Form::Compression => {
                let is_method = |c: char| c.is_ascii_alphanumeric() || c == ':';
                value().filter(|v| !v.is_empty() && v.chars().all(is_method)).map(|_| text.to_owned())
            }
        }
    }

    /// Which of its words holds where these stand; none where that is not told.
    fn now(&self, standing: &[String]) -> Option<String> {
        let there = standing.iter().find_map(|text| self.parse(text));
        match self.form {
            _ if there.is_some() => there,
            Form::Words(_, silent) => silent.map(str::to_owned),
            Form::Number(default) => default.map(|default| format!("{}={default}", self.key)),
            // To choose a method takes these away (`btrfs_parse_param`).
            Form::Compression => {
                let is_taken = |text: &String| {
                    text.starts_with("compress-force") || text == "nodatacow" || text == "nodatasum"
                };
                (!standing.iter().any(is_taken)).then(|| NO_COMPRESSION.to_owned())
            }
        }
    }

    /// What a person may write of it.
    fn hint(&self) -> String {
        match self.form {
            Form::Words(shown, silent) => shown.iter().copied().chain(silent).collect::<Vec<_>>().join(", "),
            Form::Number(_) => format!("{}=NUMBER", self.key),
            Form::Compression => "compress=no, zlib:3, lzo, zstd:3".to_owned(),
        }
    }
}

/// One word that is asked for, or holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) option: &'static MountOption,
    pub(super) word: String,
}

/// How a file system is mounted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MountState {
    pub(super) line: Line,
    pub(super) driver: Option<Driver>,
    /// All that stands there of the file system.
    standing: Vec<String>,
    /// What holds of what can be changed, in the order of the tables.
    pub(super) choices: Vec<Choice>,
}

impl MountState {
    /// What is mounted at `point`.
    ///
    /// # Errors
    /// That nothing is.
    pub(super) fn read(host: &Host, point: &str) -> Result<Self, String> {
        let table = mount::table(host);
        let Some(line) = mount::way(&table, point).pop() else {
            return Err("no mounts are shown in /proc/self/mountinfo".to_owned());
        };
        if line.point != point {
            return Err(format!(
                "nothing is mounted there in this mount namespace; it lies on {}",
                line.point
            ));
        }
        let ext4 = ext4_options(host, line);
        let driver = match line.kind.as_str() {
            "ext2" | "ext3" | "ext4" if ext4.is_some() => Some(Driver::Ext4),
            "xfs" => Some(Driver::Xfs),
            "btrfs" => Some(Driver::Btrfs),
            _ => None,
        };
        let split = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
        let own = split(&line.own);
        let mut standing = split(&line.system);
        // What is as by default stands in one of both only.
        standing.extend(ext4.into_iter().flatten());
        standing.sort();
        standing.dedup();
        let choice = |option: &'static MountOption| {
            let word = option.now(if option.is_of_mount() { &own } else { &standing })?;
            Some(Choice { option, word })
        };
        let choices = options(driver).filter_map(choice).collect();
        Ok(Self { line: line.clone(), driver, standing, choices })
    }

    /// The word that holds of a state.
    pub(super) fn word(&self, key: &str) -> Option<&str> {
        self.choices.iter().find(|choice| choice.option.key == key).map(|choice| choice.word.as_str())
    }

    /// Whether this stands there of the file system.
    pub(super) fn stands(&self, text: &str) -> bool {
        self.standing.iter().any(|known| known == text)
    }

    /// What stands there of the file system, but for these states.
    pub(super) fn beside(&self, changed: &[Choice]) -> Vec<&str> {
        let is_other = |text: &&String| changed.iter().all(|c| c.option.parse(text).is_none());
        self.standing.iter().filter(is_other).map(String::as_str).collect()
    }

    /// The options that a text asks for, `noatime+commit=30`.
    ///
    /// # Errors
    /// Why one of them cannot be asked for.
    pub(super) fn asked(&self, text: &str) -> Result<Vec<Choice>, String> {
        let mut asked: Vec<Choice> = Vec::new();
        for part in text.split(['+', ',']).map(str::trim) {
            let plain = ALIASES.iter().find(|(alias, _)| *alias == part).map_or(part, |(_, plain)| *plain);
            let one = |option: &'static MountOption| Some(Choice { option, word: option.parse(plain)? });
            let Some(choice) = options(self.driver).find_map(one) else {
                let all: Vec<String> = options(self.driver).map(MountOption::hint).collect();
                return Err(format!(
                    "`{part}` is none of the options of {} that can be read and put back: {}",
                    self.line.kind,
                    all.join(", ")
                ));
            };
            let key = choice.option.key;
            if self.word(key).is_none() {
                return Err(format!(
                    "the current value of `{key}` is not shown, so that it could not be put back"
                ));
            }
            if let Some(other) = asked.iter().find(|other| other.option.key == key) {
                return Err(format!("`{}` and `{part}` exclude each other", other.word));
            }
            asked.push(choice);
        }
        Ok(asked)
    }

    /// Those of `asked` that do not hold.
    pub(super) fn missing(&self, asked: &[Choice]) -> Vec<Choice> {
        asked.iter().filter(|choice| !self.choices.contains(choice)).cloned().collect()
    }
}

/// What can be changed of a file system, in the order in which it is written down.
fn options(driver: Option<Driver>) -> impl Iterator<Item = &'static MountOption> {
    let (all, own): (&'static [MountOption], &'static [MountOption]) = match driver {
        None => (&[], &[]),
        Some(Driver::Ext4) => (OF_ALL, OF_EXT4),
        Some(Driver::Xfs) => (OF_ALL, &[]),
        Some(Driver::Btrfs) => (OF_ALL, OF_BTRFS),
    };
    OF_MOUNT.iter().chain(all).chain(own)
}

/// All that ext4 says of the file system of a mount.
fn ext4_options(host: &Host, line: &Line) -> Option<Vec<String>> {
    let device = host.resolve(format!("/sys/dev/block/{}", line.number))?;
    let name = Path::new(&device).file_name()?.to_str()?;
    let text = host.text(format!("/proc/fs/ext4/{name}/options"))?;
    Some(text.lines().map(str::to_owned).collect())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) const EXT4: &str = "\
        ==> /proc/self/mountinfo\n1 0 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n\
        2 1 8:2 / /data rw,nosuid,noatime,nodiratime - ext4 /dev/sda2 rw,lazytime,nobarrier\n\
        ==> /sys/dev/block/8:2 -> ../../devices/pci0/block/sda/sda2\n\
        ==> /sys/devices/pci0/block/sda/sda2/partition\n2\n\
        ==> /proc/fs/ext4/sda2/options\nrw\nnobarrier\ndelalloc\nnodiscard\nauto_da_alloc\ncommit=5\n\
        min_batch_time=0\nmax_batch_time=15000\ninode_readahead_blks=32\n";

    pub(crate) fn text(state: &MountState) -> String {
        state.choices.iter().map(|c| c.word.as_str()).collect::<Vec<_>>().join("+")
    }

    fn of(kind: &str, own: &str, system: &str) -> MountState {
        let line = format!("==> /proc/self/mountinfo\n1 0 0:39 / / {own} - {kind} /dev/sda {system}\n");
        MountState::read(&Host::parse(&line), "/").unwrap()
    }

    #[test]
    fn ext4_says_also_what_is_as_by_default() {
        let host = Host::parse(EXT4);
        let state = MountState::read(&host, "/data").unwrap();
        assert_eq!(state.driver, Some(Driver::Ext4));
        assert_eq!(
            text(&state),
            "noatime+nodiratime+lazytime+async+nobarrier+commit=5+nodiscard+delalloc+auto_da_alloc+\
             max_batch_time=15000+min_batch_time=0+inode_readahead_blks=32"
        );
        // The kernel does not show it of this one.
        let root = MountState::read(&host, "/").unwrap();
        assert_eq!((root.driver, text(&root).as_str()), (None, "relatime+diratime"));
        let error = MountState::read(&host, "/data/sub").unwrap_err();
        assert!(error.contains("it lies on /data"), "{error}");
    }

    #[test]
    fn of_btrfs_what_is_not_shown_is_as_by_default() {
        let state = of("btrfs", "rw", "rw,discard=async,space_cache=v2,compress=zstd:3,subvol=/");
        assert_eq!(
            text(&state),
            "strictatime+diratime+nolazytime+async+barrier+commit=30+discard=async+noflushoncommit+\
             noautodefrag+compress=zstd:3"
        );
        assert!(text(&of("btrfs", "rw", "rw,discard")).contains("+discard+"));
        assert!(text(&of("btrfs", "rw", "rw")).ends_with("+compress=no"));
        for taken in ["compress-force=zstd:3", "nodatacow"] {
            let state = of("btrfs", "rw", &format!("rw,{taken}"));
            let error = state.asked("compress=lzo").unwrap_err();
            assert!(error.contains("not shown"), "{error}");
        }
        assert_eq!(text(&of("xfs", "rw,relatime", "rw,inode64,sync")), "relatime+diratime+nolazytime+sync");
        assert_eq!(text(&of("tmpfs", "rw,noatime", "rw,size=1024k")), "noatime+diratime");
    }

    #[test]
    fn options_are_asked_for_by_their_words_and_excluded_ones_refused() {
        let state = MountState::read(&Host::parse(EXT4), "/data").unwrap();
        let asked = |text: &str| {
            let words = state.asked(text)?.into_iter().map(|c| c.word).collect::<Vec<_>>();
            Ok::<String, String>(words.join("+"))
        };
        assert_eq!(asked("relatime+barrier=1").as_deref(), Ok("relatime+barrier"));
        assert_eq!(asked("noatime, commit=030").as_deref(), Ok("noatime+commit=30"));
        for (text, says) in [
            ("ro", "`ro` is none of the options of ext4"),
            ("data=journal", "none of the options"),
            ("", "`` is none"),
            ("noatime+", "`` is none"),
            ("commit=-1", "none of the options"),
            ("compress=lzo", "none of the options"),
            ("noatime+relatime", "`noatime` and `relatime` exclude each other"),
            ("barrier=0+barrier", "exclude each other"),
        ] {
            let error = asked(text).unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
        let all = state.asked("noatime+barrier+commit=5").unwrap();
        let missing = state.missing(&all);
        assert_eq!(missing.iter().map(|c| c.word.as_str()).collect::<Vec<_>>(), ["barrier"]);
        assert!(
            !state.beside(&missing).contains(&"nobarrier") && state.beside(&missing).contains(&"delalloc")
        );
        assert!(state.stands("lazytime") && !state.stands("noatime"));
    }
}
