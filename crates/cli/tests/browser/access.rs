//! `headroom serve` for those who use it by keyboard, by a screen reader or by a finger: what the Web Content Accessibility
//! Guidelines 2.2 ask for on level AA and a program can see. Contrast, alternatives, headings and ids are looked at with the
//! layout of the pages (`inspect`).

use serde_json::{Value, json};

use crate::chromium::{Chromium, Page};
use crate::inspect::screen;
use crate::served::{PAGES, Site, until};

/// Presses Tab.
fn tab(page: &Page<'_>) {
    for kind in ["rawKeyDown", "keyUp"] {
        let event = json!({ "type": kind, "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9 });
        page.call("Input.dispatchKeyEvent", event);
    }
}

/// More than any of these pages has.
const STOPS_MOST: usize = 600;

/// What the Tab key meets, one after the other: each once, in the order of the page, and visibly.
fn by_keyboard(page: &Page<'_>) -> Vec<String> {
    // Charts over time have their buttons once somebody was there.
    page.evaluate("document.querySelectorAll('figure[data-figure]').forEach((figure) => figure.focus())");
    until(
        page,
        "[...document.querySelectorAll('.chart-acts')].every((acts) => acts.querySelector('button'))",
    );
    page.evaluate(
        "window.stops = [...document.querySelectorAll('a[href],button,input,select,textarea,summary,[tabindex=\"0\"]')].filter((e) =>
            !e.disabled && e.type !== 'hidden' && e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length > 0)
            .filter((e) => !e.closest('details:not([open])') || e.matches('details > summary'));
         // A field may have the focus already: the way begins with the page.
         document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex');
         window.scrollTo(0, 0); 0",
    );
    let count = page.evaluate("window.stops.length").as_u64().unwrap() as usize;
    let mut wrong = Vec::new();
    for stop in 0..count.min(STOPS_MOST) {
        tab(page);
        let met = page.evaluate(&format!(
            "(() => {{
                const [wanted, at] = [window.stops[{stop}], document.activeElement];
                const said = (e) => `${{e.localName}} \"${{(e.getAttribute('aria-label') || e.textContent || e.name || '').trim().slice(0, 40)}}\"`;
                // Days are set part by part.
                if (at.type === 'date' && at !== wanted) return 'again';
                if (at !== wanted) return `${{said(at)}} instead of ${{said(wanted)}}`;
                const style = getComputedStyle(at);
                const isMarked = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1;
                const box = at.getBoundingClientRect();
                const isSeen = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
                return isMarked && isSeen ? '' : `${{said(at)}} has the focus, and ${{isSeen ? 'nothing shows it' : 'is out of sight'}}`;
            }})()"
        ));
        match met.as_str().unwrap_or_default() {
            "" => {}
            "again" => {
                // The parts of a field of days: go on until it is left.
                for _ in 0..4 {
                    let is_there = format!("document.activeElement === window.stops[{stop}]");
                    if page.evaluate(&is_there) == Value::Bool(true) {
                        break;
                    }
                    tab(page);
                }
            }
            said => {
                wrong.push(format!("keyboard: {said}"));
                // From here on all would be shifted.
                page.evaluate(&format!("window.stops[{stop}].focus(); 0"));
            }
        }
    }
    wrong
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn every_page_of_the_server_can_be_used_by_keyboard_by_ear_and_by_finger() {
    let Some(program) = crate::browser() else { return };
    let (chromium, site) = (Chromium::start(&program), Site::start());
    let mut wrong = Vec::new();
    for (index, (name, path)) in PAGES.into_iter().enumerate() {
        let language = ["en", "ko", "ja"][index % 3];
        let page = site.open(&chromium, path, language);
        for (width, is_phone) in [(1440, false), (390, true)] {
            page.show(screen("any", width, "light"));
            let ask = format!("{}('{language}', {is_phone})", include_str!("access.js").trim_end());
            for told in page.evaluate(&ask).as_array().unwrap() {
                let part = |key: &str| told[key].as_str().unwrap_or_default().to_owned();
                wrong.push(format!(
                    "{name} {width}: {}: \"{}\" {} ({})",
                    part("check"),
                    part("text"),
                    part("detail"),
                    part("where")
                ));
            }
            wrong.extend(by_keyboard(&page).into_iter().map(|said| format!("{name} {width}: {said}")));
        }
        page.close();
    }
    assert!(wrong.is_empty(), "{} complaints:\n{}", wrong.len(), wrong.join("\n"));
}
