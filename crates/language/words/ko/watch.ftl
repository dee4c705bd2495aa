### A machine that is watched while others use it.

## The first line

watch-nearest =
    { $resource }: { $state ->
        [full] { $what }의 { $share }로 가득 찼습니다
        [idle] { $what }의 { $share }; 거의 쓰이지 않음
       *[some] { $what }의 { $share }; 가득 찰 때까지 지금 부하의 약 { $more }배
    }{ $latency ->
        [yes] , 지연이 먼저 한계에 이릅니다
       *[no] {""}
    }
watch-also-full = ; 역시 가득 참: { $names }
watch-also-unknown = ; 얼마나 더 낼 수 있는지 모름: { $names }
watch-silent = ; 응답 없음: { $names }
watch-nearest-memory = { $resource }: { $share } 사용 중, { $left } 남음
watch-nothing = 사용 중인 것 가운데 한계를 아는 것이 없습니다.
watch-unknown-wait =
    { $resource }: 작업이 시간의 { PERCENT($waits) } 동안 디스크를 기다리는데, 이런 혼합에서 얼마나 내는지 모릅니다{ $study ->
        [none] {""}
       *[some] ; 이것으로 측정합니다: { $study }
    }
watch-starting = 첫 수치가 곧 나옵니다.

## Of what

watch-of-mixes = 이와 비슷한 혼합에서 낸 값
watch-of-goodput = 실행에서 전송한 값
watch-of-syncs = 동기화한 실행에서 얻은 플러시
watch-of-link = 링크가 전송하는 값
watch-of-datasheet = 데이터시트가 약속한 값
watch-of-quota = 허용된 값({ $source })
watch-of-cpus = 전체 { $count }개
watch-of-memory = 메모리

## Where a limit is from

watch-from-mixes =
    { $age ->
        [unknown] 측정함
       *[known] { $age } 전에 측정함
    }: { $mixes }; { $shallow ->
        [yes] 동시 { $knee }개보다 많으면 더 낼 수도 있음
       *[no] 동시 { $knee }개부터 가득 참
    }
watch-from-goodput =
    { $age ->
        [unknown] 측정함
       *[known] { $age } 전에 측정함
    }
watch-from-hardware = 있는 만큼
watch-unknown = 알 수 없음
watch-study = 알 수 없음; 이것으로 측정합니다: { $study }
watch-mix-random = { $size } 임의, 읽기 { PERCENT($reads) }
watch-mix-sequential = { $size } 순차, 읽기 { PERCENT($reads) }

## Resources

watch-group = 컨트롤 그룹 { $name }
watch-group-device = { $device }의 컨트롤 그룹 { $name }
watch-cpu-detail =
    { $online }개 중 { FIXED($busy, decimals: 2) }개 사용, 가장 바쁜 것 { PERCENT($busiest) }{ $stolen ->
        [0] {""}
       *[other] , 빼앗김 { FIXED($stolen, decimals: 2) }
    }
watch-disk-detail = 읽기 { $reads }, { $read }, { $readtime }; 쓰기 { $writes }, { $written }, { $writetime }; 동시 { FIXED($depth, decimals: 1) }개
watch-nic-detail =
    수신 { $in }, { $packetsin }; 송신 { $out }, { $packetsout }; 패킷 { $size }바이트{ $dropped ->
        [0] {""}
       *[other] ; 버림 { $dropped }
    }
watch-memory-traffic = 메모리 대역폭
watch-memory-detail =
    { $total } 중 { $used }{ $swapped ->
        [0] {""}
       *[other] ; 스왑 { $swapped }
    }{ $traffic ->
        [none] ; 대역폭 카운터 없음
       *[some] {""}
    }
watch-group-detail =
    { $cpu ->
        [unknown] CPU 시간은 세지 않음
       *[other] CPU { FIXED($cpu, decimals: 2) }개
    }{ $stopped ->
        [unknown] {""}
       *[other] , 주기의 { PERCENT($stopped) }에서 멈춤
    }
watch-phases =
    { $class ->
        [read] 읽기
        [write] 쓰기
       *[other] 버리기 등
    }: 드라이버까지 { $driver }, 그중 요청을 얻는 데 { $request }, 이어서 장치에서 { $device }, 100개 중 1개는 { $slow } 넘게
watch-group-device-detail = 읽기 { $reads }, { $read }; 쓰기 { $writes }, { $written }

## The screen

watch-column-resource = 자원
watch-column-share = 사용
watch-column-now = 지금
watch-column-limit = 한계
watch-column-process = 프로세스
watch-column-cpu = CPU
watch-pressure = 작업이 기다린 시간: CPU { PERCENT($cpu) }, 메모리 { PERCENT($memory) }, 디스크 { PERCENT($io) }
watch-cost = 지켜보는 데 CPU의 { $cost }
watch-cost-traced = 지켜보고 추적하는 데 CPU의 { $cost }; 이벤트 { $events }는 입출력하는 쪽의 시간도 씀
watch-trace-broken = 추적이 끊겼습니다: { $why }
watch-paused = 멈춤
watch-keys = q 끝내기  space 멈춤  s 프로세스 정렬  화살표 스크롤
watch-keys-short = q 끝  space 멈춤  s 정렬
watch-verdict = 판정: { $text }
watch-no-verdict = 판정: 막는 것이 보이지 않음
watch-window = { $seconds }초 동안
watch-small = 터미널이 너무 작습니다: 40열 8행이 필요합니다.
