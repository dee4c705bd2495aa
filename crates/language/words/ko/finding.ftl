### 진단 결과: 키는 `finding-<code>`와 `evidence-<code>`이며, 영어 문장은 각 규칙에 있다.

## 결과를 믿을 수 있는가

finding-trials-failed =
    { $how ->
        [all-skipped] 실행하지 않았습니다
        [skipped] 시행 { $trials }회 중 { $count }회를 실행하지 않았습니다
       *[failed] 시행 { $trials }회 중 { $count }회가 실패했습니다
    }: { $reason ->
        [unknown] 이유가 기록되지 않았습니다
       *[other] { $reason }
    }

finding-precision-unmet =
    { $known ->
        [no] 시행 { $trials }회로는 아직 신뢰구간을 구할 수 없습니다. 요청한 반폭은 { PERCENT($wanted, decimals: 1) }입니다
       *[yes] 시행 { $trials }회 후 신뢰구간의 반폭이 추정값의 { PERCENT($reached, decimals: 1) }로, 요청한 { PERCENT($wanted, decimals: 1) }에 이르지 못했습니다
    }

finding-stalled = 시행 { $of }회 중 { $trials }회에서 부하가 최대 { SHORT($longest_s, unit: "s") } 동안 멈췄습니다. 이 수치에는 두 가지 상태가 섞여 있습니다

finding-outlier-trial = 시행 { $of }회 중 { $trial }번째의 값은 나머지 시행 중앙값의 { PERCENT($share) }입니다. 그 시행에서만 무언가가 달랐고, 신뢰구간은 둘 다 포함합니다
    .advice = 그 시행의 시간에 따른 변화와 그때 바빴던 것을 보십시오. --trials를 늘려 다시 측정하십시오

evidence-outlier-trial = 나머지는 중앙값에서 최대 { PERCENT($others) } 벗어남
evidence-outlier-sampled = 그 시행의 측정 구간에서 { RESOURCE($resource) }의 { $name }: { SHORT($own, $unit) }, 나머지 시행에서는 { SHORT($usual, $unit) }
evidence-outlier-program = { $name }이(가) 그 시행에서 초당 CPU { FIXED($cpu, decimals: 2) }초, 나머지에서는 최대 { FIXED($others, decimals: 2) }초 사용

finding-device-node-remote =
    스레드는 노드 { $cpu }에서 실행되었고 { RESOURCE($resource) }은(는) 노드 { $node }에 연결되어 있습니다{ $known ->
        [yes] {" "}(거리 { $distance }, 자기 노드는 10)
       *[no] {""}
    }. 오가는 데이터가 프로세서 사이의 링크를 지납니다
    .advice =
        { $asked ->
            [no] --cpu-node { $node }(으)로 스레드를 그 옆에서 실행할 수 있습니다
           *[yes] {""}
        }

evidence-device-node = { RESOURCE($resource) }은(는) 노드 { $node }에 연결됨

finding-not-settled = 시행 { $judged }회 중 { $unsettled }회에서 측정이 끝날 때까지 속도가 안정되지 않았습니다(MSER-5)
    .advice = --duration이나 --warm-up을 더 길게 지정하십시오

finding-operations-failed =
    작업의 { PERCENT($share, decimals: 1) }가 실패했습니다: 속도는 나머지만 센 값이며, 거절된 작업은 처리된 작업보다 짧게 끝납니다
    .advice = 무엇을 누가 거절했는지 찾아보십시오. 가득 찬 연결 풀이나 대기열, 속도 제한, 잘못된 요청. 어떤 응답이었는지는 시행의 사실에 있습니다

finding-overloaded =
    과부하: { evidence-queue-grows }. 알려진 것 중 한계에 도달한 것은 없습니다
    .advice = 속도를 낮추거나, --rate 없이 측정해 최대 처리량을 확인하십시오
evidence-queue-grows =
    요청한 속도 { SHORT($asked, unit: "1/s") }가 처리량보다 { PERCENT($beyond, decimals: 1) } 높아 대기열이 1초마다 { SHORT($per_s, unit: "1/s") }씩 길어짐. 작업 하나에 걸리는 시간이 측정 구간의 첫 4분의 1에서 { SHORT($first_s, unit: "s") }, 마지막 4분의 1에서 { SHORT($last_s, unit: "s") }
finding-rate-not-kept =
    { $how ->
        [grows] { $workload } 부하가 과부하 상태입니다. 요청한 속도 { SHORT($asked, unit: "1/s") }가 처리량보다 { PERCENT($beyond, decimals: 1) } 높아 대기열이 1초마다 { SHORT($per_s, unit: "1/s") }씩 길어졌습니다.
       *[share] { $workload } 부하는 요청한 속도 { SHORT($asked, unit: "1/s") }의 { PERCENT($share) }만 처리했습니다.
    } 이때 지연 시간은 시행이 길수록 늘어나므로, 대상의 속도가 아니라 대기열이 얼마나 길어졌는지를 나타냅니다

finding-nothing-driven = engine=null: 아무것도 읽거나 쓰지 않았습니다. 이 수치는 도구 자체가 낼 수 있는 최댓값입니다

finding-no-device-below =
    { $how ->
        [memory] { $filesystem }은(는) 메모리에 있는 파일 시스템입니다. 디스크가 아니라 메모리의 속도입니다
        [elsewhere] { $filesystem }은(는) 다른 서버에 있거나 프로그램이 제공하는 파일 시스템입니다. 이 서버의 디스크가 아닙니다
       *[unknown] { $filesystem } 아래에 어떤 블록 장치가 있는지 알 수 없어 장치의 카운터를 읽지 못했습니다
    }

finding-page-cache-included =
    { $by ->
        [mmap] engine=mmap
       *[buffered] direct=no
    }: { $how ->
        [both] 읽은 바이트 중 장치에서 온 것은 { PERCENT($device_share) }이고, 나머지는 페이지 캐시에서 왔습니다. 측정 구간에 쓴 바이트 중 장치에 기록된 것은 { PERCENT($written_share) }이고, 나머지는 구간이 끝날 때 페이지 캐시에 남아 있었거나 그 안에서 덮어써졌습니다
        [write] 측정 구간에 쓴 바이트 중 장치에 기록된 것은 { PERCENT($device_share) }이고, 나머지는 구간이 끝날 때 페이지 캐시에 남아 있었거나 그 안에서 덮어써졌습니다
        [read] 읽은 바이트 중 장치에서 온 것은 { PERCENT($device_share) }이고, 나머지는 페이지 캐시에서 왔습니다
       *[unknown] 페이지 캐시가 처리한 몫이 이 수치에 들어 있으므로 디스크만의 성능이 아닙니다
    }
    .advice = 장치 자체를 측정하려면 mmap이 아닌 엔진에서 direct=yes를 사용하십시오

finding-cache-speed = 쓴 데이터의 { PERCENT($share) }는 마지막 쓰기가 반환될 때 아직 메모리에만 있었습니다. 장치에 기록될 때까지의 속도는 { SHORT($returned, unit: "B/s") }가 아니라 { SHORT($durable, unit: "B/s") }입니다
    .advice = throughput_durable을 쓰거나, direct=yes 또는 sync=end로 측정하십시오

finding-cache-absorbed-the-head =
    처음 { SHORT($bytes, unit: "B") }는 페이지 캐시가 { SHORT($head, unit: "B/s") }로 받았고, 그 뒤로는 { $known ->
        [yes] { RESOURCE($resource) }이(가) 받는 { SHORT($sustained, unit: "B/s") }였습니다
       *[no] { SHORT($sustained, unit: "B/s") }였습니다
    }. 평균 { SHORT($mean, unit: "B/s") }는 측정한 길이에 따라 달라집니다
    .advice = 지속되는 속도로는 { SHORT($sustained, unit: "B/s") }를 쓰십시오
evidence-full-cache = 쓰기를 기다리는 데이터는 최대 { BINARY($dirty) }, { BINARY($limit) }부터 쓰는 쪽이 늦춰짐

finding-loop-through-cache =
    { RESOURCE($resource) }의 파일은 페이지 캐시를 거쳐 읽고 쓰며, direct=yes도 이 캐시를 건너뛰지 못합니다. { $how ->
        [seen] { RESOURCE($below) }에 닿은 것은 바이트의 { PERCENT($share) }입니다
       *[unknown] 디스크의 속도가 아닙니다
    }
    .advice = losetup --direct-io=on

finding-cache-too-small = 읽는 범위 { BINARY($span) }에 비해 캐시로 쓸 수 있는 메모리가 { BINARY($room) }로 부족합니다. 바이트의 { PERCENT($device_share) }는 장치에서 왔으므로, 이 수치는 캐시의 성능도 디스크의 성능도 아닙니다
    .advice = 메모리에 들어가는 span을 쓰거나 direct=yes를 사용하십시오

finding-sparse-file = 파일에서 장치에 실제로 블록이 있는 부분은 { PERCENT($allocated_share) }뿐입니다. 나머지는 빈 구간(hole)이거나 압축된 부분이라 장치를 읽지 않고 응답합니다

finding-engine-forbidden = 작업을 { $engine } 엔진으로 전달했습니다: { $reason }

finding-placement-not-as-asked =
    { $how ->
        [too-many] 작업 스레드를 CPU에 고정하지 않았습니다: 작업 스레드 { $workers }개가 사용할 수 있는 CPU 수보다 많습니다
        [partly] 작업 스레드 { $workers }개 모두를 `{ $done }` 방식으로 배치하지는 못했습니다: 조건에 맞는 CPU가 부족합니다
       *[no-interrupts] 작업 스레드를 `{ $asked }` 대신 `{ $done }` 방식으로 배치했습니다: 이 자원의 인터럽트를 알 수 없습니다
    }

finding-span-fits-cache =
    { $how ->
        [drive] 사용하는 범위 { BINARY($span) }가 { RESOURCE($resource) }의 자체 캐시 { BINARY($cache) }에 들어가며, direct=yes는 이 캐시를 건너뛰지 못합니다
       *[unknown] 반복해서 읽는 범위 { BINARY($span) }가 드라이브나 컨트롤러, 하이퍼바이저의 캐시에 들어갈 수 있으며, direct=yes는 이런 캐시를 건너뛰지 못합니다
    }
    .advice = span을 바꾸어 가며 측정하십시오. 속도가 계단처럼 바뀌는 곳이 캐시의 크기입니다

finding-same-place =
    랜덤 작업의 범위가 { BINARY($span) }로, { RESOURCE($resource) }의 { PERCENT($share) }{ $how ->
        [less] {" "}미만
       *[share] {""}
    }입니다. { $heads ->
        [yes] 헤드가 그 부분에서만 움직이므로, 디스크 전체를 쓸 때보다 탐색이 짧습니다
       *[no] 중간의 캐시에 들어갈 수 있으며, 범위가 넓으면 더 느릴 수 있습니다
    }
    .advice = size를 늘리거나 span을 바꾸어 가며 측정하십시오

finding-blocks-never-written =
    { $how ->
        [purged] { RESOURCE($resource) }의 모든 블록을 미리 비웠습니다(discard). 읽기에는 저장 매체가 아니라 컨트롤러가 응답합니다
       *[unknown] { RESOURCE($resource) }의 어느 블록에 쓴 적이 있는지 알 수 없습니다. 쓴 적이 없는 블록의 읽기에는 저장 매체가 아니라 컨트롤러가 응답합니다
    }
    .advice = precondition=fill을 사용하십시오. 내주기로 한 장치를 덮어씁니다

