### 네트워크에 대한 진단 결과.

finding-no-wire = 양쪽 끝이 모두 이 머신에서 루프백으로 실행되었습니다. 네트워크는 측정되지 않았고, 양쪽이 같은 프로세서를 나누어 썼습니다
    .advice = 다른 쪽 끝을 다른 머신에서 실행하십시오. 그곳에서 `headroom node`를 실행해 접속 문자열을 --peer로, 또는 그곳의 서버를 --url로 지정하십시오

finding-short-transfer = 보내는 쪽 소켓 버퍼에 최대 { BINARY($held) }가 들어갑니다. 보낸 { BINARY($sent) }의 { PERCENT($share) }입니다. 보내는 쪽 수치에는 아직 머신을 떠나지 않은 것이 들어 있습니다
    .advice = 받는 쪽이 센 throughput을 쓰거나, 더 오래 측정하십시오

finding-path-full =
    상대까지의 경로가 가득 찼습니다. 통과하는 것은 { SHORT($rate, $unit) }이고, { $by ->
        [queue] 그보다 많이 보낸 것은 대기열에서 기다립니다(왕복 { SHORT($rtt_s, unit: "s") }, 대기열이 없으면 { SHORT($least_s, unit: "s") })
       *[delivery] 그 속도로 보내는 BBR이 시간의 { PERCENT($path) } 동안 경로를 기다렸습니다
    }
    .advice = 경로에 있는 링크나 셰이퍼, 또는 다른 사용자가 이를 정합니다. 어느 것인지는 중간의 스위치와 라우터에서, 또는 더 가까운 머신까지 측정하면 드러납니다

dropped-by-whom =
    { $end ->
        [far] { $machine }의{" "}
       *[near] {""}
    }{ $what ->
        [filtered-in] 방화벽(nftables, iptables)
        [filtered-out] 방화벽(nftables, iptables)
        [filter-drops] 인터페이스의 필터(tc)
        [queue-drops] 큐잉 규칙
        [table-full] 가득 찬 커널의 연결 추적 테이블
        [untracked] 연결 추적
        [turned-away] 가득 찬 수신 대기열(listen)
        [socket-drops] 가득 찬 소켓
        [tcp-socket-drops] 가득 찬 소켓
        [backlog-drops] 가득 찬 CPU의 백로그
       *[other] 네트워크 인터페이스
    }
finding-loss-bound =
    손실이 결과를 제한합니다. { $how ->
        [timeouts] 요청이 시간의 { PERCENT($share) } 동안, { $first ->
            [yes] 첫 세그먼트를 잃은 연결을
           *[no] 잃어버린 세그먼트를
        } TCP가 다시 보낼 때까지 기다립니다(시간 초과 { SHORT($rate, unit: "1/s") })
        [datagrams] 보낸 데이터그램의 { PERCENT($share) }가 도착하지 않으며, 받는 쪽 소켓이 버린 것이 아닙니다
        [stalls] 연결이 시간의 { PERCENT($share) } 이상을, 잃은 것을 TCP가 다시 보낼 때까지 기다리며(시간 초과 { SHORT($rate, unit: "1/s") }), 세그먼트의 { PERCENT($lost) }를 잃었습니다
        [answers] 요청이 시간의 { PERCENT($share) } 동안 오지 않는 응답을 기다립니다. 요청의 { PERCENT($lost, decimals: 1) }를 잃었고, 잃은 요청은 1초 뒤에 포기합니다
        [unsent] TCP가 내보내는 세그먼트의 { PERCENT($share) }가 보내는 쪽 컴퓨터를 떠나지 못하고, 연결은 시간의 { PERCENT($path) } 동안 경로를 기다립니다
       *[segments] 세그먼트의 { PERCENT($share) }를 잃어 다시 보냈고, 연결은 시간의 { PERCENT($path) } 동안 경로를 기다립니다
    }{ $dropped ->
        [yes] . 버리는 것은 { dropped-by-whom }입니다
       *[no] {""}
    }
    .advice = { $dropped ->
        [yes] { finding-packets-dropped.advice }
       *[no] { lost-advice }
    }
