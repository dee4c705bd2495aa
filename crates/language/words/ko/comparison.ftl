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
remark-in-some-trials = 시행 { $of }회 중 { $have }회에만 이 값이 있습니다. 나머지는 너무 짧았습니다
remark-too-few-trials = 시행 { $new }회 대 { $baseline }회: 신뢰 구간을 구하려면 양쪽에 두 번씩 필요합니다
remark-no-interval = 시행들이 너무 흩어져 있어 신뢰 구간을 구할 수 없습니다
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
    } 간격으로 시작했습니다. 날마다 달라지는 것은 차이에는 들어 있지만 신뢰 구간에는 들어 있지 않습니다.
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
        [budget] 시간 한도에 이르러 끝났습니다
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
environment-cpu-quota = CPU 할당량(CPU 수)
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
environment-clock-source = 클록 소스
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
environment-warm-up = 워밍업
environment-pin = 요청한 배치
environment-placement = 배치
environment-interrupts = 인터럽트를 받는 CPU
