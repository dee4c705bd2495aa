//! The path of a workload's data as a chain, each link with its share.
//!
//! The chain hangs from the top, so that all shares have one axis and can be
//! compared; the pipe at its left is the wider the more bytes pass.

use language::Words;

use super::canvas::{Area, BOLD, Canvas, LINE, MIDDLE, TEXT};
use super::path::Path;
use super::ticks::TICK;
use super::{DataTable, Drawing, Numbers, Plot, numbers, series, wording};
use crate::svg::clean;
use crate::theme;

/// A path.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The links, in the order in which data passes them.
    pub links: Vec<Link>,
}

/// One resource on the path.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// What it is called: `disk vda`.
    pub name: String,
    /// What passes and what could: `429 of 560 MB/s`.
    pub detail: Option<String>,
    /// The share of its limit that is used; absent where no limit is known.
    pub share: Option<f64>,
    /// Bytes that pass here for each one of the workload.
    pub amplification: f64,
    /// Whether it is what holds the result back.
    pub is_bottleneck: bool,
    /// Whether it does so because operations wait for it, though it is not full.
    pub is_waited_for: bool,
    /// Whether it may be called the fullest where no link is the bottleneck: its share is of a rate, and
    /// nothing else is known to hold the result back.
    pub may_be_fullest: bool,
}

/// Where names begin, right of the pipe.
const NAMES: f64 = 26.0;
/// The middle of the pipe.
const PIPE: f64 = 10.0;
/// How wide the pipe is for a byte that passes once, and at most.
const PIPE_WIDTH: (f64, f64) = (4.0, 16.0);
const BAR: f64 = 14.0;
/// The share of the bars' width that is the limit: more than full is seen.
const FULL: f64 = 0.92;
/// More links are not drawn.
const MOST: usize = 40;
/// The column of its table that has the amplification.
const AMPLIFICATION: usize = 3;
/// A change of amplification that is worth a word.
const CHANGED: f64 = 0.01;

impl Link {
    fn known(&self) -> Option<f64> {
        self.share.filter(|share| share.is_finite() && *share >= 0.0)
    }

    fn pipe(&self) -> f64 {
        let width = PIPE_WIDTH.0 * self.amplification;
        if width.is_finite() { width.clamp(1.0, PIPE_WIDTH.1) } else { 1.0 }
    }

    fn is_amplified(&self, before: f64) -> bool {
        self.amplification.is_finite() && (self.amplification - before).abs() > CHANGED * before.abs()
    }

    /// What is written behind its bar, and its class; of the fullest where none is the bottleneck, that.
    fn verdict(&self, words: &Words, is_fullest: bool) -> (String, &'static str) {
        let share = self.known().map(|share| Numbers::Share.write(share));
        if self.is_bottleneck && self.is_waited_for {
            // That no limit is known matters little to who waits.
            let parts = [share, Some(words.say("chain-waited-for"))];
            return (parts.into_iter().flatten().collect::<Vec<_>>().join(" · "), "w b");
        }
        let share = share.unwrap_or_else(|| words.say("chain-unknown"));
        if self.is_bottleneck {
            (format!("{share} · {}", words.say("chain-bottleneck")), "w b")
        } else if is_fullest {
            (format!("{share} · {}", words.say("chain-fullest-mark")), "w b")
        } else {
            (share, if self.known().is_some() { "" } else { "q" })
        }
    }
}

struct Layout {
    is_wide: bool,
    /// Bars from here, the limit, and the end of the bars.
    bars: (f64, f64, f64),
    names: f64,
    verdicts: f64,
}

impl Layout {
    fn of(links: &[Link], words: &Words, canvas: &Canvas) -> Self {
        let width = canvas.width;
        let fullest = fullest(links);
        let verdict = |(at, link): (usize, &Link)| BOLD.width(&link.verdict(words, fullest == Some(at)).0);
        let verdicts = links.iter().enumerate().map(verdict).fold(0.0, f64::max).min(200.0);
        let is_wide = canvas.is_pointed();
        let names = |link: &Link| {
            let detail = TICK.width(&clean(link.detail.as_deref().unwrap_or_default()));
            BOLD.width(&clean(&link.name)).max(detail)
        };
        let widest = links.iter().map(names).fold(0.0, f64::max).min(230.0);
        let from = if is_wide { NAMES + widest + 16.0 } else { NAMES };
        let to = width - verdicts - 10.0;
        let names = if is_wide { widest } else { width - NAMES };
        Self { is_wide, bars: (from, from + (to - from) * FULL, to), names, verdicts: to + 8.0 }
    }

    /// The middle of the bar of a row that begins at `y`.
    fn middle(&self, y: f64) -> f64 {
        if self.is_wide { y + self.row() / 2.0 - 3.0 } else { y + 42.0 }
    }

