//! Why a program ended before it had done all: the reason that the system gave, as programs print it.

use crate::tool::command_line::program;

/// The option of a result under which its error stands.
pub(super) const OPTION: &str = "error";

/// Reasons that end what was begun already, in the words of the C library. A full device is the usual one, so
/// its words are known in further languages.
const REASONS: &[&str] = &[
    "No space left on device",
    "Input/output error",
    "Disk quota exceeded",
    "File too large",
    "Remote I/O error",
    "Stale file handle",
    "Transport endpoint is not connected",
    "Auf dem Ger\u{e4}t ist kein Speicherplatz mehr verf\u{fc}gbar",
    "Aucun espace disponible sur le p\u{e9}riph\u{e9}rique",
    "No queda espacio en el dispositivo",
    "Spazio esaurito sul device",
    "N\u{e3}o h\u{e1} espa\u{e7}o dispon\u{ed}vel no dispositivo",
    "На устройстве не осталось свободного места",
    "设备上没有空间",
    "設備上沒有空間",
    "デバイスに空き領域がありません",
    "장치에 남은 공간이 없음",
];

/// The reason in a line of one of these programs: `No space left on device` of `dd: error writing 'x': No space
/// left on device`. What could not even be opened did nothing, and has no figures.
pub(super) fn reason<'a>(text: &'a str, programs: &[&str]) -> Option<&'a str> {
    let (name, message) = text.trim_start().split_once(": ")?;
    if !programs.contains(&program(name)) {
        return None;
    }
    let at = REASONS.iter().find_map(|reason| message.find(reason).map(|at| at..at + reason.len()))?;
    message.get(at)
}

/// The reason that a number of Linux stands for (errno(3)): of JSON, which has nothing else.
pub(super) fn of_number(number: u64) -> String {
    let known = [(5, "Input/output error"), (27, "File too large"), (28, "No space left on device")];
    // What fio verifies and finds changed has the last of these numbers.
    let more = [
        (12, "Cannot allocate memory"),
        (13, "Permission denied"),
        (16, "Device or resource busy"),
        (22, "Invalid argument"),
        (30, "Read-only file system"),
        (116, "Stale file handle"),
        (121, "Remote I/O error"),
        (122, "Disk quota exceeded"),
        (84, "Invalid or incomplete multibyte or wide character"),
    ];
    let reason = known.into_iter().chain(more).find(|(own, _)| *own == number);
    reason.map_or_else(|| format!("number {number}"), |(_, reason)| reason.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_told_by_the_program_in_every_language() {
        for (text, expected) in [
            ("dd: writing `x': No space left on device", Some("No space left on device")),
            ("/bin/dd: x: Input/output error", Some("Input/output error")),
            (
                "dd: Fehler beim Schreiben von 'x': Auf dem Ger\u{e4}t ist kein Speicherplatz mehr verf\u{fc}gbar",
                Some("Auf dem Ger\u{e4}t ist kein Speicherplatz mehr verf\u{fc}gbar"),
            ),
            ("cp: x: No space left on device", None),
            ("dd: failed to open 'x': No such file or directory", None),
            ("dd is full: No space left on device", None),
        ] {
            assert_eq!(reason(text, &["dd"]), expected, "{text}");
        }
    }

    #[test]
    fn numbers_stand_for_reasons() {
        assert_eq!((of_number(28).as_str(), of_number(1).as_str()), ("No space left on device", "number 1"));
    }
}
