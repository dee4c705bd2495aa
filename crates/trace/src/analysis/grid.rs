//! Points of a chart, thinned: a grid of cells over time, each of which says for how many it
//! stands. Millions of requests fit a picture so, and none is left out.

/// Cells beside one another, over time.
pub const GRID_COLUMNS: usize = 256;
/// Cells above one another.
pub const GRID_ROWS: usize = 128;

/// 2^20 ns, about a millisecond: the finest time of a column.
const FINEST_SHIFT: u32 = 20;
/// 2^11 sectors, 1 MiB: the finest height of a row of offsets.
const FINEST_ROW_SHIFT: u32 = 11;
/// No row is taller: 128 of these hold every sector that there is.
const TALLEST_ROW_SHIFT: u32 = 57;

/// What lies in one cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GridCell {
    /// When the cell's time begins, on the trace's clock.
    pub time_ns: u64,
    /// Where the cell begins upwards: a sector, or a latency in nanoseconds.
    pub value: u64,
    /// How many reads it stands for.
    pub reads: u32,
    /// How many of anything else.
    pub writes: u32,
    /// The largest in it: bytes of one, or the longest latency in nanoseconds.
    pub largest: u64,
}

/// The cells of a chart in which anything lies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GridReport {
    /// The width of a cell, in nanoseconds.
    pub column_ns: u64,
    /// The height of a cell in sectors. Nothing for latencies: there each octave has two rows.
    pub row_sectors: Option<u64>,
    /// The cells, by time and then upwards.
    pub cells: Vec<GridCell>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    reads: u32,
    others: u32,
    largest: u64,
}

impl Cell {
    fn join(&mut self, other: Self) {
        self.reads = self.reads.saturating_add(other.reads);
        self.others = self.others.saturating_add(other.others);
        self.largest = self.largest.max(other.largest);
    }
}

/// One thing that lies in a grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct GridItem {
    pub(super) time_ns: u64,
    pub(super) is_read: bool,
    pub(super) largest: u64,
}

/// The cells by column. Columns become twice as wide when time goes on.
#[derive(Clone, Debug)]
struct Cells {
    start_ns: u64,
    shift: u32,
    /// Column after column; empty until something comes.
    cells: Vec<Cell>,
}

impl Cells {
    const fn new(start_ns: u64) -> Self {
        Self { start_ns, shift: FINEST_SHIFT, cells: Vec::new() }
    }

    fn add(&mut self, row: usize, item: GridItem) {
        let column = loop {
            let column = item.time_ns.saturating_sub(self.start_ns) >> self.shift;
            if column < GRID_COLUMNS as u64 {
                break column as usize;
            }
            self.halve_columns();
        };
        let needed = (column + 1) * GRID_ROWS;
        if self.cells.len() < needed {
            self.cells.resize(needed, Cell::default());
        }
        let read = u32::from(item.is_read);
        let cell = Cell { reads: read, others: 1 - read, largest: item.largest };
        self.cells[column * GRID_ROWS + row.min(GRID_ROWS - 1)].join(cell);
    }

    fn halve_columns(&mut self) {
        let columns = self.cells.len() / GRID_ROWS;
        for from in 0..columns {
            for row in 0..GRID_ROWS {
                let cell = std::mem::take(&mut self.cells[from * GRID_ROWS + row]);
                self.cells[from / 2 * GRID_ROWS + row].join(cell);
            }
        }
        self.cells.truncate(columns.div_ceil(2) * GRID_ROWS);
        self.shift += 1;
    }

    /// Puts each row where `place` says; rows that meet become one.
    fn move_rows(&mut self, place: impl Fn(usize) -> usize) {
        let mut column = [Cell::default(); GRID_ROWS];
        for cells in self.cells.chunks_exact_mut(GRID_ROWS) {
            column.fill(Cell::default());
            for (row, cell) in cells.iter().enumerate() {
                column[place(row).min(GRID_ROWS - 1)].join(*cell);
            }
            cells.copy_from_slice(&column);
        }
    }

    fn report(&self, row_sectors: Option<u64>, value: impl Fn(usize) -> u64) -> GridReport {
        let columns = self.cells.chunks_exact(GRID_ROWS).enumerate();
        let cells = columns.flat_map(|(column, cells)| {
            let time_ns = self.start_ns.saturating_add((column as u64) << self.shift);
            let value = &value;
            let filled = cells.iter().enumerate().filter(|(_, cell)| cell.reads > 0 || cell.others > 0);
            filled.map(move |(row, cell)| GridCell {
                time_ns,
                value: value(row),
                reads: cell.reads,
                writes: cell.others,
                largest: cell.largest,
            })
        });
        GridReport { column_ns: 1 << self.shift, row_sectors, cells: cells.collect() }
    }
}

/// Offsets against time. Rows become twice as tall until all offsets fit, and begin at a
/// multiple of their height, so that no cell is ever cut.
#[derive(Clone, Debug)]
pub(super) struct OffsetGrid {
    cells: Cells,
    origin: u64,
    row_shift: u32,
    is_empty: bool,
}

impl OffsetGrid {
    pub(super) const fn new(start_ns: u64) -> Self {
        Self { cells: Cells::new(start_ns), origin: 0, row_shift: FINEST_ROW_SHIFT, is_empty: true }
    }

    pub(super) fn add(&mut self, sector: u64, item: GridItem) {
        if self.is_empty {
            self.is_empty = false;
            self.origin = aligned(sector, self.row_shift);
        }
        while !self.holds(sector) {
            self.make_rows_taller(sector);
        }
        self.cells.add((sector.saturating_sub(self.origin) >> self.row_shift) as usize, item);
    }