    /// Names above bars take more room.
    fn row(&self) -> f64 {
        if self.is_wide { 40.0 } else { 58.0 }
    }
}

/// The place of the link that uses most of its limit, of those that may be called the fullest.
fn fullest(links: &[Link]) -> Option<usize> {
    if links.iter().any(|link| link.is_bottleneck) {
        return None;
    }
    let all = links.iter().enumerate().filter(|(_, link)| link.may_be_fullest);
    let known = all.filter_map(|(at, link)| Some((at, link.known()?)));
    known.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at)
}

impl Chain {
    fn drawn(&self) -> &[Link] {
        &self.links[..self.links.len().min(MOST)]
    }

    /// The line of the limit with its name, from `top` to `bottom`; on a phone,
    /// where words stand between the bars, at the bars alone.
    fn limit(canvas: &mut Canvas, words: &Words, layout: &Layout, (top, bottom): (f64, f64), starts: &[f64]) {
        let at_bars = starts.iter().map(|start| layout.middle(*start)).map(|m| (m - BAR, m + BAR));
        let spans = if layout.is_wide { vec![(top, bottom)] } else { at_bars.collect() };
        for (from, to) in spans {
            canvas.down("r0", layout.bars.1, from, to);
        }
        let text = TEXT.fit(&words.say("chain-full"), canvas.width / 2.0);
        let half = TEXT.width(&text) / 2.0;
        let middle = layout.bars.1.min(canvas.width - half);
        canvas.text((middle, top - 5.0), "w m", &text);
    }
}

fn draw_link(canvas: &mut Canvas, words: &Words, (link, is_fullest): (&Link, bool), layout: &Layout, y: f64) {
    let name = BOLD.fit(&clean(&link.name), layout.names);
    let detail = TICK.fit(&clean(link.detail.as_deref().unwrap_or_default()), layout.names);
    let base = y + LINE - 2.0;
    canvas.text((NAMES, base), "b", &name);
    canvas.text((NAMES, base + 14.0), "t", &detail);
    let middle = layout.middle(y);
    let (from, full, to) = layout.bars;
    if let Some(share) = link.known() {
        let end = (from + (full - from) * share).min(to);
        let told = format!("{name}: {} {detail}", Numbers::Share.write(share));
        let area = |right: f64| Area { x: from, y: middle - BAR / 2.0, width: right - from, height: BAR };
        canvas.rect("v", area(full), None);
        canvas.rect(&format!("p{}", theme::step(share)), area(end), Some(&told));
        canvas.rect("a", area(end), None);
    }
    let (verdict, class) = link.verdict(words, is_fullest);
    // Where no limit is known there is no bar, and words stand in its place.
    let x = if link.known().is_some() || link.is_bottleneck { layout.verdicts } else { from };
    canvas.text((x, middle + MIDDLE), class, &BOLD.fit(&verdict, canvas.width - x));
}

impl Plot for Chain {
    fn draw(&self, words: &Words, width: f64) -> Drawing {
        let links = self.drawn();
        if links.is_empty() {
            return Canvas::nothing(words, width);
        }
        let mut canvas = Canvas::new(width);
        let layout = Layout::of(links, words, &canvas);
        let top = LINE + 6.0;
        // What passes more or less bytes says so above its name.
        let mut before = 1.0;
        let mut rows = Vec::new();
        let mut y = top;
        for link in links {
            let said = link.is_amplified(before).then(|| {
                before = link.amplification;
                let times = wording::text(numbers::times(link.amplification));
                words.tell("chain-amplified", &[("times", times)])
            });
            let start = y + if said.is_some() { LINE } else { 0.0 };
            rows.push((y, start, said, link));
            y = start + layout.row();
        }
        let (bottom, fullest) = (y, fullest(links));
        for (i, (above, start, said, link)) in rows.iter().enumerate() {
            let end = rows.get(i + 1).map_or(*start + LINE, |next| next.0);
            let half = link.pipe() / 2.0;
            let area = Area { x: PIPE - half, y: *above, width: 2.0 * half, height: end - above };
            canvas.rect("y", area, None);
            if let Some(said) = said {
                canvas.text((NAMES, *above + 12.0), "t", &TICK.fit(said, width - NAMES));
            }
            draw_link(&mut canvas, words, (*link, fullest == Some(i)), &layout, *start);
        }
        if links.iter().any(|l| l.known().is_some()) {
            let known = rows.iter().filter(|row| row.3.known().is_some());
            let starts: Vec<f64> = known.map(|row| row.1).collect();
            Self::limit(&mut canvas, words, &layout, (top, bottom), &starts);
        }
        for (_, start, _, link) in &rows {
            let half = (link.pipe() / 2.0 + 2.5).min(PIPE);
            canvas.path("h z", &series::mark(0, PIPE, start + LINE - 6.0, half), None);
            if link.is_bottleneck {
                let x = NAMES - 5.0;
                let frame = Path::through([(x, *start), (x, start + layout.row() - 8.0)]);
                canvas.path("r0", &frame.pen(), None);
            }
        }
        if let Some(more) = wording::rest(words, "chart-more", self.links.len(), links.len()) {
            canvas.text((NAMES, y + 12.0), "q", &more);
            y += LINE;
        }
        canvas.finish(y + 4.0)
    }

