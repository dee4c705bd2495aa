//! Series: told apart by colour, by dash, by the shape of their marks, and by
//! name. From the seventh on colours come again with other dashes and shapes.

use language::Words;

use super::canvas::{Area, Canvas, LINE, MIDDLE, PathBuilder, TEXT};
use super::count;
use crate::svg::clean;
use crate::theme::SERIES;

/// How many lines a legend has at most.
const LEGEND_LINES: usize = 12;
/// The sample of a series in a legend.
const SAMPLE: f64 = 22.0;
/// Between a sample and its name, and between entries.
const GAPS: (f64, f64) = (5.0, 16.0);

pub(crate) fn class(series: usize) -> String {
    format!("{} d{}", colour(series), shape(series))
}

pub(crate) fn colour(series: usize) -> String {
    format!("c{}", series % SERIES)
}

/// Which dash and which mark: a colour that comes again comes with others.
fn shape(series: usize) -> usize {
    (series + series / SERIES) % SERIES
}

pub(crate) fn mark(series: usize, x: f64, y: f64, half: f64) -> PathBuilder {
    let h = half;
    match shape(series) {
        // Eight corners are round enough at this size, and short.
        0 => {
            let k = h * 0.414;
            PathBuilder::through([
                (x - h, y - k),
                (x - k, y - h),
                (x + k, y - h),
                (x + h, y - k),
                (x + h, y + k),
                (x + k, y + h),
                (x - k, y + h),
                (x - h, y + k),
            ])
            .close()
        }
        1 => PathBuilder::at(x - h * 0.9, y - h * 0.9)
            .across(x + h * 0.9)
            .up(y + h * 0.9)
            .across(x - h * 0.9)
            .close(),
        2 => {
            PathBuilder::through([(x, y - h * 1.2), (x + h * 1.15, y + h * 0.9), (x - h * 1.15, y + h * 0.9)])
                .close()
        }
        3 => PathBuilder::through([(x, y - h * 1.3), (x + h * 1.3, y), (x, y + h * 1.3), (x - h * 1.3, y)])
            .close(),
        4 => {
            PathBuilder::through([(x, y + h * 1.2), (x + h * 1.15, y - h * 0.9), (x - h * 1.15, y - h * 0.9)])
                .close()
        }
        _ => {
            let (a, b) = (h * 0.4, h * 1.2);
            PathBuilder::at(x - a, y - b)
                .across(x + a)
                .up(y - a)
                .across(x + b)
                .up(y + a)
                .across(x + a)
                .up(y + b)
                .across(x - a)
                .up(y + a)
                .across(x - b)
                .up(y - a)
                .across(x - a)
                .close()
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sample {
    /// A line with a mark.
    Line,
    /// A mark.
    Mark,
    /// A filled box.
    Fill,
}

/// A legend: entries with their series in as few lines as they need, from
/// `left` on, the first line's middle at `y`. What it has no room for is
/// counted. The answer is its height.
pub(crate) fn legend(
    canvas: &mut Canvas,
    entries: &[(usize, String)],
    sample: Sample,
    (left, y): (f64, f64),
    words: &Words,
) -> f64 {
    if entries.is_empty() {
        return 0.0;
    }
    let right = canvas.width;
    let widest = right - left - SAMPLE - GAPS.0;
    let (mut x, mut line) = (left, 0);
    for (i, (series, name)) in entries.iter().enumerate() {
        let name = TEXT.fit(&clean(name), widest.min(240.0));
        let width = SAMPLE + GAPS.0 + TEXT.width(&name);
        let rest = words.tell("chart-more", &[("count", count(entries.len() - i))]);
        let last = line + 1 == LEGEND_LINES && i + 1 < entries.len();
        let reserved = if last { GAPS.1 + TEXT.width(&rest) } else { 0.0 };
        if x > left && x + width + reserved > right {
            if line + 1 == LEGEND_LINES {
                canvas.text((x, y + line as f64 * LINE + MIDDLE), "q", &TEXT.fit(&rest, right - x));
                break;
            }
            (x, line) = (left, line + 1);
        }
        let middle = y + line as f64 * LINE;
        canvas.group(&class(*series));
        draw_sample(canvas, *series, sample, x, middle);
        canvas.end();
        canvas.text((x + SAMPLE + GAPS.0, middle + MIDDLE), "", &name);
        x += width + GAPS.1;
    }
    (line + 1) as f64 * LINE
}

fn draw_sample(canvas: &mut Canvas, series: usize, sample: Sample, x: f64, y: f64) {
    if sample == Sample::Fill {
        let area = Area { x: x + SAMPLE - 12.0, y: y - 5.0, width: 12.0, height: 10.0 };
        canvas.rect("f", area, None);
        return;
    }
    if sample == Sample::Line {
        canvas.across("l", y, x, x + SAMPLE);
    }
    canvas.path("f", &mark(series, x + SAMPLE / 2.0, y, 3.5), None);
}

/// Names without the parts (between commas) that all of them have, and those
/// parts: of cases that differ in one parameter, only that one tells them apart.
pub(crate) fn without_common(names: &[String]) -> (Vec<String>, String) {
    let parts: Vec<Vec<&str>> = names.iter().map(|name| name.split(", ").collect()).collect();
    let Some((first, rest)) = parts.split_first().filter(|(_, rest)| !rest.is_empty()) else {
        return (names.to_vec(), String::new());
    };
    let common: Vec<&str> =
        first.iter().copied().filter(|part| rest.iter().all(|other| other.contains(part))).collect();
    let own = |all: &Vec<&str>| {
        all.iter().copied().filter(|part| !common.contains(part)).collect::<Vec<_>>().join(", ")
    };
    let short: Vec<String> = parts.iter().map(own).collect();
    if short.iter().any(String::is_empty) {
        return (names.to_vec(), String::new());
    }
    (short, common.join(", "))
}

/// Moves labels that want these middles until they are `gap` apart and within
/// the ends, each as little as can be; `None` where they have no room. The order
/// stays that of the wishes.
pub(crate) fn apart(wanted: &[f64], gap: f64, (low, high): (f64, f64)) -> Option<Vec<f64>> {
    if wanted.is_empty() {
        return Some(Vec::new());
    }
    if (wanted.len() - 1) as f64 * gap > high - low {
        return None;
    }
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|a, b| wanted[*a].total_cmp(&wanted[*b]));
    // Blocks of labels that touch; a block stands at the mean of its wishes.
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for i in &order {
        let mut block = (wanted[*i].clamp(low, high), 1);
        while let Some(before) = blocks.last().copied() {
            let reach = |(middle, count): (f64, usize)| (count as f64 - 1.0) * gap / 2.0 + middle;
            if reach(before) + gap <= block.0 - (block.1 as f64 - 1.0) * gap / 2.0 + 1e-9 {
                break;
            }
            blocks.pop();
            let count = before.1 + block.1;
            // Each block's middle is the mean of its own; that of both together
            // is where the sum of squares is least.
            let offset = |c: usize, first: usize| (first as f64 + (c as f64 - 1.0) / 2.0) * gap;
            let start = (before.0 - offset(before.1, 0)) * before.1 as f64
                + (block.0 - offset(block.1, before.1)) * block.1 as f64;
            block = (start / count as f64 + (count as f64 - 1.0) * gap / 2.0, count);
            let half = (count as f64 - 1.0) * gap / 2.0;
            block.0 = block.0.clamp(low + half, high - half);
        }
        blocks.push(block);
    }
    let mut placed = vec![0.0; wanted.len()];
    let mut of_block = order.iter();
    for (middle, count) in blocks {
        for (k, i) in of_block.by_ref().take(count).enumerate() {
            placed[*i] = middle + (k as f64 - (count as f64 - 1.0) / 2.0) * gap;
        }
    }
    Some(placed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_pushed_apart_as_little_as_can_be() {
        assert_eq!(apart(&[10.0, 50.0], 16.0, (0.0, 100.0)), Some(vec![10.0, 50.0]));
        assert_eq!(apart(&[50.0, 50.0], 16.0, (0.0, 100.0)), Some(vec![42.0, 58.0]));
        assert_eq!(apart(&[99.0, 2.0, 98.0], 16.0, (0.0, 100.0)), Some(vec![100.0, 2.0, 84.0]));
        assert_eq!(apart(&[1.0, 2.0, 3.0], 60.0, (0.0, 100.0)), None);
        assert_eq!(apart(&[], 16.0, (0.0, 0.0)), Some(vec![]));
    }

    #[test]
    fn no_two_labels_touch_whatever_they_want() {
        let mut seed = 7u64;
        for round in 0..500 {
            let count = 1 + round % 9;
            let wanted: Vec<f64> = (0..count)
                .map(|_| {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (seed >> 40) as f64 % 200.0
                })
                .collect();
            let mut placed = apart(&wanted, 16.0, (8.0, 150.0)).unwrap();
            placed.sort_by(f64::total_cmp);
            assert!(placed.iter().all(|p| (7.999..=150.001).contains(p)), "{wanted:?} {placed:?}");
            assert!(placed.windows(2).all(|p| p[1] - p[0] >= 15.999), "{wanted:?} {placed:?}");
        }
    }

    #[test]
    fn names_lose_what_all_of_them_say() {
        let names = |all: &[&str]| all.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        let cases = names(&["randread, 4 KiB, io_uring", "randread, 8 KiB, io_uring"]);
        let short = (names(&["4 KiB", "8 KiB"]), "randread, io_uring".to_owned());
        assert_eq!(without_common(&cases), short);
        for kept in [&["read", "write"][..], &["read", "read, again"], &["only, one"], &[]] {
            assert_eq!(without_common(&names(kept)), (names(kept), String::new()));
        }
    }

    #[test]
    fn twelve_series_look_different() {
        let all: std::collections::BTreeSet<String> = (0..12).map(class).collect();
        assert_eq!(all.len(), 12);
    }
}
