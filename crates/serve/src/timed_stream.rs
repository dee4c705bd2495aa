//! A connection that ends when nothing moves on it for too long, in either direction: a client that takes its answer a byte
//! at a time, or none of it, must not keep it for ever.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// A stream with a clock.
pub(crate) struct TimedStream<S> {
    stream: S,
    patience: Duration,
    alarm: Pin<Box<Sleep>>,
    /// Bytes since the alarm was set.
    moved: usize,
}

/// So many bytes within the time count as movement; fewer do not put the alarm off.
const LEAST: usize = 256;

impl<S> TimedStream<S> {
    /// Ends after so long without movement.
    pub(crate) fn new(stream: S, patience: Duration) -> Self {
        Self { stream, patience, alarm: Box::pin(sleep(patience)), moved: 0 }
    }

    fn has_moved(&mut self, bytes: usize, is_whole: bool) {
        self.moved += bytes;
        // A request is small, and comes whole.
        if self.moved >= LEAST || is_whole {
            self.moved = 0;
            self.alarm.as_mut().reset(Instant::now() + self.patience);
        }
    }

    /// What stands still fails when the alarm goes.
    fn wait<T>(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
        match self.alarm.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for TimedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        match Pin::new(&mut self.stream).poll_read(cx, buf) {
            Poll::Pending => self.wait(cx),
            ready => {
                let read = buf.filled().len() - before;
                self.has_moved(read, read > 0);
                ready
            }
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for TimedStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match Pin::new(&mut self.stream).poll_write(cx, bytes) {
            Poll::Pending => self.wait(cx),
            Poll::Ready(Ok(written)) => {
                self.has_moved(written, written == bytes.len());
                Poll::Ready(Ok(written))
            }
            failed => failed,
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.stream).poll_flush(cx) {
            Poll::Pending => self.wait(cx),
            ready => ready,
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.stream).poll_shutdown(cx) {
            Poll::Pending => self.wait(cx),
            ready => ready,
        }
    }
}
