//! The store in a browser: what is told at the start, what is answered, and how it ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::common::{StoryFolder, stderr};

/// A server that was started, and what it said.
struct Serving {
    child: Child,
    address: String,
    token: String,
}

fn start(place: &StoryFolder) -> Serving {
    let mut command = place.command(&["serve", "--listen", "127.0.0.1:0"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let url = lines.next().unwrap();
    let address = url.strip_prefix("http://").unwrap().trim_end_matches('/').to_owned();
    let told = lines.next().unwrap();
    assert!(told.contains("store.db") && told.contains("Ctrl-C"), "{told}");
    let token = lines.next().unwrap().rsplit(' ').next().unwrap().to_owned();
    Serving { child, address, token }
}

impl Serving {
    fn say(&self, head: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let text = format!("{head}\r\nHost: {}\r\nConnection: close\r\n", self.address);
        stream.write_all(text.as_bytes()).unwrap();
        let more = if head.starts_with("POST") {
            format!("Authorization: Bearer {}\r\nContent-Length: 0\r\n\r\n", self.token)
        } else {
            "\r\n".to_owned()
        };
        stream.write_all(more.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

#[test]
fn runs_are_seen_and_removed_and_ctrl_c_ends_it() {
    let place = StoryFolder::new();
    let quick = ["run", "null", "--duration", "50ms", "--warm-up", "10ms", "--trials", "3"];
    assert_eq!(place.run(&quick).status.code(), Some(0));
    let mut serving = start(&place);
    let list = serving.say("GET / HTTP/1.1");
    assert!(list.starts_with("HTTP/1.1 200 ") && list.contains("1 to 1 of 1"), "{list}");
    let (_, behind) = list.split_once("href=\"/run/").unwrap();
    let id = behind.split_once('"').unwrap().0;
    let page = serving.say(&format!("GET /run/{id} HTTP/1.1"));
    assert!(page.starts_with("HTTP/1.1 200 ") && page.contains("<svg"), "{page}");

    // The address is taken now.
    let taken = place.run(&["serve", "--listen", &serving.address]);
    assert_eq!(taken.status.code(), Some(3));
    assert!(stderr(&taken).contains("another program listens there"), "{}", stderr(&taken));

    assert!(
        serving
            .say(&format!("POST /run/{id}/remove HTTP/1.1\r\nSec-Fetch-Site: none"))
            .starts_with("HTTP/1.1 303 ")
    );
    assert!(serving.say("GET / HTTP/1.1").contains("No runs are kept yet"));

    let pid = Pid::from_raw(i32::try_from(serving.child.id()).unwrap()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    let status = serving.child.wait().unwrap();
    let mut said = String::new();
    serving.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!((status.code(), said.as_str()), (Some(0), ""));
}

#[test]
fn a_run_under_way_is_live_and_is_stopped_from_the_browser() {
    let place = StoryFolder::new();
    let mut run = place.start(&["run", "null", "--duration", "2s", "--warm-up", "0s", "--trials", "400"]);
    let mut serving = start(&place);
    let began = std::time::Instant::now();
    let id = loop {
        let live = serving.say("GET /live HTTP/1.1");
        if let Some((_, behind)) = live.split_once("href=\"/run/") {
            break behind.split_once('"').unwrap().0.to_owned();
        }
        assert!(began.elapsed().as_secs() < 60, "{live}");
    };
    // While somebody looks, the next trial says what its load does.
    let told = loop {
        let live = serving.say("GET /live HTTP/1.1");
        if live.contains("class=\"trial\"") && live.contains("<figcaption>") {
            break live;
        }
        assert!(began.elapsed().as_secs() < 120, "{live}");
        std::thread::sleep(std::time::Duration::from_millis(100));
    };
    assert!(told.contains("operations") && told.contains("<svg") && told.contains("half within"), "{told}");
    let stopped = serving.say(&format!("POST /run/{id}/stop HTTP/1.1\r\nSec-Fetch-Site: none"));
    assert!(stopped.starts_with("HTTP/1.1 303 "), "{stopped}");
    assert_eq!(run.wait().unwrap().code(), Some(130));
    assert!(serving.say("GET / HTTP/1.1").contains("interrupted"));
    serving.child.kill().unwrap();
    serving.child.wait().unwrap();
}
