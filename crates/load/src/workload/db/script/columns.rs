//! The names of the columns that a SELECT gives, for `\gset`.

use crate::workload::db::script::arithmetic::is_of_name;

/// Their names, where each is said: by `AS name`, or by a column that stands alone. `None` where one is not.
pub(super) fn columns(select: &str) -> Option<Vec<String>> {
    let behind = select.trim_start();
    let (first, rest) = behind.split_at_checked("SELECT".len())?;
    if !first.eq_ignore_ascii_case("SELECT") || !rest.starts_with(char::is_whitespace) {
        return None;
    }
    items(rest).into_iter().map(name).collect()
}

/// The parts of a list up to `FROM` or the end, at the commas that stand in no bracket and no quote.
fn items(list: &str) -> Vec<&str> {
    let (mut all, mut begun, mut depth, mut quote) = (Vec::new(), 0, 0u32, None);
    let mut before = ' ';
    for (place, character) in list.char_indices() {
        match (quote, character) {
            (Some(open), close) if open == close => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(character),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                all.push(&list[begun..place]);
                begun = place + 1;
            }
            (None, _) if depth == 0 && !is_of_name(before) && begins_with_from(&list[place..]) => {
                all.push(&list[begun..place]);
                return all;
            }
            (None, _) => {}
        }
        before = character;
    }
    all.push(&list[begun..]);
    all
}

fn begins_with_from(text: &str) -> bool {
    let word = text.split(|c: char| !is_of_name(c)).next().unwrap_or_default();
    word.eq_ignore_ascii_case("FROM")
}

/// What a column is called.
fn name(item: &str) -> Option<String> {
    let words: Vec<&str> = item.split_whitespace().collect();
    let name = match *words {
        // Behind the table, where one is named.
        [column] => column.rsplit('.').next()?,
        [.., word, name] if word.eq_ignore_ascii_case("AS") => name,
        _ => return None,
    };
    let is_name = name.chars().all(is_of_name) && name.starts_with(|c: char| !c.is_ascii_digit());
    is_name.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_are_said() {
        for (select, names) in [
            ("SELECT a, t.b, sum(c, d) AS e FROM t", Some(&["a", "b", "e"][..])),
            ("select coalesce(x, (select 1 from y)) as z\nfrom t", Some(&["z"][..])),
            ("SELECT 'a, FROM b' AS text", Some(&["text"][..])),
            ("SELECT from_date, valid_from FROM t", Some(&["from_date", "valid_from"][..])),
            ("SELECT count(*) FROM t", None),
            ("SELECT *", None),
            ("SELECT 1", None),
            ("VALUES (1)", None),
            ("sel", None),
        ] {
            let found = columns(select);
            let found = found.as_ref().map(|all| all.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!(found.as_deref(), names, "{select}");
        }
    }
}
