//! What another tool printed, given to every importer as if it were its own: a paste gives an importer only what begins
//! like its tool. A command line may stand above it. Importers are asked for less than one line, too.
#![cfg_attr(feature = "libfuzzer", no_main)]

use import::tool::{CommandLine, ToolBlock, ToolLine, readers};
use libfuzzer_sys::fuzz_target;
use model::tool_result::ToolRemedy;

headroom_fuzz::main_without_libfuzzer!();

/// So many beginnings of a text are looked at for its end.
const BEGINNINGS: usize = 64;

const REMEDIES: &[ToolRemedy] = &[
    ToolRemedy::Repeat(5),
    ToolRemedy::BypassPageCache,
    ToolRemedy::SyncAtEnd,
    ToolRemedy::RunFor(60),
    ToolRemedy::SpanBeyondMemory,
    ToolRemedy::RandomContent,
    ToolRemedy::MeasureReceiver,
    ToolRemedy::WarmUp(5),
];

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let line = |(number, text): (u64, &str)| ToolLine { number, text: text.trim_end().to_owned() };
    let all: Vec<ToolLine> = (1..).zip(text.lines()).map(line).collect();
    for reader in readers() {
        let command = all.first().and_then(|line| CommandLine::of(line, reader.programs()));
        let lines = all.get(usize::from(command.is_some())..).unwrap_or_default();
        for line in lines.iter().take(BEGINNINGS) {
            let _ = reader.begins(line);
        }
        for end in 0..=lines.len().min(BEGINNINGS) {
            let _ = reader.extent(&lines[..end]);
        }
        let _ = reader.knows_json(&text);
        if lines.is_empty() {
            continue;
        }
        let Ok(results) = reader.read(&ToolBlock { lines, command: command.as_ref() }) else { continue };
        let last = lines.last().map_or(0, |line| line.number);
        for result in &results {
            let range = &result.lines;
            assert!(range.first <= range.last && range.last <= last, "{}: {result:?}", reader.name());
            for (_, measured) in result.measurements() {
                for figure in &measured.figures {
                    let printed = &figure.printed;
                    assert!(printed.value.is_finite(), "{}: {printed:?}", reader.name());
                    assert!(printed.line <= last, "{}: {printed:?}", reader.name());
                }
            }
            let _ = reader.corrected(result, REMEDIES);
        }
    }
});
