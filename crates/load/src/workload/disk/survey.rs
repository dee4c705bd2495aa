//! Whether what is asked of `disk` fits together, before anything is touched.

use engine::stop::StopRule;
use model::parameter::Kind;
use model::plan::Problem;
use model::scalar::{binary, show};

use crate::workload::disk::distribution::Distribution;
use crate::workload::disk::filling;
use crate::workload::disk::plan::{DiskPlan, SyncRule};

/// The largest block: what the kernel takes as one registered buffer.
const BLOCK_MAX: u64 = 1 << 30;

/// Whether sizes that were given are whole blocks: what is over would silently
/// not be touched. (An existing file's own size may be odd.)
pub(super) fn check_given(plan: &DiskPlan) -> Result<(), Problem> {
    let block = plan.largest_block().max(1);
    // What O_DIRECT cannot move at all is told first.
    if plan.is_direct() && !block.is_multiple_of(512) {
        return Ok(());
    }
    for (name, bytes) in [("size", plan.size), ("span", plan.span)] {
        if let Some(bytes) = bytes
            && !bytes.is_multiple_of(block)
            && bytes > block
        {
            return Err(Problem::invalid(
                format!("{name}={} is no whole number of blocks of {}", typed(bytes), typed(block)),
                format!("use {} or another block-size", typed(bytes / block * block)),
            ));
        }
    }
    Ok(())
}

/// Bytes as a person may type them, exactly.
fn typed(bytes: u64) -> String {
    show(Kind::Size, &bytes.into())
}

/// What is touched does not lie in what there is.
fn outside(span: u64, size: u64, offset: u64) -> Problem {
    let (offset_typed, size_typed) = (typed(offset), typed(size));
    if offset >= size {
        return Problem::invalid(
            format!("offset={offset_typed} lies at or behind the end: size={size_typed}"),
            format!("use an offset below {size_typed}, or a larger size"),
        );
    }
    let from = if offset == 0 { String::new() } else { format!(" from offset={offset_typed} on") };
    let what = format!("span={}{from} is larger than the file: size={size_typed}", typed(span));
    let smaller = format!("use a span of at most {}", typed(size - offset));
    let help = match size.checked_sub(span) {
        _ if offset == 0 => format!("{smaller}, or a larger size"),
        Some(0) => format!("{smaller}, or offset=0"),
        Some(most) => format!("{smaller}, or an offset of at most {}", typed(most)),
        None => format!("{smaller}, or a larger size"),
    };
    Problem::invalid(what, help)
}

/// Why sizes do not fit one another.
pub(super) fn check_blocks(plan: &DiskPlan) -> Result<(), Problem> {
    let ((size, span), DiskPlan { threads, files, offset, blocks, .. }) = (plan.reach()?, plan);
    let (threads, files, offset, block) = (*threads, *files, *offset, plan.largest_block());
    let invalid = |message: String, help: &str| Err(Problem::invalid(message, help));
    if offset >= size || span.saturating_add(offset) > size {
        return Err(outside(span, size, offset));
    }
    if block > BLOCK_MAX {
        return invalid(format!("a block of {} is too large", binary(block)), "at most 1 GiB");
    }
    let file_bytes = size / files;
    if files > 1 && !(size.is_multiple_of(files) && blocks.iter().all(|(b, _)| file_bytes.is_multiple_of(*b)))
    {
        let all = binary(size);
        return invalid(
            format!(
                "{all} in {files} files makes {file_bytes} bytes for each, which is not a whole number of blocks"
            ),
            "choose size, files and block-size so that each file has whole blocks",
        );
    }
    let shares = if plan.pattern.random && !plan.verifies { 1 } else { threads };
    if span / shares < block {
        let what = if shares > 1 {
            format!("one of {threads} shares of the span of {}", binary(span))
        } else {
            format!("a span of {}", binary(span))
        };
        return invalid(
            format!("{what} has no room for a block of {}", binary(block)),
            "use a larger size or a smaller block-size",
        );
    }
    let odd = plan.grid().find(|bytes| !bytes.is_multiple_of(512));
    if let Some(odd) = odd.filter(|_| plan.is_direct()) {
        return invalid(
            format!("with direct=yes blocks and the offset must be multiples of 512 bytes, and {odd} is not"),
            "O_DIRECT moves whole sectors; use another size or direct=no",
        );
    }
    Ok(())
}

/// Whether the places that are asked for can be visited.
fn check_places(plan: &DiskPlan, one_pass: bool) -> Result<(), Problem> {
    let Some(places) = plan.places else { return Ok(()) };
    let refused = |what: &str, help: &str| Err(Problem::invalid(format!("places={places} {what}"), help));
    if !one_pass || plan.pattern.random || plan.threads > 1 || plan.files > 1 || plan.verifies {
        let what = "are visited once each, one after the other, by one thread in one file";
        return refused(what, "use until=end, a sequential pattern, threads=1, files=1 and verify=none");
    }
    match plan.stride() {
        Some(stride) if stride.every > 0 => Ok(()),
        _ => refused("are more than the span has blocks", "use fewer, a smaller block-size or a larger size"),
    }
}

/// Why words do not fit one another.
pub(super) fn check_ends(plan: &DiskPlan) -> Result<(), Problem> {
    let pattern = plan.pattern;
    let one_pass = plan.until == Some(StopRule::End);
    if one_pass && pattern.random && plan.distribution != Distribution::Once {
        return Err(Problem::invalid(
            "random patterns have no end, as long as blocks may come twice",
            "use until=end with distribution=once, or with pattern=read or write",
        ));
    }
    if one_pass && plan.blocks.len() > 1 {
        return Err(Problem::invalid(
            "blocks of several sizes have no end together: nobody knows how many of each make one pass",
            "use one block-size, or end by bytes",
        ));
    }
    check_places(plan, one_pass)?;
    if plan.fills() && (pattern.random || !pattern.writes() || pattern.reads()) {
        return Err(Problem::invalid(
            "only sequential writes fill a target",
            "use until=full with pattern=write",
        ));
    }
    if plan.fills() {
        filling::check(plan)?;
    }
    if plan.sync != SyncRule::None && !pattern.writes() {
        return Err(Problem::invalid(
            "there is nothing to sync: this pattern writes nothing",
            "leave out sync, or use a pattern that writes",
        ));
    }
    Ok(())
}
