//! The look of all charts: colours by role, light and dark, on screen and on
//! paper. A page that shows a chart may set `--headroom-ink`, `--headroom-paper`
//! and so on (see [`COLOURS`]) on anything around it; what it does not set
//! follows the reader's system.
//!
//! A viewer that knows no custom properties gets the light colours: each
//! declaration stands twice, plain and as a variable.

use std::fmt::Write as _;

/// The class of a chart's root; all rules are below it, since a style sheet
/// within a page holds for the whole page.
pub(crate) const ROOT: &str = "headroom-chart";

/// The family of all text: the reader's own.
const FONTS: &str = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";

/// How many series have a colour of their own.
pub(crate) const SERIES: usize = 6;

/// How many steps the scale of shares has.
pub(crate) const STEPS: usize = 5;

/// Where each step but the first begins. From 95 % a resource counts as full.
pub(crate) const STEP_FROM: [f64; STEPS - 1] = [0.25, 0.5, 0.75, 0.95];

pub(crate) fn step(fraction: f64) -> usize {
    STEP_FROM.iter().filter(|from| fraction >= **from).count()
}

/// Colours by role: name, light, dark. The scale `share-0` to `share-4` runs
/// through one family of hues, and its lightness only falls (rises, in the
/// dark): it reads the same in grey and to the colour-blind (after ColorBrewer
/// YlOrBr). `on-share-N` is text upon it, at a contrast of at least 4.5.
/// `series-0` to `series-5` were found by a search for the greatest least
/// distance, as all see them and as the colour-blind do, each with a lightness
/// of its own.
pub(crate) const COLOURS: &[(&str, &str, &str)] = &[
    ("paper", "#ffffff", "#0f1419"),
    ("ink", "#1c2127", "#e8ecf1"),
    ("quiet", "#56606b", "#a3adb8"),
    ("card", "#f5f7f9", "#1a2129"),
    ("edge", "#bcc4cc", "#3c4753"),
    ("wire", "#7f8a95", "#788593"),
    ("cpu", "#2f6db5", "#6aa5e8"),
    ("memory", "#7c57a8", "#b492dd"),
    ("hub", "#66727e", "#8c99a6"),
    ("disk", "#23786c", "#4fb3a4"),
    ("network", "#4a7a26", "#8bbd5f"),
    ("warn", "#a8330b", "#ffa775"),
    ("share-0", "#fff3c9", "#33281a"),
    ("share-1", "#fdd27a", "#5c3c12"),
    ("share-2", "#f59a23", "#96580c"),
    ("share-3", "#bd4b06", "#e59126"),
    ("share-4", "#6e1f02", "#ffdc94"),
    ("on-share-0", "#1c2127", "#f3e9dc"),
    ("on-share-1", "#1c2127", "#ffffff"),
    ("on-share-2", "#1c2127", "#ffffff"),
    ("on-share-3", "#ffffff", "#17120a"),
    ("on-share-4", "#ffffff", "#17120a"),
    ("series-0", "#1960cf", "#6c8cf8"),
    ("series-1", "#d57f0c", "#e24909"),
    ("series-2", "#105b3a", "#91c488"),
    ("series-3", "#9b2a83", "#ac4193"),
    ("series-4", "#078fb9", "#32e4ff"),
    ("series-5", "#8e6b28", "#fbe93d"),
];

