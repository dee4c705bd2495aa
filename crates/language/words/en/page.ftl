## The page itself

page-skip = Skip to the text
page-contents = Contents
page-figure = Figure { $number }
page-data = Data
page-evidence = Evidence
page-untitled = Measurement
page-tile-what = what
page-tile-value = figure
page-tile-interval = 95 % interval
page-tile-against = limits and warnings
footer = Made by Headroom { $version } from run { $run }.
terminal-more = `{ $command }` also shows: { $sections }.
doctor-nothing = Nothing was found that would disturb a measurement.
doctor-no-errors = No errors were counted or logged since then.
doctor-sources =
    Parts here that count their errors: memory controllers (ECC) { $memory }, PCI Express functions { $links }, network adapters { $adapters }, drives { $drives }. Of a kind with 0, errors are not known. The kernel's log { $log ->
        [unread] cannot be read.
        [cut] reaches back no further than { SPAN($seconds) }.
       *[whole] covers all of that time.
    }
range = { $low } to { $high }
and-more = and { $count } more
yes = yes
no = no
cases =
    { $count ->
       [one] 1 case
    *[other] { $count } cases
    }
cases-of = { $count } of { $total } cases
trials =
    { $count ->
       [one] 1 trial
    *[other] { $count } trials
    }
warnings =
    { $count ->
       [one] 1 warning
    *[other] { $count } warnings
    }
errors =
    { $count ->
       [one] 1 error
    *[other] { $count } errors
    }
severity-error = error
severity-warning = warning
severity-note = note
kind-bottleneck = bottleneck
kind-proof = proof
kind-promise = promise

## In short

answer-title = In short
answer-question = The answer
answer-absorbs-yes = Yes
answer-absorbs-head = Only at first
answer-absorbs-no = No
answer-absorbs-elsewhere = Limited elsewhere
answer-absorbs-unknown = Cannot tell
answer-accepts-yes = Passed
answer-accepts-no = Failed
answer-fast = How fast
answer-limits = What limits
answer-room = Nearest limits
room-most =
    { $count ->
       [1] { $used }: { $case }
    *[other] { $used } ({ $count } of { $total } cases), highest: { $case }
    }
answer-promised = As promised
answer-health = Can it be trusted
answer-kept = Yes
answer-none-kept = No
answer-not-kept = Not all
answer-kept-none = No
answer-kept-unsure = Cannot tell
answer-kept-untested = Not tested
answer-promises-kept =
    { $kept ->
       [0] none of { $total } kept
    *[other] { $kept } of { $total } kept
    }
answer-promises-missed = { $count } not kept
answer-promises-unsure = { $count } cannot be told
answer-promises-untested = { $count } not tested
promise-column = promise
promise-column-value = promised
promise-column-case = held against
promise-column-measured = measured
promise-column-share = share
promise-column-verdict = verdict
promise-kept = kept
promise-short = not kept
promise-beyond = more than the drive has
promise-unsure = cannot tell
promise-untested = not tested
promise-least = at least { $value }
promise-most = at most { $value }
promise-of-sheet = { $promise } (datasheet)
promise-best-of = { $case }, the best of { $count }
promise-worst-of = { $case }, the worst of { $count }
promises-note = A promise is kept from 95 % of it on; where the interval has both sides of that, it cannot be told. Random figures are held against cases with at least 32 operations at once, sequential ones against blocks of at least 128 KiB and 4 MiB at once.
answer-promise-unknown = What was promised could not be held against any figure.
health-good = Yes
health-care = With care
health-bad = Not all of it
health-good-text = Nothing was found that casts doubt on the figures.
health-care-text =
    { $doubts ->
         [0] No warnings about the figures
       [one] 1 kind of warning about the figures
    *[other] { $doubts } kinds of warnings about the figures
    }, { $conditions ->
         [0] none about the state of the machine.
    *[other] { $conditions } about the state of the machine.
    }
health-bad-text =
    Some figures are not what they say: { $doubts ->
       [one] 1 kind of doubt about them
    *[other] { $doubts } kinds of doubts about them
    }, { $conditions ->
         [0] none about the state of the machine.
    *[other] { $conditions } about the state of the machine.
    }
