//! `headroom watch`: on a terminal, in lines, beside a command, kept and read back, and as metrics.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::num::NonZero;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::time::Duration;

use crate::common::{StoryFolder, eventually, signal, stderr, stdout};

/// A terminal of 80 columns and 24 lines: our end, the program's, and what it shows.
struct Pseudo {
    ours: File,
    theirs: OwnedFd,
    screen: vt100::Parser,
}

impl Pseudo {
    fn new() -> Self {
        let (mut ours, mut theirs) = (-1, -1);
        let size = libc::winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        // SAFETY: both places are live, no name is asked for, and the size is a live one.
        let made = unsafe {
            libc::openpty(
                &raw mut ours,
                &raw mut theirs,
                std::ptr::null_mut(),
                std::ptr::null(),
                &raw const size,
            )
        };
        assert_eq!(made, 0, "{}", std::io::Error::last_os_error());
        // A program that had our end, too, would keep the terminal open.
        // SAFETY: it is live.
        assert_eq!(unsafe { libc::fcntl(ours, libc::F_SETFD, libc::FD_CLOEXEC) }, 0);
        // SAFETY: it is live. Reading it must not wait for what is never drawn.
        assert_eq!(unsafe { libc::fcntl(ours, libc::F_SETFL, libc::O_NONBLOCK) }, 0);
        // SAFETY: both were just opened, and nobody else has them.
        let (ours, theirs) = unsafe { (File::from_raw_fd(ours), OwnedFd::from_raw_fd(theirs)) };
        Self { ours, theirs, screen: vt100::Parser::new(cells(24), cells(80), 0) }
    }

    /// Starts the program with this terminal.
    fn start(&self, place: &StoryFolder, arguments: &[&str]) -> Child {
        let end = || Stdio::from(self.theirs.try_clone().unwrap());
        let mut command = place.command(arguments);
        command.stdin(end()).stdout(end()).stderr(end()).env("TERM", "xterm-256color");
        let terminal = self.theirs.as_raw_fd();
        let own = move || {
            // SAFETY: plain system calls of the child, which has one thread.
            unsafe {
                libc::setsid();
                libc::ioctl(terminal, libc::TIOCSCTTY, 0);
            }
            Ok(())
        };
        // SAFETY: the closure only makes system calls.
        unsafe { command.pre_exec(own) };
        command.spawn().unwrap()
    }

    /// How the terminal is set.
    fn state(&self) -> (u32, u32) {
        // SAFETY: zeros are a valid value of this plain C struct.
        let mut state: libc::termios = unsafe { std::mem::zeroed() };
        // SAFETY: the descriptor and the place are live.
        assert_eq!(unsafe { libc::tcgetattr(self.theirs.as_raw_fd(), &raw mut state) }, 0);
        (state.c_lflag, state.c_iflag)
    }

    fn resize(&mut self, columns: u16, rows: u16) {
        let size = libc::winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        // SAFETY: the descriptor and the size are live.
        assert_eq!(unsafe { libc::ioctl(self.ours.as_raw_fd(), libc::TIOCSWINSZ, &raw const size) }, 0);
        self.screen.screen_mut().set_size(cells(rows), cells(columns));
    }

    /// Reads until the program shows this, and gives the row in which it stands, counted from 0.
    fn read_until(&mut self, what: &str) -> usize {
        let mut row = None;
        eventually(what, || {
            self.read();
            row = self.screen.screen().contents().lines().position(|line| line.contains(what));
            row.is_some()
        });
        row.unwrap()
    }

    /// Reads until the program has ended: one that draws into a terminal that nobody reads waits for ever.
    fn read_to_end(&mut self, program: &mut Child) -> Option<i32> {
        eventually("it ends", || {
            self.read();
            program.try_wait().unwrap().is_some()
        });
        self.read();
        program.wait().unwrap().code()
    }

