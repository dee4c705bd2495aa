//! What lists can be narrowed to.

/// What there is to choose from.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    pub(crate) studies: Vec<String>,
    pub(crate) machines: Vec<String>,
}
