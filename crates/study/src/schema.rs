//! The JSON Schema of a study file, made from the workload table, for editors
//! that check TOML while it is typed.

use model::observer::OBSERVERS;
use model::workload::Catalogue;
use model::{Kind, ParameterSpec};
use serde_json::{Map, Value, json};

use crate::read::endurance::ENDURANCE;
use crate::read::{CONTROLS, expect, goal, inputs, verdict};

/// The schema of study files.
#[must_use]
pub fn study_schema(catalogue: &Catalogue) -> Value {
    let mut workloads = Vec::new();
    let mut companions = Vec::new();
    for spec in &catalogue.workloads {
        let mut properties = Map::new();
        properties.insert("kind".to_owned(), json!({ "const": spec.name, "description": spec.summary }));
        for parameter in catalogue.parameters(spec) {
            properties.insert(parameter.name.to_string(), factor(parameter));
        }
        companions.push(object(properties.clone(), &["kind"]));
        let with = json!({ "type": "array", "items": { "$ref": "#/$defs/companion" } });
        properties.insert("with".to_owned(), with);
        properties.insert("settings".to_owned(), json!({ "$ref": "#/$defs/settings" }));
        properties.insert("observe".to_owned(), observers());
        workloads.push(object(properties, &["kind"]));
    }
    let controls: Map<String, Value> = CONTROLS
        .iter()
        .map(|c| {
            let schema =
                json!({ "type": ["string", "integer"], "description": format!("{} ({})", c.doc, c.hint) });
            (c.name.to_owned(), schema)
        })
        .collect();
    let text = json!({ "type": "string" });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Headroom study",
        "type": "object",
        "additionalProperties": false,
        "required": ["workload"],
        "properties": {
            "title": text, "question": text, "author": text, "purpose": text, "price": text, (ENDURANCE): text,
            "references": { "type": "array", "items": { "type": "string" } },
            "impossible": { "enum": ["skip", "refuse"] },
            (inputs::KEY): study_inputs(),
            "trials": object(controls, &[]),
            "expect": promises(catalogue),
            "verdict": question(),
            "settings": { "$ref": "#/$defs/settings" },
            "workload": { "type": "array", "minItems": 1, "items": { "oneOf": workloads } },
        },
        "$defs": { "companion": { "oneOf": companions }, "settings": settings() },
    })
}

/// What may be changed.
fn settings() -> Value {
    let mut properties = Map::new();
    let mut patterns = Map::new();
    for spec in agent::settings() {
        properties.insert(spec.name().to_owned(), factor(&spec.value));
        if spec.named().is_some() {
            patterns.insert(format!("^{}@.+$", spec.name()), factor(&spec.value));
        }
    }
    let mut table = object(properties, &[]);
    table["patternProperties"] = Value::Object(patterns);
    table
}

/// What may watch a load.
fn observers() -> Value {
    let names: Vec<&str> = OBSERVERS.iter().map(|observer| observer.name).collect();
    let one = json!({ "enum": names });
    json!({
        "description": "What watches the load beside the samplers, in trials of their own.",
        "anyOf": [one, { "type": "array", "items": one, "uniqueItems": true }],
    })
}

/// What a study asks of its user.
fn study_inputs() -> Value {
    let text = json!({ "type": "string" });
    let property = |(key, doc): &(&str, &str)| ((*key).to_owned(), described(&text, doc));
    let properties: Map<String, Value> = inputs::KEYS.iter().map(property).collect();
    let names: Vec<&str> = inputs::KEYS.iter().map(|(key, _)| *key).collect();
    let one = object(properties, &names);
    json!({ "type": "object", "patternProperties": { "^[a-z0-9-]+$": one }, "additionalProperties": false })
}

/// What a question comes to.
fn question() -> Value {
    let text = json!({ "type": "string" });
    let mut properties: Map<String, Value> =
        verdict::KEYS.iter().map(|(key, _, doc)| ((*key).to_owned(), described(&text, doc))).collect();
    properties["kind"]["enum"] = json!(verdict::kinds().collect::<Vec<_>>());
    object(properties, &["kind"])
}

