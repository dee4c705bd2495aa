//! What a machine is made of, where it is made of more than ours has.

use model::Machine;
use model::machine::BlockKind;

use crate::common::{StoryFolder, stderr};
use crate::test_bed::{RAM_DISK_BYTES, TestBed};

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn an_array_and_its_members_are_seen() {
    let mut bed = TestBed::new();
    bed.module("null_blk", &["nr_devices=1", "gb=1"]);
    bed.ram_disks(2);
    bed.mirror("/dev/ram0", "/dev/ram1");
    let output = StoryFolder::new().run(&["machine", "--json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let machine: Machine = serde_json::from_slice(&output.stdout).unwrap();
    let block = machine.inventory.block;
    let named = |name: &str| {
        let names: Vec<_> = block.iter().map(|device| &device.name).collect();
        block.iter().find(|device| device.name == name).unwrap_or_else(|| panic!("{name}: {names:?}"))
    };
    assert_eq!(named("nullb0").bytes, 1 << 30);
    for member in ["ram0", "ram1"] {
        let member = named(member);
        assert_eq!((member.kind, member.bytes), (BlockKind::Ram, RAM_DISK_BYTES));
    }
    let array = named("md0");
    assert_eq!(
        (array.kind, array.below.as_slice()),
        (BlockKind::Md, &["ram0", "ram1"].map(str::to_owned)[..])
    );
    let array = array.array.as_ref().unwrap();
    assert_eq!((array.level.as_str(), array.members, array.degraded), ("raid1", 2, 0));
}
