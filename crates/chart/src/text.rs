//! How wide text will be, and text cut to a width. The reader's fonts are not
//! known, so the estimate is that of the widest usual sans serif (DejaVu Sans,
//! Verdana): what fits by it fits in the others too.

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Font {
    pub(crate) size: f64,
    pub(crate) bold: bool,
}

impl Font {
    pub(crate) const fn plain(size: f64) -> Self {
        Self { size, bold: false }
    }

    pub(crate) const fn bold(size: f64) -> Self {
        Self { size, bold: true }
    }

    pub(crate) fn width(self, text: &str) -> f64 {
        // DejaVu Sans Bold is 8 to 13 % wider than the plain face.
        let weight = if self.bold { 1.13 } else { 1.0 };
        text.chars().map(em).sum::<f64>() * self.size * weight
    }

    /// `text`, or what of it fits into `width` with an ellipsis.
    pub(crate) fn fit(self, text: &str, width: f64) -> String {
        if self.width(text) <= width {
            return text.to_owned();
        }
        let room = width - self.width("…");
        if room < 0.0 {
            return String::new();
        }
        let mut used = 0.0;
        let kept: String = text
            .chars()
            .take_while(|c| {
                used += self.width(c.encode_utf8(&mut [0; 4]));
                used <= room
            })
            .collect();
        format!("{}…", kept.trim_end_matches([' ', ',', ':', '·', '、', '：', '；', '（', '(']))
    }

    /// `text` broken at its spaces, or between Chinese and Japanese characters,
    /// into at most `most` lines, the first as wide as `first`, the others as
    /// `rest`; the last is cut.
    pub(crate) fn wrap(self, text: &str, first: f64, rest: f64, most: usize) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        let mut left = text;
        while !left.is_empty() && lines.len() < most {
            let width = if lines.is_empty() { first } else { rest };
            let at = breaks(left).take_while(|at| self.width(&left[..*at]) <= width).last();
            let at = if lines.len() + 1 == most || self.width(left) <= width { None } else { at };
            let (line, after) = left.split_at(at.unwrap_or(left.len()));
            lines.push(self.fit(line, width));
            left = after.trim_start();
        }
        lines
    }
}

/// Where a line may end: before a space, and beside a character of Chinese or
/// Japanese writing (Unicode Standard Annex 14, class ID), but not before what
/// closes or prolongs (CL, CP, EX, NS, CJ, IN, IS, PO) nor after what opens
/// (OP). Hangul is broken at spaces only, as Korean is set today.
fn breaks(text: &str) -> impl Iterator<Item = usize> {
    let pairs = text.char_indices().zip(text.chars().skip(1));
    let first = text.starts_with(' ').then_some(0);
    first.into_iter().chain(pairs.filter_map(|((at, before), after)| {
        let free = (is_ideographic(before) || is_ideographic(after))
            && before != ' '
            && !opens(before)
            && !holds_on(after);
        (after == ' ' || free).then_some(at + before.len_utf8())
    }))
}

/// Whether lines may be broken on both sides of a character: kana, ideographs
/// and the marks written with them.
fn is_ideographic(c: char) -> bool {
    matches!(c,
        '\u{3000}'..='\u{312f}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}')
}

/// Whether a line must not end behind it.
fn opens(c: char) -> bool {
    "([{“‘（［｛「『【〔〈《｟｢".contains(c)
}

/// Whether a line must not begin with it.
fn holds_on(c: char) -> bool {
    matches!(c,
        // What closes, ends or divides.
        ',' | '.' | ':' | ';' | '!' | '?' | ')' | ']' | '}' | '%' | '”' | '’' | '…' | '‥'
        | '、' | '。' | '，' | '．' | '：' | '；' | '！' | '？' | '・' | '％' | '）' | '］' | '｝' | '」' | '』' | '】' | '〕'
        | '〉' | '》' | '｠' | '｡' | '｣' | '､' | '･' | '～' | '〜'
        // What prolongs, repeats or is small.
        | 'ー' | 'ｰ' | '々' | '〻' | 'ゝ' | 'ゞ' | 'ヽ' | 'ヾ' | '゛' | '゜' | 'ﾞ' | 'ﾟ'
        | 'ぁ' | 'ぃ' | 'ぅ' | 'ぇ' | 'ぉ' | 'っ' | 'ゃ' | 'ゅ' | 'ょ' | 'ゎ' | 'ゕ' | 'ゖ'
        | 'ァ' | 'ィ' | 'ゥ' | 'ェ' | 'ォ' | 'ッ' | 'ャ' | 'ュ' | 'ョ' | 'ヮ' | 'ヵ' | 'ヶ'
        | '\u{31f0}'..='\u{31ff}' | '\u{ff67}'..='\u{ff6f}')
}

