//! Taking out of a recording what identifies a machine or its owner: serial
//! numbers, hardware and network addresses, unique identifiers, the name, who
//! built the kernel. Names that people gave stay, and so does the shape of what
//! is masked, so that readers do with it what they do with the original.

mod address;
pub(crate) mod command_line;
mod host_name;
mod mount;

use super::tree::{Entry, Tree};
use crate::host::mapping::uuid_front;
use host_name::HostName;

/// Files whose whole content identifies.
const WHOLE: &[&str] = &[
    "serial",
    "serial_number",
    "product_serial",
    "product_uuid",
    "board_serial",
    "chassis_serial",
    "board_asset_tag",
    "chassis_asset_tag",
    "wwid",
    "wwn",
    "uuid",
    "nguid",
    "eui",
    "subsysnqn",
    "address",
    "broadcast",
    "perm_address",
    "unique_id",
    "machine-id",
    "boot_id",
    "hostname",
    "sas_address",
    "phys_port_id",
    "phys_switch_id",
    "ad_partner_mac",
    "ad_actor_system",
];

/// Files of versions, which may have four numbers as addresses have.
const VERSIONS: &[&str] =
    &["osrelease", "version", "fw_version", "fw_ver", "firmware_version", "firmware_rev", "bios_version"];
/// Answers that hold versions and no addresses.
const VERSION_PROBES: &[&str] = &["/probe/ethtool/", "/probe/smart/", "/probe/dmi", "/probe/pci-names"];

/// All of a machine without what identifies it.
pub(super) fn tree(tree: &Tree) -> Tree {
    let mut mask = Mask { host: HostName::of(tree), cards: Vec::new() };
    tree.map(|path, entry| {
        let entry = match entry {
            Entry::Text(content) => Entry::Text(mask.text(path, content)),
            Entry::Link(target) => Entry::Link(mask.words(target, false)),
            Entry::Folder | Entry::Denied(_) => entry.clone(),
        };
        // A path stands masked in the files that name it, too: the control
        // group in `/proc/self/cgroup`, whose folder it is.
        (mask.words(path, false), entry)
    })
}

/// What is known of a machine's identity.
#[derive(Clone, Debug, Default)]
struct Mask {
    host: HostName,
    /// The addresses in names of cards so far.
    cards: Vec<String>,
}

impl Mask {
    /// The content of `path`.
    fn text(&mut self, path: &str, content: &str) -> String {
        let name = path.rsplit('/').next().unwrap_or(path);
        // What a mapping is for stands in front of what identifies it.
        if let Some(front) = uuid_front(content).filter(|_| path.ends_with("/dm/uuid")) {
            return format!("{front}{}", hide(&content[front.len()..]));
        }
        // A PCI or SCSI folder has files of these names with other meanings.
        if WHOLE.contains(&name) && !path.starts_with("/sys/firmware/memmap") {
            return content.lines().map(hide).collect::<Vec<_>>().join("\n") + "\n";
        }
        let content = match path {
            "/proc/version" => without_builder(content),
            "/proc/cmdline" => command_line::without_identities(content),
            _ if name == "mountinfo" => content.split('\n').map(mount::line).collect::<Vec<_>>().join("\n"),
            _ => content.to_owned(),
        };
        let versioned =
            VERSIONS.contains(&name) || VERSION_PROBES.iter().any(|probe| path.starts_with(probe));
        self.words(&without_users(&content), versioned)
    }

    /// Without addresses, identifiers and the name.
    fn words(&mut self, text: &str, versioned: bool) -> String {
        self.host.hidden(&address::hidden(text, versioned, &mut self.cards))
    }
}

/// The version line without the person and the machine that built the kernel,
/// `(user@host)` (`init/version-timestamp.c`).
pub(crate) fn without_builder(text: &str) -> String {
    let is_builder = |word: &&str| word.starts_with('(') && word.contains('@') && word.ends_with(')');
    text.split(' ').map(|word| if is_builder(&word) { "(...)" } else { word }).collect::<Vec<_>>().join(" ")
}

/// Without names and passwords before a server: `http://alice:s3cret@server`,
/// `iscsi:alice:s3cret@10.0.0.5`. A name alone, as in `getty@tty1`, is none.
fn without_users(text: &str) -> String {
    if !text.contains('@') {
        return text.to_owned();
    }
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'');
    let word = |word: &str| {
        let Some(at) = word.rfind('@') else { return word.to_owned() };
        let start = match word.find("://") {
            Some(scheme) => scheme + 3,
            None => word[..at].rfind(['=', ',', '/']).map_or(0, |mark| mark + 1),
        };
        match word.get(start..at) {
            Some(user) if user.contains(':') || word.contains("://") => {
                format!("{}{}{}", &word[..start], hide(user), &word[at..])
            }
            _ => word.to_owned(),
        }
    };
    text.split_inclusive(ends).map(word).collect()
}

/// Letters and digits as `x` and `0`.
fn hide(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            c if !c.is_alphanumeric() => c,
            c if c.is_ascii_digit() => '0',
            _ => 'x',
        })
        .collect()
}

#[cfg(test)]
mod tests;
