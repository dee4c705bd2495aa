//! `interface-rate`: bits per second to which an interface is held as it sends, by a
//! token bucket at the root of its queueing disciplines (tc-tbf(8),
//! `net/sched/sch_tbf.c`), by rtnetlink(7).
//!
//! What stands at the root is thrown away with its options. It can be had again
//! only where the kernel made it by itself: such a one has the handle 0, its options
//! cannot have been changed (`tc_modify_qdisc` in `net/sched/sch_api.c`), and the
//! kernel makes another where the token bucket is taken away (`dev_activate` in
//! `net/sched/sch_generic.c`). Of the kinds that it makes, `noqueue` and `pfifo_fast`
//! are always made alike; others (`fq_codel`, `fq`) depend on the MTU, the link and the
//! parameters of their module at that moment.

use model::resource::Symbol;
use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, ResourceKind, Unit, Value};
use rustix::io::Errno;

use super::journal::SideEffect;
use super::link::{self, Link};
use super::{Setting, SettingError, interface};
use crate::inventory::network::netlink::{
    Node, TCA_KIND, TCA_OPTIONS, TCA_TBF_BURST, TCA_TBF_PARMS, TCA_TBF_RATE64, disciplines,
};
use crate::inventory::network::wire::{
    self, DELETE_QDISC, FLAGS_CHANGE, FLAGS_CREATE, NEW_QDISC, ROOT, TC_HEAD, push_attribute,
};

/// By which ours is known: `tc` shows it as `4852:`. It is none of those that the
/// kernel gives by itself, which begin at 8001.
const HANDLE: u32 = 0x4852 << 16;
const TBF: &str = "tbf";
/// What an interface has that is down, and one with nothing else.
const NONE: &str = "none";
/// What an interface without a queue has, whatever the kernel gives others.
const NOQUEUE: &str = "noqueue";
/// Which the kernel makes alike each time, from the length of the transmit queue alone.
const PFIFO_FAST: &str = "pfifo_fast";
/// What the kernel makes of an interface with several queues, with one below for each.
const MQ: &str = "mq";
/// The kind that the kernel gives interfaces without a rule of their own. Shown in
/// the first network namespace only.
const DEFAULT_KIND: &str = "/proc/sys/net/core/default_qdisc";

/// The least that is set, in bits per second: what drives a trial at the other
/// end passes here too.
const LEAST: f64 = 100e3;
/// As many times a second the rate may go out at once: 4 ms of it, as long as a tick
/// of a usual kernel (`CONFIG_HZ` of 250), by which tc-tbf(8) has it reckoned.
const BURST: u64 = 250;
/// As many times a second the rate may wait, beside that: 50 ms of it. What is more
/// is dropped.
const LIMIT: u64 = 20;
/// Beside the MTU: the head of Ethernet with a VLAN tag.
const HEAD: u64 = 18;

pub(super) struct InterfaceRate;

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "interface-rate",
        Kind::Rate,
        "The bits per second to which the interface is held as it sends, heads of Ethernet and IP included: 100m is \
         100 Mbit/s, 1g is 1 Gbit/s. A token bucket (tc-tbf(8)) takes the place of the queueing discipline at the root \
         of the interface, one for all of its queues; 4 ms of the rate may go out at once (at least two packets), 50 ms \
         may wait, and what is more is dropped, as is what waits when it is changed. What is received is not held: without \
         `@INTERFACE` it is the interface towards the peer, at both ends, so that both ways are. The kernel counts \
         whole bytes per second. The interface must be up, and its discipline one that the kernel always makes alike by \
         itself (noqueue; pfifo_fast, also below mq, where net.core.default_qdisc says so) and that nobody has changed; any \
         other is refused, because its options could not be put back. It cannot be set together with the MTU of the same \
         interface, on which the sizes of the bucket depend.",
    ),
    unit: Unit::PerSecond,
    binds: Some(Symbol::PeerInterface),
    holds: Some(ResourceKind::Nic),
    summary: "bits per second that a network interface sends at most",
};

