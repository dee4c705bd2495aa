### What is usual for the class of a part.

## Beside a figure

class-question = Is that good
class-usual = usual for { $class } (its class: { $range })
class-less = less than is usual for { $class } (its class: { $range })
class-more = more than is usual for { $class } (its class: { $range })
class-cannot-tell = outside of what is usual for { $class } (its class: { $range }), but the trials spread too far to be sure

## Where ranges are from

class-source = { $class }, { $of }: { $value }, { $kind } ({ $how }). { $publication }
class-measured = measured
class-promised = promised

## The report

class-title = { $run } beside what is usual for its parts
class-footer = Made by Headroom { $version }.
class-none = No reference
class-none-no-part = it drives neither a disk nor a network interface
class-none-several = it drives several parts, or something that stands on them
class-none-guest = the machine is a guest, and what is behind its parts is not known
class-none-unknown = its part is not known, or no figures are kept for such parts
class-none-other-work = no figures of such work are kept for { $class }
class-none-no-figure = the case lacks the figure that is kept for { $class }
class-none-doubted = a finding says that this is not the figure of the part
class-none-other-class = it drives no part of the class { $class }
class-own =
    { $runs ->
        [one] 1 kept run of such work on a like machine: { $range }
       *[other] { $runs } kept runs of such work on like machines: { $range }
    }
class-sources-title = Where the ranges are from
class-method = A range goes from the least to the most that was published for such parts at the same work: the same direction, order and size of operations, and as many at once. It is neither a limit nor a promise. Like machines have the same processor and the same disk, or an interface of the same speed.
