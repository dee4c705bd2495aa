//! The image for containers as a root: its layers, unpacked one over the other, as a container's runtime does it (OCI image
//! layout 1.0).

use std::path::{Path, PathBuf};
use std::process::Command as Process;

use serde_json::Value;

use super::root::Sources;
use crate::error::Error;
use crate::release::command::run;
use crate::release::{artefact, tree};

/// Unpacks the image of the release into the folder `root`, by way of the folder `work`.
///
/// # Errors
/// If there is none for this processor, or it has not the form of one.
pub(super) fn unpack(sources: &Sources<'_>, work: &Path, root: &Path) -> Result<(), Error> {
    let archive = artefact(sources.dist, "-oci.tar")?;
    let layout = work.join("layout");
    tree::make_folder(&layout)?;
    run(Process::new("tar").arg("-C").arg(&layout).arg("-xf").arg(sources.dist.join(archive)))?;
    let outer = document(&layout.join("index.json"))?;
    let inner = document(&piece(&layout, &outer["manifests"][0])?)?;
    let name = sources.architecture.image;
    let described = list(&inner["manifests"])
        .find(|manifest| manifest["platform"]["architecture"] == name)
        .ok_or_else(|| Error::Release(format!("the image has nothing for {name}")))?;
    let manifest = document(&piece(&layout, described)?)?;
    for layer in list(&manifest["layers"]) {
        run(Process::new("tar").arg("-C").arg(root).arg("-xzf").arg(piece(&layout, layer)?))?;
    }
    Ok(())
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn document(path: &Path) -> Result<Value, Error> {
    serde_json::from_slice(&tree::read(path)?)
        .map_err(|e| Error::Release(format!("`{}` cannot be read: {e}", path.display())))
}

/// Where a piece of an image lies that is referred to like this.
fn piece(layout: &Path, reference: &Value) -> Result<PathBuf, Error> {
    let hash = reference["digest"].as_str().and_then(|digest| digest.strip_prefix("sha256:"));
    let hash = hash.ok_or_else(|| Error::Release(format!("`{reference}` refers to no piece of an image")))?;
    Ok(layout.join("blobs/sha256").join(hash))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::release::architecture::Architecture;
    use crate::release::image::pack;
    use crate::release::tests::{release, with_program};

    #[test]
    fn a_root_has_what_the_image_of_this_processor_has() {
        let place = tempfile::tempdir().unwrap();
        with_program(place.path(), |program| {
            pack(&release(), std::slice::from_ref(program), &place.path().join("packing"), place.path())
                .unwrap();
            let sources =
                |architecture| Sources { folder: place.path(), mirror: "", dist: place.path(), architecture };
            let [root, other] = ["root", "other"].map(|name| {
                let folder = place.path().join(name);
                fs::create_dir_all(folder.join("work")).unwrap();
                folder
            });
            unpack(&sources(program.architecture), &root.join("work"), &root).unwrap();
            assert_eq!(fs::read(root.join("usr/bin/headroom")).unwrap(), fs::read(&program.path).unwrap());
            assert!(root.join("tmp").is_dir());
            let names = ["x86_64", "aarch64"].map(|name| Architecture::named(name).unwrap());
            let foreign = names.into_iter().find(|one| !one.is_native()).unwrap();
            let error = unpack(&sources(foreign), &other.join("work"), &other).unwrap_err().to_string();
            assert!(error.contains(foreign.image), "{error}");
        });
    }
}
