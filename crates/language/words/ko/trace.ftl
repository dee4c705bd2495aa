### bio는 프로그램이나 파일 시스템의 요청, request는 장치로 보내는 요청.

## 무슨 일이 있었는가: `headroom trace`

trace-title = { $target }에서 일어난 일
trace-byline = { SPAN($seconds) } 동안 이벤트 { $events }개
trace-answer = 요약
trace-nameless = (이름 없음)
trace-all-others = 나머지 모두

## 무엇을 누가 했는가

trace-did-both =
    { SPAN($seconds) } 동안 { $device }에서 읽기 { $reads }건({ $read_bytes })과 쓰기 { $writes }건({ $written_bytes })이 { $state ->
        [asked] 요청되었습니다
       *[done] 완료되었습니다
    }.
trace-did-reads =
    { SPAN($seconds) } 동안 { $device }에서 읽기 { $reads }건({ $read_bytes })이 { $state ->
        [asked] 요청되었습니다
       *[done] 완료되었습니다
    }. 쓰기는 없습니다.
trace-did-writes =
    { SPAN($seconds) } 동안 { $device }에서 쓰기 { $writes }건({ $written_bytes })이 { $state ->
        [asked] 요청되었습니다
       *[done] 완료되었습니다
    }. 읽기는 없습니다.
trace-did-nothing =
    { SPAN($seconds) } 동안 { $device }에서는 읽기도 쓰기도 { $state ->
        [asked] 요청되지 않았습니다
       *[done] 완료되지 않았습니다
    }.
trace-did-others =
    { $device }에서 데이터를 옮기지 않는 폐기 등 { $count }건({ $bytes })도 { $state ->
        [asked] 요청되었습니다
       *[done] 완료되었습니다
    }.
trace-did-pieces =
    { $device } { $class ->
        [read] 읽기
       *[write] 쓰기
    } 작업은 대부분 { BINARY($size) } 단위였습니다({ PERCENT($share) }).
trace-did-pieces-various =
    { $device } { $class ->
        [read] 읽기
       *[write] 쓰기
    } 작업의 크기는 다양했고, 절반은 { BINARY($size) } 이하였습니다.
trace-did-merged = { $device }에 요청된 것의 { PERCENT($share) }는 더 큰 요청으로 병합되었습니다(요청 하나에 평균 { FIXED($mean, decimals: 1) }개).
trace-did-after = { $device }에 쓴 양은 명령이 실행되는 동안 { $before }, 끝난 뒤 { $after }입니다. 끝난 뒤에 쓴 것은 그때 메모리에 남아 있던 데이터로, 다른 프로그램의 것도 포함됩니다.
trace-did-by = 대부분은 { $task } 프로세스가 보냈습니다(바이트 기준 { PERCENT($share) }).
trace-command-failed = `{ $command }` 명령이 실패했습니다(종료 코드 { $code }).
trace-command-killed = `{ $command }` 명령이 시그널을 받고 종료되었습니다(시그널 { $signal }).
trace-command-io = 커널 기록에 따르면 `{ $command }` 명령과 그 자식 프로세스는 장치에서 { $read } 읽고 { $written } 썼습니다(나중에 기록될 것 포함). 시스템 호출로는 { $calls_read } 읽고 { $calls_written } 썼습니다.

## 중요한 것, 한 문장씩

