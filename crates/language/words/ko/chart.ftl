### Charts: what stands on them, and their text alternatives.

## All charts

chart-reached = { $label }: 가장 높은 값이 그 { PERCENT($share) }입니다.
chart-held-against = { $label }.
chart-named = { $name }: { $what }
chart-others = 그 밖의 { $count }개는 표에 있습니다.

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

lines-what = { $x }에 따른 { $y }
lines-change = { $from }에서 { $first }, { $to }에서 { $last }
lines-between = 최고 { $high }({ $high_at }), 최저 { $low }({ $low_at })
lines-point = { $at }에서 { $value }
lines-mark = 표시: { $label }.
lines-drawn = 선 { $all }개 중 { $drawn }개를 그렸습니다. 표에는 모두 있습니다.
lines-name = 선

## bars

bars-what = 케이스 { $count }개의 { $value }.
bars-highest = 최고: { $label }, { $value }.
bars-lowest = 최저: { $label }, { $value }.
bars-times = { $times }배 차이입니다.
bars-unmeasured = 값이 없는 항목 { $count }개.
bars-drawn = { $all }개 중 가장 높거나 낮은 { $drawn }개를 그렸습니다. 표에는 모두 있습니다.
bars-column-what = 항목
bars-column-series = 계열
bars-column-reference = 비교 기준
bars-column-note = 비고

## heat

heat-in = { $title }(단위: { $unit })
heat-what = { $x }(가로)와 { $y }(세로)의 조합별 { $title }.
heat-highest = 최고: { $at }에서 { $value }.
heat-lowest = 최저: { $at }에서 { $value }.
heat-drawn = { $rows }행 { $columns }열 중 { $drawn_rows }행 { $drawn_columns }열을 그렸습니다. 표에는 모두 있습니다.
heat-best = 가장 좋은 값에 테두리
heat-missing = 측정 안 됨 { $count }개.

## scatter

scatter-what = { $x } 대비 { $y }.
scatter-way = { $first }({ $first_x }, { $first_y })에서 { $last }({ $last_x }, { $last_y })까지
scatter-cloud = 점 { $count }개, { $x } { $x_low } ~ { $x_high }, { $y } { $y_low } ~ { $y_high }
scatter-group = 그룹
scatter-point = 점
scatter-drawn = 점 { $all }개 중 { $drawn }개를 그렸습니다. 표에는 모두 있습니다.

## ratios

ratios-sides = { $baseline } 대비 { $new }의 배수
ratios-margin = { PERCENT($margin) } 이내의 차이(음영)는 의미가 없습니다.
ratios-count = { $label }: { $count }개.
ratios-row = { $label }: { $ratio }, { $verdict }
ratios-widest = 가장 큰 차이: { $row }.
ratios-drawn = { $all }개 중 차이가 있는 것부터 { $drawn }개를 그렸습니다. 표에는 모두 있습니다.
ratios-column-what = 항목
ratios-column-ratio = 비율
ratios-column-interval = 구간
ratios-column-verdict = 판정

## percentiles

## histogram

## panels

## cpu-load

## boxes

## chain
