//! A job file of fio, up to the plan. It may include itself.
#![cfg_attr(feature = "libfuzzer", no_main)]

use headroom_fuzz::pretending;
use import::fio::{JobFileAccess, from_fio};
use libfuzzer_sys::fuzz_target;

headroom_fuzz::main_without_libfuzzer!();

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let outside = JobFileAccess {
        variable: &|name| Some(name.to_owned()),
        file: &|path| {
            let is_itself = path.ends_with("x.fio");
            if is_itself { Ok(text.to_owned()) } else { Err(std::io::ErrorKind::NotFound.into()) }
        },
        words: vec![("$pagesize", 4096), ("$mb_memory", 24_000), ("$ncpus", 2)],
        sections: &[],
    };
    if let Ok(study) = from_fio(&agent::catalogue(), "x", "x.fio", text, &outside) {
        drop(pretending::plan(&study));
    }
});
