//! Where lines break: at spaces, and in Japanese between letters, as far as its
//! rules allow (JIS X 4051). What `text::measures` holds together stays so.

use textwrap::core::display_width;

use super::{Span, Style};
use crate::text::unglued;

/// What no line begins with: punctuation, what lengthens or repeats the letter before, small kana, and a space
/// that holds two words together.
const NO_START: &str =
    "。、，．・：；！？）」』】〉》〕ー％,.:;!?)]}%ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ々\u{a0}";
/// What no line ends with.
const NO_END: &str = "（「『【〈《〔([{\u{a0}";
/// What has its own room behind it: no space follows.
const ENDS: &str = "。、";

/// Letters between which no line breaks.
#[derive(Default)]
struct Word {
    spans: Vec<Span>,
    /// Spaces before it.
    gap: usize,
}

impl Word {
    fn width(&self) -> usize {
        self.spans.iter().map(|s| display_width(&s.text)).sum()
    }

    fn push(&mut self, style: Style, letter: char) {
        match self.spans.last_mut().filter(|span| span.style == style) {
            Some(span) => span.text.push(letter),
            None => self.spans.push(Span::new(style, letter)),
        }
    }
}

/// `spans` in lines of at most `room` columns, the first of at most `first`.
pub(crate) fn lines(spans: &[Span], first: usize, room: usize) -> Vec<Vec<Span>> {
    let mut lines: Vec<Vec<Span>> = vec![Vec::new()];
    let (mut at, mut room_here) = (0, first);
    for word in words(spans) {
        let gap = if at == 0 { 0 } else { word.gap };
        let width = word.width();
        // A word that has room on later lines only, behind a long name, goes there whole.
        let is_later = lines.len() == 1 && width > room_here && width <= room;
        if (at > 0 || is_later) && at + gap + width > room_here {
            lines.push(Vec::new());
            (at, room_here) = (0, room);
        } else if gap > 0 {
            // Between words of one style the space is of it too.
            let style_of = |span: Option<&Span>| span.map(|s| s.style);
            let before = style_of(lines.last().and_then(|line| line.last()));
            let style =
                before.filter(|before| style_of(word.spans.first()) == Some(*before)).unwrap_or_default();
            push(&mut lines, Span::new(style, " ".repeat(gap)));
            at += gap;
        }
        if at + width <= room_here {
            at += width;
            word.spans.into_iter().for_each(|span| push(&mut lines, span));
            continue;
        }
        // A word that has room on no line is broken wherever it must be.
        for span in word.spans {
            let mut rest = Span::new(span.style, "");
            for letter in span.text.chars() {
                let wide = display_width(letter.encode_utf8(&mut [0; 4]));
                if at > 0 && at + wide > room_here {
                    push(&mut lines, std::mem::replace(&mut rest, Span::new(span.style, "")));
                    lines.push(Vec::new());
                    (at, room_here) = (0, room);
                }
                rest.text.push(letter);
                at += wide;
            }
            push(&mut lines, rest);
        }
    }
    for span in lines.iter_mut().flatten() {
        span.text = unglued(&span.text);
    }
    lines
}

fn push(lines: &mut [Vec<Span>], span: Span) {
    let Some(line) = lines.last_mut().filter(|_| !span.text.is_empty()) else { return };
    match line.last_mut().filter(|last| last.style == span.style) {
        Some(last) => last.text.push_str(&span.text),
        None => line.push(span),
    }
}

fn words(spans: &[Span]) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let (mut gap, mut before) = (0, None);
    let mut last: Option<char> = None;
    for span in spans {
        for letter in span.text.chars() {
            if letter == ' ' {
                gap += usize::from(last.is_none_or(|last| !ENDS.contains(last)));
                before = None;
                continue;
            }
            last = Some(letter);
            if before.is_none_or(|before| breaks(before, letter)) {
                words.push(Word { spans: Vec::new(), gap });
                gap = 0;
            }
            if let Some(word) = words.last_mut() {
                word.push(span.style, letter);
            }
            before = Some(letter);
        }
    }
    words
}

/// Whether a line may break between two letters without a space.
fn breaks(before: char, after: char) -> bool {
    let is_held = NO_START.contains(after) || NO_END.contains(before) || before.is_ascii_digit();
    (is_japanese(before) || is_japanese(after)) && !is_held
}

/// Kana, ideographs and wide punctuation. Korean breaks at spaces.
fn is_japanese(letter: char) -> bool {
    matches!(letter, '\u{3000}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wrapped(text: &str, first: usize, room: usize) -> Vec<String> {
        let line = |line: Vec<Span>| line.into_iter().map(|s| s.text).collect();
        lines(&[Span::new(Style::Plain, text)], first, room).into_iter().map(line).collect()
    }

    #[test]
    fn lines_break_at_spaces_and_a_word_only_where_it_has_no_room() {
        assert_eq!(wrapped("one  two three", 8, 5), ["one  two", "three"]);
        assert_eq!(wrapped("a 0-3,8", 6, 6), ["a", "0-3,8"]);
        assert_eq!(wrapped("abcdefgh x", 4, 3), ["abcd", "efg", "h x"]);
        assert_eq!(wrapped("abcdef x", 4, 6), ["", "abcdef", "x"]);
        assert_eq!(wrapped("", 4, 4), [""]);
    }

    #[test]
    fn japanese_breaks_between_letters_and_korean_at_spaces() {
        assert_eq!(wrapped("速度が安定しません。", 9, 9), ["速度が安", "定しませ", "ん。"]);
        assert_eq!(wrapped("速度が（安定）", 8, 8), ["速度が", "（安定）"]);
        assert_eq!(wrapped("3回と12回", 5, 5), ["3回と", "12回"]);
        assert_eq!(wrapped("속도가 안정되지", 9, 9), ["속도가", "안정되지"]);
    }

    #[test]
    fn regression_a_line_began_with_a_comma_or_with_a_small_kana() {
        assert_eq!(wrapped("速度, 安定", 5, 5), ["速度,", "安定"]);
        assert_eq!(wrapped("速度, 安定", 4, 4), ["速", "度,", "安定"]);
        assert_eq!(wrapped("深いキュー", 6, 6), ["深い", "キュー"]);
        assert_eq!(wrapped("読み(例)", 5, 5), ["読み", "(例)"]);
        assert_eq!(wrapped("読み深さ\u{a0}8", 8, 8), ["読み深", "さ 8"]);
    }

    #[test]
    fn no_space_follows_a_full_stop_that_has_its_own_room() {
        assert_eq!(wrapped("安定。 速度", 20, 20), ["安定。速度"]);
        assert_eq!(wrapped("a. b、 c", 20, 20), ["a. b、c"]);
    }

    #[test]
    fn a_style_ends_no_word() {
        let spans = [Span::new(Style::Strong, "ab"), Span::new(Style::Plain, "cd ef")];
        let all = lines(&spans, 4, 4);
        assert_eq!(all[0], [Span::new(Style::Strong, "ab"), Span::new(Style::Plain, "cd")]);
        assert_eq!(all[1], [Span::new(Style::Plain, "ef")]);
    }

    proptest! {
        #[test]
        fn no_line_is_too_wide_and_no_letter_is_lost(text in "[ a-c速度。（안 ]{0,60}", room in 2usize..20) {
            let all = wrapped(&text, room, room);
            prop_assert!(all.iter().all(|line| display_width(line) <= room), "{all:?}");
            let letters = |text: &str| text.chars().filter(|c| *c != ' ').collect::<String>();
            prop_assert_eq!(letters(&all.concat()), letters(&text));
        }
    }
}
