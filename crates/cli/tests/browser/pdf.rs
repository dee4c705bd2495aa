//! A page as PDF, printed by the real browser.

use std::net::TcpListener;

use cli::browser::{pages, print};

#[test]
fn a_page_becomes_a_pdf_and_asks_for_nothing() {
    if crate::browser().is_none() {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let html = format!(
        "<!doctype html><style>@page{{size:A4}}p{{break-after:page}}</style><p>one<p>두 번째<p>三つ目\
         <img src='http://127.0.0.1:{port}/'><img src='http://localhost:{port}/'>"
    );
    let pdf = print(html.as_bytes()).unwrap_or_else(|f| panic!("{}", f.message()));
    assert!(pdf.starts_with(b"%PDF-"));
    assert!((3..=4).contains(&pages(&pdf)), "{}", pages(&pdf));
    assert!(listener.accept().is_err(), "the page asked for a picture");
}
