//! What charts draw on: [`Svg`] with short attributes and classes, since a page
//! holds many charts. How the classes look is in [`super::style`].

use language::Words;

use super::Drawing;
use crate::svg::{Svg, clean, number};
use crate::text::Font;

pub(crate) const TEXT: Font = Font::plain(12.0);
pub(crate) const BOLD: Font = Font::bold(12.0);
/// From one line of text to the next.
pub(crate) const LINE: f64 = 16.0;
/// What text is lower than its middle: added to a middle it gives the base line.
pub(crate) const MIDDLE: f64 = 4.0;
/// A sheet narrower than this is a phone's: nothing points there, so nothing is
/// shown as tooltips.
pub(crate) const POINTED_FROM: f64 = 500.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Area {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

pub(crate) struct Canvas {
    svg: Svg,
    pub(crate) width: f64,
}

impl Canvas {
    pub(crate) fn new(width: f64) -> Self {
        Self { svg: Svg::default(), width }
    }

    /// A sheet that says that there is nothing to draw.
    pub(crate) fn nothing(words: &Words, width: f64) -> Drawing {
        let mut canvas = Self::new(width);
        let text = TEXT.fit(&words.say("chart-nothing"), width);
        canvas.text((0.0, LINE), "q", &text);
        canvas.finish(LINE * 1.5)
    }

    /// Whether a pointer may rest on something.
    pub(crate) fn is_pointed(&self) -> bool {
        self.width >= POINTED_FROM
    }

    /// One line of text; its base line begins at `at`, or with the class `m`
    /// has its middle there, with `e` its end. Names must be cut to their room
    /// before; marks that turn writing around are taken out here.
    pub(crate) fn text(&mut self, at: (f64, f64), class: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        self.svg.tag("text").num("x", at.0).num("y", at.1).class(class).text(&clean(text));
    }

    /// Lines of small text from the left edge, below `y`; the answer is the last
    /// one's base line.
    pub(crate) fn lines(&mut self, mut y: f64, lines: &[String]) -> f64 {
        for line in lines {
            y += LINE;
            self.text((0.0, y), "t", line);
        }
        y
    }

    /// Opens a group, such as the colour of a series; [`Canvas::end`] ends it.
    pub(crate) fn group(&mut self, class: &str) {
        self.svg.tag("g").class(class).open();
    }

    pub(crate) fn end(&mut self) {
        self.svg.close();
    }

    pub(crate) fn path(&mut self, class: &str, path: &PathBuilder, told: Option<&str>) {
        let told = told.filter(|_| self.is_pointed());
        let tag = self.svg.tag("path").class(class).attr("d", &path.d);
        match told {
            None => tag.empty(),
            Some(told) => {
                tag.open();
                self.svg.tag("title").text(&clean(told));
                self.svg.close();
            }
        }
    }

    pub(crate) fn strokes(&mut self, class: &str, path: &PathBuilder, thickness: f64) {
        self.svg.tag("path").class(class).num("stroke-width", thickness).attr("d", &path.d).empty();
    }

    pub(crate) fn rect(&mut self, class: &str, area: Area, told: Option<&str>) {
        let Area { x, y, width, height } = area;
        let pen = PathBuilder::at(x, y).across(x + width.max(0.0)).up(y + height.max(0.0)).across(x).close();
        self.path(class, &pen, told);
    }

    pub(crate) fn across(&mut self, class: &str, y: f64, from: f64, to: f64) {
        self.path(class, &PathBuilder::at(from, y).across(to), None);
    }

    pub(crate) fn down(&mut self, class: &str, x: f64, from: f64, to: f64) {
        self.path(class, &PathBuilder::at(x, from).up(to), None);
    }

    /// What was drawn, on a sheet of this height.
    pub(crate) fn finish(self, height: f64) -> Drawing {
        Drawing { elements: self.svg.finish(), height: height.ceil() }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PathBuilder {
    d: String,
}

impl PathBuilder {
    /// Data that are written already.
    pub(crate) fn of(d: String) -> Self {
        Self { d }
    }

    pub(crate) fn at(x: f64, y: f64) -> Self {
        Self::default().jump(x, y)
    }

    /// Lifts it and puts it down elsewhere.
    pub(crate) fn jump(self, x: f64, y: f64) -> Self {
        self.to('M', &[x, y])
    }

    pub(crate) fn line(self, x: f64, y: f64) -> Self {
        self.to('L', &[x, y])
    }

    /// A line to `x`, at the same height.
    pub(crate) fn across(self, x: f64) -> Self {
        self.to('H', &[x])
    }

    /// A line to `y`, straight up or down.
    pub(crate) fn up(self, y: f64) -> Self {
        self.to('V', &[y])
    }

    /// Back to where it was put down.
    pub(crate) fn close(mut self) -> Self {
        self.d.push('Z');
        self
    }

    /// Straight lines through all points.
    pub(crate) fn through(points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let mut pen = Self::default();
        for (x, y) in points {
            pen = if pen.d.is_empty() { pen.jump(x, y) } else { pen.line(x, y) };
        }
        pen
    }

    /// An interval from left to right as a whisker: a line with a bar across each end.
    pub(crate) fn whisker_across(y: f64, low: f64, high: f64, half: f64) -> Self {
        let pen = Self::at(low, y - half).up(y + half).jump(low, y).across(high);
        pen.jump(high, y - half).up(y + half)
    }

    /// The same up and down.
    pub(crate) fn whisker_up(x: f64, low: f64, high: f64, half: f64) -> Self {
        let pen = Self::at(x - half, low).across(x + half).jump(x, low).up(high);
        pen.jump(x - half, high).across(x + half)
    }

    fn to(mut self, command: char, numbers: &[f64]) -> Self {
        self.d.push(command);
        for (i, n) in numbers.iter().enumerate() {
            if i > 0 {
                self.d.push(' ');
            }
            self.d.push_str(&number(*n));
        }
        self
    }
}
