//! Which page answers which address.

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};

use crate::assets;
use crate::guard::guard;
use crate::page::{compare, figure, list, live, machines, over_time, remove, run, sign_in, trend};
use crate::policy::SIGN_IN;
use crate::shared::Shared;
use crate::trouble::Trouble;

/// All pages, behind the guard.
pub(crate) fn router(shared: &Arc<Shared>) -> Router {
    Router::new()
        .route("/", get(list::show))
        .route("/run/{name}", get(run::show))
        .route("/run/{id}/figure/{number}", get(figure::show))
        .route("/run/{id}/remove", get(remove::ask).post(remove::remove))
        .route("/run/{id}/stop", get(live::ask).post(live::stop))
        .route("/compare", get(compare::show))
        .route("/over-time", get(over_time::show))
        .route("/over-time/figure/{number}", get(over_time::figure))
        .route("/trend", get(trend::show))
        .route("/machines", get(machines::list))
        .route("/machines/{run}", get(machines::show))
        .route("/live", get(live::show))
        .route("/live/events", get(live::events))
        .route(SIGN_IN, get(sign_in::ask).post(sign_in::sign_in))
        .route("/sign-out", post(sign_in::sign_out))
        .route("/assets/{name}", get(assets::show))
        .fallback(async || Trouble::NotFound)
        .method_not_allowed_fallback(async || Trouble::Method)
        .layer(from_fn_with_state(Arc::clone(shared), guard))
        .with_state(Arc::clone(shared))
}
