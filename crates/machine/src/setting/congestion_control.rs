//! `congestion-control`: how TCP connections are paced that do not say it themselves
//! (`net.ipv4.tcp_congestion_control`, `Documentation/networking/ip-sysctl.rst`).

use std::path::PathBuf;

use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Unit};

use super::attribute::{Attribute, Form, Words};

pub(super) const SETTING: Attribute = Attribute {
    spec: &SPEC,
    // Of the thread's namespace: /proc/sys/net is that of who opens it.
    file: |_| PathBuf::from("/proc/sys/net/ipv4/tcp_congestion_control"),
    form: Form::Word,
    absent: "there is no TCP here",
    words: Some(Words {
        list: Some("/proc/sys/net/ipv4/tcp_available_congestion_control"),
        // `tcp_ca_find_autoload` in `net/ipv4/tcp_cong.c`.
        module: Some(|word| format!("tcp_{word}")),
        successors: &[],
    }),
    // Connections that are there keep theirs. What is made the default everybody may choose from then
    // on, on the whole machine (`tcp_set_default_congestion_control` in `net/ipv4/tcp_cong.c`).
    resets: &["sysctl.net.ipv4.tcp_allowed_congestion_control"],
    is_of_namespace: true,
};

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "congestion-control",
        Kind::Text,
        "The congestion control of TCP connections that choose none (net.ipv4.tcp_congestion_control): cubic, bbr, reno, as \
         the kernel has them. For the first network namespace, the kernel loads a module that is missing, and keeps it; \
         any other \
         may choose only what net.ipv4.tcp_allowed_congestion_control names. Network loads \
         have a parameter of the same name for their own connections; this one is for what they run against, too: with a \
         peer it is set at both ends. Each network namespace has its own.",
    ),
    unit: Unit::One,
    binds: None,
    holds: None,
    summary: "the congestion control of TCP connections that choose none",
};