/// The style sheet of a chart: colours, rules that all charts share, and
/// `own` rules. A rule is a selector, below the root, and declarations as CSS has
/// them, with `$name` for a colour. They are only for charts that also match `also`,
/// such as `.plot`.
pub(crate) fn sheet(also: &str, own: &[(&str, &str)]) -> String {
    let mut css = String::from("\n");
    let rules: Vec<_> = SHARED.iter().chain(own).collect();
    let all = rules.iter().flat_map(|rule| declarations(rule.1));
    let used: Vec<&str> = all.filter_map(|(_, value)| value.strip_prefix('$')).collect();
    let _ = write!(css, ".{ROOT}{{font-family:{FONTS};");
    variables(&mut css, &used, |(_, light, _)| light);
    css.push_str("}\n");
    let _ = write!(css, "@media screen and (prefers-color-scheme:dark){{.{ROOT}{{");
    variables(&mut css, &used, |(_, _, dark)| dark);
    css.push_str("}}\n");
    // The whole window, where the picture is opened by itself.
    let _ = write!(css, ".{ROOT}:root{{");
    declare(&mut css, "background", "$paper");
    css.push_str("}\n");
    for (selector, declared) in rules {
        let selectors: Vec<String> =
            selector.split(',').map(|s| format!(".{ROOT}{also} {}", s.trim())).collect();
        let _ = write!(css, "{}{{", selectors.join(","));
        for (property, value) in declarations(declared) {
            declare(&mut css, property, value);
        }
        css.push_str("}\n");
    }
    css
}

/// What all charts share.
const SHARED: &[(&str, &str)] = &[
    (".paper", "fill:$paper"),
    ("text", "fill:$ink"),
    ("text.quiet", "fill:$quiet"),
    ("text.warn", "fill:$warn;font-weight:600"),
    ("text.bold", "font-weight:600"),
];

/// Each property of a rule with its value.
fn declarations(rule: &str) -> impl Iterator<Item = (&str, &str)> {
    rule.split(';').filter_map(|declaration| declaration.split_once(':'))
}

