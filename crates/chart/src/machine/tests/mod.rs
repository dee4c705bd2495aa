//! Tests of the picture.

mod fixtures;

use fixtures::*;

use super::svg;

#[test]
#[ignore = "writes pictures to look at into the directory PICTURES"]
fn write_pictures_to_look_at() {
    let directory = std::path::PathBuf::from(std::env::var("PICTURES").unwrap());
    std::fs::create_dir_all(&directory).unwrap();
    let write = |name: &str, text: String| {
        std::fs::write(directory.join(format!("{name}.svg")), &text).unwrap();
    };
    write("a-guest", svg(&small_guest(), None));
    write(
        "a-guest-case",
        svg(
            &small_guest(),
            Some(&case(
                "pattern=read",
                &[
                    ("cpu:0-1", Some(0.31), 2.0),
                    ("filesystem:/ (ext4)", None, 0.0),
                    ("block:vda", Some(0.97), 3e9),
                ],
            )),
        ),
    );
    write("b-study-a", svg(&study_a(), None));
    write(
        "b-study-a-case",
        svg(
            &study_a(),
            Some(&case(
                "pattern=read block-size=1MiB",
                &[
                    ("cpu:0-3", Some(0.08), 4.0),
                    ("dmi", Some(0.17), 3.3e9),
                    ("sata:sda", Some(0.99), 560e6),
                    ("block:sda", Some(0.98), 560e6),
                    ("filesystem:/ (ext4)", None, 0.0),
                ],
            )),
        ),
    );
    write("c-nvme", svg(&nvme_server(32, 8), None));
    write("c-nvme-24", svg(&nvme_server(64, 24), None));
    write("d-study-e", svg(&study_e(), None));
    write("d-study-e-case", svg(&study_e(), Some(&study_e_case())));
    write("e-arm", svg(&arm_board(), None));
    write("f-many", svg(&many_disks(500), None));
    write("g-empty", svg(&model::Machine::default(), None));
}
