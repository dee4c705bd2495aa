### 용어: trial 시행, case 케이스, run 실행, window 측정 구간, confidence interval 신뢰구간, median 중앙값,
### throughput 처리량, latency 지연 시간, queue depth 큐 깊이, operation 작업, worker 작업 스레드,
### bottleneck 병목, limit 한계(full 한계에 도달), quota 쿼터, promise 약속된 값, resource 자원,
### machine 서버, part 부품, finding 진단 결과, figure(수) 값·수치.
### 제목과 표의 머리는 명사로, 문장은 합니다체로 쓴다. 변수 바로 뒤에는 받침에 따라 달라지는
### 조사(은/는, 이/가, 을/를, 으로)를 쓰지 않는다. 수와 단위 이름(개, 회, 건)은 붙여 쓴다.

## The page itself

page-skip = 본문으로 건너뛰기
page-contents = 목차
page-figure = 그림 { $number }
page-data = 데이터
page-evidence = 근거
page-untitled = 측정
page-tile-what = 대상
page-tile-value = 값
page-tile-interval = 95 % 신뢰구간
page-tile-against = 한계와 경고
footer = Headroom { $version }에서 { $run } 실행의 기록으로 만든 페이지입니다.
terminal-more = `{ $command }` 명령은 다음도 보여 줍니다: { $sections }.
doctor-nothing = 측정을 방해할 만한 것을 찾지 못했습니다.
doctor-no-errors = 그 시각 이후 집계되거나 기록된 오류가 없습니다.
doctor-sources =
    여기서 오류를 집계하는 것은 메모리 컨트롤러(ECC) { $memory }개, PCI Express 기능 { $links }개, 네트워크 어댑터 { $adapters }개, 드라이브 { $drives }개입니다. 0개인 종류에 대해서는 아무것도 알 수 없습니다. 커널 로그는 { $log ->
        [unread] 읽을 수 없습니다.
        [cut] 최근 { SPAN($seconds) }까지만 남아 있습니다.
       *[whole] 그 시간 전체를 담고 있습니다.
    }
range = { $low } ~ { $high }
and-more = 외 { $count }개
yes = 예
no = 아니요
cases = 케이스 { $count }개
cases-of = 케이스 { $total }개 중 { $count }개
trials = 시행 { $count }회
warnings = 경고 { $count }건
errors = 오류 { $count }건
severity-error = 오류
severity-warning = 경고
severity-note = 참고
kind-bottleneck = 병목
kind-proof = 입증
kind-promise = 약속된 값

## In short

answer-title = 요약
answer-question = 답
answer-absorbs-yes = 예
answer-absorbs-head = 처음에만
answer-absorbs-no = 아니요
answer-absorbs-elsewhere = 다른 원인
answer-absorbs-unknown = 판단 불가
answer-accepts-yes = 합격
answer-accepts-no = 불합격
answer-fast = 속도
answer-limits = 제한 요인
answer-room = 가장 가까운 한계
room-most =
    { $count ->
       [1] { $used }: { $case }
    *[other] { $used } (케이스 { $total }개 중 { $count }개), 최대: { $case }
    }
answer-promised = 약속 이행
answer-health = 신뢰 여부
answer-kept = 충족
answer-none-kept = 미달
answer-not-kept = 일부 미달
answer-kept-none = 미달
answer-kept-unsure = 판단 불가
answer-kept-untested = 시험하지 않음
answer-promises-kept =
    { $kept ->
       [0] 약속된 값 { $total }개 중 지킨 것 없음
    *[other] 약속된 값 { $total }개 중 { $kept }개 지킴
    }
answer-promises-missed = { $count }개 지키지 못함
answer-promises-unsure = { $count }개 판단 불가
answer-promises-untested = { $count }개 시험하지 않음
promise-column = 약속
promise-column-value = 약속된 값
promise-column-case = 비교한 케이스
promise-column-measured = 측정값
promise-column-share = 비율
promise-column-verdict = 판정
promise-kept = 지킴
promise-short = 지키지 못함
promise-beyond = 드라이브의 값보다 높음
promise-unsure = 판단 불가
promise-untested = 시험하지 않음
promise-least = { $value } 이상
promise-most = { $value } 이하
promise-of-sheet = { $promise } (데이터시트)
promise-best-of = { $case }, { $count }개 중 가장 좋은 것
promise-worst-of = { $case }, { $count }개 중 가장 나쁜 것
promises-note = 약속된 값의 95 % 이상이면 지킨 것으로 봅니다. 신뢰구간이 그 경계에 걸치면 판단할 수 없습니다. 랜덤 값은 동시에 32개 이상을 처리한 케이스와, 순차 값은 블록이 128 KiB 이상이고 동시에 4 MiB 이상을 처리한 케이스와 비교합니다.
answer-promise-unknown = 약속된 값과 비교할 수 있는 측정값이 없습니다.
health-good = 신뢰 가능
health-care = 주의 필요
health-bad = 일부 신뢰 불가
health-good-text = 값을 의심할 만한 점은 발견되지 않았습니다.
health-care-text =
    { $doubts ->
         [0] 값에 대한 경고는 없으며
    *[other] 값에 대한 경고가 { $doubts }종 있으며
    }, { $conditions ->
         [0] 서버 상태에 대한 경고는 없습니다.
    *[other] 서버 상태에 대한 경고가 { $conditions }건 있습니다.
    }