finding-compressible-content =
    { $content ->
        [zeros] 내용이 모두 0입니다
        [compressible] 내용의 { PERCENT($share) }는 압축하면 사라집니다
        [duplicate] 블록의 { PERCENT($share) }는 같은 내용이 여러 번 쓰입니다
       *[other] 내용이 `{ $content }`입니다
    }. 중간에서 압축하거나 중복을 제거한다면 그런 내용일 때의 속도입니다
    .advice = content=random과 비교하십시오

finding-not-preconditioned =
    { $how ->
        [span] 버스트 수치입니다: 쓴 양이 { BINARY($written) }로, 사용하는 범위 { BINARY($span) }의 두 배보다 적습니다. 더 오래 쓰면 { RESOURCE($resource) }가 느려질 수 있습니다
        [cache] 버스트 수치입니다: 쓴 양이 { BINARY($written) }로, { RESOURCE($resource) }의 자체 캐시 { BINARY($cache) }보다 적습니다
       *[state] { RESOURCE($resource) }를 미리 정상 상태로 만들지 않았습니다. 정상 상태에서는 더 느릴 수 있습니다
    }
    .advice = precondition=full은 내주기로 한 장치를 정상 상태로 만듭니다. 몇 시간이 걸립니다

finding-never-steady =
    { $how ->
        [failed] 정상 상태에 이르지 못했습니다: 라운드 { $next }이(가) 실패했습니다: { $reason }
        [unsteady] 라운드 { $rounds }번 후에도 정상 상태가 아닙니다: 마지막 { $window }번의 범위는 평균의 { PERCENT($range) }(20 % 이내여야 함), 기울기는 { PERCENT($slope) }(10 % 이내여야 함)입니다
       *[few] 라운드 { $rounds }번으로는 정상 상태인지 알 수 없습니다. { $window }번이 필요합니다
    }
    .advice = 라운드를 더 길게, 또는 더 여러 번 하면 안정될 수 있습니다. 그때까지는 라운드별 값과 함께 인용하십시오

finding-what-was-durable =
    { $how ->
        [through] 커널은 { RESOURCE($resource) }에 휘발성 캐시가 없다고 보고 flush를 보내지 않습니다. 그것이 사실일 때만 동기화한 데이터가 안전합니다
        [flushed] 동기화 { SHORT($syncs, unit: "1/s") }에 대해 flush { SHORT($flushes, unit: "1/s") }가 { RESOURCE($resource) }에 닿았습니다. 장치가 사실대로 응답한다면 동기화한 데이터는 안전합니다
        [fua] { RESOURCE($resource) }는 캐시를 거치지 않는 쓰기(FUA)를 지원하므로, 쓰기마다 동기화해도 flush가 필요 없습니다. 장치가 사실대로 응답한다면 쓴 데이터는 안전합니다
       *[none] 동기화 { SHORT($syncs, unit: "1/s") }에 대해 { RESOURCE($resource) }에 닿은 flush가 없는데, 커널은 이 장치에 휘발성 캐시가 있다고 봅니다. 동기화한 데이터는 안전하지 않으며, 이 수치는 동기화하지 않았을 때의 것입니다
    }
    .advice = 마운트 옵션에 barrier=0이나 nobarrier가 있는지, flush를 보내지 않는 계층이 있는지 확인하십시오

finding-counts-do-not-reconcile =
    { $how ->
        [nothing] 부하는 { SHORT($program, unit: "B/s") } 속도로 { $done ->
            [read] 읽었지만
            [write] 썼지만
           *[trim] trim했지만
        }, 커널은 { RESOURCE($resource) }에서 아무것도 세지 못했습니다. 장치가 카운터를 제공하지 않거나 요청이 장치에 닿지 않은 것입니다
       *[part] 커널이 { RESOURCE($resource) }에서 센 것은 부하가 { $done ->
            [read] 읽은
            [write] 쓴
           *[trim] trim한
        } 바이트의 { PERCENT($share) }입니다. 나머지는 중간 계층이 처리했습니다
    }

finding-counts-unsupported = 커널이 { RESOURCE($resource) }의 요청을 세지 않으므로, 부하가 옮겼다는 양을 대조할 수 없습니다
    .advice = 셀 수 있는 장치라면 queue/iostats에 1을 쓰십시오

finding-requests-split =
    { RESOURCE($resource) }에서 작업 하나가 요청 { FIXED($each, decimals: 1) }개가 되었습니다. { $how ->
        [size] 이 장치가 한 번에 받는 것은 최대 { BINARY($bytes) }입니다(max_sectors_kb)
        [pieces] 이 장치가 한 번에 받는 메모리 조각은 최대 { $pieces }개입니다(max_segments)
       *[unexplained] 크기 때문이 아니므로, 위의 계층이 나누었거나 파일이 조각나 있습니다
    }

finding-requests-merged =
    { $how ->
        [merged] 커널이 작업의 { PERCENT($share) }를 이웃한 작업과 합쳤습니다. { RESOURCE($resource) }에서 처리한 요청은 평균 { BINARY($block) }가 아니라 { BINARY($bytes) }입니다
       *[unexplained] { RESOURCE($resource) }의 요청이 부하의 작업보다 { PERCENT($share) } 적은데, 커널이 합친 기록이 없습니다. 중간 계층이 합쳤거나 대신 응답했습니다
    }

finding-read-ahead =
    { RESOURCE($resource) }에서 온 바이트가 부하가 요청한 것의 { FIXED($times, decimals: 1) }배입니다. { $how ->
        [explained] 커널은 페이지 단위로 읽고, 최대 { BINARY($ahead) }까지 미리 읽습니다(read_ahead_kb)
       *[unexplained] 미리 읽기로 설명되는 것보다 많으므로, 다른 프로그램도 사용한 것입니다
    }

finding-others-use-the-device = { RESOURCE($resource) }에서 부하의 { SHORT($program, unit: "B/s") } 말고도 { SHORT($beyond, unit: "B/s") }가 더 오갔습니다. 다른 프로그램도 사용했거나, 중간에서 요청이 커진 것입니다
    .advice = 무엇이 사용 중인지 `headroom doctor`로 확인하고, 한가할 때 다시 측정하십시오

finding-littles-law-broken =
    { $how ->
        [impossible] { $named ->
            [yes] { $target }:{" "}
           *[no] {""}
        }리틀의 법칙에 어긋납니다: 속도가 { SHORT($rate, unit: "1/s") }이고 한 번에 { SHORT($latency_s, unit: "s") }라면 동시에 { FIXED($under_way, decimals: 1) }개가 진행되어야 하지만 실제로는 { FIXED($depth) }개뿐이었습니다. 속도와 지연 시간 중 하나가 틀렸습니다
        [kinds] 리틀의 법칙에 어긋납니다: 읽기, 쓰기, trim을 합치면 동시에 진행된 작업의 { PERCENT($share) }입니다. 속도와 지연 시간 중 하나가 틀렸습니다
        [stages] 제출 시간과 장치 시간을 합치면 작업에 걸린 시간의 { PERCENT($share) }입니다. 셋 중 하나가 틀렸습니다
       *[idle] { $named ->
            [yes] { $target }:{" "}
           *[no] {""}
        }속도가 { SHORT($rate, unit: "1/s") }이고 한 번에 { SHORT($latency_s, unit: "s") }라면 동시에 진행된 것은 { FIXED($under_way, decimals: 1) }개로, 요청한 { FIXED($depth) }개의 { PERCENT($share) }입니다. 나머지 시간에는 부하 쪽이 준비되지 않았습니다
    }

finding-queue-measured =
    { $how ->
        [knee] 이 지연 시간은 대기열의 길이입니다: 동시에 { FIXED($depth) }개 대신 { FIXED($from) }개를 진행하면 속도는 이것의 { PERCENT($share) }이고, 응답은 { FIXED($times, decimals: 1) }배 빠릅니다
       *[device] 이 지연 시간은 대부분 기다린 시간입니다: 동시에 { FIXED($depth) }개가 진행되는데, { RESOURCE($resource) }가 한 번에 받는 것은 { FIXED($takes) }개입니다
    }
    .advice = 더 늘려도 빨라지지 않기 시작하는 지점의 큐 깊이를 사용하십시오

finding-fewer-targets-at-the-end =
    첫 번째 대상은 { SHORT($first, unit: "s") }, 마지막 대상은 { SHORT($last, unit: "s") } 후에 끝났습니다{ $how ->
        [sum] : 각각의 평균을 더하면 { SHORT($sum, unit: "B/s") }이지만, 모두 동작하는 동안 흐른 것은 { SHORT($together, unit: "B/s") }입니다
       *[times] {""}
    }

finding-disturbed-by-others =
    { $end ->
        [far] 측정 구간에 { $machine }에서 다른 프로그램이{" "}
       *[near] 측정 구간에 다른 프로그램이{" "}
    }CPU 하나의 { PERCENT($others_cpu) }를 사용했습니다{ $who ->
        [none] {""}
       *[other] : { $who }
    }{ $server ->
        [yes] . 서버가 이 컴퓨터에 있으므로 그 가운데 하나일 수 있습니다
       *[no] {""}
    }
    .advice = { $server ->
        [yes] 서버가 아닌 프로그램을 종료하거나, 한가할 때 다시 측정하십시오
       *[no] 해당 프로그램을 종료하거나, 한가할 때 다시 측정하십시오
    }

finding-cpu-stolen =
    { $some ->
        [yes] { stolen-trials }에서 하이퍼바이저가 이 머신에 필요한 CPU 시간의 { PERCENT($steal_share) }를 다른 가상 머신에 주었고(steal), 나머지에서는 많아야 { PERCENT($others) }입니다. { $differs ->
            [yes] 이 시행의 값은 나머지의 { PERCENT($ratio) }이며, 구간에는 둘 다 들어 있습니다
           *[no] 이 시행의 수치는 다를 수 있습니다
        }
       *[no] 하이퍼바이저가 이 머신에 필요한 CPU 시간의 { PERCENT($steal_share) }를 다른 가상 머신에 주었습니다(steal). 다른 시간대에는 수치가 달라질 수 있습니다
    }
    .advice = 다른 시간대에, 또는 전용 CPU가 있는 머신에서 다시 측정하십시오

finding-swapping =
    측정 구간에 스왑이 발생했습니다(스왑 인 { SHORT($in, unit: "B/s") }, 스왑 아웃 { SHORT($out, unit: "B/s") }). { $zswap ->
        [yes] 메모리 압축(zswap) 비용이
       *[no] 스왑 장치의 속도가
    } 수치에 섞였을 수 있습니다
    .advice = 크기를 줄이거나 메모리를 비우거나, 측정하는 동안 스왑을 끄십시오

finding-generator-bound = 부하가 대상 없이 이 프로그램이 낼 수 있는 속도의 { PERCENT($share) }에 이르렀습니다. 대상이 더 빨라도 수치에 나타나지 않습니다
    .advice = 스레드를 늘리거나 블록을 키우거나, 다른 머신에서 부하를 주십시오

finding-too-few-trials =
    { $trials ->
        [1] 시행이 한 번뿐이라 신뢰구간이 없습니다. 다시 측정하면 얼마나 달라질지 알 수 없습니다
       *[other] 시행 { $trials }회로는 의미 있는 신뢰구간을 얻을 수 없습니다
    }
    .advice = --trials 5 이상을 사용하십시오

## 약속된 값과의 차이

