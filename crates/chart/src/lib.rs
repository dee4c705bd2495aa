//! Pictures from data: each chart is one self-contained SVG, without scripts
//! and without anything to load. `svg` writes it, `theme` has the colours,
//! `text` knows how wide words are; a chart is a module beside them.

pub mod machine;
pub mod plot;
mod svg;
mod text;
mod theme;
