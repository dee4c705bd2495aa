//! Which crate may know which (design, section 4): a crate knows only crates
//! of layers below its own. Those of one layer do not know one another.
//!
//! Dependencies for tests and build scripts obey the same rule, so that no
//! test can hold two crates of one layer together.

use std::path::Path;

use cargo_metadata::{MetadataCommand, Package};

use super::Problem;
use crate::error::Error;

/// The layers, lowest first.
const LAYERS: &[&[&str]] = &[
    // What attacks the program, or tries its verdicts, from outside knows nothing of its inside.
    &["model", "lab", "torture"],
    &["stats", "language", "import", "trace"],
    &["engine", "analysis", "store", "chart"],
    &["machine", "load"],
    &["agent", "report"],
    &["node", "serve", "study"],
    &["watch"],
    &["cli"],
    &["bench", "headroom-fuzz"],
];

/// The tasks know no crate of the house, so that they wait for none to compile,
/// and only the programs that are tasks know them.
const TASKS: &str = "xtask";
const KNOW_TASKS: &[&str] = &["bench", "lab", "torture"];

/// One crate of the workspace and the workspace's crates that it names.
#[derive(Debug)]
struct Member {
    name: String,
    /// Its Cargo.toml, from the root.
    manifest: String,
    knows: Vec<String>,
}

/// What is wrong with the dependencies of the workspace at `root`.
pub(super) fn check(root: &Path) -> Result<Vec<Problem>, Error> {
    Ok(violations(&members(root)?))
}

/// The crates of the workspace at `root`, as cargo tells.
fn members(root: &Path) -> Result<Vec<Member>, Error> {
    let metadata =
        MetadataCommand::new().current_dir(root).no_deps().other_options(["--offline".to_owned()]).exec()?;
    let packages = metadata.workspace_packages();
    let is_member = |name: &str| packages.iter().any(|package| package.name.as_str() == name);
    let member = |package: &&Package| Member {
        name: package.name.to_string(),
        manifest: package
            .manifest_path
            .strip_prefix(&metadata.workspace_root)
            .unwrap_or(&package.manifest_path)
            .to_string(),
        knows: package
            .dependencies
            .iter()
            .filter(|d| d.path.is_some() && is_member(&d.name))
            .map(|d| d.name.clone())
            .collect(),
    };
    Ok(packages.iter().map(member).collect())
}

fn violations(graph: &[Member]) -> Vec<Problem> {
    let layer = |name: &str| LAYERS.iter().position(|crates| crates.contains(&name));
    let mut problems = Vec::new();
    for Member { name, manifest, knows } in graph {
        let mut wrong = |message: String| problems.push(Problem::new(manifest, None, message));
        if name == TASKS {
            for other in knows {
                wrong(format!(
                    "`{TASKS}` must not depend on `{other}`: tasks wait for no crate of the house"
                ));
            }
            continue;
        }
        let Some(own) = layer(name) else {
            wrong(format!("crate `{name}` is in no layer: add it to the table in xtask/src/tidy/layers.rs"));
            continue;
        };
        for other in knows {
            match layer(other) {
                _ if other == TASKS && KNOW_TASKS.contains(&name.as_str()) => {}
                _ if other == TASKS => wrong(format!("`{name}` must not depend on `{other}`")),
                Some(theirs) if theirs < own => {}
                Some(theirs) if theirs == own => {
                    wrong(format!("`{name}` must not depend on `{other}`, a crate of its own layer"));
                }
                Some(_) => wrong(format!("`{name}` must not depend on `{other}`, a crate of a layer above")),
                // Told where that crate itself comes by.
                None => {}
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(crates: &[(&str, &[&str])]) -> Vec<String> {
        let graph: Vec<_> = crates
            .iter()
            .map(|(name, knows)| Member {
                name: (*name).to_owned(),
                manifest: format!("crates/{name}/Cargo.toml"),
                knows: knows.iter().map(|s| (*s).to_owned()).collect(),
            })
            .collect();
        violations(&graph).into_iter().map(|problem| problem.message).collect()
    }

    #[test]
    fn the_house_as_designed_passes() {
        let found = graph(&[
            ("model", &[]),
            ("stats", &["model"]),
            ("load", &["model", "stats"]),
            ("machine", &["model"]),
            ("agent", &["load", "machine", "model"]),
            ("study", &["agent", "stats"]),
            ("cli", &["study", "agent", "model"]),
            ("bench", &["machine", "model", "xtask"]),
            ("lab", &["xtask"]),
            ("torture", &["xtask"]),
            ("xtask", &[]),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn a_crate_of_the_same_layer_may_not_be_known() {
        let found = graph(&[("load", &["machine"]), ("machine", &[])]);
        assert_eq!(found, ["`load` must not depend on `machine`, a crate of its own layer"]);
        assert_eq!(graph(&[("report", &["agent"])]).len(), 1);
    }

    #[test]
    fn a_crate_above_may_not_be_known() {
        let found = graph(&[("model", &["stats"]), ("agent", &["study"])]);
        assert_eq!(
            found,
            [
                "`model` must not depend on `stats`, a crate of a layer above",
                "`agent` must not depend on `study`, a crate of a layer above"
            ]
        );
    }

    #[test]
    fn only_benchmarks_may_know_xtask_and_xtask_nobody() {
        assert_eq!(
            graph(&[("xtask", &["model"])]),
            ["`xtask` must not depend on `model`: tasks wait for no crate of the house"]
        );
        assert_eq!(graph(&[("cli", &["xtask"])]), ["`cli` must not depend on `xtask`"]);
    }

    #[test]
    fn a_crate_that_is_not_in_the_table_is_told() {
        let found = graph(&[("web", &["model"]), ("cli", &["web"])]);
        assert_eq!(found, ["crate `web` is in no layer: add it to the table in xtask/src/tidy/layers.rs"]);
    }

    #[test]
    fn the_real_graph_is_read() {
        // Without this, a rule that sees no dependencies would pass as well.
        let members = members(&crate::root()).unwrap();
        let store = members.iter().find(|member| member.name == "store").unwrap();
        assert!(store.knows.iter().any(|name| name == "model"), "{store:?}");
        assert!(!store.knows.iter().any(|name| name == "rusqlite"), "{store:?}");
        assert_eq!(store.manifest, "crates/store/Cargo.toml");
    }
}
