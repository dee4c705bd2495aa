//! Resources that settings of a study name behind `@`: whether the machine, or a stack of the study, has them.

use machine::setting::find;
use model::resource::Symbol;
use model::workload::Catalogue;
use model::{Machine, Study};

use super::settings::is_of_layers;
use super::{PlanError, layers};
use crate::read::setting_parts;

/// Refuses resources that neither the machine nor a stack of the study has, by their names as they are.
pub(super) fn check(study: &Study, machine: &Machine, catalogue: &Catalogue) -> Result<(), PlanError> {
    let layers = layers::all_names(study, catalogue);
    for key in keys(study) {
        let (name, Some(resource)) = setting_parts(key) else { continue };
        let symbols = find(name).into_iter().flat_map(|s| s.spec().binds.into_iter().chain(s.also_binds()));
        let symbols: Vec<Symbol> = symbols.collect();
        // Who changes any other says whether it is there.
        let lists: Option<Vec<_>> = symbols.iter().map(|symbol| names_of(*symbol, machine)).collect();
        let Some(lists) = lists.filter(|lists| !lists.is_empty()) else { continue };
        let may_be_layer = symbols.iter().any(|symbol| is_of_layers(*symbol)) && !layers.is_empty();
        let of_stacks = layers.iter().map(String::as_str).filter(|_| may_be_layer);
        let there: Vec<&str> = lists.into_iter().flatten().chain(of_stacks).collect();
        if !there.contains(&resource) {
            let nouns = symbols.iter().map(|symbol| symbol.words().noun);
            let noun =
                nouns.chain(may_be_layer.then_some("layer of a stack")).collect::<Vec<_>>().join(" or ");
            return Err(PlanError::invalid(
                &study.name,
                format!("there is no {noun} `{resource}` here, which `{name}` should belong to"),
                format!("there are: {}", there.join(", ")),
            ));
        }
    }
    Ok(())
}

/// The names of the machine's resources that a symbol means; none where it does not list them.
fn names_of(symbol: Symbol, machine: &Machine) -> Option<Vec<&str>> {
    let inventory = &machine.inventory;
    match symbol {
        Symbol::PeerInterface => Some(inventory.network.iter().map(|n| n.name.as_str()).collect()),
        Symbol::TargetDevice => Some(inventory.block.iter().map(|b| b.name.as_str()).collect()),
        _ => None,
    }
}

/// Whether some setting names its resource.
pub(super) fn any(study: &Study) -> bool {
    keys(study).any(|key| setting_parts(key).1.is_some())
}

/// Every setting of the study and of one of its workloads.
fn keys(study: &Study) -> impl Iterator<Item = &String> {
    study.settings.keys().chain(study.workloads.iter().flat_map(|workload| workload.settings.keys()))
}

#[cfg(test)]
mod tests {
    use model::Value;
    use model::machine::{BlockDevice, NetworkInterface};

    use super::*;

    #[test]
    fn a_resource_that_is_not_there_is_named_with_all_that_it_may_be() {
        let mut machine = Machine::default();
        machine.inventory.block = vec![BlockDevice { name: "sda".to_owned(), ..BlockDevice::default() }];
        let eth0 = NetworkInterface { name: "eth0".to_owned(), ..NetworkInterface::default() };
        machine.inventory.network = vec![eth0];
        let refused = |key: &str| {
            let settings = [(key.to_owned(), vec![vec![Value::from(1_u64)]])].into();
            let study = Study { settings, ..Study::default() };
            check(&study, &machine, &agent::catalogue()).err().map(|error| format!("{error:?}"))
        };
        for there in ["irq-affinity@sda", "irq-affinity@eth0", "mtu@eth0", "mount-options@/x", "swap"] {
            assert_eq!(refused(there), None, "{there}");
        }
        let either = refused("irq-affinity@eth9").unwrap();
        assert!(either.contains("no block device or network interface `eth9`"), "{either}");
        assert!(either.contains("sda, eth0"), "{either}");
        let mtu = refused("mtu@sda").unwrap();
        assert!(mtu.contains("no network interface `sda`") && mtu.contains("there are: eth0"), "{mtu}");
        let text = "[[workload]]\nkind = 'disk'\nstack = 'loop > luks'\n[settings]\n'scheduler@luks' = 'none'\n\
                    'read-ahead@luks-2' = 0\n";
        let stacked = crate::read::from_toml(&agent::catalogue(), "s", "s.toml", text).unwrap();
        let layer = check(&stacked, &machine, &agent::catalogue()).unwrap_err();
        let said = format!("{layer:?}");
        assert!(said.contains("no block device or layer of a stack `luks-2`"), "{said}");
        assert!(said.contains("there are: sda, loop, luks"), "{said}");
    }
}
