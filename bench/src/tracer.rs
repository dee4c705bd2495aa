//! Who traces a load: `headroom trace` of a device, or trace-cmd with the same events, filters and
//! buffers. Either is asked to end once the load is over, so that it sees all of it.

use std::path::Path;

use serde_json::Value;

use crate::background::Background;
use crate::context::BenchContext;
use crate::trace_cmd::TraceCmd;
use crate::trace_counts::{BUFFER_MIB, TraceCounts, seconds_most};
use xtask::Error;

/// Who it is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tracer {
    Headroom,
    TraceCmd,
}

impl Tracer {
    /// What `load` gives while the device that `path` means is traced, and what the tracer counted.
    pub(crate) fn around<T>(
        self,
        context: &BenchContext,
        path: &Path,
        load: impl FnOnce() -> Result<T, Error>,
    ) -> Result<(T, TraceCounts), Error> {
        match self {
            Self::Headroom => {
                let trace = begin(context, path)?;
                let given = load()?;
                Ok((given, counts(&trace.end(context)?)?))
            }
            Self::TraceCmd => {
                let trace = TraceCmd::begin(context, path)?;
                let given = load()?;
                Ok((given, trace.end(context)?))
            }
        }
    }
}

fn begin(context: &BenchContext, path: &Path) -> Result<Background, Error> {
    let (program, path) = (context.program().to_string_lossy(), path.to_string_lossy());
    let (buffer, most) = (format!("{BUFFER_MIB}MiB"), format!("{}s", seconds_most(context)));
    let words = ["trace", &*path, "--json", "--buffer", &buffer, "--duration", &most];
    let mut trace = Background::start(context, &program, &words)?;
    // It says so once the kernel does.
    trace.await_begun(context, |trace| trace.messages().contains("Tracing "))?;
    Ok(trace)
}

/// Out of the figures of a trace.
fn counts(document: &str) -> Result<TraceCounts, Error> {
    let unusable = |why: String| Error::Bench(format!("the trace of headroom {why}"));
    let document: Value =
        serde_json::from_str(document).map_err(|e| unusable(format!("is not JSON: {e}")))?;
    let capture = &document["capture"];
    let count = |name: &str| capture[name].as_u64().ok_or_else(|| unusable(format!("has no count `{name}`")));
    let counts = TraceCounts { read: count("events_read")?, lost: count("events_lost")? };
    if counts.lost == 0 && capture["is_accounted_for"] != true {
        return Err(unusable("has lost nothing, and yet its counts are not the kernel's".to_owned()));
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_from_the_figures_of_a_trace() {
        let document = |lost: u64, is_accounted_for: bool| {
            format!(
                r#"{{"schema": "headroom.trace/1", "block_events": 1511, "capture": {{"began_ns": 1, "cpus": 2,
                "events_lost": {lost}, "events_read": 1938, "is_accounted_for": {is_accounted_for}}}}}"#
            )
        };
        assert_eq!(counts(&document(0, true)).unwrap(), TraceCounts { read: 1938, lost: 0 });
        assert_eq!(counts(&document(7, false)).unwrap().lost, 7);
        let error = counts(&document(0, false)).unwrap_err().to_string();
        assert!(error.ends_with("its counts are not the kernel's"), "{error}");
        let error = counts(r#"{"capture": {"events_read": 1}}"#).unwrap_err().to_string();
        assert_eq!(error, "the trace of headroom has no count `events_lost`");
        counts("Segmentation fault").unwrap_err();
    }
}
