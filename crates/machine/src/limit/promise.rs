//! What the user was promised, by a study's `[expect]`: figures of their own, or
//! a datasheet by its name.

use model::limit::LimitKind;
use model::study::{Expect, Promise};
use model::{Limit, Resource, ResourceKind, Unit, metric};

use super::datasheet;

/// The promises about `device` as limits of it. Only what bounds a rate is one;
/// other promises, such as a latency, stay in the study.
#[must_use]
pub fn promised(expect: &Expect, device: &str) -> Vec<Limit> {
    let sheet = expect.datasheet.as_deref().and_then(datasheet::named);
    let of_sheet = sheet.into_iter().flat_map(|sheet| {
        let source = format!("promised, as {}: {}", sheet.title, sheet.source);
        sheet.promises.iter().filter_map(move |p| limit(p, device, LimitKind::Promise, source.clone()))
    });
    let own = expect.promises.iter().filter_map(|p| {
        let limit = limit(p, device, LimitKind::Promise, format!("promised by the study: {}", p.key))?;
        Some(Limit { promise: Some(p.key.clone()), ..limit })
    });
    own.chain(of_sheet).collect()
}

/// A promise as a limit of one device; absent where it bounds no rate.
pub(super) fn limit(promise: &Promise, device: &str, kind: LimitKind, source: String) -> Option<Limit> {
    let fits = match promise.metric {
        metric::THROUGHPUT => promise.unit == Unit::BytesPerSecond,
        metric::IOPS => promise.unit == Unit::PerSecond,
        _ => false,
    };
    let resource = Resource::of(ResourceKind::Block, device);
    fits.then(|| Limit {
        direction: promise.direction,
        effective: Some(promise.value),
        block_bytes: promise.block_bytes,
        access: promise.access,
        ..Limit::new(resource, promise.metric, promise.unit, kind, source)
    })
}

#[cfg(test)]
mod tests {
    use model::limit::{Access, Direction};
    use model::metric;

    use super::*;

    #[test]
    fn promises_and_a_named_datasheet_become_limits() {
        let expect = Expect {
            promises: vec![
                Promise {
                    key: "read".to_owned(),
                    metric: metric::THROUGHPUT,
                    direction: Some(Direction::Read),
                    access: Some(Access::Sequential),
                    block_bytes: None,
                    value: 5e8,
                    unit: Unit::BytesPerSecond,
                },
                Promise {
                    key: "latency_p99".to_owned(),
                    metric: metric::LATENCY_P99,
                    direction: None,
                    access: None,
                    block_bytes: None,
                    value: 1e-3,
                    unit: Unit::Seconds,
                },
            ],
            datasheet: Some("samsung-860-pro-256gb".to_owned()),
        };
        let found = promised(&expect, "sda");
        assert!(found.iter().all(|l| l.kind == LimitKind::Promise && l.resource.as_str() == "block:sda"));
        assert_eq!(found[0].effective, Some(5e8));
        assert!(found.iter().all(|l| l.quantity != metric::LATENCY_P99), "a latency bounds no rate");
        let reads =
            found.iter().find(|l| l.block_bytes == Some(4096) && l.direction == Some(Direction::Read));
        assert_eq!(reads.unwrap().effective, Some(100_000.0));
        assert!(promised(&Expect::default(), "sda").is_empty());
    }
}