lost-advice =
    { $how ->
        [timeouts] 무엇이 세그먼트를 버리는지 찾아보십시오. 가득 찬 수신 대기열(listen)이나 연결 추적 테이블, 방화벽, 경로에 있는 인터페이스의 버림
        [datagrams] --bit-rate를 낮추면 덜 잃습니다. 무엇이 데이터그램을 버리는지 찾아보십시오. 경로에 있는 속도 제한(policer)이나 더 좁은 링크, 인터페이스의 버림
        [stalls] 한꺼번에 보낸 것을 무엇이 모두 버리는지 찾아보십시오. 대기열이 없는 속도 제한(policer)이나 짧은 대기열, 작은 버퍼
        [answers] 가는 길이나 오는 길에서 무엇이 데이터그램을 버리는지 찾아보십시오. 속도 제한(policer), 방화벽, 가득 찬 대기열이나 소켓, 인터페이스의 버림
       *[segments] 경로에 있는 인터페이스의 버림, 가득 찬 대기열, 불량 케이블, 서로 다른 이중 통신 설정을 찾아보십시오
    }

finding-reordering-bound =
    세그먼트가 서로 앞질러 결과를 제한합니다. { PERCENT($share) }가 순서를 어기고 도착했고, TCP는 일부를 잃은 것으로 여겨 { PERCENT($again, decimals: 1) }를 다시 보냈는데 그중 { PERCENT($spurious) }는 이미 도착해 있었습니다. 연결은 시간의 { PERCENT($path) } 동안 경로를 기다립니다
    .advice = 한 연결의 패킷을 여러 길로 보내거나 고르지 않게 늦추는 것을 찾아보십시오(balance-rr 본드, 패킷마다 고르는 경로, 변하는 지연). 한 연결을 한 길로 보내면 순서가 지켜집니다

finding-window-bound =
    윈도우가 결과를 제한합니다. { $by ->
        [flight] { window-in-flight }를 채웁니다{ $emptied ->
            [yes] . 시간의 { PERCENT($empty) } 동안 프로그램은 자리를 기다리는데 버퍼 전체가 전송 중이었습니다
           *[no] {""}
        }
        [datagrams] 받는 쪽 스레드마다 계산하거나 CPU를 기다리는 시간이 { PERCENT($computes) }뿐인데도 소켓이 도착한 데이터그램의 { PERCENT($share) }를 버렸습니다. 때때로 { $known ->
            [yes] 버퍼 { BINARY($window) }
           *[no] 버퍼
        }에 다 담을 수 없을 만큼 도착합니다
       *[account] { $which ->
            [receive] 받는 쪽 윈도우가
           *[send] 보내는 쪽 자신의 버퍼가
        } 시간의 { PERCENT($share) } 동안 가득 차 있었습니다
    }
    .advice =
        { $which ->
            [congestion] 무엇이 혼잡 윈도우를 묶는지 찾아보십시오. `cwnd`와 `lock`이 있는 경로(`ip route show`)나 혼잡 제어가 원인입니다
           *[other] { window-advice }
        }
window-advice =
        더 큰 --window를 지정하거나 커널에 맡기십시오. { $which ->
            [send] 보내는 쪽에서 --window로 허용되는 크기는 net.core.wmem_max까지, 커널이 스스로 늘리는 크기는 net.ipv4.tcp_wmem의 마지막 값까지
           *[receive] 받는 쪽에서 --window로 허용되는 크기는 net.core.rmem_max까지, 커널이 스스로 늘리는 크기는 net.ipv4.tcp_rmem의 마지막 값까지
        }입니다(--set socket-buffer-max=32MiB)

finding-sender-cpu =
    보내는 쪽 프로세서가 결과를 제한합니다. { $by ->
        [core] { $end ->
            [far] { $machine }의{" "}
           *[near] {""}
        }CPU { FIXED($cpu) }이(가) { PERCENT($share) } 사용 중이며, 그중 { PERCENT($interrupts) }는 softirq, { PERCENT($system) }는 시스템 호출, { PERCENT($user) }는 프로그램입니다{ $shared ->
            [yes] . 양쪽 끝이 이 CPU를 나누어 씁니다
           *[no] {""}
        }
        [ready] 스레드마다 시간의 { PERCENT($share) } 동안 계산하거나 CPU를 기다립니다
       *[threads] 스레드마다 시간의 { PERCENT($share) } 동안 계산합니다{ $loopback ->
            [yes] {" "}(이 머신 하나에서)
           *[no] {""}
        }
    }
    .advice =
        { $by ->
            [core] 더 많은 CPU가 패킷을 받게 하십시오. 수신 큐를 늘리거나(`ethtool -L`), 인터럽트를 여러 CPU에 나누거나, 수신 패킷 분배(rps_cpus)를 쓰십시오. MTU가 크면 패킷 수가 줄어듭니다
            [ready] 그곳에서 계산하는 다른 것을 멈추거나, 부하를 다른 CPU에서 실행하십시오(--pin, taskset)
           *[threads] --streams를 늘리면 더 많은 코어를 씁니다. 더 큰 쓰기, 더 큰 MTU, --zero-copy는 바이트마다 드는 시간을 줄입니다
        }

