//! One thread of the kernel that works for a layer is full: what it does cannot be spread over CPUs, so others may
//! idle. The thread of an array computes its parity, unless others are asked to (`group_thread_cnt`,
//! `Documentation/admin-guide/md.rst`).

use model::finding::Evidence;
use model::layer::StorageLayers;
use model::run::CaseResult;
use model::{Severity, Trial};

use crate::bottleneck::{FULL, Verdict, finding};
use crate::measure::KernelUse;
use crate::{Context, measure};

pub(in crate::bottleneck) const ENGLISH: &str = r#"
finding-kernel-thread-full =
    one thread of the kernel is full: { $name }, which works for { RESOURCE($resource) }, computes { PERCENT($share) } of the time{ $parity ->
        [alone] , and no other computes parity beside it (group_thread_cnt is 0)
        [helped] , though { FIXED($helpers) } others may compute parity beside it (group_thread_cnt)
       *[none] {""}
    }
    .advice =
        { $parity ->
            [alone] let more threads compute parity: group_thread_cnt of the array, group-threads=N of a stack; `headroom run cpu.parity --threads 1,all` measures what that gives at most
           *[other] a faster CPU helps; more of them do not
        }

evidence-kernel-thread = { $name } computes { PERCENT($share) } of the time
"#;

/// The thread that computed most in a trial.
fn busiest<'a>(layers: &'a StorageLayers, trial: &'a Trial) -> Option<KernelUse<'a>> {
    let threads = measure::kernel_uses(layers, trial).into_iter().filter(|one| !one.is_queue);
    threads.max_by(|a, b| a.cpus.total_cmp(&b.cpus))
}

pub(in crate::bottleneck) fn examine(case: &CaseResult, _context: &Context<'_>) -> Verdict {
    let Some(layers) = measure::stacked(case) else { return Verdict::Elsewhere };
    let mut all: Vec<KernelUse<'_>> =
        measure::good(case).filter_map(|trial| busiest(layers, trial)).collect();
    all.sort_by(|a, b| a.cpus.total_cmp(&b.cpus));
    let Some(middle) = all.get(all.len().saturating_sub(1) / 2) else { return Verdict::Elsewhere };
    // Looks are not quite at the edges of the window.
    let share = middle.cpus.min(1.0);
    let evidence = Evidence { code: "kernel-thread".to_owned(), ..Evidence::default() }
        .arg("name", middle.name)
        .arg("share", share);
    if share < FULL {
        return Verdict::Free(evidence);
    }
    // Others are of the device too, as a journal's: `jbd2/md0-8`.
    let is_own = |level: &str| middle.name.ends_with(&format!("_{level}"));
    let array = middle.device.array.as_ref().filter(|array| array.has_parity() && is_own(&array.level));
    let helpers = array.and_then(|array| array.group_threads);
    let parity = match helpers {
        Some(0) => "alone",
        Some(_) => "helped",
        None => "none",
    };
    Verdict::Full(Box::new(
        finding("kernel-thread-full", Severity::Note)
            .on(middle.device.resource.clone())
            .arg("name", middle.name)
            .arg("share", share)
            .arg("parity", parity)
            .arg("helpers", u64::from(helpers.unwrap_or_default()))
            .because(evidence),
    ))
}

#[cfg(test)]
mod tests {
    use crate::bottleneck::tests::{disk, verdict};
    use crate::measure::layers::tests::{kernel, put, stack};

    fn found(share: f64, group_threads: Option<u32>) -> model::Finding {
        named("md0_raid6", share, group_threads)
    }

    fn named(name: &str, share: f64, group_threads: Option<u32>) -> model::Finding {
        let mut case = disk(8, 9_000.0, 110.0, 15.0);
        let mut layers = stack("raid6");
        layers.devices[1].array.as_mut().unwrap().group_threads = group_threads;
        put(&mut case, &layers);
        kernel(&mut case, &[("dmcrypt_write/253:0", 0.1), (name, share), ("other", 1.0)], &[]);
        verdict(&[case])
    }

    #[test]
    fn an_array_s_thread_that_is_full_is_named_with_those_that_could_help_it() {
        let alone = found(0.99, Some(0));
        assert_eq!(alone.code, "kernel-thread-full", "{alone:?}");
        assert!(
            alone.text.contains("md0_raid6") && alone.text.contains("99 % of the time"),
            "{}",
            alone.text
        );
        assert!(alone.advice.unwrap().contains("group_thread_cnt"));
        assert!(found(0.99, Some(4)).text.contains("though 4 others"));
        assert!(!found(1.02, None).text.contains("parity"));
        let journal = named("jbd2/md0-8", 0.99, Some(0));
        assert!(journal.text.contains("jbd2/md0-8") && !journal.text.contains("parity"), "{}", journal.text);
    }

    #[test]
    fn one_that_waits_now_and_then_is_not_full() {
        assert_ne!(found(0.9, Some(0)).code, "kernel-thread-full");
    }
}