    fn describe(&self, words: &Words) -> String {
        if self.links.is_empty() {
            return words.say("chart-nothing");
        }
        let share = |link: &Link| wording::text(Numbers::Share.write(link.known().unwrap_or(f64::NAN)));
        let list = self.links.iter().take(MOST).map(|link| {
            let name = clean(&link.name);
            link.known().map_or(name.clone(), |share| format!("{name} ({})", Numbers::Share.write(share)))
        });
        let list = wording::text(list.collect::<Vec<_>>().join(", "));
        let arguments = [("count", wording::count(self.links.len())), ("list", list)];
        let mut sentences = vec![words.tell("chain-describe", &arguments)];
        let guilty: Vec<&Link> = self.links.iter().filter(|l| l.is_bottleneck).collect();
        for link in guilty.iter().take(3) {
            let key = match link.known() {
                _ if link.is_waited_for => "chain-waits",
                Some(_) => "chain-holds",
                None => "chain-holds-unknown",
            };
            sentences.push(words.tell(key, &[("name", wording::name(&link.name)), ("share", share(link))]));
        }
        if let Some(link) = fullest(&self.links).and_then(|at| self.links.get(at)) {
            let arguments = [("name", wording::name(&link.name)), ("share", share(link))];
            sentences.push(words.tell("chain-fullest", &arguments));
        }
        let grown = self.links.iter().filter(|l| l.is_amplified(1.0));
        if let Some(link) = grown.max_by(|a, b| a.amplification.total_cmp(&b.amplification)) {
            let times = wording::text(numbers::times(link.amplification));
            sentences
                .push(words.tell("chain-grows", &[("name", wording::name(&link.name)), ("times", times)]));
        }
        sentences.join(" ")
    }

    fn table(&self, words: &Words) -> DataTable {
        let keys = ["name", "detail", "share", "amplification", "remark"];
        let head = keys.map(|key| words.say(&format!("chain-{key}"))).to_vec();
        let fullest = fullest(&self.links);
        let row = |(at, link): (usize, &Link)| {
            let share = link.known().map(|share| Numbers::Share.write(share));
            vec![
                clean(&link.name),
                clean(link.detail.as_deref().unwrap_or_default()),
                share.unwrap_or_else(|| words.say("chain-unknown")),
                Numbers::Times.write(link.amplification),
                match (link.is_bottleneck, link.is_waited_for) {
                    (true, true) => words.say("chain-waited-for"),
                    (true, false) => words.say("chain-bottleneck"),
                    (false, _) if fullest == Some(at) => words.say("chain-fullest-mark"),
                    (false, _) => String::new(),
                },
            ]
        };
        DataTable { head, rows: self.links.iter().enumerate().map(row).collect() }
    }

    fn list(&self, words: &Words) -> Option<DataTable> {
        let DataTable { mut head, mut rows } = self.table(words);
        // Where more bytes pass, the sentences say so.
        std::iter::once(&mut head).chain(&mut rows).for_each(|row| drop(row.remove(AMPLIFICATION)));
        Some(DataTable { head, rows })
    }
}

#[cfg(test)]
mod tests {
    use language::Language;

    use super::*;
    use crate::plot::check::{self, Dice};
    use crate::plot::path::corners;

    fn link(name: &str, share: Option<f64>, amplification: f64, is_bottleneck: bool) -> Link {
        Link {
            name: name.into(),
            detail: Some("1 of 2 MB/s".into()),
            share,
            amplification,
            is_bottleneck,
            is_waited_for: false,
            may_be_fullest: true,
        }
    }

    fn chain() -> Chain {
        let disks = link("disks", Some(0.953), 4.0 / 3.0, true);
        Chain { links: vec![link("CPU", Some(0.2), 1.0, false), link("md0", None, 1.0, false), disks] }
    }

    fn width(d: &str) -> f64 {
        let points: Vec<(f64, f64)> = corners(d).into_iter().flatten().collect();
        points.iter().map(|p| p.0).fold(0.0, f64::max) - points.iter().map(|p| p.0).fold(1e9, f64::min)
    }

