//! Rates and gauges of a window out of rows of samples, be they of now, of a whole watch, or read back from a disk.

use agent::SampleBuffer;
use model::Resource;
use model::trial::Window;

use crate::situation::Readings;

/// Rows of samples, and the window that rates are of.
pub struct BufferReadings<'a> {
    /// The rows; what several have is told by the first.
    pub buffers: Vec<&'a SampleBuffer>,
    /// The window.
    pub window: Window,
}

impl Readings for BufferReadings<'_> {
    fn rate(&self, resource: &Resource, name: &str) -> Option<f64> {
        self.buffers.iter().find_map(|buffer| buffer.rate(resource, name, self.window))
    }

    fn gauge(&self, resource: &Resource, name: &str) -> Option<f64> {
        self.buffers.iter().find_map(|buffer| buffer.gauge(resource, name))
    }

    fn window(&self) -> Window {
        self.window
    }
}
