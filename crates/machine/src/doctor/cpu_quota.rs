//! A control group holds our CPU time.

use model::{Resource, Severity};

use super::{Check, condition, held, listed};

const CODE: &str = "cpu-quota";

pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "a control group (a container's, mostly) allows less CPU time than there are CPUs",
    english: r#"
condition-cpu-quota =
    { quota-holder } allows { FIXED($quota, decimals: 2) } CPUs of { $cpus }: more threads are stopped in the middle of
    each period
    .advice = use at most as many threads, or measure outside of it or with the quota lifted

evidence-cgroup-cpu = { FIXED($quota, decimals: 2) } CPU seconds for each second
"#,
    look: |context| {
        let cpus = context.inventory.cpu.allowed.len().max(1);
        let quota = context.inventory.cgroup.cpu_quota.filter(|q| *q > 0.0 && *q < cpus as f64);
        let Some(quota) = quota else { return Vec::new() };
        let finding = condition(CODE, Severity::Note)
            .on(Resource::CPUS)
            .arg("quota", quota)
            .arg("cpus", cpus as u64)
            .because(listed("cgroup-cpu", &Resource::CGROUP).arg("quota", quota));
        vec![held(finding, context)]
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, diagnose_inventory};
    use model::machine::{Cgroup, Cpu, Inventory, System};

    #[test]
    fn a_quota_below_the_cpus_is_noted() {
        let look = |cpu_quota| {
            diagnose_inventory(
                &CHECK,
                Inventory {
                    cpu: Cpu { allowed: vec![0, 1, 2, 3], ..Cpu::default() },
                    cgroup: Cgroup { cpu_quota, ..Cgroup::default() },
                    system: System { container: Some("docker".to_owned()), ..System::default() },
                    ..Inventory::default()
                },
            )
        };
        look(Some(1.5)).one(Severity::Note, "the container (docker) allows 1.50 CPUs of 4");
        assert_eq!(look(Some(4.0)), CheckResult::nothing());
        assert_eq!(look(None), CheckResult::nothing());
    }
}
