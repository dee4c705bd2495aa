//! What queues the packets of an interface: the queueing discipline at its root, by
//! rtnetlink(7), for the settings that put another one there.
//!
//! What stands at the root is thrown away with its options. It can be had again
//! only where the kernel made it by itself: such a one has the handle 0, its options
//! cannot have been changed (`tc_modify_qdisc` in `net/sched/sch_api.c`), and the
//! kernel makes another where ours is taken away (`dev_activate` in
//! `net/sched/sch_generic.c`). Of the kinds that it makes, `noqueue` and `pfifo_fast`
//! are always made alike. Of `fq` and `fq_codel` nothing but the quanta depend on the
//! interface (`fq_init` in `net/sched/sch_fq.c`, `fq_codel_init` in
//! `net/sched/sch_fq_codel.c`): they are of the MTU that it had when they were made, and
//! are the same again as long as it has that MTU. Others are not known. Filters may hang on
//! one with the handle 0, too, where its kind takes any (`fq_codel`); they go with it.

use model::setting::SettingSpec;
use model::{Resource, Value};
use rustix::io::Errno;

use super::journal::SideEffect;
use super::link::{self, Link};
use super::mtu::{self, Mtu};
use super::tx_queue_length::TxQueueLength;
use super::{Setting, SettingError, interface};
use crate::inventory::network::netlink::{Node, TCA_KIND, TCA_OPTIONS, disciplines};
use crate::inventory::network::wire::{
    self, DELETE_QDISC, FLAGS_CHANGE, FLAGS_CREATE, GET_FILTER, NEW_QDISC, ROOT, TC_HEAD, push_attribute,
};

/// What a setting puts at the root, and by which it is known.
pub(super) struct OwnDiscipline {
    /// None of those that the kernel gives by itself, which begin at 8001.
    pub(super) handle: u32,
    pub(super) kinds: &'static [&'static str],
}

/// Of `interface-rate`: `tc` shows it as `4852:`.
pub(super) const OF_RATE: OwnDiscipline = OwnDiscipline { handle: 0x4852 << 16, kinds: &[TBF] };
/// Of `queueing-discipline`: `tc` shows it as `4851:`.
pub(super) const OF_KIND: OwnDiscipline = OwnDiscipline {
    handle: 0x4851 << 16,
    kinds: &["fq", "fq_codel", "cake", "sfq", "codel", "pie", "fq_pie", "pfifo", "bfifo", PFIFO_FAST],
};

pub(super) const TBF: &str = "tbf";
/// What an interface has that is down, and one with nothing else.
const NONE: &str = "none";
/// What an interface without a queue has, whatever the kernel gives others.
const NOQUEUE: &str = "noqueue";
/// Which the kernel makes alike each time, from the length of the transmit queue alone.
pub(super) const PFIFO_FAST: &str = "pfifo_fast";
/// What the kernel makes of an interface with several queues, with one below for each.
const MQ: &str = "mq";
/// The other kinds that the kernel can make alike, each with how many packets its
/// quantum is.
const FAIR: &[(&str, u64)] = &[("fq_codel", 1), ("fq", 2)];
/// The kind that the kernel gives interfaces without a rule of their own. Shown in
/// the first network namespace only.
const DEFAULT_KIND: &str = "/proc/sys/net/core/default_qdisc";
/// The head of Ethernet (`ETH_HLEN`), which a packet is counted with beside the MTU
/// (`psched_mtu` in `include/net/pkt_sched.h`).
const HEAD: u64 = 14;

impl OwnDiscipline {
    /// Whether a discipline is one that the setting put there.
    pub(super) fn is(&self, node: &Node) -> bool {
        node.handle == self.handle && self.kinds.contains(&node.kind.as_str())
    }
}

/// An interface, and what queues its packets.
#[derive(Clone, Debug)]
pub(super) struct Queueing {
    pub(super) link: Link,
    pub(super) all: Vec<Node>,
}

