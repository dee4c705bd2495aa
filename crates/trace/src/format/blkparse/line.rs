//! The line of an event (`process_default` in `blkparse_fmt.c`).

use crate::event::{Action, BlockEvent, Device};
use crate::format::blktrace::raw::{self, RawTrace};

/// The letter of an action.
const fn letter(action: Action) -> char {
    match action {
        Action::Queue => 'Q',
        Action::GetRequest => 'G',
        // blktrace's binary has one action for both.
        Action::BackMerge | Action::RequestMerge => 'M',
        Action::FrontMerge => 'F',
        Action::Insert => 'I',
        Action::Issue => 'D',
        Action::Complete => 'C',
        Action::Requeue => 'R',
        Action::Remap { .. } => 'A',
        Action::Split { .. } => 'X',
        Action::Plug => 'P',
        Action::Unplug { .. } => 'U',
    }
}

/// Puts the line behind `out`; `raw` has the time since the first event.
pub(super) fn put(out: &mut Vec<u8>, event: &BlockEvent, raw: &RawTrace) {
    let Device { major, minor } = Device::from_kernel(raw.device);
    let (seconds, rest) = (raw.time_ns / 1_000_000_000, raw.time_ns % 1_000_000_000);
    let RawTrace { cpu, sequence, pid, .. } = raw;
    let (letter, letters) = (letter(event.action), raw::letters(raw));
    let place = format!("{major:>3},{minor:<3} {cpu:>2} {sequence:>8} {seconds:>5}.{rest:09}");
    text(out, &format!("{place} {pid:>5} {letter:>2} {letters:>3} "));
    let (sector, sectors) = (raw.sector, raw.bytes >> 9);
    let extent = match sectors {
        0 => String::new(),
        _ => format!("{sector} + {sectors} "),
    };
    let is_command = raw::is_command(event);
    match event.action {
        Action::Complete | Action::Requeue if is_command => text(out, &format!("[{}]", raw.error)),
        Action::Insert | Action::Issue if is_command => {
            text(out, &format!("{} ", raw.bytes));
            name(out, event);
        }
        Action::Complete | Action::Requeue if sectors > 0 => text(out, &format!("{extent}[{}]", raw.error)),
        Action::Complete | Action::Requeue => text(out, &format!("{sector} [{}]", raw.error)),
        Action::Remap { from, from_sector } => {
            let Device { major, minor } = from;
            text(out, &format!("{sector} + {sectors} <- ({major},{minor}) {from_sector}"));
        }
        Action::Split { new_sector } => {
            text(out, &format!("{sector} / {new_sector} "));
            name(out, event);
        }
        Action::Plug => name(out, event),
        Action::Unplug { requests } => {
            name(out, event);
            text(out, &format!(" {requests}"));
        }
        Action::Queue
        | Action::GetRequest
        | Action::BackMerge
        | Action::FrontMerge
        | Action::RequestMerge
        | Action::Insert
        | Action::Issue => {
            text(out, &extent);
            name(out, event);
        }
    }
    out.push(b'\n');
}

fn text(out: &mut Vec<u8>, text: &str) {
    out.extend(text.as_bytes());
}

/// The name of the thread, as blkparse shows it where nobody noted one.
fn name(out: &mut Vec<u8>, event: &BlockEvent) {
    out.push(b'[');
    match event.task.bytes() {
        [] => out.extend(b"(null)"),
        name => out.extend(name),
    }
    out.push(b']');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{BlockOperation, Flags, IoDirection, TaskName};
    use crate::format::blktrace::raw::raw_of;

    fn line(action: Action, bytes: u64, direction: IoDirection, sync: bool) -> String {
        let mut task = TaskName::default();
        task.0[..2].copy_from_slice(b"dd");
        let event = BlockEvent {
            time_ns: 1_000_000_021,
            cpu: 1,
            action,
            device: Some(Device { major: 254, minor: 0 }),
            sector: 2048,
            bytes,
            operation: BlockOperation { direction, flags: Flags { sync, ..Flags::default() } },
            thread: 331,
            task,
            error: if action == Action::Complete { 5 } else { 0 },
        };
        let mut out = Vec::new();
        put(&mut out, &event, &raw_of(&event, Device { major: 254, minor: 0 }, 7));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn lines_have_blkparses_columns() {
        let head = "254,0    1        7     1.000000021   331 ";
        let remap = Action::Remap { from: Device { major: 254, minor: 1 }, from_sector: 0 };
        let cases = [
            (Action::Queue, 4096, IoDirection::Write, true, " Q  WS 2048 + 8 [dd]\n"),
            (Action::Queue, 0, IoDirection::Flush, false, " Q  FN [dd]\n"),
            (Action::GetRequest, 512, IoDirection::Read, false, " G   R 2048 + 1 [dd]\n"),
            (Action::RequestMerge, 512, IoDirection::Read, false, " M   R 2048 + 1 [dd]\n"),
            (Action::Plug, 0, IoDirection::None, false, " P   N [dd]\n"),
            (Action::Unplug { requests: 3 }, 0, IoDirection::None, false, " U   N [dd] 3\n"),
            (Action::Complete, 4096, IoDirection::Write, true, " C  WS 2048 + 8 [65531]\n"),
            (Action::Complete, 0, IoDirection::Write, false, " C   W 2048 [65531]\n"),
            (Action::Requeue, 4096, IoDirection::Discard, false, " R   D 2048 + 8 [0]\n"),
            (Action::Issue, 36, IoDirection::None, false, " D   R 36 [dd]\n"),
            (Action::Complete, 36, IoDirection::None, false, " C   R [65531]\n"),
            (remap, 4096, IoDirection::Read, false, " A   R 2048 + 8 <- (254,1) 0\n"),
            (
                Action::Split { new_sector: 1 << 33 },
                4096,
                IoDirection::Read,
                false,
                " X   R 2048 / 8589934592 [dd]\n",
            ),
        ];
        for (action, bytes, direction, sync, rest) in cases {
            assert_eq!(line(action, bytes, direction, sync), format!("{head}{rest}"), "{action:?}");
        }
    }
}
