### Charts: what stands on them, and their text alternatives.

## All charts

chart-reached = { $label }: the highest value is { PERCENT($share) } of it.
chart-held-against = { $label }.
chart-named = { $name }: { $what }
chart-others = { $count -> 
    [one] One more is in the table.
   *[other] { $count } more are in the table.
}

chart-higher = higher is better
chart-lower = lower is better
chart-from = axis starts at { $value }
chart-logarithmic = logarithmic
chart-nothing = Nothing was measured.
chart-interval = { $low } to { $high }
chart-more = and { $count } more
chart-limit = limit
chart-promise = promise
chart-ideal = ideal
chart-column-low = Low
chart-column-high = High
chart-missing = not measured

## lines

lines-what = { $y } over { $x }
lines-change = from { $first } at { $from } to { $last } at { $to }
lines-between = highest { $high } at { $high_at }, lowest { $low } at { $low_at }
lines-point = { $value } at { $at }
lines-mark = Marked: { $label }.
lines-drawn = Of { $all } lines, { $drawn } are drawn; the table has all.
lines-name = Line

## bars

bars-what = { $value } of { $count -> 
    [one] one case
   *[other] { $count } cases
}.
bars-highest = Highest: { $label } with { $value }.
bars-lowest = Lowest: { $label } with { $value }.
bars-times = That is { $times } times as much.
bars-unmeasured = { $count } without a value.
bars-drawn = Of { $all }, { $drawn } are drawn: the highest and the lowest; the table has all.
bars-column-what = What
bars-column-series = Series
bars-column-reference = Held against
bars-column-note = Note

## heat

heat-in = { $title } in { $unit }
heat-what = { $title } for each pair of { $x } (across) and { $y } (down).
heat-highest = Highest: { $value } at { $at }.
heat-lowest = Lowest: { $value } at { $at }.
heat-drawn = Of { $rows } rows and { $columns } columns, { $drawn_rows } and { $drawn_columns } are drawn; the table has all.
heat-best = best framed
heat-missing = { $count } not measured.
latency-map-what = { $title } by the time and the latency with which they finished.
latency-map-range = The shortest latency lies from { $shortest } on, the longest from { $longest } on.

## scatter

scatter-what = { $y } against { $x }.
scatter-way = from { $first } ({ $first_x }, { $first_y }) to { $last } ({ $last_x }, { $last_y })
scatter-cloud = { $count } points, { $x } from { $x_low } to { $x_high }, { $y } from { $y_low } to { $y_high }
scatter-group = Group
scatter-point = Point
scatter-drawn = Of { $all } points, { $drawn } are drawn; the table has all.

## ratios

ratios-sides = { $new } as a multiple of { $baseline }
ratios-margin = Differences up to { PERCENT($margin) } (shaded) do not matter.
ratios-count = { $label }: { $count }.
ratios-row = { $label }: { $ratio }, { $verdict }
ratios-widest = Furthest off: { $row }.
ratios-drawn = Of { $all }, { $drawn } are drawn, those that differ first; the table has all.
ratios-column-what = What
ratios-column-ratio = Ratio
ratios-column-interval = Interval
ratios-column-verdict = Verdict

## percentiles

percentiles-axis = share of operations at or below
percentiles-item = { $share } at most { $value }
percentiles-describe = Percentiles of { $value }.
percentiles-said =
    { $name }: { $list } ({ $number ->
        [one] 1 operation
       *[other] { $count } operations
    }).
percentiles-said-alone =
    { $list } ({ $number ->
        [one] 1 operation
       *[other] { $count } operations
    }).
percentiles-tail = At { $share } it is { $times } times the median.
percentiles-worst = At { $share }, { $name } is { $times } times { $other }.
percentiles-rest = The other { $count } are in the table.
percentiles-name = Distribution
percentiles-count = Operations
percentiles-too-few = too few operations

## histogram

histogram-by-height = share of values
histogram-by-area = share of values, by area
histogram-describe = { $count } values of { $value }, from { $low } to { $high }.
histogram-most = { $share } lie from { $low } to { $high }.
histogram-bin = { $low } to { $high }: { $count } ({ $share })
histogram-from = From
histogram-to = To
histogram-count = Values
histogram-share = Share
histogram-so-far = At or below

## panels

panels-window = window that counts: { $length }
panels-window-short = window: { $length }
panels-columns = A column is { $length }: the line is its mean, the shade reaches from its least value to its greatest.
panels-stack = Stacked are means; the line is the greatest sum.
panels-describe = { $count ->
    [one] One panel over { $length }.
   *[other] { $count } panels over { $length }.
 }
panels-describe-window = The window that counts is from { $from } to { $to }; the figures are of it.
panels-phase = { $name }: { $from } to { $to }.
panels-said = { $name }: mean { $mean }, least { $low }, greatest { $high } at { $at }.
panels-rest = The other { $count } are in the table.
panels-panel = Panel
panels-track = Quantity
panels-mean = Mean
panels-least = Least
panels-greatest = Greatest
panels-at = Greatest at
panels-none = not seen

