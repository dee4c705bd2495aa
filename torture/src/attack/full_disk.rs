//! A store on a file system that gets full at some time: it is read, runs can be
//! removed, and nothing that was stored is lost.

use super::Attack;
use crate::namespaces::Namespaces;
use crate::process::{Ended, PATIENCE, Running};
use crate::round::{Round, Trouble, trials};

pub(super) const ATTACK: Attack = Attack {
    name: "full-disk",
    about: "fills the store's file system before or in a run; runs are read, removed, and none is lost",
    round,
};

fn round(round: &mut Round) -> Result<(), Trouble> {
    let namespaces = Namespaces::new()?;
    let block = round.pick(&["1024", "2048", "4096"]);
    let mib = 4 + round.below(8);
    namespaces.shell(
        round,
        &format!(
            "truncate -s {mib}M image; mkfs.ext4 -q -F -m 0 -b {block} image; mkdir disk; mount -o loop image disk"
        ),
    )?;
    let store = round.path("disk/x.db");
    let headroom = |round: &Round, arguments: &[&str]| -> Result<Ended, Trouble> {
        let arguments = [arguments, &["--store", &store]].concat();
        Running::start(namespaces.headroom(round, &arguments))?.end(PATIENCE, &[])
    };
    let measure = ["run", "null", "--duration", "10ms", "--warm-up", "0", "--pin", "none", "--trials"];
    for _ in 0..1 + round.below(3) {
        headroom(round, &[&measure[..], &["2"]].concat())?.with(&[0])?;
    }
    // Room for some more, or for none.
    let room = if round.below(2) == 0 { 0 } else { round.below(200) };
    namespaces.shell(
        round,
        &format!(
            "cd disk; free=$(df -k --output=avail . | tail -n 1)
             dd if=/dev/zero of=filler bs=1k count=$((free > {room} ? free - {room} : 0)) 2>/dev/null || true
             [ {room} = 0 ] && {{ cat /dev/zero > filler2 2>/dev/null || true; sync; cat /dev/zero > filler3 2>/dev/null || true; }}
             sync"
        ),
    )?;
    let before = stored(&headroom(round, &["list"])?)?;
    let ended = headroom(round, &[&measure[..], &["30"]].concat())?.with(&[0, 1, 3])?;
    round.count(match ended.code() {
        Some(0) => "runs that had room",
        Some(1) => "runs that ran out of room",
        _ => "runs that were refused",
    });
    if ended.code() != Some(0) && !(ended.said.contains("no space") || ended.said.contains("full")) {
        return Err(ended.fault("it does not say that the disk is full"));
    }
    let list = headroom(round, &["list"])?.with(&[0])?;
    let ids = stored(&list)?;
    if before.iter().any(|id| !ids.contains(id)) {
        return Err(list.fault(&format!("runs are lost: {before:?} were there")));
    }
    for id in &ids {
        headroom(round, &["show", id])?.with(&[0])?;
        let export = headroom(round, &["export", id])?.with(&[0])?;
        let document = serde_json::from_str(&export.printed)
            .map_err(|e| export.fault(&format!("what was exported is no document: {e}")))?;
        if before.contains(id) && trials(&document) != 2 {
            return Err(export.fault("trials of a finished run are lost"));
        }
    }
    for id in &ids {
        headroom(round, &["rm", id])?.with(&[0])?;
    }
    round.count_times("runs read and removed", ids.len() as u64);
    let left = stored(&headroom(round, &["list"])?.with(&[0])?)?;
    if !left.is_empty() {
        return Err(Trouble::Fault(format!("removed runs are listed: {left:?}")));
    }
    // With room again, it is a store as any.
    namespaces.shell(round, "rm -f disk/filler*")?;
    headroom(round, &[&measure[..], &["1"]].concat())?.with(&[0])?;
    Ok(())
}

/// The runs in a list.
fn stored(list: &Ended) -> Result<Vec<String>, Trouble> {
    if !list.is_success() {
        return Err(list.fault("the store cannot be listed"));
    }
    // An id begins with its day and time.
    let is_id = |word: &str| word.len() > 15 && word.starts_with("20") && word.contains('-');
    let ids = list.printed.split_whitespace().filter(|word| is_id(word));
    Ok(ids.filter(|word| word.matches('-').count() == 2 && !word.contains(':')).map(str::to_owned).collect())
}
