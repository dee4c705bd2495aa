### CPU, 메모리, 스케줄러에 관한 진단: 키는 `finding-<code>`와 `evidence-<code>`이며, 영어 문장은 각 규칙에 있다.

finding-throttled =
    { RESOURCE($resource) }이(가) 시행 { $of }회 중 { $trials }회에서 { $why ->
        [power] 전력 제한 때문에 느려졌습니다. 그 제한이 없을 때의 속도가 아닙니다
       *[heat] 발열 때문에 느려졌습니다. 식은 상태의 속도가 아닙니다
    }
    .advice = { $why ->
        [power] 전력 제한(powercap, 펌웨어)을 점검하고, 제한을 푼 뒤에 다시 측정하십시오
       *[heat] 팬과 먼지를 점검하고, 식은 뒤에 다시 측정하십시오
    }

finding-slowed-down = { RESOURCE($resource) }의 클록이 부하 중에 { SHORT($first, unit: "Hz") }에서 { SHORT($last, unit: "Hz") }로 { PERCENT($fall) } 낮아졌습니다. 측정 구간 앞부분의 속도는 지속되지 않습니다
    .advice = 지속되는 속도를 보려면 더 오래, 언제나 나오는 속도를 보려면 터보를 끄고 측정하십시오

finding-temperature =
    { $seen ->
        [no] 이 서버에는 온도 센서가 보이지 않습니다{ $virtual ->
            [yes] {" "}(가상 머신)
           *[no] {""}
        }
       *[yes] { RESOURCE($resource) }의 온도가 { FIXED($rise) } K 올라 { FIXED($load) } °C가 되었고, { $settled ->
            [yes] { SPAN($seconds) } 뒤에 안정되었습니다
           *[no] 측정 구간 안에 안정되지 않았습니다
        }
    }
    .advice = --duration을 늘리면 온도가 어디에서 멈추는지 알 수 있습니다

finding-more-threads-than-cores = 스레드 { FIXED($threads) }개가 CPU { $cpus }개를 번갈아 씁니다. 스레드를 늘려도 더 계산하지 못하며, 서로를 기다립니다
    .advice = CPU마다 하나인 --threads all을 사용하십시오

finding-more-threads-than-quota =
    { $below ->
        [yes] 컨트롤 그룹의 쿼터가 CPU { FIXED($quota, decimals: 2) }개로, 하나보다 적습니다. 스레드가 하나여도 매 주기의 일부 동안 멈춥니다
       *[no] 스레드 { FIXED($threads) }개가 컨트롤 그룹 쿼터인 CPU { FIXED($quota, decimals: 2) }개를 나누어 씁니다. 매 주기의 일부 동안 모두 멈춥니다
    }
    .advice = 프로세서의 성능을 보려면 그룹 밖에서, 또는 쿼터를 풀고 측정하십시오

finding-smt-shared =
    코어 { $shared }개에서 스레드가 둘씩 실행되었습니다(예: CPU { $first }, { $second }). { $free ->
        [0] 한 코어의 두 번째 스레드는 두 번째 코어가 아닙니다
       *[other] 그동안 코어 { $free }개는 비어 있었습니다
    }
    .advice = 서로 다른 코어의 CPU를 고르거나, --pin spread에 맡기십시오

finding-cores-differ = 부하의 스레드가 종류가 다른 코어에서 실행되었습니다({ $cores }). 종류마다 속도가 다릅니다
    .advice = 한 종류의 값을 보려면 그 종류의 CPU를 지정하십시오: { $pin }

finding-numa-remote =
    { $part ->
        [yes] 메모리의 { PERCENT($share) }가 그것을 쓰는 스레드와 다른 노드에 있습니다. 그곳에 접근할 때마다 노드 사이의 링크를 지납니다
       *[no] 스레드는 노드 { $cpu }에서 실행되었고 메모리는 노드 { $memory }에 있습니다{ $known ->
            [yes] (거리 { $distance }, 자기 노드는 10)
           *[no] {""}
        }. 다른 노드의 메모리를 측정한 값입니다
    }
    .advice = 자기 노드의 메모리를 측정하려면 --cpu-node와 --memory-node에 같은 노드를 주십시오

finding-cost-per-operation = { BINARY($least) }부터 { BINARY($most) }까지 블록 크기와 상관없이 속도가 같습니다. 메모리가 아니라 작업 하나의 비용({ SHORT($each_s, unit: "s") })입니다
    .advice = 메모리는 memory.bandwidth로, 접근 한 번에 걸리는 시간은 memory.latency로 측정합니다

finding-fits-in-cache =
    { $travels ->
        [yes] 모든 스레드가 { BINARY($block) } 블록 하나에 함께 씁니다. 그 캐시 라인이 코어 사이를 오가며, 메모리가 아니라 그것을 측정한 값입니다
       *[no] { $global ->
            [yes] 모든 스레드가 함께 쓰는 블록 하나
           *[no] 블록
        }({ BINARY($block) })이(가) 레벨 { $level } 캐시({ BINARY($cache) })에 머뭅니다. 메모리가 아니라 그 캐시의 값입니다
    }
    .advice = 캐시보다 큰 size로 memory.bandwidth를 실행하면 메모리를 측정합니다

finding-cache-claim =
    이 서버는 레벨 { $level } 캐시가 { BINARY($claimed) }라고 하지만, { BINARY($from) }부터는 { $what ->
        [latency] 지연 시간이
       *[bandwidth] 대역폭이
    } 메모리의 값({ SHORT($value, $unit) })입니다{ $virtual ->
        [yes] . 가상 머신은 캐시를 다른 가상 머신과 나누어 씁니다
       *[no] {""}
    }

finding-memory-latency =
    { $memory ->
        [yes] 메모리 지연 시간: 읽기마다
       *[no] 캐시나 메모리의 지연 시간: 읽기마다
    } 앞선 읽기를 { SHORT($each_s, unit: "s") } 동안 기다립니다

finding-scheduler-bound =
    { $what ->
        [threads] 스레드들이 서로를 기다립니다. 차례가 번갈아 오는 데 시간이 듭니다
        [timer] 타이머가 울릴 때까지 잠듭니다. { $busy ->
            [yes] 쓸 수 있는 모든 CPU가 사용 중이므로 깨어난 뒤 CPU를 기다릴 수 있습니다
           *[no] 한계에 도달한 자원은 없습니다
        }
       *[kernel] 호출마다 커널의 응답을 기다립니다. 걸린 시간은 커널의 것입니다
    }

evidence-threads-add-nothing = 스레드 { FIXED($threads) }개가 { FIXED($fewer) }개의 { PERCENT($share) }만큼 함. 늘린 스레드는 서로나 메모리를 기다리거나 코어를 나누어 씀
evidence-block = block-size = { BINARY($block) }
evidence-clock = 마지막에는 { SHORT($hertz, unit: "Hz") }
evidence-from = { SHORT($value, $unit) }
evidence-load-latency = 하나에 { SHORT($each_s, unit: "s") }
evidence-memory-away = 다른 노드에 { PERCENT($share) }
evidence-memory-node = 노드 { $node }의 메모리
evidence-rest = 부하 앞뒤의 온도를 보려고 했음
evidence-core-kinds = 코어의 종류: { $kinds }
evidence-siblings = CPU { $first }, { $second }는 한 코어
evidence-temperature = { RESOURCE($resource) }: 유휴 { FIXED($idle) } °C, 부하 { FIXED($load) } °C
evidence-threads = threads = { FIXED($threads) }
