//! An image for containers from nothing: one layer with the program, for each architecture, in the layout that
//! every tool reads (OCI image layout 1.0). It has no shell, and no certificates of authorities: who measures `https`
//! mounts the machine's own.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::command::date;
use super::program::Program;
use super::tree::{self, PackagedFile};
use super::{ABOUT, LICENCE, Release};
use crate::error::Error;

/// Kinds of content (OCI image specification, media types).
const INDEX: &str = "application/vnd.oci.image.index.v1+json";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
const LAYER: &str = "application/vnd.oci.image.layer.v1.tar+gzip";

/// Packs all architectures into one archive in the folder `out`, by way of `work`, an empty folder.
pub(super) fn pack(
    release: &Release,
    programs: &[Program],
    work: &Path,
    out: &Path,
) -> Result<PathBuf, Error> {
    let layout = work.join("image");
    let blobs = Blobs { folder: layout.join("blobs/sha256") };
    for folder in [&layout, &layout.join("blobs"), &blobs.folder] {
        tree::make_folder(folder)?;
    }
    let created = created(release.epoch)?;
    let mut manifests = Vec::new();
    for program in programs {
        manifests.push(manifest(release, program, &work.join(program.architecture.name), &blobs, &created)?);
    }
    let mut whole = blobs.add(INDEX, &index(manifests))?;
    whole["annotations"] = json!({ "org.opencontainers.image.ref.name": release.version });
    let files = [
        PackagedFile::text("oci-layout", json!({ "imageLayoutVersion": "1.0.0" }).to_string()),
        PackagedFile::text("index.json", index(vec![whole]).to_string()),
    ];
    tree::write(&layout, &files)?;
    let archive = out.join(format!("headroom-{}-oci.tar", release.version));
    // The layers are compressed already.
    tree::plain_archive(&layout, &archive, release.epoch)?;
    Ok(archive)
}

fn index(manifests: Vec<Value>) -> Value {
    json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": manifests })
}

/// Adds what one architecture has, and says where its manifest is.
fn manifest(
    release: &Release,
    program: &Program,
    work: &Path,
    blobs: &Blobs,
    created: &str,
) -> Result<Value, Error> {
    let root = work.join("root");
    let mut files = vec![PackagedFile::program("usr/bin/headroom", tree::read(&program.path)?)];
    files.extend(tree::licences(release, "usr/share/doc/headroom")?);
    tree::write(&root, &files)?;
    // What a program may expect everywhere: a folder for what is temporary, and a home.
    for (folder, mode) in [("tmp", 0o1777), ("root", 0o700)] {
        let folder = root.join(folder);
        tree::make_folder(&folder)?;
        tree::set_mode(&folder, mode)?;
    }
    let archive = work.join("layer.tar");
    tree::plain_archive(&root, &archive, release.epoch)?;
    let unpacked = format!("sha256:{}", sha256(&tree::read(&archive)?));
    let layer = blobs.add_bytes(LAYER, &tree::read(&tree::gzip(&archive)?)?)?;
    let architecture = program.architecture.image;
    let labels = json!({
        "org.opencontainers.image.title": "headroom",
        "org.opencontainers.image.description": ABOUT,
        "org.opencontainers.image.version": release.version,
        "org.opencontainers.image.licenses": LICENCE,
        "org.opencontainers.image.created": created,
    });
    let config = blobs.add(
        CONFIG,
        &json!({
            "created": created,
            "architecture": architecture,
            "os": "linux",
            "config": {
                "Entrypoint": ["/usr/bin/headroom"],
                "Env": ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root"],
                "WorkingDir": "/root",
                "Labels": labels,
            },
            "rootfs": { "type": "layers", "diff_ids": [unpacked] },
            "history": [{ "created": created, "created_by": "cargo xtask release" }],
        }),
    )?;
    let content = json!({
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": config,
        "layers": [layer],
        "annotations": labels,
    });
    let mut described = blobs.add(MANIFEST, &content)?;
    described["platform"] = json!({ "architecture": architecture, "os": "linux" });
    Ok(described)
}

/// The content of an image, each piece under its hash.
struct Blobs {
    folder: PathBuf,
}

impl Blobs {
    fn add(&self, kind: &str, content: &Value) -> Result<Value, Error> {
        self.add_bytes(kind, content.to_string().as_bytes())
    }

    /// Writes a piece, and gives what refers to it.
    fn add_bytes(&self, kind: &str, bytes: &[u8]) -> Result<Value, Error> {
        let hash = sha256(bytes);
        let path = self.folder.join(&hash);
        fs::write(&path, bytes).map_err(Error::file("write", &path))?;
        tree::set_mode(&path, 0o644)?;
        Ok(json!({ "mediaType": kind, "digest": format!("sha256:{hash}"), "size": bytes.len() }))
    }
}

/// The SHA-256 of bytes, in hexadecimal.
pub(super) fn sha256(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

/// A time as RFC 3339 has it.
pub(super) fn created(epoch: u64) -> Result<String, Error> {
    date(epoch, "+%Y-%m-%dT%H:%M:%SZ")
}

#[cfg(test)]
mod tests {
    use std::process::Command as Process;

    use super::*;
    use crate::release::command::run;
    use crate::release::tests::{release, with_program};

    #[test]
    fn every_piece_of_an_image_is_there_with_its_hash_and_size() {
        let place = tempfile::tempdir().unwrap();
        with_program(place.path(), |program| {
            let programs = [program.clone()];
            let archive = pack(&release(), &programs, &place.path().join("work"), place.path()).unwrap();
            let layout = place.path().join("unpacked");
            tree::make_folder(&layout).unwrap();
            run(Process::new("tar").arg("-C").arg(&layout).arg("-xf").arg(archive)).unwrap();
            let document =
                |path: &Path| -> Value { serde_json::from_slice(&fs::read(path).unwrap()).unwrap() };
            let piece = |reference: &Value| {
                let hash = reference["digest"].as_str().unwrap().strip_prefix("sha256:").unwrap();
                let path = layout.join("blobs/sha256").join(hash);
                let bytes = fs::read(&path).unwrap();
                assert_eq!(sha256(&bytes), hash);
                assert_eq!(reference["size"], bytes.len());
                path
            };
            assert_eq!(document(&layout.join("oci-layout"))["imageLayoutVersion"], "1.0.0");
            let outer = document(&layout.join("index.json"));
            assert_eq!(outer["manifests"][0]["annotations"]["org.opencontainers.image.ref.name"], "0.1.0");
            let inner = document(&piece(&outer["manifests"][0]));
            let described = &inner["manifests"][0];
            assert_eq!(described["platform"]["architecture"], program.architecture.image);
            let manifest = document(&piece(described));
            let config = document(&piece(&manifest["config"]));
            let layer = piece(&manifest["layers"][0]);
            let unpacked =
                Process::new("gzip").arg("-dc").stdin(fs::File::open(layer).unwrap()).output().unwrap();
            let hash = format!("sha256:{}", sha256(&unpacked.stdout));
            assert_eq!(config["rootfs"]["diff_ids"], json!([hash]));
        });
    }

    #[test]
    fn a_hash_is_the_one_of_the_standard() {
        // FIPS 180-4, the example of one block.
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(b"abc"), expected);
    }
}