impl Setting for InterfaceRate {
    fn spec(&self) -> &'static SettingSpec {
        &SPEC
    }

    fn is_of_namespace(&self) -> bool {
        true
    }

    fn not_beside(&self) -> &'static [&'static str] {
        &["mtu"]
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        let link = found(resource)?;
        Ok(state(&link, &own(&link, resource)?))
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        let link = found(resource)?;
        let refused = |reason: String| SettingError::refused(&SPEC, resource, value, reason);
        let changed = match value {
            Value::Number(bits) if *bits >= LEAST => create(&link, (*bits / 8.0) as u64),
            // What was there before, which the kernel makes again by itself.
            Value::Text(_) => {
                let all = own(&link, resource)?;
                if let Some(reason) = in_the_way(&link, &all) {
                    return Err(refused(reason));
                }
                let taken = take_away(&link, &all);
                if taken.is_ok() && !link.is_up {
                    let reason = "it is down: set it up, and the kernel makes again what was there before";
                    return Err(refused(reason.to_owned()));
                }
                taken
            }
            _ => {
                return Err(refused(format!(
                    "{} is the least that is set",
                    SPEC.show(&Value::Number(LEAST))
                )));
            }
        };
        changed.map_err(|error| match error {
            Errno::NODEV => SettingError::gone(&SPEC, resource),
            Errno::PERM | Errno::ACCESS => {
                refused(format!("{error}; run Headroom as root, or with CAP_NET_ADMIN"))
            }
            Errno::EXIST => refused("somebody set a queueing discipline meanwhile".to_owned()),
            // The kernel knows no token bucket.
            Errno::NOENT => refused("this kernel has no token bucket (CONFIG_NET_SCH_TBF)".to_owned()),
            other => refused(other.to_string()),
        })
    }

    // Nothing but what stands at the root: classes and filters hang on a discipline
    // with a handle, what is at the ingress is apart, and the interface keeps its
    // length of the queue.
    fn side_effects(&self, resource: &Resource, value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        let link = found(resource)?;
        let all = own(&link, resource)?;
        let default = std::fs::read_to_string(DEFAULT_KIND).ok();
        match lost(&link, &all, default.as_deref().map(str::trim)) {
            None => Ok(Vec::new()),
            Some(reason) => Err(SettingError::refused(&SPEC, resource, value, reason)),
        }
    }
}

/// The interface.
fn found(resource: &Resource) -> Result<Link, SettingError> {
    let links = link::all().map_err(|reason| SettingError::unreadable(&SPEC, resource, reason))?;
    let name = interface::name(resource);
    let found = links.into_iter().find(|link| link.name == name);
    found.ok_or_else(|| SettingError::gone(&SPEC, resource))
}

/// The queueing disciplines of an interface.
fn own(link: &Link, resource: &Resource) -> Result<Vec<Node>, SettingError> {
    let mut all = disciplines().map_err(|reason| SettingError::unreadable(&SPEC, resource, reason))?;
    all.retain(|node| node.index == link.index);
    Ok(all)
}

fn root(all: &[Node]) -> Option<&Node> {
    all.iter().find(|node| node.parent == ROOT)
}

/// Whether a discipline is one that was set here.
fn is_ours(node: &Node) -> bool {
    node.kind == TBF && node.handle == HANDLE
}

/// The rate of ours in bits per second, if it lets as much wait as we would; of any
/// other what it is: `noqueue`, `mq of pfifo_fast`, `htb 1:`.
fn state(link: &Link, all: &[Node]) -> Value {
    let Some(root) = root(all) else { return Value::Text(NONE.to_owned()) };
    if is_ours(root) {
        let rate = root.rate.unwrap_or(0);
        return match root.limit {
            Some(limit) if limit == sizes(link, rate).1 => Value::Number(rate as f64 * 8.0),
            limit => Value::Text(format!("{} with a limit of {} bytes", named(root), limit.unwrap_or(0))),
        };
    }
    if root.handle != 0 {
        return Value::Text(named(root));
    }
    let mut below: Vec<String> = below(all).map(named).collect();
    below.sort();
    below.dedup();
    let queues = if below.is_empty() { String::new() } else { format!(" of {}", below.join(" and ")) };
    Value::Text(format!("{}{queues}", root.kind))
}

/// As `tc` shows it: `htb 1:`; one that the kernel made by its kind alone.
fn named(node: &Node) -> String {
    match node.handle >> 16 {
        0 => node.kind.clone(),
        major => format!("{} {major:x}:", node.kind),
    }
}

/// Those below a root that the kernel made: of each queue of an interface with several
/// (mq). A parent of theirs is `:1`.
fn below(all: &[Node]) -> impl Iterator<Item = &Node> {
    all.iter().filter(|node| node.parent >> 16 == 0)
}

