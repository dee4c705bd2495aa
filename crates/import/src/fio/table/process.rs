//! Options about jobs, processes and the machine they run on.

use crate::fio::option::FioOption as O;
use crate::fio::value::Form;

pub(super) const JOBS: &[O] = &[
    O::taken("description", Form::Text, "what the study is for, on the page"),
    O::taken("name", Form::Text, "how notes call the job"),
    O::taken("numjobs", Form::Whole, "`threads`; clones without a file name get a file each, as in fio"),
    O::taken("stonewall", Form::Flag, "a new workload: what stands before has ended")
        .or(&["wait_for_previous"]),
    O::taken(
        "wait_for",
        Form::Text,
        "a new workload, if it names a job that would run together with this one",
    ),
    O::taken(
        "kb_base",
        Form::Whole,
        "how sizes are read: with 1024, fio's default, `k` is 1024 and `KiB` is 1000",
    ),
    O::harmless("new_group", "only how fio adds up its report"),
    O::harmless("group_reporting", "each load has its own figures, of all its threads together"),
    O::harmless("thread", "workers are threads"),
    O::taken("exitall", Form::Flag, "the window closes for all loads at once, when the job named first ends"),
    O::harmless("exit_what", "only with `exitall`"),
    O::harmless("exitall_on_error", "a load that fails ends the trial for all, with the reason"),
    O::unsupported("create_only", "fio would only make the files; here they are used too"),
    O::unsupported("startdelay", "fio would start the job later; here loads of one group start together"),
    O::unsupported(
        "flow",
        "fio would hold the jobs to these shares of one another; here each goes at its own pace",
    ),
    O::harmless("flow_id", "only with `flow`"),
    O::harmless("flow_sleep", "only with `flow`"),
    O::harmless("flow_watermark", "fio ignores it"),
    O::harmless("threads", "it belongs to a profile of fio's; `thread` is another option"),
    O::refused("profile", "it stands for a job that is built into fio"),
    O::foreign(
        "exec_prerun",
        "fio would run this command before the job; no command of a job file is run here",
    ),
    O::foreign(
        "exec_postrun",
        "fio would run this command after the job; no command of a job file is run here",
    ),
];

pub(super) const MACHINE: &[O] = &[
    O::unsupported("nice", "fio would change the priority of its process; here it stays as it is"),
    O::foreign("prio", "fio would set this I/O priority; here it stays as it is"),
    O::foreign("prioclass", "fio would set this class of I/O priority; here it stays as it is"),
    O::unsupported("priohint", "fio would set this hint of I/O priority; here there is none"),
    O::foreign("cpumask", "fio would keep to these CPUs; here `--pin` decides"),
    O::foreign("cpus_allowed", "fio would keep to these CPUs; here `--pin` decides"),
    O::harmless("cpus_allowed_policy", "only with `cpus_allowed`"),
    O::foreign("numa_cpu_nodes", "fio would keep to the CPUs of these nodes; here `--cpu-node` does"),
    O::unsupported(
        "numa_mem_policy",
        "fio would take its memory from there; here it comes from the worker's node, or that of `--memory-node`",
    )
    .unless(&["default"]),
    O::foreign(
        "cgroup",
        "fio would run in this control group, with its limits; here in the one it was started in",
    ),
    O::foreign("cgroup_weight", "fio would give its control group this weight"),
    O::harmless("cgroup_nodelete", "only with `cgroup`"),
    O::foreign("uid", "fio would run as this user, to whom limits and quotas may apply"),
    O::foreign("gid", "fio would run as this group, to which limits and quotas may apply"),
    O::unsupported("lockmem", "fio would lock this much memory, so that less is left for the page cache"),
    O::unsupported(
        "mem",
        "fio would take its buffers from there: huge pages cost less, other devices' memory more",
    )
    .or(&["iomem"])
    .unless(&["malloc", "mmap"]),
    O::harmless("iomem_align", "buffers begin where direct I/O wants them").or(&["mem_align"]),
    O::harmless("hugepage-size", "only with `mem`"),
    O::foreign("gpu_dev_id", "fio would use the memory of a graphics card"),
    O::foreign("ioscheduler", "fio would change the scheduler of the device; here it stays as it is"),
    O::harmless("comm", "only what the process is called"),
];
