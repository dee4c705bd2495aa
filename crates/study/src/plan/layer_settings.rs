//! Settings of loads on a storage stack: which layer each belongs to. A person names one as a device of the machine is
//! named, `read-ahead@luks`; without that it is the layer that the load drives, or the device below its file system.

use model::plan::{LoadSpec, Problem};
use model::profile::Aspect;
use model::resource::Symbol;
use model::setting::LayerPlace;
use model::stack::{LayerRole, LayerStack};
use model::workload::Catalogue;

use super::layers::stack_of;

/// A load on a stack.
pub(super) struct StackedLoad {
    stack: LayerStack,
    /// What the stack is made on.
    targets: Vec<String>,
    /// How many layers are below the one that is driven, up to which the stack is made.
    height: usize,
}

impl StackedLoad {
    /// None of a load without a stack.
    pub(super) fn of(load: &LoadSpec, catalogue: &Catalogue) -> Option<Self> {
        let stack = stack_of(load, catalogue)?;
        let spec = catalogue.workload(load.workload)?;
        let named = |aspect| catalogue.parameter_for(spec, aspect);
        let targets = load.parameters.texts(named(Aspect::Targets)?).ok()?;
        let targets = targets.into_iter().map(str::to_owned).collect();
        let layer = named(Aspect::Layer).and_then(|name| load.parameters.text(name).ok());
        let height = layer.and_then(|layer| stack.height_of(layer)).unwrap_or_else(|| stack.height());
        Some(Self { stack, targets, height })
    }

    /// The layer that `setting`, of what `symbol` means, belongs to: the one of this name, if one is `named`.
    ///
    /// # Errors
    /// If there is none, with those that there are.
    pub(super) fn place(
        &self,
        (setting, symbol): (&str, Symbol),
        named: Option<&str>,
    ) -> Result<LayerPlace, Problem> {
        let names = self.stack.layer_names();
        let (made, _) = names.split_at(self.height + 1);
        let driven = &names[self.height];
        let fits = |at: usize| can_be(symbol, self.role(at));
        let at = match named.map(|name| (name, made.iter().position(|layer| layer == name))) {
            Some((_, Some(at))) => Ok(at),
            Some((name, None)) if names.iter().any(|layer| layer == name) => Err(format!(
                "`{setting}` should belong to the layer `{name}`, which is not made where the layer `{driven}` is measured"
            )),
            Some((name, None)) => Err(format!(
                "the stack {} has no layer `{name}`, to which `{setting}` should belong",
                self.stack
            )),
            None if self.role(self.height) == LayerRole::FileSystem && !fits(self.height) => {
                Ok(self.height.saturating_sub(1))
            }
            None => Ok(self.height),
        };
        let message = match at {
            Ok(at) if fits(at) => {
                let (stack, targets) = (self.stack.to_string(), self.targets.clone());
                return Ok(LayerPlace { stack, targets, layer: names[at].clone() });
            }
            Ok(at) => format!(
                "`{setting}` belongs to a {}, and the layer `{}` is {}",
                symbol.words().noun,
                names[at],
                described(self.role(at))
            ),
            Err(message) => message,
        };
        let others: Vec<String> =
            (0..made.len()).filter(|at| fits(*at)).map(|at| format!("{setting}@{}", names[at])).collect();
        let help = match others.is_empty() {
            true => "leave it out".to_owned(),
            false => format!("here it may be {}", others.join(", ")),
        };
        Err(Problem::invalid(message, help))
    }

    fn role(&self, at: usize) -> LayerRole {
        let above_ground = at.checked_sub(1).and_then(|above| self.stack.layers.get(above));
        above_ground.map_or(LayerRole::Ground, |layer| layer.spec.role)
    }
}

/// Whether a layer is what a symbol of a path means.
fn can_be(symbol: Symbol, role: LayerRole) -> bool {
    match role {
        LayerRole::Ground | LayerRole::Device => symbol == Symbol::TargetDevice,
        LayerRole::FileSystem | LayerRole::Share => symbol == Symbol::TargetFileSystem,
    }
}

/// What a layer is, in a sentence.
fn described(role: LayerRole) -> &'static str {
    match role {
        LayerRole::Ground | LayerRole::Device => "a block device",
        LayerRole::FileSystem => "a mounted file system",
        LayerRole::Share => "a mounted share, which has no device",
    }
}

#[cfg(test)]
mod tests {
    use model::setting::Change;

    use super::super::expand;
    use crate::read::from_toml;

    /// What each case asks of settings: the key, and the layers and the targets that it belongs to.
    fn asked(stack: &str, more: &str, settings: &str) -> Result<Vec<Vec<String>>, String> {
        let text = format!(
            "[[workload]]\nkind = 'disk'\ntarget = '/data'\nstack = {stack}\n{more}[settings]\n{settings}\n"
        );
        let catalogue = agent::catalogue();
        let study = from_toml(&catalogue, "s", "s.toml", &text).unwrap();
        let cases = expand(&study, &catalogue)
            .map_err(|error| format!("{error}; {}", error.help().unwrap_or_default()))?;
        let of_case = |settings: &[Change]| -> Vec<String> {
            let layers = |change: &Change| {
                let layers = change.layers.iter().map(|place| format!("{}:{}", place.stack, place.layer));
                layers.chain(change.targets.clone()).collect::<Vec<_>>().join("+")
            };
            settings.iter().map(|change| format!("{} {}", change.key(), layers(change))).collect()
        };
        Ok(cases.iter().map(|case| of_case(&case.settings)).collect())
    }

