### Charts: what stands on them, and their text alternatives.

## All charts

chart-reached = { $label }: 가장 높은 값이 그 { PERCENT($share) }입니다.
chart-held-against = { $label }.
chart-named = { $name }: { $what }
chart-others = 그 밖의 { $count }개는 표에 있습니다.

chart-higher = 높을수록 좋음
chart-lower = 낮을수록 좋음
chart-from = 축의 시작: { $value }
chart-logarithmic = 로그 눈금
chart-nothing = 측정된 값이 없습니다.
chart-interval = { $low } ~ { $high }
chart-more = 외 { $count }개
chart-limit = 한계
chart-promise = 약속된 값
chart-ideal = 이상적인 값
chart-column-low = 하한
chart-column-high = 상한
chart-missing = 측정 안 됨

## lines

lines-what = { $x }에 따른 { $y }
lines-change = { $from }에서 { $first }, { $to }에서 { $last }
lines-between = 최고 { $high } ({ $high_at }), 최저 { $low } ({ $low_at })
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
bars-drawn = { $all }개 중 가장 높은 쪽과 가장 낮은 쪽에서 { $drawn }개를 그렸습니다. 표에는 모두 있습니다.
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
latency-map-what = 끝난 시각과 지연 시간에 따른 { $title }.
latency-map-range = 가장 짧은 지연 시간은 { $shortest } 이상, 가장 긴 지연 시간은 { $longest } 이상.

## scatter

scatter-what = { $x }에 따른 { $y }.
scatter-way = { $first }({ $first_x }, { $first_y })에서 { $last }({ $last_x }, { $last_y })까지
scatter-cloud = 점 { $count }개, { $x } { $x_low } ~ { $x_high }, { $y } { $y_low } ~ { $y_high }
scatter-group = 그룹
scatter-point = 점
scatter-drawn = 점 { $all }개 중 { $drawn }개를 그렸습니다. 표에는 모두 있습니다.

## ratios

ratios-sides = { $baseline } 대비 { $new }의 비
ratios-margin = { PERCENT($margin) } 이내의 차이(음영)는 무시할 수 있습니다.
ratios-count = { $label }: { $count }개.
ratios-row = { $label }: { $ratio }, { $verdict }
ratios-widest = 가장 큰 차이: { $row }.
ratios-drawn = { $all }개 중 차이가 있는 것부터 { $drawn }개를 그렸습니다. 표에는 모두 있습니다.
ratios-column-what = 항목
ratios-column-ratio = 비율
ratios-column-interval = 신뢰구간
ratios-column-verdict = 판정

## percentiles

percentiles-axis = 이 값 이하인 작업의 비율
percentiles-item = { $share }가 { $value } 이하
percentiles-describe = { $value }의 백분위수.
percentiles-said = { $name }: { $list } (작업 { $count }개).
percentiles-said-alone = { $list } (작업 { $count }개).
percentiles-tail = { $share } 지점의 값은 중앙값의 { $times }배입니다.
percentiles-worst = { $share } 지점에서 { $name }은(는) { $other }의 { $times }배입니다.
percentiles-rest = 나머지 { $count }개는 표에 있습니다.
percentiles-name = 분포
percentiles-count = 작업 수
percentiles-too-few = 작업이 너무 적음

## histogram

histogram-by-height = 값의 비율
histogram-by-area = 값의 비율(넓이)
histogram-describe = { $value }: 값 { $count }개, { $low }에서 { $high }까지.
histogram-most = { $share }가 { $low } ~ { $high } 범위에 있습니다.
histogram-bin = { $low } ~ { $high }: { $count } ({ $share })
histogram-from = 부터
histogram-to = 까지
histogram-count = 값의 수
histogram-share = 비율
histogram-so-far = 누적

## panels

panels-window = 측정 구간: { $length }
panels-window-short = 측정 구간: { $length }
panels-columns = 열 하나의 길이는 { $length }입니다. 선은 평균, 음영은 최솟값에서 최댓값까지입니다.
panels-stack = 쌓은 것은 평균이고, 선은 합의 최댓값입니다.
panels-describe = { $length } 동안의 패널 { $count }개.
panels-describe-window = 측정 구간은 { $from }부터 { $to }까지이며, 값은 이 구간의 것입니다.
panels-phase = { $name }: { $from } ~ { $to }.
panels-said = { $name }: 평균 { $mean }, 최소 { $low }, 최대 { $high } ({ $at } 시점).
panels-rest = 나머지 { $count }개는 표에 있습니다.
panels-panel = 패널
panels-track = 항목
panels-mean = 평균
panels-least = 최소
panels-greatest = 최대
panels-at = 최대 시점
panels-none = 관측 없음

## cpu-load

cpu-load-cpu = CPU { $cpu }
cpu-load-cpus = CPU { $first }~{ $last }
cpu-load-legend = 사용률:
cpu-load-cell = 칸 하나는 { $length }의 평균입니다.
cpu-load-one = 칸 하나는 { $length } 간격의 관측 하나입니다.
cpu-load-row = 행 하나는 CPU { $count }개의 평균입니다.
cpu-load-not-seen = 빈 곳: 관측 없음.
cpu-load-note = { $cpu }: { $note }
cpu-load-row-said = { $cpu }: 평균 { $mean }, 최대 { $high }
cpu-load-figures = 평균, 최대
cpu-load-describe = { $length } 동안 CPU { $count }개의 부하: 평균 { $mean } 사용.
cpu-load-busiest = 가장 바쁜 것: { $cpu } ({ $mean }), 가장 한가한 것: { $other } ({ $low }).
cpu-load-full = { $count ->
    [0] 평균적으로 한계에 도달한(95 % 이상) CPU는 없습니다.
   *[other] 평균적으로 한계에 도달한(95 % 이상) CPU는 { $count }개입니다.
 }
