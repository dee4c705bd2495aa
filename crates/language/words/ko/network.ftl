### 네트워크에 대한 진단 결과.

finding-no-wire = 양쪽 끝이 모두 이 서버이며 루프백을 거칩니다. 실제 회선이 아니고, 양쪽이 같은 프로세서를 나누어 씁니다
    .advice = 다른 서버에서 `headroom node`를 실행하고 그 접속 문자열을 --peer로 지정하십시오

finding-short-transfer = 보내는 쪽 소켓 버퍼에 최대 { BINARY($held) }가 들어갑니다. 보낸 { BINARY($sent) }의 { PERCENT($share) }입니다. 보내는 쪽 수치에는 아직 서버를 떠나지 않은 것이 들어 있습니다
    .advice = 받는 쪽이 센 throughput을 쓰거나, 더 오래 측정하십시오

finding-loss-bound = 손실이 결과를 제한합니다. 세그먼트의 { PERCENT($share) }를 다시 보냈고, 연결은 시간의 { PERCENT($path) } 동안 경로를 기다립니다
    .advice = 경로에 있는 인터페이스의 버림, 가득 찬 대기열, 불량 케이블, 서로 다른 이중 통신 설정을 찾아보십시오

finding-window-bound =
    윈도우가 결과를 제한합니다. { $which ->
        [receive] 받는 쪽 윈도우가
       *[send] 보내는 쪽 자신의 버퍼가
    } 시간의 { PERCENT($share) } 동안 가득 차 있었습니다
    .advice = 더 큰 --window를 지정하거나 커널에 맡기십시오. 허용되는 크기는 net.core.rmem_max와 wmem_max까지입니다(--set socket-buffer-max=32MiB)

finding-sender-cpu = 보내는 쪽 프로세서가 결과를 제한합니다. 스레드마다 시간의 { PERCENT($share) } 동안 계산합니다{ $loopback ->
        [yes] (이 서버 하나에서)
       *[no] {""}
    }
    .advice = --streams를 늘리면 더 많은 코어를 씁니다. 더 큰 쓰기, 더 큰 MTU, --zero-copy는 바이트마다 드는 시간을 줄입니다

finding-receiver-cpu =
    { $behind ->
        [yes] 받는 쪽이 따라가지 못합니다. 윈도우가 훨씬 더 많이 받을 수 있는데도 가득 차 있었고, 스레드마다
       *[no] 받는 쪽 프로세서가 결과를 제한합니다. 스레드마다
    } 시간의 { PERCENT($share) } 동안 계산합니다{ $loopback ->
        [yes] (이 서버 하나에서)
       *[no] {""}
    }
    .advice = --streams를 늘리면 더 많은 코어를 씁니다. 더 큰 쓰기, 더 큰 MTU, --zero-copy는 바이트마다 드는 시간을 줄입니다

finding-round-trip-bound = 왕복 시간이 결과를 정합니다. 한 번에 { FIXED($outstanding) }개를 보내고, 응답마다 { SHORT($latency_s, unit: "s") }가 걸립니다

evidence-held = 버퍼에 { BINARY($bytes) }
evidence-retransmits = { PERCENT($share) }를 다시 보냄
evidence-window =
    { $which ->
        [receive] 받는 쪽 윈도우가
       *[send] 보내는 쪽 자신의 버퍼가
    } 시간의 { PERCENT($share) } 동안 가득 참
evidence-no-account = TCP가 왜 기다렸는지에 대한 기록이 없거나, 측정 구간이 그것을 알 수 있는 길이(0.4 s)보다 짧음
evidence-account = 연결은 시간의 { PERCENT($path) } 동안 경로를, { PERCENT($program) } 동안 프로그램을 기다렸고, 가득 찬 링크나 윈도우나 프로세서는 보이지 않음

finding-other-route =
    데이터가 경로에 있는 { RESOURCE($resource) }을(를) 지나지 않았습니다. 그 인터페이스가 센 것은 전송한 데이터의 { PERCENT($share) }입니다{ $known ->
        [yes] . 데이터를 센 것은 { RESOURCE($other) }입니다
       *[no] {""}
    }
    .advice = 두 서버에서 `ip route get ADDRESS`를 확인하고, 의도한 경로에 있는 노드의 주소를 지정하십시오

evidence-passed = 전송한 데이터의 { PERCENT($share) }

finding-packet-not-carried = 이 서버의 인터페이스가 보내는 { FIXED($route) }바이트 패킷이 상대에게 닿지 않습니다. 경로가 나르는 것은 최대 { FIXED($carried) }바이트입니다
    .advice = 경로에 있는 모든 인터페이스와 스위치에 같은 MTU를 설정하십시오

finding-packet-size-unknown = 경로가 얼마나 큰 패킷을 나르는지 확인하지 못했습니다. 응답이 온 데이터그램이 없습니다
    .advice = 두 서버 사이에 UDP를 허용하거나, 경로의 모든 MTU가 같은지 확인하십시오

evidence-carried = { FIXED($carried) }바이트까지 닿았고, 더 큰 것은 닿지 않음
evidence-no-account-udp = 데이터그램에는 왜 기다렸는지에 대한 기록이 없음
