//! What each verdict means, for who reads it: its conditions with their numbers.

/// What each verdict means.
pub(crate) const CODES: &[(&str, &str)] = &[
    (
        "cpu-quota",
        "The control group's CPU quota stopped our threads for at least 2 % of the window (nr_throttled and its time in \
         cpu.stat).",
    ),
    (
        "io-quota",
        "The rate is at least 95 % of what a control group's throttle, a queueing discipline, or who rents the machine out \
         allows the resource. Of what is rented out this is said of the most that is published, where nobody counts what was \
         held back; a baseline is never named, for who has credits passes it. Of a queueing discipline also where what leaves by \
         its interface, by the interface's own count, is at least 98 % of what payload may have there, and a tenth of it or more \
         is not the load's payload: others share the rate, or what was dropped is sent again. Of a throttle of a device also where \
         all that passes uses it up and three quarters of what the load has under way wait before they come to the device: others \
         of the group have the rest. A window of few operations counts with one more.",
    ),
    (
        "io-control",
        "A controller of control groups is at work on the device that has no rate to be read (io.cost, or io.latency of a group beside \
         ours), and three quarters or more of what the load has under way are neither at the device, by its own count, nor with a thread \
         that computes; where the kernel counts how long a group waited for io.cost, that is at least half of it.",
    ),
    (
        "allowance-exceeded",
        "In at least half of the trials a counter of what the provider held back grew so far that it is felt: at either end \
         by one in a thousand of the packets of the interface that the data passed, its way (`bw_in_allowance_exceeded` and \
         its like of the ENA driver), or by 5 % of the time in which a volume of EBS was asked for more than it, or the \
         instance, may have.",
    ),
    (
        "credits-used-up",
        "The CPU time that the machine had fell from one level to another at once and stayed there while the hypervisor \
         took as much more (steal): a burstable machine whose CPU credits are used up.",
    ),
    (
        "steal-bound",
        "The hypervisor took at least a fifth of the CPU time that the threads of an end wanted (steal), and what they computed \
         and what was taken from them are at least 85 % of what the CPUs that they may use have. Of stolen time the load has \
         the part that it has of what was computed. A link, a limit or memory that is full has the name before it.",
    ),
    (
        "threads-stopped",
        "The threads of a load that waits for processors and memory alone neither computed nor stood ready without a CPU for at \
         least a fifth of the time, beside what the hypervisor and interrupts took of all CPUs, while no quota is known to stop \
         them, less than 1 MB/s was swapped and the control group's memory was not full: a signal, a frozen group, or a quota \
         that cannot be seen from here.",
    ),
    (
        "bucket-used-up",
        "The rate of a device or a network fell from one level to another at once and stayed there, level to 1 % (of \
         writes to 0.5 %, and the higher one too), while the workers were idle and the hypervisor took less than a tenth of \
         what was lost: a token bucket. What was in it is what passed above the lower rate; how much it holds is known only \
         where it rested for as long as it takes to fill: no case of the run used it meanwhile.",
    ),
    (
        "constant-limit",
        "A rate that a clock meters, of unknown origin. Of a device that more depth does not make faster: the same \
         operations per second for sizes that differ four times or more, the same bytes per second for 16 KiB and sixteen \
         times as much, the same rate one at a time and several though the device has pauses, or reads that end more \
         regularly than their latencies allow. Of a stream that waits for its path: the same rate for four times as many \
         streams, or one that is flat with a queue before it. All to 1 %, with no known link, CPU or device limit within \
         10 %.",
    ),
    (
        "link-full",
        "The rate times the path's amplification is at least 95 % of the most that payload usually gets of a link (PCIe, \
         SATA, USB, network), or, where nobody says what is usual, of what it can get (DMI). \
         Of an interface also where as much passes it, by its own count, and a tenth of it or more is not the load's. Of UDP \
         that is never said: datagrams that are lost behind it, and all heads, are in its count and are the load's own. Of a \
         PCI Express link that was seen at a lower speed than both its ends can also where that share is of what it can then.",
    ),
    (
        "limit-reached",
        "The rate is at least 95 % of what is known that a resource of the load's own area can do; the run says from where.",
    ),
    (
        "memory-bandwidth-full",
        "The bytes on the memory bus, estimated, are at least 95 % of what copying with all CPUs reached before the run; or \
         at least 80 % where a thread on each core does nothing but move what no cache holds. Not where the same work by at most half the threads \
         shows that those added surely bring three quarters of their share or more: then the cores are what is full.",
    ),
    (
        "swap-bound",
        "The machine swapped at least 1 MB/s in the window, and each thread waited for at least half of it for swapped pages or \
         for memory to be made free (delay accounting); or, where nobody accounts for that, all tasks of our own control group \
         that were not idle stood still for memory for half of it (pressure); or, of a load that waits for processors and memory \
         alone, its threads neither computed outside of the kernel nor stood ready without a CPU for half of it. The pressure of \
         other groups, or of the whole machine, blames nobody: it may be another program's.",
    ),
    (
        "reclaim-bound",
        "All tasks of our own control group that were not idle stood still for memory for at least half of the window (its pressure), \
         while its limit, or that of a group above it, left at most a tenth of what it allows, and less than 1 MB/s was swapped: the \
         kernel gave up pages of files, or let tasks sleep that were above memory.high. Of a group of version 1, which has no \
         pressure: the threads of a load that writes through the page cache and syncs nothing, all of them together, neither \
         computed nor stood ready without a CPU for half of it, while the machine slowed no writer down. Of a load that reads through \
         the page cache and waits for half of its time or more: at least half of what the device delivers had been in memory before \
         (workingset_refault_file of the group), while its limit left at most a tenth, and the machine has memory for all that is read.",
    ),
    (
        "memory-latency",
        "Each load of a dependent chase waits for the one before it: how long memory, or a cache, takes to answer is all \
         that counts. Not where its threads, of which there are no more than CPUs, stand ready without one for a quarter of the \
         time, and CPUs are full.",
    ),
    (
        "scheduler-bound",
        "What the load waits for is what it measures: its threads for one another, a timer for the clock, or a call for \
         the kernel's answer.",
    ),
    (
        "one-core-full",
        "The threads of the load compute at least 95 % of the time, and there are more CPUs than threads; or at least 80 % of it while \
         they lack all the rest to the hypervisor (steal) or stand ready without a CPU; or one thread and \
         the kernel's workers that do its operations fill a CPU together, or take turns without a pause.",
    ),
    (
        "own-cores-full",
        "The CPUs that the load is pinned to, or that its affinity allows, are busy at least 95 % of the time: a good part of it \
         with its own threads, the rest with other programs, with the kernel, or with the loads beside it.",
    ),
    (
        "all-cores-full",
        "All CPUs together are busy at least 95 % of the time; or 85 %, while the threads of the load stand ready without a CPU for \
         a quarter of it.",
    ),
    (
        "clock-held",
        "Cores are full (see `one-core-full`, `own-cores-full`, `all-cores-full`), and their clock was seen at nine tenths or less of what it \
         could be: at what policy allows, of what the hardware has (scaling_max_freq); under a governor that keeps one clock \
         (powersave, userspace; not of drivers that choose by themselves), or while the processor counted that it slowed itself down in \
         half of the trials or more, of the guaranteed rate. Where nobody sees the clock, the cores have the name.",
    ),
    (
        "interrupt-cpu-full",
        "Of a load with several operations under way that is no stream: a CPU that took at least half of the interrupts of what \
         is driven is at least 95 % busy, half of that or more are interrupts and softirq, nine tenths with what the load's threads \
         compute, and no other CPU has more of them. Counts are since boot: a CPU that took fewer of them is not blamed.",
    ),
    (
        "device-full",
        "Twice the depth adds less than 5 % to the rate (surely less than 20 %, by the trials' own spread) while latency \
         grows at least 1.7 times; or the device gives 95 % \
         of its datasheet. With a block trace it is decided where those wait that the depth adds: at the device, or in a \
         mapping or an array above it; or in the host, while the device has all that it takes at once (the tags of its \
         hardware queues, the commands of a SCSI disk), or gave as much to a case of which it had fewer. Not where they wait \
         above the block layer, or where by its counters it has at most half of what the load has under way, and no more of it at \
         the greater depth. The time that a device was not idle (`%util`) is never evidence.",
    ),
    (
        "device-pushes-back",
        "By the block trace of trials beside these, the driver gave back undone at least 5 % of the requests that it was \
         given (requeue): they were more than the device takes.",
    ),
    (
        "host-queue",
        "By the block trace of trials beside these, requests of a load past the page cache wait in the host before the driver has \
         them (in an I/O scheduler, or for one of the requests that the kernel allots): what a greater depth adds that gives no \
         more, or half of what the load waits for an operation. Where those who send wait for a request at least half of the \
         time, what they keep back above the block layer counts with it. Not where the device has all that it takes at once, where it gave \
         as much when it had fewer, or where a greater depth surely gives more. Without a trace: a device has three quarters or more of the \
         requests that the kernel allots it (nr_requests), by its own count, these are less than three quarters of what it takes, and the load \
         has 1.5 times as many under way or more; or throttling of writeback (wbt_lat_usec) was given a latency shorter than the kernel's own \
         and than a write takes, and hardly one write is at the device at once, where a writer into the page cache would wait for it.",
    ),
    (
        "kernel-work-full",
        "Of a load that passes an array, a mapping or a loop device: the CPUs that unbound work of the kernel may run on \
         (`/sys/devices/virtual/workqueue/cpumask`) are busy at least 95 % of the time, and a third of that or more, and no \
         less than the load's own process has, is work for one of these devices, by the names of threads and queues: \
         encryption, or what a loop device does.",
    ),
    (
        "kernel-thread-full",
        "Of a load that passes an array, a mapping or a loop device: one thread of the kernel that is called by one of these \
         computes at least 95 % of the time. An array's own thread computes all of its parity where `group_thread_cnt` is 0.",
    ),
    (
        "slow-member",
        "Operations of one member of an array or a mapping take at least three times as long as those of the others (the \
         median), though it moves about as many bytes; and at least half of all that members have under way are there. Or at \
         least 1.5 times as long, where it has one under way all the time and the others have none for a third of it. It is \
         the slowest in most trials.",
    ),
    (
        "parity-rewrite",
        "The load only writes, and the members of an array with parity read at least 0.2 bytes for each byte written: writes \
         of less than a stripe wait until old data or parity is read (read-modify-write).",
    ),
    (
        "copy-on-write",
        "The load only writes, to a volume that shares its blocks with a snapshot (LVM), and at least 0.2 bytes are read below it for each byte \
         written: a block is copied before the first write to it.",
    ),
    (
        "journal-flush",
        "A load on files that syncs: at least half of the time a flush of a device below the file system is under way, or, \
         where the device has such writes, a write through its cache with which a commit ends (FUA; as many as flushes, each as \
         long as its writes take in the mean); and at least half as much as the load writes is written beside it.",
    ),
    (
        "presenter-cpu-full",
        "Of a disk that a node presents: all CPUs of the node together were busy at least 95 % of the window, by its own count; or \
         one thread of its kernel computed at least 95 % of it. Not where the node is under the kernel of the load.",
    ),
    (
        "presenter-device-bound",
        "Of a disk that a node presents, driven past the page cache: at least half of the operations that the load had under way \
         (rate times mean latency) were at the highest device of the node (its time of reads and writes in each second), \
         and neither its processors nor a link was full.",
    ),
    (
        "latency-bound",
        "Nothing on the path is full: the load waits for its own operations, one at a time or as many as its depth, and \
         a greater depth gives more. Of a stack the device is named that has half of what is under way or more, also where that is \
         a mapping or an array which keeps it from the devices below; flushes of a device are named where one is under way half \
         of the time.",
    ),
    (
        "path-full",
        "For half of the window or more a TCP stream waited for the path, no processor of either end was more than 80 % busy and \
         no window was full; and either the round trip was at least 1.5 times the least, so that a queue stood on the way, \
         or the sender was under BBR, which keeps none and paces by what arrives. Not while the rate still grows at the end of the \
         window, nor where a tenth of the segments overtake others, for a queue keeps their order. Nothing known is full: what \
         sets the rate is on the way.",
    ),
    (
        "loss-bound",
        "At least one in a thousand segments was lost (sent again, and not reported as a duplicate by the other end; under \
         BBR one in twenty), and for half of the window or more the connection waited for the path, while no processor of \
         either end was full and no queue stood on the way; where the way is so short that this loss would allow ten times \
         as much, timeouts of the sender's kernel, of 200 ms each at least, are half of the window or more. Of requests that \
         wait for answers: half of their time or more are those that took 200 ms or longer, the least after which TCP sends \
         again, and there were at least half as many timeouts (TCPTimeouts, TCPLossProbes), or a \
         quarter where the other kernel is not seen; by datagrams, half of their time \
         or more is left of what those that were answered took, and at least half of that is explained by those that were \
         lost, each of which is given up after a second. Of datagrams: half of those that were sent or more did not arrive, \
         or 1 % or more of a rate that was sent as asked, and sockets of the receiver, which count them, dropped less than \
         half as large a share of what came to them.",
    ),
    (
        "reordering-bound",
        "At least one in a hundred segments of a TCP stream came before its turn (TCPOFOQueue of the receiver's kernel), hardly any \
         was lost, one in a thousand or more was sent again, and the other end had half of these or more already (duplicate \
         SACK), while for half of the window or more the stream waited for the path, no processor of either end was more \
         than 80 % busy and no window was full.",
    ),
    (
        "window-bound",
        "For half of the window or more the sender waited because the receiver's window, or its own send buffer, was full \
         (tcp_info's account of it); or what is in flight fills at least 80 % of one of them, or half of a send buffer that \
         had nothing left to send for a tenth of the time, at a round trip of at most 1.5 times the least. Of datagrams: \
         sockets of the receiver dropped most of what was lost (see `receiver-cpu`), though its threads computed or stood \
         ready for a CPU for less than half of the time.",
    ),
    (
        "sender-cpu",
        "The threads of the end that sends compute at least 95 % of the time, or they compute or stand ready without a CPU for 85 % \
         of it beside a CPU that is full; or one of its CPUs is at least 95 % busy, \
         and 5 % or more of its time are interrupts and softirq. Where both ends share the CPUs, this end's threads compute \
         more than the other's, and more of that CPU than interrupts.",
    ),
    (
        "receiver-cpu",
        "The threads of the end that receives compute at least 95 % of the time, or they compute or stand ready without a CPU for \
         85 % of it beside a CPU that is full; or one of its CPUs is at least 95 % busy, \
         5 % or more of its time are interrupts and softirq, which no thread is charged for, and its threads and these \
         are nine tenths of what it does; or its window was full for half of the \
         window or more though it lets at least eight times as much through, so that nobody emptied it. Of datagrams: 1 % or more did \
         not arrive, and its sockets dropped at least half as large a share of what came to them. Of requests: the threads of the \
         end that answers stood ready without a CPU for half of the time or more, beside a CPU that is full.",
    ),
    (
        "round-trip-bound",
        "Each request waits for its answer: how long the way there and back takes is all that counts. Of a load on a database: \
         the statements of a transaction, times the round trip that was measured before the trial, are half of its time or more.",
    ),
    (
        "client-bound",
        "The threads of the clients of a database's server compute at least 95 % of the time; or they use more of the CPUs that they \
         fill together with the server than it does; or half of a transaction or more is the client's computing. Of requests to a \
         server that is no end of ours: the client computes for half of the time or more until an answer is there.",
    ),
    (
        "server-cpu-bound",
        "The processes of a database's server (utime and stime in /proc/PID/stat) use at least 95 % of the CPUs that they may, \
         or 85 % where there are more clients than CPUs, or 90 % of a CPU quota of their control group; or most of those that they \
         fill together with the clients; or they compute for at least half of the clients' time. Of SQLite, \
         which works in the threads of its clients, the same holds for these.",
    ),
    (
        "lock-bound",
        "Clients of a database wait for at least half of their time for locks of others (Innodb_row_lock_time; PostgreSQL's wait events \
         of type Lock; the sleeps of SQLite's busy handler); or at least half of the transactions that are begun are rolled back and \
         begun again.",
    ),
    (
        "log-flush-bound",
        "Clients of a database wait for at least half of their time until what they committed is flushed: by looks at the server's \
         sessions ten times a second, or, of SQLite, by what a commit takes beside computing and locks. Not where a flush stands \
         for more than four times as many transactions as there are clients.",
    ),
    (
        "page-read-bound",
        "Clients of a database wait for at least half of their time for pages to be read (PostgreSQL's wait event DataFileRead); of \
         SQLite, whatever its clients waited for that is no lock and no commit.",
    ),
    (
        "server-bound",
        "Each request waits for its answer, and half of that time or more is not the way there and back (the least round \
         trip that TCP saw): it is spent in the server, or in a queue before it; or the threads of an end of ours that \
         answers compute at least 95 % of the time, with several requests under way for each. Of a download: for half of the \
         time or more the client waited for the server to send, and no link, window or processor that is known was full. Of \
         an upload: for half of the time or more the server's window was full, though what is in flight does not fill the \
         largest that it offered, or all that was sent was acknowledged and the answer was not there. Of transactions on a \
         database: for half of their time or more they wait in the server for none of what it tells of (locks, its log, \
         pages), nor does it compute. Of all others: half of the operations or more failed, so that what is served is the \
         rest. Of a file that an end of ours sends and its page cache did not hold: for half of the window or more it had \
         nothing to send, and its threads computed for less.",
    ),
    (
        "device-bound",
        "For half of its time or more a client that writes what it receives waited for the device to take it (O_DIRECT), \
         and its processor was not full. Of a load through the page cache that reads, or that syncs what it writes (of both, \
         what has more of its time): its workers neither computed nor stood ready without a CPU for half of their time or \
         more, and at least a twentieth of what they read, or wrote, passed the device; or it only writes, parts of pages or to a mapped file, and the device \
         delivers at least as many bytes. Of one that only writes and syncs nothing: where the device takes at least eight tenths of a \
         write for each of its own, while no writer is slowed down for the sake of dirty pages (a file system that is mounted with \
         `sync`, or a file with that attribute). Of one that makes and removes files \
         and syncs that: the same, where the device took at least one write for twenty operations. Of one past the page cache at a rate that it does not keep: at least 80 % of the operations that it may \
         have in flight were, and no worker computed more than 80 % of the time; not where three quarters of these were neither \
         at the device, by its own count, nor with a thread that computes.",
    ),
    (
        "dirty-throttled",
        "For half of the window or more, so much of the page cache waited to be written that the kernel slowed writers \
         down to what the device takes: at least midway between its background threshold and its dirty threshold \
         (nr_dirty_threshold in /proc/vmstat; dirty_freerun_ceiling in mm/page-writeback.c). Of a control group of \
         version 2 with a limit of its memory, the same holds for its part of the page cache, with its part of both \
         thresholds (domain_dirty_limits).",
    ),
    (
        "overloaded",
        "A rate that is asked for is a little more than is done: in each trial operations took longer since they were due from each \
         quarter of the window to the next (see `rate-not-kept`), and nothing that is known is full. Where something is, that has the \
         name, and the queue stands beside it.",
    ),
    (
        "cannot-tell",
        "Nothing is known to be full, and what would tell was not measured; the text says what is missing.",
    ),
];
