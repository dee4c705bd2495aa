# What observers saw.

verdict-host-queue = the queue before { $resource }
verdict-device-pushes-back = { $resource } take{ verb-s } no more
conclusion-host-queue = the queue in the host before { $resource } is the limit: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-device-pushes-back = { $resource } { verb-is } the limit, and take{ verb-s } no more: { $rate }{ conclusion-where }{ conclusion-then }

phase-load = what the load waited for an operation
phase-q2g = waiting for a request (Q2G)
phase-g2i = until the scheduler had it (G2I)
phase-i2d = in the I/O scheduler (I2D)
phase-q2d = all before the driver (Q2D)
phase-d2c = at the driver and the device (D2C)
phase-q2c = the whole way (Q2C)

column-phase = part of the way
column-phase-count = count
column-phase-mean = mean
column-phase-p50 = p50
column-phase-p99 = p99
column-phase-share = share of the way
block-phases-table = Where requests spent their time, by the kernel's events
block-requests-table = What came to the device, in all traced trials
column-trace-queued = bios queued
column-trace-would-block = came back at once
column-trace-merged = merged
column-trace-split = split
column-trace-issued = issued
column-trace-requeued = given back
column-trace-flushes = flushes
column-trace-size = commonest size
column-trace-sequential = sequential
column-trace-depth = depth, mean
column-trace-depth-max = depth, most
column-trace-lost = events lost

figure-block-phases = Where requests to { $resource } spent their time
figure-block-phases-note = All curves are of the trials that were traced, and on one clock.