ending-title = How it ended
ending-interrupted = The run was interrupted; what was finished is here.
ending-unfinished = The run is unfinished: still running, or killed. What was finished is here.
ending-budget = The budget ended the run before every case had all its trials.
ending-resumed = The run stopped on { $stopped } and was resumed on { $resumed }. Trials are compared within blocks, and no block reaches over the gap.
ending-resumed-killed = The run was cut off at some time after { $stopped } and was resumed on { $resumed }. Trials are compared within blocks, and no block reaches over the gap.
ending-no-trial = No trial was finished, so there is no figure.
ending-failed =
    { $count ->
       [one] 1 trial failed.
    *[other] { $count } trials failed.
    }
ending-skipped =
    { $count ->
       [one] 1 trial was skipped.
    *[other] { $count } trials were skipped.
    }

## Verdicts in a few words

verdict-one-core-full = one core is full
verdict-window-bound = the TCP window
verdict-sender-cpu = the sender's processor
verdict-receiver-cpu = the receiver's processor
verdict-reordering-bound = segments out of order
verdict-path-full = the path is full
verdict-loss-bound = packet loss
verdict-server-bound = the server
verdict-device-bound = the device
verdict-presenter-cpu-full = the processors of the node
verdict-presenter-device-bound = the device of the node
verdict-dirty-throttled = dirty throttling
verdict-round-trip-bound = the round-trip time
verdict-client-bound = the clients
verdict-server-cpu-bound = the database's processor time
verdict-lock-bound = locks
verdict-log-flush-bound = flushes of the log
verdict-page-read-bound = reads of pages
verdict-own-cores-full = the CPUs that it may run on are busy
verdict-interrupt-cpu-full = interrupts fill { $resource }
verdict-all-cores-full = all CPUs are busy
verdict-memory-bandwidth-full = memory bandwidth is full
verdict-memory-latency = each load waits for the one before it
verdict-threads-stopped = threads that are not let run
verdict-swap-bound = swapping
verdict-reclaim-bound = memory of the control group
verdict-device-full = { $resource } { verb-is } full
verdict-limit-reached = { $resource } give{ verb-s } all that { pronoun-it } can
verdict-link-full = { $resource } { verb-is } full
verdict-io-quota = a quota holds { $resource }
verdict-allowance-exceeded = the provider holds { $resource }
verdict-bucket-used-up = { $resource } { verb-is } metered: what was saved up is used
verdict-constant-limit = { $resource } { verb-is } held at a constant rate
verdict-credits-used-up = the CPU credits are used up
verdict-overloaded = asked for more than is done
verdict-clock-held = the clock of the processor
verdict-steal-bound = CPU time that the hypervisor takes
verdict-io-control = an I/O controller of control groups
verdict-copy-on-write = copy on write of { $resource }
verdict-cpu-quota = a CPU quota
verdict-scheduler-bound = what it measures: threads, timers or system calls
verdict-latency-bound = waiting for { $resource }
verdict-cannot-tell = unknown

## What limits, and what more would buy

conclusion-where =
    { $position ->
        [from] {" "}from { $place } on
        [at] {" "}at { $place }
       *[none] {""}
    }
conclusion-then =
    { $then ->
        [waits] ; more only makes { $counted ->
            [yes] them wait
           *[no] operations wait
        }
        [nothing] ; more adds nothing
        [little] ; more gives little more, and { $counted ->
            [yes] they wait long
           *[no] operations wait long
        }
        [tried] , the most that was tried
        [time] ; there was no time to look for more
       *[none] {""}
    }
conclusion-rate =
    { $what ->
        [reads] { $figure } reads a second
       *[writes] { $figure } writes a second
    }
conclusion-other = { $verdict }: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-cannot-tell = the limit is unknown: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-constant-limit = a constant limit of { $resource } that nothing tells of is the limit: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-bucket-used-up = what { $resource } had saved up is used, and its base rate of { SHORT($base, $unit) } is the limit; measured: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-credits-used-up = the CPU credits are used up, and the { FIXED($base, decimals: 1) } CPUs that the machine gets without them are the limit: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-overloaded = more is asked for than is done: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-clock-held = the clock of the processor, which is held low, is the limit: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-steal-bound = the CPU time that the hypervisor takes is the limit: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-threads-stopped = the threads are not let run all the time, and that is the limit: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-swap-bound = memory is the limit, because the machine swaps: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-reclaim-bound = the control group's memory is the limit, because its tasks wait for room in it: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-interrupt-cpu-full = { $resource }, which take{ verb-s } the interrupts, { verb-is } the limit: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-syncs =
    { $syncs ->
        [yes] ; { PERCENT($sync_share) } of the time is spent in syncs of { SHORT($sync_s, unit: "s") }
       *[no] {""}
    }
