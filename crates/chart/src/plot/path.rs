//! The data of a `path` in few bytes: relative coordinates in tenths of a
//! pixel. Where the pen stands is kept rounded, so that errors of rounding do
//! not add up along a line.

use std::fmt::Write as _;

use super::canvas::PathBuilder;

#[derive(Debug, Default)]
pub(super) struct Path {
    data: String,
    /// Where the pen stands, in tenths of a pixel.
    at: (i64, i64),
    /// Where it was put down last.
    start: (i64, i64),
    /// The command that a pair of numbers would continue.
    command: char,
}

impl Path {
    /// Lifts the pen and puts it down here.
    pub(super) fn go(&mut self, x: f64, y: f64) {
        let to = (tenths(x), tenths(y));
        // Absolute: after a gap it is as short, and a reader finds its place.
        self.data.push('M');
        self.write(to.0, false);
        self.write(to.1, true);
        self.command = 'M';
        (self.at, self.start) = (to, to);
    }

    pub(super) fn line(&mut self, x: f64, y: f64) {
        let to = (tenths(x), tenths(y));
        let (dx, dy) = (to.0 - self.at.0, to.1 - self.at.1);
        match (dx, dy) {
            (0, 0) => {}
            (dx, 0) => self.step('h', dx),
            (0, dy) => self.step('v', dy),
            (dx, dy) => {
                let repeats = self.command == 'l';
                if !repeats {
                    self.data.push('l');
                }
                self.write(dx, repeats);
                self.write(dy, true);
                self.command = 'l';
            }
        }
        self.at = to;
    }

    /// Lines from the first of these points through the others.
    pub(super) fn run(&mut self, points: impl IntoIterator<Item = (f64, f64)>) {
        for (i, (x, y)) in points.into_iter().enumerate() {
            if i == 0 { self.go(x, y) } else { self.line(x, y) }
        }
    }

    /// A path of such lines alone.
    pub(super) fn through(points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let mut path = Self::default();
        path.run(points);
        path
    }

    /// Lifts the pen and moves it along its line, as the next of many strokes.
    pub(super) fn skip_to(&mut self, x: f64, y: f64) {
        if self.data.is_empty() {
            self.go(x, y);
            return;
        }
        let to = (tenths(x), tenths(y));
        self.data.push('m');
        self.write(to.0 - self.at.0, false);
        self.write(to.1 - self.at.1, true);
        self.command = 'm';
        (self.at, self.start) = (to, to);
    }

    /// Joins the end to the beginning, where the pen then stands.
    pub(super) fn close(&mut self) {
        self.data.push('z');
        self.command = 'z';
        self.at = self.start;
    }

    /// How far right the pen stands, as it is written.
    pub(super) fn x(&self) -> f64 {
        self.at.0 as f64 / 10.0
    }

    /// The attribute `d`.
    #[cfg(test)]
    pub(super) fn data(self) -> String {
        self.data
    }

    pub(super) fn pen(self) -> PathBuilder {
        PathBuilder::of(self.data)
    }

    fn step(&mut self, command: char, by: i64) {
        let repeats = self.command == command;
        if !repeats {
            self.data.push(command);
        }
        self.write(by, repeats);
        self.command = command;
    }

    fn write(&mut self, tenths: i64, apart: bool) {
        let sign = if tenths < 0 { "-" } else { "" };
        if apart && sign.is_empty() {
            self.data.push(' ');
        }
        let (whole, part) = (tenths.unsigned_abs() / 10, tenths.unsigned_abs() % 10);
        let _ = match (whole, part) {
            (whole, 0) => write!(self.data, "{sign}{whole}"),
            (0, part) => write!(self.data, "{sign}.{part}"),
            (whole, part) => write!(self.data, "{sign}{whole}.{part}"),
        };
    }
}

/// Those of the points of a line without which it would run elsewhere, by more
/// than `off` pixels (Douglas and Peucker, 1973). The first and the last stay.
pub(super) fn simplify(points: &[(f64, f64)], off: f64) -> Vec<(f64, f64)> {
    if points.len() < 3 {
        return points.to_vec();
    }
    let mut kept = vec![false; points.len()];
    kept[0] = true;
    kept[points.len() - 1] = true;
    let mut parts = vec![(0, points.len() - 1)];
    while let Some((from, to)) = parts.pop() {
        let furthest = (from + 1..to).map(|i| (i, distance(points[i], points[from], points[to])));
        let furthest = furthest.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, far)| *far > off);
        if let Some((i, _)) = furthest {
            kept[i] = true;
            parts.extend([(from, i), (i, to)]);
        }
    }
    points.iter().zip(kept).filter(|(_, kept)| *kept).map(|(point, _)| *point).collect()
}

/// From a point to the straight line between two.
fn distance((x, y): (f64, f64), (ax, ay): (f64, f64), (bx, by): (f64, f64)) -> f64 {
    let (dx, dy) = (bx - ax, by - ay);
    let length = dx.hypot(dy);
    if length == 0.0 { (x - ax).hypot(y - ay) } else { ((x - ax) * dy - (y - ay) * dx).abs() / length }
}

