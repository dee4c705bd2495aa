//! What ioping does as work of a load here: reads of random places, one at a time and without a pause.

use model::tool_result::ToolResult;
use model::{Value, WorkloadName};

use crate::tool::number::whole;
use crate::tool::work::same_work;

/// Options that change nothing of the work, or that [`parameters`] reads.
const KNOWN: &[&str] = &["B", "D", "R", "S", "q", "s", "target", "w"];

/// Fills in the parameters of the same work, where all options are known and there is one.
pub(super) fn fill(result: &mut ToolResult) {
    if let Some(parameters) = parameters(result) {
        same_work(result, WorkloadName::new("disk"), parameters);
    }
}

/// The parameters; `None` where it is no work of ours. It makes a file of its own in a folder.
fn parameters(result: &ToolResult) -> Option<Vec<(&'static str, Value)>> {
    let get = |name: &str| result.options.get(name).map(String::as_str);
    // Without -R it pauses after each request.
    if !result.options.keys().all(|name| KNOWN.contains(&name.as_str())) || get("R").is_none() {
        return None;
    }
    let seconds: f64 =
        get("w")?.parse().ok().filter(|seconds: &f64| *seconds > 0.0 && seconds.is_finite())?;
    Some(vec![
        ("target", get("target")?.into()),
        ("pattern", "randread".into()),
        ("engine", "sync".into()),
        ("direct", get("D").is_some().into()),
        ("block-size", size(get("s").unwrap_or("4k"))?.into()),
        ("size", size(get("S")?)?.into()),
        ("duration", seconds.into()),
    ])
}

/// A size as it takes it: multiples are of 1024.
fn size(text: &str) -> Option<u64> {
    let (number, unit) = whole(text)?;
    let shift = match unit {
        "" | "b" => 0,
        "k" | "kb" => 10,
        "m" | "mb" => 20,
        "g" | "gb" => 30,
        _ => return None,
    };
    number.checked_mul(1 << shift)
}

/// Options that have a value (`man ioping`).
const WITH_VALUE: &[char] = &['a', 'b', 'c', 'e', 'i', 'l', 'r', 't', 'T', 's', 'S', 'o', 'w', 'p', 'P'];

/// Fills in the options of the command.
pub(super) fn options(result: &mut ToolResult) {
    let mut words = result.command.iter().skip(1);
    while let Some(word) = words.next() {
        let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            result.options.insert("target".to_owned(), word.clone());
            continue;
        };
        // Long names have one dash or two.
        let is_word = word.starts_with("--") || letters.len() > 2 && letters.chars().all(char::is_lowercase);
        if is_word {
            let name = letters.trim_start_matches('-');
            let (name, value) = name.split_once('=').unwrap_or((name, ""));
            result.options.insert(name.to_owned(), value.to_owned());
            continue;
        }
        for (at, letter) in letters.char_indices() {
            if !WITH_VALUE.contains(&letter) {
                result.options.insert(letter.to_string(), String::new());
                continue;
            }
            let joined = letters.get(at + letter.len_utf8()..).unwrap_or_default();
            let value =
                if joined.is_empty() { words.next().cloned().unwrap_or_default() } else { joined.to_owned() };
            result.options.insert(letter.to_string(), value);
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use model::ParameterName;

    use super::*;

    fn read(options: &[(&str, &str)]) -> Option<String> {
        let options = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let mut result = ToolResult { options: options.collect(), ..ToolResult::default() };
        fill(&mut result);
        let one = |(name, value): (ParameterName, &Value)| format!("{name}={value}");
        result.workload?;
        Some(result.parameters.iter().map(one).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn options_become_parameters_of_the_same_work() {
        let all = [("R", ""), ("D", ""), ("S", "64m"), ("s", "8k"), ("w", "2"), ("target", "io")];
        assert_eq!(
            read(&all).as_deref(),
            Some(
                "block-size=8192 direct=yes duration=2 engine=sync pattern=randread size=67108864 target=io"
            )
        );
        assert_eq!(read(&all[1..]), None, "it pauses");
        assert_eq!(read(&[&all[..], &[("W", "")]].concat()), None, "it writes");
        assert_eq!(read(&[&all[..], &[("L", "")]].concat()), None, "it reads one place after the other");
    }
}