conclusion-device-full =
    { $resource }{ $others ->
        [yes] , of whose traffic at most half is the load's,
       *[no] {""}
    } { verb-is } the limit: { $rate }{ conclusion-where }{ conclusion-then }{ conclusion-syncs }
conclusion-limit-reached = { $resource } give{ verb-s } all that { pronoun-it } can: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-link-full = { $resource } { verb-is } the limit: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-io-quota = the quota on { $resource } is the limit: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-allowance-exceeded = what the provider allows { $resource } is the limit: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-io-control = an I/O controller of control groups is the limit: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-copy-on-write = copy on write of { $resource } is the limit: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-cpu-quota = the CPU quota is the limit: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-slowed =
    { $slowed ->
        [heat] , slowed down by heat
        [power] , slowed down by a limit of power
       *[no] {""}
    }
conclusion-one-core-full =
    { $threads ->
        [1] one core{ $client ->
            [yes] {" "}of the client is
           *[no] {" "}is
        }
       *[other] the cores of { $client ->
            [yes] the client's
           *[no] its
        } { FIXED($threads) } threads are
    } the limit{ conclusion-slowed }: { $rate }{ conclusion-where }{ conclusion-then }{ $spare ->
        [0] {""}
        [1] ; the machine has another one
       *[other] ; the machine has { $spare } others
    }
conclusion-own-cores-full =
    { $ours ->
        [yes] { $resource }, all that it may run on, { verb-is } the limit
       *[no] { $resource }, which it shares with others, { verb-is } the limit
    }{ conclusion-slowed }: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-all-cores-full =
    { $cpus ->
        [1] the only CPU is the limit
        [2] both CPUs are the limit
       *[other] all { FIXED($cpus) } CPUs are the limit
    }{ $shared ->
        [yes] , and others use part of them
       *[no] {""}
    }{ conclusion-slowed }: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-memory-bandwidth-full = memory bandwidth is the limit: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-memory-latency =
    { $memory ->
        [yes] how long memory takes to answer is the limit
       *[no] how long the cache takes to answer is the limit
    }: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-scheduler-bound = the wait that is measured is the limit: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-latency-bound =
    the wait for { $resource } is the limit: { $rate }, { $depth ->
        [1] one at a time
       *[other] { FIXED($depth) } at a time
    }, each of which takes { SHORT($latency_s, unit: "s") }{ conclusion-syncs }
conclusion-round-trip-bound =
    the way there and back is the limit: { $rate }, { $outstanding ->
        [1] one at a time
       *[other] { FIXED($outstanding) } at a time
    }, each answered after { SHORT($latency_s, unit: "s") }
conclusion-client-bound = the clients are the limit, not the server: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-server-cpu-bound =
    { $engine ->
        [library] the processor is the limit
       *[server] the server's processors are the limit
    }: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-lock-bound = locks are the limit: { $rate }{ conclusion-where }, and clients wait for one another{ conclusion-then }
conclusion-log-flush-bound = flushing the log is the limit: { $rate }{ conclusion-where }, and clients wait { PERCENT($share) } of the time for it{ conclusion-then }
conclusion-page-read-bound = reading pages is the limit: { $rate }{ conclusion-where }, and clients wait { PERCENT($share) } of the time for them{ conclusion-then }
conclusion-server-bound =
    the server is the limit: { $rate }{ $how ->
        [stream] , and the client waits for it { PERCENT($share) } of the time{ conclusion-then }
        [upload] , and the client waits { PERCENT($share) } of the time for it to take what is sent and to answer{ conclusion-then }
        [threads] , and each thread of { $machine } that answers computes { PERCENT($share) } of the time{ conclusion-then }
        [file] , and the other end waits { PERCENT($share) } of the time for its disk{ conclusion-then }
        [refused] , and it does not serve { PERCENT($share) } of the requests{ conclusion-then }
       *[requests] , { $outstanding ->
            [1] one at a time
           *[other] { FIXED($outstanding) } at a time
        }, each answered after { SHORT($latency_s, unit: "s") }, of which the network round trip takes { SHORT($rtt_s, unit: "s") }
    }
