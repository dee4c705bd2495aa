//! `memory.bandwidth` against what a C programmer would write: a loop that
//! assigns one array of doubles to another, compiled by gcc for this machine.
//! (gcc -O3 makes a call of memcpy of such a loop, so this is the C library's
//! way too.) Counted as in mbw: each copied byte once.

use std::fs;
use std::path::PathBuf;

use crate::context::BenchContext;
use crate::judge::{Figure, Goal};
use crate::{Benchmark, Sides, memory_copy_mbw, place};
use xtask::Error;

/// The benchmark.
pub(crate) const C: Benchmark = Benchmark {
    name: "memory-copy-c",
    peer: "C loop",
    needs: &["gcc", "taskset"],
    figures: &[Figure { what: "bytes copied/s", unit: "B/s", goal: Goal::LowAtLeast(1.0) }],
    prepare: |context| Ok(Box::new(Copy { cpu: place::last()?, program: compile(context)? })),
};

/// Copies 256 MiB again and again for as many seconds as its argument says, and
/// prints bytes per second. Each pass copies something new, and what was copied
/// is summed up and printed, so that the compiler can leave no pass out.
const SOURCE: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define COUNT (256UL * 1024 * 1024 / sizeof(double))

static double a[COUNT], b[COUNT];

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

__attribute__((noinline)) static void copy(void)
{
    for (size_t i = 0; i < COUNT; i++)
        a[i] = b[i];
}

static double bytes_per_s(double seconds)
{
    size_t passes = 0;
    double begin = now(), took;
    do {
        b[passes % COUNT] += 1;
        copy();
        passes++;
        took = now() - begin;
    } while (took < seconds);
    return passes * (double)sizeof b / took;
}

int main(int count, char **arguments)
{
    if (count != 2)
        return 2;
    for (size_t i = 0; i < COUNT; i++) {
        a[i] = 0;
        b[i] = i;
    }
    bytes_per_s(0.3);
    printf("bytes_per_s %.0f\n", bytes_per_s(atof(arguments[1])));
    double sum = 0;
    for (size_t i = 0; i < COUNT; i++)
        sum += a[i];
    printf("sum %g\n", sum);
    return 0;
}
"#;

struct Copy {
    cpu: u32,
    program: PathBuf,
}

impl Sides for Copy {
    fn ours(&self, context: &BenchContext, seed: u64) -> Result<Vec<f64>, Error> {
        Ok(vec![memory_copy_mbw::ours(context, self.cpu, seed)?])
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        let seconds = context.seconds.to_string();
        let text = context.output(Some(self.cpu), &self.program.to_string_lossy(), &[&seconds])?;
        let missing = || Error::Bench(format!("the C program tells no rate:\n{text}"));
        Ok(vec![rate(&text).ok_or_else(missing)?])
    }

    /// `gcc (Debian 12.2.0-14+deb12u1) 12.2.0`.
    fn version(&self, context: &BenchContext) -> Result<String, Error> {
        Ok(context.output(None, "gcc", &["--version"])?.lines().next().unwrap_or_default().to_owned())
    }
}

fn compile(context: &BenchContext) -> Result<PathBuf, Error> {
    let (source, program) = (context.scratch("copy.c"), context.scratch("copy"));
    fs::write(&source, SOURCE).map_err(Error::file("write", &source))?;
    let (from, to) = (source.to_string_lossy(), program.to_string_lossy());
    context.output(None, "gcc", &["-O3", "-march=native", "-o", &to, &from])?;
    Ok(program)
}

fn rate(text: &str) -> Option<f64> {
    text.lines().find_map(|line| line.strip_prefix("bytes_per_s ")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_read() {
        assert_eq!(rate("bytes_per_s 12431903083\nsum 1.37422e+11\n"), Some(12_431_903_083.0));
        assert_eq!(rate("sum 1.37422e+11\n"), None);
    }
}
