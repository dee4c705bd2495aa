//! Rounds of one load, one after the other, and the last of them by which it is
//! judged whether they are steady: the way in which SNIA shows it (Solid State
//! Storage Performance Test Specification 2.0.2, annex of steady state plots).
//! The judgement itself is not made here.

use language::Words;

use super::canvas::{Area, Canvas, PathBuilder};
use super::frame::{Frame, TickedAxis};
use super::scale::{Base, Domain, Scale};
use super::ticks::TickDirection;
use super::{Axis, Better, DataTable, Drawing, Numbers, Plot, Spread, frame, series, wording};
use crate::svg::{clean, join};

/// Courses of rounds, in panels below one another.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundPanels {
    /// The axis of values.
    pub value: Axis,
    /// Which way is better.
    pub better: Option<Better>,
    /// Greatest less smallest of a steady window, relative to its mean, at most:
    /// drawn as a band of half of it to both sides.
    pub range: f64,
    /// The courses.
    pub courses: Vec<RoundSeries>,
}

/// The rounds of one case.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundSeries {
    /// What they are of; empty where there is one course.
    pub name: String,
    /// One value a round, in order.
    pub values: Vec<f64>,
    /// The last rounds, by which it was judged; absent where there were too few.
    pub window: Option<RoundWindow>,
    /// What came of it: `steady after 9 rounds`.
    pub verdict: String,
    /// Whether that is good.
    pub steady: bool,
}

/// The rounds that are judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundWindow {
    /// How many of the last rounds.
    pub rounds: usize,
    /// Their mean.
    pub mean: f64,
    /// What the line fitted to them climbs from one round to the next.
    pub slope: f64,
}

/// Courses that are drawn; the table has all.
const MOST: usize = 6;
/// Rounds of one course that are drawn.
const MOST_ROUNDS: usize = 400;
/// Up to so many rounds have marks.
const MOST_MARKS: usize = 60;
/// The height of an area on a screen and on a phone: alone, and of several.
const HEIGHTS: [(f64, f64); 2] = [(210.0, 170.0), (110.0, 96.0)];
/// From the area's ends to the first and the last round.
const INSET: f64 = 12.0;
/// Between panels.
const BETWEEN: f64 = 10.0;

impl RoundSeries {
    /// Round, from 1, and value of those that can be drawn.
    fn points(&self) -> Vec<(f64, f64)> {
        let all = self.values.iter().take(MOST_ROUNDS).enumerate();
        all.filter(|(_, v)| v.is_finite()).map(|(i, v)| ((i + 1) as f64, *v)).collect()
    }

    /// The first and the last round of the window.
    fn judged(&self) -> Option<(RoundWindow, f64, f64)> {
        let window = self.window.filter(|w| w.mean.is_finite() && w.slope.is_finite() && w.rounds > 1)?;
        let last = self.values.len();
        let first = last.checked_sub(window.rounds)? + 1;
        (last <= MOST_ROUNDS).then_some((window, first as f64, last as f64))
    }
}

impl Plot for RoundPanels {
    fn draw(&self, words: &Words, width: f64) -> Drawing {
        let known = self.courses.iter().filter(|c| !c.points().is_empty());
        let courses: Vec<&RoundSeries> = known.take(MOST).collect();
        if courses.is_empty() {
            return Canvas::nothing(words, width);
        }
        let mut canvas = Canvas::new(width);
        let (wide, narrow) = HEIGHTS[usize::from(courses.len() > 1)];
        let height = if canvas.is_pointed() { wide } else { narrow };
        let uprights: Vec<TickedAxis> = courses.iter().map(|c| self.upright(c, height)).collect();
        let left = uprights.iter().map(|r| Frame::left_of(&r.ticks)).fold(0.0, f64::max);
        let x = across(&courses, left, width, words);
        let mut bottom = self.heading(&mut canvas, &courses, words);
        for (i, (course, y)) in courses.iter().zip(uprights).enumerate() {
            let said = join([clean(&course.name), clean(&course.verdict)], ": ");
            let class = if course.steady { "q" } else { "w" };
            let top = bottom + if i > 0 { BETWEEN } else { 4.0 };
            let top = frame::heading(&mut canvas, &said, top, class) + 8.0;
            let mut frame = Frame { x: x.clone(), y, left, right: width - 4.0, top: 0.0, bottom: 0.0 };
            frame.stand(top, height, &self.value);
            self.shade(&mut canvas, &frame, course);
            bottom = match i + 1 == courses.len() {
                true => frame.draw(&mut canvas, &words.say("rounds-axis")),
                false => frame.draw_grid(&mut canvas),
            };
            self.draw_course(&mut canvas, &frame, course, words);
        }
        canvas.finish(bottom)
    }