finding-receiver-cpu =
    { $behind ->
        [yes] 받는 쪽이 따라가지 못합니다. 윈도우가 훨씬 더 많이 받을 수 있는데도 가득 차 있었고,{" "}
        [drops] 받는 쪽이 따라가지 못합니다. 소켓이 도착한 데이터그램의 { PERCENT($dropped) }를 버렸고,{" "}
       *[no] 받는 쪽 프로세서가 결과를 제한합니다.{" "}
    }{ $by ->
        [core] { $end ->
            [far] { $machine }의{" "}
           *[near] {""}
        }CPU { FIXED($cpu) }이(가) { PERCENT($share) } 사용 중이며, 그중 { PERCENT($interrupts) }는 softirq, { PERCENT($system) }는 시스템 호출, { PERCENT($user) }는 프로그램입니다{ $shared ->
            [yes] . 양쪽 끝이 이 CPU를 나누어 씁니다
           *[no] {""}
        }
        [ready] 스레드마다 시간의 { PERCENT($share) } 동안 계산하거나 CPU를 기다립니다
       *[threads] 스레드마다 시간의 { PERCENT($share) } 동안 계산합니다{ $loopback ->
            [yes] {" "}(이 머신 하나에서)
           *[no] {""}
        }
    }
    .advice =
        { $by ->
            [core] 더 많은 CPU가 패킷을 받게 하십시오. 수신 큐를 늘리거나(`ethtool -L`), 인터럽트를 여러 CPU에 나누거나, 수신 패킷 분배(rps_cpus)를 쓰십시오. MTU가 크면 패킷 수가 줄어듭니다
            [ready] 그곳에서 계산하는 다른 것을 멈추거나, 부하를 다른 CPU에서 실행하십시오(--pin, taskset)
           *[threads] --streams를 늘리면 더 많은 코어를 씁니다. 더 큰 읽기나 더 큰 MTU는 바이트마다 드는 시간을 줄입니다
        }

evidence-core =
    { $end ->
        [far] { $machine }의{" "}
       *[near] {""}
    }CPU { FIXED($cpu) }: { PERCENT($busy) } 사용 중, 그중 { PERCENT($interrupts) }는 softirq