/// Why what stands at the root could not be put back; none where it could. `default`
/// is the kind that the kernel gives, where it says so.
fn lost(link: &Link, all: &[Node], default: Option<&str>) -> Option<String> {
    if !link.is_up {
        return Some("it is down: what it has then is another than when it is up".to_owned());
    }
    let Some(root) = root(all) else { return Some("it has no queueing discipline".to_owned()) };
    if is_ours(root) {
        return Some(format!(
            "a rate that an earlier run of Headroom set is left there; `tc qdisc del dev {} root` takes it away",
            link.name
        ));
    }
    let stands = state(link, all).to_string();
    if root.handle != 0 {
        return Some(format!(
            "somebody set its queueing discipline ({stands}), whose options could not be put back; `tc qdisc del dev {} \
             root` takes it away",
            link.name
        ));
    }
    if root.kind == NOQUEUE && below(all).next().is_none() {
        return None;
    }
    let plain = |node: &Node| node.kind == PFIFO_FAST && node.handle == 0;
    let mut queues = below(all).peekable();
    let is_plain = match root.kind.as_str() {
        MQ => queues.peek().is_some() && queues.all(plain),
        _ => plain(root) && queues.peek().is_none(),
    };
    if !is_plain {
        return Some(format!(
            "its queueing discipline is {stands}, which the kernel does not always make alike, so that it could not be \
             put back; noqueue and pfifo_fast (also below mq) could"
        ));
    }
    match default {
        Some(PFIFO_FAST) => None,
        Some(default) => Some(format!(
            "its queueing discipline is {stands}, and in its place the kernel would now make {default} \
             (net.core.default_qdisc), so that it could not be put back"
        )),
        None => Some(format!(
            "its queueing discipline is {stands}, and whether the kernel would make it again is told in the first \
             network namespace only ({DEFAULT_KIND})"
        )),
    }
}

/// Why the kernel cannot be let make again what was there before; none where it can.
fn in_the_way(link: &Link, all: &[Node]) -> Option<String> {
    let root = root(all).filter(|root| root.handle != 0 && !is_ours(root))?;
    Some(format!(
        "somebody set {} there since; `tc qdisc del dev {} root` brings back what was before",
        named(root),
        link.name
    ))
}

/// What `struct tcmsg` says of the root of an interface.
fn head(link: &Link, handle: u32) -> Vec<u8> {
    let mut head = vec![0; TC_HEAD];
    for (at, number) in [(4, link.index), (8, handle), (12, ROOT)] {
        head[at..at + 4].copy_from_slice(&number.to_ne_bytes());
    }
    head
}

/// The bytes of a bucket, and those that may wait.
fn sizes(link: &Link, rate: u64) -> (u32, u32) {
    let burst = (rate / BURST).max(2 * (link.mtu + HEAD));
    let whole = |bytes: u64| u32::try_from(bytes).unwrap_or(u32::MAX);
    (whole(burst), whole(burst.saturating_add(rate / LIMIT)))
}

/// A request for a token bucket of `rate` bytes per second at the root.
fn request(link: &Link, rate: u64) -> Vec<u8> {
    /// `TC_LINKLAYER_ETHERNET`: the kernel computes times itself.
    const ETHERNET: u8 = 1;
    let (burst, limit) = sizes(link, rate);
    // `struct tc_tbf_qopt`: two `struct tc_ratespec` of 12 bytes, that of the rate
    // and that of the peak, of which there is none; then the limit, and the bucket
    // in ticks, in place of which it is given in bytes.
    let mut parameters = vec![0; 36];
    parameters[1] = ETHERNET;
    parameters[8..12].copy_from_slice(&u32::try_from(rate).unwrap_or(u32::MAX).to_ne_bytes());
    parameters[24..28].copy_from_slice(&limit.to_ne_bytes());
    let mut options = Vec::new();
    push_attribute(&mut options, TCA_TBF_PARMS, &parameters);
    if u32::try_from(rate).is_err() {
        push_attribute(&mut options, TCA_TBF_RATE64, &rate.to_ne_bytes());
    }
    push_attribute(&mut options, TCA_TBF_BURST, &burst.to_ne_bytes());
    let mut payload = head(link, HANDLE);
    push_attribute(&mut payload, TCA_KIND, format!("{TBF}\0").as_bytes());
    push_attribute(&mut payload, TCA_OPTIONS, &options);
    payload
}

/// Puts a token bucket at the root, where nobody else has put anything.
fn create(link: &Link, rate: u64) -> Result<(), Errno> {
    wire::change(NEW_QDISC, FLAGS_CREATE, &request(link, rate))
}

