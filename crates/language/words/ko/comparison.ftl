### 두 실행의 비교.

## 비교에 덧붙이는 말: 키는 `remark-<code>`이며, 영어 문장은 analysis에 있다.

remark-no-figure =
    { $side ->
        [neither] 양쪽 모두 이 값을 낸 시행이 없습니다
        [new] 새 쪽에는 이 값을 낸 시행이 없습니다
       *[baseline] 기준에는 이 값을 낸 시행이 없습니다
    }
remark-other-unit = 단위가 다릅니다: { $baseline }, { $new }
remark-not-above-zero = 0 이하로 측정된 시행이 있어 비율을 구할 수 없습니다
remark-in-some-trials =
    { $have ->
        [0] 시행 { $of }회 중 이 백분위수를 구할 만큼 작업이 많은 시행이 없습니다
       *[other] 시행 { $of }회 중 { $have }회만 이 백분위수를 구할 만큼 작업이 많습니다
    }. 표시한 값은 모든 시행을 합쳐 구했습니다
remark-too-few-trials = 시행 { $new }회 대 { $baseline }회: 신뢰구간을 구하려면 양쪽에 두 번씩 필요합니다
remark-no-interval = 시행들이 너무 흩어져 있어 신뢰구간을 구할 수 없습니다
remark-lost-among-many = 이것만 보면 차이라고 할 수 있지만, 함께 본 { $family }개 가운데에서는 우연일 수 있습니다
remark-independent-groups = { $by } 값이 다른 케이스들은 한 묶음씩 차례로 측정했으므로 시행이 짝을 이루지 않습니다. 그 사이의 변동도 차이에 포함됩니다.
remark-independent-runs = 두 실행은 { $count }{ $unit ->
        [day] 일
        [hour] 시간
        [minute] 분
       *[second] 초
    } 간격으로 시작했습니다. 그 사이의 변동도 차이에 포함됩니다.
remark-different-days = 두 실행은 { $count }{ $unit ->
        [day] 일
        [hour] 시간
        [minute] 분
       *[second] 초
    } 간격으로 시작했습니다. 날마다 달라지는 것은 차이에는 들어 있지만 신뢰구간에는 들어 있지 않습니다.
remark-overlap = 실행 { $baseline }, { $run }: 같은 시간에 실행되어 서로 방해했습니다.
remark-other-circumstances = 같은 작업이지만 { $name } 값이 다릅니다: 기준 { $before ->
        [none] 없음
       *[other] { $before }
    }, 새 값 { $after ->
        [none] 없음
       *[other] { $after }
    }.
remark-follows = { $by }에 따라 { $name } 값도 달라집니다.
remark-unfinished = { $called ->
        [the-only] 이 실행
       *[by-id] 실행 { $run }
    }: { $how ->
        [budget] 시간 예산이 다하여 끝났습니다
        [interrupted] 중단되었습니다
       *[unfinished] 끝나지 않았습니다
    }. 있는 것만 비교합니다.
remark-debug-build = { $called ->
        [the-only] 이 실행
       *[by-id] 실행 { $run }
    }: 느린 디버그 빌드로 측정했습니다.
remark-failed-trials = { $called ->
        [the-only] 이 실행
       *[by-id] 실행 { $run }
    }: 시행 { $count }회가 실패하여 계산에 넣지 않았습니다.
remark-doubtful = { $called ->
        [the-only] 이 실행
       *[by-id] 실행 { $run }
    }: 케이스 { $count }개에 경고가 있습니다({ $codes }). `headroom show { $run }`으로 볼 수 있습니다.
remark-few-trials = 시행이 { $trials }회뿐인 케이스가 있습니다. 큰 차이만 드러납니다.

## 환경

