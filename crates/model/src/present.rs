//! What a node presents to its controller through a network: what it is asked for, and what the controller must know to
//! attach it.

use std::fmt;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::resource::Resource;
use crate::trial::MachineTrial;

/// What a node is to present.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PresentOrder {
    /// The stack, as it is written; its topmost layer is the one that presents it.
    pub stack: String,
    /// The parts of the target, as the node's owner named them.
    pub targets: Vec<String>,
    /// Bytes of each file that the stack gets in a folder.
    pub member_bytes: u64,
    /// The address at which it is presented. A node puts there the one at which the controller reached it.
    pub listen: IpAddr,
}

impl PresentOrder {
    /// Whether both ask for the same, wherever it is presented.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        (&self.stack, &self.targets, self.member_bytes) == (&other.stack, &other.targets, other.member_bytes)
    }
}

/// What a node presents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PresentedTarget {
    /// The name of its topmost layer at the node, of which its other names are made; another one each time.
    pub layer: String,
    /// The UUID of that layer.
    pub uuid: String,
    /// What the controller must know to be let in.
    pub secret: TargetSecret,
}

/// What a machine did while another one drove what it presents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WatchedMachine {
    /// What it did in the window, by its own clock.
    pub machine: MachineTrial,
    /// Its devices that the data passed, the highest first.
    pub devices: Vec<Resource>,
}

/// What a controller attaches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttachOrder {
    /// What the study calls the node.
    pub peer: String,
    /// What the node was asked for.
    pub order: PresentOrder,
    /// The address at which this machine reaches the node.
    pub address: IpAddr,
    /// What the node presents.
    pub target: PresentedTarget,
}

/// A random secret of one target. It is never shown.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TargetSecret(String);

impl TargetSecret {
    /// The secret with this text.
    #[must_use]
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// Its text, for the target and for who is let in.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for TargetSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TargetSecret(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order() -> PresentOrder {
        PresentOrder {
            stack: "loop > iscsi".to_owned(),
            targets: vec!["/srv".to_owned()],
            member_bytes: 1 << 30,
            listen: IpAddr::from([10, 0, 0, 2]),
        }
    }

    #[test]
    fn a_secret_is_sent_and_not_shown() {
        let target = PresentedTarget {
            layer: "headroom_0123456789abcdef_1".to_owned(),
            uuid: "u".to_owned(),
            secret: TargetSecret::new("5ec5e7".to_owned()),
        };
        let sent = serde_json::to_string(&target).unwrap();
        assert!(sent.contains(r#""secret":"5ec5e7""#), "{sent}");
        assert_eq!(serde_json::from_str::<PresentedTarget>(&sent).unwrap(), target);
        assert!(!format!("{target:?}").contains("5ec5e7"));
    }

    #[test]
    fn an_order_is_the_same_wherever_it_is_presented() {
        let elsewhere = PresentOrder { listen: IpAddr::from([10, 0, 1, 2]), ..order() };
        assert!(order().is_same(&elsewhere));
        assert!(!order().is_same(&PresentOrder { member_bytes: 1, ..order() }));
        assert!(!order().is_same(&PresentOrder { targets: Vec::new(), ..order() }));
    }
}
