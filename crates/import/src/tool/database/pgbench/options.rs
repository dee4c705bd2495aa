//! Options of pgbench, as far as they say what work was done.

use std::collections::BTreeMap;

use model::Value;

use crate::tool::database::encoded;

/// Short names of options that have values, and then of those that have none.
const SHORT: &[(&str, &str, bool)] = &[
    ("c", "client", true),
    ("j", "jobs", true),
    ("T", "time", true),
    ("t", "transactions", true),
    ("s", "scale", true),
    ("M", "protocol", true),
    ("f", "file", true),
    ("b", "builtin", true),
    ("P", "progress", true),
    ("R", "rate", true),
    ("L", "latency-limit", true),
    ("D", "define", true),
    ("h", "host", true),
    ("p", "port", true),
    ("U", "username", true),
    ("F", "fillfactor", true),
    ("S", "select-only", false),
    ("N", "skip-some-updates", false),
    ("C", "connect", false),
    ("r", "report-latencies", false),
    ("n", "no-vacuum", false),
    ("v", "vacuum-all", false),
    ("l", "log", false),
    ("i", "initialize", false),
    ("d", "debug", false),
];

/// Long names of options whose value may stand in a word of its own.
const LONG: &[&str] = &["max-tries", "random-seed", "sampling-rate", "aggregate-interval", "log-prefix"];

/// Where the server is.
const OF_SERVER: &[&str] = &["host", "port", "username", "dbname"];

/// What changes only the report; the loads of these options are told by `builtin`.
const SILENT: &[&str] = &[
    "progress",
    "report-latencies",
    "report-per-command",
    "no-vacuum",
    "failures-detailed",
    "progress-timestamp",
    "random-seed",
    "debug",
    "log",
    "select-only",
    "skip-some-updates",
];

/// Options with values, and whether these are all that were given.
pub(super) fn given(words: &[String]) -> (BTreeMap<String, String>, bool) {
    let mut options = BTreeMap::new();
    let mut is_all = !words.is_empty();
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        let mut each: Vec<(&str, String)> = Vec::new();
        if let Some(long) = word.strip_prefix("--") {
            let has_value = LONG.contains(&long) || SHORT.iter().any(|(_, name, has)| *name == long && *has);
            match long.split_once('=') {
                Some((name, value)) => each.push((name, value.to_owned())),
                None if has_value => each.push((long, words.next().cloned().unwrap_or_default())),
                None => each.push((long, "on".to_owned())),
            }
        } else if let Some(letters) = word.strip_prefix('-') {
            let mut rest = letters;
            while let Some((_, name, has_value)) = SHORT.iter().find(|(letter, ..)| rest.starts_with(*letter))
            {
                rest = rest.get(1..).unwrap_or_default();
                if *has_value {
                    let own = std::mem::take(&mut rest);
                    let value = if own.is_empty() { words.next().cloned() } else { Some(own.to_owned()) };
                    each.push((*name, value.unwrap_or_default()));
                } else {
                    each.push((*name, "on".to_owned()));
                }
            }
            is_all = is_all && rest.is_empty() && !letters.is_empty();
        } else {
            each.push(("dbname", word.clone()));
        }
        for (name, value) in each {
            let is_known = !value.contains(['$', '`']);
            // Several scripts are a load of their own.
            if !is_known || options.insert(name.to_owned(), value).is_some() {
                is_all = false;
            }
        }
    }
    (options, is_all)
}

