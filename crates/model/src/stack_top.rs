//! The layers of a storage stack by its text alone: rules and pages read stacks of results, also of kinds of layers that
//! this version does not make.

/// The kinds of the layers of the stack `text`, the lowest first.
fn kinds(text: &str) -> Vec<&str> {
    let mut open = 0_u32;
    // Within parentheses it is a value's.
    let pieces = text.split(|c: char| {
        match c {
            '(' => open += 1,
            ')' => open = open.saturating_sub(1),
            _ => {}
        }
        c == '>' && open == 0
    });
    pieces.map(|piece| piece.split('(').next().unwrap_or_default().trim()).collect()
}

/// The stack `text` without what stands in parentheses behind its layers: `raid6 > luks > xfs`.
#[must_use]
pub fn without_options(text: &str) -> String {
    kinds(text).join(" > ")
}

/// How many layers the stack `text` has, and what the topmost is called, as
/// [`crate::stack::LayerStack::layer_names`] calls it; none where there is no layer.
#[must_use]
pub fn top_layer(text: &str) -> Option<(usize, String)> {
    let kinds = kinds(text);
    let (top, below) = kinds.split_last().filter(|(top, _)| !top.is_empty())?;
    let name = match below.iter().filter(|kind| *kind == top).count() {
        0 => (*top).to_owned(),
        before => format!("{top}-{}", before + 1),
    };
    Some((kinds.len(), name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_topmost_layer_is_named_as_stacks_name_it() {
        let found = |text: &str| top_layer(text);
        assert_eq!(found("raid6(a+b+c+d; chunk=64k) > luks > xfs"), Some((3, "xfs".to_owned())));
        assert_eq!(found("luks(a) > luks"), Some((2, "luks-2".to_owned())));
        assert_eq!(found("loop > ext4(mount=\"a>b\")"), Some((2, "ext4".to_owned())));
        assert_eq!(found(""), None);
    }

    #[test]
    fn options_and_devices_are_left_out_of_a_stack() {
        for (text, short) in [
            ("raid6(a+b+c+d; chunk=64KiB) > luks > xfs", "raid6 > luks > xfs"),
            ("loop > ext4(mount=\"a>b\")", "loop > ext4"),
            ("luks", "luks"),
            ("", ""),
        ] {
            assert_eq!(without_options(text), short);
        }
    }
}
