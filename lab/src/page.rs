//! The table in `docs/verdicts.md`, between two marks.

use std::fs;
use std::path::Path;

use xtask::Error;

/// Where the results are kept.
pub(crate) const PATH: &str = "docs/verdicts.md";

const BEGIN: &str = "<!-- lab: begin -->";
const END: &str = "<!-- lab: end -->";

/// Whether the page can be written: found out before an hour is spent.
pub(crate) fn check(page: &Path) -> Result<(), Error> {
    let text = fs::read_to_string(page).map_err(Error::file("read", page))?;
    renewed(page, &text, "").map(drop)
}

/// Puts a new part between the marks.
pub(crate) fn write(page: &Path, part: &str) -> Result<(), Error> {
    let text = fs::read_to_string(page).map_err(Error::file("read", page))?;
    fs::write(page, renewed(page, &text, part)?).map_err(Error::file("write", page))
}

fn renewed(page: &Path, text: &str, part: &str) -> Result<String, Error> {
    let split = || {
        let (before, rest) = text.split_once(BEGIN)?;
        let (_, after) = rest.split_once(END)?;
        Some(format!("{before}{BEGIN}\n{part}{END}{after}"))
    };
    split().ok_or_else(|| {
        let page = page.display();
        Error::Lab(format!("`{page}` has no place for the table: put `{BEGIN}` and `{END}` into it"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_marks_is_new() {
        let folder = tempfile::tempdir().unwrap();
        let page = folder.path().join("verdicts.md");
        fs::write(&page, format!("# T\n\n{BEGIN}\nold\n{END}\n\nafter\n")).unwrap();
        write(&page, "new\n").unwrap();
        let text = fs::read_to_string(&page).unwrap();
        assert_eq!(text, format!("# T\n\n{BEGIN}\nnew\n{END}\n\nafter\n"));
        check(&page).unwrap();
        fs::write(&page, "# T\n").unwrap();
        assert!(check(&page).unwrap_err().to_string().contains("no place"));
    }
}