finding-promise =
    { $by ->
        [metric] { $metric }의 측정값은 { SHORT($measured, $unit) }, 스터디에서 약속된 값은 { $bound ->
            [most] { SHORT($promised, $unit) } 이하
           *[least] { SHORT($promised, $unit) } 이상
        }입니다. { $how ->
            [kept] 약속을 지켰습니다
           *[short] 약속을 지키지 못했습니다
        }
        [study] { RESOURCE($resource) }은(는) 스터디에서 약속된 { SHORT($promised, $unit) }의 { PERCENT($fraction) }입니다. { $how ->
            [short] 약속에 미치지 못합니다
           *[kept] 약속을 지켰습니다
        }
       *[datasheet] { RESOURCE($resource) }은(는) 데이터시트에 적힌 { SHORT($promised, $unit) }의 { PERCENT($fraction) }입니다. { $how ->
            [short] 약속에 미치지 못합니다
            [beyond] 약속보다 빠르므로 캐시가 응답했거나 다른 드라이브일 수 있습니다
           *[kept] 약속을 지켰습니다
        }
    }

finding-ramp =
    { $how ->
        [held] 부하가 무너지지 않았습니다. 가장 높은 속도인 { SHORT($rate, unit: "1/s") }도 매번 유지되었습니다
       *[broke] 속도를 { $ramps }번 올린 가운데 { $broke }번 부하가 무너졌습니다. 그 가운데 중간은 { SHORT($rate, unit: "1/s") }이며, { finding-ramp.bound }. { $below ->
            [none] 더 낮은 속도는 시험하지 않았습니다
           *[some] 그 전에 { SHORT($held, unit: "1/s") }은(는) 유지되었습니다
        }
    }
    .bound = { $bound ->
        [failed] 시행이 실패했습니다
        [errors] 실패한 작업이 있습니다
        [rate] 예정된 작업의 95 %에 못 미치게 끝났습니다
       *[latency] 예정 시각부터 { SHORT($latency, unit: "s") } 안에 끝난 작업이 { PERCENT($share) }에 못 미칩니다
    }

finding-instructions-absent =
    이 프로세서에는 AES 명령이 없거나 하이퍼바이저가 감추고 있습니다. { $use ->
        [layer] { RESOURCE($target) }의 암호화는
        [tls] TLS의 암호화는
       *[load] 이 부하의 암호화는
    } 일반 명령으로 이루어져 CPU 시간이 더 듭니다
    .advice = 가상 머신이라면 이 명령을 넘겨주는 CPU 모델을 쓰십시오. 이 명령이 있는 시스템에서 `headroom run cpu.crypto --hardware yes,no`가 그 값어치를 알려 줍니다

evidence-processor-flags = Headroom이 보관하는 플래그 가운데 이 프로세서가 알리는 것은 { $count }개이며 `{ $flag }`은(는) 그 가운데 없습니다

finding-promise-not-tested =
    { $promise }로 약속된 { SHORT($promised, $unit) }은(는) { finding-promise-not-tested.reason }
    .reason = 시험하지 않았습니다. { $reason ->
        [metric] 이 값을 측정하는 부하가 없습니다
        [direction] { $direction ->
            [read] 읽기만 하는 부하가 없습니다
           *[write] 쓰기만 하는 부하가 없습니다
        }
        [access] { $access ->
            [random] { $direction ->
                [read] 랜덤 읽기가 없습니다
                [write] 랜덤 쓰기가 없습니다
               *[both] 랜덤 작업이 없습니다
            }
           *[sequential] { $direction ->
                [read] 순차 읽기가 없습니다
                [write] 순차 쓰기가 없습니다
               *[both] 순차 작업이 없습니다
            }
        }
        [block] 블록 크기가 { BINARY($least) }인 부하가 없습니다
        [small] 블록 크기가 { BINARY($least) } 이상인 부하가 없습니다
        [depth] 동시에 { FIXED($least) }개 이상 처리할 때의 값인데, 가장 많을 때도 { FIXED($had) }개였습니다
        [bytes] 동시에 { BINARY($least) } 이상 처리할 때의 값인데, 가장 많을 때도 { BINARY($had) }였습니다
        [cache] 부하가 페이지 캐시를 거칩니다
        [device] 어느 드라이브가 응답하는지 알 수 없습니다
        [array] 여러 드라이브가 작업을 나누어 처리합니다
       *[failed] 결과를 얻은 시행이 없습니다
    }

## 무엇이 결과를 제한하는가

finding-cpu-quota =
    { $end ->
        [far] { $machine }에 있는{" "}
       *[near] {""}
    }컨트롤 그룹의 CPU 쿼터가 결과를 제한합니다: { $counted ->
        [no] 스레드가 쿼터의 { PERCENT($fraction) }를 사용했습니다
       *[yes] 각 스레드가 1초마다 { SHORT($stopped_s, unit: "s") }씩 멈췄습니다
    }
    .advice = 그룹의 cpu.max(cpu.cfs_quota_us)를 높이거나 그룹 밖에서 측정하십시오

bucket-fill =
    { $counts ->
        [bytes] { SHORT($fill, unit: "B") }({ SHORT($fill_low, unit: "B") }~{ SHORT($fill_high, unit: "B") })
       *[operations] 작업 { FIXED($fill) }개({ FIXED($fill_low) }~{ FIXED($fill_high) })
    }

finding-bucket-used-up =
    { RESOURCE($resource) }의 속도가 계량됩니다: { $full ->
        [yes] 약 { bucket-fill }의 버킷이
       *[no] 모아 둔 약 { bucket-fill }이(가)
    } { SHORT($burst, $unit) }로 { SHORT($after_s, unit: "s") } 만에 다 쓰였고, 그 뒤로는 { SHORT($base, $unit) }만 나옵니다. { SHORT($refill_s, unit: "s") } 동안 쉬면 그만큼 다시 찹니다
    .advice = 지속되는 것은 낮은 쪽 속도입니다. 그 값을 인용하거나, 버킷에 남아 있는 동안만 측정하십시오. 더 크게 빌리면 더 많이 허용됩니다

evidence-bucket-fall = 시행 { $of }회 중 { $trials }회에서 작업 { SHORT($after_s, unit: "s") }까지 { SHORT($burst, $unit) }, 그 뒤로 { SHORT($base, $unit) }

finding-constant-limit =
    { $published ->
        [yes] { $end ->
            [far] { $machine }의{" "}
           *[near] {""}
        }{ RESOURCE($resource) }이(가) 공표된 대로({ $source }) { SHORT($rate, $unit) }로 묶여 있습니다
       *[no] { $end ->
            [far] { $machine }의{" "}
           *[near] {""}
        }{ RESOURCE($resource) }이(가) 출처를 알 수 없는 일정한 한도 때문에 { SHORT($rate, $unit) }로 묶여 있습니다
    }: { evidence-constant }
    .advice = 누군가 속도를 계량합니다. 하이퍼바이저, 제공자, 컨트롤러이거나 속도를 밝히지 않는 링크입니다. 얼마가 허용되는지 이 머신을 운영하는 쪽에 문의하십시오

evidence-constant =
    { $by ->
        [operations] { BINARY($from) } 작업과 { BINARY($to) } 작업의 수가 { PERCENT($within) } 안에서 같습니다
        [bytes] { BINARY($from) } 작업과 { BINARY($to) } 작업으로 옮긴 바이트가 { PERCENT($within) } 안에서 같습니다
        [idle] 한 번에 { FIXED($to) }개와 { FIXED($from) }개가 { PERCENT($within) } 안에서 같습니다. 한 번에 하나면 시간의 { PERCENT($pause) } 동안 할 일이 없는데도 그렇습니다
        [paced] 걸리는 시간이 0에 가까운 것부터 긴 것까지 있는 읽기가 시계처럼 규칙적으로 끝납니다. 그 수의 변동은 그런 시간에서 나올 변동의 { PERCENT($within) }뿐입니다
        [streams] 스트림 { FIXED($to) }개와 { FIXED($from) }개의 합이 { PERCENT($within) } 안에서 같습니다
       *[course] 연결이 시간의 { PERCENT($path) } 동안 경로를 기다리고, 그 앞에 대기열이 있으며, 속도가 { PERCENT($within) } 안에서 일정합니다
    }. 알려진 한도 가운데 이에 가까운 것은 없습니다

finding-credits-used-up =
    이 머신의 CPU 크레딧이 { SHORT($after_s, unit: "s") } 만에 다 쓰였습니다. 그때까지는 CPU { FIXED($burst, decimals: 1) }개, 그 뒤로는 { FIXED($base, decimals: 1) }개를 받았습니다. 모아 둔 CPU 시간은 약 { SHORT($fill, unit: "s") }({ SHORT($fill_low, unit: "s") }~{ SHORT($fill_high, unit: "s") })였고, { SHORT($refill_s, unit: "s") } 동안 쉬면 그만큼 다시 찹니다
    .advice = 지속되는 것은 낮은 쪽 속도입니다. 그 값을 인용하거나, CPU를 혼자 쓰는 머신 또는 크레딧에 한도가 없는 머신을 쓰십시오

evidence-credits-steal = 시행 { $of }회 중 { $trials }회에서 빼앗긴 CPU가 전에는 { FIXED($before, decimals: 1) }개, 그 뒤로는 { FIXED($behind, decimals: 1) }개였습니다

stolen-trials = 시행 { $of }회 중 { $trials }번째
evidence-stolen-in-some =
    { stolen-trials }에서 이 머신에 필요한 CPU 시간의 { PERCENT($share) }를 빼앗김(steal). 나머지에서는 많아야 { PERCENT($others) }{ $differs ->
        [yes] . 이 시행의 값은 나머지의 { PERCENT($ratio) }
       *[no] {""}
    }
finding-steal-bound =
    하이퍼바이저가 결과를 제한합니다: { $some ->
        [yes] { stolen-trials }에서{" "}
       *[no] {""}
    }{ $end ->
        [far] { $machine }에 있는{" "}
       *[near] {""}
    }스레드에 필요한 CPU 시간의 { PERCENT($share) }를 다른 가상 머신에 주었습니다(steal)
    .advice = CPU를 혼자 쓰는 머신을 쓰거나 다른 시간대에 측정하십시오. 빼앗긴 시간은 이 머신의 어떤 프로그램도 쓰지 않았습니다

evidence-stolen-of-load =
    { $end ->
        [far] { $machine }에 있는{" "}
       *[near] {""}
    }스레드에 필요한 CPU 시간의 { PERCENT($share) }를 빼앗김

finding-threads-stopped =
    스레드가 시간의 { PERCENT($share) } 동안 실행되지 못했습니다: 계산하지도, CPU를 기다리지도 않았는데, 이런 부하가 달리 기다릴 것은 없습니다
    .advice = 무엇이 스레드를 멈추는지 찾아보십시오. 시그널(cpulimit이 보내는 SIGSTOP), 얼린 컨트롤 그룹(cgroup.freeze, freezer.state), 또는 여기서 보이지 않는 상위 그룹의 CPU 쿼터

evidence-stopped = 작업 스레드가 저마다 계산하거나 CPU를 기다린 시간 { PERCENT($wanted) }, 인터럽트와 하이퍼바이저가 가져간 CPU { FIXED($taken, decimals: 2) }개

finding-swap-bound =
    메모리가 부족해 스왑이 결과를 제한합니다: 스레드가 시간의 { PERCENT($share) } 동안, 스왑에서 페이지를 읽어 오거나 다른 페이지를 스왑에 쓰는 것을 기다렸습니다. 메모리와 스왑 사이에 { SHORT($rate, unit: "B/s") }가 오갑니다
    .advice = 메모리보다 적은 데이터로 작업하거나 메모리가 더 많은 머신을 쓰십시오. 스왑 장치가 빨라져도 기다림이 짧아질 뿐입니다

