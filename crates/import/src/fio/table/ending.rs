//! Options about when a job ends and how fast it may go.

use crate::fio::option::FioOption as O;
use crate::fio::value::Form;

pub(super) const OPTIONS: &[O] = &[
    O::taken("runtime", Form::Seconds, "`duration` of each trial, with or without `time_based`")
        .or(&["timeout"]),
    O::taken("time_based", Form::Flag, "only with `runtime`, which then is the only end in fio too"),
    O::taken("ramp_time", Form::Seconds, "`--warm-up`; of several jobs the longest"),
    O::unsupported("ramp_size", "fio would measure only after so many bytes; `--warm-up` is a time"),
    O::taken("loops", Form::Whole, "`bytes` is so many times the size, where no time ends the job"),
    O::taken("number_ios", Form::Whole, "`requests`, for all clones together"),
    O::taken(
        "rate_iops",
        Form::Each,
        "`rate`, for all clones together: an open loop, with latency from the due time",
    ),
    O::taken("rate", Form::Each, "`rate`: bytes per second divided by the mean block size"),
    O::taken("rate_process", Form::Word(&["linear", "poisson"]), "`arrivals`"),
    O::unsupported("rate_min", "fio would end a job that is slower; here an unkept rate is a finding")
        .or(&["ratemin"]),
    O::unsupported("rate_iops_min", "fio would end a job that is slower; here an unkept rate is a finding"),
    O::harmless("rate_cycle", "only how often fio looks whether a rate is kept").or(&["ratecycle"]),
    O::harmless("rate_ignore_thinktime", "only with `thinktime`"),
    O::unsupported("thinktime", "fio would pause between operations, so the rate here is higher"),
    O::harmless("thinktime_spin", "only with `thinktime`"),
    O::harmless("thinkcycles", "only with `thinktime`"),
    O::harmless("thinktime_blocks", "only with `thinktime`"),
    O::harmless("thinktime_blocks_type", "only with `thinktime`"),
    O::harmless("thinktime_iotime", "only with `thinktime`"),
    O::taken(
        "latency_target",
        Form::Microseconds,
        "`latency-target`: the highest rate that holds it is searched, where fio searches the deepest queue",
    ),
    O::taken(
        "latency_percentile",
        Form::Decimal,
        "the share in `latency-target`; 99.9 % where fio asks for all",
    ),
    O::harmless("latency_window", "the search decides itself how long to look"),
    O::harmless("latency_run", "the search ends when it has found the rate"),
    O::unsupported(
        "max_latency",
        "fio would stop at the first operation that is slower; here it is in the histogram",
    ),
    O::foreign(
        "steadystate",
        "fio would end the job when it is steady; here it has its whole time, and is judged",
    )
    .or(&["ss"]),
    O::harmless("steadystate_duration", "only with `steadystate`").or(&["ss_dur"]),
    O::harmless("steadystate_ramp_time", "only with `steadystate`").or(&["ss_ramp"]),
    O::harmless("steadystate_check_interval", "only with `steadystate`").or(&["ss_interval"]),
    O::unsupported(
        "continue_on_error",
        "fio would go on after errors; here an error fails the trial, with its reason",
    )
    .unless(&["none"]),
    O::foreign("ignore_error", "fio would take no notice of these errors; here an error fails the trial"),
    O::harmless("error_dump", "an error is told in any case"),
];
