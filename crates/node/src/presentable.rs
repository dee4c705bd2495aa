//! What a node may be asked to present: stacks on devices and folders that its owner named for that when it was started, and
//! nothing else.

use std::net::IpAddr;

use model::present::PresentOrder;

use super::bounds::{STACK_BYTES_MAX, TARGETS_MAX};
use super::limits::Limits;

/// Whether this is to be presented of what the node's owner named for that, at the address by which the controller came in.
///
/// # Errors
/// Why not, in words for who asked.
pub(super) fn presentable(order: &mut PresentOrder, here: IpAddr, limits: &Limits) -> Result<(), String> {
    if order.stack.len() > STACK_BYTES_MAX || order.targets.len() > TARGETS_MAX {
        return Err(format!(
            "a node makes a stack of {STACK_BYTES_MAX} bytes on {TARGETS_MAX} targets at most"
        ));
    }
    if let Some(path) = order.targets.iter().find(|path| !limits.presents.contains(path)) {
        return Err(format!(
            "this node was not started to present {path}: `headroom node --present PATH` there says on what it may make \
             stacks, by the same path"
        ));
    }
    if order.targets.is_empty() {
        return Err("a node presents nothing that has no target".to_owned());
    }
    order.listen = here;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2));

    fn order(targets: &[&str]) -> PresentOrder {
        PresentOrder {
            stack: "loop > iscsi".to_owned(),
            targets: targets.iter().map(|path| (*path).to_owned()).collect(),
            member_bytes: 1 << 30,
            listen: IpAddr::from([192, 0, 2, 1]),
        }
    }

    #[test]
    fn targets_are_those_that_the_owner_named_by_the_same_paths() {
        let limits = Limits { presents: vec!["/srv".to_owned(), "/dev/sdb".to_owned()], ..Limits::default() };
        for targets in [&["/srv"][..], &["/dev/sdb", "/srv"], &["/srv"; 26]] {
            let mut asked = order(targets);
            assert_eq!(presentable(&mut asked, HERE, &limits), Ok(()));
            assert_eq!(asked, PresentOrder { listen: HERE, ..order(targets) });
        }
        let why = |mut order: PresentOrder| presentable(&mut order, HERE, &limits).unwrap_err();
        for other in ["/", "/srv/", "/srv/../etc", "/dev/sda", ""] {
            for targets in [&[other][..], &["/srv", other]] {
                assert!(why(order(targets)).contains("was not started to present"), "{targets:?}");
            }
        }
        assert!(why(order(&[])).contains("has no target"));
        assert!(why(order(&["/srv"; 27])).contains("at most"));
        assert!(why(PresentOrder { stack: " ".repeat(5000), ..order(&["/srv"]) }).contains("at most"));
    }
}