finding-packets-dropped =
    { $end ->
        [far] { $machine }에서{" "}
       *[near] {""}
    }측정 구간에{" "}{ $what ->
        [broken-frames] { RESOURCE($resource) }에 깨진 프레임이 { FIXED($count) }개 들어왔습니다
        [unsent-frames] { RESOURCE($resource) }이(가) 프레임 { FIXED($count) }개를 보내지 못했습니다
        [missed] { RESOURCE($resource) }이(가) 들어온 패킷의 { PERCENT($share) }인 { FIXED($count) }개를 놓쳤습니다. 수신 링이 가득 차 있었습니다
        [receive-drops] { RESOURCE($resource) }에 들어온 패킷의 { PERCENT($share) }인 { FIXED($count) }개가 버려졌습니다
        [transmit-drops] { RESOURCE($resource) }이(가) 보낼 패킷의 { PERCENT($share) }인 { FIXED($count) }개가 버려졌습니다
        [queue-drops] { RESOURCE($resource) }의 큐잉 규칙이 받은 패킷의 { PERCENT($share) }인 { FIXED($count) }개를 버렸습니다
        [filter-drops] { RESOURCE($resource) }의 필터가 지나간 패킷 전체의 { PERCENT($share) }인 { FIXED($count) }개를 버렸습니다
        [backlog-drops] CPU가 전체의 { PERCENT($share) }인 패킷 { FIXED($count) }개를 어떤 프로토콜에도 넘기지 못하고 버렸습니다. 백로그가 가득 차 있었습니다
        [socket-drops] 소켓이 들어온 데이터그램의 { PERCENT($share) }인 { FIXED($count) }개를 버렸습니다. 수신 버퍼가 가득 차 있었습니다
        [tcp-socket-drops] 소켓이 들어온 TCP 세그먼트의 { PERCENT($share) }인 { FIXED($count) }개를 버렸습니다. 버퍼가 가득 차 있었습니다
        [table-full] 연결을 추적할 수 없어 패킷 { FIXED($count) }개가 버려졌습니다. 커널의 연결 추적 테이블이 가득 차 있었습니다
        [untracked] 연결을 추적할 수 없어 패킷 { FIXED($count) }개가 버려졌습니다
        [filtered-in] 들어온 패킷의 { PERCENT($share) }인 { FIXED($count) }개가 프로토콜에 닿기 전에 버려졌습니다. 방화벽(nftables, iptables)이 버렸거나, 들어온 길이 맞지 않았습니다(rp_filter)
        [filtered-out] 보낼 패킷의 { PERCENT($share) }인 { FIXED($count) }개가 인터페이스에 닿기 전에 버려졌습니다. 방화벽(nftables, iptables)이 버렸습니다
       *[turned-away] 연결 { FIXED($count) }개가 거절되었습니다. 대기 소켓의 큐가 가득 차 있었습니다
    }
    .advice =
        { $what ->
            [broken-frames] 불량 케이블, 트랜시버, 포트가 프레임을 깨뜨립니다. `ethtool -S`가 종류를 알려 줍니다
            [unsent-frames] 끊어지는 회선이나 서로 다른 이중 통신 설정이 프레임을 깨뜨립니다. `ethtool -S`가 종류를 알려 줍니다
            [missed] 더 큰 링(`ethtool -G`), 더 많은 수신 큐(`ethtool -L`), 또는 여러 CPU로 나눈 인터럽트가 패킷을 제때 꺼냅니다
            [receive-drops] `ip -s -s link`와 `ethtool -S`가 더 알려 줍니다. 필터, 알 수 없는 프로토콜, 가상 인터페이스의 가득 찬 링이 원인입니다
            [transmit-drops] `ip -s -s link`와 `ethtool -S`가 더 알려 줍니다. 더 긴 송신 큐나 더 낮은 속도로 줄일 수 있습니다
            [queue-drops] 인터페이스나 거기에 걸린 속도 제한이 통과시키는 것보다 많이 보냈습니다. `tc -s qdisc`가 위치를 알려 줍니다
            [filter-drops] 폴리서(policer)는 정해진 속도와 버스트보다 빨리 온 것을 버리고, 필터의 동작이 버림(drop)일 수도 있습니다. `tc -s filter show dev`에 `ingress`나 `egress`를 붙이면 어느 것인지 알 수 있습니다
            [backlog-drops] 더 큰 net.core.netdev_max_backlog나, 패킷을 받는 더 많은 CPU(rps_cpus)로 줄일 수 있습니다
            [socket-drops] 더 큰 --window는 더 많이 담고, --bit-rate는 덜 보내며, --streams를 늘리면 더 많은 코어에서 읽습니다
            [tcp-socket-drops] 프로그램이 더 빨리 읽거나 버퍼(net.ipv4.tcp_rmem, net.core.rmem_max)를 키우면 줄어듭니다
            [table-full] net.netfilter.nf_conntrack_max(와 nf_conntrack_buckets)를 늘리거나, 끝난 연결의 제한 시간을 줄이거나, 이 트래픽을 추적하지 마십시오(notrack)
            [untracked] 한 연결의 패킷이 여러 CPU에 동시에 도착하면 저마다 항목을 만들려 하여 하나가 버려질 수 있습니다. `conntrack -S`가 그 수를 셉니다. 추적하지 않는 것(notrack)은 버려지지 않습니다
            [filtered-in] `nft list ruleset`과 `iptables -nvL`이 버리거나 제한하는 규칙(limit, hashlimit, connlimit)을 보여 주고, 카운터가 있으면 그 수도 보여 줍니다
            [filtered-out] `nft list ruleset`과 `iptables -nvL`이 버리거나 제한하는 규칙(limit, hashlimit, connlimit)을 보여 주고, 카운터가 있으면 그 수도 보여 줍니다
           *[turned-away] 대기하는 프로그램이 연결을 너무 느리게 받거나, 기다릴 수 있는 수가 너무 적습니다(net.core.somaxconn)
        }

evidence-dropped = { FIXED($count) }개