evidence-swap-wait =
    스레드가 메모리를 기다린 시간 { PERCENT($share) }({ $by ->
        [delays] 커널이 태스크마다 집계
        [rest] 커널 밖에서 계산하지도, 실행할 준비가 된 채 CPU를 기다리지도 않은 시간. 메모리만 쓰는 부하는 다른 것을 기다리지 않음
       *[pressure] 컨트롤 그룹 전체가 멈춘 시간을 커널이 집계
    })
evidence-swap-unaccounted = { SHORT($rate, unit: "B/s") }의 스왑이 발생했지만, 스레드가 얼마나 기다렸는지는 집계되지 않음

finding-reclaim-bound =
    컨트롤 그룹의 메모리가 가득 차, { $by ->
        [again] 거듭 읽는 것을 페이지 캐시에 다 담지 못합니다: 장치가 보내는 것의 { PERCENT($again) }는 전에 메모리에 있던 것이고, 부하는 시간의 { PERCENT($share) } 동안 그것을 기다립니다
       *[wait] { reclaim-waits }
    }. 그룹의 제한은 { BINARY($limit) }{ $which ->
        [high] (memory.high)
        [max] (memory.max)
       *[none] {""}
    }입니다
    .advice = 그룹의 memory.high와 memory.max(systemd의 MemoryHigh와 MemoryMax, 버전 1의 memory.limit_in_bytes)를 늘리거나 그룹 밖에서 측정하십시오. 페이지 캐시를 거치지 않는 부하(--direct yes)는 메모리를 덜 씁니다
evidence-read-again = 장치가 보내는 것의 { PERCENT($again) }는 얼마 전까지 메모리에 있었음(workingset_refault_file). 컨트롤 그룹의 { BINARY($limit) } 중 { PERCENT($left) }가 남아 있었음
reclaim-waits = 자리를 비우는 일이 결과를 제한합니다: { $by ->
        [rest] 그룹의 스레드가 시간의 { PERCENT($share) } 동안 자리가 나기를 기다렸고
       *[pressure] 할 일이 있는 그룹의 모든 태스크가 시간의 { PERCENT($share) } 동안 메모리를 기다리며 멈춰 있었고
    }, 스왑은 1 MB/s 미만이었습니다

evidence-reclaim-wait =
    { $by ->
        [rest] 페이지 캐시에 쓰는 스레드가 계산하지도, 실행할 준비가 된 채 CPU를 기다리지도 않은 시간 { PERCENT($share) }(머신 때문에 느려진 쓰기는 없음)
       *[pressure] 컨트롤 그룹의 모든 태스크가 메모리를 기다리며 멈춘 시간 { PERCENT($share) }
    }, 제한 { BINARY($limit) } 가운데 남은 것 { PERCENT($left) }

finding-presenter-cpu-full =
    디스크를 제공하는 { $machine }의 CPU가 결과를 제한합니다: { $how ->
        [thread] 커널 스레드 { $name }가 시간의 { PERCENT($share) } 동안 계산합니다
       *[all] 모든 CPU가 합쳐서 시간의 { PERCENT($share) } 동안 사용 중입니다
    }
    .advice =
        { $how ->
            [thread] 디스크를 여러 개로 나누어 각각 세션을 두거나 스레드가 더 많은 타깃(nvme-tcp)을 쓰면 그 머신의 CPU를 더 씁니다
           *[all] 그 머신의 CPU를 늘리거나 더 빠른 것으로 바꾸십시오. 타깃 아래 계층이 덜 계산해도 여유가 생깁니다
        }

finding-presenter-device-bound =
    디스크를 제공하는 { $machine }의 장치 { $device }가 결과를 제한합니다: 진행 중인 작업 { FIXED($under_way, decimals: 1) }개 가운데 평균 { FIXED($there, decimals: 1) }개가 그 장치에 있습니다
    .advice = 그 머신에서 headroom run disk를 실행하면 장치만의 성능을 알 수 있습니다. 네트워크가 아니라 그 장치를 더 빠른 것으로 바꾸어야 결과가 좋아집니다

evidence-presenter-busy = { $machine }의 모든 CPU가 합쳐서 사용 중인 시간 { PERCENT($share) }
evidence-presenter-thread = { $machine }의 커널 스레드 { $name }가 계산한 시간 { PERCENT($share) }
evidence-presenter-way = 진행 중인 작업의 { PERCENT($share) }가 { $machine }의 { $device }에 있지 않음. 오가는 길이나 디스크를 제공하는 쪽에 있음
evidence-presenter-device = 진행 중인 작업 { FIXED($under_way, decimals: 1) }개 가운데 { FIXED($there, decimals: 1) }개가 { $machine }의 { $device }에 있음

finding-interrupt-cpu-full =
    대상의 인터럽트를 처리하는 CPU { $cpu }의 한계에 도달했습니다: 시간의 { PERCENT($share) } 동안 사용 중이며, 그중 { PERCENT($interrupts) }는 인터럽트와 그 뒤처리(softirq)입니다
    .advice = 더 많은 CPU가 인터럽트를 처리하게 하십시오. 장치의 큐를 늘리거나 인터럽트를 다른 CPU로 옮깁니다(--set irq-affinity). 작업이 적고 클수록 인터럽트도 줄어듭니다

evidence-interrupt-cpu = CPU { $cpu }: 시간의 { PERCENT($share) } 동안 사용 중, 그중 { PERCENT($interrupts) }는 인터럽트

finding-io-quota =
    설정된 상한이 결과를 제한합니다: { $end ->
        [far] { $machine }의{" "}
       *[near] {""}
    }{ $shared ->
        [yes] { RESOURCE($resource) }로 { SHORT($carried, $unit) }가 나갔고, 그중 이 부하의 몫은 { SHORT($own, $unit) }입니다. 데이터에 허용된 것은 { SHORT($limit, $unit) }입니다
        [each] { RESOURCE($resource) }로 나가는 { $connections ->
            [1] 연결에
           *[other] 연결 { FIXED($connections) }개에 모두 합쳐
        } 허용된 { SHORT($limit, $unit) }의 { PERCENT($fraction) }를 사용했습니다
       *[no] { RESOURCE($resource) }에 허용된 { SHORT($limit, $unit) }의 { PERCENT($fraction) }를 사용했습니다
    }
    .advice = { $network ->
        [rented] 더 큰 인스턴스 유형에는 더 많이 허용됩니다{ $flows ->
            [yes] . Amazon 네트워크에서 TCP 흐름 하나는 최대 5 Gbit/s(배치 그룹 안에서는 10)이므로, 여럿이면 늘어납니다
           *[no] {""}
        }
        [shared] 함께 전송하는 다른 것을 멈추거나, 패킷마다 더 많이 담거나, 속도 제한을 높이거나 큐잉 규칙(tc qdisc)을 없애십시오
        [each] 연결마다 걸린 속도 제한(큐잉 규칙 fq의 maxrate, 또는 프로그램이나 컨트롤 그룹의 프로그램이 정하는 SO_MAX_PACING_RATE)을 높이거나, 연결을 더 많이 쓰십시오
        [yes] 속도 제한을 높이거나 큐잉 규칙(tc qdisc)을 제거하십시오
       *[no] 상한을 높이거나 없애거나, 그룹 밖에서 측정하십시오
    }

finding-link-full =
    { $bound ->
        [storage] { RESOURCE($server) }(으)로 가는 네트워크 링크의 한계에 도달했습니다: { SHORT($bytes, unit: "B/s") } 중 { SHORT($moved, unit: "B/s") }입니다(데이터가 { RESOURCE($resource) }에서 실제로 쓸 수 있는 { SHORT($limit, $unit) }의 { PERCENT($fraction) })
       *[other] { $end ->
            [far] { $machine }의{" "}
           *[near] {""}
        }{ $shared ->
            [yes] { RESOURCE($resource) }의 한계에 도달했습니다: 패킷 헤더까지 { SHORT($carried, $unit) }가 지나가며, 그중 이 부하의 몫은 { SHORT($own, $unit) }입니다. 데이터가 실제로 쓸 수 있는 것은 { SHORT($limit, $unit) }입니다
           *[no] { $bound ->
                [line] { RESOURCE($resource) }의 한계에 도달했습니다: 회선 속도 { SHORT($limit, $unit) }의 { PERCENT($fraction) }입니다
                [speed] { RESOURCE($resource) }의 한계에 도달했습니다: 실행 전의 속도인 { SHORT($transfers) }T/s에서 데이터가 쓸 수 있는 { SHORT($limit, $unit) }의 { PERCENT($fraction) }입니다. 양쪽 끝은 { SHORT($best_transfers) }T/s까지 낼 수 있습니다
                [range] { RESOURCE($resource) }의 한계에 도달했습니다: 데이터가 쓸 수 있는 최대 { SHORT($limit, $unit) }의 { PERCENT($fraction) }입니다(보통 { SHORT($least, $unit) }에서 { SHORT($most, $unit) })
               *[payload] { RESOURCE($resource) }의 한계에 도달했습니다: 데이터가 실제로 쓸 수 있는 { SHORT($limit, $unit) }의 { PERCENT($fraction) }입니다
            }
        }
    }
    .advice = { $network ->
        [speed] 부하가 있을 때의 속도를 보십시오(`cat /sys/bus/pci/devices/{ $name }/current_link_speed`). 카드를 다시 꽂거나 다른 슬롯이나 케이블을 쓰거나 펌웨어 설정을 바꾸면 돌아올 수 있습니다
        [shared] 이 링크를 함께 쓰는 다른 통신을 멈추거나, 그것이 없을 때 측정하십시오
        [bond] --streams를 늘리면 해시가 연결을 구별하는 경우(xmit_hash_policy layer3+4) 본드의 다른 멤버도 씁니다
        [yes] 더 빠른 링크나, 헤더가 차지하는 비율이 줄어드는 더 큰 패킷만이 이를 높일 수 있습니다
       *[no] 더 빠르거나 더 넓은 링크만이 이를 높일 수 있습니다. 그 뒤의 장치를 더 빠른 것으로 바꿔도 소용없습니다
    }

finding-limit-reached = { RESOURCE($resource) }의 한계에 도달했습니다: 낼 수 있는 { SHORT($limit, $unit) }의 { PERCENT($fraction) }입니다({ $source })
    .advice = 이 자원을 늘리거나 작업 하나의 일을 줄여야만 속도가 오릅니다

finding-memory-bandwidth-full =
    { $all ->
        [yes] 메모리 대역폭의 한계에 도달했습니다: 코어 { $cores }개 모두가 캐시에 들어가지 않는 데이터를 읽고 쓰며, { $bound ->
            [modules] 메모리 모듈이 낼 수 있는
           *[copy] 실행 전 복사로 측정한
        } { SHORT($limit, $unit) }의 { PERCENT($fraction) }입니다
       *[no] 메모리 대역폭의 한계에 도달했습니다: { $bound ->
            [modules] 메모리 모듈이 낼 수 있는
           *[copy] 실행 전 복사로 측정한
        } { SHORT($limit, $unit) }의 { PERCENT($fraction) }입니다
    }{ $beyond ->
        [yes] . 이 한계는 너무 낮게 측정되었습니다
       *[no] {""}
    }

