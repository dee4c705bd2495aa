//! Disciplines as the kernel describes them, without one.

use super::*;

pub(in crate::setting) fn queueing(all: &[Node]) -> Queueing {
    let link = Link {
        index: 3,
        name: "va".to_owned(),
        mtu: 1500,
        is_up: true,
        is_ethernet: true,
        queue_length: Some(1000),
        ..Link::default()
    };
    Queueing { link, all: all.to_vec() }
}

fn discipline(handle: u32, parent: u32, kind: &str) -> Node {
    let kind = kind.to_owned();
    Node {
        index: 3,
        handle,
        parent,
        kind,
        rate: None,
        flow_rate: None,
        limit: None,
        fallback: None,
        quantum: None,
    }
}

fn fair(parent: u32, kind: &str, quantum: u32) -> Node {
    Node { quantum: Some(quantum), ..discipline(0, parent, kind) }
}

fn text(all: &[Node]) -> String {
    queueing(all).text()
}

fn refusal(all: &[Node], default: Option<&str>) -> Option<String> {
    queueing(all).lost(default, false)
}

#[test]
fn only_what_the_kernel_always_makes_alike_can_be_put_back() {
    let none = [discipline(0, ROOT, "noqueue")];
    assert_eq!((refusal(&none, None), refusal(&none, Some("fq"))), (None, None));
    let mut down = queueing(&none);
    down.link.is_up = false;
    assert!(down.lost(None, false).unwrap().contains("it is down"));
    let plain = [discipline(0, ROOT, "pfifo_fast")];
    assert_eq!(refusal(&plain, Some("pfifo_fast")), None);
    assert!(refusal(&plain, Some("fq")).unwrap().contains("fq (net.core.default_qdisc)"));
    assert!(refusal(&plain, None).unwrap().contains("first network namespace"));
    let queues = |second: &str, handle: u32| {
        [discipline(0, ROOT, "mq"), discipline(0, 2, "pfifo_fast"), discipline(handle, 1, second)]
    };
    assert_eq!(text(&queues("pfifo_fast", 0)), "mq of pfifo_fast");
    assert_eq!(refusal(&queues("pfifo_fast", 0), Some("pfifo_fast")), None);
    assert!(refusal(&queues("pfifo_fast", 0), Some("fq_codel")).is_some());
    for (all, shown) in [
        (vec![discipline(0, ROOT, "sfq")], "sfq"),
        (vec![discipline(0, ROOT, "cake")], "cake"),
        (vec![discipline(0, ROOT, "mq")], "mq"),
        (vec![discipline(0, ROOT, "pfifo_fast"), discipline(0, 1, "pfifo_fast")], "pfifo_fast of pfifo_fast"),
        (queues("fq_codel", 0).to_vec(), "mq of fq_codel and pfifo_fast"),
        (queues("pfifo_fast", 0x10 << 16).to_vec(), "mq of pfifo_fast and pfifo_fast 10:"),
    ] {
        assert_eq!(text(&all), shown);
        for default in ["fq_codel", "fq", "pfifo_fast", "sfq", "cake"] {
            assert!(refusal(&all, Some(default)).unwrap().contains("always make alike"), "{shown}");
        }
    }
}

#[test]
fn fair_queues_are_made_alike_as_long_as_the_mtu_is_the_same() {
    for (kind, quantum) in [("fq_codel", 1514), ("fq", 3028)] {
        let alone = [fair(ROOT, kind, quantum)];
        assert_eq!(refusal(&alone, Some(kind)), None, "{kind}");
        assert!(refusal(&alone, Some("pfifo_fast")).unwrap().contains("net.core.default_qdisc"));
        let queues = [discipline(0, ROOT, "mq"), fair(1, kind, quantum), fair(2, kind, quantum)];
        assert_eq!(
            (text(&queues), refusal(&queues, Some(kind))),
            (format!("mq of {kind} (quantum {quantum})"), None)
        );
        // Made before the MTU was changed, one queue alone, too.
        let mut other = queueing(&alone);
        other.link.mtu = 9000;
        let reason = other.lost(Some(kind), false).unwrap();
        assert!(reason.contains(&format!("made with a quantum of {quantum} bytes")), "{reason}");
        let odd = [discipline(0, ROOT, "mq"), fair(1, kind, quantum), fair(2, kind, quantum + 1)];
        assert!(refusal(&odd, Some(kind)).unwrap().contains("quantum"), "{kind}");
        // What its packets begin with is not known, or the quantum is not.
        let mut tunnel = queueing(&alone);
        tunnel.link.is_ethernet = false;
        assert!(tunnel.lost(Some(kind), false).unwrap().contains("an unknown number"));
        assert!(refusal(&[discipline(0, ROOT, kind)], Some(kind)).unwrap().contains("unknown bytes"));
    }
}

