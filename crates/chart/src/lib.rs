//! SVG from data.

pub mod machine;