finding-one-core-full =
    { $threads ->
        [1] 코어 하나의 한계에 도달했습니다: { $waits ->
            [yes] 항상 계산하거나 메모리를 기다립니다
           *[no] { $kernel ->
                [yes] 커널 작업 스레드가 대신 하는 일을 포함해 시간의 { PERCENT($share) } 동안 계산합니다
               *[no] 시간의 { PERCENT($share) } 동안 계산합니다
            }
        }
       *[other] 스레드 { FIXED($threads) }개의 코어가 한계에 도달했습니다: { $waits ->
            [yes] 항상 계산하거나 메모리를 기다립니다
           *[no] 시간의 { PERCENT($share) } 동안 계산합니다
        }
    }
    .advice = 스레드를 늘리면 더 많은 코어를 쓸 수 있습니다

finding-own-cores-full =
    { $ours ->
        [yes] 부하가 실행될 수 있는 전부인 { RESOURCE($resource) }이(가) 시간의 { PERCENT($busy) } 동안 이 부하{ $beside ->
            [yes] {" "}및 함께 실행하는 부하로
           *[no] 로
        } 사용 중입니다
       *[no] 부하가 실행되는 { RESOURCE($resource) }이(가) 시간의 { PERCENT($busy) } 동안 사용 중입니다. 각 스레드는 CPU의 { PERCENT($share) }를 쓰고, 나머지는 다른 프로그램이나 커널이 씁니다
    }
    .advice =
        { $ours ->
            [yes] 더 많은 CPU에서 실행되게 하십시오(taskset, cpuset)
           *[no] 그곳에서 실행되는 다른 것을 멈추거나, 부하를 다른 CPU에서 실행하십시오(--pin, taskset)
        }

finding-all-cores-full =
    { $cpus ->
        [1] 하나뿐인 CPU가
       *[other] CPU { FIXED($cpus) }개{ $smt ->
            [yes] {""}(코어 { FIXED($cores) }개의 스레드)
           *[no] {""}
        }가 모두
    } 사용 중입니다{ $shared ->
        [yes] . 일부는 다른 프로그램이 쓰고 있습니다
       *[no] { $beside ->
            [yes] . 일부는 함께 실행하는 부하가 쓰고 있습니다
           *[no] {""}
        }
    }

finding-device-full =
    { $how ->
        [datasheet] { RESOURCE($resource) }의 한계에 도달했습니다: 데이터시트에 적힌 { SHORT($limit, $unit) }의 { PERCENT($fraction) }를 냅니다
        [search] { RESOURCE($resource) }의 한계에 도달했습니다: 동시에 진행하는 작업이 { FIXED($knee) }개를 넘으면 기다리기만 하며, { FIXED($from) }개 대신 { FIXED($to) }개일 때 속도는 { PERCENT($more) } { $change ->
            [less] 줄어듭니다
           *[more] 늘어납니다
        }
        [latency] { RESOURCE($resource) }의 한계에 도달했습니다: 동시에 진행하는 작업이 { FIXED($knee) }개일 때부터 그러하며, { FIXED($from) }개 대신 { FIXED($to) }개일 때 속도는 { PERCENT($more) } { $change ->
            [less] 줄고
           *[more] 늘지만
        } 작업 하나는 속도가 절반일 때의 4배 넘게 걸립니다
        [queue] { RESOURCE($resource) }의 한계에 도달했습니다: 동시에 받을 수 있는 요청 { FIXED($takes) }개를 모두 가지고 있고, 다른 요청은 시간의 { PERCENT($waiting) }를 호스트에서 기다립니다
       *[depth] { RESOURCE($resource) }의 한계에 도달했습니다: 동시에 진행하는 작업을 { FIXED($from) }개에서 { FIXED($to) }개로 늘려도 { $change ->
            [less] 속도는 오히려 { PERCENT($more) } 줄고
           *[more] 속도는 { PERCENT($more) }만 늘고
        } 지연 시간은 { FIXED($times, decimals: 1) }배가 됩니다
    }

evidence-counted-cycles =
    사이클당 명령 { FIXED($in_cycle, decimals: 2) }개{ $known ->
        [yes] , 연산당 캐시 미스 { FIXED($misses, decimals: 1) }회
       *[no] {""}
    }{ $user ->
        [yes] {" "}(사용자 모드만)
       *[no] {""}
    }{ $what ->
        [memory] : 계산보다 메모리를 기다리는 시간이 김
        [computes] : 계산하고 있음
       *[unclear] {""}
    }
evidence-delayed =
    커널의 집계로 각 작업 스레드가 시간의 { PERCENT($share) } 동안 { $what ->
        [blkio] 블록 장치를 기다림
        [swapin] 스왑된 페이지를 기다림
        [freepages] 커널이 메모리를 비우기를 기다림
        [thrashing] 방금 버려진 페이지를 기다림
        [compact] 메모리 압축을 기다림
        [wpcopy] 쓰기 시 복사되는 페이지를 기다림
       *[irq] 인터럽트에 CPU를 내줌
    }
evidence-depth-search = 동시에 진행하는 작업이 { FIXED($from) }개 대신 { FIXED($to) }개이면 속도가 { PERCENT($gain) } 달라짐

finding-latency-bound =
    지연 시간이 결과를 제한합니다: 동시에 진행하는 작업은 { FIXED($depth) }개, 작업당 { SHORT($latency_s, unit: "s") }{ $syncs ->
        [yes] {""}이며, 시간의 { PERCENT($sync_share) }는 동기화({ SHORT($sync_s, unit: "s") })에 쓰입니다
       *[no] 입니다
    }. { $others ->
        [yes] { RESOURCE($resource) }에는 이 부하가 옮기는 것보다 많은 데이터가 오갑니다. 그곳의 다른 사용자나 파일 시스템을 기다리는 것일 수 있습니다
        [cpus] 쓸 수 있는 모든 CPU가 사용 중이므로 CPU도 기다리는 것일 수 있습니다
        [layer] 그 가운데 { PERCENT($held) }는 아래 장치가 아니라 { RESOURCE($resource) } 안에 있습니다
        [flushes] { RESOURCE($device) }의 플러시는 { SHORT($flushes, unit: "1/s") }, 시간의 { PERCENT($flushing) }이며 부하는 이것을 기다립니다
        [durable] 쓰기마다 매체에 기록될 때까지 기다립니다(O_SYNC, O_DSYNC)
        [mounted] 파일 시스템이 쓰기마다 장치에 기록될 때까지 기다리도록 마운트되어 있습니다
       *[no] 한계에 도달한 것으로 알려진 자원은 없습니다
    }
    .advice = { $queued ->
        [yes] --queue-depth나 --threads를
       *[no] --threads를
    } 늘리면 장치가 동시에 얼마나 처리할 수 있는지 알 수 있습니다

finding-cannot-tell =
    { $missing ->
        [0] 병목을 알 수 없습니다: 측정한 것 가운데 이를 보여 주는 것이 없습니다
       *[other] 병목을 알 수 없습니다: { $evidence }
    }

## 근거

evidence-ahead = 미리 읽기 { BINARY($bytes) }
evidence-buffered =
    { $by ->
        [mmap] engine=mmap
       *[buffered] direct=no
    }
evidence-bus-estimate = 버스를 지난 바이트의 추정값
evidence-forks = 초당 프로세스나 스레드 { FIXED($rate) }개 시작: 대부분 관찰되기 전에 끝남
evidence-kernel-share = { RESOURCE($resource) }: 시간의 { PERCENT($share) } 동안 사용 중. 그중 { PERCENT($threads) }는 스레드, 나머지는 작업을 대신 하는 커널 작업 스레드
evidence-own-busy = { RESOURCE($resource) }: 시간의 { PERCENT($share) } 동안 사용 중
evidence-busy = 모든 CPU를 합쳐 시간의 { PERCENT($share) } 동안 사용 중
evidence-content = content={ $content }
evidence-counted = 부하가 옮긴 양 { SHORT($program, unit: "B/s") }, 장치가 옮긴 양 { SHORT($device, unit: "B/s") }
evidence-datasheet = 데이터시트 값의 { PERCENT($fraction) }
evidence-deeper = 동시에 { FIXED($depth) }개를 진행하면 더 빠름
evidence-storage-answer = 서버에 보낸 요청 시간의 { PERCENT($fraction) }는 전송에서 응답까지의 시간
evidence-large-answers =
    { $way ->
        [out] 요청 하나가 약 { BINARY($each) }이고, { RESOURCE($resource) }(으)로 { SHORT($rate, $unit) }가 나감
       *[in] 응답 하나가 약 { BINARY($each) }이고, { RESOURCE($resource) }(으)로 { SHORT($rate, $unit) }가 들어옴
    }. 경로가 그보다 많이 나르지 못한다면 시간이 드는 곳은 서버가 아니라 경로임
evidence-reordered = 세그먼트의 { PERCENT($share) }가 순서를 어기고 도착했고 잃어버린 것은 거의 없음. TCP는 잃은 것으로 여긴 것 때문에 느려짐
evidence-out-of-order = 세그먼트의 { PERCENT($share) }가 차례보다 먼저 도착함. 앞선 세그먼트를 경로에서 잃었거나, 뒤의 것이 앞질렀음
evidence-refused = 작업의 { PERCENT($share) }가 실패
evidence-beyond-way = TCP가 본 가장 짧은 왕복 시간은 { SHORT($rtt_s, unit: "s") }. 나머지 시간은 경로의 대기열이나 상대 쪽에서, 또는 미루어진 확인 응답을 기다리는 데 지나감
evidence-connections-remade =
    부하는 연결을 유지하는데도 요청의 { PERCENT($share) }마다 연결을 새로 맺음. 서버나 그 앞에 있는 것이 연결을 닫으며, 새 연결은 한 번 더 오감{ $tls ->
        [yes] . TLS로 또 한 번 더 오감
       *[no] {""}
    }
evidence-under-way = 서버의 윈도우에 자리가 있는데도 시간의 { PERCENT($share) } 동안 데이터가 전송 중이었음
evidence-nothing-to-send = 시간의 { PERCENT($share) } 동안 보낸 것은 모두 확인되었고 보낼 것이 남아 있었음. 디스크에서 파일을 읽을 때처럼 클라이언트 자신에게 보낼 것이 준비되지 않았음
evidence-program-here =
    그동안 이 컴퓨터의 다른 프로그램 가운데 가장 많이 계산한 { $name }이(가) 1초에 CPU 시간 { FIXED($cpu, decimals: 2) }초를 사용{ $thread ->
        [yes] . 쉬지 않고 계산하는 스레드 하나와 같음
       *[no] {""}
    }
evidence-datagrams-dropped = 보낸 것의 { PERCENT($lost) }가 도착하지 않았고, 받는 쪽 소켓은 도착한 것의 { PERCENT($dropped) }를 버림
evidence-datagrams-lost = 보낸 것의 { PERCENT($lost) }가 도착하지 않았고, 받는 쪽 소켓이 그만큼 버렸다고는 알려지지 않음
evidence-link-lanes = { RESOURCE($resource) }은(는) 양쪽 끝이 가진 레인 { FIXED($best_lanes) }개 가운데 { FIXED($lanes) }개를 씀
evidence-bus-unknown =
    { RESOURCE($resource) }은(는) { $transport ->
        [usb] USB로 연결되어 있고 그 속도를 알 수 없으므로, 버스나 브리지가 한계일 수 있음
       *[mmc] 메모리 카드 버스로 연결되어 있고 그 속도를 알 수 없으므로, 버스가 한계일 수 있음
    }
