//! Texts with several outputs, prompts and prose between them.

use model::ToolOutput;
use model::tool_result::UnreadCause;

fn read(text: &str) -> ToolOutput {
    crate::tool::read("x", text.as_bytes()).unwrap()
}

/// The tool, first and last line of each result.
fn found(output: &ToolOutput) -> Vec<(&str, u64, u64)> {
    output.results.iter().map(|r| (r.tool.as_str(), r.lines.first, r.lines.last)).collect()
}

/// Cause, first and last line of what was not understood.
fn unread(output: &ToolOutput) -> Vec<(UnreadCause, u64, u64)> {
    output.unread.iter().map(|u| (u.cause, u.lines.first, u.lines.last)).collect()
}

const DD: &str =
    "64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, 0.04 s, 1.7 GB/s\n";

#[test]
fn outputs_are_found_between_prose_and_each_knows_its_command() {
    let text = format!(
        "I measured it:\nand here is what came:\n\nme@host:~$ dd if=/dev/zero \\\n  of=x bs=1M count=64\n{DD}{DD}\
         그리고 다시\n$ ls\n{DD}"
    );
    let output = read(&text);
    assert_eq!(found(&output), [("dd", 6, 8), ("dd", 9, 11), ("dd", 14, 16)]);
    assert_eq!(unread(&output), [(UnreadCause::NoTool, 1, 2), (UnreadCause::NoTool, 12, 12)]);
    let commands: Vec<String> = output.results.iter().map(|r| r.command.join(" ")).collect();
    let command = "dd if=/dev/zero of=x bs=1M count=64";
    assert_eq!(commands, [command, command, ""]);
    assert_eq!(output.lines, 16);
}

#[test]
fn a_prompt_or_a_fence_is_no_line_that_was_not_understood() {
    let output = read(&format!("me@host:~$ dd if=/dev/zero of=x bs=1M count=64\n{DD}me@host:~$\n"));
    assert_eq!((found(&output), output.unread.len()), (vec![("dd", 2, 4)], 0));
    let output = read(&format!("```bash\n{DD}```\n"));
    assert_eq!((found(&output), output.unread.len()), (vec![("dd", 2, 4)], 0));
}

#[test]
fn what_is_cut_or_of_nobody_is_told_as_such() {
    let output = read("{\"fio version\" : \"fio-3.33\",\n\"jobs\" : [\n");
    assert_eq!(unread(&output), [(UnreadCause::CutShort, 1, 2)]);
    assert_eq!(output.unread[0].tool.as_deref(), Some("fio"));
    let output = read("{\"a\": 1}\n{\"b\":\n 2}\n");
    assert_eq!(unread(&output), [(UnreadCause::NoTool, 1, 3)]);
    let output = read("64+0 records in\nsomething else\n");
    assert_eq!(unread(&output), [(UnreadCause::CutShort, 1, 1), (UnreadCause::NoTool, 2, 2)]);
    let output = read(&format!("```\n{DD}```\n"));
    assert_eq!(
        (found(&output), output.unread.len()),
        (vec![("dd", 2, 4)], 0),
        "fences are nothing to tell of"
    );
    let output = read("");
    assert_eq!((output.lines, output.results.len(), output.unread.len()), (0, 0, 0));
}

#[test]
fn a_command_ends_a_json_text_that_was_cut() {
    let text = format!("{{\"fio version\" : \"fio-3.33\",\n$ dd if=a of=/dev/null bs=1M\n{DD}");
    let output = read(&text);
    assert_eq!(found(&output), [("dd", 3, 5)]);
    assert_eq!(unread(&output), [(UnreadCause::CutShort, 1, 1)]);
    let text = format!("{{\"fio version\" : \"fio-3.33\",\n[root@h ~]# dd if=a of=/dev/null bs=1M\n{DD}");
    let output = read(&text);
    assert_eq!(found(&output), [("dd", 3, 5)]);
    assert_eq!(output.results[0].command.first().map(String::as_str), Some("dd"));
}

#[test]
fn what_is_not_understood_is_listed_in_bounded_room() {
    let text = "prose\n64+0 records in\n".repeat(5000);
    let output = read(&text);
    assert_eq!(output.unread.len(), super::UNREAD_MAX);
    assert_eq!(output.unread.last().map(|u| u.lines.last), Some(10_000));
}

/// The same with less room.
fn read_within(limits: super::PasteLimits, text: &str) -> ToolOutput {
    super::read_within(limits, "x", text.as_bytes(), &super::READERS).unwrap()
}

const HEADING: &str = " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n";

/// A row of vmstat.
const ROW: &str = " 1  0      0 7000000 100000 900000    0    0     5    10  100  200  1  1 98  0  0\n";

#[test]
fn of_an_output_without_end_the_beginning_is_read_and_the_rest_is_told() {
    let limits = super::PasteLimits { block_bytes: 10 * ROW.len(), ..super::LIMITS };
    let output = read_within(limits, &format!("{HEADING}{}$ dd if=a of=b\n{DD}", ROW.repeat(20)));
    assert_eq!(found(&output), [("vmstat", 1, 10), ("dd", 23, 25)]);
    assert_eq!(unread(&output), [(UnreadCause::TooLong, 11, 21)]);
    assert_eq!(output.unread[0].tool.as_deref(), Some("vmstat"));
}

