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

## histogram

## panels

## cpu-load

## boxes

## chain
