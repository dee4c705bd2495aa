### Charts: what stands on them, and their text alternatives.

## All charts

chart-higher = 高いほど良い
chart-lower = 低いほど良い
chart-from = 軸は { $value } から
chart-logarithmic = 対数目盛
chart-nothing = 測定値がありません。
chart-interval = { $low } ~ { $high }
chart-more = ほか { $count } 件
chart-limit = 上限
chart-promise = 公称値
chart-ideal = 理想値
chart-column-low = 下限
chart-column-high = 上限
chart-missing = 未測定

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
