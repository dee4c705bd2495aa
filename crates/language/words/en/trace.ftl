## What happened to block devices: `headroom trace`. Bios are what programs and file systems
## ask for, requests what the device is sent.

trace-title = What happened to { $target }
trace-byline = { $events } events in { SPAN($seconds) }
trace-answer = In short
trace-nameless = (no name)
trace-all-others = all others

## What was done, and by whom

trace-did-both =
    In { SPAN($seconds) } { $device } { $state ->
        [asked] is asked for
       *[done] completed
    } { $reads ->
        [one] { $reads } read
       *[other] { $reads } reads
    } ({ $read_bytes }) and { $writes ->
        [one] { $writes } write
       *[other] { $writes } writes
    } ({ $written_bytes }).
trace-did-reads =
    In { SPAN($seconds) } { $device } { $state ->
        [asked] is asked for
       *[done] completed
    } { $reads ->
        [one] { $reads } read
       *[other] { $reads } reads
    } ({ $read_bytes }) and no write.
trace-did-writes =
    In { SPAN($seconds) } { $device } { $state ->
        [asked] is asked for
       *[done] completed
    } { $writes ->
        [one] { $writes } write
       *[other] { $writes } writes
    } ({ $written_bytes }) and no read.
trace-did-nothing =
    In { SPAN($seconds) } { $device } { $state ->
        [asked] is asked for
       *[done] completed
    } no read and no write.
trace-did-others =
    { $device } also { $state ->
        [asked] is asked for
       *[done] completed
    } { $count ->
        [one] { $count } discard or the like
       *[other] { $count } discards and the like
    } ({ $bytes }), which move no data.
trace-did-pieces =
    { $class ->
        [read] Reads from
       *[write] Writes to
    } { $device } were mostly of { BINARY($size) } ({ PERCENT($share) } of them).
trace-did-pieces-various =
    { $class ->
        [read] Reads from
       *[write] Writes to
    } { $device } were of various sizes, half of them at most { BINARY($size) }.
trace-did-merged = { PERCENT($share) } of what { $device } was asked for was merged into larger requests, { FIXED($mean, decimals: 1) } to a request on average.
trace-did-after = While the command ran { $before } was written to { $device }, and { $after } after it had ended: what was then left in memory, whoever had put it there, was written back.
trace-did-by = { $task } submitted most of it ({ PERCENT($share) } of the bytes).
trace-command-failed = The command `{ $command }` failed with exit code { $code }.
trace-command-killed = The command `{ $command }` was ended by signal { $signal }.
trace-command-io = The kernel charged to `{ $command }` and its children { $read } read from devices and { $written } written to them, now or later; their system calls read { $calls_read } and wrote { $calls_written }.

## What matters of a trace, a sentence each

trace-saw-nothing = Nothing came to the device.
trace-saw-lost =
    { $events } events were lost, { $times ->
        [one] once
       *[other] { $times } times
    }, because they came faster than they were read: counts are too low, and times and depths are only of what was seen. A larger --buffer may help.
trace-saw-lost-unknown =
    Events were lost, { $times ->
        [one] once
       *[other] { $times } times
    }, because they came faster than they were read, and the kernel does not say how many: counts are too low, and times and depths are only of what was seen. A larger --buffer may help.
trace-saw-depth = The mean depth of { $device } ({ FIXED($depth, decimals: 2) }) is not what its requests account for ({ FIXED($explained, decimals: 2) }): do not read its depth and its latencies together.
trace-saw-errors =
    { $device } failed { $count ->
        [one] { $count } request
       *[other] { $count } requests
    } (the last with error number { $last }).
trace-saw-stall =
    { $device } completed nothing for { $length } ({ $at } after the beginning), though { $count ->
        [one] { $count } was
       *[other] { $count } were
    } under way.
trace-saw-stall-to-the-end =
    { $device } completed nothing in the last { $length } (from { $at } after the beginning), though { $count ->
        [one] { $count } was
       *[other] { $count } were
    } under way.
