//! Features as a driver may have them, without one.

use super::*;

/// Features as `ethtool -k` shows them: a `+` or `-` of what is wanted, of what is active, and `!` if fixed.
fn features(all: &[(&str, &str)]) -> Vec<Feature> {
    let feature = |(bit, (name, marks)): (usize, &(&str, &str))| Feature {
        bit,
        name: (*name).to_owned(),
        is_switchable: !marks.ends_with('!'),
        is_wanted: marks.starts_with('+'),
        is_active: marks[1..].starts_with('+'),
    };
    all.iter().enumerate().map(feature).collect()
}

/// As the kernel has it after a change of what is wanted, if nothing depends on anything.
fn after(all: &[Feature], changes: &[(usize, bool)]) -> Vec<Feature> {
    let mut all = all.to_vec();
    for (bit, is_wanted) in changes {
        (all[*bit].is_wanted, all[*bit].is_active) = (*is_wanted, *is_wanted);
    }
    all
}

#[test]
fn a_change_is_read_back_and_put_back_by_the_names() {
    // A veth: GRO is off, and one feature of TCP segmentation is nobody's.
    let before = features(&[
        ("rx-gro", "--"),
        ("tx-tcp-segmentation", "++"),
        ("tx-tcp-mangleid-segmentation", "+-"),
        ("tx-tcp6-segmentation", "++"),
        ("tx-generic-segmentation", "++"),
        ("tx-udp-segmentation", "++"),
        ("rx-lro", "--!"),
    ]);
    assert!(matches!(ALL.state(&before), Value::List(_)), "some are on");
    assert_eq!((TSO.state(&before), GRO.state(&before)), (Value::Bool(true), Value::Bool(false)));
    let saved = ALL.saved(&before);
    assert_eq!(
        saved.to_string(),
        "rx-gro:off+tx-tcp-segmentation:on+tx-tcp6-segmentation:on+tx-generic-segmentation:on+\
         tx-udp-segmentation:on"
    );
    let off = after(&before, &ALL.changes(&before, &Value::Bool(false)).unwrap().0);
    assert_eq!(ALL.state(&off), Value::Bool(false));
    assert_eq!(off[2], before[2]);
    assert!(!is_as_before(&ALL.saved(&off), &saved));
    assert_eq!(after(&off, &ALL.changes(&off, &saved).unwrap().0), before);
    let on = after(&before, &ALL.changes(&before, &Value::Bool(true)).unwrap().0);
    assert_eq!((ALL.state(&on), GRO.state(&on)), (Value::Bool(true), Value::Bool(true)));
    assert_eq!(ALL.changes(&on, &saved), Ok((vec![(0, false)], vec![])), "only what is not as before");
    assert!(is_as_before(&ALL.saved(&before), &saved));
}

#[test]
fn what_waits_for_another_feature_is_as_before() {
    let all = |checksum: &str, segmentation: &str| {
        features(&[("tx-checksum-ip-generic", checksum), (SCATTER_GATHER_NAME, "++"), (TCP4, segmentation)])
    };
    let before = TSO.saved(&all("++", "++"));
    let waits = TSO.saved(&all("--", "+-"));
    assert_eq!(waits.to_string(), "tx-tcp-segmentation:off without tx-checksum-ip-generic");
    assert!(is_as_before(&waits, &before) && is_as_before(&before, &waits));
    assert_eq!(TSO.state(&all("--", "--")), Value::Bool(false));
    // The driver failed: nothing else keeps it from being active.
    let failed = TSO.saved(&all("++", "+-"));
    assert_eq!(failed.to_string(), "tx-tcp-segmentation:off, wanted");
    assert!(!is_as_before(&failed, &before) && is_as_before(&failed, &failed));
    let forced = TSO.saved(&all("++", "-+"));
    assert!(!is_as_before(&forced, &TSO.saved(&all("++", "--"))));
    assert!(!is_as_before(&TSO.saved(&all("++", "--")), &before));
}

