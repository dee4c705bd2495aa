//! What the program contains that others wrote: the crates that are linked into it, with where they come from, their
//! licences and hashes. Macros and build scripts, which only run while it is built, and tests are not among them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Node, Package, PackageId};
use serde::Deserialize;

use super::architecture::Architecture;
use crate::error::Error;

/// A crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dependency {
    pub(super) name: String,
    pub(super) version: String,
    /// What it is.
    pub(super) about: Option<String>,
    /// Its licence as an SPDX expression.
    pub(super) licence: Option<String>,
    /// Its folder.
    pub(super) folder: PathBuf,
    /// Whether it is of this workspace.
    pub(super) is_ours: bool,
    /// SHA-256 of what the registry gave, in hexadecimal.
    pub(super) hash: Option<String>,
    /// The names and versions of those that it uses.
    pub(super) uses: BTreeSet<(String, String)>,
}

/// The crates in the programs for these architectures, by name and version. The program's own is `cli`.
pub(super) fn of(
    root: &Path,
    architectures: &[&'static Architecture],
) -> Result<BTreeMap<(String, String), Dependency>, Error> {
    let lock = root.join("Cargo.lock");
    let hashes = hashes(&fs::read_to_string(&lock).map_err(Error::file("read", &lock))?)?;
    let mut all: BTreeMap<(String, String), Dependency> = BTreeMap::new();
    for architecture in architectures {
        let options = ["--locked", "--filter-platform", architecture.triple].map(str::to_owned);
        let metadata = MetadataCommand::new().current_dir(root).other_options(options).exec()?;
        for (key, dependency) in linked(&metadata, &hashes)? {
            let known = all.entry(key).or_insert_with(|| dependency.clone());
            known.uses.extend(dependency.uses);
        }
    }
    Ok(all)
}

/// What is reached from `cli` by dependencies that are linked.
fn linked(
    metadata: &Metadata,
    hashes: &BTreeMap<(String, String), String>,
) -> Result<BTreeMap<(String, String), Dependency>, Error> {
    let wrong = |what: &str| Error::Release(format!("cargo's description of the workspace has no {what}"));
    let packages: BTreeMap<&PackageId, &Package> = metadata.packages.iter().map(|p| (&p.id, p)).collect();
    let resolve = metadata.resolve.as_ref().ok_or_else(|| wrong("dependencies"))?;
    let nodes: BTreeMap<&PackageId, &Node> = resolve.nodes.iter().map(|node| (&node.id, node)).collect();
    let is_program =
        |id: &&PackageId| packages.get(*id).is_some_and(|package| package.name.as_str() == "cli");
    let first = metadata.workspace_members.iter().find(is_program).ok_or_else(|| wrong("package `cli`"))?;
    let mut open = vec![first];
    let mut found: BTreeMap<(String, String), Dependency> = BTreeMap::new();
    while let Some(id) = open.pop() {
        let package = *packages.get(id).ok_or_else(|| wrong("package that is depended on"))?;
        let key = key(package);
        if found.contains_key(&key) {
            continue;
        }
        let node = *nodes.get(id).ok_or_else(|| wrong("dependencies of a package"))?;
        let next: Vec<&PackageId> = node
            .deps
            .iter()
            .filter(|dep| dep.dep_kinds.iter().any(|of| of.kind == DependencyKind::Normal))
            .map(|dep| &dep.pkg)
            .filter(|id| packages.get(*id).is_some_and(|package| !is_macro(package)))
            .collect();
        let uses = next.iter().filter_map(|id| packages.get(*id)).map(|package| self::key(package)).collect();
        let hash = hashes.get(&key).cloned();
        found.insert(key, dependency(package, hash, uses)?);
        open.extend(next);
    }
    Ok(found)
}

fn key(package: &Package) -> (String, String) {
    (package.name.to_string(), package.version.to_string())
}

fn is_macro(package: &Package) -> bool {
    package.targets.iter().any(|target| target.is_proc_macro())
}

fn dependency(
    package: &Package,
    hash: Option<String>,
    uses: BTreeSet<(String, String)>,
) -> Result<Dependency, Error> {
    let (name, version) = key(package);
    let folder = package.manifest_path.parent();
    let folder = folder.ok_or_else(|| Error::Release(format!("the package `{name}` lies in no folder")))?;
    Ok(Dependency {
        name,
        version,
        about: package.description.as_ref().map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")),
        // As it was written before SPDX expressions had words.
        licence: package
            .license
            .as_ref()
            .map(|text| text.split('/').map(str::trim).collect::<Vec<_>>().join(" OR ")),
        folder: folder.as_std_path().to_owned(),
        is_ours: package.source.is_none(),
        hash,
        uses,
    })
}

/// A `Cargo.lock`, as far as it is needed.
#[derive(Deserialize)]
struct Lock {
    package: Vec<LockedPackage>,
}

/// A package in it.
#[derive(Deserialize)]
struct LockedPackage {
    name: String,
    version: String,
    checksum: Option<String>,
}

/// The hashes in a `Cargo.lock`, by name and version.
fn hashes(lock: &str) -> Result<BTreeMap<(String, String), String>, Error> {
    let lock: Lock =
        toml::from_str(lock).map_err(|e| Error::Release(format!("`Cargo.lock` cannot be read: {e}")))?;
    let hash = |package: LockedPackage| Some(((package.name, package.version), package.checksum?));
    Ok(lock.package.into_iter().filter_map(hash).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_linked_is_found_and_what_only_builds_is_not() {
        let architecture = Architecture::named(std::env::consts::ARCH).unwrap();
        let found = of(&crate::root(), &[architecture]).unwrap();
        let named = |name: &str| found.values().find(|dependency| dependency.name == name);
        assert!(
            named("cli").is_some_and(|own| own.is_ours && own.uses.iter().any(|(name, _)| name == "model"))
        );
        let serde = named("serde").unwrap();
        assert!(!serde.is_ours && serde.hash.as_ref().is_some_and(|hash| hash.len() == 64));
        assert!(serde.licence.as_ref().is_some_and(|licence| licence.contains(" OR ")));
        // Macros, build scripts and tests.
        for absent in ["serde_derive", "cc", "insta", "proptest", "xtask"] {
            assert!(named(absent).is_none(), "{absent}");
        }
        // All that is used is there.
        assert!(found.values().flat_map(|one| &one.uses).all(|key| found.contains_key(key)));
    }

    #[test]
    fn hashes_are_those_of_packages_that_a_registry_gave() {
        let lock = "version = 4\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nchecksum = \"ff\"\n\
                    [[package]]\nname = \"ours\"\nversion = \"0.1.0\"\n";
        let expected = BTreeMap::from([(("a".to_owned(), "1.0.0".to_owned()), "ff".to_owned())]);
        assert_eq!(hashes(lock).unwrap(), expected);
        assert!(hashes("version = 4\n").is_err());
        assert!(hashes("[[").is_err());
    }
}
