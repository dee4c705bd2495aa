//! The screen as text, at several sizes and in all languages.

use language::{LANGUAGES, Language};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;

use super::*;
use crate::situation::tests::{Fake, book, situation};

fn process(pid: u32, name: &str, cpu_s: f64) -> ProcessUse {
    ProcessUse { pid, name: name.to_owned(), own: false, kernel: false, cpu_s, watched_s: 1.0 }
}

fn drawn(size: (u16, u16), language: Language, choices: ScreenChoices) -> Buffer {
    let readings = Fake::default().cpu(1.97).disk("sda", 4_000.0, 0.0, 4096.0, 0.001);
    let mut found = situation(&readings, &book(&[(4096.0, 10_000.0)]), &[]);
    found.processes = vec![process(70, "zz", 0.9), process(80, "aa\u{1b}[2J", 0.5)];
    found.own_cpu = Some(0.004);
    found.pressure = vec![("cpu", 0.5, 0.0), ("io", 0.25, 0.1)];
    let verdicts = ["all 2 CPUs are busy".to_owned()];
    let shown = Shown { words: language.words(), situation: &found, verdicts: &verdicts, choices };
    let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
    terminal.draw(|frame| shown.draw(frame)).unwrap();
    terminal.backend().buffer().clone()
}

fn lines(buffer: &Buffer) -> Vec<String> {
    let of = |y| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..buffer.area.height).map(|y| of(y).trim_end().to_owned()).collect()
}

#[test]
fn all_is_on_a_screen_of_80_columns_and_24_lines() {
    let choices = ScreenChoices { selected: 1, ..ScreenChoices::default() };
    let text = lines(&drawn((80, 24), Language::English, choices));
    assert_eq!(text[0], "all CPUs: full, with 98 % of all 2");
    assert_eq!(text[2], "Verdict: all 2 CPUs are busy");
    let row = |name: &str| {
        text.iter().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{name}: {text:?}"))
    };
    assert!(row("1.97 of 2 busy").starts_with(" !all CPUs"), "{text:?}");
    assert!(row("read 4 k/s, 16.4 MB/s").starts_with("> disk sda                 40 %"), "{text:?}");
    // What the chosen one does, and its limit, stand below in full.
    let below = text.iter().position(|line| line.starts_with("disk sda: read 4 k/s")).unwrap();
    let told = text[below..below + 3].join(" ");
    assert!(told.contains("10 k/s (measured 28 d 0 h ago") && told.contains("4 KiB random"), "{text:?}");
    assert!(row("zz 70").ends_with("90 %"));
    assert_eq!(text[22], "Tasks waited: CPU 50 %, memory 0 %, disks 25 %; Watching takes 0.4 % of a CPU");
    assert!(text[23].starts_with("q quit"), "{text:?}");
    assert!(!text.iter().any(|line| line.contains('\u{1b}')));
}

#[test]
fn it_is_drawn_at_any_size_and_in_every_language() {
    for size in [(1, 1), (39, 24), (80, 7), (40, 8), (80, 24), (200, 60), (300, 9)] {
        for language in LANGUAGES {
            let text = lines(&drawn(size, *language, ScreenChoices::default()));
            assert!(text.iter().any(|line| !line.is_empty()), "{size:?} {language:?}");
        }
    }
}

/// Where there is little room a long first line has what it needs, and the keys are told whole.
#[test]
fn a_tiny_screen_has_the_whole_first_line_and_whole_keys() {
    let readings = Fake::default().disk("sda", 3_000.0, 1_000.0, 8_192.0, 0.002);
    let found = situation(&readings, &book(&[(4096.0, 10_000.0), (65_536.0, 2_000.0)]), &[]);
    for language in LANGUAGES {
        let words = language.words();
        let shown = Shown { words, situation: &found, verdicts: &[], choices: ScreenChoices::default() };
        let mut terminal = Terminal::new(TestBackend::new(40, 10)).unwrap();
        terminal.draw(|frame| shown.draw(frame)).unwrap();
        let text = lines(terminal.backend().buffer());
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        // Cells behind wide letters are blank.
        let drawn = bare(&text.join(" "));
        assert!(drawn.starts_with(&bare(&first_line(words, &found))), "{text:#?}");
        assert!(bare(&text[9]) == bare(&words.say("watch-keys-short")), "{text:#?}");
    }
}

#[test]
fn colours_stress_what_marks_say_and_can_be_left_out() {
    let coloured = |has_colour| {
        let buffer =
            drawn((80, 24), Language::English, ScreenChoices { has_colour, ..ScreenChoices::default() });
        buffer.content().iter().filter(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset).count()
    };
    assert_eq!(coloured(false), 0);
    assert!(coloured(true) > 10);
}

#[test]
fn processes_can_be_sorted_and_a_pause_is_told() {
    let order = ProcessOrder::Cpu.next();
    let choices = ScreenChoices { order, is_paused: true, ..ScreenChoices::default() };
    let text = lines(&drawn((80, 24), Language::English, choices));
    let place = |name: &str| text.iter().position(|line| line.contains(name)).unwrap();
    assert!(place("aa[2J 80") < place("zz 70"));
    assert!(text[23].starts_with("PAUSED"), "{text:?}");
    assert_eq!(order.next().next(), ProcessOrder::Cpu);
}
