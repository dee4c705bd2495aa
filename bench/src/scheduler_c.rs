//! `scheduler.handoff` and `scheduler.syscall` against what a C programmer would
//! write: two threads that wake one another through pipes or a futex, and loops
//! of a few system calls, compiled by gcc. (`perf bench sched pipe` has two
//! processes and no medians, lmbench is not packaged everywhere.)

use std::fs;
use std::path::PathBuf;

use crate::context::BenchContext;
use crate::judge::{Figure, Goal};
use crate::{Benchmark, Sides, place};
use xtask::Error;

const NEEDS: &[&str] = &["gcc", "taskset"];

/// Hand-offs there and back, on one CPU, where nothing but the kernel weighs.
pub(crate) const HANDOFF: Benchmark = Benchmark {
    name: "scheduler-handoff",
    peer: "C program",
    needs: NEEDS,
    figures: &[
        Figure { what: "futex there and back, one CPU", unit: "s", goal: Goal::Within(0.95, 1.05) },
        Figure { what: "pipe there and back, one CPU", unit: "s", goal: Goal::Within(0.95, 1.05) },
    ],
    prepare: |context| Ok(Box::new(C { cpu: place::last()?, program: compile(context)?, rows: HANDOFFS })),
};

/// System calls.
pub(crate) const SYSCALL: Benchmark = Benchmark {
    name: "scheduler-syscall",
    peer: "C program",
    needs: NEEDS,
    figures: &[
        Figure { what: "getppid", unit: "s", goal: Goal::Within(0.95, 1.05) },
        Figure { what: "read of a byte", unit: "s", goal: Goal::Within(0.95, 1.05) },
        Figure { what: "open and close", unit: "s", goal: Goal::Within(0.95, 1.05) },
        Figure { what: "fault of a page", unit: "s", goal: Goal::Within(0.95, 1.05) },
    ],
    prepare: |context| Ok(Box::new(C { cpu: place::last()?, program: compile(context)?, rows: CALLS })),
};

/// What is typed for ours, the metric, and what is typed for the C program.
type ComparedCall = (&'static [&'static str], &'static str, &'static str);

const HANDOFFS: &[ComparedCall] = &[
    (&["scheduler.handoff", "--to", "same", "--by", "futex"], "operations_per_second", "futex"),
    (&["scheduler.handoff", "--to", "same", "--by", "pipe"], "operations_per_second", "pipe"),
];

const CALLS: &[ComparedCall] = &[
    (&["scheduler.syscall", "--call", "getppid"], "call_time", "getppid"),
    (&["scheduler.syscall", "--call", "read"], "call_time", "read"),
    (&["scheduler.syscall", "--call", "open-close"], "call_time", "open"),
    (&["scheduler.syscall", "--call", "page-fault"], "call_time", "fault"),
];

/// Prints how many seconds one of what its first argument says takes, measured
/// for as many seconds as the second says. Both sides of a hand-off read the
/// clock once a round, as ours do.
const SOURCE: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static int there[2], back[2], is_futex;
static _Alignas(128) atomic_uint calls;
static _Alignas(128) atomic_uint answers;
static _Alignas(128) volatile double ran;

static void wake(int pipe, atomic_uint *word)
{
    char byte = 1;
    if (is_futex) {
        atomic_fetch_add(word, 1);
        syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    } else if (write(pipe, &byte, 1) != 1)
        abort();
}

static void await(int pipe, atomic_uint *word, unsigned *taken)
{
    char byte;
    if (is_futex) {
        while (atomic_load(word) == *taken)
            syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, *taken, 0, 0, 0);
        *taken += 1;
    } else if (read(pipe, &byte, 1) != 1)
        abort();
}

static void *serve(void *nothing)
{
    unsigned taken = 0;
    for (;;) {
        await(there[0], &calls, &taken);
        ran = now();
        wake(back[1], &answers);
    }
    return nothing;
}