health-bad-text =
    일부 값은 그대로 받아들일 수 없습니다: 값에 대한 의문이 { $doubts }종 있으며, { $conditions ->
         [0] 서버 상태에 대한 경고는 없습니다.
    *[other] 서버 상태에 대한 경고가 { $conditions }건 있습니다.
    }
ending-title = 종료 상태
ending-interrupted = 실행이 중단되었습니다. 그때까지 완료된 부분만 실려 있습니다.
ending-unfinished = 실행이 끝나지 않았습니다(진행 중이거나 강제 종료됨). 완료된 부분만 실려 있습니다.
ending-budget = 시간 예산을 모두 써서 일부 케이스는 시행 횟수를 채우지 못했습니다.
ending-resumed = 실행이 { $stopped }에 멈췄다가 { $resumed }에 재개되었습니다. 시행은 블록 안에서 비교되며, 이 중단에 걸친 블록은 없습니다.
ending-resumed-killed = 실행이 { $stopped } 이후 어느 시점에 끊겼다가 { $resumed }에 재개되었습니다. 시행은 블록 안에서 비교되며, 이 중단에 걸친 블록은 없습니다.
ending-no-trial = 완료된 시행이 없어 측정값이 없습니다.
ending-failed = 시행 { $count }회가 실패했습니다.
ending-skipped = 시행 { $count }회를 건너뛰었습니다.

## Verdicts in a few words

verdict-one-core-full = 코어 하나가 한계에 도달
verdict-window-bound = TCP 윈도우
verdict-sender-cpu = 보내는 쪽 프로세서
verdict-receiver-cpu = 받는 쪽 프로세서
verdict-reordering-bound = 뒤바뀐 세그먼트 순서
verdict-path-full = 경로가 가득 참
verdict-loss-bound = 패킷 손실
verdict-server-bound = 서버
verdict-device-bound = 장치
verdict-presenter-cpu-full = 노드의 CPU
verdict-presenter-device-bound = 노드의 장치
verdict-dirty-throttled = 더티 스로틀링
verdict-round-trip-bound = 왕복 시간
verdict-client-bound = 클라이언트
verdict-server-cpu-bound = 데이터베이스의 프로세서 시간
verdict-lock-bound = 잠금
verdict-log-flush-bound = 로그 플러시
verdict-page-read-bound = 페이지 읽기
verdict-own-cores-full = 부하가 실행될 수 있는 CPU가 사용 중
verdict-interrupt-cpu-full = 인터럽트로 { $resource } 한계에 도달
verdict-all-cores-full = 모든 CPU가 사용 중
verdict-memory-bandwidth-full = 메모리 대역폭이 한계에 도달
verdict-memory-latency = 읽기마다 앞선 읽기를 기다림
verdict-threads-stopped = 실행되지 못하고 멈춘 스레드
verdict-swap-bound = 스왑
verdict-reclaim-bound = 컨트롤 그룹의 메모리
verdict-device-full = { $resource } 한계에 도달
verdict-limit-reached = { $resource } 한계에 도달
verdict-link-full = { $resource } 한계에 도달
verdict-io-quota = { $resource } 쿼터로 제한됨
verdict-allowance-exceeded = { $resource } 제공자 한도에 도달
verdict-bucket-used-up = { $resource } 모아 둔 몫을 다 씀
verdict-constant-limit = { $resource } 일정한 속도로 묶임
verdict-credits-used-up = CPU 크레딧을 다 씀
verdict-overloaded = 과부하
verdict-clock-held = 낮게 유지된 프로세서 클럭
verdict-steal-bound = 하이퍼바이저가 CPU 시간을 가져감
verdict-io-control = 컨트롤 그룹의 I/O 컨트롤러
verdict-copy-on-write = { $resource }의 쓰기 시 복사
verdict-cpu-quota = CPU 쿼터로 제한됨
verdict-scheduler-bound = 측정 대상 자체: 스레드, 타이머, 시스템 호출
verdict-latency-bound = { $resource } 응답 대기
verdict-cannot-tell = 알 수 없음