finding-paused =
    { $end ->
        [far] { $machine }의{" "}
       *[near] {""}
    }{ RESOURCE($resource) }이(가) 측정 구간에 { $what ->
        [asked] 정지 프레임 { FIXED($count) }개로 송신을 멈추라는 요청을 받았습니다
       *[asks] 정지 프레임 { FIXED($count) }개로 상대에게 송신을 멈추라고 요청했습니다
    }
    .advice =
        { $what ->
            [asked] 스위치나 그 뒤의 머신에 자리가 없습니다. 그 포트와 받는 쪽을 확인하십시오
           *[asks] 이 머신이 패킷을 제때 꺼내지 못합니다. 더 큰 링(`ethtool -G`)이나 더 많은 수신 큐(`ethtool -L`)를 쓰십시오
        }

finding-allowance-exceeded =
    제공자가 결과를 제한합니다: { $allowance ->
        [bytes-in] { $end ->
            [far] { $machine }의{" "}
           *[near] {""}
        }{ RESOURCE($resource) }(으)로 들어오는 바이트가 인스턴스에 허용된 것보다 많습니다
        [bytes-out] { $end ->
            [far] { $machine }의{" "}
           *[near] {""}
        }{ RESOURCE($resource) }(으)로 나가는 바이트가 인스턴스에 허용된 것보다 많습니다
        [packets] { $end ->
            [far] { $machine }의{" "}
           *[near] {""}
        }{ RESOURCE($resource) }을(를) 지나는 패킷이 인스턴스에 허용된 것보다 많습니다
        [tracked] { $end ->
            [far] { $machine }의{" "}
           *[near] {""}
        }{ RESOURCE($resource) }을(를) 지나는 연결이 인스턴스에 대해 추적되는 수보다 많습니다
        [volume-operations] { RESOURCE($resource) }에 요청한 작업이 볼륨에 허용된 것보다 많습니다
        [volume-bytes] { RESOURCE($resource) }에 요청한 바이트가 볼륨에 허용된 것보다 많습니다
        [instance-operations] { RESOURCE($resource) }에 요청한 작업이 인스턴스에 허용된 것보다 많습니다
       *[instance-bytes] { RESOURCE($resource) }에 요청한 바이트가 인스턴스에 허용된 것보다 많습니다
    } (시행 { $of }회 중 { $trials }회에서 카운터가 늘었습니다)
    .advice =
        { $allowance ->
            [bytes-in] 더 큰 인스턴스 유형에는 더 많이 허용됩니다. 쉬고 나면 크레딧이 다시 쌓일 수 있습니다. TCP 흐름 하나는 최대 5 Gbit/s(배치 그룹 안에서는 10)이므로, 여럿이면 늘어납니다
            [bytes-out] 더 큰 인스턴스 유형에는 더 많이 허용됩니다. 쉬고 나면 크레딧이 다시 쌓일 수 있습니다. TCP 흐름 하나는 최대 5 Gbit/s(배치 그룹 안에서는 10)이므로, 여럿이면 늘어납니다
            [packets] 더 큰 패킷이나 더 큰 인스턴스 유형을 쓰십시오
            [tracked] 동시 연결을 줄이거나 더 큰 인스턴스 유형을 쓰십시오
            [volume-operations] 작업 수를 더 많이 확보한 볼륨을 쓰십시오
            [volume-bytes] 처리량을 더 많이 확보한 볼륨을 쓰십시오
           *[other] 더 큰 인스턴스 유형에는 더 많이 허용됩니다. 쉬고 나면 크레딧이 다시 쌓일 수 있습니다
        }

evidence-allowance-packets = { RESOURCE($resource) }: 한 측정 구간에 대기하거나 버려진 패킷 { FIXED($count) }개
evidence-allowance-time = { RESOURCE($resource) }: 한 측정 구간 가운데 { SHORT($exceeded_s, unit: "s") } 동안 초과