conclusion-device-bound = { $resource } { verb-is } the limit: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-presenter-cpu-full = the processors of { $machine }, which presents the disk, are the limit: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-presenter-device-bound = { $device } of { $machine }, which presents the disk, is the limit: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-dirty-throttled = { $resource } { verb-is } the limit, and the page cache is full of data that { pronoun-it } { verb-has } not yet taken: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-window-bound =
    { $which ->
        [receive] the receiver's window
        [congestion] the congestion window
       *[send] the sender's buffer
    } is the limit: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-sender-cpu = the sender's processor is the limit: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-receiver-cpu = the receiver's processor is the limit: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-reordering-bound = segments that overtake one another are the limit: { $rate }{ conclusion-where }, with { PERCENT($share) } out of order{ conclusion-then }
conclusion-path-full = the path to the other end is the limit: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-loss-bound =
    packet loss is the limit: { $rate }{ conclusion-where }, { $how ->
        [timeouts] as requests wait { PERCENT($share) } of the time until TCP sends again
        [datagrams] with { PERCENT($share) } of the datagrams lost
        [stalls] as the connection waits { PERCENT($share) } of the time or more until TCP sends again
        [answers] as requests wait { PERCENT($share) } of the time for answers that do not come
       *[segments] with { PERCENT($share) } of the segments lost
    }{ conclusion-then }
answer-gains = What more buys
gain-table = What would more buy?
gain-change = change
gain-predicted = predicted
gain-law = by
gain-measured = measured
gain-more =
    { $count ->
        [1] 1 more case has predictions.
       *[other] { $count } more cases have predictions.
    }
gain-fix =
    { $fix ->
        [more] { $to } instead of { $from }
        [window] { $known ->
            [yes] a window of { $to } instead of { $from }
           *[no] a window twice as large
        }
        [processor] twice the processor time
        [alone] { $resource } for itself
        [resource] { $resource } twice as fast
        [quota] twice the quota on { $resource }
       *[no-quota] no CPU quota
    }
gain-limit =
    { $bound ->
        [resource] { $limit } { verb-is } full
        [workers] its threads compute all the time
        [other-end] the threads of the other end compute all the time
       *[processors] all CPUs are busy
    }
gain-prediction =
    { $how ->
        [nothing] nothing{ $bound ->
            [none] {""}
           *[other] , for { gain-limit }
        }
       *[more] { $how ->
            [range] { $least } to { $times } times as much
            [likely] about { $times } times as much
           *[most] at most { $times } times as much
        }{ $bound ->
            [none] {""}
           *[other] ; then { gain-limit }
        }
    }
gain-tried = { $times } times ({ $low } to { $high })
gain-tried-alone = { $times } times
gain-line = { $change }: { $prediction }
gain-line-tried = { $change }: { $prediction }; measured { $measured }
gain-law-little = Little’s law
gain-law-utilization = utilization law
gain-law-window = window by round trip
gain-law-amdahl = Amdahl’s law
gain-law-other = a law that this version does not know
general-title = Notes that every run of this kind has ({ $count })
general-about = What holds of every such measurement on such a machine

## Headline figures

figures-title = Headline figures
figures-best = Each line is the best case of its kind; where working sets differ, of those with the largest.
figures-interval = { $range }, { $trials }
figures-of-limit = { $share } of { $resource } ({ $limit }, { $kind })
figures-of-promise = { $share } of the { $limit } promised
figures-of-datasheet = { $share } of the datasheet's { $limit }
figures-with-metric = { $figure } { $metric }
interval-wide = too wide to show
limit-link = link
limit-datasheet = datasheet
limit-promise = promise
limit-quota = quota
limit-measured = measured
limit-measured-low = measured too low
limit-hardware = hardware

## Findings

findings-title = Findings
findings-none = Nothing was found.
findings-bottlenecks = What holds the results back
findings-proofs = What was proved
findings-promises = Promises
findings-validity = What casts doubt on figures
findings-conditions = The state of the machine
findings-whole-run = the whole run
findings-all =
    { $count ->
       [2] both cases
    *[other] all { $count } cases
    }