trace-saw-swapping = Meanwhile the kernel swapped: { $read } in, { $written } out.
trace-saw-slow-sync = The slowest { $call } of { $task } (of { $count } calls) took { $length }: devices were busy for { $device_time } of it, and flushed their caches for { $flush_time }.
trace-saw-slow-sync-partly = The slowest { $call } of { $task } (of { $count } calls) took { $length }, of which only a part was seen: devices were busy for at least { $device_time } of it, and flushed their caches for at least { $flush_time }.
trace-saw-flush-storm = { $flushes } flushes of the cache of { $device } came close together{ $storms ->
        [one] {""}
       *[other] {""}, { $storms } times
    }, and flushing took { PERCENT($share) } of the time: whoever asks for them less often writes faster.
trace-saw-requeues = { $device } gave back { $count } requests undone ({ PERCENT($share) }), because its queue was full.
trace-saw-device-bound = The device takes the time: requests to { $device } spent { PERCENT($share) } of it there, { $mean } on average.
trace-saw-waits = Waiting takes the time: requests to { $device } spent { PERCENT($share) } of it before they were sent, { $mean } on average; the device had at most { $depth } at once.
trace-saw-one = { $device } had one request after another ({ FIXED($depth, decimals: 1) } at once, { PERCENT($share) } of the time): its latency sets the pace, and more at once would do more.
trace-saw-sequential =
    { $class ->
        [read] Reads from
       *[write] Writes to
    } { $device } were mostly sequential ({ PERCENT($share) }), in pieces of { BINARY($size) } (median).
trace-saw-streams =
    { $class ->
        [read] Reads from
       *[write] Writes to
    } { $device } were mostly sequential in several streams at once ({ PERCENT($share) }), in pieces of { BINARY($size) } (median).
trace-saw-random =
    { $class ->
        [read] Reads from
       *[write] Writes to
    } { $device } were mostly random ({ PERCENT($share) }), in pieces of { BINARY($size) } (median).
trace-saw-small =
    { $class ->
        [read] Reads from
       *[write] Writes to
    } { $device } go on where they ended and still come in pieces of { BINARY($size) }: larger ones would cost less.
trace-saw-splits = { $count } of what { $device } was asked for ({ PERCENT($share) }) was larger than it takes at once, and was split.
trace-saw-writeback = The kernel wrote { $bytes } to { $device } in the background ({ PERCENT($share) } of what was written): programs had written that into memory before.
trace-saw-writer = { $task } wrote most of it into memory ({ PERCENT($share) } of the pages).

## Tables

trace-operations = operation
trace-reads = reads
trace-writes = writes
trace-others = discards and the like
trace-flushes = flushes
trace-discards = discards
trace-zeroes = writes of zeroes
trace-zones = operations on zones
trace-passthrough = other commands
trace-flag-sync = waited for
trace-flag-preflush = with a flush before
trace-flag-fua = on the medium at completion (FUA)
trace-flag-meta = of the file system's own data
trace-flag-ahead = read ahead
trace-flag-atomic = atomic
trace-sizes = size and order
trace-phases = phase
trace-phases-share = The device had them for { PERCENT($share) } of their time ({ $device }).
trace-phases-note = Times are of bios: a request of three counts three times. The letters are btt's. A percentile is given only where at least ten lie beyond it.
trace-phase-q2g = queue to request (Q2G)
trace-phase-g2i = request to scheduler (G2I)
trace-phase-q2i = queue to scheduler (Q2I)
trace-phase-q2m = queue to merge (Q2M)
trace-phase-g2d = request to driver (G2D)
trace-phase-i2d = in the scheduler (I2D)
trace-phase-m2d = merge to driver (M2D)
trace-phase-q2d = before the driver (Q2D)
trace-phase-d2c = at the device (D2C)
trace-phase-q2c = in all (Q2C)
trace-depth = under way at once
trace-depth-device = at the device
trace-depth-waiting = waiting before it
trace-processes = submitted by
trace-dirtied = written into memory by
trace-dirtied-note = A page, or a folio of several, counts when it becomes dirty: the kernel does not say how large it is. One that is written again before it reached the device counts once. Files are named by their device and inode.
trace-understated = There were more threads than are counted at once: each may be too low by up to { $bytes }.
trace-stalls = Stalls and slow requests
trace-request =
    { $kind ->
        [read] read of { BINARY($size) } at sector { $sector }
        [write] write of { BINARY($size) } at sector { $sector }
        [flush] flush
       *[other] { BINARY($size) } at sector { $sector }
    }