    /// Reads what is there.
    fn read(&mut self) {
        let mut part = [0; 4096];
        while let Ok(read @ 1..) = self.ours.read(&mut part) {
            self.screen.process(&part[..read]);
        }
    }

    /// Whether the program has a page of its own, behind which the other one stays as it was.
    fn has_own_page(&self) -> bool {
        self.screen.screen().alternate_screen()
    }
}

/// Rows or columns of a screen.
fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}

#[test]
fn the_screen_of_80_by_24_takes_keys_and_sizes_and_leaves_the_terminal_as_it_was() {
    let place = StoryFolder::new();
    let mut terminal = Pseudo::new();
    let before = terminal.state();
    let mut watch = terminal.start(&place, &["watch", "--interval", "200ms"]);
    terminal.read_until("all CPUs");
    terminal.read_until("Watching takes");
    assert_eq!(terminal.read_until("q quit"), 23);
    assert!(terminal.has_own_page());
    assert_ne!(terminal.state(), before, "keys come one by one");
    terminal.ours.write_all(b" ").unwrap();
    terminal.read_until("PAUSED");
    terminal.ours.write_all(b" s").unwrap();
    terminal.resize(120, 40);
    eventually("the larger screen is used", || terminal.read_until("q quit") == 39);
    terminal.ours.write_all(b"q").unwrap();
    assert_eq!(terminal.read_to_end(&mut watch), Some(0));
    assert!(!terminal.has_own_page());
    assert_eq!(terminal.state(), before);
}

#[test]
fn a_key_that_comes_with_a_new_size_is_not_lost() {
    let place = StoryFolder::new();
    let mut terminal = Pseudo::new();
    let mut watch = terminal.start(&place, &["watch", "--interval", "10s"]);
    terminal.read_until("q quit");
    for round in 0..10 {
        // While it draws for the first key, a new size and the second key come.
        terminal.ours.write_all(b"k").unwrap();
        std::thread::sleep(Duration::from_micros(300));
        terminal.resize(80, 24 + round % 2);
        terminal.ours.write_all(b"p").unwrap();
        eventually("it pauses, or goes on", || {
            terminal.read();
            let is_paused = terminal.screen.screen().contents().contains("PAUSED");
            is_paused == (round % 2 == 0)
        });
    }
    terminal.ours.write_all(b"q").unwrap();
    assert_eq!(terminal.read_to_end(&mut watch), Some(0));
}

#[test]
fn a_signal_and_ctrl_c_end_it_with_the_terminal_as_it_was() {
    let place = StoryFolder::new();
    for end in ["signal", "ctrl-c"] {
        let mut terminal = Pseudo::new();
        let before = terminal.state();
        let mut watch = terminal.start(&place, &["watch"]);
        terminal.read_until("q quit");
        match end {
            "signal" => signal(watch.id(), rustix::process::Signal::TERM),
            _ => terminal.ours.write_all(b"\x03").unwrap(),
        }
        terminal.read_to_end(&mut watch);
        assert!(!terminal.has_own_page(), "{end}");
        assert_eq!(terminal.state(), before, "{end}");
    }
}

#[test]
fn it_ends_when_its_terminal_is_closed() {
    let place = StoryFolder::new();
    let mut terminal = Pseudo::new();
    let mut watch = terminal.start(&place, &["watch"]);
    terminal.read_until("q quit");
    drop(terminal);
    eventually("it ends", || watch.try_wait().unwrap().is_some());
    let ended = watch.wait().unwrap();
    assert!(matches!(ended.code(), Some(0 | 3)), "{ended}");
}

