//! A machine's files in memory: what a recorded host is read from, and what a
//! recording is collected in.
//!
//! As one text file (`NAME.host`) it looks like this; lines before the first
//! head are comments:
//!
//! ```text
//! ==> /proc/sys/kernel/osrelease
//! 6.12.9
//! ==> /sys/block/sda -> ../devices/pci0000:00/0000:00:17.0/ata1/block/sda
//! ==> /sys/firmware/dmi/tables/DMI !permission denied
//! ==> /sys/class/hwmon/
//! ==> end
//! ```
//!
//! The last line tells a whole recording from one that was cut short.

use std::collections::BTreeMap;
use std::path::Path;

/// What stands at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A file with this content.
    Text(String),
    /// A link to this path, relative to its folder or absolute on the host.
    Link(String),
    /// A folder, named for itself; those above any entry are there anyway.
    Folder,
    /// A file that could not be read, and why.
    Denied(String),
}

/// The files of a machine, by absolute path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    entries: BTreeMap<String, Entry>,
}

/// How many links one path may lead through, as the kernel's own limit.
const LINKS_MAX: usize = 40;
/// The start of a head.
const HEAD: &str = "==> ";
/// What ends a recording, after [`HEAD`]; paths begin with a slash.
const END: &str = "end";

impl Tree {
    pub(crate) fn insert(&mut self, path: &str, entry: Entry) {
        // What was read says more than that it was listed.
        if entry == Entry::Folder && self.entries.contains_key(path) {
            return;
        }
        self.entries.insert(path.to_owned(), entry);
    }

    /// Puts a file that was listed there, unless its content is known.
    pub(crate) fn mention(&mut self, path: &str) {
        self.entries.entry(path.to_owned()).or_insert_with(|| Entry::Text(String::new()));
    }

    /// How many files it holds.
    pub(crate) fn files(&self) -> usize {
        self.entries.values().filter(|e| matches!(e, Entry::Text(_))).count()
    }

    /// Follows all links of `path`; `None` where it leads nowhere.
    pub(crate) fn resolve(&self, path: &str) -> Option<String> {
        let mut rest: Vec<String> = parts(path).rev().map(str::to_owned).collect();
        let mut done = String::new();
        let mut links = 0;
        while let Some(part) = rest.pop() {
            if part == ".." {
                done.truncate(done.rfind('/').unwrap_or(0));
                continue;
            }
            let here = format!("{done}/{part}");
            match self.entries.get(&here) {
                Some(Entry::Link(target)) => {
                    links += 1;
                    if links > LINKS_MAX {
                        return None;
                    }
                    if target.starts_with('/') {
                        done.clear();
                    }
                    rest.extend(parts(target).rev().map(str::to_owned));
                }
                _ => done = here,
            }
        }
        let done = if done.is_empty() { "/".to_owned() } else { done };
        self.is_there(&done).then_some(done)
    }

    fn is_there(&self, path: &str) -> bool {
        let folder = format!("{}/", path.trim_end_matches('/'));
        self.entries.contains_key(path)
            || self.entries.range(folder.clone()..).next().is_some_and(|(p, _)| p.starts_with(&folder))
    }