## What limits, and what more would buy

conclusion-where =
    { $position ->
        [from] {" "}({ $place }부터)
        [at] {" "}({ $place })
       *[none] {""}
    }
conclusion-then =
    { $then ->
        [waits] . 더 늘리면 { $counted ->
            [yes] 기다리기만 합니다
           *[no] 작업이 기다리기만 합니다
        }
        [nothing] . 더 늘려도 늘지 않습니다
        [little] . 더 늘려도 조금만 늘고 { $counted ->
            [yes] 오래 기다립니다
           *[no] 작업이 오래 기다립니다
        }
        [tried] . 시도한 가장 큰 값입니다
        [time] . 더 찾아볼 시간이 없었습니다
       *[none] {""}
    }
conclusion-rate =
    { $what ->
        [reads] 초당 읽기 { $figure }회
       *[writes] 초당 쓰기 { $figure }회
    }
conclusion-other = { $verdict }: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-cannot-tell = 제한 요인을 알 수 없음: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-constant-limit = { $resource }에 걸린, 어디에도 알려지지 않은 일정한 제한이 한계: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-bucket-used-up = { $resource }에 모아 둔 몫을 다 써서 기본 속도 { SHORT($base, $unit) }가 한계, 측정값: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-credits-used-up = CPU 크레딧을 다 써서 크레딧 없이 얻는 CPU { FIXED($base, decimals: 1) }개분의 시간이 한계: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-overloaded = 처리할 수 있는 것보다 많이 요청했습니다: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-clock-held = 낮게 유지된 프로세서 클럭이 한계: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-steal-bound = 하이퍼바이저가 가져가는 CPU 시간이 한계: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-threads-stopped = 스레드가 일부 시간 동안 실행되지 못하는 것이 한계: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-swap-bound = 메모리가 한계(스왑 발생): { $rate }{ conclusion-where }{ conclusion-then }
conclusion-reclaim-bound = 컨트롤 그룹의 메모리가 한계(태스크가 빈자리를 기다림): { $rate }{ conclusion-where }{ conclusion-then }
conclusion-interrupt-cpu-full = 인터럽트를 처리하는 { $resource } 한계에 도달: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-syncs =
    { $syncs ->
        [yes] , 시간의 { PERCENT($sync_share) }는 { SHORT($sync_s, unit: "s") }짜리 동기화에 쓰임
       *[no] {""}
    }
conclusion-device-full =
    { $resource } 한계에 도달{ $others ->
        [yes] {" "}(옮긴 양 가운데 부하의 몫은 절반 이하)
       *[no] {""}
    }: { $rate }{ conclusion-where }{ conclusion-then }{ conclusion-syncs }
conclusion-limit-reached = { $resource } 한계에 도달: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-link-full = { $resource } 한계에 도달: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-io-quota = { $resource } 쿼터가 한계: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-allowance-exceeded = 제공자가 { $resource }에 허용한 만큼이 한계: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-io-control = 컨트롤 그룹의 I/O 컨트롤러가 한계: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-copy-on-write = { $resource }의 쓰기 시 복사가 한계: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-cpu-quota = CPU 쿼터가 한계: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-memory-bandwidth-full = 메모리 대역폭이 한계: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-scheduler-bound = 측정 대상 자체가 한계: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-sender-cpu = 보내는 쪽 프로세서가 한계: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-receiver-cpu = 받는 쪽 프로세서가 한계: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-slowed =
    { $slowed ->
        [heat] {" "}(열 때문에 느려짐)
        [power] {" "}(전력 제한 때문에 느려짐)
       *[no] {""}
    }
conclusion-one-core-full =
    { $threads ->
        [1] { $client ->
            [yes] 클라이언트의{" "}
           *[no] {""}
        }코어 하나가 한계
       *[other] { $client ->
            [yes] 클라이언트의{" "}
           *[no] {""}
        }스레드 { FIXED($threads) }개의 코어가 한계
    }{ conclusion-slowed }: { $rate }{ conclusion-where }{ conclusion-then }{ $spare ->
        [0] {""}
       *[other] . 이 서버에는 코어가 { $spare }개 더 있습니다
    }
conclusion-own-cores-full =
    { $ours ->
        [yes] 실행될 수 있는 CPU 전부인 { $resource } 한계에 도달
       *[no] 다른 것과 나누어 쓰는 { $resource } 한계에 도달
    }{ conclusion-slowed }: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-all-cores-full =
    { $cpus ->
        [1] 하나뿐인 CPU가 한계
       *[other] CPU { FIXED($cpus) }개 모두가 한계
    }{ $shared ->
        [yes] (일부는 다른 것이 사용)
       *[no] {""}
    }{ conclusion-slowed }: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-memory-latency =
    { $memory ->
        [yes] 메모리의 응답 시간이 한계
       *[no] 캐시의 응답 시간이 한계
    }: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-latency-bound =
    { $resource } 응답 대기가 한계: { $rate }, 한 번에 { FIXED($depth) }개씩, 하나에 { SHORT($latency_s, unit: "s") }{ conclusion-syncs }
