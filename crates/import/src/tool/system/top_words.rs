//! The lines above top's processes in any language: what the numbers are of is told by their places, which
//! procps translates no more than the units.

use crate::tool::number::leading;

/// What processors do, by its places.
const STATES: &[&str] = &["us", "sy", "ni", "id", "wa", "hi", "si", "st"];

/// What memory holds.
const MEMORY: &[&str] = &["total", "free", "used", "buff/cache"];

/// The same of swap, with what of the memory is available behind it.
const SWAP: &[&str] = &["total", "free", "used", "avail"];

/// What tasks do.
const TASKS: &[&str] = &["total", "running", "sleeping", "stopped", "zombie"];

/// A translated line in English; `None` if it is none, or is in English.
pub(super) fn in_english(text: &str) -> Option<String> {
    let (name, rest) = text.trim().split_once(':')?;
    let name = name.trim_end();
    let numbers = numbers(rest);
    if let Some(unit) = ["KiB ", "MiB ", "GiB "].iter().find(|unit| name.starts_with(**unit)) {
        // Behind the last number of swap is a point.
        let (kind, names) = if rest.contains(".  ") { ("Swap", SWAP) } else { ("Mem", MEMORY) };
        let is_own = (name.ends_with("Mem") || name.ends_with("Swap")) && rest.contains(" free");
        let is_one = !is_own && numbers.len() == names.len();
        return is_one.then(|| line(&format!("{unit}{kind}"), &numbers, names));
    }
    if name.starts_with('%') {
        // With a number it is of one processor.
        let is_of_one = name.contains(|c: char| c.is_ascii_digit());
        let is_own = name == "%Cpu(s)" && rest.contains(" us");
        let is_one = !is_of_one && !is_own && numbers.len() == STATES.len();
        return is_one.then(|| line("%Cpu(s)", &numbers, STATES));
    }
    let are_whole = numbers.iter().all(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    let is_name = name.chars().all(|c| c.is_alphabetic() || c == ' ') && !matches!(name, "Tasks" | "Threads");
    // In Polish the last one is missing.
    let is_one = is_name && are_whole && (4..=5).contains(&numbers.len()) && rest.matches(',').count() == 4;
    is_one.then(|| line("Tasks", &numbers, TASKS))
}

fn line(name: &str, numbers: &[String], names: &[&str]) -> String {
    let pairs: Vec<String> =
        numbers.iter().zip(names).map(|(number, name)| format!("{number} {name}")).collect();
    format!("{name}: {}", pairs.join(", "))
}

/// The numbers of a text, as printed.
fn numbers(text: &str) -> Vec<String> {
    // A wide number leaves no space behind the comma before it: `0,0 ni,100,0 be`.
    let mut before = ' ';
    let spaced = |c: char| {
        let last = std::mem::replace(&mut before, c);
        if c == ',' && last.is_alphabetic() { ' ' } else { c }
    };
    let text: String = text.chars().map(spaced).collect();
    let words = text.split_whitespace().map(|word| word.trim_end_matches([',', '.', ':']));
    let is_number = |word: &&str| leading(word, false).is_some_and(|number| number.rest.is_empty());
    words.filter(is_number).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn translated_lines_are_told_by_their_places() {
        for (text, english) in [
            (
                "%Cpu(s): 76,9 ut, 23,1 sy,  0,0 ni,  0,0 id,  0,0 wa,  0,0 hi,  0,0 si,  0,0 st",
                Some("%Cpu(s): 76,9 us, 23,1 sy, 0,0 ni, 0,0 id, 0,0 wa, 0,0 hi, 0,0 si, 0,0 st"),
            ),
            (
                "%CPU:    50,0 uż, 50,0 sy,  0,0 ni,100,0 be,  0,0 io,  0,0 hi,  0,0 si,  0,0 sk",
                Some("%Cpu(s): 50,0 us, 50,0 sy, 0,0 ni, 100,0 id, 0,0 wa, 0,0 hi, 0,0 si, 0,0 st"),
            ),
            (
                "MiB 메모리 :  24105.6 총계,  21622.2 잔여,   1976.8 사용,    824.8 버퍼/캐시",
                Some("MiB Mem: 24105.6 total, 21622.2 free, 1976.8 used, 824.8 buff/cache"),
            ),
            (
                "MiB Éch :     24,0 total,     24,0 libr,      0,0 util.  21720,7 dispo Mem",
                Some("MiB Swap: 24,0 total, 24,0 free, 0,0 used, 21720,7 avail"),
            ),
            (
                "작  업:  92 총계,   2 실행,  90 대기,   0 멈춤,   0 좀비",
                Some("Tasks: 92 total, 2 running, 90 sleeping, 0 stopped, 0 zombie"),
            ),
            (
                "%CPU(s): 66,7 us, 33,3 sy,  0,0 ni,  0,0 id,  0,0 wa,  0,0 hi,  0,0 si,  0,0 st",
                Some("%Cpu(s): 66,7 us, 33,3 sy, 0,0 ni, 0,0 id, 0,0 wa, 0,0 hi, 0,0 si, 0,0 st"),
            ),
            (
                "Zadania:razem: 102, działających:   2, śpiących: 100, zatrzymanych:   0, zombie:",
                Some("Tasks: 102 total, 2 running, 100 sleeping, 0 stopped"),
            ),
            ("%CPU0:    50,0 uż, 50,0 sy,  0,0 ni,100,0 be,  0,0 io,  0,0 hi,  0,0 si,  0,0 sk", None),
            ("MiB Mem :     16.0 total,      4.0 free,      4.0 used,      1.0 buff/cache", None),
            ("Tasks:  92 total,   2 running,  90 sleeping,   0 stopped,   0 zombie", None),
            ("That are 5: 1 of 2", None),
        ] {
            assert_eq!(in_english(text).as_deref(), english, "{text}");
        }
    }
}
