//! Words of sysbench, pgbench and mysqlslap that are typed out of habit where a load on a database is asked for: what they
//! are called here (sysbench 1.0 `oltp_common.lua`, pgbench 15, mysqlslap of MariaDB 10.11; their manuals).

/// Options that have another name here, with `-` between their words: theirs, ours, whose they are.
pub const OPTIONS: &[(&str, &str, &str)] = &[
    ("table-size", "rows", "sysbench"),
    ("oltp-table-size", "rows", "sysbench"),
    ("oltp-tables-count", "tables", "sysbench"),
    ("num-threads", "clients", "sysbench"),
    ("rand-type", "distribution", "sysbench"),
    ("rand-zipfian-exp", "zipf-theta", "sysbench"),
    ("rand-seed", "seed", "sysbench"),
    ("time", "duration", "sysbench"),
    ("max-time", "duration", "sysbench"),
    ("events", "requests", "sysbench"),
    ("max-requests", "requests", "sysbench"),
    ("tx-rate", "rate", "sysbench"),
    ("warmup-time", "warm-up", "sysbench"),
    ("client", "clients", "pgbench"),
    ("c", "clients", "pgbench"),
    ("jobs", "threads", "pgbench"),
    ("j", "threads", "pgbench"),
    ("T", "duration", "pgbench"),
    ("s", "scale", "pgbench"),
    ("R", "rate", "pgbench"),
    ("file", "sql", "pgbench"),
    ("f", "sql", "pgbench"),
    ("builtin", "mix", "pgbench"),
    ("b", "mix", "pgbench"),
    ("random-seed", "seed", "pgbench"),
    ("concurrency", "clients", "mysqlslap"),
    ("number-of-queries", "requests", "mysqlslap"),
    ("iterations", "trials", "mysqlslap"),
    ("auto-generate-sql-load-type", "mix", "mysqlslap"),
    ("number-int-cols", "int-columns", "mysqlslap"),
    ("number-char-cols", "char-columns", "mysqlslap"),
];

/// Options that are no option here: what is typed instead.
pub const OTHERWISE: &[(&str, &str)] = &[
    ("select-only", "`headroom run db.tpcb --mix select-only` is pgbench's -S"),
    ("S", "`headroom run db.tpcb --mix select-only` is pgbench's -S"),
    ("skip-some-updates", "`headroom run db.tpcb --mix simple-update` is pgbench's -N"),
    ("N", "`headroom run db.tpcb --mix simple-update` is pgbench's -N"),
    ("file", "`headroom run db.script --sql FILE` executes a script of pgbench"),
    ("f", "`headroom run db.script --sql FILE` executes a script of pgbench"),
    ("query", "`headroom run db.script --sql FILE` executes statements of your own"),
    ("transactions", "`--requests N` ends a trial after so many transactions of all clients together"),
    ("t", "`--requests N` ends a trial after so many transactions of all clients together"),
    ("protocol", "`--prepared no` has each statement parsed anew; they are prepared once without it"),
    ("M", "`--prepared no` has each statement parsed anew; they are prepared once without it"),
    ("db-ps-mode", "`--prepared no` has each statement parsed anew; they are prepared once without it"),
    ("db-driver", "`--url mysql://USER@HOST/` or `--url postgres://USER@HOST/` names a server"),
    ("mysql-host", "`--url mysql://USER@HOST/` names a server"),
    ("mysql-socket", "`--url mysql://USER@HOST/` names a server"),
    ("pgsql-host", "`--url postgres://USER@HOST/` names a server"),
    ("host", "`--url mysql://USER@HOST/` or `--url postgres://USER@HOST/` names a server"),
    ("auto-generate-sql", "leave it out: `headroom run db.slap` makes its statements itself"),
    ("report-interval", "`--lines 1s` prints a line for each second"),
];

/// Values that have another name here: our option, their word, ours.
pub const VALUES: &[(&str, &str, &str)] = &[
    ("mix", "oltp_read_write", "read-write"),
    ("mix", "oltp_read_only", "read-only"),
    ("mix", "oltp_write_only", "write-only"),
    ("mix", "oltp_point_select", "point-select"),
    ("mix", "oltp_update_index", "update-index"),
    ("mix", "oltp_update_non_index", "update-non-index"),
    ("mix", "oltp_insert", "insert"),
    ("mix", "oltp_delete", "delete"),
    ("distribution", "zipfian", "zipf"),
];

/// What an option is here that was typed with its dashes, for a load that takes some options: `takes` says which.
#[must_use]
pub fn option(typed: &str, takes: impl Fn(&str) -> bool) -> Option<String> {
    let name = typed.trim_start_matches('-').replace('_', "-");
    let is_short = !typed.starts_with("--");
    // A letter is none of the long names, and the reverse.
    if name.is_empty() || is_short != (name.len() == 1) {
        return None;
    }
    if takes(&name) {
        return Some(format!("did you mean `--{name}`?"));
    }
    let renamed = OPTIONS.iter().find(|(theirs, ours, _)| *theirs == name && takes(ours));
    let ours = renamed.map(|(_, ours, tool)| {
        let theirs = typed.trim_start_matches('-');
        format!("did you mean `--{ours}`? That is what {tool} calls {theirs}")
    });
    ours.or_else(|| {
        let (_, help) = OTHERWISE.iter().find(|(theirs, _)| *theirs == name)?;
        Some((*help).to_owned())
    })
}

/// What a value is here, of the option that is called `name` here.
#[must_use]
pub fn value(name: &str, theirs: &str) -> Option<&'static str> {
    VALUES.iter().find(|(of, value, _)| *of == name && *value == theirs).map(|(_, _, ours)| *ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_told_where_the_load_has_what_it_means() {
        let help = |typed: &str, has: &[&str]| option(typed, |name| has.contains(&name));
        let oltp = ["rows", "clients", "range-size"];
        for (typed, told) in [
            ("--table-size", "did you mean `--rows`? That is what sysbench calls table-size"),
            ("--table_size", "did you mean `--rows`? That is what sysbench calls table_size"),
            ("--range_size", "did you mean `--range-size`?"),
            ("-c", "did you mean `--clients`? That is what pgbench calls c"),
        ] {
            assert_eq!(help(typed, &oltp).as_deref(), Some(told));
        }
        assert!(help("-f", &["sql"]).unwrap().starts_with("did you mean `--sql`?"));
        assert!(help("-f", &oltp).unwrap().contains("db.script --sql FILE"));
        for typed in ["--c", "-table-size", "--scale", "-s", "-", "--"] {
            assert_eq!(help(typed, &oltp), None, "{typed}");
        }
    }

    #[test]
    fn each_word_has_one_meaning() {
        for (at, (theirs, ours, _)) in OPTIONS.iter().enumerate() {
            assert!(theirs != ours && OPTIONS[..at].iter().all(|(other, ..)| other != theirs), "{theirs}");
        }
        for (at, (theirs, _)) in OTHERWISE.iter().enumerate() {
            assert!(OTHERWISE[..at].iter().all(|(other, _)| other != theirs), "{theirs}");
        }
        assert_eq!(value("mix", "oltp_insert"), Some("insert"));
        assert_eq!(value("pattern", "oltp_insert"), None);
    }
}