impl Queueing {
    /// That of an interface, for a setting.
    pub(super) fn of(spec: &SettingSpec, resource: &Resource) -> Result<Self, SettingError> {
        let unreadable = |reason| SettingError::unreadable(spec, resource, reason);
        let name = interface::name(resource);
        let found = link::all().map_err(unreadable)?.into_iter().find(|link| link.name == name);
        let link = found.ok_or_else(|| SettingError::gone(spec, resource))?;
        let mut all = disciplines().map_err(unreadable)?;
        all.retain(|node| node.index == link.index);
        Ok(Self { link, all })
    }

    pub(super) fn root(&self) -> Option<&Node> {
        self.all.iter().find(|node| node.parent == ROOT)
    }

    /// What is at the root, if a setting put it there.
    pub(super) fn own(&self, of: &OwnDiscipline) -> Option<&Node> {
        self.root().filter(|root| of.is(root))
    }

    /// Whether the kernel made by itself what is at the root.
    pub(super) fn is_by_default(&self) -> bool {
        self.root().is_some_and(|root| root.handle == 0)
    }

    /// Whether what is at the root lets packets wait.
    pub(super) fn has_queue(&self) -> bool {
        self.root().is_some_and(|root| root.kind != NOQUEUE)
    }

    /// Whether filters hang on a root that the kernel made, of a kind that may take any. Those
    /// of the root are told for a parent of 0 (`tc_dump_tfilter` in `net/sched/cls_api.c`).
    fn has_filters(&self) -> Result<bool, String> {
        let takes = |root: &Node| root.handle == 0 && FAIR.iter().any(|(kind, _)| *kind == root.kind);
        if !self.root().is_some_and(takes) {
            return Ok(false);
        }
        let mut head = [0; TC_HEAD];
        head[4..8].copy_from_slice(&self.link.index.to_ne_bytes());
        Ok(!wire::dump(GET_FILTER, &head)?.is_empty())
    }

    /// What it is: `noqueue`, `mq of pfifo_fast`, `fq (quantum 3028)`, `htb 1:`.
    pub(super) fn text(&self) -> String {
        let Some(root) = self.root() else { return NONE.to_owned() };
        if root.handle != 0 {
            return named(root);
        }
        let mut below: Vec<String> = self.below().map(made).collect();
        below.sort();
        below.dedup();
        let queues = if below.is_empty() { String::new() } else { format!(" of {}", below.join(" and ")) };
        format!("{}{queues}", made(root))
    }

    /// Those below a root that the kernel made: of each queue of an interface with several
    /// (mq). A parent of theirs is `:1`.
    fn below(&self) -> impl Iterator<Item = &Node> {
        self.all.iter().filter(|node| node.parent >> 16 == 0)
    }

    /// Why what stands at the root could not be put back; none where it could. `default`
    /// is the kind that the kernel gives, where it says so.
    fn lost(&self, default: Option<&str>, has_filters: bool) -> Option<String> {
        let link = &self.link;
        if !link.is_up {
            return Some("it is down: its queueing discipline is then another than when it is up".to_owned());
        }
        let Some(root) = self.root() else { return Some("it has no queueing discipline".to_owned()) };
        let stands = self.text();
        let name = &link.name;
        if OF_RATE.is(root) || OF_KIND.is(root) {
            return Some(format!(
                "{stands}, which an earlier run of Headroom set, is still there; `tc qdisc del dev {name} root` \
                 removes it"
            ));
        }
        if root.handle != 0 {
            return Some(format!(
                "somebody set its queueing discipline ({stands}), whose options could not be put back; `tc qdisc del \
                 dev {name} root` takes it away"
            ));
        }
        if root.kind == NOQUEUE && self.below().next().is_none() {
            return None;
        }
        if has_filters {
            return Some(format!(
                "filters hang on its queueing discipline ({stands}) and would be lost with it; `tc filter show dev \
                 {name}` lists them"
            ));
        }
        let Some(kind) = self.kind_made() else {
            return Some(format!(
                "its queueing discipline is {stands}, which the kernel does not always make alike, so that it could not \
                 be put back; noqueue, pfifo_fast, fq_codel and fq (these also below mq) could"
            ));
        };
        if let Some(reason) = self.made_otherwise(kind) {
            return Some(format!(
                "its queueing discipline is {stands}, and {reason}, so that it could not be put back"
            ));
        }
        match default {
            Some(default) if default == kind => None,
            Some(default) => Some(format!(
                "its queueing discipline is {stands}, and in its place the kernel would now make {default} \
                 (net.core.default_qdisc), so that it could not be put back"
            )),
            None => Some(format!(
                "its queueing discipline is {stands}, and only the first network namespace shows whether the kernel \
                 would make it again ({DEFAULT_KIND})"
            )),
        }
    }