/// The parameters of the same work; `None` where it is none of ours. The server must be told, for
/// the environment may name another.
pub(super) fn work(options: &BTreeMap<String, String>) -> Option<Vec<(&'static str, Value)>> {
    const KNOWN: &[&str] =
        &["builtin", "scale", "protocol", "client", "jobs", "time", "transactions", "max-tries"];
    let is_known = |name: &String| {
        let name = name.as_str();
        KNOWN.contains(&name) || SILENT.contains(&name) || OF_SERVER.contains(&name)
    };
    let get = |name: &str| options.get(name).map(String::as_str);
    let count = |name: &str| get(name)?.parse::<u64>().ok();
    let mix = get("builtin").filter(|mix| ["tpcb-like", "simple-update", "select-only"].contains(mix))?;
    let prepared = match get("protocol")? {
        "simple" => false,
        "prepared" => true,
        _ => return None,
    };
    // What met another transaction is begun again here, and fails there.
    if !options.keys().all(is_known) || get("max-tries").is_some_and(|tries| tries != "1") {
        return None;
    }
    let clients = count("client")?;
    let end: (&'static str, Value) = match (count("time"), count("transactions")) {
        (Some(seconds), None) => ("duration", f64::from(u32::try_from(seconds).ok()?).into()),
        (None, Some(each)) => ("requests", each.checked_mul(clients)?.into()),
        _ => return None,
    };
    let (user, host, port, name) = (get("username")?, get("host")?, get("port")?, get("dbname")?);
    let is_name = !name.contains(['=', '/', ':']);
    let host = if host.starts_with('/') { encoded(host) } else { host.to_owned() };
    let url = is_name.then(|| format!("postgres://{user}@{host}:{port}/{name}"))?;
    Some(vec![
        ("url", url.as_str().into()),
        ("mix", mix.into()),
        ("clients", clients.into()),
        ("scale", count("scale")?.into()),
        ("prepared", prepared.into()),
        end,
    ])
}

/// The options without those that say nothing of the work.
pub(super) fn of_work(options: BTreeMap<String, String>) -> BTreeMap<String, String> {
    let is_of_work = |name: &str| !OF_SERVER.contains(&name) && !SILENT.contains(&name);
    options.into_iter().filter(|(name, _)| is_of_work(name)).collect()
}

/// The command that ends by time, and not by a count.
pub(super) fn run_for(words: &[String], seconds: u32) -> Vec<String> {
    const ENDS: &[&str] = &["-t", "-T", "--transactions", "--time"];
    let mut kept = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if ENDS.contains(&word.as_str()) {
            words.next();
        } else if !ENDS.iter().any(|end| word.starts_with(end)) {
            kept.push(word.clone());
        }
    }
    // Behind the program.
    let options = kept.split_off(kept.len().min(1));
    kept.extend(["-T".to_owned(), seconds.to_string()]);
    kept.extend(options);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn short_options_may_stand_together() {
        let (options, is_all) = given(&words("pgbench -nS -c4 -T 2 --jobs=2 --max-tries 3 bench"));
        let each: Vec<String> = options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let expected = "client=4 dbname=bench jobs=2 max-tries=3 no-vacuum=on select-only=on time=2";
        assert!(is_all);
        assert_eq!(each.join(" "), expected);
        for command in ["pgbench -Z", "pgbench -c $n", "pgbench -f a -f b", "pgbench a b"] {
            assert!(!given(&words(command)).1, "{command}");
        }
    }

    #[test]
    fn options_become_parameters_of_the_same_work_where_the_server_is_told() {
        let read = |command: &str| {
            let (mut options, _) = given(&words(command));
            let report =
                [("builtin", "select-only"), ("protocol", "prepared"), ("scale", "10"), ("client", "4")];
            options.extend(report.map(|(name, value)| (name.to_owned(), value.to_owned())));
            let each = work(&options)?;
            Some(each.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(
            read("pgbench -h db -p 5432 -U me -S -M prepared -t 100 bench").as_deref(),
            Some(
                "url=postgres://me@db:5432/bench mix=select-only clients=4 scale=10 prepared=yes requests=400"
            )
        );
        assert!(
            read("pgbench -h /run/pg -p 5432 -U me -S -T 2 bench")
                .is_some_and(|own| own.starts_with("url=postgres://me@%2frun%2fpg:5432/bench ")),
            "libpq takes a folder for that of the socket"
        );
        for command in [
            "pgbench -S -T 2 bench",
            "pgbench -h db -p 5432 -U me -S -R 100 -T 2 bench",
            "pgbench -h db -p 5432 -U me -S -T 2 -C bench",
            "pgbench -h db -p 5432 -U me -S bench",
        ] {
            assert_eq!(read(command), None, "{command}");
        }
    }

    #[test]
    fn a_command_is_made_to_run_for_a_time() {
        let corrected = run_for(&words("pgbench -c 4 -t 100 -S bench"), 60).join(" ");
        assert_eq!(corrected, "pgbench -T 60 -c 4 -S bench");
    }
}
