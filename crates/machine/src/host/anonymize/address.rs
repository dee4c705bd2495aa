//! Finding addresses and identifiers anywhere in a text, also within words:
//! `ip=10.0.0.7::10.0.0.1:...`, `ifname=eth0:52:54:00:12:34:57`. Numbers that
//! only look alike stay: PCI addresses, versions, device numbers, times.

use std::net::Ipv6Addr;

/// What stands for a UUID.
pub(super) const NO_UUID: &str = "00000000-0000-0000-0000-000000000000";
/// Runs of as many hexadecimal digits are digests or identifiers: a UUID
/// without dashes has 32, a container's number 64. Shorter ones are memory
/// addresses, CPU masks, module aliases.
const DIGEST_MIN: usize = 32;
/// Pairs of digits in an Ethernet address.
const PAIRS_MIN: usize = 6;
/// Digits in the name of a card that is named by its address
/// (`systemd.net-naming-scheme(7)`).
const CARD_DIGITS: usize = 12;
/// How such names begin: Ethernet, wireless, WWAN, InfiniBand, serial line.
const CARDS: &[&str] = &["enx", "wlx", "wwx", "ibx", "slx"];
/// What stands before the identifier of a UUID in any form (a DOS partition's
/// has 8 digits and a number, that of a FAT file system 4 and 4).
const UUID_HEADS: &[&str] = &["uuid=", "by-uuid/", "by-partuuid/"];
/// What stands before a world-wide name (T10 SPC-5, 7.7.6; udev's
/// `60-persistent-storage.rules`).
const WORLD_WIDE: &[&str] = &["wwn-0x", "naa.", "eui."];
/// The longest IPv6 address in text, with an IPv4 address at its end.
const IPV6_MAX: usize = 45;

/// A text as it is read from left to right.
#[derive(Clone, Copy, Debug)]
struct TextPosition<'a> {
    before: Option<char>,
    /// The character before that one.
    earlier: Option<char>,
    rest: &'a str,
}

/// `text` without addresses and identifiers. `cards` are the addresses in names
/// of cards so far: each keeps a number of its own, lest two become one.
/// Where versions stand (`versioned`), four numbers with dots are one.
pub(super) fn hidden(text: &str, versioned: bool, cards: &mut Vec<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut place = TextPosition { before: None, earlier: None, rest: text };
    while let Some(first) = place.rest.chars().next() {
        let found = named(place)
            .or_else(|| uuid(place))
            .or_else(|| digest(place))
            .or_else(|| card(place, cards))
            .or_else(|| pairs(place))
            .or_else(|| ipv6(place))
            .or_else(|| if versioned { None } else { ipv4(place) });
        let (taken, shown) = match found {
            Some((taken, shown)) => (taken, shown),
            None => (first.len_utf8(), first.to_string()),
        };
        out.push_str(&shown);
        let (done, rest) = place.rest.split_at(taken);
        let mut back = done.chars().rev();
        let before = back.next();
        place = TextPosition { before, earlier: back.next().or(place.before), rest };
    }
    out
}

/// How many bytes were recognized, and what stands for them.
type Recognized = Option<(usize, String)>;

impl<'a> TextPosition<'a> {
    fn starts_word(self) -> bool {
        !self.before.is_some_and(|c| c.is_ascii_alphanumeric())
    }

    /// The rest after `head`, whatever its case.
    fn after(self, head: &str) -> Option<&'a str> {
        let start = self.rest.get(..head.len())?;
        start.eq_ignore_ascii_case(head).then(|| &self.rest[head.len()..])
    }
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_hexdigit).count()
}

fn zeros(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_hexdigit() { '0' } else { c }).collect()
}

/// What a head before it says to be an identifier.
fn named(place: TextPosition<'_>) -> Recognized {
    if let Some(rest) = place.after("by-id/") {
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '/' | ',' | ';' | '"' | '\'' | ')'));
        let id = &rest[..end.unwrap_or(rest.len())];
        return Some(("by-id/".len() + id.len(), format!("by-id/{}", without_serial(id))));
    }
    for head in UUID_HEADS {
        let Some(rest) = place.after(head) else { continue };
        let quote = usize::from(rest.starts_with('"'));
        let length = rest[quote..].bytes().take_while(|b| b.is_ascii_hexdigit() || *b == b'-').count();
        let end = head.len() + quote + length;
        let is_whole = !place.rest[end..].starts_with(|c: char| c.is_ascii_alphanumeric());
        if is_whole && length > 0 {
            let (head, id) = place.rest[..end].split_at(head.len());
            return Some((end, format!("{head}{}", zeros(id))));
        }
    }
    let head = WORLD_WIDE.iter().find(|head| place.starts_word() && place.after(head).is_some())?;
    let length = digits(&place.rest[head.len()..]);
    (length >= 8).then(|| (head.len() + length, format!("{head}{}", "0".repeat(length))))
}

