//! `memory.latency` against what a C programmer would write: a pointer chase
//! over a shuffled list of cache lines, compiled by gcc. Both sides walk one
//! random cycle over all lines of a set in pages of the base size, on the same
//! CPU. (multichase and lat_mem_rd do the same; neither is a package.)

use std::fs;
use std::path::PathBuf;

use crate::context::BenchContext;
use crate::judge::{Figure, Goal};
use crate::{Benchmark, Sides, place};
use xtask::Error;

const fn benchmark<const KIB: u32>(name: &'static str, what: &'static [Figure]) -> Benchmark {
    Benchmark {
        name,
        peer: "C loop",
        needs: &["gcc", "taskset"],
        figures: what,
        prepare: |context| Ok(Box::new(Chase { cpu: place::last()?, kib: KIB, program: compile(context)? })),
    }
}

const FIGURES: &[Figure] = &[Figure { what: "time of a load", unit: "s", goal: Goal::Within(0.95, 1.05) }];

/// In the first cache of any processor.
pub(crate) const SMALL: Benchmark = benchmark::<16>("memory-latency-c-16k", FIGURES);
/// In the second of most.
pub(crate) const MIDDLE: Benchmark = benchmark::<256>("memory-latency-c-256k", FIGURES);
/// In none.
pub(crate) const LARGE: Benchmark = benchmark::<{ 512 << 10 }>("memory-latency-c-512m", FIGURES);

/// Walks a set of as many KiB as its first argument says for as many seconds as
/// the second, and prints seconds per load. Lines are put into the cycle in
/// Sattolo's way.
const SOURCE: &str = r#"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

struct line {
    struct line *next;
    char rest[56];
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static uint64_t state = 88172645463325252ULL;

static uint64_t below(uint64_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint64_t)(((unsigned __int128)state * limit) >> 64);
}

static struct line *at;

static double load_s(double seconds)
{
    uint64_t loads = 0;
    double begin = now(), took;
    struct line *line = at;
    do {
        for (int i = 0; i < 10000; i++) {
            line = line->next; line = line->next; line = line->next; line = line->next;
            line = line->next; line = line->next; line = line->next; line = line->next;
            line = line->next; line = line->next;
        }
        loads += 100000;
        took = now() - begin;
    } while (took < seconds);
    at = line;
    return took / loads;
}

int main(int count, char **arguments)
{
    if (count != 3)
        return 2;
    size_t lines = (size_t)atol(arguments[1]) * 1024 / sizeof(struct line);
    size_t bytes = lines * sizeof(struct line);
    struct line *set = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (set == MAP_FAILED)
        return 3;
    madvise(set, bytes, MADV_NOHUGEPAGE);
    set[0].next = set;
    for (size_t i = 1; i < lines; i++) {
        struct line *before = &set[below(i)];
        set[i].next = before->next;
        before->next = &set[i];
    }
    at = set;
    load_s(0.3);
    printf("load_s %.6e\n", load_s(atof(arguments[2])));
    printf("end %d\n", (int)(at - set));
    return 0;
}
"#;

struct Chase {
    cpu: u32,
    kib: u32,
    program: PathBuf,
}

impl Sides for Chase {
    fn ours(&self, context: &BenchContext, seed: u64) -> Result<Vec<f64>, Error> {
        let size = format!("{}KiB", self.kib);
        let words = ["memory.latency", "--size", &size, "--page-size", "base", "--threads", "1"];
        Ok(vec![context.headroom(Some(self.cpu), &words, seed)?.get("load_latency")?])
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        let (kib, seconds) = (self.kib.to_string(), context.seconds.to_string());
        let text = context.output(Some(self.cpu), &self.program.to_string_lossy(), &[&kib, &seconds])?;
        let missing = || Error::Bench(format!("the C program tells no time:\n{text}"));
        Ok(vec![time(&text).ok_or_else(missing)?])
    }

    fn version(&self, context: &BenchContext) -> Result<String, Error> {
        Ok(context.output(None, "gcc", &["--version"])?.lines().next().unwrap_or_default().to_owned())
    }
}

fn compile(context: &BenchContext) -> Result<PathBuf, Error> {
    let (source, program) = (context.scratch("chase.c"), context.scratch("chase"));
    fs::write(&source, SOURCE).map_err(Error::file("write", &source))?;
    let (from, to) = (source.to_string_lossy(), program.to_string_lossy());
    context.output(None, "gcc", &["-O3", "-march=native", "-o", &to, &from])?;
    Ok(program)
}

fn time(text: &str) -> Option<f64> {
    text.lines().find_map(|line| line.strip_prefix("load_s ")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_read() {
        assert_eq!(time("load_s 1.234000e-09\nend 17\n"), Some(1.234e-9));
        assert_eq!(time("end 17\n"), None);
    }
}
