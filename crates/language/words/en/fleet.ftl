### Fleets: the same work on many machines.

fleet-title =
    { $count ->
        [one] Fleet of 1 machine
       *[other] Fleet of { $count } machines
    }
fleet-footer = Made by Headroom { $version }.

## In short

fleet-nothing = No work was done by more than one machine.
fleet-too-few =
    { $count ->
        [one] One machine is too few to say which is unlike the others.
       *[other] { $count } machines are too few to say which is unlike the others.
    }
fleet-alike = None of the { $count } machines is found to be unlike the others.
fleet-unlike =
    { $unlike ->
        [one] 1 of { $count } machines is unlike the others.
       *[other] { $unlike } of { $count } machines are unlike the others.
    }
fleet-groups =
    { $grouped ->
        [one] 1 of { $count } machines is at a level of its own.
       *[other] { $grouped } of { $count } machines are at levels of their own.
    }
fleet-unlike-and-groups =
    { $unlike ->
        [one] 1 of { $count } machines is unlike the others, and { $grouped } are at levels of their own.
       *[other] { $unlike } of { $count } machines are unlike the others, and { $grouped } are at levels of their own.
    }
fleet-worse = worse
fleet-better = better
fleet-who = Unlike the others
fleet-line =
    ({ $interval }) against the others' median, { $count } of { $all } machines, { $figure }{ $more ->
        [0] {""}
        [one] {" "}and 1 more figure
       *[other] {" "}and { $more } more figures
    }: { $machines }
fleet-line-group =
    ({ $interval }) against the others' median, a group of { $count } of { $all } machines, { $figure }{ $more ->
        [0] {""}
        [one] {" "}and 1 more figure
       *[other] {" "}and { $more } more figures
    }: { $machines }
fleet-why = What goes with it
fleet-explained =
    { $machines }: { $facts }{ $count ->
        [one] {""}
       *[other] {" "}(these cannot be told apart)
    }
fleet-explained-by-chance = { $machines }: perhaps { $facts }; so few machines may have that by chance (p = { $p })
fleet-unexplained = { $machines }: nothing that the documents tell
fleet-fact-has = { $name }: { $value } ({ $own } of { $own_all }, and { $others } of { $others_all } others)
fleet-fact-lacks = { $name } without { $value } (which { $own } of { $own_all } have, and { $others } of { $others_all } others)
fleet-fact-number = { $name }: { $own } against { $others }
fleet-association = What goes with a difference need not be its cause: change it on one machine, and measure again.
fleet-reach =
    Of { $count } machines and { $figures } { $figures ->
        [one] figure
       *[other] figures
    }, a machine is found if it is { FIXED($reach, decimals: 1) } times the spread between machines off, or more.
fleet-some-missing =
    { $count ->
        [one] 1 machine is without some result.
       *[other] { $count } machines are without some result.
    }
fleet-alone =
    { $count ->
        [one] 1 figure is of work that only one machine did; it is left out.
       *[other] { $count } figures are of work that only one machine did; they are left out.
    }

## Differences

fleet-splits = What differs
fleet-splits-caption = Machines that differ from the others, a row a figure
fleet-group = group
fleet-column-machines = machines
fleet-column-side = side
fleet-column-p = p
fleet-column-facts = what goes with it
fleet-column-apart = told apart
fleet-facts-caption = Facts that go with a difference, best first; those in one row part the machines alike. That does not make them the cause

## Figures

fleet-figures = Figures over the machines
fleet-heat = All machines at once
fleet-heat-title = how much worse than the median, in spreads
fleet-heat-note = Machines in the order of the tags rack and position, then of their names. What is more than 8 spreads off is shown as 8.
fleet-heat-note-binned = Machines that differ have rows of their own; the others are taken together in the order of the tags rack and position, then of their names, and of each row the one that is farthest off is shown. What is more than 8 spreads off is shown as 8.
fleet-machines = machines
fleet-figures-caption =
    { $count ->
        [one] The figure over the machines
       *[other] The { $count } figures over the machines
    }
fleet-column-low = 5 % have at most
fleet-column-median = median
fleet-column-high = 95 % have at most
fleet-column-spread = spread
fleet-column-apart-machines = differ
fleet-axis = share of machines with at most as much
fleet-dots-others = like the others
fleet-dots-apart = differ
fleet-dots-note = Each dot is a machine, lowest first; its height is the share of machines with at most as much.
fleet-dots-note-thinned = The dots are every hundredth of the machines, lowest first, and each machine that differs; the height is the share of machines with at most as much.

## Machines

fleet-missing = Machines without a result
fleet-missing-caption = Machines and documents that lack results; the others count
fleet-column-machine = machine
fleet-column-figures = figures
fleet-column-reason = reason
fleet-not-done = it did not do this work

## Method

fleet-method = Like work on many machines is one figure. Of it, each machine is held against the others by how far it is from them in units of the spread of those that are alike (of logarithms where all values are above 0), with Student's t for how many these are. Over all machines and figures together, by Holm's method, the chance that the page accuses a machine though all are alike is { PERCENT($chance, decimals: 1) } at most; a difference of up to { PERCENT($margin, decimals: 1) } does not matter and is not told. A group is where two levels are far likelier than one and a valley lies between; each machine is then held against its own level. It takes at least { $least } machines, and like machines whose values spread as a normal distribution does: of tails that are heavier, more is found than there is.
fleet-method-facts = What goes with a difference is found among the inventory, the settings, the findings, the tags and the temperatures of the documents: by Fisher's exact test for what a machine has or has not, and by the rank-sum test for numbers, adjusted by Holm's method for all that was looked at. Facts that nearly every machine has to itself are left out, such as serial numbers and addresses. Facts that part the machines alike are told together.