trace-saw-nothing = 장치에 들어온 요청이 없습니다.
trace-saw-lost = 이벤트가 읽는 속도보다 빨리 발생하여 { $times }회에 걸쳐 { $events }개를 잃었습니다. 개수는 실제보다 적고, 시간과 깊이는 관측한 것만의 값입니다. --buffer 값을 키우면 줄일 수도 있습니다.
trace-saw-lost-unknown = 이벤트가 읽는 속도보다 빨리 발생하여 { $times }회에 걸쳐 잃었으나, 커널은 그 개수를 알려 주지 않습니다. 개수는 실제보다 적고, 시간과 깊이는 관측한 것만의 값입니다. --buffer 값을 키우면 줄일 수도 있습니다.
trace-saw-depth = { $device }의 평균 깊이({ FIXED($depth, decimals: 2) })가 요청에서 구한 값({ FIXED($explained, decimals: 2) })과 다릅니다. 깊이와 지연 시간을 함께 해석하지 마십시오.
trace-saw-errors = { $device }에서 요청 { $count }건이 실패했습니다(마지막 오류 번호 { $last }).
trace-saw-stall = { $device }에서는 { $count }건이 진행 중이었는데도 시작 후 { $at } 시점부터 { $length } 동안 아무것도 완료되지 않았습니다.
trace-saw-stall-to-the-end = { $device }에서는 { $count }건이 진행 중이었는데도 시작 후 { $at } 시점부터 끝까지 { $length } 동안 아무것도 완료되지 않았습니다.
trace-saw-swapping = 그동안 커널이 스왑했습니다: 스왑 인 { $read }, 스왑 아웃 { $written }.
trace-saw-slow-sync = { $task } 프로세스의 { $call } 호출 { $count }회 중 가장 느린 것은 { $length } 걸렸습니다. 그중 장치가 동작한 시간은 { $device_time }, 캐시를 플러시한 시간은 { $flush_time }입니다.
trace-saw-slow-sync-partly = { $task } 프로세스의 { $call } 호출 { $count }회 중 가장 느린 것은 { $length } 걸렸으나 일부만 관측했습니다. 적어도 장치가 동작한 시간이 { $device_time }, 캐시를 플러시한 시간이 { $flush_time }입니다.
trace-saw-flush-storm = { $device } 캐시의 플러시 { $flushes }건이 { $storms }회에 걸쳐 몰렸고, 플러시에 시간의 { PERCENT($share) }가 들었습니다. 플러시를 덜 자주 요청하면 쓰기가 빨라집니다.
trace-saw-requeues = { $device }에서 큐가 가득 차서 요청 { $count }건({ PERCENT($share) })을 처리하지 않고 돌려주었습니다.
trace-saw-device-bound = 시간은 주로 장치에서 걸립니다. { $device }에 보낸 요청이 완료되기까지 걸린 시간의 { PERCENT($share) }(평균 { $mean })를 장치가 차지했습니다.
trace-saw-waits = 시간은 주로 대기에 걸립니다. { $device }에 보낸 요청이 완료되기까지 걸린 시간의 { PERCENT($share) }(평균 { $mean })는 장치로 보내기 전의 대기입니다. 장치에는 동시에 최대 { $depth }건이 있었습니다.
trace-saw-one = { $device }에서는 요청을 하나씩 처리했습니다(동시에 { FIXED($depth, decimals: 1) }건, 시간의 { PERCENT($share) }). 속도가 지연 시간에 달려 있으므로, 동시에 더 많이 보내면 더 많이 처리합니다.
trace-saw-sequential =
    { $device } { $class ->
        [read] 읽기
       *[write] 쓰기
    } 작업은 대부분 순차적이었습니다({ PERCENT($share) }). 크기의 중앙값은 { BINARY($size) }입니다.
trace-saw-streams =
    { $device } { $class ->
        [read] 읽기
       *[write] 쓰기
    } 작업은 대부분 동시에 진행되는 여러 순차 스트림이었습니다({ PERCENT($share) }). 크기의 중앙값은 { BINARY($size) }입니다.
trace-saw-random =
    { $device } { $class ->
        [read] 읽기
       *[write] 쓰기
    } 작업은 대부분 무작위였습니다({ PERCENT($share) }). 크기의 중앙값은 { BINARY($size) }입니다.
trace-saw-small =
    { $device } { $class ->
        [read] 읽기
       *[write] 쓰기
    } 작업은 순차적인데도 { BINARY($size) } 단위로 나뉘어 있습니다. 단위를 키우면 비용이 줄어듭니다.
trace-saw-splits = { $device }에 요청된 것 중 { $count }건({ PERCENT($share) })은 한 번에 받을 수 있는 크기보다 커서 분할되었습니다.
trace-saw-writeback = 커널이 { $device }에 { $bytes } 분량을 백그라운드로 기록했습니다(쓰기의 { PERCENT($share) }). 프로그램이 그 전에 메모리에 쓴 데이터입니다.
trace-saw-writer = 그 대부분을 메모리에 쓴 것은 { $task } 프로세스입니다(페이지 기준 { PERCENT($share) }).