/// A name as udev makes it, `BUS-MODEL_SERIAL-partN`, without the serial
/// number. An NVMe namespace adds its number after that.
fn without_serial(id: &str) -> String {
    let part = id.rfind("-part").filter(|at| id[at + 5..].bytes().all(|b| b.is_ascii_digit()));
    let (id, part) = id.split_at(part.unwrap_or(id.len()));
    let is_number = |at: usize| id.len() - at <= 3 && id[at + 1..].bytes().all(|b| b.is_ascii_digit());
    let last = id.rfind('_');
    let last = match last.filter(|at| is_number(*at)) {
        Some(at) => id[..at].rfind('_').or(Some(at)),
        None => last,
    };
    let (kept, serial) = id.split_at(last.or_else(|| id.find('-')).unwrap_or(0));
    format!("{kept}{}{part}", super::hide(serial))
}

/// `3b9d6f60-31ab-4a4c-9d5e-0c2f5a7b8c9d`; in the names of services with other
/// marks between.
fn uuid(place: TextPosition<'_>) -> Recognized {
    let mut at = 0;
    let mut mark = None;
    for length in [8, 4, 4, 4, 12] {
        if at > 0 {
            let mark = *mark
                .get_or_insert(["-", "_", "\\x2d"].into_iter().find(|m| place.rest[at..].starts_with(m))?);
            at += place.rest[at..].strip_prefix(mark).map(|_| mark.len())?;
        }
        (digits(&place.rest[at..]) >= length).then_some(())?;
        at += length;
    }
    let shown = NO_UUID.replace('-', mark.unwrap_or("-"));
    Some((at + digits(&place.rest[at..]), shown))
}

fn digest(place: TextPosition<'_>) -> Recognized {
    let length = digits(place.rest);
    (length >= DIGEST_MIN).then(|| (length, NO_UUID.to_owned()))
}

/// `enx00e04c680001`.
fn card(place: TextPosition<'_>, cards: &mut Vec<String>) -> Recognized {
    let head = CARDS.iter().find(|head| place.starts_word() && place.rest.starts_with(**head))?;
    let address = place.rest.get(head.len()..head.len() + CARD_DIGITS)?;
    let next = place.rest[head.len() + CARD_DIGITS..].chars().next();
    if digits(address) < CARD_DIGITS || next.is_some_and(|c| c.is_ascii_alphanumeric()) {
        return None;
    }
    let number = cards.iter().position(|known| known == address).unwrap_or_else(|| {
        cards.push(address.to_owned());
        cards.len() - 1
    });
    Some((head.len() + CARD_DIGITS, format!("{head}{number:0CARD_DIGITS$x}")))
}

/// A hardware address: six pairs or more with colons or dashes; PXE puts the
/// kind of hardware before it, `01-52-54-00-12-34-56`, InfiniBand has 20.
fn pairs(place: TextPosition<'_>) -> Recognized {
    let mark = place.rest.as_bytes().get(2).copied().filter(|mark| matches!(mark, b':' | b'-'))?;
    let (mut count, mut at) = (0, 0);
    while place.starts_word() {
        let bytes = &place.rest.as_bytes()[at..];
        let is_pair = bytes.len() >= 2 && bytes[..2].iter().all(u8::is_ascii_hexdigit);
        if !is_pair || bytes.get(2).is_some_and(u8::is_ascii_alphanumeric) {
            break;
        }
        count += 1;
        at += 2;
        if bytes.get(2) != Some(&mark) {
            break;
        }
        at += 1;
    }
    let end = (count * 3_usize).saturating_sub(1);
    (count >= PAIRS_MIN).then(|| (end, zeros(&place.rest[..end])))
}

fn ipv6(place: TextPosition<'_>) -> Recognized {
    let length =
        place.rest.bytes().take(IPV6_MAX).take_while(|b| b.is_ascii_hexdigit() || matches!(b, b':' | b'.'));
    let run = &place.rest[..length.count()];
    // Few texts get further, which the parsing below would be slow for.
    if !place.starts_word() || !(run.contains("::") || run.bytes().filter(|b| *b == b':').count() >= 7) {
        return None;
    }
    // Shorter ones, `::1`, are the same everywhere.
    let end = (5..=run.len()).rev().find(|end| {
        let next = place.rest[*end..].chars().next();
        !next.is_some_and(|c| c.is_ascii_alphanumeric()) && run[..*end].parse::<Ipv6Addr>().is_ok()
    })?;
    Some((end, "::".to_owned()))
}