findings-several = { $cases }, such as { $first }
findings-cases = Cases:
findings-evidence = Rests on:
findings-ruled-out = Ruled out:
findings-more =
    { $count ->
       [one] 1 more of this kind is left out here; the run document has it.
    *[other] { $count } more of this kind are left out here; the run document has them.
    }
condition-before = before the run
condition-after = after the run
condition-both = before and after the run

## The machine

machine-title = The machine
machine-picture = The machine: its parts and the links between them
machine-picture-path = The machine, and the path of { $case }: the case that fills most of a limit
machine-parts = Its parts
machine-no-cpu = unknown processor
machine-cpus =
    { $count ->
       [one] 1 CPU
    *[other] { $count } CPUs
    }
machine-cores =
    { $count ->
       [one] 1 core
    *[other] { $count } cores
    }
machine-threads =
    { $count ->
       [one] 1 thread
    *[other] { $count } threads
    }
machine-allowed = { $count } of them allowed
machine-guest = { $of } guest
machine-container = in { $of }
part-system = system
part-firmware = firmware
part-os = operating system
part-kernel = kernel
part-command-line = Kernel command line
part-guest = virtualization
part-clock = clock source
part-cpu = processor
part-caches = caches
part-rate = clock rate
part-rate-base = base { $rate }
part-turbo-on = turbo on
part-turbo-off = turbo off
part-microcode = microcode
part-flaws = mitigations
flaws-vulnerable = { $count } vulnerable
flaws-mitigated = { $count } mitigated
flaws-unknown = { $count } unknown
flaws-unaffected = { $count } not affected
part-memory = memory
part-memory-allowed = { $bytes } allowed
part-nodes = NUMA nodes
part-swap = swap
part-swap-used = { $bytes } used
part-huge-pages = transparent huge pages
part-quota = control group
part-quota-cpu = { $cpus } CPU seconds for each second
part-quota-io = I/O limits on { $devices }
part-accelerator = GPU, accelerator
part-disk = disk
part-disk-rotating = rotating
part-disk-firmware = firmware { $firmware }
part-disk-scheduler = scheduler { $scheduler }
part-nic = network
limits-title = What its parts can do at most
calibration-title = What measuring itself costs
calibration-about = Measured by the agent before the run
quantity-cpu = CPU time
access-sequential = sequential
access-random = random
direction-read = read
direction-write = write
limit-usual = { $least } to { $most }
limit-usual-way = { $way }: { $range }
limit-with-usual = { $kind }, usually { $range }
column-resource = resource
column-limit-of = limit of
column-line = line
column-effective = effective
column-usual = usual
column-kind = kind
column-source = known from
column-what = what
column-result = result
column-how = how

## Workloads

whole-title = The machine at a glance
workloads-title = What was measured
workloads-constant = The same in all cases:
workloads-with = With
workloads-table =
    { $count ->
       [one] The case
    *[other] All { $count } cases
    }
case-defaults = at its defaults
case-beside = beside it, { $workload }: { $metric }
case-of-limit = { $share } of { $resource }
column-case = case
column-interval = 95 % interval
column-n = trials
column-limit = share of a limit

## Time and tables

heat-title = Temperature, clock and power: idle, load
heat-about = Idle is the last third of the idle before the load, load the last third of the window; a temperature is steady when it stays within 1 K or 10 % of its rise.
heat-sensor = sensor
heat-idle = idle
heat-load = load
heat-rise = rise
heat-peak = highest
heat-steady = steady after
heat-half = half cooled after
heat-not-steady = not steady
heat-clock = clock
heat-first = load, first third
heat-last = load, last third
heat-power = power
heat-energy = energy of one operation
time-title = Over time
time-about = What the samplers saw, on one clock; the window that counts is marked.
tables-title = Every number
tables-of = { $workload }: all estimates of every case
tables-trials = All trials, in the order in which they ran
tables-failed = Trials that gave no figure
tables-rest = Samples, counters, distributions and the metrics of each trial are in the run document:
column-metric = metric
column-median = median
column-low = low
column-high = high
column-better = better
column-method = interval by
column-order = order
column-status = status
column-figure = figure
column-settled = settled
column-started = started
better-higher = higher
better-lower = lower
status-ok = ok
status-failed = failed
status-skipped = skipped

## Method