#[test]
fn without_a_terminal_it_prints_a_line_for_each_interval() {
    let place = StoryFolder::new();
    let output = place.run(&["watch", "--interval", "300ms", "--for", "2s", "-v"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    let lines = text.lines().filter(|line| line.as_bytes()[..2].iter().all(u8::is_ascii_digit)).count();
    assert!(lines >= 3, "{text}");
    assert!(text.contains("  all CPUs ") && text.contains("% of "), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
}

#[test]
fn a_command_is_watched_as_long_as_it_runs_and_its_status_is_ours() {
    let place = StoryFolder::new();
    let script = "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done; echo its own words; exit 7";
    let output =
        place.run(&["watch", "--interval", "100ms", "--record", "watched.json", "--", "sh", "-c", script]);
    assert_eq!(output.status.code(), Some(7), "{}", stderr(&output));
    assert_eq!(stdout(&output), "its own words\n");
    let said = stderr(&output);
    assert!(said.contains("all CPUs") && said.contains("Verdict"), "{said}");
    let document: serde_json::Value =
        serde_json::from_slice(&std::fs::read(place.path().join("watched.json")).unwrap()).unwrap();
    assert_eq!(document["study"]["name"].as_str().unwrap().split(' ').next(), Some("sh"));
    let busy = &document["cases"][0]["loads"][0]["estimates"]["cpu_per_operation"]["median"];
    assert!(busy.as_f64().unwrap() > 0.0, "{document}");
    let report = place.run(&["report", "watched.json", "-o", "page.html"]);
    assert_eq!(report.status.code(), Some(0), "{}", stderr(&report));
    let page = std::fs::read_to_string(place.path().join("page.html")).unwrap();
    assert!(page.contains("watched") && page.contains("<svg"), "{}", page.len());
    let killed = place.run(&["watch", "--", "sh", "-c", "kill -KILL $$"]);
    assert_eq!(killed.status.code(), Some(137), "{}", stderr(&killed));
    let missing = place.run(&["watch", "--", "/no/such/program"]);
    assert_eq!(missing.status.code(), Some(3), "{}", stderr(&missing));
}

#[test]
fn what_was_kept_is_there_after_a_kill() {
    let place = StoryFolder::new();
    let mut watch = place.start(&["watch", "--interval", "100ms", "--keep", "1h"]);
    let folder = place.path().join("watch");
    let bytes = || {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.metadata().ok()).map(|m| m.len()).sum::<u64>()
    };
    eventually("something is kept", || bytes() > 0);
    let first = bytes();
    std::thread::sleep(Duration::from_secs(3));
    watch.kill().unwrap();
    watch.wait().unwrap();
    assert!(bytes() > first + 200, "{first} {}", bytes());
    let output = place.run(&["watch", "--at", "1s", "--record", "then.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("all CPUs") && text.contains("Verdict"), "{text}");
    assert!(place.path().join("then.json").exists());
    let never = place.run(&["watch", "--at", "2001-01-01T00:00:00Z"]);
    assert_eq!(never.status.code(), Some(3), "{}", stdout(&never));
    assert!(stderr(&never).contains("nothing is kept of that time"), "{}", stderr(&never));
}

#[test]
fn metrics_are_handed_out_on_this_machine() {
    let place = StoryFolder::new();
    let mut watch = place.start(&["watch", "--interval", "200ms", "--prometheus", "127.0.0.1:0"]);
    let mut line = String::new();
    BufReader::new(watch.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("Metrics are at http://").and_then(|l| l.strip_suffix("/metrics"));
    let address = address.unwrap_or_else(|| panic!("{line}")).to_owned();
    let asked = || {
        let mut stream = TcpStream::connect(&address).unwrap();
        write!(stream, "GET /metrics HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    eventually("shares are told", || {
        asked()
            .contains("headroom_limit_used_high_ratio{resource=\"cpu\",measure=\"cpu\",origin=\"hardware\"} ")
    });
    watch.kill().unwrap();
    watch.wait().unwrap();
    let reachable = place.run(&["watch", "--prometheus", "0.0.0.0:0", "--for", "1s"]);
    assert_eq!(reachable.status.code(), Some(3), "{}", stderr(&reachable));
}
