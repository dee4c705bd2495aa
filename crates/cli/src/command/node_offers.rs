//! What the owner of a node lets controllers have of this machine beside a measurement: files that are sent, devices and folders
//! on which stacks are made and presented. Each is named by its whole path, and nothing else is touched.

use std::os::unix::fs::FileTypeExt;

use ::node::Limits;
use clap::{Arg, ArgAction, ArgMatches};

use super::option;
use crate::exit::Failure;

/// The options that name them.
pub(super) fn arguments() -> [Arg; 2] {
    let file = option("serve-file", "PATH").action(ArgAction::Append).value_parser(served_file).help(
        "A file that is sent to whoever asks for it with `--serve-file` and the same path; may be given several times. \
         Whoever has the join string can read all of it",
    );
    let present = option("present", "PATH").action(ArgAction::Append).value_parser(presented_path).help(
        "A device or a folder on which a controller may have a storage stack made and presented to it by iSCSI or NVMe \
         over TCP, with `--present`, `--presented-by` and the same path as `--target`; may be given several times. All of a \
         device may be overwritten; in a folder, files of our own are made. Needs root",
    );
    [file, present]
}

/// The whole path of a file.
fn served_file(text: &str) -> Result<String, String> {
    let whole = std::path::absolute(text).map_err(|e| e.to_string())?;
    let whole = whole.to_str().ok_or("its path is no text of UTF-8")?.to_owned();
    match std::fs::metadata(&whole) {
        Ok(metadata) if metadata.is_file() => Ok(whole),
        Ok(_) => Err("this is no regular file".to_owned()),
        Err(e) => Err(format!("it cannot be read: {e}")),
    }
}

/// The whole path of a device or a folder.
fn presented_path(text: &str) -> Result<String, String> {
    let whole = std::path::absolute(text).map_err(|e| e.to_string())?;
    let whole = whole.to_str().ok_or("its path is no text of UTF-8")?.to_owned();
    match std::fs::metadata(&whole) {
        Ok(metadata) if metadata.is_dir() || metadata.file_type().is_block_device() => Ok(whole),
        Ok(_) => Err("this is neither a folder nor a block device".to_owned()),
        Err(e) => Err(format!("it cannot be looked at: {e}")),
    }
}

/// What was given for `option`, which may be there several times.
fn paths(matches: &ArgMatches, option: &str) -> Vec<String> {
    matches.get_many::<String>(option).into_iter().flatten().cloned().collect()
}

/// What a node bears that was started with these arguments.
pub(super) fn limits(matches: &ArgMatches) -> Limits {
    let (files, presents) = (served_files(matches), paths(matches, "present"));
    Limits { files, presents, ..Limits::default() }
}

/// The files that may be sent.
pub(super) fn served_files(matches: &ArgMatches) -> Vec<String> {
    paths(matches, "serve-file")
}

/// What is said of all that it offers, after a sentence.
pub(super) fn described(limits: &Limits) -> String {
    files_sent(limits) + &presented(limits)
}

/// What is said of the files that it sends.
fn files_sent(limits: &Limits) -> String {
    if limits.files.is_empty() {
        return String::new();
    }
    format!(" Sent to whoever asks for it: {}.", limits.files.join(", "))
}

/// What is said of what it presents.
fn presented(limits: &Limits) -> String {
    if limits.presents.is_empty() {
        return String::new();
    }
    let paths = limits.presents.join(", ");
    format!(
        " Stacks are made on these, which overwrites devices, and presented to whoever asks for it: {paths}."
    )
}

/// Refuses to present anything where stacks cannot be made.
pub(super) fn refuse_presenting(limits: &Limits) -> Result<(), Failure> {
    if limits.presents.is_empty() || rustix::process::geteuid().is_root() {
        return Ok(());
    }
    Err(Failure::refused(
        "nothing can be presented: Headroom does not run as root",
        "run the node as root, or leave --present out",
    ))
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;

    #[test]
    fn only_a_folder_or_a_device_is_presented() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "x").unwrap();
        let of = |path: &Path| presented_path(path.to_str().unwrap());
        assert_eq!(of(folder.path()).as_deref(), Ok(folder.path().to_str().unwrap()));
        for (path, why) in [
            (file, "neither a folder"),
            (PathBuf::from("/dev/null"), "neither a folder"),
            (folder.path().join("none"), "cannot be looked at"),
        ] {
            assert!(of(&path).unwrap_err().contains(why), "{}", path.display());
        }
    }

    #[test]
    fn what_is_offered_is_described() {
        let limits = Limits {
            files: vec!["/srv/big.iso".to_owned()],
            presents: vec!["/dev/sdb".to_owned()],
            ..Limits::default()
        };
        let text = described(&limits);
        assert!(text.contains("Sent to whoever asks for it: /srv/big.iso."), "{text}");
        assert!(text.contains("presented to whoever asks for it: /dev/sdb."), "{text}");
        assert_eq!(described(&Limits::default()), "");
    }
}
