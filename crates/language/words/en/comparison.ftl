### Comparisons; what is remarked in them is in English in the analysis.

## The page of a comparison

comparison-baseline = baseline
comparison-new = new
comparison-others = the others
comparison-run = run
comparison-title = { $new } against { $baseline }
comparison-title-levels = { $by } { $new } against { $baseline }
comparison-title-by = { $by } { $levels }
comparison-title-of = { $title }: { $what }
comparison-level = { $by } { $level }
comparison-side = { $role }, { $name }
comparison-case-by = { $case }: { $by } { $new } against { $baseline }
comparison-row = { $case }, { $metric }
comparison-footer = Compared by Headroom { $version }.
comparison-verdict-better = better
comparison-verdict-worse = worse
comparison-verdict-same = same
comparison-verdict-cannot-tell = cannot tell

## In short

comparison-tally-better = better: { $count }
comparison-tally-worse = worse: { $count }
comparison-tally-same = the same within { PERCENT($margin, decimals: 1) }: { $count }
comparison-tally-cannot-tell = cannot tell: { $count }
comparison-tally-join = {", "}
comparison-nothing = Nothing could be compared.
comparison-worse = Is anything worse
comparison-worse-no = No
comparison-worse-yes = Yes
comparison-worse-unshown = Not shown
comparison-worse-unknown = Cannot tell
comparison-worse-no-text =
    { $judged ->
        [one] The only figure is not worse.
       *[other] None of the { $judged } figures is worse.
    }
comparison-worse-yes-text =
    { $judged ->
        [one] The only figure is worse.
       *[other] { $worse } of { $judged } figures { $worse ->
            [one] is
           *[other] are
        } worse.
    }
comparison-worse-unshown-text = Nothing is shown to be worse; of { $unknown } of { $judged } figures it is unknown, which is not "same".
comparison-worse-unknown-text = The trials decide nothing: more of them, or a quieter machine, may.
comparison-changed = What changed
comparison-no-change = No difference is shown.
comparison-line = ({ $interval }): { $case }, { $baseline }, now { $new }
comparison-caveats = To keep in mind
comparison-differ = Not the same on both sides:
comparison-doubts =
    { $count ->
        [one] One kind of warning is about figures that are compared.
       *[other] { $count } kinds of warnings are about figures that are compared.
    }
comparison-alone-count =
    { $count ->
        [one] 1 case has no partner on the other side.
       *[other] { $count } cases have no partner on the other side.
    }
comparison-chart = Change of every figure that was judged
comparison-chart-note = Each with its 95 % interval, as a ratio to the baseline: below 1 is less, which for a latency is better.

## Rows

comparison-rows = Every figure on both sides
comparison-rows-caption =
    { $count ->
        [one] The figure that was judged
       *[other] The { $count } figures that were judged
    }
comparison-change = change
comparison-change-note = The change is computed from the trials, so it may differ from the ratio of the two medians shown.
comparison-verdict = verdict
comparison-p = p, adjusted
comparison-others-title = Other metrics, without a verdict
comparison-others-about = They mostly say the same again, and each one that is judged makes all others need more evidence. --metric judges others.
comparison-rows-left =
    { $count ->
        [one] 1 more row is in the comparison document.
       *[other] { $count } more rows are in the comparison document.
    }
comparison-reasons = Why it cannot be told:

## Charts

comparison-charts = Both sides over each other
comparison-charts-about = Each side's figures with their own intervals. Whether two differ is told by their ratio above, not by whether intervals overlap.

## Circumstances

comparison-circumstances = What else differs
comparison-none-differ = Machine, software and way of measuring are the same on both sides, as far as is known.
comparison-differ-caption =
    { $count ->
        [one] One thing differs between the sides
       *[other] { $count } things differ between the sides
    }
comparison-notes = To keep in mind
comparison-alone = Without a partner
comparison-of-side = of
comparison-nearest = nearest on the other side
comparison-differs = differs in (baseline, new)
comparison-difference = { $name }: { $baseline }, { $new }
differs-definition-version = version of its definition
differs-beside-it = loads beside it
differs-work = work
environment-value-none = none
environment-value-nothing-more = nothing more
environment-value-on = on
environment-value-off = off

## Machines

comparison-machines = The machines
comparison-same-machine = As the baseline's.

## Method

comparison-method-about = Both sides measured the same work. Each row is a ratio of the new to the baseline with its interval, and a verdict only where the trials decide.
comparison-change-text = the ratio of the trials of both sides with its { PERCENT($confidence) } interval; it need not be the quotient of the two medians
comparison-trials-text = { $baseline } of the baseline, { $new } of the new
comparison-paired = how they belong together
comparison-paired-all = in pairs: each trial with the one that ran in the same block
comparison-paired-none = independent: the sides share no blocks
comparison-paired-some = in pairs where both sides ran in the same block, otherwise independent
comparison-method-student-t-log = Student's t of the logarithms of the pairs' ratios
comparison-method-order-statistic-interpolated = order statistics of the pairs' ratios, interpolated
comparison-method-welch-t-log = Welch's t of the logarithms
comparison-method-hodges-lehmann = Hodges and Lehmann's shift of the logarithms, by ranks
comparison-judged = what was judged
comparison-verdicts = verdicts
comparison-verdicts-text = better and worse: the adjusted p is below { PERCENT($chance) } and the interval leaves 1 out; same: the 90 % interval lies within { PERCENT($margin, decimals: 1) }; cannot tell: neither is shown
comparison-margin = margin
comparison-margin-text = a difference of up to { PERCENT($margin, decimals: 1) } does not matter
comparison-together = many at once
comparison-together-text = better and worse hold for all { $count } figures together (Holm)
comparison-by-version = compared by
comparison-command = comparison

comparison-price = What the same speed costs
comparison-price-side = side
comparison-price-offer = price
comparison-price-note = The price of each side, divided by its figure. The change says how much more or less the same costs than on the baseline; it is there where both have a price in one currency and for the same thing.
comparison-price-row = { $row }: cost for each { $unit }
