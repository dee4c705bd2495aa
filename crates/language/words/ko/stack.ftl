# What is full at each layer of a storage stack, and what each layer costs.

finding-kernel-work-full =
    { RESOURCE($resource) }을(를) 위한 커널 작업이 쓸 수 있는 CPU가 한계에 도달했습니다: 그 시간의 { PERCENT($used) }를 { $crypto ->
        [yes] 암호화가
       *[no] 이 작업이
    }, { PERCENT($own) }를 부하 자신의 스레드가 씁니다
    .advice =
        { $crypto ->
            [yes] 프로세서에 전용 명령이 있는 암호 방식, 더 큰 섹터, 더 많은 CPU가 도움이 됩니다. 아래 장치를 빠르게 해도 달라지지 않습니다. 이 CPU가 최대 얼마나 암호화하는지는 `headroom run cpu.crypto --threads all`이 측정합니다
           *[no] CPU를 늘리면 빨라집니다. 아래 장치를 빠르게 해도 달라지지 않습니다
        }
evidence-kernel-work =
    { RESOURCE($resource) }을(를) 위한 커널 작업({ $by ->
        [events] 커널의 큐 이벤트 기준
       *[names] 스레드와 큐의 이름 기준
    })이 쓸 수 있는 CPU 시간의 { PERCENT($used) }를 차지하고, 그 CPU는 시간의 { PERCENT($busy) } 동안 사용 중
finding-kernel-thread-full =
    커널 스레드 하나가 한계에 도달했습니다: { RESOURCE($resource) }을(를) 위해 일하는 { $name }이(가) 시간의 { PERCENT($share) } 동안 계산합니다{ $parity ->
        [alone] . 패리티를 계산하는 다른 스레드는 없습니다(group_thread_cnt가 0)
        [helped] . 다른 스레드 { FIXED($helpers) }개가 패리티를 계산할 수 있습니다(group_thread_cnt)
       *[none] {""}
    }
    .advice =
        { $parity ->
            [alone] 패리티를 계산하는 스레드를 늘리십시오: 어레이의 group_thread_cnt, 스택의 group-threads=N. 그것으로 최대 얼마가 되는지는 `headroom run cpu.parity --threads 1,all`이 측정합니다
           *[other] 더 빠른 CPU가 도움이 됩니다. CPU 수를 늘려도 달라지지 않습니다
        }
evidence-kernel-thread = { $name }이(가) 시간의 { PERCENT($share) } 동안 계산
finding-slow-member =
    { RESOURCE($resource) }은(는) { RESOURCE($other) }의 다른 구성원보다 느리고, 모든 구성원이 이것을 기다립니다: 작업 하나에 { SHORT($latency_s, unit: "s") }, 다른 구성원은 { SHORT($others_s, unit: "s") }가 걸리며, 진행 중인 작업의 { PERCENT($share) }가 여기에 있습니다
    .advice = 어레이는 가장 느린 구성원만큼 빠릅니다. 이 구성원의 상태와 온도, 링크, 다른 사용자를 확인하십시오
evidence-member = { RESOURCE($resource) }의 작업 하나는 { SHORT($latency_s, unit: "s") }, 다른 구성원은 중앙값으로 { SHORT($others_s, unit: "s") }
finding-parity-rewrite =
    { RESOURCE($resource) }의 패리티: 쓰기 1바이트마다 구성원은 { FIXED($read, decimals: 2) }바이트를 읽고 { FIXED($written, decimals: 2) }바이트를 씁니다. 스트라이프보다 작은 쓰기는 있던 내용을 읽을 때까지 기다리기 때문입니다
    .advice =
        스트라이프 전체{ $stripe ->
            [0] {""}
           *[other] ({ BINARY($stripe) })
        }를 쓰면 아무것도 읽지 않습니다: 더 큰 쓰기, 작은 청크, 큰 스트라이프 캐시가 도움이 됩니다. 패리티가 없으면 읽을 것도 없습니다
evidence-parity = { RESOURCE($resource) }의 구성원은 쓰기 1바이트마다 { FIXED($read, decimals: 2) }바이트를 읽고 { FIXED($written, decimals: 2) }바이트를 씀
finding-journal-flush =
    저널: 시간의 { PERCENT($share) } 동안 { RESOURCE($resource) }의 플러시{ $through ->
        [yes] 나 캐시를 거쳐 매체까지 가는 쓰기(추정)
       *[no] {""}
    }가 진행 중이고({ SHORT($rate, unit: "1/s") }), 부하의 1바이트마다 { FIXED($more, decimals: 2) }바이트가 더 쓰입니다
    .advice = sync를 줄이고 한 번에 더 많이 쓰거나, 플러시가 빠른 장치(정전에도 남는 캐시가 있는 것)를 쓰십시오
evidence-flushes = { RESOURCE($resource) }의 플러시는 { SHORT($rate, unit: "1/s") }, 시간의 { PERCENT($share) }. 부하의 1바이트마다 { FIXED($more, decimals: 2) }바이트가 더 쓰임
evidence-forced-writes = 같은 수의 쓰기가 { RESOURCE($resource) }의 캐시를 거쳐 매체까지 가며(FUA), 쓰기의 평균 시간으로 어림하면 시간의 { PERCENT($share) }

finding-array-busy =
    부하와 함께 { RESOURCE($resource) }의 { $action }이(가) 진행되어(시행 { FIXED($of) }회 가운데 { FIXED($trials) }회) 구성원의 일부를 썼습니다
    .advice = 끝난 뒤에 다시 측정하십시오(/proc/mdstat 참고)
