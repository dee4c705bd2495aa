//! Encryption by a processor that has no instructions for it.

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Finding, FindingKind, Resource, Severity, Trial, fact};

use crate::{Context, Rule, RuleCheck, measure};

/// What the kernel calls the instructions, on x86 and on Arm
/// (`arch/x86/include/asm/cpufeatures.h`, `Documentation/arch/arm64/elf_hwcaps.rst`).
const AES: &str = "aes";

pub(crate) const RULE: Rule = Rule {
    code: "instructions-absent",
    doc: "The result suffers from a processor without instructions for AES, or from a hypervisor that hides them: the load \
          encrypts itself, speaks TLS with a suite of AES, or passes an encrypted device.",
    english: r#"
finding-instructions-absent =
    the processor has no instructions for AES, or the hypervisor hides them: { $use ->
        [layer] { RESOURCE($target) } encrypts
        [tls] TLS encrypts
       *[load] the load encrypts
    } with ordinary ones, at the cost of CPU time
    .advice = in a virtual machine, give it a CPU model that passes them on; `headroom run cpu.crypto --hardware yes,no` on a machine that has them shows what they are worth

evidence-processor-flags = the processor reports { $count } of the flags that Headroom keeps, and `{ $flag }` is not among them
"#,
    check: RuleCheck::One(check),
};

/// What encrypts.
enum Use<'a> {
    Layer(&'a Resource),
    Tls,
    Load,
}

/// What of a case would use the instructions, the load itself first.
fn used(case: &CaseResult) -> Option<Use<'_>> {
    let of_main = |trial: &Trial| {
        let facts = &trial.result.main().facts;
        if facts.contains_key(&fact::INSTRUCTIONS_ABSENT) {
            return Some(Use::Load);
        }
        facts.get(&fact::TLS_SUITE).filter(|suite| suite.to_string().contains("AES")).map(|_| Use::Tls)
    };
    let layer = || {
        let layers = measure::stacked(case)?;
        layers.devices.iter().find(|device| device.encrypts()).map(|device| Use::Layer(&device.resource))
    };
    measure::good(case).find_map(of_main).or_else(layer)
}

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let flags = &context.machine?.inventory.cpu.flags;
    // Of a processor that tells no flags nobody knows.
    if flags.is_empty() || flags.iter().any(|flag| flag == AES) {
        return None;
    }
    let used = used(case)?;
    let evidence = Evidence::at("processor-flags", Place::Inventory(Resource::CPUS))
        .arg("count", flags.len() as u64)
        .arg("flag", AES);
    let found = Finding::new(FindingKind::Validity, RULE.code, Severity::Note)
        .general()
        .on(Resource::CPUS)
        .because(evidence);
    Some(match used {
        Use::Layer(device) => found.arg("use", "layer").arg("target", device.as_str()),
        Use::Tls => found.arg("use", "tls"),
        Use::Load => found.arg("use", "load"),
    })
}

#[cfg(test)]
mod tests {
    use model::study::Controls;
    use model::{FactName, Machine};

    use super::*;
    use crate::measure::layers::tests::{put, stack};
    use crate::validity::fixture;

    fn found(case: &CaseResult, flags: &[&str]) -> Vec<String> {
        let mut machine = Machine::default();
        machine.inventory.cpu.flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
        let controls = Controls::default();
        let context = Context { machine: Some(&machine), ..fixture::context(&controls) };
        fixture::found(&RULE, case, &context).into_iter().map(|finding| finding.text).collect()
    }

    fn with(name: FactName, value: &str) -> CaseResult {
        let mut case = fixture::case(1);
        case.trials[0].result.main_mut().facts.insert(name, value.into());
        case
    }

    #[test]
    fn what_encrypts_without_instructions_is_told() {
        let load = with(fact::INSTRUCTIONS_ABSENT, "AES");
        let tls = with(fact::TLS_SUITE, "TLS13_AES_256_GCM_SHA384");
        let mut layered = fixture::case(1);
        put(&mut layered, &stack("raid6"));
        for (case, words) in
            [(&load, "the load encrypts"), (&tls, "TLS encrypts"), (&layered, " encrypts with")]
        {
            let texts = found(case, &["sse4_2"]);
            assert!(texts.len() == 1 && texts[0].contains(words), "{texts:?}");
            assert!(found(case, &["aes", "sse4_2"]).is_empty());
            assert!(found(case, &[]).is_empty(), "nobody knows");
        }
    }

    #[test]
    fn what_uses_none_of_them_is_not() {
        let chacha = with(fact::TLS_SUITE, "TLS13_CHACHA20_POLY1305_SHA256");
        assert!(found(&chacha, &["sse4_2"]).is_empty());
        assert!(found(&fixture::case(1), &["sse4_2"]).is_empty());
    }
}
