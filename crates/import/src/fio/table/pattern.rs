//! Options about operations: reads or writes, how large, at which places.

use crate::fio::option::FioOption as O;
use crate::fio::value::Form;

/// What `rw` may be.
const RW: &[&str] = &[
    "read",
    "write",
    "trim",
    "randread",
    "randwrite",
    "randtrim",
    "rw",
    "readwrite",
    "randrw",
    "trimwrite",
    "randtrimwrite",
];

pub(super) const OPTIONS: &[O] = &[
    O::taken(
        "rw",
        Form::Word(RW),
        "`pattern`; what follows a colon (`read:8k`, `randread:8`) is named as missing",
    )
    .or(&["readwrite"]),
    O::unsupported("rw_sequencer", "it says how `rw=...:N` goes on, which has no like here")
        .unless(&["sequential"]),
    O::taken("rwmixread", Form::Whole, "`read-share`, with randrw and readwrite"),
    O::taken("rwmixwrite", Form::Whole, "`read-share` is the rest, with randrw and readwrite"),
    O::harmless("rwmixcycle", "fio ignores it"),
    O::taken("bs", Form::Each, "`block-size`; where reads and writes differ, a mix of both for either")
        .or(&["blocksize"]),
    O::taken("bsrange", Form::Sizes, "`block-size`: a mix of all multiples of the smaller, in equal shares")
        .or(&["blocksize_range"]),
    O::taken("bssplit", Form::Sizes, "`block-size`: the same mix"),
    O::unsupported("ba", "fio would begin operations at multiples of this; here at multiples of the block")
        .or(&["blockalign"]),
    O::unsupported("bs_unaligned", "fio would use sizes and places that are no whole sectors")
        .or(&["blocksize_unaligned"]),
    O::unsupported(
        "bs_is_seq_rand",
        "fio would use the first size for sequential places, the second for random ones",
    ),
    O::taken(
        "norandommap",
        Form::Flag,
        "`distribution=uniform`; without it `once`: every block once before any twice",
    ),
    O::harmless("softrandommap", "the order of blocks needs no memory here"),
    O::harmless("random_generator", "which random numbers they are does not matter"),
    O::taken(
        "random_distribution",
        Form::Word(&["random", "zipf", "pareto", "normal", "zoned", "zoned_abs", "sequence"]),
        "`distribution`: zipf as it is; of the others the nearest hot spot, which is named",
    ),
    O::unsupported("random_sequence_stride", "fio would take every so many-th random place").unless(&["0"]),
    O::unsupported(
        "percentage_random",
        "fio would do this share of operations at random places, the rest in sequence",
    )
    .unless(&["100"]),
    O::refused("percentage_sequential", "fio refuses it too"),
    O::harmless("randrepeat", "the seed is kept with the run, and `--seed` repeats it")
        .or(&["allrandrepeat"]),
    O::taken("randseed", Form::Whole, "`--seed`"),
    O::unsupported("sprandom", "fio would bring the device into a random steady state; see `precondition`"),
    O::harmless("spr_num_regions", "only with `sprandom`"),
    O::harmless("spr_op", "only with `sprandom`"),
    O::harmless("spr_cs", "only with `sprandom`"),
    O::unsupported("num_range", "fio would trim several ranges by one command").unless(&["1"]),
    O::unsupported("write_hint", "fio would tell the kernel how long data will live").unless(&["none"]),
    O::unsupported("fdp", "fio would tell the drive where data belong"),
    O::unsupported("dataplacement", "fio would tell the drive where data belong")
        .or(&["data_placement"])
        .unless(&["none"]),
    O::harmless("plid_select", "only with `fdp`").or(&["fdp_pli_select"]),
    O::harmless("plids", "only with `fdp`").or(&["fdp_pli"]),
    O::harmless("dp_scheme", "only with `fdp`"),
];