finding-server-bound =
    서버가 결과를 정합니다. { $how ->
        [stream] 클라이언트가 시간의 { PERCENT($share) } 동안 서버가 보내기를 기다리고, 경로에서 알려진 것은 모두 여유가 있습니다
        [upload] 클라이언트가 시간의 { PERCENT($share) } 동안 서버의 수신과 응답을 기다리고, 경로에서 알려진 것은 모두 여유가 있습니다
        [threads] { $machine }에서 응답하는 스레드마다 시간의 { PERCENT($share) } 동안 계산하고, 그동안 다른 요청은 기다립니다
        [file] 상대 쪽은 시간의 { PERCENT($share) } 동안 보낼 것이 없고 계산도 하지 않습니다. 디스크가 파일을 줄 때까지 기다립니다
        [refused] 서버가 요청의 { PERCENT($share) }를 처리하지 않으며, 처리량은 나머지의 것입니다
       *[requests] 한 번에 { FIXED($outstanding) }개를 보내고, 응답마다 { SHORT($latency_s, unit: "s") }가 걸리며, 그중 왕복은 { SHORT($rtt_s, unit: "s") }입니다
    }
    .advice =
        { $how ->
            [stream] 서버와 서버에서 오는 경로를 살펴보십시오: 프로세서, 장치, 서버 자신의 제한. --{ $option }를 늘리면 더 얻는지는 바꿔 가며 재면 알 수 있습니다(--{ $option } 1,4,16)
            [upload] 서버를 살펴보십시오: 프로세서, 장치, 서버 자신의 제한. --{ $option }를 늘리면 서버가 더 받는지는 바꿔 가며 재면 알 수 있습니다(--{ $option } 1,4,16)
            [threads] 연결을 늘리면(--threads) CPU가 있는 한 더 많은 스레드가 응답합니다
            [file] 상대 컴퓨터에서 headroom run disk를 실행하면 그 디스크가 무엇을 할 수 있는지 알 수 있습니다. 페이지 캐시에 있는 파일을 보내면 디스크는 빠집니다
            [refused] 서버가 무엇을 왜 거절하는지 살펴보십시오: 속도나 연결 수의 제한, 가득 찬 풀이나 대기열, 잘못된 요청. 어떤 응답이었는지는 시행의 사실에 있습니다
           *[requests] 서버의 프로세서와 장치, 프로그램이 무엇을 기다리는지 살펴보십시오. --{ $option }를 늘리면 더 얻는지는 바꿔 가며 재면 알 수 있습니다(--{ $option } 1,4,16,64)
        }
finding-device-bound =
    { RESOURCE($resource) }이(가) 결과를 정합니다. { $how ->
        [reads] 부하는 시간의 { PERCENT($share) } 동안 페이지 캐시에 없는 데이터를 장치가 줄 때까지 기다립니다{ $ahead ->
            [off] . 미리 읽기는 없습니다(read_ahead_kb)
           *[yes] {""}
        }
        [syncs] 부하는 시간의 { PERCENT($share) } 동안 쓴 데이터가 장치에 기록될 때까지 기다립니다{ $flushed ->
            [yes] . 시간의 { PERCENT($flushing) } 동안 플러시가 진행됩니다({ SHORT($flushes, unit: "1/s") })
           *[no] {""}
        }
        [each] 부하는 동기화하지 않는데도 시간의 { PERCENT($share) } 동안 쓰기마다 장치에 기록될 때까지 기다립니다: { $option ->
            [none] 마운트 옵션이나 파일의 속성이 그렇게 정합니다(sync, chattr +S)
           *[sync] 파일 시스템이 { $option } 옵션으로 마운트되어 있습니다
        }
        [fills] 부하는 시간의 { PERCENT($share) } 동안 쓸 페이지를 장치에서 먼저 읽을 때까지 기다립니다
        [flight] 부하가 동시에 진행할 수 있는 작업 { FIXED($depth) }개가 모두 장치에 가 있고, 작업마다 { SHORT($latency_s, unit: "s") }가 걸리며, 시작할 때가 된 작업이 더 밀려 있습니다
       *[stream] 클라이언트는 시간의 { PERCENT($share) } 동안 온 데이터를 장치가 받기를 기다리고, 그동안 서버도 기다립니다
    }
    .advice =
        { $how ->
            [reads] { $ahead ->
                [yes] 미리 읽기를 키우거나(--set read-ahead) --threads를 늘리면
                [off] 미리 읽기를 켜거나(--set read-ahead) --threads를 늘리면
               *[no] --threads를 늘리면
            } 동시에 더 많이 읽습니다. 장치가 할 수 있는 것은 --direct yes --queue-depth 1..64로 알 수 있습니다
            [syncs] 더 많은 쓰기를 모아 동기화 횟수를 줄이거나, 플러시가 빠른 장치(전원이 끊겨도 남는 캐시를 가진 것)를 쓰십시오. --threads를 늘리면 한 번의 동기화를 함께 쓰기도 합니다
            [each] 그 옵션이나 속성이 없으면 쓰기가 기다리지 않습니다. 크게 쓰면 덜 자주 기다립니다
            [fills] 파일을 매핑하지 않고 페이지(4 KiB) 전체를 쓰면 먼저 읽을 것이 없습니다. --threads를 늘리면 동시에 더 많이 읽습니다
            [flight] --queue-depth나 --threads를 늘리면 동시에 더 많이 요청합니다. --rate 없이 재면 장치가 내는 최대를 알 수 있습니다
           *[stream] 장치만의 속도는 headroom run disk --pattern write --block-size { BINARY($buffer) }로 알 수 있습니다. --buffer를 키우면 한 번에 더 많이 쓰고, --streams를 늘리면 동시에 씁니다
        }
