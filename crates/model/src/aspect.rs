//! What a parameter says of its load.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::name::names;

names! {
    /// The name of an aspect that a later version added.
    AspectName ("an aspect of a load")
}

/// What a parameter says of its load, so that whoever asks for the number of workers or
/// for the bytes of an operation need not know what a workload calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Aspect {
    /// How many workers there are.
    Workers,
    /// How many connections carry data each way.
    Streams,
    /// How many operations are to start each second.
    Rate,
    /// How many operations each worker has under way at once.
    Depth,
    /// How many bytes are touched.
    Span,
    /// Where on the target the bytes that are touched begin.
    Offset,
    /// How large an operation is.
    Sizes,
    /// How much may be on the way unacknowledged: the buffers of its sockets.
    Window,
    /// What is driven.
    Targets,
    /// The storage stack that is made for the load, and driven in place of its targets.
    Stack,
    /// Which layer of that stack is driven.
    Layer,
    /// How large the files are on which that stack stands.
    MemberSize,
    /// How the top of that stack is presented through a network.
    Presented,
    /// The node that presents that stack to this machine.
    Presenter,
    /// The other end.
    Peer,
    /// The server that answers, which is no other end of ours.
    Server,
    /// A file of the other end that it sends.
    ServedFile,
    /// What is written.
    Content,
    /// Whether what the target holds is discarded before the load.
    Discard,
    /// How operations are handed to the kernel.
    Interface,
    /// Whether caches may answer.
    Caches,
    /// How long nothing runs before the load.
    Idle,
    /// How long nothing runs after the load.
    CoolDown,
    /// Which operation it is, or which of several ways to do it.
    Operation,
    /// The type of the numbers that it computes with.
    NumberType,
    /// The width of its vectors.
    Vectors,
    /// How it stores to memory.
    Stores,
    /// The share of their time for which threads draw bandwidth.
    Share,
    /// Where an operation goes from: the CPU of the thread that wakes first.
    From,
    /// Where an operation goes to: the CPU of the other thread.
    To,
    /// The NUMA node of the CPUs.
    CpuNode,
    /// The NUMA node of the memory.
    MemoryNode,
    /// The NUMA node of the CPUs at the other end.
    PeerCpuNode,
    /// The NUMA node of the memory at the other end.
    PeerMemoryNode,
    /// What this version does not know.
    #[serde(untagged)]
    Other(AspectName),
}

impl Aspect {
    /// Whether it is how much of a load is under way at once.
    #[must_use]
    pub fn is_concurrency(self) -> bool {
        matches!(self, Self::Workers | Self::Streams | Self::Depth)
    }
}