/// What may be promised.
fn promises(catalogue: &Catalogue) -> Value {
    let figure = json!({ "type": ["string", "integer", "number"] });
    let mut properties: Map<String, Value> = expect::metrics(catalogue)
        .into_iter()
        .map(|m| (m.name.to_string(), described(&figure, m.doc)))
        .collect();
    for (key, _, doc) in expect::KEYS.iter().filter(|(key, ..)| matches!(*key, "read" | "write")) {
        properties.insert((*key).to_owned(), described(&figure, doc));
    }
    properties.insert(expect::DATASHEET.to_owned(), json!({ "enum": expect::datasheets() }));
    let bounds =
        json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] });
    for (key, _, doc) in expect::KEYS.iter().filter(|(key, ..)| [goal::GOALS, goal::ABORT_WHEN].contains(key))
    {
        properties.insert((*key).to_owned(), described(&bounds, doc));
    }
    let mut table = object(properties, &[]);
    table["patternProperties"] = json!({ "^random-(read|write)-[0-9]": figure });
    table
}

fn described(schema: &Value, doc: &str) -> Value {
    let mut schema = schema.clone();
    schema["description"] = json!(doc);
    schema
}

/// The reference page of study files, in Markdown.
#[must_use]
pub fn markdown() -> String {
    let mut out = String::from(
        "# The study file\n\nMade by `cargo xtask gen` from the tables of the code; edit those, not this page. \
         Editors that check TOML can use [study.schema.json](study.schema.json).\n\n\
         A study says what to ask. It has the same words as the command line:\n\n\
         ```toml\n\
         title = \"Queue depth\"\n\
         question = \"How deep a queue does this disk need?\"\n\n\
         [trials]\n\
         trials = \"5..15\"\n\
         precision = \"2%\"\n\n\
         [[workload]]\n\
         kind = \"disk\"\n\
         target = \"/data\"\n\
         pattern = \"randread\"\n\
         queue-depth = [1, 4, 16, 64]   # a list is a factor; so is \"1..64\"\n\n\
         [[workload.with]]              # runs in the same window, measured on its own\n\
         kind = \"disk\"\n\
         pattern = \"write\"\n\
         rate = \"1k/s\"\n\
         ```\n\n\
         **One value is a constant, a list is a factor.** Every combination of levels is a case. A comma makes levels \
         (`\"1,4,16\"`), `..` doubles (`\"1..64\"`, the end always included), `1..16:1` steps, quotes protect. Sizes are \
         binary (`4k` = `4KiB` = 4096; `4KB` = 4000), rates decimal (`20k/s`), durations `500ms 30s 5m`. Parameters of \
         each workload: [workloads.md](workloads.md). Unknown keys are errors.\n\n\
         Top-level keys: `title`, `question`, `author`, `purpose`, `references`, `price` for the page; `endurance`, how much may be \
         written to the drive in its life (`\"300TB\"`), for the share of it that a run uses; `impossible` = \
         `refuse` (the default: a case that this machine cannot run stops the study before anything is touched) or \
         `skip` (it is left out, with the reason).\n\n\
         ## Controls, in `[trials]`\n\nThey say how it is measured and are never factors.\n\n\
         | control | value | meaning |\n|---|---|---|\n",
    );
    for control in CONTROLS {
        let hint = control.hint.replace('|', "\\|");
        out.push_str(&format!("| `{}` | {hint} | {} |\n", control.name, control.doc));
    }
    out.push_str(
        "\n## Promises and goals, in `[expect]`\n\nWhat you were promised, to hold the results against. Figures of a disk are \
         those of the device under the target. What the results have to be stands in `goals`.\n\n\
         ```toml\n[expect]\nread = \"560MB/s\"\nrandom-read-4k = \"100k/s\"\nlatency_p99 = \"2ms\"\n\
         goals = [\"throughput >= 500MB/s where pattern=read\"]\nabort-when = \"errors > 0\"\n```\n\n\
         | key | value, for example | meaning |\n|---|---|---|\n",
    );
    for (key, hint, doc) in expect::KEYS {
        out.push_str(&format!("| `{key}` | {hint} | {doc} |\n"));
    }
    out.push_str(&format!("\nDatasheets: {}.\n", expect::datasheets().join(", ")));
    out.push_str(
        "\n## Settings, in `[settings]`\n\nStates of the machine that are changed, read back and put back. A list is a \
         factor; its levels are measured one after the other, never mixed.\n\n\
         ```toml\n[settings]\nmtu = [1500, 9000]                # of the interface towards the peer, at both ends\n\
         \"tx-queue-length@eth0\" = 1000     # of this one\n```\n\n\
         Settings that count for one workload alone stand in its own table, `[workload.settings]`.\n\n\
         | setting | meaning |\n|---|---|\n",
    );
    for spec in agent::settings() {
        out.push_str(&format!("| `{}` | {} |\n", spec.name(), spec.value.doc));
    }
    out.push_str(
        "\n## Observers, in `observe` of a workload\n\nWhat watches a load more closely than the samplers do. A case \
         that is observed is measured with the observers and without, in turn: its figures are those without, and what \
         observing costs is known.\n\n\
         ```toml\n[[workload]]\nkind = \"disk\"\nobserve = [\"block-trace\"]\n```\n\n\
         | observer | what it sees |\n|---|---|\n",
    );
    for observer in OBSERVERS {
        out.push_str(&format!("| `{}` | {} |\n", observer.name, observer.doc));
    }
    out + &answer() + &asked()
}

