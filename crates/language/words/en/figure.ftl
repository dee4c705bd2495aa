# Titles of charts.
figure-over = { $metric } over { $factor }
figure-over-both = { $metric } and { $other } over { $factor }
figure-by = { $metric } by { $factor }
figure-by-two = { $metric } by { $factor } and { $other }
figure-against = { $metric } against { $other }
figure-where = { $title }: { $where }
figure-percentiles = percentiles of { $metric }
figure-distribution = distribution of { $metric }
figure-distribution-of = distribution of { $metric }, { $case }
figure-trials = every trial: { $metric }
figure-trials-of-one = every trial: { $metric }
figure-trials-to-median = every trial against its case's median
figure-trials-to-baseline = every trial against its baseline's median
figure-path = the path of the data, and how full it is
figure-path-of = the path of the data, and how full it is: { $case }
figure-samples = { $case }: one trial over time
figure-cpus = { $case }: load of each CPU
figure-order-title = Every trial in the order they ran

# What charts measure.
figure-latency = latency
figure-service-time = service time
figure-to-median = ratio to the case's median
figure-to-baseline = ratio to the baseline's median
figure-order = place in the run
figure-median = median: { $value }
figure-p99 = 99th percentile: { $value }

# Factors and their levels.
figure-not-set = not set
figure-side = run
figure-yes = yes
figure-no = no
figure-company = load beside it
figure-alone = alone
parameter-title-block-size = block size
parameter-title-queue-depth = queue depth
parameter-title-mtu = MTU
parameter-title-tx-queue-length = length of the transmit queue
parameter-title-interface-rate = highest rate of the interface
parameter-title-queueing-discipline = queueing discipline
parameter-title-offloads = segmentation and joining of packets (offloads)
parameter-title-offload-tso = TCP segmentation by the interface (TSO)
parameter-title-offload-gso = segmentation just before sending (GSO)
parameter-title-offload-gro = joining of received packets (GRO)
parameter-title-offload-lro = joining of received packets by the interface (LRO)
parameter-title-offload-tx-checksum = checksums of sent packets by the interface
parameter-title-offload-rx-checksum = checksums of received packets by the interface
parameter-title-offload-scatter-gather = scatter-gather
parameter-title-coalescing = interrupt coalescing (µs)
parameter-title-rings = descriptors in each ring
parameter-title-ring-rx = descriptors in the receive rings
parameter-title-ring-tx = descriptors in the transmit rings
parameter-title-socket-buffer-max = largest socket buffer
parameter-title-cgroup-cpu = CPUs given to the load
parameter-title-cgroup-io-read-bytes = bytes read per second at most
parameter-title-cgroup-io-write-bytes = bytes written per second at most
parameter-title-cgroup-io-read-operations = reads per second at most
parameter-title-cgroup-io-write-operations = writes per second at most
parameter-title-frequency-max = highest clock rate
parameter-title-irq-affinity = CPUs that take the interrupts of the device
parameter-title-task-delay-accounting = accounting of what tasks wait for
parameter-title-turbo = turbo
parameter-title-smt = hardware threads of a core (SMT)
parameter-title-device-power = sleep of PCIe links
parameter-title-nvme-power-states = longest wake-up of an idle NVMe drive (µs)
parameter-title-device-write-cache = write cache of the disk
parameter-title-cgroup-memory = memory given to the load
parameter-title-scheduler = I/O scheduler
parameter-title-queue-requests = requests in the queue
parameter-title-read-ahead = read-ahead
parameter-title-wbt = writeback throttling (µs)
parameter-title-mount-options = mount options
parameter-title-kernel-flush = flushes by the kernel
parameter-title-dirty-bytes = bytes that may be dirty
parameter-title-drop-caches = caches dropped before each trial
parameter-title-swap = swap
parameter-title-transparent-huge-pages = transparent huge pages
parameter-title-numa-balancing = NUMA balancing
parameter-title-congestion-control = congestion control
parameter-title-governor = governor of the clock rate
parameter-title-c-states = wake-up latency (µs)
parameter-title-threads = threads
parameter-title-rate = rate asked for
parameter-title-arrivals = arrivals
parameter-title-duration = duration
parameter-title-requests = requests
parameter-title-bytes = bytes
parameter-title-pattern = pattern
parameter-title-engine = engine
parameter-title-submit-batch = submit batch
parameter-title-direct = direct I/O
parameter-title-size = size
parameter-title-span = span
parameter-title-until = until
parameter-title-target = target
parameter-title-operation = operation
parameter-title-stores = stores
parameter-title-max-prime = largest number
parameter-title-read-share = share of reads
parameter-title-complete-batch = completion batch
parameter-title-registered = registered file and buffers
parameter-title-sqpoll = kernel thread submits
parameter-title-iopoll = polled completions
parameter-title-offset = offset
parameter-title-places = places
parameter-title-files = files
parameter-title-stack = storage stack
parameter-title-layer = layer
parameter-title-member-size = member size
parameter-title-present = presented by
parameter-title-distribution = distribution
parameter-title-zipf-theta = Zipf exponent
parameter-title-hot-span = hot part of the span
parameter-title-hot-share = operations on the hot part
parameter-title-content = content
parameter-title-content-share = compressible or duplicate share
parameter-title-sync = sync
parameter-title-sync-every = writes for each sync
parameter-title-verify = verification
parameter-title-precondition = preconditioning
parameter-title-purge = purge
parameter-title-latency-target = latency to hold
latency-target-level = { $share } within { $latency }

