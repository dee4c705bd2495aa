//! The page that says why there is no other; where one has to sign in, with the form for it.

use axum::response::Html;
use maud::html;

use super::{Visitor, prose, sign_in, whole};
use crate::policy::SIGN_IN;
use crate::query::Query;
use crate::trouble::Trouble;

/// The page.
pub(crate) fn page(visitor: &Visitor, trouble: &Trouble) -> Html<String> {
    let (_, key) = trouble.told();
    let title = visitor.say(key);
    let why = match trouble {
        // What a comparison lacks is said by who compares, in English.
        Trouble::Comparison(error) => format!("{error}. {}", error.help()),
        _ => visitor.say(&format!("{key}.help")),
    };
    let why = report::text::printable(&why);
    let main = html! {
        p { (prose(&why)) }
        @match trouble {
            Trouble::Unknown => { (sign_in::form_for(visitor, &super::address(&visitor.path, &visitor.query))) }
            Trouble::Forbidden => { p { a.button href=(super::address(SIGN_IN, &Query::default().with("next", Some(&visitor.path)))) { (visitor.say("serve-sign-in")) } } }
            Trouble::Misdirected => {}
            _ => { p { a href="/" { (visitor.say("serve-to-runs")) } } }
        }
    };
    whole(visitor, &title, &main)
}