conclusion-round-trip-bound =
    왕복 시간이 한계: { $rate }, 한 번에 { FIXED($outstanding) }개씩, 응답까지 { SHORT($latency_s, unit: "s") }
conclusion-client-bound = 서버가 아니라 클라이언트가 한계: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-server-cpu-bound =
    { $engine ->
        [library] 프로세서가 한계
       *[server] 서버의 프로세서가 한계
    }: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-lock-bound = 잠금이 한계(클라이언트가 서로를 기다림): { $rate }{ conclusion-where }{ conclusion-then }
conclusion-log-flush-bound = 로그 플러시가 한계: { $rate }{ conclusion-where }, 클라이언트가 시간의 { PERCENT($share) } 동안 기다림{ conclusion-then }
conclusion-page-read-bound = 페이지 읽기가 한계: { $rate }{ conclusion-where }, 클라이언트가 시간의 { PERCENT($share) } 동안 기다림{ conclusion-then }
conclusion-server-bound =
    서버가 한계: { $rate }{ $how ->
        [stream] , 클라이언트가 시간의 { PERCENT($share) } 동안 서버를 기다림{ conclusion-then }
        [upload] , 클라이언트가 시간의 { PERCENT($share) } 동안 서버의 수신과 응답을 기다림{ conclusion-then }
        [threads] , { $machine }의 응답 스레드마다 시간의 { PERCENT($share) } 동안 계산함{ conclusion-then }
        [file] , 상대 쪽이 시간의 { PERCENT($share) } 동안 자신의 디스크를 기다림{ conclusion-then }
        [refused] , 서버가 요청의 { PERCENT($share) }를 처리하지 않음{ conclusion-then }
       *[requests] , 한 번에 { FIXED($outstanding) }개씩, 응답까지 { SHORT($latency_s, unit: "s") }, 그중 왕복은 { SHORT($rtt_s, unit: "s") }
    }
conclusion-device-bound = { $resource } 한계에 도달: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-presenter-cpu-full = 디스크를 제공하는 { $machine }의 CPU 한계에 도달: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-presenter-device-bound = 디스크를 제공하는 { $machine }의 { $device } 한계에 도달: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-dirty-throttled = { $resource } 한계에 도달(아직 쓰지 않은 데이터로 페이지 캐시가 가득 참): { $rate }{ conclusion-where }{ conclusion-then }
conclusion-window-bound =
    { $which ->
        [receive] 받는 쪽의 윈도우가 한계
        [congestion] 혼잡 윈도우가 한계
       *[send] 보내는 쪽의 버퍼가 한계
    }: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-reordering-bound = 세그먼트의 순서 뒤바뀜이 한계: { $rate }{ conclusion-where }, 세그먼트의 { PERCENT($share) }가 순서를 어김{ conclusion-then }
conclusion-path-full = 상대까지의 경로가 한계: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-loss-bound =
    패킷 손실이 한계: { $rate }{ conclusion-where }, { $how ->
        [timeouts] 요청이 시간의 { PERCENT($share) } 동안 TCP의 재전송을 기다림
        [datagrams] 데이터그램의 { PERCENT($share) } 손실
        [stalls] 연결이 시간의 { PERCENT($share) } 이상 TCP의 재전송을 기다림
        [answers] 요청이 시간의 { PERCENT($share) } 동안 오지 않는 응답을 기다림
       *[segments] 세그먼트의 { PERCENT($share) } 손실
    }{ conclusion-then }
answer-gains = 늘리면 얻는 것
gain-table = 더 늘리면 무엇을 얻는가?
gain-change = 변경
gain-predicted = 예측
gain-law = 근거
gain-measured = 측정
gain-more = 예측이 있는 케이스가 { $count }개 더 있습니다.
gain-fix =
    { $fix ->
        [more] { $from } 대신 { $to }
        [window] { $known ->
            [yes] { $from } 대신 { $to } 윈도우
           *[no] 두 배 큰 윈도우
        }
        [processor] 두 배의 프로세서 시간
        [alone] { $resource } 단독 사용
        [resource] 두 배 빠른 { $resource }
        [quota] { $resource } 쿼터 두 배
       *[no-quota] CPU 쿼터 없음
    }