environment-machine = 서버
environment-product = 제품
environment-cpu = 프로세서
environment-microcode = 마이크로코드
environment-cpus = CPU 수
environment-cpus-allowed = 허용된 CPU 수
environment-cpu-quota = CPU 쿼터(CPU 수)
environment-memory = 메모리
environment-memory-modules = 메모리 모듈
environment-firmware = 펌웨어
environment-virtualization = 가상 머신
environment-container = 컨테이너
environment-os = 배포판
environment-kernel = 커널
environment-kernel-build = 커널 빌드
environment-command-line = 커널 명령줄
environment-mitigations = 취약점 완화
environment-clock-source = 클럭 소스
environment-governor = 주파수 거버너
environment-boost = 터보
environment-huge-pages = 투명 대형 페이지
environment-swap = 스왑 영역 수
environment-drive = 드라이브
environment-drive-firmware = 드라이브 펌웨어
environment-scheduler = I/O 스케줄러
environment-write-cache = 드라이브 쓰기 캐시
environment-file-system = 파일 시스템
environment-mount-options = 마운트 옵션
environment-nic = 네트워크 인터페이스
environment-headroom = Headroom
environment-build = Headroom 빌드
environment-tool = 도구
environment-warm-up = 준비 운전
environment-pin = 요청한 배치
environment-placement = 배치
environment-interrupts = 인터럽트를 받는 CPU

## The page of a comparison

comparison-baseline = 기준
comparison-new = 새 결과
comparison-others = 나머지
comparison-run = 실행
comparison-title = { $baseline } 대비 { $new }
comparison-title-levels = { $by } { $baseline } 대비 { $new }
comparison-title-by = { $by } { $levels }
comparison-title-of = { $title }: { $what }
comparison-level = { $by } { $level }
comparison-side = { $role }, { $name }
comparison-case-by = { $case }: { $by } { $baseline } 대비 { $new }
comparison-row = { $case }, { $metric }
comparison-footer = Headroom { $version }로 비교했습니다.
comparison-verdict-better = 좋아짐
comparison-verdict-worse = 나빠짐
comparison-verdict-same = 같음
comparison-verdict-cannot-tell = 알 수 없음

## In short

comparison-tally-better = 좋아짐 { $count }개
comparison-tally-worse = 나빠짐 { $count }개
comparison-tally-same = { PERCENT($margin, decimals: 1) } 안에서 같음 { $count }개
comparison-tally-cannot-tell = 알 수 없음 { $count }개
comparison-tally-join = {", "}
comparison-nothing = 비교할 수 있는 것이 없습니다.
comparison-worse = 나빠진 것이 있는가
comparison-worse-no = 없음
comparison-worse-yes = 있음
comparison-worse-unshown = 드러나지 않음
comparison-worse-unknown = 알 수 없음
comparison-worse-no-text = 값 { $judged }개 중 나빠진 것이 없습니다.
comparison-worse-yes-text = 값 { $judged }개 중 { $worse }개가 나빠졌습니다.
comparison-worse-unshown-text = 나빠졌다고 드러난 것은 없지만, 값 { $judged }개 중 { $unknown }개는 알 수 없습니다. 알 수 없다는 것은 같다는 뜻이 아닙니다.
comparison-worse-unknown-text = 이 시행들로는 판단할 수 없습니다. 시행을 늘리거나 더 조용한 서버에서 측정하면 알 수 있을지도 모릅니다.
comparison-changed = 무엇이 달라졌나
comparison-no-change = 드러난 차이가 없습니다.
comparison-line = ({ $interval }): { $case }, { $baseline } → { $new }
comparison-caveats = 염두에 둘 것
comparison-differ = 양쪽이 다른 점:
comparison-doubts = 양쪽의 값을 의심하게 하는 것이 { $count }가지 있습니다.
comparison-alone-count = 케이스 { $count }개는 다른 쪽에 짝이 없습니다.
comparison-chart = 판정한 모든 값의 변화
comparison-chart-note = 각각 기준에 대한 비율과 95 % 신뢰구간입니다. 1보다 작으면 줄어든 것이며, 지연 시간은 줄어드는 쪽이 좋습니다.

## Rows

