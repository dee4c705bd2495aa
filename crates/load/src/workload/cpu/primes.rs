//! `cpu.primes`: sysbench's cpu test, the same work, so that figures compare.

use engine::fault::Fault;
use engine::queue::{Blocking, Operate, Operation};
use engine::schedule::WorkerIndex;
use engine::{Prepared, Worker};
use model::parameter::{Kind, ParameterSpec};
use model::plan::Problem;
use model::profile::{Flow, FlowUnit, OperationClass, WaitsFor};
use model::resource::Symbol;
use model::{LoadProfile, Parameters, WorkloadName, WorkloadSpec, metric};

use crate::workload::common::LoadSchedule;
use crate::workload::{HostInfo, LoadContext, Planned, Requirements, Workload, common, named, profile};

pub(crate) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("cpu.primes"),
    definition_version: 1,
    summary: "integer division: count primes by trial division (sysbench cpu)",
    doc: "One event counts the primes from 3 to max-prime by dividing each number by everything up to its square \
          root, with the processor's 64-bit division instruction (and the lowest bit for 2). This is the work of sysbench's cpu test, so events \
          per second compare with old sysbench figures at the same max-prime. It measures integer division and \
          nothing else: no memory, no floating point, no vectors.",
    parameters: &[ParameterSpec::new(
        "max-prime",
        Kind::Count,
        "Count primes below this number; larger makes events longer.",
    )
    .default("10000")],
    headline: metric::EVENTS_PER_SECOND,
    metrics: common::OF_SYSBENCH,
    path: &[Symbol::WorkerCpus],
    examples: &[
        "cpu.primes",
        "cpu.primes --threads 1,2,4",
        "cpu.primes --max-prime 10000 --duration 10s --threads all",
    ],
};

#[derive(Debug)]
pub(crate) struct Primes;

impl Workload for Primes {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, _: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        Ok(Box::new(PlannedPrimes { max_prime: parameters.integer(named("max-prime"))? }))
    }
}

#[derive(Clone, Debug)]
struct PlannedPrimes {
    max_prime: u64,
}

impl Planned for PlannedPrimes {
    fn survey(&mut self, _host: &HostInfo) -> Result<Requirements, Problem> {
        // An event must end within a trial; 10 million take some seconds.
        if (4..=10_000_000).contains(&self.max_prime) {
            return Ok(Requirements::default());
        }
        Err(Problem::invalid("max-prime must lie between 4 and 10 million", "sysbench's default is 10000"))
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let events = Flow::only(OperationClass::Compute, FlowUnit::Operations);
        profile::of_one(base, WaitsFor::Processor, events)
    }

    fn prepare(&self, _given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        Ok(Box::new(self.clone()))
    }
}

impl Prepared for PlannedPrimes {
    fn worker(&self, _seat: WorkerIndex, _seed: u64) -> Result<Box<dyn Worker>, Fault> {
        Ok(Box::new(Blocking::new(Counting { max_prime: self.max_prime, found: None })))
    }
}

/// Counts primes; remembers how many, for the check afterwards.
struct Counting {
    max_prime: u64,
    found: Option<u64>,
}

impl Operate for Counting {
    fn operate(&mut self, _operation: Operation) -> Result<u64, Fault> {
        let found = count_primes(self.max_prime);
        match self.found.replace(found) {
            Some(before) if before != found => {
                Err(Fault::Verification(format!("the same primes were counted as {before} and as {found}")))
            }
            _ => Ok(0),
        }
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let expected = sieve(self.max_prime);
        match self.found {
            Some(found) if found != expected => {
                Err(Fault::Verification(format!("{found} primes were counted where there are {expected}")))
            }
            _ => Ok(()),
        }
    }
}

/// Primes from 3 to below `limit`, by trial division, with the steps that
/// sysbench 1.0's `sb_cpu.c` has when GCC has built it: the square root in
/// double precision once a number; divisibility by 2 by the lowest bit (GCC
/// takes that first round out of the loop); then a candidate at a time.
fn count_primes(limit: u64) -> u64 {
    let mut found = 0;
    for number in 3..limit {
        let root = (number as i64 as f64).sqrt();
        if number & 1 == 0 && root >= 2.0 {
            continue;
        }
        let divisor = first_divisor(number, root);
        found += u64::from(divisor as i64 as f64 > root);
    }
    found
}

/// The first number from 3 on that divides `number` or is larger than `root`.
///
/// Each step compares the candidate with the root in double precision and
/// divides by the 64-bit `div`. It is written in instructions because compilers
/// differ here: rustc would put a test before the division and use the much
/// faster 32-bit one for small numbers, and orders the rest so that its loop
/// is 4 % faster than GCC's. Neither would be sysbench's unit of work.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn first_divisor(number: u64, root: f64) -> u64 {
    let mut divisor: u64 = 3;
    // SAFETY: `div` reads rdx:rax and the divisor and writes rax and rdx only;
    // the divisor is at least 3 and rdx is 0, so it can neither divide by zero
    // nor overflow. The loop ends when the divisor passes the root.
    unsafe {
        core::arch::asm!(
            ".p2align 3",
            "2:",
            "xorps {candidate}, {candidate}",
            "cvtsi2sd {candidate}, {divisor}",
            "comisd {root}, {candidate}",
            "jb 3f",
            "mov rax, {number}",
            "xor edx, edx",
            "div {divisor}",
            "test rdx, rdx",
            "je 3f",
            "add {divisor}, 1",
            "jns 2b",
            "3:",
            candidate = out(xmm_reg) _,
            root = in(xmm_reg) root,
            number = in(reg) number,
            divisor = inout(reg) divisor,
            out("rax") _,
            out("rdx") _,
            options(pure, nomem, nostack)
        );
    }
    divisor
}

/// Other processors: their compilers have no such shortcut.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn first_divisor(number: u64, root: f64) -> u64 {
    let mut divisor = 3;
    while divisor as i64 as f64 <= root && number % divisor != 0 {
        divisor += 1;
    }
    divisor
}

/// The same count by the sieve of Eratosthenes: another method, so that it can
/// prove the first wrong.
fn sieve(limit: u64) -> u64 {
    let limit = limit as usize;
    let mut composite = vec![false; limit];
    let mut found = 0;
    for number in 2..limit {
        if composite[number] {
            continue;
        }
        found += u64::from(number >= 3);
        for multiple in (number * number..limit).step_by(number) {
            composite[multiple] = true;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_that_of_the_tables() {
        // pi(10000) = 1229 and pi(100) = 25 (OEIS A006880), less the prime 2.
        assert_eq!(count_primes(10_000), 1228);
        assert_eq!(sieve(10_000), 1228);
        assert_eq!(count_primes(100), 24);
        assert_eq!(sieve(100), 24);
    }

    #[test]
    fn a_wrong_count_fails_the_verification() {
        let mut counting = Counting { max_prime: 100, found: Some(23) };
        assert!(counting.verify().is_err());
        counting.found = Some(24);
        assert!(counting.verify().is_ok());
    }
}