## cpu-load

cpu-load-cpu = CPU { $cpu }
cpu-load-cpus = CPU { $first } to { $last }
cpu-load-legend = Busy:
cpu-load-cell = A cell is the mean of { $length }.
cpu-load-one = A cell is one interval of { $length }.
cpu-load-row = A row is the mean of { $count } CPUs.
cpu-load-not-seen = Empty: not seen.
cpu-load-note = { $cpu }: { $note }
cpu-load-row-said = { $cpu }: mean { $mean }, greatest { $high }
cpu-load-figures = mean, max
cpu-load-describe = Load of { $count } CPUs over { $length }: { $mean } busy on average.
cpu-load-busiest = { $cpu } is the busiest with { $mean }, { $other } the least with { $low }.
cpu-load-full = { $count ->
    [one] One CPU was full (95 % or more) on average.
   *[other] { $count } CPUs were full (95 % or more) on average.
 }
cpu-load-name = CPU
cpu-load-mean = Mean
cpu-load-greatest = Greatest interval
cpu-load-full-time = Time at 95 % or more
cpu-load-remark = Remark

## boxes

boxes-trial = dot: a trial, the first on top
boxes-apart = ring: lies apart from the others
boxes-box = box: the middle half
boxes-estimate = diamond: estimate and its interval
boxes-estimate-relative = diamond: estimate; its interval also in figures
boxes-cut = The { $shown } of { $count } cases that spread most; the table has all.
boxes-said = { $name }, trial by trial: { $values }
boxes-describe = Every trial of { $count ->
    [one] one case
   *[other] { $count } cases
 }: { $value }.
boxes-widest = The trials of { $name } differ most, from { $low } to { $high } ({ $share } of their median).
boxes-closest = Those of { $name } differ least, by { $share }.
boxes-lies-apart = Trial { $trial } of { $name } lies apart, at { $value }.
boxes-name = Case
boxes-trials = Trials
boxes-least = Least
boxes-lower = Lower quartile
boxes-median = Median
boxes-upper = Upper quartile
boxes-greatest = Greatest
boxes-point = Estimate

## chain

chain-title = share of its limit
chain-full = limit
chain-unknown = no limit known
chain-bottleneck = bottleneck
chain-fullest-mark = the fullest
chain-waited-for = waited for
chain-amplified = { $times } times the bytes
chain-describe = A path of { $count } resources: { $list }.
chain-holds = { $name } holds the result back, at { $share } of its limit.
chain-holds-unknown = { $name } holds the result back.
chain-waits = Operations wait for { $name }, which is not full.
chain-fullest = None is known to hold the result back; the fullest is { $name }, at { $share }.
chain-grows = { $name } passes { $times } times the bytes of the workload.
chain-name = Resource
chain-detail = What passes
chain-share = Share of limit
chain-amplification = Bytes for each of the workload's
chain-remark = Remark

## rounds

rounds-axis = round
rounds-round = Round
rounds-point = round { $round }
rounds-legend = shaded: the last { $rounds } rounds · dotted: their mean ± { PERCENT($half) } · line: their trend
rounds-drawn = Of { $all } courses, { $drawn } are drawn; the table has all.
rounds-what = { $value } round by round.
rounds-course = From { $first } in the first to { $last } in the last of { $rounds } rounds; { $verdict }.

## stacks

stacks-sum = Together
stacks-what = { $value }, made of { $parts }.
stacks-row = { $name }: { $parts } = { $sum }.
stacks-drawn = Of { $all }, { $drawn } are drawn; the table has all.

## roofline

roofline-what = { $ceilings } levels of computing over { $roofs } of bandwidth.
roofline-highest = At most { $value }: { $name }.
roofline-ridge = { $roof } holds back below { $ridge } operations a byte
roofline-ridge-of = From { $ridge } operations for each byte on, { $roof } does not hold the processor back.
roofline-bound = Bound
roofline-most = At most
roofline-ridge-column = Operations a byte from which it does not hold back

## effects

effects-legend = The mark is what was measured, with its interval of 95 %; the upright stroke is what was expected.
effects-drawn = Of { $all }, { $drawn } are drawn; the table has all.
effects-axis = change of the result
effects-row =
    { $label } ({ $role }): { $effect }{ $known ->
        [yes] , expected { $expected }
       *[no] {""}
    }
effects-column-what = What was changed
effects-column-role = What it is
effects-column-expected = Expected
effects-column-effect = Measured
effects-column-interval = Interval

## cells

cells-time = time
cells-what = { $title } over time.
cells-said = { $name }: { $count }, from { $low } to { $high }.
cells-sizes = The size of a mark says how large the largest in it is: below { $small }, below { $large }, or more.
cells-lowest = Lowest
cells-highest = Highest