cpu-load-name = CPU
cpu-load-mean = 평균
cpu-load-greatest = 가장 바쁜 간격
cpu-load-full-time = 95 % 이상인 시간
cpu-load-remark = 비고

## boxes

boxes-trial = 점: 시행, 맨 위가 첫 번째
boxes-apart = 고리: 나머지와 떨어진 시행
boxes-box = 상자: 가운데 절반
boxes-estimate = 마름모: 추정값과 신뢰구간
boxes-estimate-relative = 마름모: 추정값. 구간은 숫자로도 표시
boxes-cut = 케이스 { $count }개 중 편차가 가장 큰 { $shown }개입니다. 표에는 모두 있습니다.
boxes-said = { $name }, 시행 순서대로: { $values }
boxes-describe = 케이스 { $count }개의 시행별 { $value }.
boxes-widest = { $name }의 시행은 차이가 가장 큽니다: { $low } ~ { $high } (중앙값의 { $share }).
boxes-closest = { $name }의 시행은 차이가 가장 작습니다({ $share }).
boxes-lies-apart = { $name }의 { $trial }번째 시행은 { $value }(으)로 나머지와 떨어져 있습니다.
boxes-name = 케이스
boxes-trials = 시행
boxes-least = 최소
boxes-lower = 제1사분위
boxes-median = 중앙값
boxes-upper = 제3사분위
boxes-greatest = 최대
boxes-point = 추정값

## chain

chain-title = 한계 대비 비율
chain-full = 한계
chain-unknown = 알려진 한계 없음
chain-bottleneck = 병목
chain-fullest-mark = 한계에 가장 가까움
chain-waited-for = 대기 대상
chain-amplified = 바이트 { $times }배
chain-describe = 자원 { $count }개의 경로: { $list }.
chain-holds = 결과를 제한하는 자원: { $name } (한계의 { $share }).
chain-holds-unknown = 결과를 제한하는 자원: { $name }.
chain-waits = 작업은 { $name }을(를) 기다립니다. 가득 찬 것은 아닙니다.
chain-fullest = 결과를 제한한다고 밝혀진 자원은 없습니다. 한계에 가장 가까운 자원: { $name } ({ $share }).
chain-grows = { $name }에는 작업량의 { $times }배에 해당하는 바이트가 지나갑니다.
chain-name = 자원
chain-detail = 지나가는 양
chain-share = 한계 대비 비율
chain-amplification = 워크로드 1바이트당 바이트
chain-remark = 비고

## rounds

rounds-axis = 라운드
rounds-round = 라운드
rounds-point = 라운드 { $round }
rounds-legend = 음영: 마지막 { $rounds }개 라운드 · 점선: 그 평균 ± { PERCENT($half) } · 실선: 추세
rounds-drawn = 전체 { $all }개 중 { $drawn }개를 그렸습니다. 표에는 모두 있습니다.
rounds-what = 라운드별 { $value }.
rounds-course = { $rounds }개 라운드 중 첫 라운드 { $first }, 마지막 라운드 { $last }. { $verdict }.

## stacks

stacks-sum = 합계
stacks-what = { $value }: { $parts }.
stacks-row = { $name }: { $parts } = { $sum }.
stacks-drawn = 전체 { $all }개 중 { $drawn }개를 그렸습니다. 표에는 모두 있습니다.

## roofline

roofline-what = 대역폭 { $roofs }단계 위에 계산 { $ceilings }단계.
roofline-highest = 최대 { $value }: { $name }.
roofline-ridge = 바이트당 연산 { $ridge }회 아래에서는 { $roof }가 막는다
roofline-ridge-of = 바이트당 연산이 { $ridge }회 이상이면 { $roof }가 프로세서를 막지 않습니다.
roofline-bound = 한계
roofline-most = 최대
roofline-ridge-column = 이때부터 막지 않는 바이트당 연산

## effects

effects-legend = 표식은 측정한 값과 95 % 신뢰구간이고, 세로선은 예상한 값입니다.
effects-drawn = { $all }개 중 { $drawn }개를 그렸습니다. 표에는 모두 있습니다.
effects-axis = 결과의 변화
effects-row =
    { $label }({ $role }): { $effect }{ $known ->
        [yes] , 예상 { $expected }
       *[no] {""}
    }
effects-column-what = 바꾼 것
effects-column-role = 구분
effects-column-expected = 예상
effects-column-effect = 측정
effects-column-interval = 신뢰구간

## cells

cells-time = 시간
cells-what = 시간에 따른 { $title }.
cells-said = { $name }: { $count }건, { $low } ~ { $high }.
cells-sizes = 점의 크기는 그 안에서 가장 큰 것을 나타냅니다: { $small } 미만, { $large } 미만, 그 이상.
cells-lowest = 최저
cells-highest = 최고
