# Titles of charts.
figure-over = { $metric } over { $factor }
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

# Workloads, and words that stand for values of their parameters.
workload-title-cpu-primes = Processor
workload-title-memory-bandwidth = Memory bandwidth
workload-title-disk = Disk
workload-title-null = Nothing (the engine itself)
level-pattern-read = sequential read
level-pattern-write = sequential write
level-pattern-randread = random read
level-pattern-randwrite = random write
level-operation-read = read
level-operation-write = write
level-operation-copy = copy
level-size-l1 = L1 cache
level-size-l2 = L2 cache
level-size-l3 = L3 cache
level-size-dram = main memory
level-threads-all = all CPUs

# What figures are held against.
figure-ideal = ideal
figure-measured = measured
figure-ideal-at = ideal: { $value }
figure-ideal-note = Ideal is the rate at the fewest threads times as many, up to the number of CPUs.
figure-knee = from here, doubling adds less than { PERCENT($gain) }
figure-knee-of = { $line }: from here, doubling adds less than { PERCENT($gain) }
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

# Resources.
figure-resource-cpu = CPU { $name }
figure-resource-memory = memory { $name }
figure-resource-block = disk { $name }
figure-resource-filesystem = file system { $name }
figure-resource-nic = network { $name }
figure-resource-pci = PCIe link { $name }
figure-resource-sata = SATA link { $name }
figure-resource-dmi = link to the chipset { $name }
figure-resource-sensor = { $name }
figure-resource-power = { $name }

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
figure-samples-flat = Not drawn, for they stayed at zero or did not move: { $panels }.
figure-samples-more = Not drawn, for want of room: { $panels }.
figure-samples-left = Samples of { $count } further workloads are in the document only.
figure-order-note = If the machine changed while it was measured, the points drift or jump here.
figure-order-dot = { $block }: { $case }
figure-order-names = The number before a name is the block, a round through the cases.
figure-order-groups = { $all } trials in groups of neighbours: each median with the least and the greatest.

# Panels of samples and their tracks.
figure-beside = beside it: { $workload }
figure-panel-of = { $panel }: { $resource }
figure-panel-disk = disk throughput
figure-panel-in-flight = requests in flight
figure-panel-network = network throughput
figure-panel-retransmissions = TCP losses
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