evidence-others-there =
    { RESOURCE($resource) }이(가) 부하의 { SHORT($program, unit: "B/s") }보다 { SHORT($beyond, unit: "B/s") } 더 옮겼으므로, 다른 쪽이 하는 일이나 파일 시스템이 더하는 것을 기다렸을 수 있음
evidence-device-flushed =
    { RESOURCE($resource) }의 플러시는 { SHORT($rate, unit: "1/s") }, 시간의 { PERCENT($share) }{ $asked ->
        [yes] {""}
       *[no] . 부하는 동기화하지 않으므로 다른 프로그램이나 파일 시스템이 요청한 것임
    }
evidence-device-trimmed = { RESOURCE($resource) }은(는) { SHORT($rate, unit: "B/s") }를 해제(TRIM)하며, 시간의 { PERCENT($share) }가 듦. 부하는 해제하지 않으므로 다른 프로그램이나 파일 시스템이 요청한 것임
evidence-held-at =
    평균적으로 진행 중인 작업 { FIXED($under_way, decimals: 2) }개 가운데 { FIXED($own, decimals: 2) }개가 { $inside ->
        [yes] 아래 장치가 아니라{" "}
       *[no] {""}
    }{ RESOURCE($resource) }에 있음
evidence-mounted-sync =
    { RESOURCE($resource) }은(는) { $option } 옵션으로 마운트됨: { $option ->
        [sync] 쓰기마다 장치에 기록될 때까지 기다림
       *[dirsync] 디렉터리를 바꿀 때마다 장치에 기록될 때까지 기다림
    }
evidence-each-write = { RESOURCE($resource) }은(는) 부하의 쓰기마다 { FIXED($each, decimals: 2) }개를 받고, 작업 스레드는 시간의 { PERCENT($share) } 동안 기다림
evidence-huge-pages =
    { $some ->
        [yes] 메모리의 { PERCENT($share) }가 큰 페이지에 있음: 나머지에 접근할 때는 TLB가 담을 수 있는 것보다 많은 페이지의 주소를 찾음
       *[no] 큰 페이지에 있는 메모리가 없음: 접근할 때 TLB가 담을 수 있는 것보다 많은 작은 페이지의 주소를 찾음
    }
evidence-slower-device = { RESOURCE($resource) }의 작업 하나는 { SHORT($latency_s, unit: "s") }, 부하의 다른 장치는 중앙값으로 { SHORT($others_s, unit: "s") }
evidence-in-syncs = 시간의 { PERCENT($share) }를 { SHORT($sync_s, unit: "s") }짜리 동기화에 씀
evidence-ready = 작업 스레드가 저마다 시간의 { PERCENT($share) } 동안 실행할 준비가 된 채 CPU를 기다림
evidence-demand = 측정한 속도
evidence-depth-rate = 동시에 { FIXED($depth) }개를 진행할 때 { SHORT($rate, unit: "1/s") }
evidence-dirty = { PERCENT($share) }가 메모리에만 있음
evidence-drive-cache = 캐시 { BINARY($bytes) }
evidence-durable = { SHORT($rate, unit: "B/s") }
evidence-device-in-flight = 작업 { FIXED($depth) }개 가운데 평균 { FIXED($under_way, decimals: 1) }개가 진행 중이고, 각각 { SHORT($latency_s, unit: "s") }
evidence-device-synced = 작업 스레드는 저마다 시간의 { PERCENT($share) } 동안 기다리고, 그동안 { RESOURCE($resource) }은(는) 변경을 동기화하는 작업 { SHORT($synced, unit: "1/s") }에 대해 쓰기 { SHORT($rate, unit: "1/s") }를 받음
evidence-device-wait =
    작업 스레드는 저마다 시간의 { PERCENT($share) } 동안 기다리고, { RESOURCE($resource) }은(는) { $how ->
        [reads] 읽은 1바이트마다 { FIXED($passed, decimals: 2) }바이트를 줌
        [fills] 쓴 1바이트마다 { FIXED($passed, decimals: 2) }바이트를 줌
       *[syncs] 쓴 1바이트마다 { FIXED($passed, decimals: 2) }바이트를 받음
    }
evidence-device = 바이트의 { PERCENT($share) }가 장치를 거침
evidence-device-depth-alone = 동시에 { FIXED($depth) }개를 진행할 때 { RESOURCE($resource) }의 한계에 도달했는지는 절반이나 두 배의 작업으로도 측정해야 알 수 있습니다
evidence-device-deepest = 측정한 것 중 동시에 진행한 작업은 { FIXED($depth) }개가 가장 많습니다. 더 늘려 측정해야 { RESOURCE($resource) }의 성능이 더 나오는지 알 수 있습니다
evidence-device-few-trials = { RESOURCE($resource) }의 한계에 도달한 듯하지만 시행이 너무 적어 확실하지 않습니다
evidence-device-gives-more = { RESOURCE($resource) }: 동시에 { FIXED($to) }개를 진행하면 { FIXED($from) }개일 때의 { FIXED($times, decimals: 1) }배를 처리함
evidence-device-not-given-more = 동시에 { FIXED($to) }개를 진행해도 { RESOURCE($resource) }에 동시에 있는 것은 { FIXED($from) }개일 때보다 많지 않고, 늘어난 것은 호스트에서 기다림
evidence-device-above = 동시에 { FIXED($to) }개를 진행해도 { RESOURCE($resource) }에 동시에 있는 것은 { FIXED($from) }개일 때보다 많지 않고, 늘어난 것은 블록 계층보다 위에서 기다립니다(컨트롤 그룹의 제한, 파일 시스템 또는 프로그램)
evidence-device-has-few = 평균적으로 진행 중인 작업 { FIXED($under_way, decimals: 1) }개 가운데 { RESOURCE($resource) }이(가) 스스로 센 바로 가진 것은 { FIXED($queue, decimals: 2) }개뿐이고, 나머지는 블록 계층보다 위에서 기다립니다(컨트롤 그룹의 제한, 파일 시스템 또는 프로그램)
evidence-device-not-reached = { RESOURCE($resource) }의 한계에 도달했는지 알 수 없습니다: 커널이 동시에 넘기는 것은 받을 수 있는 { FIXED($takes) }개 가운데 최대 { FIXED($most) }개이며, 동시에 { FIXED($to) }개를 진행해도 { FIXED($from) }개일 때보다 많지 않습니다. --observe block-trace는 다른 요청이 어디서 기다리는지 보여 주고, --set queue-requests는 더 많이 통과시킵니다
evidence-device-noise = { RESOURCE($resource) }에서 동시에 진행하는 작업을 늘리면 빨라지는지는 시행 사이의 편차에 묻혀 보이지 않습니다
evidence-foreign = 어떤 부하도 요청하지 않은 { $kind ->
    [read] 읽기
   *[write] 쓰기
 } { SHORT($bytes_per_s, unit: "B/s") }
evidence-device-unsure = { RESOURCE($resource) }의 한계에 도달한 듯하지만 시행 사이의 편차가 너무 큽니다. 동시에 진행하는 작업을 두 배로 하면 { PERCENT($gain) } 더 빨라질 수도 있습니다
evidence-device-workers-busy = 작업 스레드 자체가 거의 한계라 { RESOURCE($resource) }의 한계에 도달했는지 알 수 없습니다
evidence-latency = 평균 { SHORT($latency_s, unit: "s") }
evidence-link =
    { $end ->
        [far] { $machine }의{" "}
       *[near] {""}
    }{ RESOURCE($resource) }의 { PERCENT($fraction) }
evidence-link-carried =
    { $end ->
        [far] { $machine }의{" "}
       *[near] {""}
    }{ RESOURCE($resource) }: { SHORT($carried, $unit) }가 지나감
evidence-link-beyond = { SHORT($demand, $unit) }는 { RESOURCE($resource) }에서 가능한 속도의 { PERCENT($fraction) }이므로, 다른 곳에서 응답했거나 경로가 다릅니다
evidence-link-line-rate = { RESOURCE($resource) }에서 회선 속도의 { PERCENT($fraction) }를 썼는데, 그중 데이터가 실제로 쓸 수 있는 몫은 알려져 있지 않습니다
evidence-link-range = { RESOURCE($resource) }에서 데이터가 쓸 수 있는 최대의 { PERCENT($fraction) }를 썼습니다. 한계에 도달하면 보통 { SHORT($least, $unit) }에서 { SHORT($most, $unit) }이므로, 한계에 도달했는지는 알 수 없습니다
evidence-loop-buffered = dio = 0
evidence-own-limit = { RESOURCE($resource) }이(가) 낼 수 있는 만큼의 { PERCENT($fraction) }
evidence-own-limit-beyond = { RESOURCE($resource) }이(가) 낼 수 있다고 알려진 만큼의 { PERCENT($fraction) }이므로, 알려진 값이 틀렸습니다
evidence-measured = 측정 결과: { SHORT($measured, $unit) }
evidence-memory =
    { $bound ->
        [modules] 메모리 모듈이 낼 수 있는 대역폭의 { PERCENT($fraction) }
       *[copy] 실행 전 복사로 측정한 메모리 대역폭의 { PERCENT($fraction) }
    }{ $beyond ->
        [yes] , 이 한계는 너무 낮게 측정됨
       *[no] {""}
    }
evidence-memory-modules-beyond = 메모리 모듈이 낼 수 있는 것의 { PERCENT($fraction) }가 지나간 셈이므로, 모듈에 대해 알려진 값이 틀림
evidence-memory-each =
    스레드 { FIXED($threads) }개가 각각, 스레드가 { FIXED($fewer) }개일 때 하나가 쓰던 대역폭의 { PERCENT($share) }를 씀: 메모리는 이 코어들이 쓸 수 있는 것보다 더 낼 수 있음
evidence-memory-room = 메모리 { BINARY($bytes) }
evidence-no-counts = 요청을 세지 않음
evidence-not-filled = 미리 채우지 않음
evidence-null = 대상이 없을 때 { SHORT($rate, unit: "1/s") }
evidence-others-cpu = 부하 외의 프로그램이 초당 CPU { FIXED($cpu, decimals: 2) }초 사용
evidence-parts = 부분의 합: { PERCENT($share) }
evidence-pressure =
    { $whose ->
        [group] 부하의 컨트롤 그룹에서
       *[machine] 머신 전체에서
    } 시간의 { PERCENT($some) } 동안 { $what ->
        [cpu] 실행할 준비가 된 태스크에 CPU가 없었음
        [memory] 태스크가 메모리를 기다림
       *[io] 태스크가 디스크를 기다림
    }{ $all ->
        [yes] . 시간의 { PERCENT($full) } 동안은 유휴가 아닌 모든 태스크가 그랬음
       *[no] {""}
    }
evidence-process = { $name }: 초당 CPU { FIXED($cpu, decimals: 2) }초 사용
evidence-promised =
    { $by ->
        [study] 스터디에서 약속된 값 { SHORT($promised, $unit) }
       *[datasheet] 데이터시트에 적힌 값 { SHORT($promised, $unit) }
    }
evidence-quota =
    { $end ->
        [far] { $machine }의{" "}
       *[near] {""}
    }{ RESOURCE($resource) }에 허용된 쿼터의 { PERCENT($fraction) }
