//! What a sender says of itself, where that is not what arrived.

use model::finding::{Evidence, Place};
use model::tool_result::{ToolRemedy, ToolResult};
use model::{Finding, FindingKind, Severity, metric};

use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// Both ends stop their clocks at moments of their own.
const TOLERANCE: f64 = 0.02;

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "sender-figure",
    doc: "The sender counts what it handed to its kernel: with UDP that may be lost, with TCP it may still be in buffers. What \
          arrived is the receiver's figure.",
    english: r#"
finding-sender-figure =
    the sender of { $tool } handed over { SHORT($sent, $unit) }{ $how ->
        [received] , and { SHORT($received, $unit) } arrived: the rest was lost, or in buffers when its clock stopped
       *[alone] , and what arrived was not counted: it may be less
    }
    .advice = { $how ->
        [received] take the receiver's figure
       *[alone] take the receiver's figure, which the other end prints
    }

evidence-sender-line = line { $line }: sent { $printed }
evidence-receiver-line = line { $line }: received { $printed }
"#,
    remedies: &[ToolRemedy::MeasureReceiver],
    look: ToolCheckLook::EachResult(look),
};

fn look(result: &ToolResult, _: &ToolCheckContext<'_>) -> Vec<Finding> {
    finding(result).into_iter().collect()
}

fn finding(result: &ToolResult) -> Option<Finding> {
    let sent = result.whole.figure(metric::SENDER_THROUGHPUT)?;
    // Of both directions at once, what arrived of those that were sent.
    let arrived = [metric::THROUGHPUT, metric::SEND_THROUGHPUT];
    let received = arrived.into_iter().find_map(|name| Some((name, result.whole.figure(name)?)));
    let (how, severity) = match received {
        Some((_, received)) if sent.least() <= received.most() * (1.0 + TOLERANCE) => return None,
        Some(_) => ("received", Severity::Warning),
        None => ("alone", Severity::Note),
    };
    let line = Evidence::at("sender-line", Place::Metric(metric::SENDER_THROUGHPUT))
        .arg("line", sent.line)
        .arg("printed", sent.text.as_str());
    let finding = Finding::new(FindingKind::Validity, CHECK.code, severity)
        .arg("tool", result.tool.as_str())
        .arg("how", how)
        .arg("sent", sent.value)
        .arg("unit", sent.unit.symbol())
        .because(line);
    let Some((name, received)) = received else { return Some(finding) };
    let line = Evidence::at("receiver-line", Place::Metric(name))
        .arg("line", received.line)
        .arg("printed", received.text.as_str());
    Some(finding.arg("received", received.value).because(line))
}

#[cfg(test)]
mod tests {
    use model::tool_result::PrintedValue;
    use model::{MetricName, Unit};

    use super::*;

    fn severity(figures: &[(MetricName, f64)]) -> Option<Severity> {
        let mut result = ToolResult { tool: "iperf3".to_owned(), ..ToolResult::default() };
        for (metric, value) in figures {
            let printed = PrintedValue {
                line: 7,
                text: format!("{value} B/s"),
                value: *value,
                unit: Unit::BytesPerSecond,
                half_step: 0.0,
                counting: None,
            };
            result.whole.add(*metric, Some(printed));
        }
        crate::said::written(finding(&result).into_iter().collect()).first().map(|f| f.severity)
    }

    #[test]
    fn what_did_not_arrive_is_told() {
        let (sent, received) = (metric::SENDER_THROUGHPUT, metric::THROUGHPUT);
        assert_eq!(severity(&[(received, 117e6), (sent, 131e6)]), Some(Severity::Warning));
        assert_eq!(severity(&[(sent, 131e6)]), Some(Severity::Note));
        assert_eq!(severity(&[(received, 117e6), (sent, 118e6)]), None);
        assert_eq!(severity(&[(received, 117e6)]), None);
        let arrived = metric::SEND_THROUGHPUT;
        assert_eq!(severity(&[(arrived, 117e6), (sent, 131e6)]), Some(Severity::Warning));
        assert_eq!(severity(&[(arrived, 117e6), (sent, 118e6)]), None);
    }
}