trace-syncs = waited for the medium
trace-syncs-note = What devices did in the time of a call is of all programs: the events do not say for whom a journal writes. The rest of its time it waited for the file system, locks or the processor.
trace-section-flushes = flushes
trace-storms-note = Flushes within 50 ms of one another, 20 or more:
trace-column-asked = asked for
trace-column-sent = sent
trace-column-bytes = bytes
trace-column-dirtied = pages or folios
trace-column-least = least
trace-column-median = median
trace-column-largest = largest
trace-column-commonest = most often
trace-column-sequential = sequential
trace-column-streams = in streams
trace-column-size = size
trace-column-kind = of
trace-column-count = count
trace-column-share = share
trace-column-mean = mean
trace-column-longest = longest
trace-column-mean-busy = mean while busy
trace-column-most = most
trace-column-busy = busy
trace-column-reads = read
trace-column-writes = written
trace-column-others = discarded
trace-column-mean-whole = mean time
trace-column-file = file
trace-column-by = by
trace-column-stall-at = stall at
trace-column-at = at
trace-column-length = length
trace-column-at-device = at the device
trace-column-waiting = waiting
trace-column-oldest = oldest
trace-column-slow-at-device = slow at the device, at
trace-column-slow-overall = slow in all, at
trace-column-request = request
trace-column-depth = depth
trace-column-call = call
trace-column-in-flush = flushing
trace-column-in-device = device busy
trace-column-in-host = rest
trace-column-requests = bios
trace-column-failed = failed
trace-column-storms = storms

## Pictures

trace-charts = Over time
trace-chart-offset = offset on the device
trace-chart-offsets = Where requests lay on { $device }, and how large they were
trace-chart-latency = latency
trace-chart-device-latencies = How long requests were at { $device }
trace-chart-whole-latencies = How long requests to { $device } took in all
trace-chart-not-reads = writes and others
trace-chart-note = { $requests } requests in { $cells } cells of { $width }; cells that lie close together share a mark, and none is left out.
trace-chart-phases = Where the time of requests to { $device } goes
trace-chart-over-time = Who submitted, and how many were under way
trace-chart-submitters = submitted by
trace-chart-depth = depth, { $device }

## What is not known

trace-losses = What is missing
trace-events-read = Events read
trace-events-lost = Events lost
trace-accounted = The kernel's counts agree
trace-buffers = Buffers
trace-buffers-of = { $size } for each of { $cpus } CPUs
trace-absent-events = Events that this kernel does not have
trace-late = Records after a later one
trace-unfinished-calls = Calls that had not returned
trace-lost-cpus = CPUs that lost events
trace-out-of-order = Records out of order
trace-events-of-others = Events of further devices
trace-begun-before = Completed, begun before the trace
trace-queued-before = Issued, queued before the trace
trace-completions-after-loss = Completions without a beginning, after a loss
trace-issues-after-loss = Issues without a queueing, after a loss
trace-unfinished-bios = Bios under way at the end
trace-unfinished-requests = Requests at the device at the end
trace-given-up = Given up, left over from a loss
trace-caution-vanished = { $device } was removed while it was traced: what came before is here.
trace-caution-partition = Only what lies in { $part } is counted: { $count } events of other parts of { $disk } were left out. Flushes have no place and are those of the whole disk.
trace-caution-stacked = { $device } stands on { $members }, which were not traced: name them too to see what they get.
trace-caution-torn = { $file } ends within a record, or was not finished: what is whole of it is here.
trace-caution-damaged = { $file } is damaged: what could be read of it is here.
trace-caution-unread = { $count } records could not be read.
trace-caution-left-in-memory = The trace ended before all was written that was in memory when the command ended: what was written later is not here.
trace-caution-command-longer = The trace ended before the command did: what it did later is not here.