/// Takes ours away, if it stands at the root; the kernel compares the handle.
fn take_away(link: &Link, all: &[Node]) -> Result<(), Errno> {
    if root(all).is_none_or(|root| !is_ours(root)) {
        return Ok(());
    }
    match wire::change(DELETE_QDISC, FLAGS_CHANGE, &head(link, HANDLE)) {
        Err(Errno::NOENT) => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inventory::network::netlink::node;

    fn link() -> Link {
        Link { index: 3, name: "va".to_owned(), mtu: 1500, is_up: true, ..Link::default() }
    }

    fn discipline(handle: u32, parent: u32, kind: &str) -> Node {
        Node { index: 3, handle, parent, kind: kind.to_owned(), rate: None, limit: None, fallback: None }
    }

    fn text(all: &[Node]) -> String {
        state(&link(), all).to_string()
    }

    fn refusal(all: &[Node], default: Option<&str>) -> Option<String> {
        lost(&link(), all, default)
    }

    #[test]
    fn what_is_asked_for_is_what_is_read() {
        for rate in [125_000_u64, 125_000_000, 10_000_000_000] {
            // An answer of the kernel has the same form.
            let read = node(&request(&link(), rate)).unwrap();
            assert_eq!((read.index, read.parent, read.rate), (3, ROOT, Some(rate)));
            assert!(is_ours(&read));
            assert_eq!(state(&link(), std::slice::from_ref(&read)), Value::Number(rate as f64 * 8.0));
            let other = Node { limit: Some(7), ..read };
            assert_eq!(text(&[other]), "tbf 4852: with a limit of 7 bytes", "somebody changed it");
        }
        assert_eq!(sizes(&link(), 125_000_000), (500_000, 6_750_000));
        let (burst, limit) = sizes(&link(), 12_500);
        assert_eq!((burst, limit), (3036, 3036 + 625), "two packets at least");
        assert_eq!(sizes(&link(), u64::MAX), (u32::MAX, u32::MAX));
    }

    #[test]
    fn only_what_the_kernel_always_makes_alike_can_be_put_back() {
        let none = [discipline(0, ROOT, "noqueue")];
        assert_eq!((refusal(&none, None), refusal(&none, Some("fq"))), (None, None));
        let down = Link { is_up: false, ..link() };
        assert!(lost(&down, &none, None).unwrap().contains("it is down"));
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
            (vec![discipline(0, ROOT, "fq_codel")], "fq_codel"),
            (vec![discipline(0, ROOT, "fq")], "fq"),
            (vec![discipline(0, ROOT, "mq")], "mq"),
            (queues("fq_codel", 0).to_vec(), "mq of fq_codel and pfifo_fast"),
            (queues("pfifo_fast", 0x10 << 16).to_vec(), "mq of pfifo_fast and pfifo_fast 10:"),
        ] {
            assert_eq!(text(&all), shown);
            for default in ["fq_codel", "fq", "pfifo_fast"] {
                assert!(refusal(&all, Some(default)).unwrap().contains("always make alike"), "{shown}");
            }
        }
    }

    #[test]
    fn what_somebody_set_is_refused() {
        for (kind, handle, shown) in [
            ("htb", 1 << 16, "htb 1:"),
            ("pfifo_fast", 0x8001 << 16, "pfifo_fast 8001:"),
            (TBF, 1 << 16, "tbf 1:"),
        ] {
            let all = [discipline(handle, ROOT, kind), discipline(0, 0x1_0001, "pfifo_fast")];
            assert_eq!(text(&all), shown);
            assert!(refusal(&all, Some("pfifo_fast")).unwrap().contains(shown), "{kind}");
            let since = in_the_way(&link(), &all).unwrap();
            assert!(since.contains(&format!("somebody set {shown} there since")), "{since}");
            assert_eq!(take_away(&link(), &all), Ok(()), "it is not ours to take away");
        }
        let ours = [discipline(HANDLE, ROOT, TBF)];
        assert!(refusal(&ours, None).unwrap().contains("earlier run"));
        assert_eq!(in_the_way(&link(), &ours), None);
        assert_eq!(in_the_way(&link(), &[discipline(0, ROOT, "noqueue")]), None);
        // What is at the ingress is none of it.
        let ingress = discipline(0xffff << 16, 0xffff_fff1, "clsact");
        assert_eq!(text(std::slice::from_ref(&ingress)), NONE);
        assert!(refusal(std::slice::from_ref(&ingress), None).unwrap().contains("no queueing discipline"));
        assert_eq!(refusal(&[ingress, discipline(0, ROOT, "noqueue")], None), None);
    }

    #[test]
    fn the_loopback_has_a_state_and_what_is_not_there_has_none() {
        assert!(matches!(
            InterfaceRate.read(&Resource::from("nic:lo")),
            Ok(Value::Text(_) | Value::Number(_))
        ));
        let (none, slow) = (Resource::from("nic:hr-none"), Value::Number(1e9));
        assert!(matches!(InterfaceRate.read(&none), Err(SettingError::Gone { .. })));
        assert!(matches!(InterfaceRate.write(&none, &slow), Err(SettingError::Gone { .. })));
        assert!(matches!(InterfaceRate.side_effects(&none, &slow), Err(SettingError::Gone { .. })));
        let lo = Resource::from("nic:lo");
        let error = InterfaceRate.write(&lo, &Value::Number(10.0)).unwrap_err().to_string();
        assert!(error.contains("interface-rate=10/s") && error.contains("100k/s"), "{error}");
    }
}
