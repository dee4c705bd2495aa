//! What the writers make of documents.
