//! What a command of dd lacks, in operands that its variant has.

use model::tool_result::{ToolRemedy, ToolResult};

use super::dd::BSD;
use super::dd_operands;

/// The words of the result's command with these remedies.
pub(super) fn corrected(result: &ToolResult, remedies: &[ToolRemedy]) -> Vec<String> {
    let (writes, copies) = (dd_operands::writes(result), dd_operands::copies(result));
    let mut words = result.command.clone();
    for remedy in remedies {
        match (remedy, result.version.as_deref()) {
            // That of macOS has neither of these operands.
            (_, Some(BSD)) => {}
            // What is copied may have any size, and records as small as those that were asked for: a sync takes all.
            (ToolRemedy::BypassPageCache, Some("busybox" | "toybox")) if copies => {
                add_to_list(&mut words, "conv", "fsync");
            }
            (ToolRemedy::BypassPageCache, _) if copies => add_to_list(&mut words, "conv", "fdatasync"),
            (ToolRemedy::BypassPageCache, _) => {
                let flags = if writes { "oflag" } else { "iflag" };
                add_to_list(&mut words, flags, "direct");
            }
            // Those of small systems know no other.
            (ToolRemedy::SyncAtEnd, Some("busybox" | "toybox")) if writes => {
                add_to_list(&mut words, "conv", "fsync");
            }
            (ToolRemedy::SyncAtEnd, _) if writes => add_to_list(&mut words, "conv", "fdatasync"),
            _ => {}
        }
    }
    words
}

/// Adds a word to the list of an operand.
fn add_to_list(words: &mut Vec<String>, operand: &str, word: &str) {
    let is_it = |own: &&mut String| own.split_once('=').is_some_and(|(name, _)| name == operand);
    match words.iter_mut().find(is_it) {
        Some(list) if list.split(['=', ',']).any(|own| own == word) => {}
        Some(list) => list.push_str(&format!(",{word}")),
        None => words.push(format!("{operand}={word}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_gets_only_operands_that_its_dd_has() {
        let corrected = |variant: &str| {
            let mut result = ToolResult {
                command: "dd if=/dev/zero of=x".split(' ').map(str::to_owned).collect(),
                version: Some(variant.to_owned()),
                ..ToolResult::default()
            };
            result.options.insert("of".to_owned(), "x".to_owned());
            corrected(&result, &[ToolRemedy::BypassPageCache, ToolRemedy::SyncAtEnd]).join(" ")
        };
        assert_eq!(corrected("GNU"), "dd if=/dev/zero of=x oflag=direct conv=fdatasync");
        assert_eq!(corrected("busybox"), "dd if=/dev/zero of=x oflag=direct conv=fsync");
        assert_eq!(corrected(BSD), "dd if=/dev/zero of=x");
    }

    #[test]
    fn a_copy_is_synced_and_stays_one_of_any_size() {
        let mut result = ToolResult {
            command: "dd if=/dev/mmcblk0 of=x".split(' ').map(str::to_owned).collect(),
            version: Some("GNU".to_owned()),
            ..ToolResult::default()
        };
        for (name, path) in [("if", "/dev/mmcblk0"), ("of", "x")] {
            result.options.insert(name.to_owned(), path.to_owned());
        }
        let corrected = corrected(&result, &[ToolRemedy::BypassPageCache]).join(" ");
        assert_eq!(corrected, "dd if=/dev/mmcblk0 of=x conv=fdatasync");
    }
}