#[test]
fn without_a_transmit_queue_the_kernel_makes_no_pfifo_fast() {
    let mut without = queueing(&[discipline(0, ROOT, "pfifo_fast")]);
    without.link.queue_length = Some(0);
    assert!(without.lost(Some("pfifo_fast"), false).unwrap().contains("would now make noqueue"));
    let mut none = queueing(&[discipline(0, ROOT, "noqueue")]);
    none.link.queue_length = Some(0);
    assert_eq!(none.lost(None, false), None);
}

#[test]
fn what_somebody_set_is_refused() {
    for (kind, handle, shown) in [
        ("htb", 1 << 16, "htb 1:"),
        ("pfifo_fast", 0x8001 << 16, "pfifo_fast 8001:"),
        ("tbf", 1 << 16, "tbf 1:"),
        ("tbf", OF_KIND.handle, "tbf 4851:"),
        ("fq", OF_RATE.handle, "fq 4852:"),
    ] {
        let all = [discipline(handle, ROOT, kind), discipline(0, 0x1_0001, "pfifo_fast")];
        assert_eq!(text(&all), shown);
        let reason = refusal(&all, Some("pfifo_fast")).unwrap();
        assert!(reason.contains("somebody set") && reason.contains(shown), "{reason}");
        for own in [OF_RATE, OF_KIND] {
            let since = queueing(&all).in_the_way(&own).unwrap();
            assert!(since.contains(&format!("somebody set {shown} there since")), "{since}");
            assert_eq!(queueing(&all).take_away(&own), Ok(()), "it is not ours to take away");
        }
    }
    for (own, other, kind) in [(OF_RATE, OF_KIND, "tbf"), (OF_KIND, OF_RATE, "fq")] {
        let ours = [discipline(own.handle, ROOT, kind)];
        assert!(refusal(&ours, None).unwrap().contains("earlier run"));
        assert_eq!(queueing(&ours).in_the_way(&own), None);
        assert!(queueing(&ours).in_the_way(&other).is_some());
    }
    let default = [discipline(0, ROOT, "noqueue")];
    assert_eq!(queueing(&default).in_the_way(&OF_RATE), None);
    // What is at the ingress is none of it.
    let ingress = discipline(0xffff << 16, 0xffff_fff1, "clsact");
    assert_eq!(text(std::slice::from_ref(&ingress)), NONE);
    assert!(!queueing(std::slice::from_ref(&ingress)).is_by_default());
    assert!(refusal(std::slice::from_ref(&ingress), None).unwrap().contains("no queueing discipline"));
    assert_eq!(refusal(&[ingress, discipline(0, ROOT, "noqueue")], None), None);
}

#[test]
fn regression_filters_on_a_discipline_that_the_kernel_made_were_lost() {
    let alone = queueing(&[fair(ROOT, "fq_codel", 1514)]);
    assert_eq!(alone.lost(Some("fq_codel"), false), None);
    let reason = alone.lost(Some("fq_codel"), true).unwrap();
    assert!(reason.contains("filters hang on") && reason.contains("tc filter show dev va"), "{reason}");
    // What takes none is not asked.
    for kind in ["noqueue", "pfifo_fast", "mq"] {
        assert_eq!(queueing(&[discipline(0, ROOT, kind)]).has_filters(), Ok(false));
    }
    // The loopback has none, whatever stands there.
    let link = link::all().unwrap().into_iter().find(|link| link.name == "lo").unwrap();
    assert_eq!(Queueing { link, ..alone }.has_filters(), Ok(false));
}

#[test]
fn regression_a_discipline_that_the_kernel_made_under_another_mtu_was_as_before() {
    let made = |quantum| text(&[fair(ROOT, "fq_codel", quantum)]);
    assert_eq!(made(1514), "fq_codel (quantum 1514)");
    assert_ne!(made(1514), made(9014));
    // One that somebody set, or a setting, is named by its handle alone.
    let ours = Node { handle: OF_KIND.handle, ..fair(ROOT, "fq_codel", 1514) };
    assert_eq!(text(&[ours]), "fq_codel 4851:");
}

#[test]
fn regression_what_the_kernel_made_of_another_kind_was_refused_for_ever_without_a_way_out() {
    let since = queueing(&[fair(ROOT, "fq", 3028)]);
    for own in [OF_RATE, OF_KIND] {
        let reason = since.made_since(&own).unwrap();
        assert!(
            reason.contains("fq (quantum 3028)") && reason.contains("net.core.default_qdisc"),
            "{reason}"
        );
        assert!(reason.contains("tc qdisc replace dev va root pfifo; tc qdisc del dev va root"), "{reason}");
        let ours = queueing(&[discipline(own.handle, ROOT, own.kinds[0])]);
        assert_eq!(ours.made_since(&own), None, "it is taken away");
    }
    // What somebody set is said otherwise, and one that is down has none.
    assert_eq!(queueing(&[discipline(1 << 16, ROOT, "htb")]).made_since(&OF_RATE), None);
    assert_eq!(queueing(&[]).made_since(&OF_RATE), None);
}