gain-limit =
    { $bound ->
        [resource] { $limit } 한계
        [workers] 스레드가 쉬지 않고 계산
        [other-end] 상대 쪽 스레드가 쉬지 않고 계산
       *[processors] 모든 CPU가 사용 중
    }
gain-prediction =
    { $how ->
        [nothing] 늘지 않음{ $bound ->
            [none] {""}
           *[other] ({ gain-limit })
        }
       *[more] { $how ->
            [range] { $least } ~ { $times }배
            [likely] 약 { $times }배
           *[most] 최대 { $times }배
        }{ $bound ->
            [none] {""}
           *[other] (그다음은 { gain-limit })
        }
    }
gain-tried = { $times }배({ $low } ~ { $high })
gain-tried-alone = { $times }배
gain-line = { $change }: { $prediction }
gain-line-tried = { $change }: { $prediction }, 측정 { $measured }
gain-law-little = 리틀의 법칙
gain-law-utilization = 이용률 법칙
gain-law-window = 윈도우 ÷ 왕복 시간
gain-law-amdahl = 암달의 법칙
gain-law-other = 이 버전이 모르는 법칙
general-title = 이런 종류의 모든 실행에 해당하는 참고 사항 ({ $count })
general-about = 이런 서버에서 하는 이런 측정 모두에 해당하는 것

## Headline figures

figures-title = 주요 측정값
figures-best = 각 줄은 그 종류에서 결과가 가장 좋은 케이스입니다. 작업 집합이 다르면 가장 큰 것 가운데에서 골랐습니다.
figures-interval = { $range }, { $trials }
figures-of-limit = { $resource } 한계의 { $share } ({ $limit }, { $kind })
figures-of-promise = 약속된 { $limit }의 { $share }
figures-of-datasheet = 데이터시트 { $limit }의 { $share }
figures-with-metric =
    { $metric ->
        [IOPS] { $figure } IOPS
       *[other] { $metric } { $figure }
    }
interval-wide = 너무 넓어 표시하지 않음
limit-link = 링크
limit-datasheet = 데이터시트
limit-promise = 약속된 값
limit-quota = 쿼터
limit-measured = 측정값
limit-measured-low = 너무 낮게 측정됨
limit-hardware = 하드웨어

## Findings

findings-title = 진단 결과
findings-none = 발견된 사항이 없습니다.
findings-bottlenecks = 결과를 제한하는 요인
findings-proofs = 입증한 것
findings-promises = 약속된 값
findings-validity = 값을 의심할 만한 점
findings-conditions = 서버 상태
findings-whole-run = 실행 전체
findings-all = 케이스 { $count }개 전체
findings-several = { $cases }, 예: { $first }
findings-cases = 케이스:
findings-evidence = 근거:
findings-ruled-out = 배제한 원인:
findings-more = 같은 종류의 { $count }건은 여기서 생략했습니다. 실행 문서에 모두 있습니다.
condition-before = 실행 전
condition-after = 실행 후
condition-both = 실행 전후

## The machine

machine-title = 서버
machine-picture = 서버 구성도: 부품과 그 사이의 링크
machine-picture-path = 서버 구성도와 { $case }의 경로(한계에 가장 가까운 케이스)
machine-parts = 부품
machine-no-cpu = 알 수 없는 프로세서
machine-cpus = CPU { $count }개
machine-cores = 코어 { $count }개
machine-threads = 스레드 { $count }개
machine-allowed = 그중 { $count }개 허용
machine-guest = { $of } 게스트
machine-container = { $of } 안
part-system = 시스템
part-firmware = 펌웨어
part-os = 운영체제
part-kernel = 커널
part-command-line = 커널 명령줄
part-guest = 가상화
part-clock = 클럭 소스
part-cpu = 프로세서
part-caches = 캐시
part-rate = 클럭 속도
part-rate-base = 기본 { $rate }
part-turbo-on = 터보 켜짐
part-turbo-off = 터보 꺼짐
part-microcode = 마이크로코드
part-flaws = 취약점 완화
flaws-vulnerable = 취약 { $count }건
flaws-mitigated = 완화됨 { $count }건
flaws-unknown = 알 수 없음 { $count }건
flaws-unaffected = 영향 없음 { $count }건
part-memory = 메모리
part-memory-allowed = { $bytes } 허용
part-nodes = NUMA 노드
part-swap = 스왑
part-swap-used = { $bytes } 사용
part-huge-pages = 투명 대형 페이지
part-quota = 컨트롤 그룹
part-quota-cpu = 초당 CPU { $cpus }초
part-quota-io = I/O 제한: { $devices }
part-accelerator = GPU, 가속기
part-disk = 디스크
part-disk-rotating = 회전형
part-disk-firmware = 펌웨어 { $firmware }
part-disk-scheduler = 스케줄러 { $scheduler }
part-nic = 네트워크
limits-title = 부품이 낼 수 있는 최대치
calibration-title = 측정 자체의 오버헤드
calibration-about = 실행 전에 에이전트가 측정한 값
quantity-cpu = CPU 시간
access-sequential = 순차
access-random = 랜덤
direction-read = 읽기
direction-write = 쓰기
limit-usual = { $least } ~ { $most }
limit-usual-way = { $way }: { $range }
limit-with-usual = { $kind }, 보통 { $range }
column-resource = 자원
column-limit-of = 한계 항목
column-line = 회선 속도
column-effective = 실효 속도
column-usual = 보통 범위
column-kind = 종류
column-source = 출처
column-what = 대상
column-result = 결과
column-how = 방법

