//! Which runs a list or a trend is about: what the address says, and the form that makes such an address.

use maud::{Markup, html};
use store::{RunQuery, State};

use super::{Visitor, state_word};
use crate::choices::Choices;
use crate::query::Query;

/// The states, by what addresses call them.
const STATES: [(&str, State); 5] = [
    ("complete", State::Complete),
    ("running", State::Running),
    ("interrupted", State::Interrupted),
    ("budget", State::Budget),
    ("unfinished", State::Killed),
];

/// What the address asks for. What makes no sense there is passed over: the form shows what counts.
pub(super) fn asked(query: &Query) -> RunQuery {
    let text = |name: &str| query.get(name).map(|text| text.chars().take(200).collect::<String>());
    let tag = text("tag").map(|tag| match tag.split_once('=') {
        Some((name, value)) => (name.trim().to_owned(), Some(value.trim().to_owned())),
        None => (tag, None),
    });
    let day = |name: &str| text(name).filter(|day| is_day(day));
    let state = query.get("state").and_then(|name| STATES.iter().find(|(known, _)| *known == name));
    RunQuery {
        text: text("q"),
        study: text("study"),
        hostname: text("machine"),
        tag,
        state: state.map(|(_, state)| *state),
        since: day("since"),
        until: day("until"),
        baselines: query.get("baselines").is_some(),
        ..RunQuery::default()
    }
}

/// Whether a text is a day as dates are written.
fn is_day(text: &str) -> bool {
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = text.split('-').collect();
    matches!(parts[..], [y, m, d] if y.len() == 4 && m.len() == 2 && d.len() == 2 && digits(y) && digits(m) && digits(d))
}

/// The form, which sends an address. `more` are fields of the page's own.
pub(super) fn form(visitor: &Visitor, action: &str, choices: &Choices, more: &Markup) -> Markup {
    let asked = asked(&visitor.query);
    let (words, query) = (visitor.words, &visitor.query);
    let value = |name: &str| query.get(name).unwrap_or_default();
    html! {
        form.filter method="get" action=(action) role="search" {
            label.wide { (words.say("serve-search"))
                input type="search" name="q" value=(asked.text.clone().unwrap_or_default()) maxlength="200"; }
            label { (words.say("serve-study")) (select("study", &choices.studies, asked.study.as_deref(), words)) }
            label { (words.say("serve-machine")) (select("machine", &choices.machines, asked.hostname.as_deref(), words)) }
            label { (words.say("serve-tag")) input name="tag" value=(value("tag")) maxlength="200" placeholder="rack=3"; }
            label { (words.say("serve-state"))
                select name="state" {
                    option value="" { (words.say("serve-all")) }
                    @for (name, state) in STATES {
                        option value=(name) selected[asked.state == Some(state)] { (state_word(words, state)) }
                    }
                }
            }
            label { (words.say("serve-since")) input type="date" name="since" value=(asked.since.clone().unwrap_or_default()); }
            label { (words.say("serve-until")) input type="date" name="until" value=(asked.until.clone().unwrap_or_default()); }
            (more)
            label.tick { input type="checkbox" name="baselines" value="yes" checked[asked.baselines]; (words.say("serve-baselines")) }
            button { (words.say("serve-show")) }
            @if asked != RunQuery::default() { a href=(action) { (words.say("serve-clear")) } }
        }
    }
}

fn select(name: &str, all: &[String], chosen: Option<&str>, words: &language::Words) -> Markup {
    html! {
        select name=(name) {
            option value="" { (words.say("serve-all")) }
            @for one in all { option value=(one) selected[chosen == Some(one.as_str())] { (report::text::printable(one)) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_which_runs_are_meant() {
        let query = Query::of(
            "q=disk&tag=rack%3D3&state=budget&since=2026-11-01&until=yesterday&baselines=yes&machine=h",
        );
        let expected = RunQuery {
            text: Some("disk".to_owned()),
            tag: Some(("rack".to_owned(), Some("3".to_owned()))),
            state: Some(State::Budget),
            since: Some("2026-11-01".to_owned()),
            baselines: true,
            hostname: Some("h".to_owned()),
            ..RunQuery::default()
        };
        assert_eq!(asked(&query), expected);
        assert_eq!(asked(&Query::of("state=wrong&tag=&since=2026-1-1")), RunQuery::default());
    }
}
