# What observers saw, and what they cost.

finding-host-queue =
    { $by ->
        [allotted] 요청이 호스트에서 기다립니다. 커널이 { RESOURCE($resource) }에 동시에 허용하는 요청은 받을 수 있는 { FIXED($takes) }개 가운데 { FIXED($most) }개(nr_requests)인데, 모두 쓰이고 있고 부하가 진행하는 작업은 { FIXED($under_way) }개입니다
        [writeback] 쓰기 되돌림 조절(wbt)이 결과를 제한합니다. { RESOURCE($resource) }의 읽기를 { SHORT($kept_s, unit: "s") }(wbt_lat_usec) 안에 두려고, 커널은 페이지 캐시에서 기다리는 쓰기를 한 번에 { FIXED($had, decimals: 1) }개만 보냅니다
       *[trace] { host-queue-traced }
    }
    .advice = { $by ->
        [allotted] 장치에 허용하는 요청을 늘리면(--set queue-requests, nr_requests) 동시에 더 처리할 수 있는지 알 수 있습니다
        [writeback] 지연 목표를 늘리거나 없애면(--set wbt=0) 장치에 쓰기가 동시에 더 많이 갑니다
       *[trace] { host-queue-advice }
    }
evidence-requests-in-use = { RESOURCE($resource) }에 허용된 요청 { FIXED($most) }개 중 평균 { FIXED($had, decimals: 1) }개가 진행 중
evidence-writes-at-once = { RESOURCE($resource) }에서 평균 { FIXED($had, decimals: 1) }개의 쓰기가 진행 중
host-queue-traced =
    { $to ->
        [0] {""}
       *[other] 동시에 진행하는 작업을 { FIXED($from) }개에서 { FIXED($to) }개로 늘려도 { $change ->
            [less] 속도는 오히려 { PERCENT($more) } 줄고,{" "}
           *[more] 속도는 { PERCENT($more) }만 늘고,{" "}
        }
    }요청은 시간의 { PERCENT($waiting) }({ SHORT($whole_s, unit: "s") } 가운데 { SHORT($wait_s, unit: "s") })를 호스트에서 { RESOURCE($resource) }을(를) 기다리며 보냅니다: 장치에 동시에 넘긴 것은 { $takes ->
        [0] {""}
       *[other] 받을 수 있는 { FIXED($takes) }개 가운데{" "}
    }최대 { FIXED($most) }개입니다
host-queue-advice = 큐 깊이를 늘리면 이 대기열만 길어집니다. 다른 I/O 스케줄러를 쓰거나(--set scheduler=none), 큐의 요청 수(--set queue-requests)나 드라이버 자체의 큐를 늘려 보면 장치가 동시에 더 처리할 수 있는지 알 수 있습니다
evidence-block-phases =
    커널의 이벤트에 따르면 { RESOURCE($resource) }은(는) { $requests ->
        [no] bio를 하나에 { SHORT($device_s, unit: "s") } 동안 처리했습니다
       *[yes] 요청을 하나에 { SHORT($whole_s, unit: "s") } 가운데 { SHORT($device_s, unit: "s") } 동안 처리했고, 요청은 시간의 { PERCENT($waiting) }를 호스트에서 기다렸습니다
    }{ $direct ->
        [yes] . 부하는 작업마다 { SHORT($latency_s, unit: "s") } 기다렸습니다
       *[no] {""}
    }: { $most ->
        [device] 대부분이 장치 자체의 시간
        [host] 대부분이 그 앞의 대기열
        [upper] 대부분이 bio를 그리로 넘기는 { RESOURCE($other) } 안
        [above] 대부분이 블록 계층보다 위
       *[both] 장치도 그 앞의 대기열도 대부분은 아님
    }
finding-device-pushes-back =
    { RESOURCE($resource) }은(는) 더 받지 않습니다: 드라이버가 요청의 { PERCENT($share) }를 처리하지 않고 돌려주었습니다(모든 시행에서 { FIXED($issued) }개 가운데 { FIXED($requeued) }개)
    .advice = 큐 깊이를 줄이면 동시에 요구하는 양이 줄어듭니다. 장치가 한계에 도달했다면 잃는 것이 없습니다
evidence-requeued = 요청 { FIXED($issued) }개 가운데 { FIXED($requeued) }개를 드라이버가 처리하지 않고 돌려줌
finding-observer-cost =
    { $how ->
        [sure] 관측({ $name }) 오버헤드는 결과의 { PERCENT($cost, decimals: 1) }({ PERCENT($low, decimals: 1) }~{ PERCENT($high, decimals: 1) }, 시행 { FIXED($pairs) }쌍)입니다
        [most] 관측({ $name }) 오버헤드가 있는지 시행 { FIXED($pairs) }쌍으로는 알 수 없습니다: 많아야 결과의 { PERCENT($high, decimals: 1) }입니다
       *[none] 관측({ $name }) 오버헤드가 시행 { FIXED($pairs) }쌍에서는 보이지 않습니다
    }. 수치는 관측하지 않은 시행의 것입니다{ $much ->
        [yes] . 관측한 것은 그만큼 느려진 부하입니다
       *[no] {""}
    }
finding-trace-lost =
    커널에 자리가 없어 블록 추적의 이벤트 { FIXED($lost) }개를 잃었습니다(읽은 것은 { FIXED($events) }개): 개수는 실제보다 적고, 시간은 관측한 요청만의 값입니다

verdict-host-queue = { $resource } 앞의 대기열
verdict-device-pushes-back = { $resource }이(가) 더 받지 않음
conclusion-host-queue = 호스트에 있는 { $resource } 앞의 대기열이 한계: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-device-pushes-back = { $resource }이(가) 한계(더 받지 않음): { $rate }{ conclusion-where }{ conclusion-then }

phase-load = 부하가 작업 하나를 기다린 시간
phase-q2g = 요청 할당 대기(Q2G)
phase-g2i = 스케줄러에 닿기까지(G2I)
phase-i2d = I/O 스케줄러 안(I2D)
phase-q2d = 드라이버에 닿기까지 전체(Q2D)
phase-d2c = 드라이버와 장치(D2C)
phase-q2c = 전체 경로(Q2C)

column-phase = 경로의 구간
column-phase-count = 개수
column-phase-mean = 평균
column-phase-p50 = p50
column-phase-p99 = p99
column-phase-share = 경로 전체에서의 비율
block-phases-table = 요청의 시간 내역(커널 이벤트 기준)
block-requests-table = 장치에 온 것(추적한 모든 시행)
column-trace-queued = 들어온 bio
column-trace-would-block = 바로 돌아온 bio
column-trace-merged = 병합
column-trace-split = 분할
column-trace-issued = 발행
column-trace-requeued = 돌려줌
column-trace-flushes = 플러시
column-trace-size = 크기의 최빈값
column-trace-sequential = 순차
column-trace-depth = 깊이(평균)
column-trace-depth-max = 깊이(최대)
column-trace-lost = 잃은 이벤트

figure-block-phases = { $resource }에 보낸 요청의 시간 내역
figure-block-phases-note = 곡선은 모두 추적한 시행의 것이며 같은 시계로 쟀습니다.