evidence-quota-intervals = 측정 구간의 { PERCENT($share) }에서는 속도가 이 상한과 같았습니다
evidence-quota-unclear =
    { $why ->
        [beyond] { RESOURCE($resource) }에 제공자가 허용한다고 알려진 양의 { PERCENT($fraction) }를 썼으므로, 알려진 값이 틀렸습니다
        [passed] { RESOURCE($resource) }에 설정된 상한의 { PERCENT($fraction) }가 지나갔으므로, 이 상한이 제한한 것이 아닙니다
        [shared] { RESOURCE($resource) }에 제공자가 같은 종류 전체에 허용하는 양의 { PERCENT($fraction) }를 썼습니다
       *[baseline] { RESOURCE($resource) }에 제공자가 항상 허용하는 양의 { PERCENT($fraction) }를 썼고, 얼마나 제한되었는지 세는 카운터가 없습니다
    }
evidence-rate = { SHORT($rate, unit: "1/s") }
evidence-request-size = 요청 하나에 최대 { BINARY($bytes) }
evidence-requests = 작업 { SHORT($operations, unit: "1/s") }, 요청 { SHORT($requests, unit: "1/s") }
evidence-more-would-do = 각각 시행 { $more }회를 더 하면(약 { SHORT($seconds, unit: "s") }) 아마 판가름 납니다({ $by ->
        [budget] --budget { FIXED($budget) }s
        [extra] --no-extra 없이
       *[trials] --trials { FIXED($trials) }
    })
evidence-result = 측정 결과
evidence-returned = { SHORT($rate, unit: "B/s") }
evidence-span = 읽는 범위 { BINARY($bytes) }
evidence-steal = steal { PERCENT($share) }
evidence-swap = 스왑 { SHORT($rate, unit: "B/s") }
evidence-sync = 평균 { SHORT($latency_s, unit: "s") }
evidence-takes = 한 번에 { FIXED($takes) }개를 받음
evidence-throttle = 한 측정 구간에 { RESOURCE($resource) }의 스로틀링 { FIXED($events) }회
evidence-clock-held = 정책에 따라 클럭이 하드웨어가 낼 수 있는 { SHORT($hardware_hz, unit: "Hz") } 중 { SHORT($most_hz, unit: "Hz") }까지로 제한됨
evidence-cpu-weight = 컨트롤 그룹이 받는 CPU 시간은 다른 그룹이 기본으로 받는 것의 { PERCENT($weight, decimals: 1) }(cpu.weight, cpu.shares)이고, 스레드는 시간의 { PERCENT($ready) } 동안 CPU 없이 준비 상태로 기다림
evidence-clock-seen = 가장 빠른 CPU의 클럭 { SHORT($seen_hz, unit: "Hz") }
finding-io-control =
    컨트롤 그룹의 컨트롤러 { io-controller }가 결과를 제한합니다. 평균 { FIXED($under_way, decimals: 1) }개의 작업이 진행 중인데 { RESOURCE($resource) }에는 { FIXED($queue, decimals: 2) }개뿐이고, 나머지는 컨트롤러가 통과시킬 때까지 기다립니다
    .advice = { $by ->
        [cost] 그룹이나 그 위 그룹의 io.weight를 높이면 더 통과합니다. 최상위 그룹의 io.cost.qos와 io.cost.model이 장치의 능력을 정합니다
       *[other] 옆 그룹에 지켜야 할 지연 시간(io.latency)이 있습니다. 그것을 늘리거나 없애면 여기서 더 통과합니다
    }
io-controller =
    { $by ->
        [cost] io.cost
       *[latency] io.latency
    }
evidence-cost-waited = 컨트롤 그룹이 1초마다 { FIXED($waited, decimals: 2) } s씩 io.cost를 기다림
finding-copy-on-write =
    { RESOURCE($resource) }은(는) 블록을 스냅샷과 공유하며, 블록마다 첫 쓰기는 복사가 끝날 때까지 기다립니다. 1바이트를 쓸 때마다 그 아래에서 { FIXED($read, decimals: 2) }바이트를 읽고 { FIXED($written, decimals: 2) }바이트를 씁니다
    .advice = 스냅샷을 만든 뒤 한 번 쓴 블록은 다시 복사하지 않습니다. 스냅샷의 청크가 작으면 쓰기마다 덜 복사하고, 스냅샷이 없으면 복사할 것이 없습니다
evidence-copied = { RESOURCE($resource) } 아래에서 1바이트를 쓸 때마다 { FIXED($read, decimals: 2) }바이트를 읽고 { FIXED($written, decimals: 2) }바이트를 씀
finding-clock-held =
    프로세서의 클럭이 결과를 제한합니다. { $by ->
        [policy] 정책이 하드웨어가 낼 수 있는 { SHORT($could_hz, unit: "Hz") } 중 { SHORT($most_hz, unit: "Hz") }까지만 허용하고,
        [governor] 거버너 { $governor }가 낼 수 있는 { SHORT($could_hz, unit: "Hz") } 대신 { SHORT($seen_hz, unit: "Hz") }에 묶어 두고,
        [power] 전력 한도 때문에 { SHORT($could_hz, unit: "Hz") } 대신 { SHORT($seen_hz, unit: "Hz") }로 느려졌고,
       *[heat] 열 때문에 { SHORT($could_hz, unit: "Hz") } 대신 { SHORT($seen_hz, unit: "Hz") }로 느려졌고,
    } 그 상태에서 { $cores ->
        [one] 스레드마다 쓰는 코어가
        [own] 쓸 수 있는 CPU가
       *[all] 모든 CPU가
    } 가득 찼습니다
    .advice = { $by ->
        [policy] scaling_max_freq를 높이거나(`cpupower frequency-set -u`, --set frequency-max), 누가 제한하는지(튜닝 서비스, 전원 프로필) 확인하십시오
        [governor] 거버너를 performance로 바꾸십시오(`cpupower frequency-set -g performance`, --set governor=performance)
        [power] 전력 한도(powercap, 펌웨어, 전원)를 확인하십시오
       *[heat] 팬과 먼지, 실내 온도를 확인하십시오
    }
evidence-throttled = 1초마다 { SHORT($stopped_s, unit: "s") } 멈춤
evidence-touched = 사용하는 범위 { BINARY($bytes) }
evidence-trials = n = { $trials }
evidence-waited =
    작업 스레드가 시간의 { PERCENT($share) } 동안 { $what ->
        [file] 파일과 디스크에 대한 호출 안에서
        [socket] 소켓을
        [pipe] 파이프를
        [lock] 다른 스레드를
        [timer] 타이머를
        [completion] 비동기 I/O의 완료를
        [poll] 여러 디스크립터 중 하나가 준비되기를
        [fault] 아직 매핑되지 않은 페이지를
        [writeback] 더티 페이지가 기록되기를
        [reclaim] 커널이 메모리를 비우기를
       *[other] 다른 호출 안에서
    } 기다림
evidence-worker-cpu = 각 작업 스레드가 시간의 { PERCENT($share) } 동안 계산함
evidence-write-cache =
    { $through ->
        [yes] 캐시: write through
       *[no] 캐시: write back
    }
evidence-written = 쓴 양 { BINARY($bytes) }

finding-proof =
    { $outcome ->
        [proved] 입증되었습니다
        [refuted] 반증되었습니다
       *[unproved] { $why ->
            [both] 지목하지 않은 것도 결과를 그만큼 바꾸었으므로 입증되지 않았습니다
            [exceeds] 줄인 것보다 훨씬 많이 떨어졌으므로 입증되지 않았습니다
            [little] 줄이거나 늘릴 수 있었던 양이 너무 적어 입증되지 않았습니다
            [otherwise] 줄인 탓에 부하가 일하는 방식 자체가 바뀌어 입증되지 않았습니다
            [failed] 시행이 실패하여 입증되지 않았습니다
            [noisy] 시행들이 너무 달라 입증되지 않았습니다
           *[other] 입증되지 않았습니다
        }
    }: { $evidence }

finding-proof-none =
    무엇이 한계인지 여기서는 입증할 수 없습니다: { $why ->
        [others] 줄여야 할 것을 다른 프로그램이 쓰고 있습니다
        [steady] 다른 쓰기가 정상 상태를 깨뜨립니다
        [untried] 시간이 없었거나 거부되었습니다
       *[nothing] 다른 것을 건드리지 않고 줄이거나 늘릴 수 있는 것이 없습니다
    }

proof-changed =
    { $change ->
        [less] { PERCENT($by, decimals: 1) } 줄었습니다
        [more] { PERCENT($by, decimals: 1) } 늘었습니다
       *[nothing] 아무것도 바뀌지 않았습니다
    }({ PERCENT($low, decimals: 1) }~{ PERCENT($high, decimals: 1) })

evidence-proof-taken =
    { $end ->
        [far] { $machine }의{" "}
       *[near] {""}
    }{ RESOURCE($resource) }을(를) { PERCENT($taken) } 줄이자 { proof-changed }{ $idles ->
        [yes] (그것 없이는 시간의 { PERCENT($idle) } 동안 놀고 있었습니다)
       *[no] {""}
    }

evidence-proof-relief = { $parameter }을(를) { $from } 대신 { $to }(으)로 하자 { proof-changed }

evidence-proof-window = { $parameter }을(를) { BINARY($from) } 대신 { BINARY($to) }(으)로 하자 { proof-changed }

evidence-proof-raised = { $parameter }을(를) { PERCENT($more) } 늘리자 { proof-changed }

finding-setting-without-effect =
    { $name }={ $asked } 설정이 적용되지 않았습니다: { $how ->
        [mtu] 시행은 MTU { FIXED($found) }에서 이루어졌습니다
        [swap] 스왑과 { SHORT($found, unit: "B/s") }의 데이터가 오갔습니다
       *[read] 다시 읽은 값은 { $took }입니다
    }
    .advice = 수치는 요청한 상태가 아니라 실제 상태의 것으로 보십시오

# What the question of a study comes to.
absorbs-source = 최대 { SHORT($source, unit: "B/s") } ({ SHORT($source_bits, unit: "bit/s") })로 들어올 수 있습니다
absorbs-lasting = { SHORT($lasting, unit: "B/s") } ({ SHORT($lasting_bits, unit: "bit/s") })

finding-absorbs =
    { $answer ->
        [yes] { absorbs-source }. 들어오는 동안 계속 모두 { absorbs-lasting }로 받습니다
        [head] { absorbs-source }. { $least ->
            [yes] 적어도 처음 { SHORT($bytes, unit: "B") }
           *[no] 처음 { SHORT($bytes, unit: "B") }
        }는 { SHORT($head, unit: "B/s") } ({ SHORT($head_bits, unit: "bit/s") })로 받지만, 들어가는 곳은 메모리입니다. 지속되는 속도는 { absorbs-lasting }입니다
        [no] { absorbs-source }. 받는 속도는 { absorbs-lasting }에 그칩니다
        [elsewhere] { absorbs-source }. 받는 쪽만으로는 { SHORT($sink, unit: "B/s") } ({ SHORT($sink_bits, unit: "bit/s") })로 받을 수 있지만, 함께 하면 { absorbs-lasting }에 그칩니다. 제한하는 것은 다른 것입니다
       *[unknown] { $why ->
            [source] 들어올 수 있는 속도를 측정하지 않았습니다
            [joint] 들어오는 데이터를 받는 워크로드를 측정하지 않았습니다
            [doubt] { absorbs-source }. 들어온 것을 모두 받았지만, 진단 결과에 오류가 있어 이 값을 믿을 수 없습니다
            [trials] 비교하려면 각각 적어도 두 번의 시행이 필요합니다
            [short] { absorbs-source }. 보낸 데이터가 먼저 모두 메모리에 들어갔습니다. 지속되는 속도를 보기에는 양이 너무 적습니다
           *[spread] { absorbs-source }. 받는 속도는 { absorbs-lasting }이지만, 시행의 편차가 커서 그것으로 충분한지 판단할 수 없습니다
        }
    }