# Workloads, and words that stand for values of their parameters.
workload-title-cpu-primes = Processor
workload-title-cpu-float = Floating point
workload-title-cpu-crypto = Encryption and hashing
workload-title-cpu-compress = Compression
workload-title-cpu-parity = RAID parity
workload-title-memory-bandwidth = Memory bandwidth
workload-title-memory-latency = Memory latency
workload-title-memory-loaded = Memory latency under load
workload-title-memory-blocks = Memory blocks
workload-title-disk = Disk
workload-title-disk-replay = Recorded I/O
workload-title-disk-rebuild = An array that loses a member
workload-title-file-metadata = File metadata
workload-title-null = Nothing (the engine itself)
workload-title-scheduler-threads = Threads and yields
workload-title-scheduler-mutex = Mutexes
workload-title-scheduler-handoff = Hand-off between threads
workload-title-scheduler-timer = Timers
workload-title-scheduler-syscall = System calls, faults, switches
workload-title-net-stream = Network stream
workload-title-net-pingpong = Messages there and back
workload-title-net-connect = Connections
workload-title-http-requests = HTTP requests
workload-title-http-download = HTTP downloads
workload-title-http-upload = HTTP uploads
workload-title-object-put = Objects put
workload-title-object-get = Objects read
workload-title-object-list = Objects listed
workload-title-object-delete = Objects deleted
workload-title-db-oltp = Transactions of a database
workload-title-db-slap = Statements as mysqlslap makes them
workload-title-db-tpcb = Transactions of pgbench
workload-title-db-orders = Transactions of a wholesaler
workload-title-db-script = Transactions of a file
workload-title-db-durability = Commits that are kept
workload-title-net-loaded = Latency under network load
parameter-title-from = from CPU
parameter-title-by = means
parameter-title-to = to CPU
parameter-title-share = share that others draw
parameter-title-max-keys = names of one page
parameter-title-page-size = page size
level-vectors-sse2 = SSE2
level-vectors-avx2 = AVX2
level-vectors-avx512 = AVX-512
level-vectors-neon = NEON
level-call-getppid = getppid()
level-call-read = read() of a byte
level-call-write = write() of a byte
level-call-stat = stat()
level-call-fstat = fstat()
level-call-open-close = open() and close()
level-call-poll = poll() of 100
level-call-signal-install = signal handler set
level-call-signal-handle = signal handled
level-call-protection-fault = protection fault
level-call-page-fault = page fault
level-call-mmap-munmap = mmap() and munmap()
level-call-pipe = byte through a pipe
level-call-context-switch = context switch
level-call-thread = thread made
level-call-fork = fork()
level-call-exec = program started
level-event-fail = a member fails
level-event-grow = one more member
level-event-scrub = scrub
level-pattern-read = sequential read
level-pattern-write = sequential write
level-pattern-randread = random read
level-pattern-randwrite = random write
level-pattern-readwrite = sequential reads and writes
level-pattern-randrw = random reads and writes
level-pattern-trim = sequential trim
level-pattern-randtrim = random trim
level-distribution-uniform = uniform
level-distribution-once = every block once
level-distribution-zipf = Zipf
level-distribution-hot = hot spot
level-content-random = random content
level-content-zeros = zeros
level-content-compressible = compressible content
level-content-duplicate = repeated content
level-sync-none = no sync
level-sync-dsync = O_DSYNC
level-sync-fsync = fsync
level-sync-end = one fsync at the end
level-verify-none = not verified
level-verify-crc32c = verified by CRC-32C
level-map-wrap = places wrap
level-map-scale = places scaled
level-writes-skip = writes left out
level-writes-read = writes as reads
level-speed-max = as fast as possible
level-precondition-none = not preconditioned
level-precondition-fill = filled once
level-precondition-full = preconditioned in full
level-until-time = timed
level-until-end = one pass
level-until-full = until full
level-operation-read = read
level-operation-write = write
level-operation-copy = copy
level-size-l1 = L1 cache
level-size-l2 = L2 cache
level-size-l3 = L3 cache
level-size-dram = main memory
level-threads-all = all CPUs
level-count-threads =
    { $count ->
       [one] 1 thread
    *[other] { $count } threads
    }