#[test]
fn of_very_many_results_the_first_are_kept_and_the_rest_is_told() {
    let limits = super::PasteLimits { results: 3, ..super::LIMITS };
    let output = read_within(limits, &format!("prose\n{}", DD.repeat(5)));
    assert_eq!(found(&output), [("dd", 2, 4), ("dd", 5, 7), ("dd", 8, 10)]);
    assert_eq!(unread(&output), [(UnreadCause::NoTool, 1, 1), (UnreadCause::TooMany, 11, 16)]);
    assert_eq!(output.lines, 16);
    // The first is kept, however many figures it has.
    let limits = super::PasteLimits { figures: 0, ..super::LIMITS };
    let output = read_within(limits, &DD.repeat(2));
    assert_eq!((found(&output), unread(&output)), (vec![("dd", 1, 3)], vec![(UnreadCause::TooMany, 4, 6)]));
}

#[test]
fn regression_empty_lines_of_an_output_without_end_took_unbounded_memory() {
    let limits = super::PasteLimits { block_bytes: 10 * super::room::LINE_BYTES_MIN, ..super::LIMITS };
    let empty = "\n".repeat(40);
    let end = "tps = 4.0 (without initial connection time)\n";
    let text = |empty: &str| format!("transaction type: <builtin: select only>\n{empty}{end}");
    assert_eq!(found(&read_within(limits, &text("\n"))), [("pgbench", 1, 3)]);
    let output = read_within(limits, &text(&empty));
    // The last line is one of a report of its own, whose beginning is lost.
    assert_eq!(found(&output), [("pgbench", 42, 42)]);
    assert_eq!(unread(&output)[0].0, UnreadCause::TooLong);
}

#[test]
fn regression_a_command_that_goes_on_without_end_took_unbounded_memory() {
    let limits = super::PasteLimits { block_bytes: 200, ..super::LIMITS };
    let output = read_within(limits, &format!("$ dd \\\n{}{DD}", "x \\\n".repeat(100)));
    assert_eq!(found(&output), [("dd", 102, 104)]);
    assert!(output.results[0].command.is_empty(), "{:?}", output.results[0].command);
}

#[test]
fn of_many_results_of_a_long_command_the_first_are_kept_and_the_rest_is_told() {
    let limits = super::PasteLimits { command_bytes: 100, ..super::LIMITS };
    let output = read_within(limits, &format!("$ dd if=a of=b bs=1M\n{}", DD.repeat(3)));
    assert_eq!(found(&output), [("dd", 2, 4)]);
    assert_eq!(unread(&output), [(UnreadCause::TooMany, 5, 10)]);
}

/// Each line with what `before` makes of it in front.
fn decorated(text: &str, before: impl Fn(usize) -> String) -> String {
    let lines = text.lines().enumerate().map(|(at, line)| format!("{}{line}", before(at)));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn outputs_are_found_behind_what_mails_and_logs_put_before_each_line() {
    let text = format!("$ dd if=/dev/zero of=x bs=1M count=64\n{DD}");
    let forms: [fn(usize) -> String; 10] = [
        |_| "> ".to_owned(),
        |_| "> > ".to_owned(),
        |_| "    ".to_owned(),
        |_| "bench-1  | ".to_owned(),
        |at| format!("2026-11-27T22:19:0{at}.123456Z "),
        |at| format!("2026-11-27T22:19:0{at}.123456789Z stdout F "),
        |at| format!("Nov 27 22:19:0{at} host bench[1234]: "),
        |at| format!("[2026-11-27 22:19:0{at}] [INFO] "),
        |at| format!("{:4}  ", at + 1),
        |at| format!("results/a.txt:{}:", at + 1),
    ];
    for form in forms {
        let output = read(&decorated(&text, form));
        assert_eq!(found(&output), [("dd", 2, 4)], "{}", form(1));
        let command = output.results[0].command.join(" ");
        assert_eq!(command, "dd if=/dev/zero of=x bs=1M count=64", "{}", form(1));
        assert!(output.unread.is_empty(), "{}", form(1));
    }
}

#[test]
fn a_quotation_between_words_is_read_and_the_words_are_not() {
    let quoted = decorated(DD, |_| "> ".to_owned());
    let output = read(&format!("He wrote:\n{quoted}\nThat is much.\n{quoted}\n\n{DD}"));
    assert_eq!(found(&output), [("dd", 2, 4), ("dd", 6, 8), ("dd", 10, 12)]);
    assert_eq!(unread(&output), [(UnreadCause::NoTool, 1, 1), (UnreadCause::NoTool, 5, 5)]);
}

#[test]
fn pages_and_lists_of_strings_are_read_as_what_they_show() {
    let escaped = DD.replace(' ', "&nbsp;");
    let output = read(&format!("<pre><code>$ dd if=a of=b bs=1M &gt;&amp;2\n{escaped}</code></pre>\n"));
    assert_eq!(found(&output), [("dd", 2, 4)]);
    let strings: Vec<String> = DD.lines().map(|line| format!("        \"{line}\"")).collect();
    let output = read(&format!("ok: [host] => {{\n    \"msg\": [\n{}\n    ]\n}}\n", strings.join(",\n")));
    assert_eq!(found(&output), [("dd", 3, 5)]);
}
