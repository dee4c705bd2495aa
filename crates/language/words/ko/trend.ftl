### Trends: one figure of like work over many runs.

trend-title = { $count }회 실행의 추세
trend-footer = Headroom { $version }로 만들었습니다.

## In short

trend-nothing = 그런 수치가 있는 실행이 없습니다.
trend-too-few = 변화 지점을 알기에는 실행이 너무 적습니다.
trend-no-step = 수치 { $count }개 중 수준이 바뀐 것이 없습니다.
trend-not-worse = 수치 { $count }개 중 { $moved }개의 수준이 바뀌었고, 지금 더 나쁘다고 볼 수 있는 것은 없습니다.
trend-worse = 수치 { $count }개 중 { $worse }개가 지금 더 나쁩니다.
trend-now = 지금
trend-against-before = ({ $interval }) 이전 수준 대비: { $series }
trend-against-baseline = ({ $interval }) { $date }에 승인한 기준 대비: { $series }
trend-no-ratio = 비를 구할 수 없음
trend-steps = 변화 지점
trend-step = { $date }의 실행 { $run }부터: { $series }
trend-step-between = { $date }의 실행 { $run }부터, 또는 { $first }에서 { $last } 사이의 어느 실행부터: { $series }
trend-changed = 그때 달라진 것
trend-change = { $name }: { $before }, 이후 { $after }
trend-changed-nothing = Headroom이 아는 한 없음
trend-keep-in-mind = 유의할 점
trend-few = 수치 { $count }개는 실행이 { $least }회 미만이어서 변화 지점을 알 수 없습니다.

## Figures

trend-series = 실행에 따른 수치
trend-caption = 추적한 수치 { $count }개
trend-column-runs = 실행 수
trend-column-steps = 변화 수
trend-column-now = 지금
trend-column-last = 마지막 실행
trend-column-run = 실행
trend-column-date = 날짜
trend-column-interval = 95 % 구간
trend-column-step = 변화
trend-column-said = 메모
trend-column-before = 이전
trend-column-after = 이후
trend-axis = 실행, 오래된 순
trend-accepted = { $date }에 승인한 기준
trend-chart-note = 점: 각 실행의 수치와 그 시행들의 구간. 선: 각 수준의 중앙값. 음영: 변화 지점이 있을 수 있는 곳.
trend-changes-caption = 변화 지점에서 달라진 것. 원인이라는 뜻은 아닙니다

## Method

trend-method = 한 머신에서 한 같은 작업이 하나의 수치입니다. 다른 작업, 다른 위치, 다른 시간, 다른 설정은 따로 다룹니다. 변화 지점은 실행 중앙값(의 로그)의 평균이 가장 크게 다른 곳으로, 같은 실행을 다른 순서로 놓았을 때 그만큼 다른 경우가 드물어야 합니다. 변화가 없는 수치에서 변화 지점이 나올 확률은 모든 수치를 합쳐 최대 { PERCENT($chance, decimals: 1) }입니다. 각 실행이 앞선 실행과 독립이라는 전제이며, 서서히 변하는 값은 하나 이상의 변화 지점으로 나타납니다. 실행이 최소 { $least }회 필요하고, 수치가 많을수록 더 필요합니다. 변화 지점의 위치에는 양쪽 실행을 다시 추출해 얻은 95 % 구간이 있습니다. 수준이 더 나쁜지는 두 수준의 실행들의 비로 판단하며, { PERCENT($margin, decimals: 1) } 이하의 차이는 문제 삼지 않습니다. 새 실행마다 확인하면 한 번만 확인할 때보다 더 자주 틀립니다.