evidence-sync-beside = sync_action은 { $action }
finding-stripe-lost =
    { RESOURCE($resource) }은(는) { RESOURCE($below) }의 스트라이프({ BINARY($stripe) })를 위로 전하지 않습니다{ $says ->
        [0] {""}
       *[other] ({ BINARY($says) }라고 전합니다)
    }. 그 위의 파일 시스템은 스트라이프에 맞추지 않습니다
    .advice = mkfs에 스트라이프를 직접 지정하십시오(mkfs.xfs의 su와 sw, mkfs.ext4의 stride와 stripe-width)
evidence-optimal-size = optimal_io_size는 { RESOURCE($below) }이(가) { BINARY($stripe) }, { RESOURCE($resource) }이(가) { BINARY($says) }
finding-small-sectors =
    { $by ->
        [load] { BINARY($logical) } 쓰기는 { RESOURCE($below) }의 섹터({ BINARY($physical) })보다 작습니다
       *[layer] { RESOURCE($resource) }의 블록은 { BINARY($logical) }이고, 아래 { RESOURCE($below) }의 섹터는 { BINARY($physical) }입니다
    }{ $crypto ->
        [yes] : 블록마다 따로 암호화하고, 섹터보다 작은 쓰기에서는 드라이브가 먼저 읽습니다
       *[no] : 섹터보다 작은 쓰기에서는 드라이브가 먼저 읽습니다
    }
    .advice =
        { $crypto ->
            [yes] 더 큰 섹터로 다시 만드십시오(cryptsetup luksFormat --sector-size 4096, 스택의 sector-size)
           *[no] { $by ->
                [load] --block-size를 섹터 전체로 하면 먼저 읽을 것이 없습니다
               *[layer] 그 위에서는 { BINARY($physical) } 블록을 쓰십시오
            }
        }
evidence-sectors = { RESOURCE($resource) }: { BINARY($logical) }, { RESOURCE($below) }: { BINARY($physical) }
finding-misaligned-start =
    { RESOURCE($resource) }은(는) { FIXED($start) }바이트에서 시작하며, { $of ->
        [sector] { RESOURCE($below) }의 섹터({ BINARY($bytes) }) 중간입니다: 맞춘 쓰기도 섹터 두 개에 걸치고, 드라이브가 먼저 둘 다 읽습니다
       *[stripe] { RESOURCE($below) }의 스트라이프({ BINARY($bytes) }) 중간입니다: 스트라이프 전체의 쓰기도 두 개에 걸치고, 패리티를 먼저 읽습니다
    }
    .advice = { BINARY($bytes) }의 배수 위치에 파티션을 다시 만드십시오. 내용은 복사해야 합니다
evidence-start = { RESOURCE($resource) }은(는) { FIXED($start) }바이트에서 시작
finding-discard-not-passed =
    { RESOURCE($below) }은(는) discard를 받지만 { RESOURCE($resource) }은(는) 받지 않습니다: 위에서 지워도 아래에서는 할당된 채로 남습니다
    .advice =
        { $crypto ->
            [yes] cryptsetup의 allow-discards(스택에서는 discard=yes)로 아래에 전할 수 있지만, 어느 블록이 비었는지 드러납니다
           *[no] {""}
        }
evidence-discards = discard_max_bytes는 { RESOURCE($resource) }이(가) 0, { RESOURCE($below) }이(가) { BINARY($bytes) }

verdict-kernel-work-full = CPU가 { $resource } 작업으로 한계에 도달
verdict-kernel-thread-full = { $resource }의 커널 스레드 하나가 한계에 도달
verdict-slow-member = 모든 구성원이 { $resource }을(를) 기다림
verdict-parity-rewrite = 작은 쓰기마다 { $resource }의 구성원을 읽음
verdict-journal-flush = { $resource }에 대한 저널 플러시
conclusion-kernel-work-full = { $resource }을(를) 위한 커널 작업으로 CPU가 한계: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-kernel-thread-full = { $resource }의 커널 스레드 하나가 한계: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-slow-member = 다른 모든 구성원이 기다리는 { $resource }이(가) 한계: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-parity-rewrite = { $resource }의 패리티가 한계(작은 쓰기가 읽기를 기다림): { $rate }{ conclusion-where }{ conclusion-then }
conclusion-journal-flush = { $resource }에 대한 저널 플러시가 한계: { $rate }{ conclusion-where }{ conclusion-then }

waterfall-full = 한계에 도달한 부분
waterfall-bytes-below = 가장 아래 장치의 바이트(부하 1바이트당)
waterfall-bytes = 읽기 { $read }, 쓰기 { $written }
waterfall-costs =
    { $layer }의 비용은 { $below } 속도의 { $cost }입니다{ $why ->
        [known] (이유: { $reason })
       *[unknown] {""}
    }{ $changed ->
        [yes] . { $below }을(를) 제한하던 것({ $before })은 여기부터 더는 한계가 아닙니다
       *[no] {""}
    }
waterfall-costs-little = { $layer }의 비용은 { $below } 속도의 { $margin } % 이하입니다
waterfall-gives-more = { $layer }은(는) { $below }보다 { $cost } 빠릅니다
waterfall-untold = { $layer }에 비용이 있는지 이 시행으로는 알 수 없습니다: { $below }에 대해 { $change }
