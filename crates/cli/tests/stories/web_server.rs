//! A web server that does what a story tells it to, on loopback, of another network namespace too. It listens no
//! more when it is dropped; a client that is answered just then is answered to the end.

use std::fs::File;
use std::io::{self, Read};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

/// How long a client may take or send nothing, and how often it is looked for the next one.
const PATIENCE: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(2);

/// A running one.
pub(crate) struct WebServer {
    port: u16,
    off: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl WebServer {
    /// One that answers each request for a path so, in the network namespace of this name, if there is one. An
    /// error ends the connection.
    pub(crate) fn start(
        namespace: Option<&str>,
        answer: impl Fn(&str, &mut TcpStream) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        let namespace = namespace.map(|name| File::open(format!("/run/netns/{name}")).unwrap());
        let (off, answer) = (Arc::new(AtomicBool::new(false)), Arc::new(answer));
        let told = Arc::clone(&off);
        let (send, listens) = channel();
        let work = move || {
            if let Some(namespace) = namespace {
                move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network)).unwrap();
            }
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            listener.set_nonblocking(true).unwrap();
            send.send(listener.local_addr().unwrap().port()).unwrap();
            while !told.load(Ordering::Relaxed) {
                let Ok((mut client, _)) = listener.accept() else {
                    std::thread::sleep(LOOK);
                    continue;
                };
                let answer = Arc::clone(&answer);
                std::thread::spawn(move || -> io::Result<()> {
                    client.set_read_timeout(Some(PATIENCE))?;
                    client.set_write_timeout(Some(PATIENCE))?;
                    client.set_nodelay(true)?;
                    while let Some(path) = hear(&mut client)? {
                        answer(&path, &mut client)?;
                    }
                    Ok(())
                });
            }
        };
        let thread = Some(std::thread::spawn(work));
        Self { port: listens.recv().unwrap(), off, thread }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

impl Drop for WebServer {
    fn drop(&mut self) {
        self.off.store(true, Ordering::Relaxed);
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(std::thread::panicking() || matches!(ended, Some(Ok(()))), "the server failed");
    }
}

/// The path of the next request, which has no body; none if no more comes.
fn hear(client: &mut TcpStream) -> io::Result<Option<String>> {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        if client.read(&mut byte)? == 0 {
            return Ok(None);
        }
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head);
    Ok(Some(head.split(' ').nth(1).unwrap_or_default().to_owned()))
}