    fn refused(stack: &str, more: &str, settings: &str) -> String {
        asked(stack, more, settings).unwrap_err()
    }

    #[test]
    fn a_setting_belongs_to_the_top_of_a_stack_or_to_the_layer_that_is_named() {
        let on = |stack: &str, settings: &str| asked(stack, "", settings).unwrap().remove(0);
        assert_eq!(on("'loop > ext4'", "scheduler = 'none'"), ["scheduler loop > ext4:loop"]);
        assert_eq!(on("'loop > ext4'", "mount-options = 'noatime'"), ["mount-options loop > ext4:ext4"]);
        let luks = "'raid1(a+b) > luks > luks > xfs'";
        assert_eq!(on(luks, "read-ahead = 0"), ["read-ahead raid1(a+b) > luks > luks > xfs:luks-2"]);
        assert_eq!(
            on(luks, "'read-ahead@luks' = 0\n'scheduler@members' = 'none'"),
            [
                "read-ahead@luks raid1(a+b) > luks > luks > xfs:luks",
                "scheduler@members raid1(a+b) > luks > luks > xfs:members"
            ]
        );
        // A device of the machine is named as ever.
        assert_eq!(on("'loop > ext4'", "'scheduler@sda' = 'none'"), ["scheduler@sda "]);
        let levels = asked("'loop > ext4'", "", "'read-ahead@loop' = [0, '4m']").unwrap();
        assert_eq!(levels.len(), 2);
    }

    #[test]
    fn what_each_layer_has_is_measured_at_each() {
        let all = "layer = 'all'\n";
        let tops = asked("'loop > luks > ext4'", all, "read-ahead = 0").unwrap();
        let stack = "read-ahead loop > luks > ext4";
        assert_eq!(tops, [[format!("{stack}:loop")], [format!("{stack}:luks")], [format!("{stack}:luks")]]);
        let ground = asked("'loop > ext4'", all, "'scheduler@loop' = 'none'").unwrap();
        assert_eq!(ground, [["scheduler@loop loop > ext4:loop"], ["scheduler@loop loop > ext4:loop"]]);
        let not_made = refused("'loop > luks > ext4'", all, "'read-ahead@luks' = 0");
        let why =
            "`luks`, which is not made where the layer `loop` is measured; here it may be read-ahead@loop";
        assert!(not_made.contains(why), "{not_made}");
        let of_top = refused("'loop > ext4'", all, "mount-options = 'noatime'");
        assert!(
            of_top.contains("belongs to a file system, and the layer `loop` is a block device"),
            "{of_top}"
        );
    }

    #[test]
    fn a_load_beside_with_a_target_of_its_own_has_the_setting_there() {
        let beside = "[[workload.with]]\nkind = 'disk'\n";
        let shared = asked("'loop > ext4'", beside, "scheduler = 'none'").unwrap();
        assert_eq!(shared, [["scheduler loop > ext4:loop"]]);
        let own = format!("{beside}target = '/other'\n");
        let both = asked("'loop > ext4'", &own, "scheduler = 'none'").unwrap();
        assert_eq!(both, [["scheduler loop > ext4:loop+/other"]]);
        // Of a layer that is named nothing else is meant.
        let named = asked("'loop > ext4'", &own, "'scheduler@loop' = 'none'").unwrap();
        assert_eq!(named, [["scheduler@loop loop > ext4:loop"]]);
    }

    #[test]
    fn a_workload_without_a_stack_has_no_layer() {
        let other = "[[workload]]\nkind = 'disk'\ntarget = '/other'\n";
        let all = asked("'loop > ext4'", other, "'read-ahead@loop' = 0\nscheduler = 'none'").unwrap();
        let own = vec!["scheduler /other".to_owned()];
        assert_eq!(all[1], own);
        assert_eq!(all[0], ["read-ahead@loop loop > ext4:loop", "scheduler loop > ext4:loop"]);
    }

    #[test]
    fn what_belongs_to_no_layer_is_refused_with_those_that_there_are() {
        for (stack, settings, message) in [
            (
                "'loop > ext4'",
                "'mount-options@luks' = 'noatime'",
                "the stack loop > ext4 has no layer `luks`",
            ),
            (
                "['loop > xfs', 'loop > ext4']",
                "'mount-options@ext4' = 'noatime'",
                "loop > xfs has no layer `ext4`",
            ),
            (
                "'loop > ext4'",
                "'read-ahead@ext4' = 0",
                "a mounted file system; here it may be read-ahead@loop",
            ),
            (
                "'loop > luks'",
                "'mount-options@luks' = 'noatime'",
                "the layer `luks` is a block device; leave it out",
            ),
            ("'loop > luks'", "mount-options = 'noatime'", "the layer `luks` is a block device"),
            ("'loop > ext4 > nfs'", "read-ahead = 0", "a mounted share, which has no device"),
            ("'loop > ext4'", "device-write-cache = 'no'", "name the disk: device-write-cache@sda"),
        ] {
            let said = refused(stack, "", settings);
            assert!(said.contains(message), "{settings} on {stack}: {said}");
        }
    }
}
