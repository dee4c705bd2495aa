//! A part of a chart over time, with what it shows at each moment: what the script of a page asks for. Picture and figures
//! are made of the same data by the code that draws the page.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use chart::plot::{self, PlotPart, Readout};
use http::header::CONTENT_TYPE;
use report::document::html::figure;
use serde_json::{Value, json};

use super::{Visitor, is_id, run};
use crate::shared::{Shared, Shown};
use crate::trouble::Trouble;

/// The answer, in JSON.
pub(crate) async fn show(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    Path((id, number)): Path<(String, usize)>,
) -> Result<Response, Trouble> {
    if !is_id(&id) {
        return Err(Trouble::NotFound);
    }
    let shown = run::shown(&shared, &visitor, &id).await?;
    answer(&shared, &visitor, shown, number).await
}

/// The part of a chart of a page, by its number there, that is asked for.
pub(super) async fn answer(
    shared: &Arc<Shared>,
    visitor: &Visitor,
    shown: Arc<Shown>,
    number: usize,
) -> Result<Response, Trouble> {
    let (span, hidden) = run::part(&visitor.query);
    let hidden = hidden.into_iter().filter(|(of, _)| *of == number).map(|(_, place)| place).collect();
    let part = PlotPart { span, hidden };
    let words = visitor.words;
    let made = shared.with_store(move |_| {
        let (title, whole) = figure(&shown.document, number).ok_or(Trouble::NotFound)?;
        let part = whole.part(&part);
        let plot = part.as_deref().unwrap_or(whole);
        let readout = plot.readout(words).ok_or(Trouble::NotFound)?;
        Ok(told(&plot::svg(plot, title, words), &readout).to_string())
    });
    Ok(([(CONTENT_TYPE, "application/json")], made.await?).into_response())
}

fn told(svg: &str, readout: &Readout) -> Value {
    let areas = readout.areas.iter().map(|a| json!({ "width": a.width, "left": a.left, "right": a.right }));
    let tracks = readout.tracks.iter().map(|track| {
        json!({
            "place": track.place, "panel": track.panel, "name": track.name, "colour": track.colour,
            "start": track.start_s, "step": track.step_s, "values": track.values,
        })
    });
    json!({
        "svg": svg,
        "span": [readout.span.0, readout.span.1],
        "areas": areas.collect::<Vec<_>>(),
        "tracks": tracks.collect::<Vec<_>>(),
    })
}