/// Four numbers with dots, unless more follow or a `v` is before them; also
/// with dashes as clouds name their machines, `ip-10-0-0-7`.
fn ipv4(place: TextPosition<'_>) -> Recognized {
    if place.starts_word()
        && let Some(rest) = place.rest.strip_prefix("ip-")
        && let Some(length) = four_numbers(rest, b'-')
    {
        return Some(("ip-".len() + length, "ip-0-0-0-0".to_owned()));
    }
    let is_version = place.before == Some('v') && !place.earlier.is_some_and(|c| c.is_ascii_alphanumeric());
    if is_version || place.before.is_some_and(|c| c.is_ascii_digit() || c == '.') {
        return None;
    }
    four_numbers(place.rest, b'.').map(|length| (length, "0.0.0.0".to_owned()))
}

/// How long four numbers of a byte are, with `mark` between them.
fn four_numbers(text: &str, mark: u8) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    for count in 0..4 {
        if count > 0 {
            (bytes.get(at) == Some(&mark)).then_some(())?;
            at += 1;
        }
        let length = bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        text.get(at..at + length)?.parse::<u8>().ok()?;
        at += length;
    }
    let goes_on = bytes.get(at) == Some(&mark) && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
    (!goes_on).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        hidden(text, false, &mut Vec::new())
    }

    #[test]
    fn addresses_are_found_within_words() {
        let uuid = "3b9d6f60-31ab-4a4c-9d5e-0c2f5a7b8c9d";
        let cases = [
            ("ip=10.0.0.7::10.0.0.1:255.255.255.0:", "ip=0.0.0.0::0.0.0.0:0.0.0.0:"),
            ("BOOTIF=01-52-54-00-12-34-56", "BOOTIF=00-00-00-00-00-00-00"),
            ("ifname=eth0:52:54:00:12:34:57", "ifname=eth0:00:00:00:00:00:00"),
            ("http://[fe80::5054:ff:feab:cdef]:80/", "http://[::]:80/"),
            ("ip=[2001:db8::7]:eth0", "ip=[::]:eth0"),
            ("2001:db8:1:2:3:4:5:6:eth0", ":::eth0"),
            (&format!("UUID={uuid}:root"), &format!("UUID={NO_UUID}:root")),
            (
                &format!("pod{}.slice", uuid.replace('-', "_")),
                &format!("pod{}.slice", NO_UUID.replace('-', "_")),
            ),
            ("root=PARTUUID=1a2b3c4d-02 x", "root=PARTUUID=00000000-00 x"),
            ("UUID=\"1A2B-3C4D\"", "UUID=\"0000-0000\""),
            ("/dev/disk/by-id/wwn-0x5000c500a1b2c3d4-part1", "/dev/disk/by-id/wwn-0x0000x000x0x0x0x0-part1"),
            ("by-id/nvme-Samsung_SSD_970_2TB_S4J4NX0R1_1", "by-id/nvme-Samsung_SSD_970_2TB_X0X0XX0X0_0"),
            ("eui.0025385b71b0a1b2", "eui.0000000000000000"),
            ("ip-10-0-0-7.internal", "ip-0-0-0-0.internal"),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text).to_lowercase(), expected.to_lowercase(), "{text}");
        }
    }

    #[test]
    fn what_looks_like_an_address_and_is_none_stays() {
        for kept in [
            "0000:01:00.0",
            "pci-0000:01:00.0-ata-1",
            "0-3,8",
            "10-11,12-13",
            "8.0 GT/s PCIe",
            "6.12.9-amd64",
            "v1.2.3.4",
            "1.2.3.4.5",
            "300.1.2.3",
            "259:0",
            "8:16 1024",
            "12:34:56",
            "2026-11-21T10:22:05",
            "0::/system.slice",
            "::1",
            "target0:0:0/0:0:0:0",
            "pci:v00008086d00001521sv00008086sd00000001bc02sc00i00",
            "0x00000000fb000000 0x00000000fb0fffff",
            "ffffffff,ffffffff",
            "uuid=none",
            "enx",
            "enxample",
        ] {
            assert_eq!(shown(kept), kept);
        }
        assert_eq!(hidden("4.0.1.1", true, &mut Vec::new()), "4.0.1.1");
    }

    #[test]
    fn cards_that_are_named_by_their_address_stay_apart() {
        let text = "enx00e04c680001 wlx00e04c680002 enx00e04c680001.5";
        assert_eq!(shown(text), "enx000000000000 wlx000000000001 enx000000000000.5");
    }
}