method-title = Method
method-about = Every case is measured several times; the figure is the median of its trials, and the interval says how far it may be off.
method-trials = trials
method-trials-text = { $trials } of each of { $cases }
method-order = order
method-order-text = complete blocks, shuffled within; seed { $seed }
method-order-ramp = in each block from the lowest rate on, until the load breaks
method-window = window
method-warm-up = warm-up
method-intervals = intervals
method-student-t-log = 95 %, Student's t of the logarithms
method-student-t = 95 %, Student's t
method-order-statistic-interpolated = 95 %, order statistics, interpolated
method-none = none with fewer than two trials
method-percentiles = percentiles
method-percentiles-text = of the histograms of all trials merged, the greatest value too
method-steady = steady state
method-steady-text = { $settled } of { $judged } trials settled within the first half of their window (MSER-5)
method-unjudged-short = { $count ->
    [one] 1 trial was not judged: its window has { $intervals } intervals, and { $needed } are needed
   *[other] { $count } trials were not judged: their windows have at most { $intervals } intervals, and { $needed } are needed
}
method-unjudged-rate = { $count ->
    [one] 1 trial was not judged: its operations start at a set rate
   *[other] { $count } trials were not judged: their operations start at a set rate
}
method-unjudged-count = { $count ->
    [one] 1 trial was not judged: a number of operations ended it
   *[other] { $count } trials were not judged: a number of operations ended them
}
method-placement = placement
pin-auto = on the CPUs that take the resource's interrupts, or else one worker on each CPU
pin-local = on the CPUs that take the resource's interrupts
pin-remote = away from the CPUs that take the resource's interrupts
pin-spread = one worker on each CPU
pin-none = wherever the kernel puts them
pin-cpus = on CPU { $cpus }, in turn
method-observer = cost of watching
method-observer-text = { $share } of one CPU
method-precision = precision wanted
method-budget = budget
method-settings = settings
method-setting-text = { $name } of { $resource }: { $before } before, { $levels } as read back after the change
method-setting-refused = { $name }: { $levels } was refused
method-bytes = bytes
method-bytes-text = decimal: 1 MB/s is 1,000,000 bytes per second; sizes of blocks and memory are binary: 1 KiB is 1024 bytes. Memory throughput counts what the program moves: a copied byte is read and written, so it counts twice.
method-bits = bits
method-bits-text = decimal: 1 Mbit/s is 1,000,000 bits per second, which is 125,000 bytes. What a network carried is payload; headers come on top.
method-started = started
method-finished = finished
method-run = run
method-version = measured by
method-origin = figures from
method-analysis = version of the analysis
method-notes = What the study was written for, and what differs here
method-again = To do it again
method-study = The study as it was read

## References and price

references-title = References
price-title = Price
price-text = The price, as the study has it: { $price }.
price-unclear = It may be read in more than one way, so nothing is divided by it.
price-none = That is not a price, so nothing is divided by it.
price-per = for each { $currency }
price-unit = unit of price
price-cost = cost
price-for = { $money } for each { $unit }
price-capacity = usable capacity

## Resources, as people call them

resource-array = array { $name }
resource-block = disk { $name }
resource-blocks = disks { $name }
resource-cgroup-cpu = CPU quota of the control group
resource-cgroup-memory = memory limit of the control group
resource-cpu = CPU { $name }
resource-cpus = all CPUs
resource-cpus-some = CPUs { $name }
resource-device = device { $name }
resource-dmi = DMI link
resource-filesystem = file system { $name }
resource-load = the load
resource-memory = memory
resource-page-cache = page cache
resource-server = server { $name }
resource-nic = network interface { $name }
resource-pci = PCIe link { $name }
resource-sata = SATA link { $name }
resource-sas = SAS link { $name }
resource-usb = USB link { $name }
resource-self = Headroom itself
resource-system = the system

## Remarks

remark-of-case = { $case }: { $text }
remark-sentence = { $text }.
remark-more = (and { $count } more)
remark-rounds = { $verdict }; a round was { $length }
remark-rounds-written = { $verdict }; a round was { $length }; { $before } were written before the first and { $all } by all rounds
rounds-steady = steady after { $rounds } rounds: range { PERCENT($range) }, slope { PERCENT($slope) }
rounds-unsteady = never steady in { $rounds } rounds: range { PERCENT($range) }, slope { PERCENT($slope) }
rounds-few = { $rounds ->
    [one] one round is too few to judge
   *[other] { $rounds } rounds are too few to judge
 }