/// What is not finite is 0, as everywhere in our pictures; no sheet is larger
/// than a million pixels.
fn tenths(value: f64) -> i64 {
    const MOST: f64 = 1e6;
    if value.is_finite() { (value.clamp(-MOST, MOST) * 10.0).round() as i64 } else { 0 }
}

/// The corners of a path: what a viewer makes of it. For tests.
#[cfg(test)]
pub(super) fn corners(data: &str) -> Vec<Vec<(f64, f64)>> {
    let mut strokes: Vec<Vec<(f64, f64)>> = Vec::new();
    let (mut command, mut at) = ('M', (0.0, 0.0));
    let mut rest = data;
    while let Some(c) = rest.trim_start().chars().next() {
        rest = rest.trim_start();
        if c.is_ascii_alphabetic() {
            rest = &rest[1..];
            command = c;
            if matches!(c, 'z' | 'Z') {
                at = strokes.last().unwrap()[0];
                continue;
            }
        }
        let mut next = || {
            rest = rest.trim_start_matches([' ', ',']);
            let mut dots = 0;
            let end = rest
                .char_indices()
                .find(|(i, c)| {
                    dots += usize::from(*c == '.');
                    !(c.is_ascii_digit() || (*i == 0 && *c == '-') || (*c == '.' && dots < 2))
                })
                .map_or(rest.len(), |(i, _)| i);
            let number: f64 = rest[..end].parse().unwrap_or_else(|_| panic!("{rest:?} in {data:?}"));
            rest = &rest[end..];
            number
        };
        at = match command {
            'M' | 'L' => (next(), next()),
            'm' | 'l' => (at.0 + next(), at.1 + next()),
            'H' => (next(), at.1),
            'h' => (at.0 + next(), at.1),
            'V' => (at.0, next()),
            'v' => (at.0, at.1 + next()),
            other => panic!("{other} in {data:?}"),
        };
        if matches!(command, 'M' | 'm') {
            strokes.push(Vec::new());
            command = if command == 'M' { 'L' } else { 'l' };
        }
        strokes.last_mut().unwrap().push(at);
    }
    strokes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_short_and_ends_where_it_should() {
        let mut path = Path::default();
        path.go(10.0, 20.0);
        path.line(12.0, 18.5);
        path.line(14.0, 18.9);
        path.line(16.0, 18.9);
        path.line(16.0, 18.4);
        path.close();
        path.go(30.0, 0.0);
        path.line(30.25, 0.25);
        let data = path.data();
        assert_eq!(data, "M10 20l2-1.5 2 .4h2v-.5zM30 0l.3 .3");
        let strokes = corners(&data);
        let end = strokes[0][4];
        assert!((end.0 - 16.0).abs() < 1e-9 && (end.1 - 18.4).abs() < 1e-9, "{end:?}");
    }

    #[test]
    fn errors_of_rounding_do_not_add_up() {
        let mut path = Path::default();
        path.go(0.0, 0.0);
        for i in 1..=10_000 {
            path.line(f64::from(i) * 0.333, f64::from(i % 7) * 0.444);
        }
        let end = *corners(&path.data())[0].last().unwrap();
        assert!((end.0 - 3330.0).abs() < 0.06, "{end:?}");
    }

    #[test]
    fn what_is_not_finite_or_is_far_away_is_still_a_number() {
        let mut path = Path::default();
        path.go(f64::NAN, f64::INFINITY);
        path.line(1e300, -1e300);
        let data = path.data();
        assert!(!data.contains("NaN") && !data.contains("inf"), "{data}");
    }

    #[test]
    fn a_line_with_fewer_points_runs_where_it_ran() {
        let points: Vec<(f64, f64)> =
            (0..500).map(|i| (f64::from(i), 100.0 + 40.0 * (f64::from(i) / 40.0).sin())).collect();
        let few = simplify(&points, 0.3);
        assert!(few.len() < 100 && few[0] == points[0] && few.last() == points.last(), "{}", few.len());
        for point in &points {
            let next = few.iter().position(|p| p.0 >= point.0).unwrap().max(1);
            assert!(distance(*point, few[next - 1], few[next]) < 0.31, "{point:?}");
        }
        assert_eq!(simplify(&[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)], 0.3), [(0.0, 0.0), (2.0, 0.0)]);
        assert_eq!(simplify(&[(0.0, 0.0), (1.0, 9.0), (2.0, 0.0)], 0.3).len(), 3);
    }

    #[test]
    fn strokes_along_a_row_are_short() {
        let mut path = Path::default();
        path.skip_to(5.0, 7.0);
        path.line(8.0, 7.0);
        path.skip_to(10.0, 7.0);
        path.line(11.0, 7.0);
        assert_eq!(path.data(), "M5 7h3m2 0h1");
        let mut path = Path::default();
        path.go(5.0, 5.0);
        path.line(9.0, 9.0);
        path.close();
        path.skip_to(6.0, 6.0);
        assert_eq!(corners(&path.data())[1], [(6.0, 6.0)]);
    }
}
