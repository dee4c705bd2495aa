### 서버: 실행 페이지를 둘러싼 목록, 양식, 거절.

## 이동

serve-ways = 페이지
serve-runs = 실행
serve-machines = 머신
serve-trend = 추세
serve-live = 진행 중
serve-to-runs = 실행 목록으로
serve-sign-in = 로그인
serve-sign-out = 로그아웃

## 목록

serve-search = 검색
serve-study = 스터디
serve-machine = 머신
serve-tag = 태그
serve-state = 상태
serve-since = 시작일
serve-until = 종료일
serve-baselines = 기준선만
serve-all = 모두
serve-show = 보기
serve-clear = 모두 보기
serve-none = 아직 보관된 실행이 없습니다. `headroom run`으로 만들 수 있습니다.
serve-none-found = 조건에 맞는 실행이 없습니다.
serve-compare = 선택한 실행 비교
serve-trend-of-these = 이 실행들의 추세
serve-tick = 비교
serve-tick-run = { $time }의 { $run } 비교
serve-column-run = 실행
serve-column-cases = 케이스
serve-column-trials = 시행
serve-column-said = 태그와 메모
serve-column-started = 시작 (UTC)
serve-column-latest = 최근 실행
serve-column-parts = 부품
serve-column-progress = 진행
serve-left = { $time } 남음
serve-baseline = { $day }부터 기준선
serve-pages = 목록의 부분
serve-newer = 더 최근
serve-older = 더 이전
serve-part = 전체 { $all }개 중 { $first }–{ $last }
serve-state-complete = 완료
serve-state-budget = 예산 소진
serve-state-interrupted = 중단됨
serve-state-running = 실행 중
serve-state-killed = 미완료

## 실행

serve-run-is-live = 이 실행은 아직 측정 중입니다.
serve-compare-by = { $name }별로 케이스 비교
serve-trend-of-study = 이 스터디의 추세
serve-file-page = 페이지 파일
serve-file-json = JSON
serve-file-csv = CSV
serve-file-md = Markdown
serve-remove = 삭제
serve-remove-title = 이 실행을 삭제할까요?
serve-remove-about = 되돌릴 수 없습니다. 따로 저장한 페이지나 파일은 남습니다.
serve-keep = 그대로 두기
serve-stop = 중지
serve-stop-title = 이 실행을 중지할까요?
serve-stop-about = Ctrl-C를 누른 것처럼 끝납니다. 바꾼 설정은 되돌리고, 측정한 것은 보관합니다.
serve-go-on = 계속 측정

## 비교, 추세, 머신, 진행 중

serve-compare-one = 실행이 하나뿐입니다. 케이스를 비교할 수 있는 기준:
serve-margin = 허용 차이(퍼센트)
serve-all-metrics = 모든 지표 판정
serve-swap = 서로 바꾸기
serve-trend-about = 같은 작업의 수치가 보관된 실행에 걸쳐 어떻게 변했는지 보여 줍니다. 한 스터디나 한 머신의 실행을 고르십시오.
serve-trend-older = 가장 최근 실행 { $count }개를 봅니다. 더 이전 것은 종료일을 정하면 볼 수 있습니다.
serve-metric = 지표
serve-picture = 그림과 부품
serve-as-in-run = 다음 실행 당시:
serve-runs-of-machine = 이 머신의 실행
serve-over-time = 다른 케이스와 시행의 시간에 따른 변화
serve-over-time-runs = 시간에 따른 변화를 겹쳐 보기
serve-over-time-case = 케이스
serve-over-time-trial = 시행
serve-over-time-quantity = 항목
serve-live-none = 이 저장소에 측정 중인 실행이 없습니다.
serve-live-reload = 스크립트가 없으면 이 페이지는 저절로 바뀌지 않습니다. 다시 불러오십시오.
serve-live-trial = 시행 { $number }: { $case }
serve-live-latency = 지금까지 시행의 각 구간에서의 지연 시간
serve-live-operations = 작업 { $rate }
serve-live-p50 = 절반이 { $latency } 이내
serve-live-p99 = 99 %가 { $latency } 이내
serve-live-errors = 실패 { $count }건
serve-live-soon = 이 시행의 수치는 곧 나타납니다. 시작할 때 아무도 보지 않았다면 다음 시행부터 나타납니다. 아무도 보지 않는 실행은 이를 위해 시간을 쓰지 않습니다.