finding-dirty-throttled =
    더티 스로틀링: 시간의 { PERCENT($share) } 동안 { $grouped ->
        [yes] 메모리가 { BINARY($memory) }로 제한된 컨트롤 그룹의{" "}
       *[no] {""}
    }페이지 캐시에 쓰기를 기다리는 데이터({ BINARY($dirty) })가 많아, 커널이 쓰는 쪽을 { RESOURCE($resource) }이(가) 받는 속도 { SHORT($rate, unit: "B/s") }로 늦춥니다
    .advice = { RESOURCE($resource) }이(가) 한계입니다. 더 빠른 것이 도움이 되고, { $grouped ->
        [yes] 그룹의 메모리를 늘려도
       *[no] 페이지 캐시를 키워도(--set dirty-bytes)
    } 느려지는 때가 늦어질 뿐입니다. 단독 속도는 headroom run disk로 알 수 있습니다
round-trip-advice =
    { $named ->
        [yes] --{ $option }를 늘리면 동시에 더 많이 보냅니다
       *[no] 동시에 더 많이 보내면 늘어납니다
    }{ $kept ->
        [yes] {""}
       *[no] . 연결을 유지하면 연결을 만드는 왕복이 없어집니다
    }. 요청 하나에 더 많이 담으면 왕복이 줄어듭니다
finding-round-trip-bound =
    왕복 시간이 결과를 정합니다. 한 번에 { FIXED($outstanding) }개를 보내고, { $how ->
        [statements] 하나에 { SHORT($latency_s, unit: "s") }가 걸리며, 그중 { SHORT($rtt_s, unit: "s") }짜리 왕복 { FIXED($trips, decimals: 1) }회가 { PERCENT($share) }입니다
       *[requests] 응답마다 { SHORT($latency_s, unit: "s") }가 걸립니다
    }
    .advice =
        { $how ->
            [statements] 트랜잭션의 문장을 줄이면(한 문장에 여러 행, 서버의 프로시저) 왕복이 줄어듭니다. --{ $option }를 늘리면 동시에 더 많이 보내고, 클라이언트가 서버에 가까우면 한 번의 기다림이 짧아집니다
           *[requests] { round-trip-advice }
        }

evidence-client-waited =
    클라이언트가 시간의 { PERCENT($server) } 동안 서버를 기다림{ $writes ->
        [yes] , 쓰기는 { PERCENT($written) }
       *[no] {""}
    }
evidence-dirty-of-others = 페이지 캐시에 쓰기를 기다리는 데이터가 많아 쓰는 쪽이 늦춰지지만, { RESOURCE($resource) }이(가) 받는 것 가운데 부하의 것은 { PERCENT($own) }뿐
evidence-dirty-pages = 쓰기를 기다리는 데이터 { BINARY($dirty) }, { BINARY($limit) }부터 쓰는 쪽이 늦춰짐
evidence-held = 버퍼에 { BINARY($bytes) }
evidence-timeouts = TCP 시간 초과 { FIXED($timeouts) }회, { SHORT($least_s, unit: "s") } 이상 걸린 요청 { FIXED($late) }개
evidence-answers-lost = 요청의 { PERCENT($lost, decimals: 1) }가 응답을 받지 못함
evidence-shaped =
    { $end ->
        [far] { $machine }의{" "}
       *[near] {""}
    }{ RESOURCE($resource) }에서 큐잉 규칙{ $kind ->
        [none] {""}
       *[other] {" "}{ $kind }
    }이(가) 측정 구간에 패킷을 { FIXED($held) }번 붙들었음{ $dropped ->
        [0] {""}
       *[other] . 버린 패킷 { FIXED($dropped) }개
    }{ $limited ->
        [yes] . 통과시키는 속도 { SHORT($rate, $unit) }
       *[no] {""}
    }(`tc -s qdisc`)
