### The picture of a machine. Most of these stand on narrow cards: short words.

## How parts of a text are put together

picture-list = { $first }, { $next }
picture-named = { $name }: { $what }
picture-sentence = { $text }.
picture-more = and { $count } more
picture-names-more = { $names } and { $count } more
picture-range = { $low } to { $high }

## Above the picture, and its title

picture-nameless = A machine without a name
picture-virtual-machine = virtual machine ({ $host })
picture-in-container = in { $container }
picture-path-of = The path of { $case }
picture-title = { $name }: its parts and the links between them
picture-title-of-case = { $name }: what { $case } passes, and how full it is

## Below it

picture-legend-width = Width of a line: bandwidth in GB/s
picture-legend-share = Share of its limit in use
picture-legend-full = 95 %: full
picture-highest = { $share }, highest

## Parts of the picture

picture-across = Across several of the above
picture-place-unknown = At a place that the machine does not tell
picture-more-packages = and { $count } more CPU packages

## Processors and memory

picture-cpus = { $count ->
        [1] 1 CPU
       *[other] { $count } CPUs
    }
picture-cores = { $count ->
        [1] 1 core
       *[other] { $count } cores
    }
picture-threads = { $count ->
        [1] 1 thread
       *[other] { $count } threads
    }
picture-package = package { $id }
picture-numa-node = NUMA node { $node }
picture-numa-nodes = NUMA nodes { $first } to { $last }
picture-numa-count = { $count } NUMA nodes
picture-numa-distance = distance to others { $distance }
picture-no-cpus = no CPUs
picture-cpu-quota = held to { $cpus } CPUs by a quota
picture-nothing-known = nothing is known of it
picture-memory = { $size } memory
picture-memory-limit = held to { $size } by a control group
picture-modules = { $count ->
        [1] 1 module
       *[other] { $count } modules
    }
picture-slots = { $used } of { $slots } slots
picture-in-all-packages = { $modules } in all packages
picture-all-packages = all packages together

## Links

picture-each = { $rate } each
picture-effective = effective { $rate }
picture-measured = measured { $rate }
picture-datasheet = datasheet { $rate }
picture-promised = promised { $rate }
picture-held-to = held to { $rate }
picture-read = read { $rate }
picture-write = write { $rate }
picture-lanes = { $lanes } of { $most }
picture-channels = { $count ->
        [1] 1 channel { $memory }
       *[other] { $count } channels { $memory }
    }
picture-socket-link = socket link
picture-rate-unknown = rate unknown
picture-one-link = one link for all functions

## Chipsets, bridges, cards

picture-chipset = Chipset
picture-intel-chipset = Intel { $name } chipset
picture-pcie-switch = PCIe switch
picture-pcie-port = PCIe port
picture-pci-bridge = PCI bridge
picture-pci-device = PCI device
picture-attached = on { $what }

## Disks

picture-disk = disk
picture-hard-disk = hard disk
picture-ssd = SSD
picture-optical-drive = optical drive
picture-card = eMMC or SD card
picture-loop-device = loop device
picture-compressed-memory = compressed memory
picture-memory-as-disk = memory as a disk
picture-array = array
picture-mapping = mapping
picture-block-device = block device
picture-device-on-file = { $device } on { $file }

## What stands on disks

picture-level = { $level } of { $members }
picture-level-degraded = { $level } of { $members }, { $missing } missing
picture-swap = swap
picture-file-system = file system
picture-on = on { $what }
picture-mounted = on { $points }
picture-mounted-as = { $system } on { $points }

## Networks

picture-network = network
picture-network-of = { $bus } network
picture-network-on-board = network on the board
picture-driver = driver { $driver }
picture-no-link = no link
picture-half-duplex = half duplex
picture-interface-bond = bond
picture-interface-bridge = bridge
picture-interface-ethernet = ethernet
picture-interface-vlan = vlan

## The picture in sentences

picture-said-more = { $first }; { $next }
picture-said-at = { $card } at { $above }
picture-said-at-by = { $card } at { $above } by { $link }
picture-said-out = { $link } to the network
picture-said-on = on it { $what }
picture-said-on-mounted = on it { $what } { $mount }
picture-share-of = { $share } of { $limit }