/// The advance width of a character in em, from DejaVu Sans, rounded up. An
/// East Asian wide character is two halves of an em (Unicode Standard Annex
/// 11); so is, to be safe, all that is not Latin.
fn em(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '\'' | 'I' | 'J' => 0.30,
        ' ' | '.' | ',' | ':' | ';' | '|' | '/' | '\\' | '·' => 0.34,
        '-' | '(' | ')' | '[' | ']' | 'f' | 't' | '!' => 0.41,
        'r' | '"' => 0.47,
        '*' | '_' | '–' | 's' | 'z' | 'c' => 0.56,
        'm' | '%' => 0.98,
        'w' | '×' | '→' | '+' | '=' | '<' | '>' | '~' | '#' | '^' => 0.84,
        'M' => 0.87,
        'W' | '@' | '…' => 1.0,
        'O' | 'Q' | 'G' | 'D' | 'N' | 'H' | 'U' | '&' => 0.79,
        'a'..='z' | '0'..='9' | '$' | '{' | '}' | '?' | '`' => 0.64,
        'A'..='Z' => 0.73,
        '\u{a1}'..='\u{24f}' => 0.82,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FONT: Font = Font::plain(10.0);

    #[test]
    fn a_wide_character_counts_two_halves() {
        assert!((FONT.width("삼성") - 20.0).abs() < 1e-9);
        assert!((FONT.width("日本") - 20.0).abs() < 1e-9);
    }

    #[test]
    fn text_that_is_cut_is_no_wider_than_asked() {
        for text in ["Samsung SSD 860 PRO 256GB", "삼성전자 솔리드 스테이트 드라이브", "WWWWWWWWWWWW"]
        {
            for width in [0.0, 5.0, 12.0, 40.0, 77.7] {
                let cut = FONT.fit(text, width);
                assert!(FONT.width(&cut) <= width, "{cut:?} in {width}");
            }
        }
        assert_eq!(FONT.fit("abc", 100.0), "abc");
    }

    #[test]
    fn text_is_broken_at_spaces_and_only_the_last_line_is_cut() {
        let lines = FONT.wrap("one two three four", 50.0, 50.0, 3);
        assert_eq!(lines, ["one two", "three", "four"]);
        assert_eq!(FONT.wrap("one two three four", 50.0, 50.0, 2), ["one two", "three f…"]);
        assert_eq!(FONT.wrap("unbreakable", 30.0, 30.0, 2), ["unb…"]);
        assert!(FONT.wrap("", 30.0, 30.0, 2).is_empty());
    }

    #[test]
    fn japanese_is_broken_between_characters() {
        let wrap = |text: &str, width: f64| FONT.wrap(text, width, width, 9);
        assert_eq!(wrap("仮想ディスク装置", 40.0), ["仮想ディ", "スク装置"]);
        assert_eq!(wrap("DDR4メモリ", 35.0), ["DDR4", "メモリ"]);
        assert_eq!(wrap("4 コア 8 スレッド", 50.0), ["4 コア 8", "スレッド"]);
    }

    #[test]
    fn a_line_neither_begins_with_what_closes_nor_ends_with_what_opens() {
        let wrap = |text: &str, width: f64| FONT.wrap(text, width, width, 9);
        assert_eq!(wrap("実効速度、毎秒", 40.0), ["実効速", "度、毎秒"]);
        assert_eq!(wrap("一二三「四五」", 40.0), ["一二三", "「四五」"]);
        assert_eq!(wrap("一二三（四）。", 40.0), ["一二三", "（四）。"]);
        assert_eq!(wrap("一二（三四）。", 40.0), ["一二（三", "四）。"]);
        assert_eq!(wrap("サーバー", 30.0), ["サー", "バー"]);
        assert_eq!(wrap("一二三ッキー", 30.0), ["一二", "三ッ", "キー"]);
        assert_eq!(wrap("使用率95%です", 50.0), ["使用率", "95%です"]);
    }

    #[test]
    fn korean_is_broken_at_spaces() {
        assert_eq!(FONT.wrap("가상 디스크 장치", 50.0, 50.0, 3), ["가상", "디스크", "장치"]);
    }

    #[test]
    fn what_is_cut_does_not_end_in_a_comma() {
        assert_eq!(FONT.fit("実効速度、毎秒", 60.0), "実効速度…");
        assert_eq!(FONT.fit("ab, cdefgh", 30.0), "ab…");
    }
}