## 스크립트가 다루는 차트

serve-chart-help = 화살표 키로 커서를 옮기고, +와 -로 확대·축소하고, Shift와 화살표 키로 이동하며, 0으로 전체를 봅니다. 차트를 끌면 확대됩니다.
serve-chart-all = 전체 보기
serve-chart-in = 확대
serve-chart-out = 축소
serve-chart-tracks = 표시할 선
serve-chart-fails = 차트를 불러오지 못했습니다.
serve-chart-news = 더 측정되었습니다. 페이지를 다시 불러오십시오.

## 로그인

serve-role-nobody = 로그인하지 않았습니다.
serve-role-reader = 모든 것을 볼 수 있습니다. 실행을 중지하거나 삭제하려면 쓰기 토큰으로 로그인하십시오.
serve-role-writer = 모든 것을 보고, 실행을 중지하거나 삭제할 수 있습니다.
serve-token = 토큰
serve-token-help = `headroom serve`가 시작할 때 보여 준 것입니다.

## 거절

serve-not-found = 그런 페이지가 없습니다
    .help = 실행이 삭제되었거나 주소가 온전하지 않습니다.
serve-not-compared = 이 실행들은 비교할 수 없습니다
    .help = 서로 다른 작업입니다.
serve-foreign = 다른 사이트에서 온 요청입니다
    .help = 이 서버의 양식은 로그인한 동안 이 서버의 페이지에서만 쓸 수 있습니다. 뒤로 가서 페이지를 다시 불러온 뒤 되풀이하십시오.
serve-misdirected = 이 서버의 이름이 아닙니다
    .help = localhost, 주소, 그리고 시작할 때 --name으로 준 이름에만 답합니다.
serve-unknown = 로그인
    .help = 이 서버는 토큰이 있는 사람에게만 실행을 보여 줍니다.
serve-waits = 틀린 토큰이 너무 많습니다
    .help = 1분 동안 기다리십시오.
serve-forbidden = 쓰기 토큰이 필요합니다
    .help = `headroom serve`가 시작할 때 보여 준 것입니다. 먼저 그것으로 로그인하십시오.
serve-still-running = 이 실행은 아직 측정 중입니다
    .help = 먼저 중지하십시오.
serve-method = 이 페이지를 부르는 방법이 아닙니다
    .help = 페이지는 GET으로 읽고, 이 서버의 양식은 POST로 보냅니다.
serve-too-long = 요청이 너무 깁니다
    .help = 한 번에 더 적게 요청하십시오.
serve-busy = 서버가 바쁩니다
    .help = 몇 초 뒤에 다시 시도하십시오.
serve-store-fails = 저장소를 읽을 수 없습니다
    .help = 이유는 서버를 시작한 사람에게 알렸습니다.
serve-fails = 이 페이지를 만들지 못했습니다
    .help = 다시 시도하십시오. 또 실패하면 `headroom report`가 이유를 알려 줄 수 있습니다.
serve-no-form = 양식이 아닙니다
    .help = 이 서버의 양식은 application/x-www-form-urlencoded로 보냅니다.
serve-compare-two = 실행을 둘 이상 고르십시오
    .help = 케이스가 다르지 않은 실행은 다른 실행과만 비교할 수 있습니다.
serve-compare-fewer = 실행을 더 적게 고르십시오
    .help = 여덟 개까지 나란히 놓을 수 있습니다.
serve-no-metric = 그런 지표가 없습니다
    .help = `headroom workloads NAME`이 작업 부하의 지표를 보여 줍니다.
serve-no-samples = 표본이 없습니다
    .help = 이 실행, 케이스 또는 시행에는 시간에 따른 수치가 없습니다.
serve-not-running = 이 실행을 측정하는 프로세스가 없습니다
    .help = 끝났거나, 측정하던 프로세스가 사라졌습니다.