## Workloads

whole-title = 한눈에 보는 기계
workloads-title = 측정 내용
workloads-constant = 모든 케이스에 공통:
workloads-with = 조건:
workloads-table = 케이스 전체({ $count }개)
case-defaults = 기본값
case-beside = 함께 실행, { $workload }: { $metric }
case-of-limit = { $resource }의 { $share }
column-case = 케이스
column-interval = 95 % 신뢰구간
column-n = 시행
column-limit = 한계 대비

## Time and tables

heat-title = 온도, 클록, 전력: 유휴와 부하
heat-about = 유휴는 부하 전 유휴 시간의 마지막 3분의 1, 부하는 측정 구간의 마지막 3분의 1입니다. 온도가 1 K 또는 상승 폭의 10 % 안에 머물면 안정된 것으로 봅니다.
heat-sensor = 센서
heat-idle = 유휴
heat-load = 부하
heat-rise = 상승
heat-peak = 최고
heat-steady = 안정까지
heat-half = 절반 식기까지
heat-not-steady = 안정되지 않음
heat-clock = 클록
heat-first = 부하 처음 3분의 1
heat-last = 부하 마지막 3분의 1
heat-power = 전력
heat-energy = 작업 하나의 에너지
time-title = 시간에 따른 변화
time-about = 샘플러가 관측한 값을 하나의 시간축에 맞추었습니다. 측정 구간에는 표시가 있습니다.
tables-title = 모든 수치
tables-of = { $workload }: 모든 케이스의 모든 추정치
tables-trials = 모든 시행(실행 순서)
tables-failed = 값을 내지 못한 시행
tables-rest = 샘플, 카운터, 분포와 시행별 지표는 실행 문서에 있습니다:
column-metric = 지표
column-median = 중앙값
column-low = 하한
column-high = 상한
column-better = 좋은 쪽
column-method = 신뢰구간 산출법
column-order = 순서
column-status = 상태
column-figure = 값
column-settled = 안정됨
column-started = 시작
better-higher = 높은 쪽
better-lower = 낮은 쪽
status-ok = 정상
status-failed = 실패
status-skipped = 건너뜀

## Method

method-title = 방법
method-about = 각 케이스를 여러 번 측정합니다. 값은 시행의 중앙값이며, 신뢰구간은 그 값이 얼마나 벗어날 수 있는지를 나타냅니다.
method-trials = 시행
method-trials-text = { $cases }, 각 { $trials }회
method-order = 순서
method-order-text = 완전 블록, 블록 안에서는 무작위 순서(시드 { $seed })
method-order-ramp = 블록마다 가장 낮은 속도부터 부하가 무너질 때까지
method-window = 측정 구간
method-warm-up = 워밍업
method-intervals = 신뢰구간
method-student-t-log = 95 %, 로그에 대한 스튜던트 t
method-student-t = 95 %, 스튜던트 t
method-order-statistic-interpolated = 95 %, 순서 통계량(보간)
method-none = 시행이 두 번 미만이면 없음
method-percentiles = 백분위수
method-percentiles-text = 모든 시행의 히스토그램을 합쳐 구함(최댓값 포함)
method-steady = 정상 상태
method-steady-text = 시행 { $judged }회 중 { $settled }회가 측정 구간의 전반부에 안정됨(MSER-5)
method-unjudged-short = { $count }회는 판정하지 않음: 측정 구간의 간격이 최대 { $intervals }개로 너무 적음({ $needed }개 필요)
method-unjudged-rate = { $count }회는 판정하지 않음: 작업이 정해진 속도로 시작됨
method-unjudged-count = { $count }회는 판정하지 않음: 정해진 작업 수에서 끝남
method-placement = 배치
pin-auto = 자원의 인터럽트를 받는 CPU, 없으면 CPU마다 작업 스레드 하나
pin-local = 자원의 인터럽트를 받는 CPU
pin-remote = 자원의 인터럽트를 받지 않는 CPU
pin-spread = CPU마다 작업 스레드 하나
pin-none = 커널이 정하는 대로
pin-cpus = CPU { $cpus }에 차례로
method-observer = 관측 오버헤드
method-observer-text = CPU 하나의 { $share }
method-precision = 목표 정밀도
method-budget = 시간 예산
method-settings = 설정
method-setting-text = { $resource }의 { $name }: 변경 전 { $before }, 변경 후 다시 읽은 값 { $levels }
method-setting-refused = { $name }: { $levels } 거부됨
method-bytes = 바이트
method-bytes-text = 십진 단위를 씁니다. 1 MB/s는 초당 1,000,000바이트입니다. 블록과 메모리 크기는 이진 단위로, 1 KiB는 1024바이트입니다. 메모리 처리량은 프로그램이 옮긴 양이므로, 복사한 바이트는 읽기와 쓰기로 두 번 셉니다.
method-bits = 비트
method-bits-text = 십진 단위를 씁니다. 1 Mbit/s는 초당 1,000,000비트, 곧 125,000바이트입니다. 네트워크 속도는 페이로드만 세며 헤더는 들어 있지 않습니다.
method-started = 시작
method-finished = 종료
method-run = 실행
method-version = 측정 도구
method-origin = 값의 출처
method-analysis = 분석 버전
method-notes = 원래 쓰임과 여기서 다른 점
method-again = 재현 방법
method-study = 읽어 들인 그대로의 스터디