comparison-rows = 양쪽의 모든 값
comparison-rows-caption = 판정한 값 { $count }개
comparison-change = 변화
comparison-change-note = 변화는 시행에서 계산하므로, 표에 있는 두 중앙값의 비와 다를 수 있습니다.
comparison-verdict = 판정
comparison-p = 보정한 p
comparison-others-title = 판정하지 않은 다른 지표
comparison-others-about = 대부분 같은 것을 되풀이해 보여 주며, 판정하는 값이 늘수록 나머지에 더 많은 증거가 필요해집니다. --metric으로 다른 지표를 판정할 수 있습니다.
comparison-rows-left = 나머지 { $count }행은 비교 문서에 있습니다.
comparison-reasons = 알 수 없는 이유:

## Charts

comparison-charts = 양쪽을 겹쳐 보기
comparison-charts-about = 각 쪽의 값과 그 신뢰구간입니다. 둘이 다른지는 신뢰구간이 겹치는지가 아니라 위의 비율로 판단합니다.

## Circumstances

comparison-circumstances = 그 밖에 다른 점
comparison-none-differ = 서버, 소프트웨어, 측정 방법은 알려진 한 양쪽이 같습니다.
comparison-differ-caption = 양쪽이 다른 점 { $count }가지
comparison-notes = 염두에 둘 것
comparison-alone = 짝이 없는 케이스
comparison-of-side = 쪽
comparison-nearest = 다른 쪽에서 가장 가까운 것
comparison-differs = 다른 점(기준, 새 결과)
comparison-difference = { $name }: { $baseline }, { $new }
differs-definition-version = 정의 버전
differs-beside-it = 함께 실행한 부하
differs-work = 작업
environment-value-none = 없음
environment-value-nothing-more = 그 밖에 없음
environment-value-on = 켜짐
environment-value-off = 꺼짐

## Machines

comparison-machines = 서버
comparison-same-machine = 기준과 같습니다.

## Method

comparison-method-about = 양쪽은 같은 작업을 측정했습니다. 각 행은 기준에 대한 새 결과의 비율과 그 신뢰구간이며, 시행으로 판단할 수 있는 경우에만 판정합니다.
comparison-change-text = 양쪽 시행의 비율과 그 { PERCENT($confidence) } 신뢰구간. 두 중앙값의 몫과 다를 수 있습니다
comparison-trials-text = 기준 { $baseline }회, 새 결과 { $new }회
comparison-paired = 시행의 대응
comparison-paired-all = 짝: 같은 블록에서 실행한 시행끼리
comparison-paired-none = 독립: 양쪽에 공통 블록이 없음
comparison-paired-some = 같은 블록에서 실행한 것은 짝, 나머지는 독립
comparison-method-student-t-log = 짝별 비율의 로그에 대한 스튜던트 t
comparison-method-order-statistic-interpolated = 짝별 비율의 순서 통계량(보간)
comparison-method-welch-t-log = 로그에 대한 웰치 t
comparison-method-hodges-lehmann = 로그의 호지스-레만 이동(순위 기반)
comparison-judged = 판정한 지표
comparison-verdicts = 판정 기준
comparison-verdicts-text = 좋아짐과 나빠짐: 보정한 p가 { PERCENT($chance) } 미만이고 신뢰구간에 1이 없음. 같음: 90 % 신뢰구간이 { PERCENT($margin, decimals: 1) } 안에 있음. 알 수 없음: 둘 다 아님
comparison-margin = 허용 차이
comparison-margin-text = { PERCENT($margin, decimals: 1) } 이하의 차이는 중요하지 않은 것으로 봅니다
comparison-together = 여러 값의 보정
comparison-together-text = 좋아짐과 나빠짐은 값 { $count }개 전체에 대해 성립합니다(홀름 보정)
comparison-by-version = 비교한 프로그램
comparison-command = 비교

comparison-price = 같은 속도에 드는 비용
comparison-price-side = 대상
comparison-price-offer = 가격
comparison-price-note = 각 대상의 가격을 그 값으로 나눈 것입니다. 변화는 같은 속도에 기준보다 얼마나 더 또는 덜 드는지이며, 같은 통화로 같은 것에 매긴 가격이 양쪽에 있을 때만 나옵니다.
comparison-price-row = { $row }: { $unit }당 비용
