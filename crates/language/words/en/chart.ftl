### Charts: what stands on them, and their text alternatives.

## All charts

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

## bars

## heat

## scatter

## ratios

## percentiles

## histogram

## panels

## cpu-load

## boxes

## chain
