//! Options about files and devices: which, how many, how large.

use crate::fio::option::FioOption as O;
use crate::fio::value::Form;

pub(super) const OPTIONS: &[O] = &[
    O::taken(
        "filename",
        Form::Text,
        "`target`; several, with `:` between them, are driven at once. What exists is never written without --destroy",
    ),
    O::taken("directory", Form::Text, "`target`, or the folder of `filename`"),
    O::taken(
        "filename_format",
        Form::Text,
        "without `$jobnum` the clones of a job share one file of that name",
    ),
    O::taken("nrfiles", Form::Whole, "`files`").or(&["nr_files"]),
    O::taken("filesize", Form::Sizes, "`size` is so much for each file; of a range, the larger"),
    O::taken("size", Form::Size, "`size`, for all clones together; with `offset`, `span`"),
    O::taken("io_size", Form::Size, "`bytes`, for all clones together").or(&["io_limit"]),
    O::taken("offset", Form::Size, "`offset`").or(&["fileoffset"]),
    O::taken(
        "offset_increment",
        Form::Size,
        "`span` reaches from the first clone's place to the end of the last one's",
    ),
    O::unsupported("offset_align", "fio would round offsets given in percent to this"),
    O::taken("fill_device", Form::Flag, "`until=full`").or(&["fill_fs"]),
    O::unsupported(
        "file_append",
        "fio would begin at the end of the files; here they are written from their start",
    ),
    O::harmless("filetype", "what the target is, is looked up"),
    O::harmless("unique_filename", "only for fio's clients and servers"),
    O::refused("opendir", "fio would use every file below that folder, whatever is in it"),
    O::unsupported("lockfile", "fio would lock its files, so that jobs wait for one another")
        .unless(&["none"]),
    O::unsupported("openfiles", "fio would open and close files as it goes; here all stay open"),
    O::unsupported(
        "file_service_type",
        "fio would choose among its files so; here every place of all of them is alike",
    )
    .unless(&["roundrobin", "random"]),
    O::harmless("fallocate", "files are written in full before the first trial"),
    O::unsupported(
        "overwrite",
        "fio's writes would extend the files; here they are written in full before, and then overwritten",
    )
    .unless(&["1"]),
    O::harmless("create_serialize", "files are made before the first trial"),
    O::harmless("create_fsync", "files are on the device before the first trial"),
    O::harmless("create_on_open", "files are made before the first trial"),
    O::unsupported(
        "allow_file_create",
        "fio would refuse a file that is not there; here it is made and removed",
    )
    .unless(&["1"]),
    O::harmless("allow_mounted_write", "a device that is mounted is never written here"),
    O::harmless("unlink", "files that were made here are removed, others never"),
    O::harmless("unlink_each_loop", "files that were made here are removed, others never"),
    O::unsupported("pre_read", "fio would read the files into the page cache; here they begin outside of it"),
    O::unsupported(
        "zonemode",
        "fio would keep to zones, some of which it leaves out; here every place of the span is used",
    )
    .unless(&["none"]),
    O::unsupported(
        "zonesize",
        "fio would use zones of this size and leave out what is between; here every place is used",
    ),
    O::harmless("zonecapacity", "only with `zonemode`"),
    O::harmless("zonerange", "only with `zonemode`"),
    O::harmless("zoneskip", "only with `zonemode` or `zonesize`"),
    O::harmless("read_beyond_wp", "only with `zonemode`"),
    O::harmless("max_open_zones", "only with `zonemode`"),
    O::harmless("job_max_open_zones", "only with `zonemode`"),
    O::harmless("ignore_zone_limits", "only with `zonemode`"),
    O::harmless("zone_reset_threshold", "only with `zonemode`"),
    O::harmless("zone_reset_frequency", "only with `zonemode`"),
    O::harmless("recover_zbd_write_error", "only with `zonemode`"),
    O::harmless("write_zone_remainder", "only with `zonemode`"),
];
