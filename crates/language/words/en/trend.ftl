### Trends: one figure of like work over many runs.

trend-title =
    { $count ->
        [one] Trend over 1 run
       *[other] Trend over { $count } runs
    }
trend-footer = Made by Headroom { $version }.

## In short

trend-nothing = No run has such a figure.
trend-too-few = There are too few runs to see a step.
trend-no-step =
    { $count ->
        [one] The figure has not stepped from its level.
       *[other] None of the { $count } figures has stepped from its level.
    }
trend-not-worse =
    { $count ->
        [one] The figure has stepped to another level; it is not found to be worse now.
       *[other] { $moved } of { $count } figures { $moved ->
            [one] has
           *[other] have
        } stepped to another level; none is found to be worse now.
    }
trend-worse =
    { $count ->
        [one] The figure is worse now.
       *[other] { $worse } of { $count } figures { $worse ->
            [one] is
           *[other] are
        } worse now.
    }
trend-now = Now
trend-against-before = ({ $interval }) against the level before: { $series }
trend-against-baseline = ({ $interval }) against the baseline accepted on { $date }: { $series }
trend-no-ratio = no ratio can be formed
trend-steps = Steps
trend-step = with run { $run } of { $date }: { $series }
trend-step-between = with run { $run } of { $date }, or any from { $first } to { $last }: { $series }
trend-changed = Changed there
trend-change = { $name }: { $before }, then { $after }
trend-changed-nothing = nothing that Headroom knows of
trend-keep-in-mind = To keep in mind
trend-few =
    { $count ->
        [one] 1 figure has fewer than { $least } runs: a step cannot be seen.
       *[other] { $count } figures have fewer than { $least } runs: a step cannot be seen.
    }

## Figures

trend-series = Figures over the runs
trend-caption =
    { $count ->
        [one] The figure that was followed
       *[other] The { $count } figures that were followed
    }
trend-column-runs = runs
trend-column-steps = steps
trend-column-now = now
trend-column-last = last run
trend-column-run = run
trend-column-date = date
trend-column-interval = 95 % interval
trend-column-step = step
trend-column-said = noted
trend-column-before = before
trend-column-after = then
trend-axis = run, oldest first
trend-accepted = baseline, accepted on { $date }
trend-chart-note = Points: each run's figure with the interval of its trials. Lines: the median of each level. Shaded: where a step may be.
trend-changes-caption = What changed where it stepped; that does not make it the cause

## Method

trend-method = Like work on one machine is one figure; other work, another place, another duration or other settings are figures of their own. A step is where the mean of the runs' medians (of their logarithms) differs most, if few of the same runs in other orders differ as much: where no figure stepped, the chance that any of them shows a step is { PERCENT($chance, decimals: 1) } at most. That takes runs of which none depends on the one before: a slow drift shows as one or more steps. It takes at least { $least } runs, and more where there are more figures. Where the step is has a 95 % interval, from runs drawn anew on both sides. Whether a level is worse is told by the ratio of the runs of both levels; a difference of up to { PERCENT($margin, decimals: 1) } does not matter. Whoever looks after each new run is wrong more often than whoever looks once.
