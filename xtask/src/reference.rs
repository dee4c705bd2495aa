//! Reference pages of tables that no other page shows: findings, conditions,
//! samplers.

/// What findings there are, in Markdown.
pub(crate) fn findings() -> String {
    let mut page = String::from(
        "# Findings\n\nMade from the code by `cargo xtask gen`. A finding has a kind, a code, a severity, a sentence, evidence \
         that names its place in the run document, and often advice.\n\n## About a case\n\nValidity (may the number be \
         trusted), deviation (from a promise) and bottleneck (what holds it back; one a case at most).\n\n| code | what it \
         says |\n|---|---|\n",
    );
    for (code, doc) in analysis::explained() {
        page.push_str(&row(code, doc));
    }
    page.push_str(
        "\n## About the machine\n\nConditions: what could disturb a measurement. `headroom doctor` looks now; every run looks \
         before and after.\n\n| code | what it looks at |\n|---|---|\n",
    );
    for check in machine::doctor::CHECKS {
        page.push_str(&row(check.code, check.doc));
    }
    page
}

/// What is read while a load runs, in Markdown.
pub(crate) fn samplers() -> String {
    let mut page = String::from(
        "# Samplers\n\nMade from the code by `cargo xtask gen`. What is read at the edges of a trial's window and at a steady \
         pace within it, where the machine has it. Counters stand under `counters` with both edges, their unit and scale; \
         what changed stands under `series` as well.\n\n| sampler | what it reads |\n|---|---|\n",
    );
    for kind in machine::sampler::TABLE {
        page.push_str(&row(kind.name, kind.doc));
    }
    page
}

fn row(name: &str, doc: &str) -> String {
    format!("| `{name}` | {} |\n", doc.replace('|', "\\|"))
}
