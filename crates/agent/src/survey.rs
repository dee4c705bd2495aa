//! Saying of each case what it needs and whether it can run; nothing is
//! touched.

use std::path::Path;

use load::workload::{self, Look, Site, common};
use machine::Host;
use machine::inventory::show_cpu_list;
use machine::inventory::storage::{self, Under};
use machine::limit::{self, Flow};
use model::machine::Inventory;
use model::plan::{LoadSpec, Problem, Survey};
use model::resource::{PathStep, Symbol};
use model::scalar::binary;

/// What workloads may know of this machine.
pub(crate) fn site(inventory: &Inventory, destroy: &[String], wipe: &[String]) -> Site {
    Site {
        cpus: inventory.cpu.allowed.len(),
        caches: inventory.cpu.caches.iter().map(|c| (c.level, c.bytes, c.shared_by.len())).collect(),
        memory_available: inventory.memory.available_bytes,
        destroy: destroy.to_vec(),
        wipe: wipe.to_vec(),
        look: Look(machine::storage::device_state),
    }
}

/// Surveys one case.
pub(crate) fn survey(loads: Vec<LoadSpec>, inventory: &Inventory, site: &Site, host: &Host) -> Survey {
    let mut survey = Survey::default();
    for load in loads {
        if let Err(problem) = add_load(&mut survey, load, site) {
            survey.problem = Some(problem);
            return survey;
        }
    }
    if survey.memory_bytes > site.memory_available / 10 * 9 {
        survey.problem = Some(Problem::refused(
            format!(
                "the loads need {} of memory together, and {} are free",
                binary(survey.memory_bytes),
                binary(site.memory_available)
            ),
            "use smaller sizes or fewer threads",
        ));
    }
    if let Some(main) = survey.loads.first() {
        survey.path = path(main, inventory, host);
    }
    survey
}

fn add_load(survey: &mut Survey, load: LoadSpec, site: &Site) -> Result<(), Problem> {
    let LoadSpec { workload: name, mut parameters } = load;
    let workload = workload::find(&name).ok_or_else(|| {
        Problem::invalid(format!("this agent has no workload `{name}`"), "update the agent")
    })?;
    common::resolve(&mut parameters, site.cpus)?;
    let needs = workload.survey(parameters, site)?;
    survey.threads += needs.parameters.integer("threads").unwrap_or(1);
    survey.memory_bytes = survey.memory_bytes.saturating_add(needs.memory_bytes);
    survey.effect = survey.effect.max(needs.effect);
    survey.touches.extend(needs.touches);
    for fixture in needs.fixtures {
        if !survey.fixtures.contains(&fixture) {
            survey.fixtures.push(fixture);
        }
    }
    survey.loads.push(LoadSpec { workload: name, parameters: needs.parameters });
    Ok(())
}

/// The resources that the main load's data passes.
fn path(main: &LoadSpec, inventory: &Inventory, host: &Host) -> Vec<PathStep> {
    let symbols = workload::find(&main.workload).map_or(&[][..], |w| w.spec().path);
    let under = under(main, host);
    let step = |resource: String| vec![PathStep { resource, amplification: 1.0 }];
    let steps = symbols.iter().map(|symbol| match symbol {
        Symbol::WorkerCpus => step(format!("cpu:{}", show_cpu_list(&inventory.cpu.allowed))),
        Symbol::Memory => step("memory".to_owned()),
        Symbol::TargetFileSystem => {
            under.as_ref().map(|u| step(format!("filesystem:{} ({})", u.mount, u.kind))).unwrap_or_default()
        }
        Symbol::TargetDevice => {
            let block = under.as_ref().and_then(|u| u.block.as_ref());
            block.map(|block| limit::to_block_device(inventory, block, flow(main))).unwrap_or_default()
        }
    });
    steps.flatten().collect()
}

/// Which way a load's bytes flow, by its pattern.
fn flow(load: &LoadSpec) -> Flow {
    let writes = load.parameters.text("pattern").is_ok_and(|p| p.ends_with("write"));
    Flow { written: if writes { 1.0 } else { 0.0 } }
}

/// The path that a load really drives, if it drives one.
fn target_of(load: &LoadSpec) -> Option<&str> {
    let drives = !load.parameters.is_word("engine", "null");
    load.parameters.text("target").ok().filter(|_| drives)
}

/// What lies under the path that a load drives, if it drives one.
pub(crate) fn under(load: &LoadSpec, host: &Host) -> Option<Under> {
    storage::under(host, Path::new(target_of(load)?))
}