absorbs-interval =
    { $known ->
        [yes] {" "}({ SHORT($low, unit: "B/s") } ~ { SHORT($high, unit: "B/s") })
       *[no] {""}
    }

evidence-absorbs-source = 들어오는 쪽만: { SHORT($rate, unit: "B/s") }{ absorbs-interval }, { SHORT($rate_bits, unit: "bit/s") }
evidence-absorbs-sink = 받는 쪽만: { SHORT($rate, unit: "B/s") }{ absorbs-interval }, { SHORT($rate_bits, unit: "bit/s") }
evidence-absorbs-joint =
    함께: { SHORT($rate, unit: "B/s") }{ absorbs-interval }, { SHORT($rate_bits, unit: "bit/s") }{ $part ->
        [after] , 처음 { SHORT($bytes, unit: "B") }는 { SHORT($head, unit: "B/s") }
        [until] , 모두 장치에 기록될 때까지의 속도이며 메모리에 들어갈 때까지는 { SHORT($head, unit: "B/s") }
       *[all] {""}
    }

finding-sustains =
    { $answer ->
        [yes] { SHORT($needed, unit: "B/s") }가 필요한데, { SHORT($rate, unit: "B/s") }로 기록됩니다. 여유는 { PERCENT($room) }이고, 시행의 구간으로는 적어도 { PERCENT($room_least) }입니다
        [no] { SHORT($needed, unit: "B/s") }가 필요한데, { SHORT($rate, unit: "B/s") }로만 기록됩니다. { PERCENT($short) } 모자랍니다
       *[unknown] { $why ->
            [none] 전체에 차례로 기록하는 워크로드를 측정하지 않았습니다
            [doubt] { SHORT($needed, unit: "B/s") }가 필요한데 { SHORT($rate, unit: "B/s") }로 기록되었지만, 진단 결과에 오류가 있어 이 값을 믿을 수 없습니다
            [trials] { SHORT($needed, unit: "B/s") }가 필요한데 { SHORT($rate, unit: "B/s") }로 기록되었지만, 판단하려면 적어도 두 번의 시행이 필요합니다
           *[spread] { SHORT($needed, unit: "B/s") }가 필요한데 { SHORT($rate, unit: "B/s") }로 기록되지만, 시행의 편차가 커서 그것으로 충분한지 판단할 수 없습니다
        }
    }

evidence-sustains-rate = 전체: { SHORT($rate, unit: "B/s") }{ absorbs-interval }, { SHORT($rate_bits, unit: "bit/s") }
evidence-sustains-clients = 네트워크를 거친 클라이언트: { SHORT($rate, unit: "B/s") }{ absorbs-interval }, { SHORT($rate_bits, unit: "bit/s") }
evidence-sustains-local = 네트워크 없이: { SHORT($rate, unit: "B/s") }{ absorbs-interval }, { SHORT($rate_bits, unit: "bit/s") }
evidence-sustains-base = { RESOURCE($resource) }에 모아 둔 몫을 다 쓴 뒤 지속되는 것은 { SHORT($rate, unit: "B/s") }. 시행 평균 { SHORT($mean, unit: "B/s") }에는 그 몫이 들어 있음
evidence-sustains-below = 한 계층 아래: { SHORT($rate, unit: "B/s") }{ absorbs-interval }, { SHORT($rate_bits, unit: "bit/s") }

fits-limit =
    { $limited ->
        [yes] . 제한하는 것은 { RESOURCE($resource) }입니다
       *[no] {""}
    }

fits-least =
    { $interval ->
        [yes] . 시행의 구간으로는 적어도 { PERCENT($room_least) }입니다
       *[no] {""}
    }

finding-fits =
    { $answer ->
        [yes] 모든 목표를 지킵니다. 여유가 가장 적은 것은 { $goal }이며, { SHORT($value, $unit) }로 { $side ->
                [zero] 측정되었습니다
                [upper] 기준보다 { PERCENT($room) } 낮습니다{ fits-least }
               *[lower] 기준보다 { PERCENT($room) } 높습니다{ fits-least }
            }{ fits-limit }
        [no] { $goal } 목표를 지키지 못합니다. { SHORT($value, $unit) }로 { $side ->
                [zero] 측정되었습니다
                [upper] 기준보다 { PERCENT($short) } 높습니다
               *[lower] 기준보다 { PERCENT($short) } 낮습니다
            }{ fits-limit }
       *[unknown] { $why ->
            [none] { $goal } 목표를 지키는지 알려 주는 것을 측정하지 못했습니다
            [doubt] 측정값은 모든 목표를 지키지만, 진단 결과에 오류가 있어 이 값을 믿을 수 없습니다
            [trials] { $goal }에 대해 { SHORT($value, $unit) }로 측정되었지만, 시행이 너무 적거나 짧아 판단할 수 없습니다
           *[spread] { $goal }에 대해 { SHORT($value, $unit) }로 측정되었지만, 시행의 편차가 커서 판단할 수 없습니다
        }
    }

evidence-fits-inputs = 입력값: { $inputs }
evidence-fits-held =
    { $counted ->
        [yes] { $name }: 동시에 제때 끝나는 것은 최대 { FIXED($count) } (탐색으로 찾음)
       *[no] 제때 끝나는 것은 최대 초당 { FIXED($count) }회 (탐색으로 찾음)
    }

finding-slow-target = { $target }은(는) { SHORT($rate, unit: "B/s") }이고, 다른 { $others }대 가운데 가장 느린 것은 { SHORT($least, unit: "B/s") }입니다. 어레이처럼 모두가 보조를 맞춰야 하는 곳에서는 이것이 전체의 속도를 정합니다
    .advice = 오류, 케이블, 슬롯을 살펴보십시오 (smartctl -a)

finding-outer-and-inner-zones = 속도가 바깥쪽의 { SHORT($outer, unit: "B/s") }에서 안쪽의 { SHORT($inner, unit: "B/s") }로, 그 { PERCENT($share) }로 떨어집니다. 평균은 어느 곳의 속도도 아닙니다
    .advice = 같은 위치의 속도끼리 견주십시오 (offset과 span)

finding-fast-cache-ends = 처음 { SHORT($bytes, unit: "B") }는 { SHORT($head, unit: "B/s") }로, 그 뒤는 { SHORT($rest, unit: "B/s") }로 기록됩니다. 앞부분은 캐시나 허용된 버스트가 받은 것이며, 평균은 어느 쪽의 속도도 아닙니다
    .advice = 지속되는 속도로는 떨어진 뒤의 속도를 쓰십시오

finding-resync-held =
    { $what ->
        [initial] 어레이의 첫 동기화는 구성원마다 { SHORT($rate, unit: "B/s") }
        [initial-array] 어레이의 첫 동기화는 { SHORT($rate, unit: "B/s") }
        [load-array] 부하가 걸린 동안 어레이의 동기화는 { SHORT($rate, unit: "B/s") }
       *[load] 부하가 걸린 동안 어레이의 동기화는 구성원마다 { SHORT($rate, unit: "B/s") }
    }로 진행되었습니다. { $how ->
        [least] 이는 부하가 있을 때 md가 속도를 낮추는 하한 { SHORT($limit, unit: "B/s") }(sync_speed_min)에 가깝습니다
        [alone] 이는 부하가 없던 첫 동기화의 속도({ SHORT($limit, unit: "B/s") })와 거의 같습니다. 구성원이나 패리티를 계산하는 스레드가 제한합니다
       *[most] 이는 md가 허용하는 속도입니다(sync_speed_max: { SHORT($limit, unit: "B/s") })
    }
    .advice =
        { $how ->
            [least] sync_speed_min을 키우면 어레이는 더 빨리 온전해지고 부하는 느려집니다. sync-speed-min 값이 다른 스택을 비교하십시오
            [alone] {""}
           *[most] 구성원은 더 빠를 수 있습니다. sync_speed_max를 올리십시오(스택에서는 sync-speed-max)
        }

hardware-part =
    { $what ->
        [memory-uncorrected] 메모리 컨트롤러 { $name }
        [memory-corrected] 메모리 컨트롤러 { $name }
       *[other] { RESOURCE($resource) }
    }
finding-hardware-errors =
    { $end ->
        [far] { $machine }의{" "}
       *[near] {""}
    }{ hardware-part }에서 시행 { $of }회 중 { $trials }회에 { $what ->
        [memory-uncorrected] ECC로 정정할 수 없는 오류
        [memory-corrected] ECC로 정정한 오류
        [link-fatal] 치명적인 오류
        [link-nonfatal] 정정되지 않은 오류
        [link-corrected] 정정된 오류
        [frame-checksum] 체크섬이 틀린 프레임
        [frame-alignment] 정렬이 틀린 프레임
        [carrier] 캐리어가 없어 보내지 못한 프레임
       *[link-lost] 링크 끊김
    }: 모두 { FIXED($count) }건
    .advice =
        { $what ->
            [memory-uncorrected] 메모리 모듈을 교체하십시오. `journalctl -k`나 펌웨어의 로그가 슬롯을 알려 줍니다
            [memory-corrected] 더 늘어나는지 지켜보십시오. `journalctl -k`가 모듈을 알려 줍니다. 되풀이되는 오류는 교체할 이유입니다
            [frame-checksum] 다른 케이블, 트랜시버, 포트를 써 보십시오. 프레임이 어떻게 깨지는지는 `ethtool -S`가 알려 줍니다
            [frame-alignment] 다른 케이블, 트랜시버, 포트를 써 보십시오. 프레임이 어떻게 깨지는지는 `ethtool -S`가 알려 줍니다
            [carrier] 다른 케이블, 트랜시버, 포트를 써 보십시오
            [link-lost] 다른 케이블, 트랜시버, 포트를 써 보십시오. 링크를 내리는 설정도 있습니다
           *[link] 카드를 다시 꽂거나 다른 슬롯이나 라이저를 써 보십시오. 오류의 종류는 `journalctl -k`가 알려 줍니다
        }
evidence-hardware-errors = 한 측정 구간에 최대 { FIXED($count) }건

accepts-part =
    { $part ->
        [processors] 프로세서
        [memory] 메모리
        [drives] 드라이브
        [links] PCI Express 링크
       *[network] 네트워크
    }
finding-accepts =
    { $answer ->
        [yes] 측정 구간 { $of }개, 모두 { SPAN($seconds) } 동안 부하를 준 어느 부분에도 오류가 없었습니다
        [no] { $why ->
            [failed] 측정 구간 { $of }개 중 { $failed }개가 실패했습니다
            [heat] 프로세서가 열로 스로틀링되었습니다
           *[errors] 오류가 있었습니다: { accepts-part }
        }
       *[unknown] 아무것도 측정하지 못했습니다
    }
evidence-accepts-windows = 측정 구간 { $of }개 중 { $ok }개가 실패 없음: 가용성 { PERCENT($availability) }
evidence-accepts-part =
    { accepts-part }: { $outcome ->
        [passed] 합격
        [uncounted] 합격, 다만 여기에는 그 오류를 집계하는 것이 없음
        [heat] 불합격, 열로 스로틀링됨
        [errors] 불합격, 오류 { FIXED($count) }건
       *[idle] 부하를 주지 않음
    }
evidence-accepts-hottest = 가장 뜨거운 { RESOURCE($resource) }: { FIXED($value) } °C