/// How the reference tells of inputs.
fn asked() -> String {
    let mut out = String::from(
        "\n## Inputs, in `[inputs]`\n\nWhat a study asks of its user. `{NAME}` stands in the study for the value, in quotes, and \
         `{NAME:bytes}` for the bytes per second of a rate in bits, rounded up to whole 4 KiB. `--input NAME=VALUE` gives \
         another value; for built-in studies, and where the name is one of a parameter, `--NAME VALUE` does, too.\n\n\
         ```toml\n[inputs.streams]\ndefault = \"24\"\ndoc = \"Cameras.\"\nsource = \"what the shop has\"\n\n\
         [[workload]]\nkind = \"disk\"\nthreads = \"{streams}\"\n```\n\n\
         | key | meaning |\n|---|---|\n",
    );
    for (key, doc) in inputs::KEYS {
        out.push_str(&format!("| `{key}` | {doc} |\n"));
    }
    out
}

/// How the reference tells of the verdict.
fn answer() -> String {
    let mut out = String::from(
        "\n## The answer, in `[verdict]`\n\nWhat the study's question comes to, where a rule can answer it from the \
         figures of its workloads: it stands at the head of the report.\n\n\
         ```toml\n[verdict]\nkind = \"absorbs\"          # does the disk take what the network brings?\n\
         source = \"net.stream\"\nsink = \"disk\"\njoint = \"http.download\"\n```\n\n\
         ```toml\n[verdict]\nkind = \"sustains\"         # is so much written, and how much room is left?\n\
         sink = \"disk\"\nrate = \"300MB/s\"\n```\n\n\
         ```toml\n[verdict]\nkind = \"fits\"             # are all goals of [expect] kept?\n```\n\n\
         ```toml\n[verdict]\nkind = \"accepts\"          # did every part work without errors?\n```\n\n\
         | key | value, for example | meaning |\n|---|---|---|\n",
    );
    for (key, hint, doc) in verdict::KEYS {
        out.push_str(&format!("| `{key}` | {hint} | {doc} |\n"));
    }
    out
}

fn object(properties: Map<String, Value>, required: &[&str]) -> Value {
    json!({ "type": "object", "additionalProperties": false, "required": required, "properties": properties })
}

/// A storage stack: a text, or a table for each layer.
fn stack() -> Value {
    let layer = json!({
        "type": "object",
        "required": ["kind"],
        "additionalProperties": { "type": ["string", "integer", "number", "boolean"] },
    });
    json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": layer, "minItems": 1 }] })
}

/// One value is a constant, a list is a factor.
fn factor(parameter: &ParameterSpec) -> Value {
    let one = match parameter.kind {
        Kind::Flag => json!({ "type": ["boolean", "string"] }),
        // A string may also be a list or a range.
        _ => json!({ "type": ["string", "integer", "number"] }),
    };
    let one = if parameter.kind == Kind::Stack { stack() } else { one };
    let mut text = parameter.doc.to_owned();
    if let Some(default) = parameter.default {
        text.push_str(&format!(" Default: {default}."));
    }
    let words: Vec<String> = parameter.forms().map(|(form, _)| form).collect();
    if !words.is_empty() {
        text.push_str(&format!(" Words: {}.", words.join(", ")));
    }
    json!({ "description": text, "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }] })
}
