//! What a controller and an agent say to each other: one JSON object a frame.
//! The agent answers each [`Request`] with one [`Reply`]; events may come
//! before it. [`Request::Cancel`] may be sent at any time and has no reply of
//! its own: the request under way ends early.

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::event::AgentEvent;
use crate::fact::FactName;
use crate::machine::{Calibration, Diagnosis, Machine, ObserverCost};
use crate::machine_use::MachineUse;
use crate::observer::ObserverKind;
use crate::plan::{FixtureKey, LoadSpec, Survey};
use crate::present::{AttachOrder, PresentOrder, PresentedTarget, WatchedMachine};
use crate::search::CpuTake;
use crate::setting::{Change, SettingStates};
use crate::study::Pin;
use crate::trial::{Timeline, TrialResult};
use crate::value::Value;

/// What the controller asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// Say what machine this is.
    Describe,
    /// Say of each case what it needs and whether it can run; touch nothing.
    Survey {
        /// The loads of each case, main load first.
        cases: Vec<Vec<LoadSpec>>,
        /// Files and devices that may be overwritten.
        destroy: Vec<String>,
        /// Signatures that may be overwritten with them.
        #[serde(default)]
        wipe: Vec<String>,
    },
    /// Say what could disturb a measurement now.
    Diagnose,
    /// Measure the clock and our own cost with these loads' null forms.
    Calibrate {
        /// The loads of the plan.
        loads: Vec<LoadSpec>,
    },
    /// Make fixtures ready; those there already are kept.
    Prepare {
        /// What is needed.
        fixtures: Vec<FixtureKey>,
    },
    /// Say of each change whether its setting is there and can be read; touch nothing.
    LookAtSettings {
        /// The changes.
        changes: Vec<Change>,
    },
    /// Say of each case whether its observers could watch it: by a look, which touches nothing, or where
    /// the case asks for it by a try.
    LookAtObservers {
        /// The cases.
        cases: Vec<ObservedCase>,
    },
    /// Make these changes of settings hold, and put back what was changed before
    /// and is not among them. Asked for what is so already, it only reads.
    Set {
        /// The changes.
        changes: Vec<Change>,
    },
    /// Put all settings back.
    Restore,
    /// Run one trial.
    Trial(Box<TrialOrder>),
    /// Say what time it is, by the clock that all times of this agent are on.
    Time,
    /// Open a rendezvous address for the next trial of which this agent is one of two ends.
    Open(OpenOrder),
    /// The times of the trial of which this agent is the far end: sent while that
    /// trial is under way, and without a reply of its own.
    Begin(Timeline),
    /// Put fixtures away.
    Release {
        /// Which; those not there are passed over.
        fixtures: Vec<FixtureKey>,
    },
    /// Say whether this could be presented to the controller; touch nothing.
    LookAtPresented(PresentOrder),
    /// Make a stack and present its top to the controller; one that is there already is kept.
    Present(PresentOrder),
    /// Take down what was presented for this order, if it is there.
    Withdraw(PresentOrder),
    /// Watch this machine while the controller drives what was presented for this order. The times come with
    /// [`Request::Begin`], once more where nobody knew before when the window ends.
    Watch(PresentOrder),
    /// Say what this machine does: a sample is taken now, and rates are since one of so long ago.
    LookAtUse {
        /// How long ago, in seconds.
        window_s: f64,
    },
    /// Know what a node presents: the fixture that needs it attaches it.
    Attach(Box<AttachOrder>),
    /// End what is under way, early.
    Cancel,
    /// Put everything away and end.
    Finish,
}

/// A case that is to be observed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObservedCase {
    /// The loads, main load first.
    pub loads: Vec<LoadSpec>,
    /// What is to watch them.
    pub observe: Vec<ObserverKind>,
    /// Whether what they need is begun for it, and ended at once: nothing else tells for sure.
    #[serde(default)]
    pub is_tried: bool,
}

/// One trial, as asked of an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialOrder {
    /// The loads, main load first.
    pub loads: Vec<LoadSpec>,
    /// Decides all operations.
    pub seed: u64,
    /// How long the loads run before the window opens, in seconds.
    pub warm_up_s: f64,
    /// How far apart the points of a series are, in seconds; absent to choose
    /// by the length of the window.
    pub interval_s: Option<f64>,
    /// How much of the window's front is cut off at least, in seconds, where the load settles at
    /// all: what the longest start of the case's trials so far took.
    #[serde(default)]
    pub cut_least_s: f64,
    /// Where workers run.
    pub pin: Pin,
    /// Which end of the loads this agent is.
    #[serde(default)]
    pub role: TrialRole,
    /// What is taken from CPUs of this end meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub take_cpu: Option<CpuTake>,
    /// What watches it beside the samplers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observe: Vec<ObserverKind>,
    /// Whether workers are placed from the last CPU on: the other end, on the same
    /// machine, takes the first ones.
    #[serde(default)]
    pub from_last: bool,
    /// How long the intervals are, in seconds, whose figures are told while the trial runs
    /// ([`AgentEvent::Interval`]); absent to tell none. The far end of two tells none in any case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines_s: Option<f64>,
    /// How many operations are told one by one when the trial is over ([`AgentEvent::Operations`]); absent to tell none.
    /// The far end of two tells none in any case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_operations: Option<u64>,
}