## 표

trace-operations = 작업
trace-reads = 읽기
trace-writes = 쓰기
trace-others = 폐기 등
trace-flushes = 플러시
trace-discards = 폐기
trace-zeroes = 0으로 채우기
trace-zones = 존 작업
trace-passthrough = 기타 명령
trace-flag-sync = 완료를 기다리는 것
trace-flag-preflush = 먼저 플러시하는 것(PREFLUSH)
trace-flag-fua = 완료 시 매체에 기록된 것(FUA)
trace-flag-meta = 파일 시스템의 메타데이터
trace-flag-ahead = 미리 읽기
trace-flag-atomic = 원자적
trace-sizes = 크기와 순서
trace-phases = 단계
trace-phases-share = 요청이 걸린 시간의 { PERCENT($share) }를 장치가 차지했습니다({ $device }).
trace-phases-note = 시간은 bio별 값이며, bio 3개로 된 요청은 세 번 셉니다. 영문 약어는 btt의 표기입니다. 백분위수는 그보다 큰 값이 10개 이상일 때만 표시합니다.
trace-phase-q2g = 큐 진입에서 요청 할당까지(Q2G)
trace-phase-g2i = 요청 할당에서 스케줄러까지(G2I)
trace-phase-q2i = 큐 진입에서 스케줄러까지(Q2I)
trace-phase-q2m = 큐 진입에서 병합까지(Q2M)
trace-phase-g2d = 요청 할당에서 드라이버까지(G2D)
trace-phase-i2d = 스케줄러 안(I2D)
trace-phase-m2d = 병합에서 드라이버까지(M2D)
trace-phase-q2d = 드라이버에 닿기까지 전체(Q2D)
trace-phase-d2c = 장치(D2C)
trace-phase-q2c = 전체(Q2C)
trace-depth = 동시에 진행 중인 수
trace-depth-device = 장치
trace-depth-waiting = 장치 앞에서 대기
trace-processes = 보낸 프로세스
trace-dirtied = 메모리에 쓴 프로세스
trace-dirtied-note = 페이지(또는 여러 페이지로 된 폴리오)는 더티 상태가 될 때 셉니다. 그 크기는 커널이 알려 주지 않습니다. 장치에 닿기 전에 다시 쓴 페이지는 한 번만 셉니다. 파일은 장치와 inode로 표시합니다.
trace-understated = 스레드가 한 번에 셀 수 있는 수보다 많아, 각 값이 실제보다 최대 { $bytes } 적을 수 있습니다.
trace-stalls = 멈춤과 느린 요청
trace-request =
    { $kind ->
        [read] 섹터 { $sector }의 { BINARY($size) } 읽기
        [write] 섹터 { $sector }의 { BINARY($size) } 쓰기
        [flush] 플러시
       *[other] 섹터 { $sector }의 { BINARY($size) }
    }
trace-syncs = 매체를 기다린 호출
trace-syncs-note = 호출 중에 장치가 처리한 것에는 모든 프로그램의 요청이 들어 있습니다. 저널이 누구를 위해 쓰는지는 이벤트로 알 수 없습니다. 나머지 시간에는 파일 시스템, 잠금, 프로세서를 기다렸습니다.
trace-section-flushes = 플러시
trace-storms-note = 서로 50 ms 이내에 이어진 플러시 20건 이상:
trace-column-asked = 요청됨
trace-column-sent = 보냄
trace-column-bytes = 바이트
trace-column-dirtied = 페이지 또는 폴리오
trace-column-least = 최소
trace-column-median = 중앙값
trace-column-largest = 최대
trace-column-commonest = 최빈값
trace-column-sequential = 순차
trace-column-streams = 스트림 안
trace-column-size = 크기
trace-column-kind = 종류
trace-column-count = 개수
trace-column-share = 비율
trace-column-mean = 평균
trace-column-longest = 최장
trace-column-mean-busy = 동작 중 평균
trace-column-most = 최대
trace-column-busy = 동작 중
trace-column-reads = 읽음
trace-column-writes = 씀
trace-column-others = 폐기
trace-column-mean-whole = 평균 시간
trace-column-file = 파일
trace-column-by = 프로세스
trace-column-stall-at = 멈춘 시점
trace-column-at = 시점
trace-column-length = 지속 시간
trace-column-at-device = 장치
trace-column-waiting = 대기
trace-column-oldest = 가장 오래된 요청
trace-column-slow-at-device = 장치에서 느린 요청의 시점
trace-column-slow-overall = 전체가 느린 요청의 시점
trace-column-request = 요청
trace-column-depth = 깊이
trace-column-call = 호출
trace-column-in-flush = 플러시
trace-column-in-device = 장치 동작
trace-column-in-host = 나머지
trace-column-requests = bio
trace-column-failed = 실패
trace-column-storms = 몰림

