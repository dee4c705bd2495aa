//! Recorded machines, and this one.

use procfs::prelude::*;

use super::*;

#[test]
fn a_servers_words_are_read_and_what_makers_forgot_left_out() {
    let host = Host::parse(
        "==> /sys/class/dmi/id/sys_vendor\nSupermicro\n==> /sys/class/dmi/id/product_name\nDefault string\n\
         ==> /sys/class/dmi/id/board_vendor\nSupermicro \n==> /sys/class/dmi/id/board_name\nX11SSL-F\n\
         ==> /sys/class/dmi/id/bios_vendor\nAmerican Megatrends Inc.\n==> /sys/class/dmi/id/bios_version\n2.2\n\
         ==> /sys/class/dmi/id/bios_date\n05/23/2018\n==> /proc/uptime\n3600.25 7000.00\n\
         ==> /proc/version\nLinux version 6.12.9 (builder@host) #1 SMP\n\
         ==> /sys/devices/system/clocksource/clocksource0/current_clocksource\ntsc\n\
         ==> /sys/devices/system/clocksource/clocksource0/available_clocksource\ntsc hpet acpi_pm \n",
    );
    let mut absent = Vec::new();
    let system = describe(&host, &mut absent);
    assert_eq!((system.vendor.as_deref(), system.product), (Some("Supermicro"), None));
    assert_eq!(system.board.as_deref(), Some("Supermicro X11SSL-F"));
    assert_eq!(system.firmware.as_deref(), Some("American Megatrends Inc. 2.2 05/23/2018"));
    assert_eq!((system.uptime_s, system.clock_source.as_deref()), (Some(3600), Some("tsc")));
    assert_eq!(system.clock_sources, ["tsc", "hpet", "acpi_pm"]);
    assert_eq!(system.kernel_version.unwrap(), "Linux version 6.12.9 (...) #1 SMP");
    assert!(absent.is_empty(), "{absent:?}");
}

#[test]
fn a_board_with_a_device_tree_says_its_model() {
    let host = Host::parse("==> /sys/firmware/devicetree/base/model\nRaspberry Pi 5 Model B Rev 1.0\0\n");
    let system = describe(&host, &mut Vec::new());
    assert_eq!(system.product.as_deref(), Some("Raspberry Pi 5 Model B Rev 1.0"));
}

#[test]
fn garbled_words_are_absent() {
    for text in ["", "0000", "---", "\0\0", "N/A"] {
        let host = Host::parse(&format!("==> /sys/class/dmi/id/sys_vendor\n{text}\n"));
        let mut absent = Vec::new();
        assert_eq!(describe(&host, &mut absent).vendor, None, "{text}");
        assert_eq!(absent.len(), 1);
    }
    for text in ["-1.0 2", "1e300", "", "99999999999999999999.1", "9999999999999.1", "up"] {
        let host = Host::parse(&format!("==> /proc/uptime\n{text}\n"));
        assert_eq!(describe(&host, &mut Vec::new()).uptime_s, None, "{text}");
    }
}

#[test]
fn the_architecture_is_the_recorded_machines() {
    let of = |text: &str| {
        let mut absent = Vec::new();
        (architecture(&Host::parse(text), &mut absent), absent.len())
    };
    assert_eq!(of("==> /probe/uname\n\"riscv64\"\n"), ("riscv64".to_owned(), 0));
    assert_eq!(of("==> /probe/uname\n7\n"), (String::new(), 1));
    assert_eq!(of("==> /probe/uname\n\"\"\n"), (String::new(), 1));
    assert_eq!(of(""), (String::new(), 1));
}

#[test]
fn the_distribution_gives_its_name() {
    let of = |text: &str| os(&Host::parse(&format!("==> /etc/os-release\n{text}\n")));
    assert_eq!(of("NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12\"").as_deref(), Some("Debian GNU/Linux 12"));
    assert_eq!(of("PRETTY_NAME='Alpine'").as_deref(), Some("Alpine"));
    assert_eq!((of("PRETTY_NAME=\"\""), of("NAME=x")), (None, None));
}

#[test]
fn this_machine_gives_its_kernel_and_clock() {
    let system = describe(&Host::this(), &mut Vec::new());
    let uptime = procfs::Uptime::current().unwrap().uptime as u64;
    assert!(system.uptime_s.unwrap().abs_diff(uptime) <= 2);
    assert!(system.kernel_version.unwrap().starts_with("Linux version"));
    assert!(system.clock_sources.contains(&system.clock_source.unwrap()));
}