    /// The kind that the kernel made at the root, or below mq for each queue; none where
    /// it is not one that it can make alike.
    fn kind_made(&self) -> Option<&str> {
        let root = self.root()?;
        let mut queues: Vec<&Node> = self.below().collect();
        match root.kind.as_str() {
            MQ => {}
            _ if queues.is_empty() => queues.push(root),
            _ => return None,
        }
        let kind = queues.first()?.kind.as_str();
        let is_known = kind == PFIFO_FAST || FAIR.iter().any(|(fair, _)| *fair == kind);
        let is_alike = queues.iter().all(|node| node.kind == kind && node.handle == 0);
        (is_known && is_alike).then_some(kind)
    }

    /// Why the kernel would now make another of this kind; none where it would not.
    fn made_otherwise(&self, kind: &str) -> Option<String> {
        let link = &self.link;
        if kind == PFIFO_FAST && link.queue_length == Some(0) {
            // `pfifo_fast_init` makes no ring of no packets.
            return Some("with a tx-queue-length of 0 the kernel would now make noqueue".to_owned());
        }
        let (_, packets) = FAIR.iter().find(|(fair, _)| *fair == kind)?;
        let now = link.is_ethernet.then(|| packets * (link.mtu + HEAD));
        let others = self.all.iter().filter(|node| node.kind == kind);
        let other = others
            .map(|node| node.quantum.map(u64::from))
            .find(|quantum| *quantum != now || now.is_none())?;
        Some(format!(
            "it was made with a quantum of {} bytes, where the kernel would now make one of {}",
            other.map_or_else(|| "unknown".to_owned(), |bytes| bytes.to_string()),
            now.map_or_else(|| "an unknown number".to_owned(), |bytes| bytes.to_string()),
        ))
    }

    /// Why the kernel cannot be let make again what was there before; none where it can.
    fn in_the_way(&self, of: &OwnDiscipline) -> Option<String> {
        let root = self.root().filter(|root| root.handle != 0 && !of.is(root))?;
        Some(format!(
            "somebody set {} there since; `tc qdisc del dev {} root` brings back what was before",
            named(root),
            self.link.name
        ))
    }

    /// Why nothing of ours is there to be taken away, so that the kernel makes nothing anew; none
    /// where there is something. What it made under another `net.core.default_qdisc` or another
    /// MTU stays until somebody puts something in its place.
    fn made_since(&self, of: &OwnDiscipline) -> Option<String> {
        if self.own(of).is_some() || !self.is_by_default() {
            return None;
        }
        let (stands, name) = (self.text(), &self.link.name);
        Some(format!(
            "the kernel made {stands} there meanwhile; set net.core.default_qdisc and the MTU as they were before, then \
             `tc qdisc replace dev {name} root pfifo; tc qdisc del dev {name} root` lets it make that again"
        ))
    }

    /// What `struct tcmsg` says of the root.
    fn head(&self, of: &OwnDiscipline) -> Vec<u8> {
        let mut head = vec![0; TC_HEAD];
        for (at, number) in [(4, self.link.index), (8, of.handle), (12, ROOT)] {
            head[at..at + 4].copy_from_slice(&number.to_ne_bytes());
        }
        head
    }

    /// A request for one of ours of this kind at the root; without options it gets the
    /// kernel's own.
    pub(super) fn request(&self, of: &OwnDiscipline, kind: &str, options: &[u8]) -> Vec<u8> {
        let mut payload = self.head(of);
        push_attribute(&mut payload, TCA_KIND, format!("{kind}\0").as_bytes());
        if !options.is_empty() {
            push_attribute(&mut payload, TCA_OPTIONS, options);
        }
        payload
    }