/// Which end of a load an agent is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrialRole {
    /// The only one: no other machine takes part.
    #[default]
    Alone,
    /// The one that drives: it says when all begins.
    Drives {
        /// Where the far end waits; none where it comes to the rendezvous address that this end
        /// opened last.
        #[serde(default)]
        rendezvous: Option<RendezvousAddress>,
        /// How far ahead of the start it must be told, ns: the way to the far end
        /// takes time.
        lead_ns: u64,
    },
    /// The one that answers; the times come with [`Request::Begin`].
    Answers {
        /// Where the near end waits, for it cannot come here; none where it comes
        /// to the rendezvous address that this end opened last. A node puts there the address
        /// from which it is asked.
        #[serde(default)]
        rendezvous: Option<RendezvousAddress>,
    },
}

/// What is asked before a trial of the end that waits for the other, and of a far
/// end in any case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenOrder {
    /// The address to listen at. A node puts there the one at which the
    /// controller reached it.
    pub listen: IpAddr,
    /// The address that the near end's packets come from, to tell the way back.
    #[serde(default)]
    pub near: Option<IpAddr>,
    /// The loads of the trial that have two ends. Only a far end that is another
    /// tool must know them before it opens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<LoadSpec>,
}

/// Where one end, mostly the far one, waits for the data connections of one trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RendezvousAddress {
    /// Its address. The other end puts there the one at which it reaches this one.
    pub address: IpAddr,
    /// Its TCP port.
    pub tcp: u16,
    /// Its UDP port.
    pub udp: u16,
    /// What a connection must say first to be let in: made for one trial. 32
    /// hexadecimal digits of a far end of ours, 36 characters of an iperf3.
    pub cookie: String,
    /// The way from the far end to the near one, as facts.
    #[serde(default)]
    pub way: BTreeMap<FactName, Value>,
    /// What waits behind it.
    #[serde(default)]
    pub kind: RendezvousKind,
}

/// What waits behind a rendezvous address, and so what is spoken there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RendezvousKind {
    /// A far end of ours.
    #[default]
    Ours,
    /// A stock server of iperf3.
    Iperf3,
}

/// What an agent answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// To [`Request::Describe`].
    Machine(Box<Machine>),
    /// To [`Request::Survey`], in the order asked.
    Survey(Vec<Survey>),
    /// To [`Request::Diagnose`].
    Diagnose(Diagnosis),
    /// To [`Request::Calibrate`].
    Calibration(Vec<Calibration>),
    /// To [`Request::Prepare`], [`Request::Release`], [`Request::Restore`], [`Request::Withdraw`] and
    /// [`Request::Attach`].
    Done,
    /// To [`Request::LookAtSettings`], [`Request::LookAtObservers`] and [`Request::LookAtPresented`], in the
    /// order asked: why a change cannot be made, a case cannot be observed here, or a stack cannot be presented.
    Missing(Vec<Option<String>>),
    /// To [`Request::Set`], each as read back.
    Set(SettingStates),
    /// To [`Request::Trial`].
    Trial(Box<TrialReport>),
    /// To [`Request::Time`]: ns.
    Time(u64),
    /// To [`Request::Open`].
    Open(RendezvousAddress),
    /// To [`Request::Present`].
    Presented(PresentedTarget),
    /// To [`Request::Watch`].
    Watched(Box<WatchedMachine>),
    /// To [`Request::LookAtUse`].
    Use(Box<MachineUse>),
    /// The request could not be carried out; the agent lives on.
    Failed {
        /// Why.
        reason: String,
    },
    /// The request was ended by [`Request::Cancel`].
    Cancelled,
}

/// A trial that was measured whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialReport {
    /// What it measured.
    pub result: TrialResult,
    /// What watching cost during it.
    pub observer: ObserverCost,
}

/// What an agent sends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FromAgent {
    /// Something happened.
    Event(AgentEvent),
    /// The answer.
    Reply(Reply),
}
