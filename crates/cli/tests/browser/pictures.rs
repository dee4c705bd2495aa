//! The pictures in the documentation, which `headroom machine --svg` drew: in a
//! page, at every width.

use std::path::Path;

use crate::chromium::Chromium;
use crate::inspect::{assert_clean, inspect};

#[test]
fn the_pictures_of_the_documentation_are_whole() {
    let Some(program) = crate::browser() else { return };
    let (chromium, folder) = (Chromium::start(&program), tempfile::tempdir().unwrap());
    let images = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/images");
    let entries = std::fs::read_dir(images).unwrap().map(|entry| entry.unwrap().path());
    let pictures: Vec<_> = entries.filter(|path| path.extension().is_some_and(|e| e == "svg")).collect();
    assert!(!pictures.is_empty());
    for path in pictures {
        let (picture, name) =
            (std::fs::read_to_string(&path).unwrap(), path.file_stem().unwrap().to_str().unwrap());
        let file = folder.path().join(format!("{name}.html"));
        let html = format!(
            "<!doctype html><html lang=en><meta charset=utf-8><title>{name}</title><h1>{name}</h1>\
             <div style='overflow-x:auto'>{picture}</div>"
        );
        std::fs::write(&file, html).unwrap();
        assert_clean(&inspect(&chromium, &file));
    }
}
