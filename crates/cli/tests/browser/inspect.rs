//! Looking at a page: at every width, light, dark and as printed, by script.

use std::fmt;
use std::path::Path;

use serde_json::Value;

use crate::chromium::{Chromium, Page, Timing, View};

/// Something that is wrong with a page.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Complaint {
    /// Which check it is of: `overlap`, `cut-text`.
    pub(crate) check: String,
    /// The element, as a path of names.
    pub(crate) place: String,
    /// The text that it is about.
    pub(crate) text: String,
    /// How far it is off.
    pub(crate) detail: String,
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: \"{}\" {} ({})", self.check, self.text, self.detail, self.place)
    }
}

/// Looks at the page as it is shown now.
pub(crate) fn check(page: &Page<'_>) -> Vec<Complaint> {
    let complaint = |value: &Value| {
        let field = |name: &str| value[name].as_str().unwrap().to_owned();
        Complaint {
            check: field("check"),
            place: field("where"),
            text: field("text"),
            detail: field("detail"),
        }
    };
    page.evaluate(include_str!("boxes.js")).as_array().unwrap().iter().map(complaint).collect()
}

/// A screen of this width.
pub(crate) const fn screen(name: &'static str, width: u32, scheme: &'static str) -> View {
    View { name, width, height: 900, scale: 1.0, media: "screen", scheme }
}

/// A4 less Chromium's own margins of 1 cm, in CSS pixels.
pub(crate) const PAPER: View =
    View { name: "print", width: 718, height: 1047, scale: 1.0, media: "print", scheme: "light" };

/// Every view in which a page must be right.
pub(crate) const MATRIX: &[View] = &[
    screen("1440-light", 1440, "light"),
    screen("1440-dark", 1440, "dark"),
    screen("820-light", 820, "light"),
    screen("820-dark", 820, "dark"),
    screen("360-light", 360, "light"),
    screen("360-dark", 360, "dark"),
    PAPER,
];

/// What was seen of a page.
#[derive(Debug)]
pub(crate) struct Inspection {
    /// By the view's name.
    pub(crate) complaints: Vec<(&'static str, Complaint)>,
    /// What the console, the log, scripts and dialogs said.
    pub(crate) console: Vec<String>,
    /// Addresses that it asked for beside itself.
    pub(crate) requests: Vec<String>,
    /// Bytes of the file.
    pub(crate) bytes: u64,
    /// To be told, never to be asserted.
    pub(crate) timing: Timing,
    /// The page on paper.
    pub(crate) pdf: Vec<u8>,
}

impl Inspection {
    /// Everything that is wrong, a line each; the same complaint once, with
    /// the views that have it.
    pub(crate) fn wrong(&self) -> Vec<String> {
        let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
        for (view, complaint) in &self.complaints {
            let text = complaint.to_string();
            match lines.iter_mut().find(|(known, _)| *known == text) {
                Some((_, views)) => views.push(view),
                None => lines.push((text, vec![view])),
            }
        }
        let boxes = lines.into_iter().map(|(text, views)| format!("[{}] {text}", views.join(", ")));
        let console = self.console.iter().cloned();
        let requests = self.requests.iter().map(|url| format!("asks for {url:.200}"));
        let paper = (cli::browser::pages(&self.pdf) == 0).then(|| "is nothing on paper".to_owned());
        boxes.chain(console).chain(requests).chain(paper).collect()
    }
}

/// Opens the file in every view of [`MATRIX`]. Where `HEADROOM_SCREENSHOTS`
/// names a folder, the pictures are put there for people to look at.
pub(crate) fn inspect(chromium: &Chromium, file: &Path) -> Inspection {
    let page = Page::open(chromium, file, MATRIX[0]);
    let timing = page.timing();
    let mut complaints = Vec::new();
    for view in MATRIX {
        page.show(*view);
        complaints.extend(check(&page).into_iter().map(|complaint| (view.name, complaint)));
        keep(file, &format!("{}.png", view.name), || page.screenshot());
    }
    let pdf = page.pdf();
    keep(file, "print.pdf", || pdf.clone());
    let bytes = std::fs::metadata(file).unwrap().len();
    println!("{}: {bytes} bytes, {} pages on paper, {timing:?}", file.display(), cli::browser::pages(&pdf));
    Inspection { complaints, console: page.console(), requests: page.requests(), bytes, timing, pdf }
}

fn keep(file: &Path, name: &str, bytes: impl FnOnce() -> Vec<u8>) {
    let Some(folder) = std::env::var_os("HEADROOM_SCREENSHOTS") else { return };
    let stem = file.file_stem().unwrap().to_string_lossy();
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(Path::new(&folder).join(format!("{stem}-{name}")), bytes()).unwrap();
}

/// Fails with everything that is wrong with the page.
pub(crate) fn assert_clean(inspection: &Inspection) {
    let wrong = inspection.wrong();
    assert!(wrong.is_empty(), "{} complaints:\n{}", wrong.len(), wrong.join("\n"));
}