level-count-streams =
    { $count ->
       [one] 1 stream
    *[other] { $count } streams
    }
level-count-connections =
    { $count ->
       [one] 1 connection
    *[other] { $count } connections
    }
level-count-clients =
    { $count ->
       [one] 1 client
    *[other] { $count } clients
    }

# What figures are held against.
figure-ideal = ideal
figure-measured = measured
figure-ideal-at = ideal: { $value }
figure-ideal-note = Ideal is the rate at the fewest threads times as many, up to the number of CPUs.
figure-knee = from here, doubling adds less than { PERCENT($gain) }
figure-knee-of = { $line }: from here, doubling adds less than { PERCENT($gain) }
figure-full = full from here: doubling adds less than { PERCENT($gain) }, and operations wait
figure-full-of = { $line }: full from here
figure-knee-dot = { $label }, knee
figure-limit-link = limit of { $resource }: { $value }
figure-limit-datasheet = datasheet of { $resource }: { $value }
figure-limit-promise = promised: { $value }
figure-limit-quota = quota on { $resource }: { $value }
figure-limit-measured = { $resource } as measured before: { $value }
figure-limit-hardware = { $resource }: { $value }
figure-promised = promised { $metric }: { $value }
figure-used = { $used } of { $limit }
figure-used-measured = { $used } of { $limit } measured
figure-used-promised = { $used } of { $limit } promised
figure-used-hardware = { $used } of { $limit } busy
figure-used-queue = { $used } of { $limit } requests
figure-path-softirq = softirq, CPU { $cpu }
figure-path-queue = queue of { $name }
figure-path-unseen = not seen from here
figure-path-of-machine = { $name } of { $machine }

# Resources.
figure-resource-memory = memory { $name }
figure-resource-nic = network { $name }
figure-resource-dmi = link to the chipset { $name }

# Notes below charts.
figure-left-out = Not drawn here: { $charts }; the tables have the numbers.
figure-left-out-more = Not drawn here: { $charts }; and { $more } more. The tables have the numbers.
figure-lines-some = { $shown } of { $all } levels are drawn; the table has all.
figure-without =
    { $cases ->
        [one] One case has no result and is not drawn.
       *[other] { $cases } cases have no result and are not drawn.
    }