    /// Takes ours away, if it stands at the root; the kernel compares the handle.
    fn take_away(&self, of: &OwnDiscipline) -> Result<(), Errno> {
        if self.own(of).is_none() {
            return Ok(());
        }
        match wire::change(DELETE_QDISC, FLAGS_CHANGE, &self.head(of)) {
            Err(Errno::NOENT) => Ok(()),
            other => other,
        }
    }
}

/// As `tc` shows it: `htb 1:`; one that the kernel made by its kind alone.
pub(super) fn named(node: &Node) -> String {
    match node.handle >> 16 {
        0 => node.kind.clone(),
        major => format!("{} {major:x}:", node.kind),
    }
}

/// The same of one that the kernel made, with the quantum where it has one: made under another
/// MTU it is another.
fn made(node: &Node) -> String {
    match node.quantum.filter(|_| node.handle == 0) {
        Some(bytes) => format!("{} (quantum {bytes})", node.kind),
        None => named(node),
    }
}

/// What the kernel changes when a setting puts another discipline at the root. Classes hang
/// on one with a handle, and what is at the ingress is apart. A transmit queue of no packets
/// is given 1000 where the driver has none of its own (`qdisc_create` in
/// `net/sched/sch_api.c`).
///
/// # Errors
/// If what stands there could not be put back.
pub(super) fn side_effects(
    spec: &SettingSpec,
    resource: &Resource,
    value: &Value,
) -> Result<Vec<SideEffect>, SettingError> {
    let queueing = Queueing::of(spec, resource)?;
    let default = std::fs::read_to_string(DEFAULT_KIND).ok();
    let has_filters =
        queueing.has_filters().map_err(|reason| SettingError::unreadable(spec, resource, reason))?;
    if let Some(reason) = queueing.lost(default.as_deref().map(str::trim), has_filters) {
        return Err(SettingError::refused(spec, resource, value, reason));
    }
    let length = queueing.link.queue_length.filter(|length| *length == 0);
    let effect = |length: u32| SideEffect {
        setting: TxQueueLength.spec().name().to_owned(),
        resource: interface::resource(&queueing.link.name),
        before: Value::Integer(length.into()),
    };
    Ok(length.map(effect).into_iter().collect())
}

/// Whether `setting` of the interface `other` may change the MTU of this one, and with it what the kernel makes
/// in the place of ours when that is taken away: the MTU would have to be put back first, and ours be made after it.
pub(super) fn depends_on(resource: &Resource, setting: &str, other: &Resource) -> bool {
    setting == Mtu.spec().name() && mtu::may_change_with(resource, other)
}

/// Lets the kernel make again what was there before a setting put its own there.
///
/// # Errors
/// If it cannot.
pub(super) fn put_back(
    spec: &SettingSpec,
    resource: &Resource,
    value: &Value,
    own: &OwnDiscipline,
) -> Result<(), SettingError> {
    let queueing = Queueing::of(spec, resource)?;
    let refused = |reason: String| Err(SettingError::refused(spec, resource, value, reason));
    if let Some(reason) = queueing.in_the_way(own) {
        return refused(reason);
    }
    if let Some(reason) = queueing.made_since(own) {
        return refused(reason);
    }
    queueing.take_away(own).map_err(|error| failed(spec, resource, value, error))?;
    if !queueing.link.is_up {
        let reason = "it is down: set it up, and the kernel makes again what was there before";
        return refused(reason.to_owned());
    }
    Ok(())
}

/// Asks for a discipline at the root, where nobody else has put any.
pub(super) fn create(request: &[u8]) -> Result<(), Errno> {
    wire::change(NEW_QDISC, FLAGS_CREATE, request)
}

/// Why the kernel did not make or take away a discipline.
pub(super) fn failed(spec: &SettingSpec, resource: &Resource, value: &Value, error: Errno) -> SettingError {
    let refused = |reason: String| SettingError::refused(spec, resource, value, reason);
    match error {
        Errno::NODEV => SettingError::gone(spec, resource),
        Errno::PERM | Errno::ACCESS => {
            refused(format!("{error}; run Headroom as root, or with CAP_NET_ADMIN"))
        }
        Errno::EXIST => refused("somebody set a queueing discipline meanwhile".to_owned()),
        other => refused(other.to_string()),
    }
}

#[cfg(test)]
pub(super) mod tests;
