//! A storage stack in a study file: the text of the command line, or a list of tables, one for each layer from the
//! ground up, which becomes that text:
//!
//! ```toml
//! stack = [{ kind = "raid6", members = "a+b+c+d", chunk = "64k" }, { kind = "luks" }, { kind = "xfs" }]
//! ```

use std::ops::Range;

use import::diagnostic::{Diagnostic, SourceRange};
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

/// The key of the kind of a layer, and the one of the devices on which the lowest stands.
const KIND: &str = "kind";
const MEMBERS: &str = "members";

/// Whether a list is one stack, rather than the levels of a factor.
pub(super) fn is_one(array: &DeArray<'_>) -> bool {
    array.iter().next().is_some_and(|first| matches!(first.get_ref(), DeValue::Table(_)))
}

/// The layers as they would be typed.
pub(super) fn text(
    layers: &DeArray<'_>,
    at: &dyn Fn(Range<usize>) -> SourceRange,
) -> Result<String, Diagnostic> {
    let layer = |item: &Spanned<DeValue<'_>>| match item.get_ref() {
        DeValue::Table(table) => layer(table, at, item.span()),
        _ => Err(at(item.span()).diagnostic(
            "a layer of a stack is a table here",
            "write { kind = \"ext4\" }, or the whole stack as one text: \"loop > ext4\"",
        )),
    };
    Ok(layers.iter().map(layer).collect::<Result<Vec<_>, _>>()?.join(" > "))
}

fn layer(
    table: &DeTable<'_>,
    at: &dyn Fn(Range<usize>) -> SourceRange,
    span: Range<usize>,
) -> Result<String, Diagnostic> {
    let (mut kind, mut items) = (None, Vec::new());
    for (key, value) in table {
        let text = value_text(value, at)?;
        match key.get_ref().as_ref() {
            KIND => kind = Some(text),
            MEMBERS => items.insert(0, text),
            name => items.push(format!("{name}=\"{text}\"")),
        }
    }
    let kind = kind.ok_or_else(|| at(span).diagnostic("this layer has no kind", "add kind = \"ext4\""))?;
    Ok(if items.is_empty() { kind } else { format!("{kind}({})", items.join("; ")) })
}

fn value_text(
    value: &Spanned<DeValue<'_>>,
    at: &dyn Fn(Range<usize>) -> SourceRange,
) -> Result<String, Diagnostic> {
    let wrong = |help: &str| at(value.span()).diagnostic("this is no value of a layer", help);
    let text = match value.get_ref() {
        DeValue::String(text) => text.to_string(),
        DeValue::Boolean(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        DeValue::Integer(number) => number.as_str().to_owned(),
        DeValue::Float(number) => number.as_str().to_owned(),
        _ => return Err(wrong("write text, a number, or true or false")),
    };
    if text.contains('"') { Err(wrong("leave the quotes out")) } else { Ok(text) }
}

#[cfg(test)]
mod tests {
    use model::ParameterName;

    use crate::read::from_toml;

    fn stacks(value: &str) -> Result<Vec<String>, String> {
        let text = format!("[[workload]]\nkind = 'disk'\nstack = {value}\n");
        let study = from_toml(&agent::catalogue(), "s", "s.toml", &text).map_err(|e| e.message)?;
        let levels = study.workloads[0].parameters[&ParameterName::new("stack")].clone();
        Ok(levels.iter().map(|level| level[0].to_string()).collect())
    }

    #[test]
    fn tables_are_the_layers_of_one_stack_and_texts_are_levels() {
        let tables =
            "[{ kind = 'raid6', members = 'a+b+c+d', chunk = '64k' }, { kind = 'luks' }, { kind = 'xfs' }]";
        let typed = "raid6(a+b+c+d; chunk=64KiB) > luks > xfs";
        assert_eq!(stacks(tables).unwrap(), [typed]);
        assert_eq!(stacks("'loop > ext4,loop > xfs'").unwrap(), ["loop > ext4", "loop > xfs"]);
        let both = format!("[{tables}, 'loop > ext4']");
        assert_eq!(stacks(&both).unwrap(), [typed, "loop > ext4"]);
        let quoted = "[{ kind = 'ext4', mount = 'noatime,commit=30', journal = false }]";
        assert_eq!(stacks(quoted).unwrap(), ["ext4(journal=no; mount=\"noatime,commit=30\")"]);
    }

    #[test]
    fn what_is_no_stack_is_refused() {
        for (value, message) in [
            ("[{ kind = 'ext5' }]", "no layer `ext5`"),
            ("[{ members = 'a' }]", "has no kind"),
            ("[{ kind = 'ext4', journal = ['x'] }]", "no value of a layer"),
            ("[{ kind = 'loop' }, 'ext4']", "is a table here"),
            ("[]", "list is empty"),
            ("['loop > ext4', 'loop>ext4']", "twice"),
        ] {
            let error = stacks(value).unwrap_err();
            assert!(error.contains(message), "{value}: {error}");
        }
    }
}
