//! Kills of a run that changes settings of an interface: whatever it had changed,
//! and what the kernel changed with it, is put back.

use super::{Attack, kill};
use crate::namespaces::Namespaces;
use crate::process::{PATIENCE, Running};
use crate::round::{Round, Trouble};

pub(super) const ATTACK: Attack = Attack {
    name: "kill-settings",
    about: "kills a run that changes settings; all is put back, at the latest by `headroom restore`",
    round,
};

/// An interface with addresses of both families, routes, one with an MTU of its own,
/// and another interface that stands on it.
pub(super) const LAY: &str = "
    echo 0 > /proc/sys/net/ipv6/conf/all/accept_dad; echo 0 > /proc/sys/net/ipv6/conf/default/accept_dad
    ip link add va type veth peer name vb
    ip link set lo up; ip link set vb up; ip link set va up
    ip addr add 10.213.1.1/24 dev va; ip addr add fd00:213::1/64 dev va nodad
    ip link add vm link va type macvlan; ip link set vm up; ip addr add 10.213.2.1/24 dev vm
    ip route add 10.99.0.0/16 via 10.213.1.2 mtu 1400; ip route add 10.98.0.0/16 dev vm
    for i in va vb vm; do
        until ip -6 addr show dev $i scope link | grep fe80 | grep -qv tentative; do sleep 0.01; done
    done";

/// All that a setting could have changed; what is random or a list of modules is no state.
const LOOK: &str = "
    for i in va vb vm; do
        echo $i $(cat /sys/class/net/$i/mtu) $(cat /sys/class/net/$i/tx_queue_len)
        ethtool -k $i > /dev/null
        ethtool -k $i | sed 's/^/'$i' /'
    done
    ip -d link; ip -o addr; tc qdisc show
    ip route show table all | sort; ip -6 route show table all | sort
    find /proc/sys/net/core /proc/sys/net/ipv4 /proc/sys/net/ipv6 -type f ! -name '*_key' ! -name '*_available_*' \
        -exec grep -sH . {} + | sort || true";

/// What there is of settings.
pub(super) fn state(round: &Round, namespaces: &Namespaces) -> Result<String, Trouble> {
    namespaces.shell(round, LOOK)
}

fn round(round: &mut Round) -> Result<(), Trouble> {
    let namespaces = Namespaces::new()?;
    namespaces.shell(round, LAY)?;
    let before = state(round, &namespaces)?;
    let mtu = round.pick(&["1300", "1400,9000", "2000", "9000", "1280,1281"]);
    let mtu = format!("mtu@va={mtu}");
    let queue = format!("tx-queue-length@va={}", 1 + round.below(4000));
    let kind =
        format!("queueing-discipline@va={}", round.pick(&["pfifo,bfifo", "pfifo_fast", "default,pfifo"]));
    let rate = format!("interface-rate@va={}", round.pick(&["1g", "100m,10g"]));
    let offload = round.pick(&[
        "offloads@va=no",
        "offloads@va=no,yes",
        "offload-tso@va=no",
        "offload-tx-checksum@va=no,yes",
        "offload-gro@va=yes",
    ]);
    let sets: &[&str] = match round.below(8) {
        0 => &["--set", &mtu],
        1 => &["--set", &queue],
        2 => &["--set", &kind],
        3 => &["--set", &rate],
        4 => &["--set", offload],
        5 => &["--set", &mtu, "--set", offload],
        6 => &["--set", "mtu@va=1400,9000", "--set", "mtu@vm=1300,1350"],
        _ => &["--set", &mtu, "--set", &queue],
    };
    let short = ["run", "null", "--duration", "30ms", "--warm-up", "0", "--trials", "10", "--no-extra"];
    let run = Running::start(namespaces.headroom(round, &[&short, sets].concat()))?;
    let cases: u64 = sets.iter().map(|set| levels(set)).product();
    let (ended, is_both) = kill::under_settings(round, run, cases)?;
    round.nobody_is_left()?;
    let after = state(round, &namespaces)?;
    let is_back = after == before;
    if !is_back {
        round.count("left changed until `restore`");
    }
    let restored = Running::start(namespaces.headroom(round, &["restore"]))?.end(PATIENCE, &[])?;
    let restored = restored.with(&[0])?;
    let after = state(round, &namespaces)?;
    if after != before {
        return Err(restored.fault(&format!("settings stayed changed:\n{}", difference(&before, &after))));
    }
    if !is_back && !is_both {
        return Err(ended.fault("who lived on left settings changed until `restore`"));
    }
    // What comes next is let in, and undisturbed.
    let next =
        ["run", "null", "--duration", "20ms", "--warm-up", "0", "--trials", "1", "--set", "mtu@va=1450"];
    Running::start(namespaces.headroom(round, &next))?.end(PATIENCE, &[])?.with(&[0])?;
    match state(round, &namespaces)? {
        after if after == before => Ok(()),
        after => Err(Trouble::Fault(format!("the next run left:\n{}", difference(&before, &after)))),
    }
}

/// How many levels are asked for: `mtu@va=1400,9000` are two, and a word without any counts as one.
pub(super) fn levels(set: &str) -> u64 {
    1 + set.matches(',').count() as u64
}

/// The lines that are only in one of both.
pub(super) fn difference(before: &str, after: &str) -> String {
    let only = |of: &str, in_other: &str, sign: &str| {
        let lines = of.lines().filter(|line| !in_other.lines().any(|other| other == *line));
        lines.map(|line| format!("    {sign} {line}\n")).collect::<String>()
    };
    only(before, after, "-") + &only(after, before, "+")
}
