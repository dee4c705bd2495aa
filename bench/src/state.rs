//! What the whole table says, in a few lines: how many goals are met, and by which figures they are
//! not.

use crate::judge::Row;

/// Figures that are named, those with most misses first.
const FIGURES_MOST: usize = 7;

/// Rows that are named of each.
const ROWS_MOST: usize = 3;

/// The rows of one figure that have a goal.
struct Group<'a> {
    what: &'a str,
    rows: usize,
    /// Those that do not meet it.
    open: Vec<&'a Row>,
}

impl Group<'_> {
    /// How many surely miss it.
    fn missed(&self) -> usize {
        self.open.iter().filter(|row| row.met() == "no").count()
    }
}

/// In Markdown.
pub(crate) fn told(rows: &[Row]) -> String {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for row in rows.iter().filter(|row| row.met() != "-") {
        let found = groups.iter_mut().find(|group| group.what == row.what());
        let group = match found {
            Some(group) => group,
            None => {
                groups.push(Group { what: row.what(), rows: 0, open: Vec::new() });
                groups.last_mut().expect("it was put there")
            }
        };
        group.rows += 1;
        if row.met() != "yes" {
            group.open.push(row);
        }
    }
    let count = |word: &str| rows.iter().filter(|row| row.met() == word).count();
    let (met, missed, undecided) = (count("yes"), count("no"), count("undecided"));
    let all = met + missed + undecided;
    let mut lines = vec![format!(
        "Of {all} figures with a goal, **{met} meet it, {missed} miss it, and for {undecided} it is undecided** (the interval \
         holds the bound). Those with most misses, with the ratio ours / peer:"
    )];
    groups.retain(|group| !group.open.is_empty());
    groups.sort_by_key(|group| std::cmp::Reverse((group.missed(), group.open.len())));
    let rest: usize = groups.iter().skip(FIGURES_MOST).map(|group| group.open.len()).sum();
    for group in groups.iter_mut().take(FIGURES_MOST) {
        // Those that surely miss it first.
        group.open.sort_by_key(|row| row.met() == "undecided");
        let missed = group.missed();
        let named = |row: &&Row| format!("`{}` {}", row.name(), row.ratio_or_ours());
        let names: Vec<_> = group.open.iter().take(ROWS_MOST).map(named).collect();
        let (more, names) = (if group.open.len() > ROWS_MOST { ", ..." } else { "" }, names.join(", "));
        let (what, rows, undecided) = (group.what, group.rows, group.open.len() - missed);
        lines.push(format!("- {what}: {missed} of {rows} miss it, {undecided} undecided: {names}{more}"));
    }
    if rest > 0 {
        lines.push(format!(
            "- {rest} rows of other figures miss it or are undecided: see [the table](#results)"
        ));
    }
    // A blank line makes what follows a list.
    lines.insert(1, String::new());
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, what: &str, met: &str) -> Row {
        let cells = [name, what, "1 s", "2 s", "0.5", "0.4 to 0.6", "15", "g", met, "2026-01-02", "M"];
        Row(cells.map(str::to_owned))
    }

    #[test]
    fn misses_are_counted_and_named_by_figure() {
        let rows = [
            row("a", "reads", "yes"),
            row("b", "reads", "no"),
            row("c", "reads", "undecided"),
            row("a", "CPU", "yes"),
            row("a", "notes", "-"),
        ];
        assert_eq!(
            told(&rows),
            "Of 4 figures with a goal, **2 meet it, 1 miss it, and for 1 it is undecided** (the interval holds the bound). \
             Those with most misses, with the ratio ours / peer:\n\n\
             - reads: 1 of 3 miss it, 1 undecided: `b` 0.5, `c` 0.5"
        );
    }

    #[test]
    fn a_figure_with_a_miss_comes_before_one_with_more_undecided_rows() {
        let rows = [row("a", "reads", "undecided"), row("b", "reads", "undecided"), row("a", "CPU", "no")];
        let text = told(&rows);
        let place = |words: &str| text.find(words).unwrap();
        assert!(place("- CPU: 1 of 1 miss it") < place("- reads: 0 of 2 miss it"), "{text}");
    }

    #[test]
    fn no_more_than_a_screen_is_said() {
        let rows: Vec<Row> = (0..12)
            .flat_map(|f| (0..5).map(move |r| row(&format!("r{r}"), &format!("f{f}"), "no")))
            .collect();
        let text = told(&rows);
        assert_eq!(text.lines().count(), 2 + FIGURES_MOST + 1);
        assert!(
            text.ends_with("- 25 rows of other figures miss it or are undecided: see [the table](#results)"),
            "{text}"
        );
    }
}
