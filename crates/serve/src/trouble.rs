//! Why a request is not answered with what it asks for. The page that says so is made by [`crate::guard`], which knows the
//! reader's language; no such page says where the store is.

use std::sync::Arc;

use analysis::comparison::ComparisonError;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use store::StoreError;

/// What is wrong.
#[derive(Clone, Debug)]
pub(crate) enum Trouble {
    /// There is no such page or run.
    NotFound,
    /// The request makes no sense; why, in words of the language's table.
    Wrong(&'static str),
    /// These runs cannot be compared.
    Comparison(Arc<ComparisonError>),
    /// It comes from another site, or the form is not ours.
    Foreign,
    /// It was asked for under a name that this server does not have.
    Misdirected,
    /// One has to sign in.
    Unknown,
    /// One has to wait after wrong tokens.
    Waits,
    /// One may look, but not do this.
    Forbidden,
    /// The run is being measured.
    Running,
    /// The method is not for this page.
    Method,
    /// The address is too long.
    TooLong,
    /// The form is too long.
    TooLarge,
    /// The form does not come.
    Slow,
    /// There is too much to do.
    Busy,
    /// The store fails.
    Store(Arc<StoreError>),
    /// Something else fails.
    Failed,
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unknown { .. } | StoreError::Ambiguous { .. } | StoreError::Empty { .. } => {
                Trouble::NotFound
            }
            other => Trouble::Store(Arc::new(other)),
        }
    }
}

impl From<ComparisonError> for Trouble {
    fn from(error: ComparisonError) -> Self {
        Trouble::Comparison(Arc::new(error))
    }
}

impl Trouble {
    /// Its status, and the keys of its title in the language's table.
    pub(crate) fn told(&self) -> (StatusCode, &'static str) {
        match self {
            Trouble::NotFound => (StatusCode::NOT_FOUND, "serve-not-found"),
            Trouble::Wrong(key) => (StatusCode::BAD_REQUEST, key),
            Trouble::Comparison(_) => (StatusCode::UNPROCESSABLE_ENTITY, "serve-not-compared"),
            Trouble::Foreign => (StatusCode::FORBIDDEN, "serve-foreign"),
            Trouble::Misdirected => (StatusCode::MISDIRECTED_REQUEST, "serve-misdirected"),
            Trouble::Unknown => (StatusCode::UNAUTHORIZED, "serve-unknown"),
            Trouble::Waits => (StatusCode::TOO_MANY_REQUESTS, "serve-waits"),
            Trouble::Forbidden => (StatusCode::FORBIDDEN, "serve-forbidden"),
            Trouble::Running => (StatusCode::CONFLICT, "serve-still-running"),
            Trouble::Method => (StatusCode::METHOD_NOT_ALLOWED, "serve-method"),
            Trouble::TooLong => (StatusCode::URI_TOO_LONG, "serve-too-long"),
            Trouble::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "serve-too-long"),
            Trouble::Slow => (StatusCode::REQUEST_TIMEOUT, "serve-too-long"),
            Trouble::Busy => (StatusCode::SERVICE_UNAVAILABLE, "serve-busy"),
            Trouble::Store(_) => (StatusCode::INTERNAL_SERVER_ERROR, "serve-store-fails"),
            Trouble::Failed => (StatusCode::INTERNAL_SERVER_ERROR, "serve-fails"),
        }
    }

    /// What whoever started the server is told, where the store fails.
    pub(crate) fn of_store(&self) -> Option<String> {
        match self {
            Trouble::Store(error) => Some(error.to_string()),
            _ => None,
        }
    }
}

/// A response without a page: the guard sees the trouble in it and makes one.
impl IntoResponse for Trouble {
    fn into_response(self) -> Response {
        let mut response = self.told().0.into_response();
        response.extensions_mut().insert(self);
        response
    }
}