    /// The content of the file at `path`.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub(crate) fn read(&self, path: &str) -> Result<String, String> {
        let real = self.resolve(path).ok_or("not there")?;
        match self.entries.get(&real) {
            Some(Entry::Text(text)) => Ok(text.clone()),
            Some(Entry::Denied(reason)) => Err(reason.clone()),
            _ => Err("is a directory".to_owned()),
        }
    }

    /// Names in the folder at `path`, sorted.
    pub(crate) fn names(&self, path: &str) -> Vec<String> {
        let Some(real) = self.resolve(path) else { return Vec::new() };
        let folder = format!("{}/", real.trim_end_matches('/'));
        let mut names: Vec<String> = Vec::new();
        for (path, _) in self.entries.range(folder.clone()..) {
            let Some(rest) = path.strip_prefix(&folder) else { break };
            let name = rest.split('/').next().unwrap_or(rest);
            if !name.is_empty() && names.last().is_none_or(|last| last != name) {
                names.push(name.to_owned());
            }
        }
        names.sort();
        names.dedup();
        names
    }

    /// All paths, sorted.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// Other entries at other paths; where two come to one, the last stays.
    pub(crate) fn map(&self, mut change: impl FnMut(&str, &Entry) -> (String, Entry)) -> Self {
        Self { entries: self.entries.iter().map(|(path, entry)| change(path, entry)).collect() }
    }

    /// Whether `text` has the head of an entry, as any recording has.
    pub(crate) fn is_text_form(text: &str) -> bool {
        text.lines().any(|line| line.strip_prefix(HEAD).is_some_and(|head| head.starts_with('/')))
    }

    /// Whether `text` has its end.
    pub(crate) fn is_whole(text: &str) -> bool {
        text.lines().next_back().and_then(|line| line.strip_prefix(HEAD)) == Some(END)
    }

    /// Reads the text form.
    pub(crate) fn parse(text: &str) -> Self {
        let mut tree = Self::default();
        let mut open: Option<(String, String)> = None;
        for line in text.lines() {
            let Some(head) = line.strip_prefix(HEAD) else {
                if let Some((_, content)) = &mut open {
                    content.push_str(line.strip_prefix('\\').filter(|l| l.starts_with(HEAD)).unwrap_or(line));
                    content.push('\n');
                }
                continue;
            };
            if let Some((path, content)) = open.take() {
                tree.insert(&path, Entry::Text(content));
            }
            if head == END {
                break;
            }
            if let Some((path, target)) = head.split_once(" -> ") {
                tree.insert(path, Entry::Link(target.to_owned()));
            } else if let Some((path, reason)) = head.split_once(" !") {
                tree.insert(path, Entry::Denied(reason.to_owned()));
            } else if let Some(path) = head.strip_suffix('/') {
                tree.insert(path, Entry::Folder);
            } else {
                open = Some((head.to_owned(), String::new()));
            }
        }
        if let Some((path, content)) = open {
            tree.insert(&path, Entry::Text(content));
        }
        tree
    }

    /// Writes the text form.
    pub(crate) fn show(&self) -> String {
        let mut out = String::new();
        for (path, entry) in &self.entries {
            match entry {
                Entry::Link(target) => out.push_str(&format!("{HEAD}{path} -> {target}\n")),
                Entry::Denied(reason) => out.push_str(&format!("{HEAD}{path} !{reason}\n")),
                Entry::Folder => out.push_str(&format!("{HEAD}{path}/\n")),
                Entry::Text(text) => {
                    out.push_str(&format!("{HEAD}{path}\n"));
                    for line in text.lines() {
                        let escape = if line.starts_with(HEAD) { "\\" } else { "" };
                        out.push_str(&format!("{escape}{line}\n"));
                    }
                }
            }
        }
        out + HEAD + END + "\n"
    }

    /// Writes the tree below `folder`, which must be empty or new.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub(crate) fn save(&self, folder: &Path) -> std::io::Result<()> {
        for (path, entry) in &self.entries {
            let place = folder.join(path.trim_start_matches('/'));
            if let Some(above) = place.parent() {
                std::fs::create_dir_all(above)?;
            }
            match entry {
                Entry::Text(text) => std::fs::write(&place, text)?,
                Entry::Folder => std::fs::create_dir_all(&place)?,
                Entry::Link(target) => std::os::unix::fs::symlink(relative(path, target), &place)?,
                // A tree of files cannot say why; that it is missing is enough.
                Entry::Denied(_) => {}
            }
        }
        Ok(())
    }
}

fn parts(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    path.split('/').filter(|part| !part.is_empty() && *part != ".")
}

/// `target` as seen from the folder of `path`.
fn relative(path: &str, target: &str) -> String {
    if !target.starts_with('/') {
        return target.to_owned();
    }
    let depth = parts(path).count().saturating_sub(1);
    format!("{}{}", "../".repeat(depth), target.trim_start_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a comment\n\
        ==> /sys/block/sda -> ../devices/pci0/ata1/block/sda\n\
        ==> /sys/devices/pci0/ata1/block/sda/size\n1000\n\
        ==> /sys/devices/pci0/ata1/block/sda/device -> ../../../ata1\n\
        ==> /sys/devices/pci0/ata1/model\nDisk\n\\==> odd\n\
        ==> /loop -> /loop\n\
        ==> /empty/\n\
        ==> /secret !permission denied\n";

    #[test]
    fn a_text_without_its_end_is_not_whole() {
        let text = Tree::parse(TEXT).show();
        assert!(Tree::is_whole(&text) && Tree::is_text_form(&text));
        for end in 0..text.len() - 1 {
            assert!(!Tree::is_whole(&text[..end]), "{end}");
        }
        assert!(!Tree::is_text_form("notes\n==> end\n") && !Tree::is_text_form(""));
        // Nothing that a file holds is taken for the end.
        let file = Tree::parse("==> /a\n\\==> end\n==> /b\nx\n==> end\n==> /c\ny\n");
        assert_eq!(
            (file.read("/a").unwrap().as_str(), file.read("/b").unwrap().as_str()),
            ("==> end\n", "x\n")
        );
        assert!(file.read("/c").is_err());
    }

    #[test]
    fn links_are_followed_and_names_listed() {
        let tree = Tree::parse(TEXT);
        assert_eq!(tree.read("/sys/block/sda/size").unwrap(), "1000\n");
        assert_eq!(tree.read("/sys/block/sda/device/model").unwrap(), "Disk\n==> odd\n");
        assert_eq!(tree.resolve("/sys/block/sda/device").unwrap(), "/sys/devices/pci0/ata1");
        assert_eq!(tree.names("/sys/block"), ["sda"]);
        assert_eq!(tree.names("/sys/block/sda"), ["device", "size"]);
        assert_eq!(tree.read("/loop/x"), Err("not there".to_owned()));
        assert_eq!(tree.read("/secret"), Err("permission denied".to_owned()));
        assert_eq!(tree.read("/sys/block"), Err("is a directory".to_owned()));
        assert!(tree.names("/empty").is_empty() && tree.resolve("/empty").is_some());
        assert_eq!(Tree::parse(&tree.show()).show(), tree.show());
    }
}
