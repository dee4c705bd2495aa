//! The terminal while the screen is on: raw, on its other page, and as it was before whatever happens.

use std::io::{self, IsTerminal, Stdout, Write};
use std::mem::ManuallyDrop;
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossterm::cursor::Show;
use crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use crossterm::execute;
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::Shown;

/// Whether the terminal is ours.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Why there is no screen.
#[derive(Debug, thiserror::Error)]
#[error("the terminal cannot be used: {0}")]
pub struct ScreenError(#[from] io::Error);

/// What a person asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScreenKey {
    /// End.
    Quit,
    /// Stop and go on.
    Pause,
    /// Another order of processes.
    Sort,
    /// The resource above.
    Up,
    /// The one below.
    Down,
    /// Draw anew: the terminal has another size, or the key means nothing.
    Redraw,
}

/// The screen.
pub struct TerminalScreen {
    /// Never dropped: when the terminal has gone, its own end would say on standard error that it cannot show the cursor,
    /// and panic if that has gone, too. [`put_back`] shows the cursor.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<Stdout>>>,
    /// Whether something came the last time: more may have come with it.
    may_have_more: bool,
}

impl TerminalScreen {
    /// Takes the terminal.
    ///
    /// # Errors
    /// If standard output is none, or it does not do what is asked.
    pub fn take() -> Result<Self, ScreenError> {
        if !io::stdout().is_terminal() {
            return Err(io::Error::from(io::ErrorKind::NotConnected).into());
        }
        if !TAKEN.swap(true, Ordering::SeqCst) {
            let before = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                put_back();
                before(info);
            }));
        }
        enable_raw_mode()?;
        let taken = execute!(io::stdout(), EnterAlternateScreen);
        if let Err(error) = taken {
            put_back();
            return Err(error.into());
        }
        match Terminal::new(CrosstermBackend::new(io::stdout())) {
            Ok(terminal) => Ok(Self { terminal: ManuallyDrop::new(terminal), may_have_more: false }),
            Err(error) => {
                put_back();
                Err(error.into())
            }
        }
    }

    /// Draws.
    ///
    /// # Errors
    /// If the terminal has gone.
    pub fn draw(&mut self, shown: &Shown<'_>) -> Result<(), ScreenError> {
        self.terminal.draw(|frame| shown.draw(frame))?;
        Ok(())
    }

    /// What was asked for, within this time.
    ///
    /// # Errors
    /// If the terminal has gone.
    pub fn key(&mut self, within: Duration) -> Result<Option<ScreenKey>, ScreenError> {
        self.may_have_more = (self.may_have_more || comes(within)) && is_there()?;
        if !self.may_have_more {
            return Ok(None);
        }
        let key = match event::read()? {
            Event::Key(key) if key.kind != KeyEventKind::Release => match key.code {
                KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => ScreenKey::Quit,
                KeyCode::Char(_) if key.modifiers.contains(KeyModifiers::CONTROL) => ScreenKey::Redraw,
                KeyCode::Char('q') | KeyCode::Esc => ScreenKey::Quit,
                KeyCode::Char(' ' | 'p') => ScreenKey::Pause,
                KeyCode::Char('s') => ScreenKey::Sort,
                KeyCode::Up | KeyCode::Char('k') => ScreenKey::Up,
                KeyCode::Down | KeyCode::Char('j') => ScreenKey::Down,
                _ => ScreenKey::Redraw,
            },
            _ => ScreenKey::Redraw,
        };
        Ok(Some(key))
    }
}

impl Drop for TerminalScreen {
    fn drop(&mut self) {
        put_back();
    }
}

/// Whether a key or a signal comes within this time. `crossterm` waits in whole milliseconds, and looks again and again
/// through the part of one that is left; ten times a second that took 0.4 % of a CPU.
fn comes(within: Duration) -> bool {
    let input = io::stdin();
    // Where standard input is no terminal, keys come from another place, which `crossterm` knows.
    let (true, Ok(within)) = (input.is_terminal(), Timespec::try_from(within)) else {
        std::thread::sleep(within);
        return true;
    };
    !matches!(poll(&mut [PollFd::new(&input, PollFlags::IN)], Some(&within)), Ok(0))
}

/// Whether anything is there now.
fn is_there() -> io::Result<bool> {
    match event::poll(Duration::from_millis(1)) {
        // A signal came: whoever asks looks whether it was to end.
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(false),
        other => other,
    }
}

/// The terminal as it was.
fn put_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        // Nobody is there to be told.
        let _ = disable_raw_mode();
        let _ = execute!(io::stdout(), LeaveAlternateScreen, Show);
        let _ = io::stdout().flush();
    }
}