evidence-dropped-by = { finding-packets-dropped }
evidence-paced = 혼잡 제어({ $congestion })가 연결마다 { SHORT($paced, $unit) }로 페이싱하며, 연결은 그 { PERCENT($share) }를 받음
evidence-tcp-memory = 이 머신의 TCP가 시간의 { PERCENT($share) } 동안 메모리가 모자라 윈도우와 버퍼를 작게 유지함(net.ipv4.tcp_mem)
evidence-still-growing = 구간이 끝날 때에도 속도가 늘고 있었음. 마지막 4분의 1이 그 앞의 { FIXED($times, decimals: 1) }배. --duration이나 --warmup을 늘리면 어디서 멈추는지 알 수 있음
evidence-connecting = 시간의 { PERCENT($share) } 동안 처리 중일 수 있는 요청이 없습니다. 연결 { FIXED($again) }개의 첫 세그먼트를 잃었고, TCP는 1초 이상 뒤에 다시 보냅니다
evidence-unsent = 이 구간에 TCP가 세그먼트 { SHORT($given) }개를 내보냈고, 그 { PERCENT($share) }가 컴퓨터를 떠나지 못했습니다
evidence-retransmits = 세그먼트의 { PERCENT($share) }를 잃음
window-in-flight = 대기열로 늘어나지 않은 왕복 시간 { SHORT($rtt_s, unit: "s") }에서 전송 중인 데이터가 { $which ->
        [receive] 받는 쪽 윈도우
        [congestion] 잃은 것이 없는데도 커지지 않는 혼잡 윈도우
       *[send] 보내는 쪽 자신의 버퍼
    } { BINARY($window) }의 { PERCENT($share) }
evidence-window =
    { $by ->
        [flight] { window-in-flight }{ $emptied ->
            [yes] . 시간의 { PERCENT($empty) } 동안 프로그램은 자리를 기다리는데 버퍼 전체가 전송 중
           *[no] {""}
        }
       *[account] { $which ->
            [receive] 받는 쪽 윈도우가
           *[send] 보내는 쪽 자신의 버퍼가
        } 시간의 { PERCENT($share) } 동안 가득 참
    }
evidence-no-account = TCP가 왜 기다렸는지에 대한 기록이 없거나, 측정 구간이 그것을 알 수 있는 길이(0.4 s)보다 짧음
evidence-served-file =
    상대 쪽이 보낸 파일의 { PERCENT($cached) }는 보내기 전에 상대 쪽 페이지 캐시에 있었음{ $source ->
        [cache] . 상대 쪽 디스크에서 온 것이 아님
       *[disk] {""}
    }
evidence-path-full =
    { $by ->
        [queue] 왕복은 최소의 { FIXED($times, decimals: 1) }배이고, 연결은 시간의 { PERCENT($path) } 동안 경로를 기다림
       *[delivery] 연결은 BBR이며, 시간의 { PERCENT($path) } 동안 경로를 기다림
    }
evidence-account = 연결은 시간의 { PERCENT($path) } 동안 네트워크를, { PERCENT($program) } 동안 프로그램을 기다렸고, 가득 찬 링크나 윈도우나 프로세서는 발견되지 않음

finding-other-route =
    데이터가 경로에 있는 { RESOURCE($resource) }을(를) 지나지 않았습니다. 그 인터페이스가 센 것은 전송한 데이터의 { PERCENT($share) }입니다{ $known ->
        [yes] . 데이터를 센 것은 { RESOURCE($other) }입니다
       *[no] {""}
    }
    .advice = 두 머신에서 `ip route get ADDRESS`를 확인하고, 의도한 경로에 있는 노드의 주소를 지정하십시오

evidence-passed = 전송한 데이터의 { PERCENT($share) }

finding-packet-not-carried = 이 머신의 인터페이스가 보내는 { FIXED($route) }바이트 패킷이 상대에게 닿지 않습니다. 경로가 나르는 것은 최대 { FIXED($carried) }바이트입니다
    .advice = 경로에 있는 모든 인터페이스와 스위치에 같은 MTU를 설정하십시오

finding-packet-size-unknown = 경로가 얼마나 큰 패킷을 나르는지 확인하지 못했습니다. 응답이 온 데이터그램이 없습니다
    .advice = 두 머신 사이에 UDP를 허용하거나, 경로의 모든 MTU가 같은지 확인하십시오

evidence-carried = { FIXED($carried) }바이트까지 닿았고, 더 큰 것은 닿지 않음
evidence-no-account-udp = UDP는 왜 기다렸는지를 기록하지 않음
