# What is full at each layer of a storage stack, and what each layer costs.

verdict-kernel-work-full = the CPUs are full with work for { $resource }
verdict-kernel-thread-full = one thread of the kernel for { $resource } is full
verdict-slow-member = all members wait for { $resource }
verdict-parity-rewrite = members of { $resource } are read for each small write
verdict-journal-flush = flushes of the journal to { $resource }
conclusion-kernel-work-full = the CPUs are the limit, with the kernel's work for { $resource }: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-kernel-thread-full = one thread of the kernel, for { $resource }, is the limit: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-slow-member = { $resource } { verb-is } the limit, which all other members wait for: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-parity-rewrite = parity of { $resource } is the limit, as small writes wait for reads: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-journal-flush = the journal is the limit, flushed to { $resource }: { $rate }{ conclusion-where }{ conclusion-then }

waterfall-full = what is full
waterfall-bytes-below = bytes at the lowest devices, per byte of the load
waterfall-bytes = { $read } read, { $written } written
waterfall-costs =
    { $layer } costs { $cost } of the rate of { $below }{ $why ->
        [known] , because of this: { $reason }
       *[unknown] {""}
    }{ $changed ->
        [yes] ; what held { $below } back ({ $before }) is no longer the limit from here on
       *[no] {""}
    }
waterfall-costs-little = { $layer } costs at most { $margin } % of the rate of { $below }
waterfall-gives-more = { $layer } gives { $cost } more than { $below }
waterfall-untold = these trials cannot tell whether { $layer } costs anything: { $change } against { $below }