    fn describe(&self, words: &Words) -> String {
        let mut sentences = vec![words.tell("rounds-what", &[("value", wording::name(&self.value.title))])];
        let known: Vec<&RoundSeries> = self.courses.iter().filter(|c| !c.points().is_empty()).collect();
        if known.is_empty() {
            sentences.push(words.say("chart-nothing"));
        }
        for course in known.iter().take(MOST) {
            let points = course.points();
            let write = |at: Option<&(f64, f64)>| {
                wording::text(
                    at.map_or_else(String::new, |p| self.value.numbers.write_under(p.1, &self.value.title)),
                )
            };
            let ends = [
                ("first", write(points.first())),
                ("last", write(points.last())),
                ("rounds", wording::count(points.len())),
                ("verdict", wording::name(&course.verdict)),
            ];
            let what = words.tell("rounds-course", &ends);
            sentences.push(match course.name.is_empty() {
                true => what,
                false => {
                    let what = ("what", wording::text(what));
                    words.tell("chart-named", &[("name", wording::name(&course.name)), what])
                }
            });
        }
        sentences.extend(wording::rest(words, "chart-others", known.len(), MOST));
        sentences.join(" ")
    }

    fn table(&self, words: &Words) -> DataTable {
        let one = self.courses.len() == 1;
        let name = |c: &RoundSeries| clean(if one { &self.value.title } else { &c.name });
        let head = std::iter::once(words.say("rounds-round")).chain(self.courses.iter().map(name)).collect();
        let most = self.courses.iter().map(|c| c.values.len()).max().unwrap_or(0);
        let cell = |c: &RoundSeries, at: usize| {
            c.values.get(at).map_or_else(String::new, |v| self.value.numbers.write(*v))
        };
        let row = |at: usize| {
            let cells = self.courses.iter().map(|c| cell(c, at));
            std::iter::once((at + 1).to_string()).chain(cells).collect()
        };
        DataTable { head, rows: (0..most).map(row).collect() }
    }
}

impl RoundPanels {
    /// What is measured, and what the lines of a window mean.
    fn heading(&self, canvas: &mut Canvas, courses: &[&RoundSeries], words: &Words) -> f64 {
        let domain = Domain::exact(0.0, 1.0, 1.0);
        let title = frame::title(&self.value, &domain, self.better, words);
        let mut top = frame::heading(canvas, &title, 0.0, "");
        let judged = courses.iter().filter_map(|c| c.judged()).map(|(w, _, _)| w.rounds).max();
        if let Some(rounds) = judged {
            let half = ("half", (self.range / 2.0).into());
            let legend = words.tell("rounds-legend", &[("rounds", wording::count(rounds)), half]);
            top = frame::heading(canvas, &legend, top, "q");
        }
        let cut = wording::drawn(words, "rounds-drawn", courses.len(), self.courses.len());
        frame::heading(canvas, &cut, top, "q")
    }

    /// The upright axis of one course, with its band.
    fn upright(&self, course: &RoundSeries, height: f64) -> TickedAxis {
        let mut values: Vec<f64> = course.points().iter().map(|p| p.1).collect();
        if let Some((window, _, _)) = course.judged() {
            values.extend([-0.5, 0.5].map(|side| window.mean * (1.0 + side * self.range)));
        }
        let scale = Scale { domain: Domain::of(&self.value, &values, Base::Zero, 4), from: height, to: 0.0 };
        TickedAxis::new(&self.value, scale, TickDirection::Up)
    }

    fn shade(&self, canvas: &mut Canvas, frame: &Frame, course: &RoundSeries) {
        let Some((_, first, last)) = course.judged() else { return };
        let (from, to) = window_ends(frame, first, last);
        let area = Area { x: from, y: frame.top, width: to - from, height: frame.bottom - frame.top };
        canvas.rect("v", area, None);
    }

    fn draw_course(&self, canvas: &mut Canvas, frame: &Frame, course: &RoundSeries, words: &Words) {
        let place = |(round, value): (f64, f64)| (frame.x.scale.place(round), frame.y.scale.place(value));
        let points = course.points();
        canvas.group(&series::class(0));
        if points.len() > 1 {
            canvas.path("l", &PathBuilder::through(points.iter().map(|p| place(*p))), None);
        }
        canvas.end();
        self.draw_judged(canvas, frame, course);
        if points.len() > MOST_MARKS {
            return;
        }
        canvas.group(&series::class(0));
        for point in &points {
            let (x, y) = place(*point);
            let round = words.tell("rounds-point", &[("round", wording::count(point.0 as usize))]);
            let told = format!("{round}: {}", self.value.numbers.write(point.1));
            canvas.path("f", &series::mark(0, x, y, 3.4), Some(&told));
        }
        canvas.end();
    }