type Colour = (&'static str, &'static str, &'static str);

fn variables(css: &mut String, used: &[&str], pick: fn(&Colour) -> &'static str) {
    for colour in COLOURS.iter().filter(|c| used.contains(&c.0)) {
        let _ = write!(css, "--{ROOT}-{0}:var(--headroom-{0},{1});", colour.0, pick(colour));
    }
}

fn declare(css: &mut String, property: &str, value: &str) {
    let Some(name) = value.strip_prefix('$') else {
        let _ = write!(css, "{property}:{value};");
        return;
    };
    if let Some((_, light, _)) = COLOURS.iter().find(|(n, _, _)| *n == name) {
        let _ = write!(css, "{property}:{light};{property}:var(--{ROOT}-{name});");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance (WCAG 2.2).
    fn luminance(hex: &str) -> f64 {
        let channel = |i: usize| {
            let v = f64::from(u8::from_str_radix(&hex[i..i + 2], 16).unwrap()) / 255.0;
            if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    fn colour(name: &str) -> (&'static str, &'static str) {
        COLOURS.iter().find(|(n, _, _)| *n == name).map(|(_, l, d)| (*l, *d)).unwrap()
    }

    #[test]
    fn text_stands_out_from_what_it_is_written_on() {
        let pairs = ["ink", "quiet", "warn"]
            .map(|t| [(t.to_owned(), "paper".to_owned()), (t.to_owned(), "card".to_owned())]);
        let shares = (0..STEPS).map(|i| (format!("on-share-{i}"), format!("share-{i}")));
        for (text, ground) in pairs.into_iter().flatten().chain(shares) {
            let ((light, dark), (light_ground, dark_ground)) = (colour(&text), colour(&ground));
            assert!(contrast(light, light_ground) >= 4.5, "{text} on {ground}, light");
            assert!(contrast(dark, dark_ground) >= 4.5, "{text} on {ground}, dark");
        }
    }

    fn linear(hex: &str) -> [f64; 3] {
        [1, 3, 5].map(|i| {
            let v = f64::from(u8::from_str_radix(&hex[i..i + 2], 16).unwrap()) / 255.0;
            if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
        })
    }

    fn times(m: &[[f64; 3]; 3], v: [f64; 3]) -> [f64; 3] {
        m.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
    }

    /// Oklab of a linear sRGB colour (Ottosson 2020).
    fn oklab(rgb: [f64; 3]) -> [f64; 3] {
        const CONES: [[f64; 3]; 3] = [
            [0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9],
            [0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6],
            [0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5],
        ];
        const LAB: [[f64; 3]; 3] = [
            [0.210_454_255_3, 0.793_617_785_0, -0.004_072_046_8],
            [1.977_998_495_1, -2.428_592_205_0, 0.450_593_709_9],
            [0.025_904_037_1, 0.782_771_766_2, -0.808_675_766_0],
        ];
        times(&LAB, times(&CONES, rgb).map(|v| v.max(0.0).cbrt()))
    }

    /// What those without one kind of cones see: Machado, Oliveira, Fernandes,
    /// "A Physiologically-based Model for Simulation of Color Vision Deficiency",
    /// 2009, severity 1.0; and what all others see.
    const EYES: [(&str, [[f64; 3]; 3]); 4] = [
        ("all cones", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        (
            "protanopia",
            [
                [0.152_286, 1.052_583, -0.204_868],
                [0.114_503, 0.786_281, 0.099_216],
                [-0.003_882, -0.048_116, 1.051_998],
            ],
        ),
        (
            "deuteranopia",
            [
                [0.367_322, 0.860_646, -0.227_968],
                [0.280_085, 0.672_501, 0.047_413],
                [-0.011_820, 0.042_940, 0.968_881],
            ],
        ),
        (
            "tritanopia",
            [
                [1.255_528, -0.076_749, -0.178_779],
                [-0.078_411, 0.930_809, 0.147_602],
                [0.004_733, 0.691_367, 0.303_900],
            ],
        ),
    ];

    /// CIE 1976 lightness, 0 to 100.
    fn lightness(hex: &str) -> f64 {
        let y = luminance(hex);
        if y > 0.008_856 { 116.0 * y.cbrt() - 16.0 } else { 903.3 * y }
    }

    #[test]
    fn series_are_told_apart_by_all_eyes_and_in_grey() {
        let pick: [fn(usize) -> &'static str; 2] =
            [|i| colour(&format!("series-{i}")).0, |i| colour(&format!("series-{i}")).1];
        for pick in pick {
            for a in 0..SERIES {
                for b in 0..a {
                    let (one, other) = (pick(a), pick(b));
                    assert!((lightness(one) - lightness(other)).abs() >= 3.5, "{one} {other} in grey");
                    for (eyes, matrix) in EYES {
                        let seen = |hex| oklab(times(&matrix, linear(hex)).map(|v| v.clamp(0.0, 1.0)));
                        let (x, y) = (seen(one), seen(other));
                        let apart = (0..3).map(|i| (x[i] - y[i]).powi(2)).sum::<f64>().sqrt();
                        // Four times what is just told apart side by side, about 0.02.
                        assert!(apart >= 0.08, "{one} {other}, {eyes}: {apart:.3}");
                    }
                }
            }
        }
    }

    #[test]
    fn series_stand_out_from_the_paper() {
        let paper = colour("paper");
        for i in 0..SERIES {
            let (light, dark) = colour(&format!("series-{i}"));
            assert!(contrast(light, paper.0) >= 3.0, "{light}");
            assert!(contrast(dark, paper.1) >= 3.0, "{dark}");
        }
    }

    #[test]
    fn the_scale_only_darkens_in_the_light_and_only_brightens_in_the_dark() {
        for i in 1..STEPS {
            let (low, high) = (colour(&format!("share-{}", i - 1)), colour(&format!("share-{i}")));
            assert!(luminance(low.0) > luminance(high.0) * 1.2, "light, step {i}");
            assert!(luminance(low.1) < luminance(high.1) / 1.2, "dark, step {i}");
        }
    }

    #[test]
    fn a_full_resource_is_in_the_last_step() {
        assert_eq!([0.0, 0.249, 0.25, 0.6, 0.9499, 0.95, 7.0].map(step), [0, 0, 1, 2, 3, 4, 4]);
    }

    #[test]
    fn every_rule_is_below_the_root_and_has_a_plain_colour_first() {
        let css = sheet("", &[(".a, .b", "fill:$ink;stroke-width:2")]);
        assert!(css.contains(".headroom-chart .a,.headroom-chart .b{fill:#1c2127;fill:var(--headroom-chart-ink);stroke-width:2;}"));
    }
}
