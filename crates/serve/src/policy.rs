//! What pages may do in a browser, and where one signs in.

/// Where one signs in, which all may see who are let to the door.
pub(crate) const SIGN_IN: &str = "/sign-in";

/// What a page may do: nothing but load our style, our script and pictures, and ask us.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
