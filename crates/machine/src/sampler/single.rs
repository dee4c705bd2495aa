//! Files of sysfs that hold one number each.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use crate::Host;
use crate::sampler::{ABSENT, Pace, Sampler, SamplerColumn, reader};

/// What reading all files of one kind may take. Some sensors sit behind slow
/// buses, and kernels before 5.18 sleep 10 ms for the frequency of each CPU
/// (`arch_freq_get_on_cpu`); what does not fit in is left out.
const PATIENCE: Duration = Duration::from_millis(20);

/// A file that holds one number.
#[derive(Debug)]
pub(super) enum NumberFile {
    Open(File),
    /// Out of a recording.
    Recorded(Option<i64>),
}

impl NumberFile {
    pub(super) fn open(host: &Host, path: &str) -> Option<Self> {
        if let Some(file) = host.file(path) {
            return Some(Self::Open(file));
        }
        let text = host.text(path).filter(|_| !host.is_this())?;
        Some(Self::Recorded(parse(text.as_bytes())))
    }

    /// The number now; none if there is none.
    pub(super) fn read(&self) -> Option<i64> {
        match self {
            // sysfs hands out its short files whole.
            Self::Open(file) => {
                let mut bytes = [0; 32];
                let length = file.read_at(&mut bytes, 0).ok()?;
                parse(&bytes[..length])
            }
            Self::Recorded(number) => *number,
        }
    }
}

fn parse(bytes: &[u8]) -> Option<i64> {
    std::str::from_utf8(bytes).ok()?.trim().parse().ok()
}

/// Those of the files that are there and hold a number, as many as can be read in the time that
/// there is; read once a second.
pub(super) fn open(
    host: &Host,
    source: &str,
    wanted: impl IntoIterator<Item = (String, SamplerColumn)>,
) -> Vec<Box<dyn Sampler>> {
    let (mut columns, mut files) = (Vec::new(), Vec::new());
    let (mut taken, mut wasted) = (Duration::ZERO, Duration::ZERO);
    for (path, column) in wanted {
        let Some(file) = NumberFile::open(host, &path) else { continue };
        let begin = Instant::now();
        let number = file.read();
        let took = begin.elapsed();
        if taken + took > PATIENCE {
            wasted += took;
            if wasted > PATIENCE {
                break;
            }
        } else if number.is_some() {
            taken += took;
            files.push((file, column.bias));
            columns.push(column);
        }
    }
    reader(source, Pace::Slow, columns, move |values| {
        for (value, (file, bias)) in values.iter_mut().zip(&mut files) {
            let begin = Instant::now();
            let number = file.read();
            // One that became slow would hold up all others at every look.
            if begin.elapsed() > PATIENCE {
                *file = NumberFile::Recorded(None);
            }
            let raw = number.and_then(|n| i128::from(n).checked_add(i128::from(*bias)));
            *value = raw.and_then(|raw| u64::try_from(raw).ok()).unwrap_or(ABSENT);
        }
    })
}