#define PAGES 64
static char *memory;
static int zero;
static unsigned taken;

static void one(const char *what)
{
    char byte;
    switch (what[0]) {
    case 'g':
        for (int i = 0; i < 512; i++)
            syscall(SYS_getppid);
        break;
    case 'r':
        for (int i = 0; i < 256; i++)
            if (read(zero, &byte, 1) != 1)
                abort();
        break;
    case 'o':
        for (int i = 0; i < 32; i++)
            close(open("/dev/null", O_RDONLY | O_CLOEXEC));
        break;
    case 'f':
        if (is_futex)
            goto handoff;
        for (int i = 0; i < PAGES; i++)
            ((volatile char *)memory)[i * 4096] = 1;
        madvise(memory, PAGES * 4096, MADV_DONTNEED);
        break;
    default:
    handoff:
        wake(there[1], &calls);
        await(back[0], &answers, &taken);
    }
}

static double batch(const char *what)
{
    switch (what[0]) {
    case 'g': return 512;
    case 'r': return 256;
    case 'o': return 32;
    case 'f': return is_futex ? 1 : PAGES;
    default: return 1;
    }
}

static double seconds_of_one(const char *what, double seconds)
{
    double begin = now(), end;
    long count = 0;
    do {
        one(what);
        count++;
        end = now();
    } while (end - begin < seconds);
    return (end - begin) / count / batch(what);
}

int main(int count, char **arguments)
{
    pthread_t partner;
    if (count != 3 || pipe(there) || pipe(back))
        return 2;
    const char *what = arguments[1];
    is_futex = !strcmp(what, "futex");
    zero = open("/dev/zero", O_RDONLY);
    memory = mmap(0, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, PAGES * 4096, MADV_NOHUGEPAGE);
    if (is_futex || what[0] == 'p')
        pthread_create(&partner, 0, serve, 0);
    seconds_of_one(what, 0.3);
    printf("seconds %.12f\n", seconds_of_one(what, atof(arguments[2])));
    return 0;
}
"#;

struct C {
    cpu: u32,
    program: PathBuf,
    rows: &'static [ComparedCall],
}

impl Sides for C {
    fn ours(&self, context: &BenchContext, seed: u64) -> Result<Vec<f64>, Error> {
        let each = self.rows.iter().map(|(words, metric, _)| {
            let value = context.headroom(Some(self.cpu), words, seed)?.get(metric)?;
            Ok(if *metric == "call_time" { value } else { 1.0 / value })
        });
        each.collect()
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        let seconds = context.seconds.to_string();
        let each = self.rows.iter().map(|(_, _, what)| {
            let text = context.output(Some(self.cpu), &self.program.to_string_lossy(), &[what, &seconds])?;
            let missing = || Error::Bench(format!("the C program tells no time:\n{text}"));
            told(&text).ok_or_else(missing)
        });
        each.collect()
    }

    /// `gcc (Debian 12.2.0-14+deb12u1) 12.2.0`.
    fn version(&self, context: &BenchContext) -> Result<String, Error> {
        Ok(context.output(None, "gcc", &["--version"])?.lines().next().unwrap_or_default().to_owned())
    }
}

fn compile(context: &BenchContext) -> Result<PathBuf, Error> {
    let (source, program) = (context.scratch("scheduler.c"), context.scratch("scheduler"));
    fs::write(&source, SOURCE).map_err(Error::file("write", &source))?;
    let (from, to) = (source.to_string_lossy(), program.to_string_lossy());
    context.output(None, "gcc", &["-O2", "-pthread", "-o", &to, &from])?;
    Ok(program)
}

fn told(text: &str) -> Option<f64> {
    text.lines().find_map(|line| line.strip_prefix("seconds ")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_read() {
        assert_eq!(told("seconds 0.000000069315\n"), Some(6.9315e-8));
        assert_eq!(told("Segmentation fault"), None);
    }
}
