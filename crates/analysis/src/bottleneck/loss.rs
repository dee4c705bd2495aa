//! Loss that holds a connection back. How much it takes depends on who answers it: Reno and CUBIC
//! take each lost segment for a sign that they send too fast, BBR goes by what arrives and lets
//! one in twenty be lost without sending slower.

use model::fact;
use model::run::CaseResult;
use model::{Severity, Trial, metric};

use super::network::{self, DECIDES};
use super::{Verdict, finding, shown};
use crate::measure;
use crate::measure::End;

/// From this share of segments sent again on, loss is felt: at a loss of p a
/// connection gets at most about 1.22 mss / (rtt sqrt(p)) (Mathis and others,
/// "The macroscopic behavior of the TCP congestion avoidance algorithm", 1997).
const LOSS: f64 = 0.001;

/// The same under BBR, which fills a path that loses less (Cardwell and others, "BBR:
/// Congestion-Based Congestion Control", ACM Queue 14(5), 2016, figure 8).
const LOSS_OF_BBR: f64 = 0.05;

pub(super) const ENGLISH: &str = r#"
finding-loss-bound =
    loss holds this back: { PERCENT($share) } of the segments were lost and sent again, and the connection waits for the path
    { PERCENT($path) } of the time
    .advice = look for drops of the interfaces on the way, a full queue, a bad cable or a duplex that differs

evidence-retransmits = { PERCENT($share) } of the segments lost
"#;

/// Whether the sender is under BBR, whatever its version.
pub(super) fn is_under_bbr(case: &CaseResult) -> bool {
    let sender = measure::sender(case);
    let is_bbr =
        |t: &Trial| sender.fact(t, fact::CONGESTION).is_some_and(|name| name.to_string().starts_with("bbr"));
    measure::good(case).any(is_bbr)
}

/// The share of the segments that were lost, where it is so large that it is felt.
pub(super) fn felt(case: &CaseResult) -> Option<f64> {
    let is_bbr = is_under_bbr(case);
    let least = if is_bbr { LOSS_OF_BBR } else { LOSS };
    let share = measure::median(case, |t| lost_share(case, t)).filter(|share| *share >= least)?;
    (is_bbr || !allows_more(case, share)).then_some(share)
}

/// Loss, for which the connection waits.
pub(super) fn bound(case: &CaseResult) -> Option<Verdict> {
    let share = felt(case)?;
    let path = network::path_share(case).filter(|path| *path >= DECIDES)?;
    Some(Verdict::Full(Box::new(
        finding("loss-bound", Severity::Warning)
            .arg("share", share)
            .arg("path", path)
            .because(shown("retransmits", metric::RETRANSMITS).arg("share", share)),
    )))
}

/// A connection that gets less than this share of what its loss allows is held back
/// by something else. Between half and all of it is usual; timeouts make it less.
const ALLOWED: f64 = 0.1;

/// Whether each connection could get many times as much at this loss (Mathis and
/// others, see [`LOSS`]).
fn allows_more(case: &CaseResult, share: f64) -> bool {
    let of = |t: &Trial| {
        let value = |name| measure::measured(t, name).filter(|v| *v > 0.0);
        let each = value(metric::THROUGHPUT)? / measure::concurrency(case);
        let allowed =
            1.22 * measure::sender(case).number(t, fact::MSS)? / (value(metric::RTT)? * share.sqrt());
        Some(each / allowed)
    };
    measure::median(case, of).is_some_and(|part| part < ALLOWED)
}

/// The share of the segments that were lost, as far as the sender knows: sent again, and
/// not reported as duplicates by the other end. Of both ways, that of the worse one:
/// what one end sends again, it sends beside its own bytes only.
fn lost_share(case: &CaseResult, trial: &Trial) -> Option<f64> {
    let value = |name| measure::measured(trial, name);
    let again = value(metric::RETRANSMITS)?;
    let share = |end: End, again: f64, rate: f64| {
        let lost = (again - end.number(trial, fact::SPURIOUS_RETRANSMITS).unwrap_or(0.0)).max(0.0);
        let mss = end.number(trial, fact::MSS)?;
        let sent = rate * trial.result.window?.seconds() / mss;
        (sent > 0.0 && mss > 0.0 && again >= 0.0).then(|| lost / (sent + again))
    };
    if !measure::goes_both_ways(case) {
        return share(measure::sender(case), again, value(metric::THROUGHPUT)?);
    }
    // The result has the sum of both ends.
    let of_far = measure::far(trial)?.metrics.get(&metric::RETRANSMITS)?.value;
    let ours = || share(End::Drives, again - of_far, value(metric::SEND_THROUGHPUT)?);
    let theirs = || share(End::Answers, of_far, value(metric::RECEIVE_THROUGHPUT)?);
    [ours(), theirs()].into_iter().flatten().reduce(f64::max)
}