figure-no-result = no result
figure-doubt = not to be trusted as it is
figure-against-note = Each line goes along rising { $factor }: to the right is more, upwards is slower.
figure-percentiles-note = Operations of all trials together, only as far as at least ten lie beyond.
figure-percentiles-some = { $shown } of { $all } cases are drawn, from the lowest { $metric } to the highest at even steps.
figure-distribution-note = Of the case with the best { $metric }.
figure-above = { $count } operations ({ PERCENT($share) }) took longer than what is drawn, up to { $end }.
figure-below = { $count } operations ({ PERCENT($share) }) took less than what is drawn, down to { $end }.
figure-trials-some = The { $shown } of { $all } cases with the widest spread are drawn.
figure-path-nearest = The case that comes nearest to a limit.
figure-path-best = No case has a known limit that tells; this is the one with the best result.
figure-path-best-known = No case has a known limit that tells; this is the best result of those whose bottleneck is known.
figure-samples-only = It has one trial.
figure-samples-middle = Trial { $trial } of { $trials }, the nearest to their median.
figure-samples-chosen = Trial { $trial } of { $trials }.
figure-samples-flat = Not drawn, for they stayed at zero or did not move: { $panels }.
figure-samples-more = Not drawn, for want of room: { $panels }.
figure-samples-left = Samples of { $count } further workloads are in the document only.
figure-order-note = If the machine changed while it was measured, the points drift or jump here.
figure-order-dot = { $block }: { $case }
figure-order-names = The number before a name is the block, a round through the cases.
figure-order-groups = { $all } trials in groups of neighbours: each median with the least and the greatest.

# Panels of samples and their tracks.
figure-beside = beside it: { $workload }
figure-this-machine = this machine
figure-at-machine = { $machine }: { $title }
figure-panel-of = { $panel }: { $resource }
figure-panel-disk = disk throughput
figure-panel-in-flight = requests in flight
figure-panel-network = network throughput
figure-panel-retransmissions = TCP losses
figure-panel-drops = dropped packets
figure-panel-cpu = CPU time
figure-panel-pressure = tasks kept waiting
figure-panel-cache = page cache
figure-panel-swap = swapping
figure-panel-frequency = clock rate
figure-panel-temperature = temperature
figure-panel-throttle = slowed down for heat
figure-panel-power = power
figure-panel-switches = switches and interrupts
figure-track-resource = { $resource }
figure-track-of = { $resource } { $what }
figure-track-throughput = throughput
figure-track-operations = operations per second
figure-track-requests = requests
figure-track-read = read
figure-track-written = written
figure-track-received = received
figure-track-sent = sent
figure-track-retransmitted = segments sent again
figure-track-timeouts = timeouts
figure-track-dropped-in = on receive
figure-track-dropped-out = on sending
figure-track-dropped-queue = by the queueing discipline
figure-track-dropped-socket = by UDP sockets
figure-track-dropped-backlog = by full backlogs of CPUs
figure-track-user = user
figure-track-nice = nice
figure-track-system = system
figure-track-irq = interrupts
figure-track-softirq = soft interrupts
figure-track-steal = stolen
figure-track-iowait = idle, waiting for I/O
figure-track-for-cpu = for CPU
figure-track-for-io = for I/O
figure-track-for-memory = for memory
figure-track-for-irq = for interrupts
figure-track-cached = cached
figure-track-dirty = dirty
figure-track-writeback = being written
figure-track-in = in
figure-track-out = out
figure-track-switches = context switches
figure-track-interrupts = interrupts
figure-track-package = package of { $resource }
figure-cpu-works = runs a worker
figure-cpu-interrupts = takes the device's interrupts
figure-cpu-both = runs a worker, takes the device's interrupts