## References and price

references-title = 참고 자료
price-title = 가격
price-text = 스터디에 적힌 가격: { $price }
price-unclear = 여러 가지로 해석될 수 있어, 이 가격으로 나눈 값은 없습니다.
price-none = 가격이 될 수 없는 값이므로, 이 값으로 나눈 값은 없습니다.
price-per = { $currency }당
price-unit = 가격 단위
price-cost = 비용
price-for = { $unit }당 { $money }
price-capacity = 사용 가능한 용량

## 자원의 이름

resource-array = 어레이 { $name }
resource-block = 디스크 { $name }
resource-blocks = 디스크 { $name }
resource-cgroup-cpu = 컨트롤 그룹의 CPU 쿼터
resource-cgroup-memory = 컨트롤 그룹의 메모리 제한
resource-cpu = CPU { $name }
resource-cpus = 전체 CPU
resource-cpus-some = CPU { $name }
resource-device = 장치 { $name }
resource-dmi = DMI 링크
resource-filesystem = 파일 시스템 { $name }
resource-load = 부하
resource-memory = 메모리
resource-page-cache = 페이지 캐시
resource-server = 서버 { $name }
resource-nic = 네트워크 인터페이스 { $name }
resource-pci = PCIe 링크 { $name }
resource-sata = SATA 링크 { $name }
resource-sas = SAS 링크 { $name }
resource-usb = USB 링크 { $name }
resource-self = Headroom 자체
resource-system = 시스템

## Remarks

remark-of-case = { $case }: { $text }
remark-sentence = { $text }.
remark-more = (외 { $count }개)
remark-rounds = { $verdict }. 라운드 길이: { $length }
remark-rounds-written = { $verdict }. 라운드 길이: { $length }. 첫 라운드 전에 { $before }, 모든 라운드에서 { $all }를 기록
rounds-steady = { $rounds }개 라운드 뒤 안정: 범위 { PERCENT($range) }, 기울기 { PERCENT($slope) }
rounds-unsteady = { $rounds }개 라운드 동안 안정되지 않음: 범위 { PERCENT($range) }, 기울기 { PERCENT($slope) }
rounds-few = { $rounds }개 라운드는 판정하기에 너무 적음
rounds-failed = 라운드 { $round } 실패: { $reason }
remark-durable = 마지막 쓰기가 반환될 때까지 { $returned }, 모두 장치에 기록될 때까지 { $durable }
remark-durable-cached = 마지막 쓰기가 반환될 때까지 { $returned }(그때 { PERCENT($share) }는 메모리에만 있었음), 모두 장치에 기록될 때까지 { $durable }
remark-targets = 대상 { $count }개를 합해 { $together }. 최소: { $least }({ $least_value }), 최대: { $most }({ $most_value }).
remark-targets-each = 대상 { $count }개. 최소: { $least }({ $least_value }), 최대: { $most }({ $most_value }).
remark-targets-done = 첫 대상은 { $first }, 마지막 대상은 { $last } 뒤에 끝났습니다.
remark-verified = 블록 { $blocks }개를 페이지 캐시를 거치지 않고 다시 읽었고{ $trials ->
    [1] {""}
   *[other] (시행 { $trials }회 합계)
 }, 틀린 것은 없음
