//! How charts look. The classes are short, since they are written often:
//! text is `t` (ticks), `q` (quiet), `b` (bold), `w` (warning), with `m` or `e`
//! for its middle or end; a series' colour is `c0` to `c5` and its dash `d0` to
//! `d5` on a group, within which `l` is a line, `f` filled, `k` a band, `n` a
//! thin line and `n0` one to a name, `n2` an interval, `j` a line over time with `u` as its shade from least to greatest,
//! `s` an area in a stack. `x` veils what does not count, `y` is a pipe, `i` dots, `i0` dots of
//! any size, `s0`
//! to `s4` strokes in the colours of shares. `g` is
//! the grid, `a` an axis, `h` a whisker, `h2` a frame, `r0` to `r2` a limit, a promise and an
//! ideal, `u0` to `u2` good, bad and neither, `v` what lies outside the window,
//! `z` a background.

/// The rules, below the root; `$name` is a colour of the theme.
pub(crate) const RULES: &[(&str, &str)] = &[
    ("text", "font-size:12px;fill:$ink;stroke:none"),
    ("text.t", "font-size:11px;fill:$quiet"),
    ("text.q", "fill:$quiet"),
    ("text.b", "font-weight:600"),
    ("text.w", "fill:$warn"),
    ("text.m", "text-anchor:middle"),
    ("text.e", "text-anchor:end"),
    // Text upon lines keeps a rim of the paper around it.
    ("text.o", "paint-order:stroke;stroke:$paper;stroke-width:4px;stroke-linejoin:round"),
    (".c0", "color:$series-0"),
    (".c1", "color:$series-1"),
    (".c2", "color:$series-2"),
    (".c3", "color:$series-3"),
    (".c4", "color:$series-4"),
    (".c5", "color:$series-5"),
    (".l", "fill:none;stroke:currentColor;stroke-width:2;stroke-linejoin:round"),
    (".d1 .l,.d1 .j", "stroke-dasharray:7 3"),
    (".d2 .l,.d2 .j", "stroke-dasharray:2 2.5"),
    (".d3 .l,.d3 .j", "stroke-dasharray:9 3 2 3"),
    (".d4 .l,.d4 .j", "stroke-dasharray:14 4"),
    (".d5 .l,.d5 .j", "stroke-dasharray:5 2 2 2 2 2"),
    (".f", "fill:currentColor"),
    (".k", "fill:currentColor;fill-opacity:.16"),
    (".u", "fill:currentColor;fill-opacity:.25;stroke:currentColor;stroke-opacity:.7;stroke-width:.75"),
    (".j", "fill:none;stroke:currentColor;stroke-width:1.4;stroke-linejoin:round"),
    (".s", "fill:currentColor;fill-opacity:.8;stroke:$paper;stroke-width:.6"),
    (".y", "fill:$wire"),
    (".x", "fill:$paper;fill-opacity:.62"),
    (".n", "fill:none;stroke:currentColor;stroke-width:1"),
    // From a line's end to its name: not to be taken for the line.
    (".n0", "fill:none;stroke:currentColor;stroke-width:.8;stroke-opacity:.6;stroke-dasharray:1 3"),
    // Intervals in both directions, which must not outshine the points.
    (".n2", "fill:none;stroke:currentColor;stroke-width:1;stroke-opacity:.45"),
    (".i", "stroke:currentColor;stroke-width:5;stroke-linecap:round"),
    (".i0", "stroke:currentColor;stroke-linecap:round"),
    (".g", "fill:none;stroke:$edge;stroke-width:1;stroke-opacity:.55"),
    (".a", "fill:none;stroke:$wire;stroke-width:1"),
    (".h", "fill:none;stroke:$ink;stroke-width:1.2"),
    (".r0,.r1,.r2", "fill:none;stroke:$warn;stroke-width:1.5"),
    (".r1", "stroke-dasharray:7 4"),
    (".r2", "stroke:$quiet;stroke-dasharray:2 3"),
    (".h2", "fill:none;stroke:$ink;stroke-width:2.5"),
    (".u0", "color:$network"),
    (".u1", "color:$warn"),
    (".u2", "color:$quiet"),
    (".v", "fill:$edge;fill-opacity:.3"),
    (".z", "fill:$paper"),
    (".p0", "fill:$share-0"),
    (".p1", "fill:$share-1"),
    (".p2", "fill:$share-2"),
    (".p3", "fill:$share-3"),
    (".p4", "fill:$share-4"),
    (".s0", "stroke:$share-0"),
    (".s1", "stroke:$share-1"),
    (".s2", "stroke:$share-2"),
    (".s3", "stroke:$share-3"),
    (".s4", "stroke:$share-4"),
    ("text.p0", "fill:$on-share-0"),
    ("text.p1", "fill:$on-share-1"),
    ("text.p2", "fill:$on-share-2"),
    ("text.p3", "fill:$on-share-3"),
    ("text.p4", "fill:$on-share-4"),
];

/// The widths that charts are drawn at, in pixels: for a screen or paper, and
/// for a phone.
pub(crate) const WIDTHS: [(&str, f64); 2] = [("wide", 760.0), ("narrow", 340.0)];

/// Which of the two drawings shows where; in print, the wide one.
pub(crate) const CHOICE: &str = ".headroom-chart.plot{display:block;height:auto;overflow:visible}\n\
    .headroom-chart.plot.wide{max-width:760px}\n\
    .headroom-chart.plot.narrow{display:none;max-width:480px}\n\
    @media screen and (max-width:719px){\
    .headroom-chart.plot.wide{display:none}.headroom-chart.plot.narrow{display:block}}\n";