# Rounds, caches, targets, reads and writes.
figure-rounds = { $metric } round by round, until it is steady
figure-rounds-note = Steady is what SNIA calls so: of the last five rounds the greatest less the smallest is at most 20 % of their mean, and the fitted line moves by at most 10 % of it.
figure-edge-page-cache = { $low } to { $high }: page cache
figure-edge-drive = { $low } to { $high }: cache of { $resource }
figure-edge-unknown = { $low } to { $high }: a cache ends
figure-whose-page-cache = it is the page cache, for which { $bytes } of memory were free
figure-whose-drive = { $resource } has { $bytes } of memory, by its datasheet
figure-whose-guest = whose it is, is not known: the drive's, a controller's or the hypervisor's
figure-whose-host = whose it is, is not known: the drive's or a controller's
figure-edge-sentence = A cache ends between { $low } and { $high } touched: { $metric } { $before } before it, { $behind } from { $from } on; { $whose }.
figure-no-edge = No cache ends between { $low } and { $high } touched: { $metric } stays the same.
figure-slope = No clear step where a cache would end: { $metric } changes from { $before } at { $low } touched to { $behind } at { $high }, bit by bit.
figure-targets = each target: { $metric }
figure-targets-of = each target: { $metric }, { $case }
figure-targets-some = Of several cases with several targets, the one that tells most.
figure-waterfall = { $metric } at each layer of the stack, the lowest first
figure-waterfall-note = The mark at a bar is the figure of the layer below, and the ratio beside it is to that, with its interval of { $percent } %.
figure-places = Throughput by position on the target, from its first byte to its last
figure-places-note = Each point is a part of one pass, with the same bytes in each: the median over trials.
figure-places-axis = place
figure-places-slow = { $name } (slow)
figure-durable = throughput until writes returned, and until they were on the device
figure-durable-note = A write through the page cache returns when it is in memory. The lower of the two figures is what a reader finds after a loss of power.
figure-until-returned = until the last write returned
figure-until-durable = until all was on the device
figure-still-cached = { PERCENT($share) } only in memory then
figure-cases-some = { $shown } of { $all } cases are drawn; the table has all.
figure-mixed = reads and writes: { $title }
figure-split = where the time of an operation goes
figure-split-note = Means, which add up; percentiles do not, and stand in the tables.
figure-mean-latency = mean latency
figure-part-waiting = waiting for its turn
figure-part-submit = until the kernel has it
figure-part-device = kernel and device
figure-panel-targets = each target: { $metric }
figure-together = { $count } targets together

# Scaling, loaded latency, hand-offs.
figure-amdahl = Amdahl’s law
figure-speedup = times the rate of one thread
figure-scaling = speed-up over { $factor }: { $metric }
figure-scaling-efficiency = { $threads } threads do { $times } times what one does, { $share } of the ideal.
figure-scaling-serial =
    { $points ->
        [two] From one and more threads alone, { $share } of the work is serial{ $range }, by Karp and Flatt; whether Amdahl’s law holds, two points do not show.
       *[other] Amdahl’s law fits: { $share } of the work is serial{ $range }, or is held up by whatever the threads share.
    }
figure-scaling-range = { " " }({ $low } to { $high })
figure-scaling-at-most = No serial share is seen: it is { $high } at most.
figure-scaling-above = More threads do more than as many times the work of one.
figure-scaling-falls = The rate is highest with { $threads } threads and falls with more: they hinder one another, which no serial share explains.
figure-scaling-bad = Amdahl’s law does not fit, by { $off } at the worst point, so no serial share is given.
figure-scaling-beyond = More threads than { $cpus } CPUs are drawn, but not fitted.
figure-scaling-vague = The trials differ too much to say what more threads bring.
figure-scaling-vague-short = trials differ too much
figure-scaling-line = { $name }: { $text }.
figure-scaling-efficiency-short = { $times } times with { $threads } threads, { $share } of the ideal
figure-scaling-serial-short = { $share } serial{ $range }
figure-scaling-at-most-short = at most { $high } serial
figure-scaling-above-short = nothing serial
figure-scaling-falls-short = falls beyond { $threads } threads
figure-scaling-bad-short = no serial share fits
figure-scaling-lines =
    { $points ->
        [two] Serial is the share by Karp and Flatt; whether Amdahl’s law holds, two points do not show.
       *[other] Serial is the share by Amdahl’s law, or what the threads share holds them up as much.
    }