    #[test]
    fn bars_are_as_long_as_shares_and_pipes_as_wide_as_what_passes() {
        let drawing = chain().draw(Language::English.words(), 760.0);
        let (low, high) = (check::paths(&drawing, "p0").remove(0), check::paths(&drawing, "p4").remove(0));
        assert!((width(&high) / width(&low) - 0.953 / 0.2).abs() < 0.02);
        let pipes = check::paths(&drawing, "y");
        assert!((width(&pipes[2]) / width(&pipes[0]) - 4.0 / 3.0).abs() < 0.05, "{pipes:?}");
        assert_eq!(pipes.len(), 3);
    }

    #[test]
    fn more_than_full_passes_the_limit_and_an_unknown_share_has_no_bar() {
        let over = Chain { links: vec![link("a", Some(1.04), 1.0, false), link("b", Some(1.0), 1.0, false)] };
        let drawing = over.draw(Language::English.words(), 760.0);
        let bars = check::paths(&drawing, "p4");
        let limit = corners(&check::paths(&drawing, "r0")[0])[0][0].0;
        let right = |d: &str| corners(d).into_iter().flatten().map(|p| p.0).fold(0.0, f64::max);
        assert!(right(&bars[0]) > limit + 1.0 && (right(&bars[1]) - limit).abs() < 0.2, "{bars:?} {limit}");
        let unknown = Chain { links: vec![link("c", None, 1.0, false)] };
        let drawing = unknown.draw(Language::English.words(), 760.0);
        assert!((0..5).all(|step| check::paths(&drawing, &format!("p{step}")).is_empty()));
        assert!(
            check::texts(&unknown, Language::English.words(), 760.0).contains(&"no limit known".to_owned())
        );
    }

    #[test]
    fn the_fullest_is_marked_only_where_nothing_is_known_to_hold_the_result_back() {
        let words = Language::English.words();
        let marked = |chain: &Chain| {
            let rows = chain.table(words).rows;
            rows.into_iter().map(|row| row[4].clone()).collect::<Vec<_>>()
        };
        let mut free = chain();
        assert_eq!(marked(&free), ["", "", "bottleneck"]);
        free.links[2].is_bottleneck = false;
        assert_eq!(marked(&free), ["", "", "the fullest"]);
        assert!(check::texts(&free, words, 760.0).iter().any(|text| text.ends_with("% · the fullest")));
        let list = free.list(words).unwrap();
        assert_eq!(list.rows[2], ["disks", "1 of 2 MB/s", "95 %", "the fullest"]);
        assert_eq!(list.head, ["Resource", "What passes", "Share of limit", "Remark"]);
        // What stands in a queue is no rate.
        free.links[2].may_be_fullest = false;
        assert_eq!(marked(&free), ["the fullest", "", ""]);
        // Something that is no link holds the result back.
        free.links[0].may_be_fullest = false;
        assert_eq!(marked(&free), ["", "", ""]);
        assert!(!free.describe(words).contains("the fullest"), "{}", free.describe(words));
    }

    #[test]
    fn words_name_the_bottleneck_or_the_fullest() {
        let words = Language::English.words();
        assert_eq!(
            chain().describe(words),
            "A path of 3 resources: CPU (20 %), md0, disks (95 %). disks holds the \
             result back, at 95 % of its limit. disks passes 1.33 times the bytes of the workload."
        );
        let mut free = chain();
        free.links[2].is_bottleneck = false;
        assert!(free.describe(words).contains("the fullest is disks, at 95 %"));
        assert_eq!(chain().table(words).rows[1][2], "no limit known");
    }

    #[test]
    fn a_chain_looks_as_it_did() {
        insta::assert_snapshot!(crate::plot::svg(&chain(), "The path", Language::English.words()));
    }

    #[test]
    fn whatever_comes_is_drawn_within_the_sheet() {
        let mut dice = Dice(17);
        check::hold(&Chain { links: vec![] }, "no links");
        for round in 0..60 {
            let link = |dice: &mut Dice| Link {
                name: dice.name(),
                detail: (dice.below(2) == 0).then(|| dice.name()),
                share: (dice.below(3) > 0)
                    .then(|| if dice.below(2) == 0 { dice.value() } else { dice.share() }),
                amplification: if dice.below(4) == 0 { dice.value() } else { 1.0 },
                is_waited_for: false,
                is_bottleneck: dice.below(4) == 0,
                may_be_fullest: dice.below(2) == 0,
            };
            let most = [3, 9, 60][dice.below(3)];
            let links = (0..dice.below(most)).map(|_| link(&mut dice)).collect();
            check::hold(&Chain { links }, &format!("round {round}"));
        }
    }
}