remark-verified-cached = 블록 { $blocks }개를 비운 페이지 캐시를 거쳐 다시 읽었고{ $trials ->
    [1] {""}
   *[other] (시행 { $trials }회 합계)
 }, 틀린 것은 없음
remark-recorded-no-latencies = 기록에는 작업에 걸린 시간이 없습니다(fio의 iolog에는 늘 없습니다). 기록한 장치에서 걸린 시간을 알 수 없어 아무것도 비교하지 않았습니다.
remark-recorded-no-ends = 기록에는 끝난 것이 보이는 작업이 없습니다. 기록한 장치에서 걸린 시간을 알 수 없어 아무것도 비교하지 않았습니다.
remark-full = 공간이 다할 때까지 { $bytes } 기록
remark-not-full = 공간이 다하기 전에 정해진 크기에 이를 때까지 { $bytes } 기록
remark-capacity =
    { $parameter }을(를) { $highest }까지 { $tried }개 값에서 탐색: { $best }에서 { $rate }. { $knee }에서 그 { PERCENT($share) }{ $timed ->
        [no] {""}
       *[other] , 이때 작업의 절반은 { $latency } 안에 끝남(단독일 때 { $alone })
    }
remark-capacity-waits = . 독립된 사용자처럼 불규칙하게 도착하는 작업의 { PERCENT($percent) }가 끝나는 시간: { $list }
remark-capacity-at = 그 속도의 { PERCENT($share) }에서 { $latency }
remark-capacity-beyond = 그 속도의 { PERCENT($share) }는 유지되지 않음
remark-commit = 커밋(쓰기 { $writes }번과 동기화) 한 번에 평균 { $time }. 지연 시간은 쓰기만의 것
class-read = 읽기
class-write = 쓰기
class-trim = 트림
class-sync = 동기화
phase-create = 만들기
phase-stat = 조회
phase-open = 열기
phase-rename = 이름 바꾸기
phase-list = 목록 읽기
phase-unlink = 지우기
phase-before = 발생 전
phase-degraded = 성능 저하 중
phase-during = 재동기화 중
phase-after = 완료 후
part-durable = 장치에 기록될 때까지
targets-table = 대상별 결과
column-target = 대상
column-share = 전체 중 비율

## What each layer of a stack costs

waterfall-title = 각 계층의 비용
waterfall-table = 스택의 각 계층에서 같은 부하, 아래에서 위로
waterfall-reasons = 머신의 나머지가 한 일과 한계에 도달한 것
waterfall-layer = 계층
waterfall-beside = 머신 나머지의 CPU 시간(작업당)
waterfall-threads = 그중 커널 스레드
waterfall-cost = 아래 계층에 대한 비율
waterfall-read = 각 계층은 자신의 시행을 위해 다른 계층과 같은 크기로 새로 만듭니다. 마지막 열은 아래 계층에 대한 비와 그 { $percent } % 구간입니다. 구간이 0 %(1.00 x)를 포함하면 그 계층에 비용이 있는지 시행으로는 알 수 없습니다. 작업당 CPU 시간은 부하 스레드의 것입니다. 머신 나머지의 CPU 시간은 이쪽 프로세스 말고 CPU가 한 모든 일, 곧 커널 스레드와 인터럽트, 그동안 실행된 다른 프로그램의 것입니다. 커널 큐의 작업은 약 1초마다 본 kworker 스레드 이름에 있는 큐의 것으로 칩니다.

making-title = 만드는 데 걸린 시간
making-table = { $stack }을(를) 만드는 데 걸린 시간
making-step = 단계
making-median = 시간
making-range = 최소에서 최대
making-times = 만든 횟수
making-step-loop-device = 파일과 루프 장치
making-step-initial-sync = 첫 동기화
making-sync = 어레이의 첫 동기화는 구성원마다 { $rate }였습니다.
making-sync-limit = { making-sync } md가 허용하는 속도(sync_speed_max)는 { $limit }이며, 그 { $share } %입니다.
making-step-zram-device = zram 장치
making-step-first-tags = 첫 태그
making-step-modules = 커널 모듈
making-step-network = 네트워크 네임스페이스
making-step-target = 타깃 또는 서버
making-step-session = 클라이언트 세션
making-step-nfs-grace-period = NFS 서버의 유예 기간
making-read = 각 단계는 실행한 프로그램의 시작부터 끝까지의 시간이며, 오차는 1밀리초 또는 5 % 이내입니다. 구성원마다 하는 단계는 더한 값입니다. 스택을 여러 번 만들었으면 중앙값입니다.

## Over time, as a reader asks

over-time-runs = 실행 { $count }개의 시간에 따른 변화
over-time-without = 이에 해당하는 표본이 없어 그리지 않은 실행: { $runs }.
