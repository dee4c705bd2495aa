### A machine that is watched while others use it.

## The first line

watch-nearest =
    { $resource }: { $state ->
        [full] full, with { $share } of { $what }
        [idle] { $share } of { $what }; hardly used
       *[some] { $share } of { $what }; about { $more } times this load until it is full
    }{ $latency ->
        [yes] , first by latency
       *[no] {""}
    }
watch-also-full = {"; "}also full: { $names }
watch-also-unknown = {"; "}what { $names } could do is unknown
watch-silent = {"; "}{ $names } does not answer
watch-nearest-memory = { $resource }: { $share } in use, { $left } left
watch-nothing = Of nothing that is used a limit is known.
watch-unknown-wait =
    { $resource }: tasks wait for disks { PERCENT($waits) } of the time, and what it gives at mixes like this is unknown{ $study ->
        [none] {""}
       *[some] ; this measures it: { $study }
    }
watch-starting = The first figures come in a moment.

## Of what

watch-of-mixes = what it gave at mixes like this
watch-of-goodput = what it carried in a run
watch-of-syncs = the flushes that a run got by syncing
watch-of-link = what its link carries
watch-of-datasheet = what its datasheet promises
watch-of-quota = what it may ({ $source })
watch-of-cpus =
    { $count ->
        [one] the only one
       *[other] all { $count }
    }
watch-of-memory = memory

## Where a limit is from

watch-from-mixes =
    { $age ->
        [unknown] measured
       *[known] measured { $age } ago
    }: { $mixes }; { $shallow ->
        [yes] it may give more with more than { $knee } in flight
       *[no] full from { $knee } in flight
    }
watch-from-goodput =
    { $age ->
        [unknown] measured
       *[known] measured { $age } ago
    }
watch-from-hardware = what there is
watch-unknown = unknown
watch-study = unknown; this measures it: { $study }
watch-mix-random = { $size } random, { PERCENT($reads) } reads
watch-mix-sequential = { $size } in order, { PERCENT($reads) } reads

## Resources

watch-group = control group { $name }
watch-group-device = control group { $name } on { $device }
watch-cpu-detail =
    { FIXED($busy, decimals: 2) } of { $online } busy, the busiest { PERCENT($busiest) }{ $stolen ->
        [0] {""}
       *[other] , { FIXED($stolen, decimals: 2) } stolen
    }
watch-disk-detail = read { $reads }, { $read }, { $readtime }; write { $writes }, { $written }, { $writetime }; { FIXED($depth, decimals: 1) } in flight
watch-nic-detail =
    in { $in }, { $packetsin }; out { $out }, { $packetsout }; packets of { $size } bytes{ $dropped ->
        [0] {""}
       *[other] ; { $dropped } dropped
    }
watch-memory-traffic = memory bandwidth
watch-memory-detail =
    { $used } of { $total }{ $swapped ->
        [0] {""}
       *[other] ; { $swapped } swapped
    }{ $traffic ->
        [none] {"; "}no counter of its bandwidth
       *[some] {""}
    }
watch-group-detail =
    { $cpu ->
        [unknown] CPU time not counted
       *[other] { FIXED($cpu, decimals: 2) } CPUs
    }{ $stopped ->
        [unknown] {""}
       *[other] , stopped in { PERCENT($stopped) } of its periods
    }
watch-phases =
    { $class ->
        [read] reads
        [write] writes
       *[other] discards and the like
    }: { $driver } until the driver had them, of it { $request } for a request, then { $device } at the device, 1 in 100 more than { $slow }
watch-group-device-detail = read { $reads }, { $read }; write { $writes }, { $written }

## The screen

watch-column-resource = resource
watch-column-share = used
watch-column-now = now
watch-column-limit = limit
watch-column-process = process
watch-column-cpu = CPU
watch-pressure = Tasks waited: CPU { PERCENT($cpu) }, memory { PERCENT($memory) }, disks { PERCENT($io) }
watch-cost = Watching takes { $cost } of a CPU
watch-cost-traced = Watching and tracing take { $cost } of a CPU; events at { $events } also take time of who does I/O
watch-trace-broken = The trace has broken off: { $why }
watch-paused = paused
watch-keys = q quit  space pause  s sort processes  arrows scroll
watch-keys-short = q quit  space pause  s sort
watch-verdict = Verdict: { $text }
watch-no-verdict = Verdict: nothing is seen that holds anything back
watch-window = over { $seconds } s
watch-small = The terminal is too small: it needs 40 columns and 8 lines.
