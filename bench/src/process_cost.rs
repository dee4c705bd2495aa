//! What a program costs, seen from outside: how long it ran, what CPU it took, user and kernel
//! together (getrusage(2), `RUSAGE_CHILDREN`: children that were waited for, with theirs, in
//! microseconds), and the most memory that it had.

use std::io;
use std::time::Instant;

use crate::context::BenchContext;
use xtask::Error;

/// One run of a program.
#[derive(Debug)]
pub(crate) struct ProcessCost {
    /// What it printed on its standard output.
    pub(crate) text: String,
    pub(crate) wall_s: f64,
    pub(crate) cpu_s: f64,
    /// The most memory that it had resident, in bytes, as [`BenchContext::output_and_memory`] sees it.
    pub(crate) resident_bytes: u64,
}

impl ProcessCost {
    /// Runs it on one CPU or on all. No other child may be waited for meanwhile.
    pub(crate) fn of(
        context: &BenchContext,
        cpu: Option<u32>,
        program: &str,
        arguments: &[&str],
    ) -> Result<Self, Error> {
        let (before_s, began) = (children_cpu_s()?, Instant::now());
        let (text, resident_bytes) = context.output_and_memory(cpu, program, arguments)?;
        let wall_s = began.elapsed().as_secs_f64();
        Ok(Self { text, wall_s, cpu_s: children_cpu_s()? - before_s, resident_bytes })
    }
}

/// CPU seconds of all children that were waited for until now.
fn children_cpu_s() -> Result<f64, Error> {
    // SAFETY: a `rusage` is numbers, for which zero is a valid value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a whole `rusage`, which the call fills.
    let done = unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    if done != 0 {
        let why = io::Error::last_os_error();
        return Err(Error::Bench(format!("cannot ask for the CPU of programs that have ended: {why}")));
    }
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    Ok(seconds(usage.ru_utime) + seconds(usage.ru_stime))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_takes_is_told() {
        let target = tempfile::tempdir().unwrap();
        let context = BenchContext::new(target.path(), 1).unwrap();
        let cost = |words: &str| ProcessCost::of(&context, None, "sh", &["-c", words]).unwrap();
        let busy = cost("i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; echo done");
        assert_eq!(busy.text, "done\n");
        // 200,000 rounds of a shell are at least some milliseconds; other tests may add theirs.
        assert!(busy.cpu_s > 0.002, "{busy:?}");
        assert!(cost("sleep 0.2").wall_s >= 0.2);
        assert!(ProcessCost::of(&context, None, "false", &[]).is_err());
    }
}