## 그림

trace-charts = 시간에 따른 변화
trace-chart-offset = 장치 내 위치
trace-chart-offsets = { $device }에서 요청의 위치와 크기
trace-chart-latency = 지연 시간
trace-chart-device-latencies = 요청이 { $device }에 머문 시간
trace-chart-whole-latencies = { $device }에 보낸 요청이 완료되기까지 걸린 시간
trace-chart-not-reads = 쓰기 등
trace-chart-note = 요청 { $requests }건을 { $width } 너비의 칸 { $cells }개에 모았습니다. 가까운 칸은 점 하나로 그리며, 빠진 것은 없습니다.
trace-chart-phases = { $device }에 보낸 요청의 시간 내역
trace-chart-over-time = 보낸 프로세스와 동시에 진행 중인 수
trace-chart-submitters = 보낸 프로세스
trace-chart-depth = 깊이, { $device }

## 모르는 것

trace-losses = 누락된 것
trace-events-read = 읽은 이벤트
trace-events-lost = 잃은 이벤트
trace-accounted = 커널의 집계와 일치
trace-buffers = 버퍼
trace-buffers-of = CPU { $cpus }개에 각각 { $size }
trace-absent-events = 이 커널에 없는 이벤트
trace-late = 뒤의 것보다 늦게 온 기록
trace-unfinished-calls = 돌아오지 않은 호출
trace-lost-cpus = 이벤트를 잃은 CPU
trace-out-of-order = 순서가 어긋난 기록
trace-events-of-others = 다른 장치의 이벤트
trace-begun-before = 추적 전에 시작되어 완료된 것
trace-queued-before = 추적 전에 큐에 들어와 발행된 것
trace-completions-after-loss = 이벤트를 잃은 뒤, 시작이 없는 완료
trace-issues-after-loss = 이벤트를 잃은 뒤, 큐 진입이 없는 발행
trace-unfinished-bios = 끝날 때 진행 중이던 bio
trace-unfinished-requests = 끝날 때 장치에 있던 요청
trace-given-up = 이벤트를 잃어 끝까지 따라가지 못한 것
trace-caution-vanished = { $device } 장치가 추적 중에 제거되었습니다. 그때까지의 결과만 있습니다.
trace-caution-partition = { $part } 안의 것만 셌습니다. { $disk }의 다른 부분에서 온 이벤트 { $count }개는 제외했습니다. 플러시는 위치가 없으므로 디스크 전체의 값입니다.
trace-caution-stacked = { $device } 장치는 { $members } 위에 있으며, 아래 장치들은 추적하지 않았습니다. 거기에 닿는 것을 보려면 함께 지정하십시오.
trace-caution-torn = { $file } 파일이 기록 중간에 끝났거나 끝까지 작성되지 않았습니다. 온전한 부분만 표시합니다.
trace-caution-damaged = { $file } 파일이 손상되었습니다. 읽을 수 있는 부분만 표시합니다.
trace-caution-unread = 기록 { $count }개를 읽지 못했습니다.
trace-caution-left-in-memory = 명령이 끝났을 때 메모리에 남아 있던 데이터가 모두 기록되기 전에 추적이 끝났습니다. 그 뒤에 기록된 것은 여기에 없습니다.
trace-caution-command-longer = 명령보다 추적이 먼저 끝났습니다. 그 뒤에 명령이 한 일은 여기에 없습니다.
