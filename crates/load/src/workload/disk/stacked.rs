//! The parameters of a load that may run on a storage stack: those that drive a folder or a device. The stack itself
//! is a fixture ([`super::stack`]).

use model::parameter::Word;
use model::profile::Aspect;
use model::stack::ALL;
use model::{Kind, ParameterSpec};

use crate::workload::disk::stack::LAYERS;

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