#[test]
fn what_a_driver_keeps_is_refused_by_its_name() {
    let virtual_machine =
        features(&[(TCP4, "++"), (GENERIC, "++"), (RECEIVE, "++"), (RECEIVE_HARDWARE, "-+!")]);
    assert_eq!(ALL.state(&virtual_machine), Value::Bool(true));
    assert_eq!(ALL.fixed(&virtual_machine, &Value::Bool(true)), None);
    let reason = ALL.fixed(&virtual_machine, &Value::Bool(false)).unwrap();
    assert!(reason.contains("keeps rx-gro-hw on") && reason.contains("offload-gro"), "{reason}");
    assert_eq!(GRO.fixed(&virtual_machine, &Value::Bool(false)), None);
    // Off and fixed is off.
    assert_eq!(LRO.state(&virtual_machine), Value::Bool(false));
    assert_eq!(LRO.saved(&virtual_machine), Value::Bool(false));
    assert!(LRO.fixed(&virtual_machine, &Value::Bool(true)).unwrap().contains("switched: rx-lro"));
    let gone = named_parts::value([(LARGE_RECEIVE, ON.to_owned())]);
    assert_eq!(LRO.changes(&virtual_machine, &gone), Ok((vec![], vec!["rx-lro".to_owned()])));
    let other = named_parts::value([("highdma", ON.to_owned())]);
    let none_of_these = ALL.changes(&features(&[("highdma", "--")]), &other);
    assert_eq!(none_of_these, Ok((vec![], vec!["highdma".to_owned()])));
    assert!(ALL.changes(&virtual_machine, &Value::from("on")).is_err());
}

#[test]
fn the_loopback_has_offloads_and_what_is_not_there_has_none() {
    let (lo, none) = (Resource::from("nic:lo"), Resource::from("nic:hr-none"));
    assert!(matches!(GSO.read(&lo), Ok(Value::Bool(_))));
    let fixed = SCATTER_GATHER.side_effects(&lo, &Value::Bool(false)).unwrap_err().to_string();
    assert!(fixed.contains("tx-scatter-gather"), "{fixed}");
    for setting in [ALL, TSO, GSO, GRO, LRO, TX_CHECKSUM, RX_CHECKSUM, SCATTER_GATHER] {
        assert!(matches!(setting.read(&none), Err(SettingError::Gone { .. })));
        assert!(matches!(setting.write(&none, &Value::Bool(true)), Err(SettingError::Gone { .. })));
        assert!(matches!(setting.side_effects(&none, &Value::Bool(true)), Err(SettingError::Gone { .. })));
    }
}

#[test]
fn regression_a_feature_that_only_waited_for_another_one_was_taken_for_off() {
    let waits = features(&[(TX_CHECKSUM_NAMES[0], "--"), (SCATTER_GATHER_NAME, "++"), (TCP4, "+-")]);
    assert_eq!(TSO.state(&waits).to_string(), "tx-tcp-segmentation:off without tx-checksum-ip-generic");
    // It is off for good when it is not wanted, whatever becomes of the other.
    assert_eq!(TSO.changes(&waits, &Value::Bool(false)), Ok((vec![(2, false)], vec![])));
    let off = after(&waits, &[(2, false)]);
    assert_eq!(TSO.state(&off), Value::Bool(false));
    // What the driver keeps off is off, whatever is wanted.
    assert_eq!(TSO.state(&features(&[(TCP4, "+-!"), (TCP6, "--")])), Value::Bool(false));
}

#[test]
fn regression_a_feature_that_is_not_switchable_any_more_kept_others_from_being_put_back() {
    let before = features(&[(TCP4, "++"), (TCP6, "++"), (GENERIC, "++"), (RECEIVE, "++")]);
    let off = after(&before, &ALL.changes(&before, &Value::Bool(false)).unwrap().0);
    let fixed = |feature: Feature| Feature { is_switchable: feature.name != TCP6, ..feature };
    let off: Vec<Feature> = off.into_iter().map(fixed).collect();
    let (mut changes, fixed) = ALL.changes(&off, &ALL.saved(&before)).unwrap();
    changes.sort_unstable();
    assert_eq!(changes, [(0, true), (2, true), (3, true)]);
    assert_eq!(fixed, [TCP6]);
}
