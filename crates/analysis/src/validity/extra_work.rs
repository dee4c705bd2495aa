//! What a server does beside executing statements, because it is told to.

use model::database::fact;
use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{FactName, Finding, FindingKind, Severity};

use super::database;
use crate::{Context, Rule, RuleCheck};

pub(crate) const RULE: Rule = Rule {
    code: "server-does-extra-work",
    doc: "The server does more than the statements ask for: it logs each of them, keeps their results (query cache), accounts \
         for them, or was compiled with assertions, by variables that were read back from it.",
    english: r#"
finding-server-does-extra-work =
    the server does more than the statements ask for, and its time is in the figures: { $name }
    .advice = { $heavy ->
        [yes] switch it off, or name it beside the figures
       *[no] where two servers are compared, see that both do it
    }
"#,
    check: RuleCheck::One(check),
};

/// How much it is known to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weight {
    /// It is done for each statement, under a lock or with a write.
    Heavy,
    /// It counts.
    Light,
}

/// What is done at which values, in small letters.
struct ExtraWork {
    fact: FactName,
    weight: Weight,
    is_done: fn(&str) -> bool,
}

const WORK: &[ExtraWork] = &[
    ExtraWork { fact: fact::GENERAL_LOG, weight: Weight::Heavy, is_done: is_on },
    ExtraWork { fact: fact::SLOW_QUERY_LOG, weight: Weight::Heavy, is_done: |value| value == "all" },
    ExtraWork { fact: fact::QUERY_CACHE_TYPE, weight: Weight::Heavy, is_done: is_on },
    ExtraWork { fact: fact::PERFORMANCE_SCHEMA, weight: Weight::Light, is_done: is_on },
    ExtraWork { fact: fact::LOG_STATEMENT, weight: Weight::Heavy, is_done: logs },
    ExtraWork {
        fact: fact::LOG_MIN_DURATION_STATEMENT,
        weight: Weight::Heavy,
        is_done: |value| value == "0",
    },
    ExtraWork { fact: fact::DEBUG_ASSERTIONS, weight: Weight::Heavy, is_done: is_on },
    ExtraWork { fact: fact::SHARED_PRELOAD_LIBRARIES, weight: Weight::Light, is_done: watches },
];

fn is_on(value: &str) -> bool {
    matches!(value, "1" | "on" | "yes")
}

/// Of PostgreSQL's `ddl` nothing is logged that a load does.
fn logs(value: &str) -> bool {
    matches!(value, "mod" | "all")
}

/// Libraries of PostgreSQL that look at each statement.
fn watches(value: &str) -> bool {
    ["pg_stat_statements", "auto_explain", "pgaudit", "pg_stat_monitor"]
        .iter()
        .any(|name| value.contains(name))
}

fn check(case: &CaseResult, _context: &Context<'_>) -> Option<Finding> {
    let done = WORK.iter().filter_map(|work| {
        let value = database::text(case, work.fact)?.to_ascii_lowercase();
        (work.is_done)(&value).then_some((work, value))
    });
    let done: Vec<_> = done.collect();
    let (first, _) = done.first()?;
    let names: Vec<_> = done.iter().map(|(work, value)| format!("{}={value}", work.fact)).collect();
    let is_heavy = done.iter().any(|(work, _)| work.weight == Weight::Heavy);
    let severity = if is_heavy { Severity::Warning } else { Severity::Note };
    let found = Finding::new(FindingKind::Validity, RULE.code, severity)
        .general()
        .arg("name", names.join(", "))
        .arg("heavy", is_heavy);
    Some(found.because_same(Evidence::at(RULE.code, Place::Fact(first.fact))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::database::simulated;
    use model::Value;

    fn found(values: &[(FactName, &str)]) -> Option<Finding> {
        let facts: Vec<_> = values.iter().map(|(name, value)| (*name, Value::from(*value))).collect();
        simulated::found(&RULE, &simulated::case(&facts, &[])).pop()
    }

    #[test]
    fn a_server_as_it_is_installed_does_nothing_beside() {
        let mariadb = [
            (fact::GENERAL_LOG, "0"),
            (fact::SLOW_QUERY_LOG, "off"),
            (fact::QUERY_CACHE_TYPE, "OFF"),
            (fact::PERFORMANCE_SCHEMA, "0"),
        ];
        assert_eq!(found(&mariadb), None);
        let postgres = [
            (fact::LOG_STATEMENT, "none"),
            (fact::LOG_MIN_DURATION_STATEMENT, "-1"),
            (fact::DEBUG_ASSERTIONS, "off"),
            (fact::SHARED_PRELOAD_LIBRARIES, ""),
        ];
        assert_eq!(found(&postgres), None);
    }

    #[test]
    fn all_that_it_does_beside_is_named_together() {
        let all = [(fact::GENERAL_LOG, "1"), (fact::PERFORMANCE_SCHEMA, "1"), (fact::QUERY_CACHE_TYPE, "ON")];
        let found_all = found(&all).unwrap();
        assert!(
            found_all.text.ends_with("general_log=1, query_cache_type=on, performance_schema=1"),
            "{}",
            found_all.text
        );
        assert_eq!(found_all.severity, Severity::Warning);
        let light = found(&all[1..2]).unwrap();
        assert_eq!((light.severity, &light.args["heavy"]), (Severity::Note, &Value::Bool(false)));
    }

    #[test]
    fn each_value_means_what_the_server_says_it_means() {
        let does = |name, value| found(&[(name, value)]).is_some();
        assert!(does(fact::LOG_STATEMENT, "all") && !does(fact::LOG_STATEMENT, "ddl"));
        assert!(
            does(fact::LOG_MIN_DURATION_STATEMENT, "0") && !does(fact::LOG_MIN_DURATION_STATEMENT, "250ms")
        );
        assert!(does(fact::SLOW_QUERY_LOG, "all") && !does(fact::SLOW_QUERY_LOG, "slow"));
        assert!(does(fact::SHARED_PRELOAD_LIBRARIES, "x, pg_stat_statements"));
    }
}
