### Charts: what stands on them, and their text alternatives.

## All charts

chart-higher = 높을수록 좋음
chart-lower = 낮을수록 좋음
chart-from = 축이 { $value }에서 시작
chart-logarithmic = 로그 눈금
chart-nothing = 측정된 값이 없습니다.
chart-interval = { $low } ~ { $high }
chart-more = 외 { $count }개
chart-limit = 한계
chart-promise = 공칭값
chart-ideal = 이상값
chart-column-low = 하한
chart-column-high = 상한
chart-missing = 측정 안 됨

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
