//! The kernel is being traced.

use model::{Resource, Severity};

use super::{Check, clip, condition, few, seen};

const CODE: &str = "kernel-tracing";
/// Where tracefs is (`Documentation/trace/ftrace.rst`). The older place below
/// debugfs is left alone: looking there mounts it.
const TRACEFS: &str = "/sys/kernel/tracing";

pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "a tracer of the kernel is on, or trace events are",
    english: r#"
condition-kernel-tracing =
    the kernel is being traced { $how ->
        [tracer] with tracer { $tracer }
        [event] at event { $names }
        [events] at { $events } events: { $names }{ few-more }
       *[both] with tracer { $tracer } and { $events ->
            [1] 1 event
           *[other] { $events } events
        }
    }
    .advice =
        type `echo nop > /sys/kernel/tracing/current_tracer; echo > /sys/kernel/tracing/set_event`

evidence-tracefs = { condition-kernel-tracing }
"#,
    look: |context| {
        let read = |file: &str| context.host.text(format!("{TRACEFS}/{file}")).unwrap_or_default();
        if read("tracing_on").trim() == "0" {
            return Vec::new();
        }
        let tracer = Some(read("current_tracer").trim().to_owned()).filter(|t| !t.is_empty() && t != "nop");
        let events: Vec<String> =
            read("set_event").lines().map(str::to_owned).filter(|l| !l.is_empty()).collect();
        let shown = few(&events);
        let how = match (&tracer, events.len()) {
            (None, 0) => return Vec::new(),
            (Some(_), 0) => "tracer",
            (None, 1) => "event",
            (None, _) => "events",
            (Some(_), _) => "both",
        };
        let finding = condition(CODE, Severity::Note)
            .on(Resource::SYSTEM)
            .arg("how", how)
            .arg("tracer", clip(tracer.as_deref().unwrap_or("nop")))
            .arg("names", shown.names)
            .arg("events", events.len() as u64)
            .arg("more", shown.more);
        vec![finding.because_same(seen("tracefs"))]
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, diagnose};

    fn tree(on: &str, tracer: &str, events: &str) -> String {
        format!(
            "==> {TRACEFS}/tracing_on\n{on}\n==> {TRACEFS}/current_tracer\n{tracer}\n==> {TRACEFS}/set_event\n{events}\n"
        )
    }

    #[test]
    fn tracers_and_events_are_noted() {
        diagnose(&CHECK, &tree("1", "function", "")).one(Severity::Note, "with tracer function");
        let events = "block:block_rq_issue\nblock:block_rq_complete";
        diagnose(&CHECK, &tree("1", "nop", events))
            .one(Severity::Note, "at 2 events: block:block_rq_issue, ");
        diagnose(&CHECK, &tree("1", "nop", "a:b")).one(Severity::Note, "at event a:b");
        diagnose(&CHECK, &tree("1", "nop", "a\nb\nc\nd\ne"))
            .one(Severity::Note, "5 events: a, b, c and 2 more");
        diagnose(&CHECK, &tree("1", "function", "a")).one(Severity::Note, "tracer function and 1 event");
    }

    #[test]
    fn what_is_off_is_nothing() {
        assert_eq!(diagnose(&CHECK, &tree("1", "nop", "")), CheckResult::nothing());
        assert_eq!(diagnose(&CHECK, &tree("0", "function", "x")), CheckResult::nothing());
    }
}
