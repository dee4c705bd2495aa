//! The topmost layer of a storage stack by its text alone: rules read stacks of results, also of kinds of layers that
//! this version does not make.

/// How many layers the stack `text` has, and what the topmost is called, as
/// [`crate::stack::LayerStack::layer_names`] calls it; none where there is no layer.
#[must_use]
pub fn top_layer(text: &str) -> Option<(usize, String)> {
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
    let kinds: Vec<&str> = pieces.map(|piece| piece.split('(').next().unwrap_or_default().trim()).collect();
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
}
