//! The checks themselves: each catches the page that it is for, and none
//! accuses a page that is right.

use std::path::{Path, PathBuf};

use crate::chromium::{Chromium, Page, View};
use crate::inspect::{MATRIX, assert_clean, check, inspect};

/// A page around `body`, in a file.
fn page(folder: &Path, body: &str) -> PathBuf {
    let file = folder.join("page.html");
    let style = ":root{color-scheme:light dark}body{margin:8px;font:16px/1.4 sans-serif;color:#222;background:#fff}\
                 @media screen and (prefers-color-scheme:dark){body{color:#ddd;background:#111}}";
    let html = format!(
        "<!doctype html><html lang=en><meta charset=utf-8><title>A page</title><style>{style}</style>\
         <h1>A page</h1>{body}"
    );
    std::fs::write(&file, html).unwrap();
    file
}

const NARROW: View =
    View { name: "narrow", width: 400, height: 600, scale: 1.0, media: "screen", scheme: "light" };

/// A picture, with a name, around `inside`.
fn svg(inside: &str) -> String {
    format!("<svg role=img aria-label=x width=200 height=100 font-size=14>{inside}</svg>")
}

/// Pages of which exactly this check must complain.
fn caught(name: &str, bodies: &[&str]) {
    let Some(program) = crate::browser() else { return };
    let (chromium, folder) = (Chromium::start(&program), tempfile::tempdir().unwrap());
    for body in bodies {
        let page = Page::open(&chromium, &page(folder.path(), body), NARROW);
        let complaints = check(&page);
        assert!(
            !complaints.is_empty() && complaints.iter().all(|c| c.check == name),
            "{body}\n{complaints:?}"
        );
    }
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn text_over_text_is_caught() {
    let texts = svg("<text x=10 y=50>eleven</text><text x=14 y=55>twelve</text>");
    let spans = svg("<text x=10 y=50>eleven<tspan x=14 y=55>twelve</tspan></text>");
    let turned = svg("<text x=60 y=20 transform='rotate(45 60 20)'>eleven</text>\
         <text x=62 y=20 transform='rotate(45 62 20)'>twelve</text>");
    let upright =
        svg("<text x=60 y=20 transform='rotate(90 60 20)'>eleven</text><text x=40 y=50>twelve</text>");
    let bodies = [
        "<p>one</p><p style='margin-top:-40px'>two</p>",
        "<div style='position:relative'>one<b style='position:absolute;left:4px;top:4px'>two</b></div><p>x</p>\
         <div style='position:relative'><i>one</i><b style='position:absolute;left:4px;top:4px'>two</b></div>",
        &texts,
        &spans,
        &turned,
        &upright,
    ];
    caught("overlap", &bodies);
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn cut_text_is_caught() {
    let right = svg("<text x=180 y=50>too far right</text>");
    let above = svg("<text x=20 y=5>too high</text>");
    let bodies = [
        "<div style='overflow:hidden;width:60px;white-space:nowrap'>much too long for it</div>",
        "<div style='overflow:hidden;height:12px'>one<br>two</div>",
        "<div style='overflow:hidden;width:60px;white-space:nowrap;text-overflow:ellipsis'>too long for it</div>",
        "<div style='overflow:clip;width:60px'><table><tr><th>aaaaaaaaaaaaaaaaaaaaaa</table></div>",
        &right,
        &above,
    ];
    caught("cut-text", &bodies);
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn what_is_off_the_page_is_caught() {
    caught("off-page", &["<p style='position:absolute;left:-60px'>left of it</p>"]);
    caught("off-page", &["<p style='position:absolute;top:-40px'>above it</p>"]);
}

#[test]
fn a_page_that_scrolls_sideways_is_caught() {
    let Some(program) = crate::browser() else { return };
    let (chromium, folder) = (Chromium::start(&program), tempfile::tempdir().unwrap());
    let file = page(folder.path(), "<p style='width:700px'>wide</p>");
    let page = Page::open(&chromium, &file, NARROW);
    let checks = |page: &Page<'_>| check(page).into_iter().map(|c| c.check).collect::<Vec<_>>();
    assert_eq!(checks(&page), ["off-page", "page-scrolls"]);
    page.show(View { width: 800, ..NARROW });
    assert_eq!(checks(&page), [""; 0], "wide enough");
}

#[test]
fn small_text_is_caught() {
    let scaled =
        "<svg role=img aria-label=x viewBox='0 0 800 100' width=200><text y=40 font-size=14>x</text></svg>";
    caught("small-text", &["<p style='font-size:7px'>tiny</p>", scaled]);
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn faint_text_is_caught() {
    let on_bar = svg("<rect width=200 height=100 fill='#246'/><text x=20 y=50 fill='#333'>eleven</text>");
    let on_page = svg("<text x=20 y=50 fill='#bbb'>eleven</text>");
    let in_path = svg("<path d='M0 0H200V100H0Z' fill='#246'/><text x=20 y=50>eleven</text>");
    let bodies = [
        "<p style='color:#999'>grey</p>",
        "<p style='opacity:.5'>half</p>",
        "<div style='background:#333'><p style='background:rgb(255 255 255/10%)'>dark</p></div>",
        "<p style='color:oklch(0.8 0 0)'>grey</p>",
        &on_bar,
        &on_page,
        &in_path,
    ];
    caught("contrast", &bodies);
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_picture_without_words_is_caught() {
    let bodies = [
        "<svg width=9 height=9></svg>",
        "<svg role=img width=9 height=9></svg>",
        "<svg role=img aria-label=' ' width=9 height=9></svg>",
        "<svg role=img aria-labelledby=nothing width=9 height=9></svg>",
        "<img src='data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='>",
    ];
    caught("no-alternative", &bodies);
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn what_points_outside_is_caught() {
    let bodies = [
        "<img alt='' src='picture.png'>",
        "<link rel=stylesheet href='style.css'>",
        "<style>@import 'style.css';</style>",
        "<style>p{background:url( \"picture.png\")}</style>",
        "<p style='background:url(picture.png)'>x</p>",
        "<a href='javascript:void 0'>x</a>",
        "<a href='other.html'>x</a>",
        "<p onclick='void 0'>x</p>",
        "<iframe></iframe>",
        "<svg role=img aria-label=x><image href='picture.png'/></svg>",
        "<svg role=img aria-label=x><rect fill='url(other.svg#a)' width=9 height=9 /></svg>",
        "<meta http-equiv=refresh content='99999;url=#x'>",
    ];
    caught("outside", &bodies);
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn wrong_structure_is_caught() {
    caught("double-id", &["<p id=a>one<p id=a>two"]);
    caught("heading-order", &["<h3>deep</h3>", "<h1>again</h1>"]);
    caught("no-table-head", &["<table><tr><td>1</table>"]);
}

#[test]
fn a_page_that_says_nothing_of_itself_is_caught() {
    let Some(program) = crate::browser() else { return };
    let (chromium, folder) = (Chromium::start(&program), tempfile::tempdir().unwrap());
    let file = folder.path().join("page.html");
    std::fs::write(&file, "<!doctype html><p>nothing").unwrap();
    let complaints = check(&Page::open(&chromium, &file, NARROW));
    let checks: Vec<_> = complaints.iter().map(|c| c.check.as_str()).collect();
    assert_eq!(checks, ["heading-order", "no-language", "no-title"]);
}

/// What a page may have, in every view.
const RIGHT: &str = "
<h2 id=a>Section</h2><p>Words with a <a href='https://example.org/'>link</a>, H<sub>2</sub>O and <b>weight</b>.
<div style='overflow-x:auto'><table><tr><th>name<th>value<tr><td><div style='width:1200px'>wide</div><td>1</table></div>
<div style='position:absolute;width:1px;height:1px;overflow:hidden;white-space:nowrap'>only to be heard by some</div>
<a href='#a' style='position:absolute;left:-999rem'>Skip</a>
<details><summary>More</summary><p style='position:absolute;top:0'>not to be seen</p></details>
<svg role=img width=300 height=120 font-size=12 style='max-width:100%'><title>Bars</title>
<defs><linearGradient id=g><stop/></linearGradient><text>no ink</text></defs>
<rect width=300 height=120 fill='#246'/><text x=20 y=30 fill='#fff'>first</text><text x=20 y=45 fill='#fff'>second</text>
<text x=60 y=60 fill='#fff' transform='rotate(45 60 60)'>turned so</text>
<text x=80 y=60 fill='#fff' transform='rotate(45 80 60)'>turned so</text>
<text x=150 y=30 fill='#000' stroke='#fff' stroke-width=3 paint-order=stroke>halo</text>
<rect y=80 width=300 height=40 fill='url(#g)'/></svg>
<svg aria-hidden=true width=9 height=9></svg>
<h3>Deeper</h3><h2>Section</h2>";

#[test]
fn a_page_that_is_right_is_not_accused() {
    let Some(program) = crate::browser() else { return };
    let (chromium, folder) = (Chromium::start(&program), tempfile::tempdir().unwrap());
    let inspection = inspect(&chromium, &page(folder.path(), RIGHT));
    assert_clean(&inspection);
    assert!(inspection.bytes > 500 && inspection.timing.load_ms > 0.0, "{inspection:?}");
    assert!(inspection.timing.first_paint_ms.is_some(), "{:?}", inspection.timing);
}

#[test]
fn errors_and_requests_and_dialogs_are_told() {
    let Some(program) = crate::browser() else { return };
    let (chromium, folder) = (Chromium::start(&program), tempfile::tempdir().unwrap());
    let body = "<script>console.error('ouch'); alert('hello'); nothing.here</script>\
                <style>p{background:url(http://example.org/a.png)}</style><p>x";
    let inspection = inspect(&chromium, &page(folder.path(), body));
    let all = inspection.wrong().join("\n");
    for expected in [
        "console error: ouch",
        "dialog alert: hello",
        "nothing is not defined",
        "asks for http://example.org/a.png",
        "outside:",
    ] {
        assert!(all.contains(expected), "{expected} is missing:\n{all}");
    }
}

#[test]
fn a_view_is_what_it_says() {
    let Some(program) = crate::browser() else { return };
    let (chromium, folder) = (Chromium::start(&program), tempfile::tempdir().unwrap());
    let page = Page::open(&chromium, &page(folder.path(), ""), MATRIX[0]);
    for view in MATRIX {
        page.show(*view);
        let seen = page.evaluate(
            "[innerWidth, matchMedia('print').matches, matchMedia('(prefers-color-scheme: dark)').matches]",
        );
        let expected = serde_json::json!([view.width, view.media == "print", view.scheme == "dark"]);
        assert_eq!(seen, expected, "{view:?}");
    }
    assert!(page.screenshot().starts_with(b"\x89PNG"));
}

/// Whatever of the browser outlives it would be found by its profile's name.
#[test]
fn nothing_of_the_browser_is_left() {
    let Some(program) = crate::browser() else { return };
    let chromium = Chromium::start(&program);
    let home = chromium.home().to_owned();
    let folder = tempfile::tempdir().unwrap();
    Page::open(&chromium, &page(folder.path(), ""), NARROW);
    let processes = || {
        let all = std::fs::read_dir("/proc")
            .unwrap()
            .filter_map(|e| std::fs::read(e.ok()?.path().join("cmdline")).ok());
        let name = home.to_str().unwrap().to_owned();
        all.filter(|line| String::from_utf8_lossy(line).contains(&name)).count()
    };
    assert!(processes() > 0);
    drop(chromium);
    let end = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while processes() > 0 && std::time::Instant::now() < end {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(processes(), 0);
    assert!(!home.exists());
}