    fn holds(&self, sector: u64) -> bool {
        self.row_shift >= TALLEST_ROW_SHIFT
            || sector.checked_sub(self.origin).is_some_and(|above| above >> self.row_shift < GRID_ROWS as u64)
    }

    /// Twice as tall, from the lower of what it has and `sector`.
    fn make_rows_taller(&mut self, sector: u64) {
        let (old_origin, old_shift) = (self.origin, self.row_shift);
        self.row_shift += 1;
        let shift = self.row_shift;
        // Down to the sector only where all that is there still fits above it.
        let low = if shift >= TALLEST_ROW_SHIFT { 0 } else { aligned(old_origin.min(sector), shift) };
        let top = old_origin.saturating_add((GRID_ROWS as u64) << old_shift);
        let fits = shift >= TALLEST_ROW_SHIFT || top.saturating_sub(low) <= (GRID_ROWS as u64) << shift;
        let origin = if fits { low } else { aligned(old_origin, shift) };
        self.origin = origin;
        self.cells.move_rows(|row| {
            let start = old_origin.saturating_add((row as u64) << old_shift);
            (start.saturating_sub(origin) >> shift) as usize
        });
    }

    pub(super) fn report(&self) -> GridReport {
        let sectors = 1_u64 << self.row_shift;
        self.cells
            .report(Some(sectors), |row| self.origin.saturating_add((row as u64).saturating_mul(sectors)))
    }

    /// Forgets all that lies in it.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.cells.start_ns);
    }

    #[cfg(test)]
    pub(super) fn allocated_cells(&self) -> usize {
        self.cells.cells.len()
    }
}

const fn aligned(sector: u64, shift: u32) -> u64 {
    sector >> shift << shift
}

/// Latencies against time, two rows for each octave.
#[derive(Clone, Debug)]
pub(super) struct LatencyGrid(Cells);

impl LatencyGrid {
    pub(super) const fn new(start_ns: u64) -> Self {
        Self(Cells::new(start_ns))
    }

    pub(super) fn add(&mut self, item: GridItem) {
        self.0.add(octave_row(item.largest), item);
    }

    pub(super) fn report(&self) -> GridReport {
        self.0.report(None, row_start)
    }
}

/// Twice the octave, and one more in its upper half.
const fn octave_row(latency_ns: u64) -> usize {
    if latency_ns < 2 {
        return 0;
    }
    let octave = latency_ns.ilog2();
    (2 * octave + (latency_ns >> (octave - 1) & 1) as u32) as usize
}

/// The shortest latency of a row.
fn row_start(row: usize) -> u64 {
    let octave = row / 2;
    if octave == 0 {
        return 0;
    }
    let start = 1_u64 << octave.min(63);
    if row.is_multiple_of(2) { start } else { start + start / 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(time_ns: u64) -> GridItem {
        GridItem { time_ns, is_read: true, largest: 4096 }
    }

    fn total(report: &GridReport) -> u64 {
        report.cells.iter().map(|cell| u64::from(cell.reads) + u64::from(cell.writes)).sum()
    }

    #[test]
    fn every_item_lies_in_a_cell_that_holds_it() {
        let mut grid = OffsetGrid::new(0);
        let mut sector = 1_u64;
        for step in 0..10_000_u64 {
            sector = sector.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // A disk of 512 GiB, whose middle is used first.
            let at = (1 << 29) + (sector >> 40) * (step / 100 + 1) % (1 << 29);
            grid.add(at, item(step << 18));
        }
        let report = grid.report();
        assert_eq!(total(&report), 10_000);
        assert!(report.cells.len() <= GRID_COLUMNS * GRID_ROWS);
        assert!(grid.allocated_cells() <= GRID_COLUMNS * GRID_ROWS);
        let height = report.row_sectors.unwrap();
        assert!(report.cells.iter().all(|cell| cell.value >= (1 << 29) - height && cell.value < 1 << 30));
        assert!(height <= (1 << 30) / 64, "{height}");
    }

    #[test]
    fn offsets_below_the_first_are_as_good() {
        let mut grid = OffsetGrid::new(0);
        for sector in [1 << 30, (1 << 30) - 8, 0, u64::MAX, 1 << 40] {
            grid.add(sector, item(0));
        }
        assert_eq!(total(&grid.report()), 5);
        let mut grid = OffsetGrid::new(0);
        grid.add(1 << 20, item(0));
        grid.add(0, GridItem { time_ns: 1 << 20, is_read: false, largest: 512 });
        let report = grid.report();
        let height = report.row_sectors.unwrap();
        assert_eq!(height, 1 << 14);
        assert_eq!((report.cells[0].value, report.cells[0].reads), (1 << 20, 1));
        assert_eq!((report.cells[1].value, report.cells[1].writes), (0, 1));
        assert_eq!((report.cells[1].time_ns, report.cells[1].largest), (1 << 20, 512));
    }

    #[test]
    fn latencies_lie_in_half_octaves() {
        for latency in [0, 1, 2, 3, 4, 5, 6, 7, 8, 1000, 1 << 40, u64::MAX] {
            let row = octave_row(latency);
            assert!(row < GRID_ROWS);
            assert!(row_start(row) <= latency, "{latency}");
            assert!(row + 1 >= GRID_ROWS || row < 2 || row_start(row + 1) > latency, "{latency}");
        }
    }
}