rounds-failed = round { $round } failed: { $reason }
remark-durable = { $returned } until the last write returned, { $durable } until all was on the device
remark-durable-cached = { $returned } until the last write returned, when { PERCENT($share) } of the bytes were only in memory; { $durable } until all was on the device
remark-targets = { $count } targets together { $together }; least { $least } with { $least_value }, most { $most } with { $most_value }.
remark-targets-each = { $count } targets; least { $least } with { $least_value }, most { $most } with { $most_value }.
remark-targets-done = The first was done after { $first }, the last after { $last }.
remark-verified = { $blocks } blocks were read back around the page cache{ $trials ->
    [one] {""}
   *[other] , in { $trials } trials together
 }; none was wrong
remark-verified-cached = { $blocks } blocks were read back through the page cache, which was dropped before{ $trials ->
    [one] {""}
   *[other] , in { $trials } trials together
 }; none was wrong
remark-recorded-no-latencies = The recording does not say how long operations took, as no iolog of fio does: of the recorded device that is not known, and nothing is compared with it.
remark-recorded-no-ends = The recording has no operation that was seen to end: how long they took on the recorded device is not known, and nothing is compared with it.
remark-full = { $bytes } fitted until no space was left
remark-not-full = { $bytes } were written until the size was reached, before no space was left
remark-capacity =
    { $parameter } searched over { $tried } values up to { $highest }: { $rate } at { $best }; { $knee } gives { PERCENT($share) } of
    it{ $timed ->
        [no] {""}
       *[other] , where half of the operations take up to { $latency } instead of { $alone } alone
    }
remark-capacity-waits = . Operations that arrive at random, as independent users send them: { PERCENT($percent) } are done within { $list }
remark-capacity-at = { $latency } at { PERCENT($share) } of that rate
remark-capacity-beyond = { PERCENT($share) } of that rate was not kept
remark-commit = a commit, { $writes ->
    [one] one write
   *[other] { $writes } writes
 } and the sync, takes { $time } on average; the latency is that of a write alone
class-read = reads
class-write = writes
class-trim = trims
class-sync = syncs
phase-create = create
phase-stat = stat
phase-open = open
phase-rename = rename
phase-list = list
phase-unlink = unlink
phase-before = before
phase-degraded = degraded
phase-during = resync
phase-after = after
part-durable = until on the device
targets-table = Each target
column-target = target
column-share = share of all

## What each layer of a stack costs

waterfall-title = What each layer costs
waterfall-table = The same load at each layer of the stack, from the ground up
waterfall-reasons = What the rest of the machine did, and what was full
waterfall-layer = layer
waterfall-beside = CPU time of the rest of the machine, per operation
waterfall-threads = threads of the kernel in it
waterfall-cost = rate against the layer below
waterfall-read = Each layer is made anew for its own trials, of the same size as the others. The last column is the ratio to the layer below with its interval of { $percent } %; where it spans 0 % (1.00 x), the trials do not tell that the layer costs anything. CPU time per operation is that of the threads of the load. That of the rest of the machine is all that its CPUs did beside our process: threads of the kernel, interrupts, and any other programs that ran meanwhile. Work of the kernel's queues is told by the queue that stood in the name of the kworker thread at each look, about once a second.

making-title = Times of making
making-table = How long it took to make { $stack }
making-step = step
making-median = time
making-range = least to most
making-times = times made
making-step-loop-device = files and loop devices
making-step-initial-sync = first synchronisation
making-sync = The first synchronisation of the array ran at { $rate } for each member.
making-sync-limit = { making-sync } md allows { $limit } (sync_speed_max): it was { $share } % of that.
making-step-zram-device = zram devices
making-step-first-tags = first tags
making-step-modules = kernel modules
making-step-network = network namespace
making-step-target = target or server
making-step-session = session of the client
making-step-nfs-grace-period = grace period of the NFS server
making-read = Each step is a program that was run, from its start to its end, to within a millisecond or 5 %. Of a step that is done for each member, the times are added. Where a stack was made several times, the time is the median.

## Over time, as a reader asks

over-time-runs =
    { $count ->
        [one] One run over time
       *[other] { $count } runs over time
    }
over-time-without = Not drawn, for nothing like it was sampled: { $runs }.