    /// The band that a steady window keeps within, and the line fitted to it.
    fn draw_judged(&self, canvas: &mut Canvas, frame: &Frame, course: &RoundSeries) {
        let Some((window, first, last)) = course.judged() else { return };
        let (from, to) = window_ends(frame, first, last);
        for side in [-0.5, 0.5] {
            let value = window.mean * (1.0 + side * self.range);
            if frame.y.scale.domain.holds(value) {
                canvas.across("r2", frame.y.scale.place(value), from, to);
            }
        }
        let middle = (first + last) / 2.0;
        let fitted = |round: f64| {
            let value = window.mean + window.slope * (round - middle);
            (frame.x.scale.place(round), frame.y.scale.place(value))
        };
        canvas.path("h2", &PathBuilder::through([fitted(first), fitted(last)]), None);
    }
}

/// Where a window begins and ends: between its rounds and those beside.
fn window_ends(frame: &Frame, first: f64, last: f64) -> (f64, f64) {
    let place = |round: f64| frame.x.scale.place(round);
    let half = ((place(2.0) - place(1.0)).abs() / 2.0).min(INSET);
    (place(first) - half, place(last) + half)
}

/// The axis of rounds, for all panels.
fn across(courses: &[&RoundSeries], left: f64, width: f64, words: &Words) -> TickedAxis {
    let axis = Axis { title: words.say("rounds-axis"), numbers: Numbers::Count, spread: Spread::Linear };
    let most = courses.iter().map(|c| c.values.len().min(MOST_ROUNDS)).max().unwrap_or(1);
    let rounds: Vec<f64> = (1..=most).map(|r| r as f64).collect();
    let domain = Domain::of(&axis, &rounds, Base::Data, 8);
    let scale = Scale { domain, from: left + INSET, to: (width - 4.0 - INSET).max(left + INSET + 1.0) };
    TickedAxis { scale, ticks: axis.ticks_at(&rounds, &scale, TickDirection::Across(0.0, width)) }
}

#[cfg(test)]
mod tests {
    use super::super::check::{self, texts};
    use super::super::svg;
    use super::*;
    use language::Language;
    use model::Unit;

    /// A drive whose cache fills in the first rounds.
    fn settling() -> RoundPanels {
        let values = vec![92e3, 88e3, 61e3, 40e3, 33e3, 31.2e3, 30.5e3, 31e3, 30.2e3];
        let mean = values[4..].iter().sum::<f64>() / 5.0;
        RoundPanels {
            value: Axis {
                title: "IOPS".to_owned(),
                numbers: Numbers::Unit(Unit::PerSecond),
                spread: Spread::Linear,
            },
            better: Some(Better::Higher),
            range: 0.2,
            courses: vec![RoundSeries {
                name: String::new(),
                values,
                window: Some(RoundWindow { rounds: 5, mean, slope: -580.0 }),
                verdict: "steady after 9 rounds: range 9 %, slope 7 %".to_owned(),
                steady: true,
            }],
        }
    }

    #[test]
    fn a_course_looks_as_it_did() {
        insta::assert_snapshot!(svg(&settling(), "IOPS in rounds", Language::English.words()));
    }

    #[test]
    fn the_window_is_shaded_with_its_band_and_its_fitted_line() {
        let drawing = settling().draw(Language::English.words(), 760.0);
        let count = |class: &str| check::paths(&drawing, class).len();
        assert_eq!((count("v"), count("r2"), count("h2"), count("f")), (1, 2, 1, 9));
        // Of too few rounds nothing was judged.
        let mut few = settling();
        few.courses[0].values.truncate(3);
        let drawing = few.draw(Language::English.words(), 760.0);
        assert!(check::paths(&drawing, "v").is_empty() && check::paths(&drawing, "h2").is_empty());
        few.courses[0].window = None;
        check::hold(&few, "three rounds");
    }

    #[test]
    fn several_courses_are_panels_with_their_verdicts() {
        let mut plot = settling();
        let mut other = plot.courses[0].clone();
        plot.courses[0].name = "4 KiB".to_owned();
        other.name = "64 KiB".to_owned();
        (other.verdict, other.steady) = ("not steady in 25 rounds".to_owned(), false);
        other.values = (0..25).map(|i| 1e9 * (1.0 + f64::from(i % 5))).collect();
        plot.courses.push(other);
        check::hold(&plot, "two courses");
        for width in [760.0, 340.0] {
            let texts = texts(&plot, Language::English.words(), width).join(" ");
            assert!(texts.contains("4 KiB: steady after 9 rounds"), "{texts}");
            assert!(texts.contains("64 KiB: not steady in 25 rounds"), "{texts}");
        }
        let rows = plot.table(Language::English.words()).rows;
        assert_eq!((rows.len(), rows[24][1].as_str(), rows[24][2].as_str()), (25, "", "5 G/s"));
    }

    #[test]
    fn rounds_are_told_in_words() {
        assert_eq!(
            settling().describe(Language::English.words()),
            "IOPS round by round. From 92 k in the first to 30.2 k in the last of 9 rounds; steady after 9 \
             rounds: range 9 %, slope 7 %."
        );
        let none = RoundPanels { courses: Vec::new(), ..settling() };
        assert_eq!(none.describe(Language::English.words()), "IOPS round by round. Nothing was measured.");
    }
}
