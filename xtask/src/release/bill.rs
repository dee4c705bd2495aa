//! The bill of materials: what the program is made of, in the form of CycloneDX 1.5 (JSON), for those who look for
//! components with known faults. It has no number of its own and no time but the release's, so that it is the same for
//! everybody who makes it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::dependencies::Dependency;
use super::{ABOUT, LICENCE};

/// Writes the bill for a version, made at this time (RFC 3339).
pub(super) fn bill(
    version: &str,
    created: &str,
    dependencies: &BTreeMap<(String, String), Dependency>,
) -> String {
    let others = || dependencies.values().filter(|dependency| !dependency.is_ours);
    let own = format!("pkg:generic/headroom@{version}");
    let components: Vec<Value> = others().map(component).collect();
    let mut relations = vec![json!({ "ref": own, "dependsOn": used_by_ours(dependencies) })];
    for dependency in others() {
        let uses: Vec<String> =
            dependency.uses.iter().map(|(name, version)| package_url(name, version)).collect();
        let from = package_url(&dependency.name, &dependency.version);
        relations.push(json!({ "ref": from, "dependsOn": uses }));
    }
    let bill = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": created,
            "component": {
                "type": "application",
                "bom-ref": own,
                "name": "headroom",
                "version": version,
                "description": ABOUT,
                "licenses": [{ "expression": LICENCE }],
            },
        },
        "components": components,
        "dependencies": relations,
    });
    format!("{bill:#}\n")
}

/// What crates of this workspace use of others.
fn used_by_ours(dependencies: &BTreeMap<(String, String), Dependency>) -> Vec<String> {
    let is_other =
        |key: &&(String, String)| dependencies.get(*key).is_some_and(|dependency| !dependency.is_ours);
    let ours = dependencies.values().filter(|dependency| dependency.is_ours);
    let mut used: Vec<String> = ours
        .flat_map(|dependency| dependency.uses.iter().filter(is_other))
        .map(|(name, version)| package_url(name, version))
        .collect();
    used.sort();
    used.dedup();
    used
}

fn component(dependency: &Dependency) -> Value {
    let url = package_url(&dependency.name, &dependency.version);
    let mut component = json!({
        "type": "library",
        "bom-ref": url,
        "purl": url,
        "name": dependency.name,
        "version": dependency.version,
        "scope": "required",
    });
    if let Some(about) = &dependency.about {
        component["description"] = json!(about);
    }
    if let Some(licence) = &dependency.licence {
        component["licenses"] = json!([{ "expression": licence }]);
    }
    if let Some(hash) = &dependency.hash {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": hash }]);
    }
    component
}

/// What a crate is called everywhere (purl specification, type `cargo`); `+` of a version is written in hexadecimal.
fn package_url(name: &str, version: &str) -> String {
    format!("pkg:cargo/{name}@{}", version.replace('+', "%2B"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::tests::dependency;

    #[test]
    fn a_bill_names_what_others_wrote_and_who_uses_it() {
        let mut ours = dependency("cli", None);
        ours.is_ours = true;
        ours.uses.insert(("a".to_owned(), "1.0.0+x".to_owned()));
        ours.uses.insert(("model".to_owned(), "1.0.0".to_owned()));
        let mut model = dependency("model", None);
        model.is_ours = true;
        let mut a = dependency("a", Some("MIT"));
        a.version = "1.0.0+x".to_owned();
        a.hash = Some("ff".to_owned());
        a.uses.insert(("b".to_owned(), "1.0.0".to_owned()));
        let all = [ours, model, a, dependency("b", None)];
        let all = BTreeMap::from(all.map(|one| ((one.name.clone(), one.version.clone()), one)));
        let text = bill("0.1.0", "1970-01-02T00:00:00Z", &all);
        let bill: Value = serde_json::from_str(&text).unwrap();
        let names: Vec<_> =
            bill["components"].as_array().unwrap().iter().map(|c| c["name"].as_str()).collect();
        assert_eq!(names, [Some("a"), Some("b")]);
        assert_eq!(bill["components"][0]["purl"], "pkg:cargo/a@1.0.0%2Bx");
        assert_eq!(bill["components"][0]["hashes"][0]["content"], "ff");
        // What is not known is left out.
        assert!(
            bill["components"][1].get("licenses").is_none() && bill["components"][1].get("hashes").is_none()
        );
        assert_eq!(bill["dependencies"][0]["dependsOn"], json!(["pkg:cargo/a@1.0.0%2Bx"]));
        assert_eq!(bill["dependencies"][1]["dependsOn"], json!(["pkg:cargo/b@1.0.0"]));
        assert_eq!(bill["metadata"]["timestamp"], "1970-01-02T00:00:00Z");
    }
}