figure-loaded-note = To the right, other threads draw more; upwards, a load takes longer.
figure-matrix = from each CPU to each: { $metric }
figure-matrix-note = On the same CPU { $same }, to another { $other }, each the median.
figure-effect = { $ratio } times as much ({ $low } to { $high })
figure-effect-none = the same ({ $low } to { $high } times)
figure-effect-unknown = cannot tell ({ $low } to { $high } times)
figure-effect-of = { $to } instead of { $from }: { $first } with { $at-first }, { $second } with { $at-second }.
figure-effects-apart = Both together: { $both }. Neither depends on the other: together they give the product of what each does alone, within { $margin }.
figure-effects-depend = Both together: { $both }. That is { $ratio } times what the two alone would give ({ $low } to { $high }): each depends on the other.
figure-effects-unknown = Both together: { $both }. Whether one depends on the other cannot be told: that is { $low } to { $high } times what the two alone would give.
figure-edge-processor = { $low } to { $high }: { $level } ends
figure-edge-claimed = { $low } to { $high }: { $level } ends, though it claims { $bytes }
figure-edge-untold = { $low } to { $high }: a cache or the TLB ends
figure-whose-processor = it is { $level }, of which a thread has { $bytes } by what the machine claims
figure-whose-claimed = by its place it is { $level }, though the machine claims { $bytes } of it for a thread
figure-whose-untold = it is no cache that the machine tells of; pages may have outgrown the TLB

# Charts of the whole run.
figure-place-memory = memory
figure-place-beyond = memory or a shared cache
figure-ladder = How long things take on this machine
figure-ladder-note = Each the least of its kind: a call or a wake-up as the cheapest case had it, of a disk the pattern whose median was lowest.
figure-ladder-ends = From { $first } to { $last } it is { $times } times as long.
figure-rungs = time, median
figure-rung-load = a load from { $place } ({ $size })
figure-rung-call = { $what }
figure-rung-handoff = waking a thread by { $what }
figure-rung-timer = a timer’s lateness, { $what }
figure-rung-disk = disk, { $what }
figure-roofline = What the processor can do with each byte
figure-intensity = operations for each byte
figure-roofline-ridge = Work that does less than { $ridge } operations with each byte from { $roof } waits for it.
figure-roofline-note = Peaks of { $type } precision with as many threads ({ $threads }) as the bandwidths, which are of { $operation }.

# Latency over time.
figure-latency-over-time = { $case }: latency over time
figure-latency-operations = operations
figure-latency-time = seconds from the start of the window
figure-latency-from = latency from
figure-latency-note = Each cell counts the operations that finished in that time with a latency from that of its row on, up to that of the row above. Where none did, there is no colour.
figure-latency-last = The last column covers { $last }, each of the others { $others }.
figure-latency-some = { $shown } of { $all } cases are drawn; the document has all.

# Heat.
figure-heat = { $case }: heat from rest to rest
figure-phase-idle = at rest
figure-phase-cool-down = cooling down
figure-rise = { $sensor }: { $before } at rest, { $most } at the most under load, { $rise } more.

# Message sizes.
figure-saturation = from { $size } on, time grows as the size does
figure-saturation-of = { $line }: from { $size } on
figure-saturation-note = Saturation point: { $size } ({ $low } to { $high }); from there on time grows as the size does.
figure-saturation-none = No saturation point lies within these sizes.
figure-saturation-half = Half of the greatest throughput is reached at { $size }.
figure-saturation-most = The greatest is { $rate }.
figure-signature-note = Each point is a message size; the curve takes off at the latency of the smallest.
figure-proofs = What was taken or given, and what it did: { $verdicts }
figure-proofs-note = In trials beside those of the case. The result is to follow what is named as the limit in proportion, and not what is not named; of twice as much at once nobody can say beforehand how much it gives.
proof-proved = proved
proof-refuted = refuted
proof-unproved = not proved
proof-named = named
proof-other = not named
proof-relief = more given
proof-taken =
    { PERCENT($taken) } less of { RESOURCE($resource) }{ $end ->
        [far] {" "}of { $machine }
       *[near] {""}
    }
proof-raised = { PERCENT($more) } more { $parameter }
proof-level = { $parameter } { $to } instead of { $from }
