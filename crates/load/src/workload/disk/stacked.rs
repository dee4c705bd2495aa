//! The parameters of a load that may run on a storage stack: those that drive a folder or a device. The stack itself
//! is a fixture ([`super::stack`]).

use model::parameter::Word;
use model::profile::Aspect;
use model::stack::{ALL, LOCAL, presented};
use model::{Kind, ParameterSpec, Parameters};

use crate::workload::disk::stack::{LAYERS, iscsi, nfs, nvme_tcp};

/// The stack.
pub(in crate::workload) const STACK: ParameterSpec = ParameterSpec::new(
    "stack",
    Kind::Stack,
    "A storage stack that is made on the target before the load and taken down after it: the load drives its top. Layers \
     stand one on the other from left to right, `loop > ext4`; letters name the parts of the target on which the lowest \
     stands, `raid6(a+b+c+d) > luks > lvm > xfs`, and options stand behind them, `raid5(a+b+c; chunk=64k)`. A cache names \
     its fast device, `loop > cache(b)`. A part that is a folder gets a file with a loop device for each letter; a device \
     must be given up with `--destroy`. Needs root.",
)
.says(Aspect::Stack)
.layers(LAYERS)
.costly()
.not_work();

/// The layer of it that is driven.
pub(in crate::workload) const LAYER: ParameterSpec = ParameterSpec::new(
    "layer",
    Kind::Text,
    "The layer of the stack that is driven, by its name: the stack is made up to there. Without it the top is.",
)
.words(&[Word { word: ALL, doc: "each of its layers, one after the other; `--layers` is the same" }])
.says(Aspect::Layer)
.costly()
.not_work();

/// How large the files below it are.
pub(in crate::workload) const MEMBER_SIZE: ParameterSpec = ParameterSpec::new(
    "member-size",
    Kind::Size,
    "Bytes of each file that a stack gets in a folder of its target; 1 GiB without it. The file takes what is written \
     to it, and all of it must be free.",
)
.says(Aspect::MemberSize)
.costly()
.not_work();

/// Ways through a network; each is a kind of layer.
const WAYS: &[Word] = &[
    Word { word: LOCAL, doc: "not: the load drives the top of the stack" },
    Word { word: iscsi::SPEC.name, doc: "an iSCSI target (LIO), and the disk of a session of open-iscsi" },
    Word { word: nvme_tcp::SPEC.name, doc: "an NVMe target over TCP (nvmet), and the disk of its host" },
    Word {
        word: nfs::SPEC.name,
        doc: "a share of NFS 4.2 (knfsd), and its mount; of a stack with a file system at its top",
    },
];

/// How its top is presented.
pub(in crate::workload) const PRESENT: ParameterSpec = ParameterSpec::new(
    "present",
    Kind::Choice,
    "How the top of the stack is presented through a network, by a server in a network namespace of its own on this machine: the \
     load drives what the client has. The same as one more layer, `loop > iscsi`. Without a stack, the target itself is \
     presented.",
)
.words(WAYS)
.says(Aspect::Presented)
.costly()
.not_work();

/// Ways by which a node presents something to this machine.
const WAYS_OF_NODES: &[&str] = &[iscsi::SPEC.name, nvme_tcp::SPEC.name];

/// The node that presents it.
pub(in crate::workload) const PRESENTER: ParameterSpec = ParameterSpec::new(
    "presented-by",
    Kind::Text,
    "The node that makes the stack on its own `target` and presents the top to this machine, by iscsi or nvme-tcp: what \
     `headroom node` printed there, or the name of one in the study. A node presents only what it was started for \
     (`headroom node --present PATH`), and `target` is that path. Without it this machine presents the stack to itself.",
)
.says(Aspect::Presenter)
.only_with("present", WAYS_OF_NODES)
.costly()
.not_work();

/// Whether a load that is asked for so runs on a stack.
pub(in crate::workload) fn has_stack(parameters: &Parameters) -> bool {
    let text = |spec: &ParameterSpec| parameters.text(spec.name).ok();
    presented(text(&STACK), text(&PRESENT)).is_some()
}
