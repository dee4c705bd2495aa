# Conditions of a machine, as the doctor finds them: `condition-<code>` with
# the advice, and `evidence-<code>`. Names stand before a noun of ours, so that
# no particle depends on how a name is read.

condition-other-headroom = { $busy ->
        [yes] { $count ->
            [1] 다른 Headroom이 작업 중이며 같은 부분을 측정하고 있을 수 있습니다
           *[other] 다른 Headroom이 { $count }개 있으며 그중 적어도 하나가 작업 중입니다
        }
       *[no] { $count ->
            [1] 다른 Headroom이 대기 중입니다
           *[other] 다른 Headroom { $count }개가 대기 중입니다
        }
    }
    .advice = 끝날 때까지 기다리십시오 (`pgrep -a headroom`으로 확인)
evidence-headroom-process = 현재 실행과 무관한 headroom 프로세스 { $count }개

condition-other-load = 측정하지 않는 동안 다른 프로세스가 CPU { $cpus }개 중 { FIXED($cpus_used, decimals: 1) }개만큼({ PERCENT($share) }) 사용했습니다: { $how ->
        [named] { $processes }
       *[hidden] 보이지 않거나 이미 끝난 프로세스
    }
    .advice = CPU를 쓰는 프로세스를 종료하거나(`top`으로 확인) 끝날 때까지 기다리십시오
evidence-cpu-time = { FIXED($seconds, decimals: 2) }초 동안 다른 프로세스의 CPU 시간 { FIXED($cpu_s, decimals: 2) }초
evidence-busy-process = { $name }: CPU { FIXED($cpus, decimals: 2) }개만큼 사용

condition-steal = { $how ->
        [now] 하이퍼바이저가 CPU 시간의 { PERCENT($share) }를 다른 게스트에 주고 있습니다 (steal)
        [ever-not-now] 부팅 이후 하이퍼바이저가 CPU 시간의 { PERCENT($share) }를 가져갔지만, 지금은 거의 가져가지 않습니다
       *[ever] 부팅 이후 하이퍼바이저가 CPU 시간의 { PERCENT($share) }를 가져갔습니다
    }
    .advice = 호스트가 덜 바쁠 때 측정하거나, 전용 CPU(dedicated 또는 pinned)를 요청하십시오
evidence-steal-time = { FIXED($seconds, decimals: 2) }초 동안 빼앗긴 CPU 시간 { FIXED($stolen_s, decimals: 2) }초
evidence-steal-ever = /proc/stat: { $line }

condition-throttling = { $how ->
        [now] CPU가 지금 스로틀링되고 있습니다 ({ FIXED($seconds, decimals: 1) }초 동안 { $now }회)
       *[ever] CPU가 부팅 이후 { $ever }회 스로틀링되었지만, 지금은 아닙니다
    }
    .advice = 냉각을 개선하거나 서버가 식을 때까지 기다리고, 각 시행의 클럭 속도를 확인하십시오
evidence-throttle-count = thermal_throttle: 점검하는 동안 { $now }회 증가, 부팅 이후 최대 { $ever }회

condition-near-critical-temperature = { $chip }의 { $label } 온도가 { FIXED($value) } °C입니다. 임계 온도는 { FIXED($critical) } °C입니다
    .advice = 냉각을 개선하거나, 식을 때까지 기다린 뒤 측정하십시오
evidence-sensor-temperature = { $chip }의 { $label }: { FIXED($value) } °C, 임계 온도 { FIXED($critical) } °C

condition-array-sync = { $array } 어레이({ $level })에서 { $action ->
        [resync] 재동기화(resync)가
        [recover] 복구(recover)가
        [check] 검사(check)가
        [repair] 수정(repair)이
        [reshape] 재구성(reshape)이
       *[other] { $action } 작업이
    } 진행 중입니다{ $how ->
        [progress] {" "}({ PERCENT($progress) } 완료)
       *[unknown] {""}
    }
    .advice = 끝날 때까지 기다리십시오 (`cat /sys/block/{ $array }/md/sync_completed`로 확인)
evidence-sync-action = sync_action: { $action }

condition-array-degraded = { $array } 어레이({ $level })의 구성원 { $members }개 중 { $missing }개가 빠져 있습니다
    .advice = 빠진 구성원을 추가하십시오 (`mdadm --detail /dev/{ $array }` 참조)
evidence-degraded = 구성원 { $members }개 중 { $missing }개 없음

condition-drive-self-test = { $drive } 드라이브가 자체 검사를 실행 중입니다{ $how ->
        [progress] {" "}({ PERCENT($done) } 완료)
       *[unknown] {""}
    }
    .advice = 끝날 때까지 기다리거나 `smartctl -X /dev/{ $drive }` 명령으로 중단하십시오
evidence-self-test = { $drive }: 자체 검사 실행 중{ $how ->
        [progress] , { PERCENT($done) } 완료
       *[unknown] {""}
    }

condition-lazy-init =
    { $known ->
        [yes] ext4가 { $device }의 새 파일 시스템을 백그라운드에서 초기화하며 쓰고 있습니다
       *[no] ext4가 백그라운드에서 파일 시스템에 작업 중입니다: 새 파일 시스템을 초기화하며 쓰거나, 방금 마운트된 파일 시스템의 빈 공간 정보만 읽을 수 있습니다
    }
    .advice = 끝날 때까지 기다리거나, `-E lazy_itable_init=0,lazy_journal_init=0` 옵션으로 파일 시스템을 만드십시오
evidence-lazy-init-groups = { $device }의 그룹 { FIXED($groups) }개 중 { FIXED($missing) }개에 아직 inode 테이블 없음
evidence-lazy-init-thread = 커널 스레드 { $thread } 실행 중

condition-background-work = `{ $name }` 프로그램({ $does ->
        [trims] 빈 블록 discard
        [checks] 파일 시스템 검사
        [changes] 파일 시스템 작업
        [formats] 파일 시스템 생성
        [scans] 디스크 전체 읽기 또는 쓰기
        [copies-data] 데이터 복사
        [wipes] 디스크 전체 쓰기
        [installs] 패키지 설치
        [builds-modules] 커널 모듈 빌드
        [builds-image] 부트 이미지 빌드
        [copies-files] 파일 복사
        [backs-up] 백업
        [lists-files] 전체 파일 목록 작성
        [indexes-manuals] 매뉴얼 페이지 색인
        [indexes-files] 파일 색인
        [searches-viruses] 바이러스 검사
        [searches-files] 파일 검사
        [loads] 부하 생성
       *[traces] 추적
    })이 { $busy ->
        [yes] 작업 중입니다
       *[no] 대기 중입니다
    }
    .advice = `{ $name }` 프로그램이 끝날 때까지 기다리거나 중지하십시오
evidence-background-process = { $name }: 프로세스 { $count }개, CPU 시간 { FIXED($cpu_s, decimals: 2) }초

condition-disk-traffic = 측정하지 않는 동안 다른 프로세스가 { $disk } { $array ->
        [yes] 어레이({ $disks }{ $more ->
            [0] {""}
           *[other] {" "}외 { $more }개
        })
       *[no] 디스크
    }를 사용했습니다: 초당 요청 { SHORT($requests_per_s) }회, { SHORT($bytes_per_s, unit: "B/s") }{ $timed ->
        [yes] , 전체 시간의 { PERCENT($busy) }
       *[no] {""}
    }
    .advice = 읽고 쓰는 프로세스를 찾아(`iotop`, `pidstat -d 1`) 기다리거나 종료하십시오
evidence-diskstats = { $disk }: 초당 요청 { SHORT($requests_per_s) }회, { SHORT($bytes_per_s, unit: "B/s") }{ $timed ->
        [yes] , 전체 시간의 { PERCENT($busy) }
       *[no] {""}
    }

condition-network-traffic = 측정하지 않는 동안 다른 프로세스가 { $interface } 인터페이스를 사용했습니다: { SHORT($bytes_per_s, unit: "B/s") }{ $how ->
        [share] , 링크 속도의 { PERCENT($share) }
       *[rate] {""}
    }
    .advice = 송수신하는 프로세스를 찾아(`ss -tpi`, `nethogs`) 기다리거나 종료하십시오
evidence-net-dev = { $interface }: { SHORT($bytes_per_s, unit: "B/s") }{ $how ->
        [share] , 링크 속도의 { PERCENT($share) }
       *[rate] {""}
    }

condition-drive-health = { $drive } 드라이브가 스스로 문제를 알립니다: { $first ->
        [spare] 예비 블록이 거의 소진됨
        [temperature] 온도가 한계를 벗어남
        [unreliable] 오류로 신뢰할 수 없음
        [read-only] 더 이상 쓰기를 받지 않음
        [no-backup] 휘발성 메모리의 백업 수단이 동작하지 않음
        [persistent-read-only] 영구 메모리가 더 이상 쓰기를 받지 않음
        [other] 심각한 경고 { $bits }
        [worn] 수명의 { $percentage_used } % 사용
       *[errors] 정정하지 못한 오류 { $media_errors }건
    }{ $second ->
        [none] {""}
        [spare] , 예비 블록이 거의 소진됨
        [temperature] , 온도가 한계를 벗어남
        [unreliable] , 오류로 신뢰할 수 없음
        [read-only] , 더 이상 쓰기를 받지 않음
        [no-backup] , 휘발성 메모리의 백업 수단이 동작하지 않음
        [persistent-read-only] , 영구 메모리가 더 이상 쓰기를 받지 않음
        [other] , 심각한 경고 { $bits }
        [worn] , 수명의 { $percentage_used } % 사용
       *[errors] , 정정하지 못한 오류 { $media_errors }건
    }{ $third ->
        [none] {""}
        [spare] , 예비 블록이 거의 소진됨
        [temperature] , 온도가 한계를 벗어남
        [unreliable] , 오류로 신뢰할 수 없음
        [read-only] , 더 이상 쓰기를 받지 않음
        [no-backup] , 휘발성 메모리의 백업 수단이 동작하지 않음
        [persistent-read-only] , 영구 메모리가 더 이상 쓰기를 받지 않음
        [other] , 심각한 경고 { $bits }
        [worn] , 수명의 { $percentage_used } % 사용
       *[errors] , 정정하지 못한 오류 { $media_errors }건
    }{ $more ->
        [0] {""}
       *[other] {" "}외 { $more }건
    }
    .advice = `smartctl -x /dev/{ $drive }` 명령으로 확인하고, 데이터를 백업한 뒤 다른 드라이브로 측정하십시오
evidence-available-spare = 남은 예비 블록: { $value } %
evidence-spare-threshold = 예비 블록 하한: { $value } %
evidence-percentage-used = 사용한 수명: { $value } %
evidence-media-errors = 정정하지 못한 미디어 오류: { $value }건
evidence-critical-warning = 심각한 경고 비트(critical warning): { $value }

condition-drive-hot = { $drive } 드라이브의 온도가 { FIXED($value) } °C입니다. { FIXED($limit) } °C부터는 스스로 속도를 낮출 수 있습니다
    .advice = 식을 때까지 기다리거나 통풍을 개선하고, 측정 전에는 쓰기를 줄이십시오
evidence-drive-temperature = { $drive }: { FIXED($value) } °C, 경고 온도 { FIXED($limit) } °C

condition-swapping = { $how ->
        [moving] 메모리가 스와핑되고 있습니다: { FIXED($seconds, decimals: 1) }초 동안 들어온 페이지 { $pages_in }개, 나간 페이지 { $pages_out }개
       *[lying] 메모리 { BINARY($used_bytes) }가 스왑에 있으며, 지금은 이동이 없습니다
    }
    .advice = { $how ->
        [moving] 메모리를 차지한 프로세스를 종료하십시오. 그런 다음 `swapoff -a && swapon -a` 명령을 실행하면 모두 메모리로 돌아옵니다
       *[lying] 메모리가 충분하다면 `swapoff -a && swapon -a` 명령으로 모두 메모리로 되돌릴 수 있습니다
    }
evidence-vmstat = { FIXED($seconds, decimals: 1) }초 동안 스왑에서 들어온 페이지 { $pages_in }개, 스왑으로 나간 페이지 { $pages_out }개
evidence-swap-used = 사용 중인 스왑 { BINARY($used_bytes) }

condition-little-memory = 메모리 { BINARY($total_bytes) } 중 { BINARY($available_bytes) }만 사용할 수 있습니다
    .advice = 메모리를 차지한 프로세스를 종료하거나, 들어맞는 크기로 측정하십시오
evidence-memory-available = 전체 { BINARY($total_bytes) } 중 사용 가능 { BINARY($available_bytes) }

condition-dirty-pages = 이전에 쓴 데이터 { BINARY($bytes) }가 아직 디스크에 기록되지 않았습니다
    .advice = `sync` 명령을 실행하고 끝날 때까지 기다리십시오
evidence-meminfo = Dirty { BINARY($dirty) }, Writeback { BINARY($writeback) }

condition-full-file-system = { $mount }의 파일 시스템({ $kind })이 { PERCENT($used) } 찼으며 { BINARY($available_bytes) } 남았습니다
    .advice = 필요 없는 것을 지우거나 다른 파일 시스템에서 측정하십시오
evidence-statvfs = 전체 { BINARY($total_bytes) } 중 여유 { BINARY($free_bytes) }

condition-pcie-link = { $address }{ $class ->
        [named] {" "}({ $device })
        [storage] {" "}(스토리지 컨트롤러)
        [network] {" "}(네트워크 컨트롤러)
        [display] {" "}(디스플레이 컨트롤러)
        [bridge] {" "}(브리지)
       *[other] {""}
    } 장치의 링크가 { $how ->
        [lanes] { $best_lanes }레인 중 { $lanes }레인만 사용합니다
       *[speed] { SHORT($best_transfers) }T/s 중 { SHORT($transfers) }T/s로 동작합니다. 절전 상태일 수 있습니다
    }
    .advice = { $how ->
        [lanes] 카드를 다시 꽂거나 다른 슬롯을 사용하십시오. 슬롯끼리 공유하는 레인은 메인보드 설명서를 참조하십시오
       *[speed] 부하를 준 상태에서 다시 확인하십시오: `cat /sys/bus/pci/devices/{ $address }/current_link_speed`
    }
evidence-link-width = { $address }{ $class ->
        [named] {" "}({ $device })
        [storage] {" "}(스토리지 컨트롤러)
        [network] {" "}(네트워크 컨트롤러)
        [display] {" "}(디스플레이 컨트롤러)
        [bridge] {" "}(브리지)
       *[other] {""}
    }: { $best_lanes }레인 중 { $lanes }레인
evidence-link-speed = { $address }{ $class ->
        [named] {" "}({ $device })
        [storage] {" "}(스토리지 컨트롤러)
        [network] {" "}(네트워크 컨트롤러)
        [display] {" "}(디스플레이 컨트롤러)
        [bridge] {" "}(브리지)
       *[other] {""}
    }: { SHORT($best_transfers) }T/s 중 { SHORT($transfers) }T/s

condition-sata-link = { $drive } 드라이브의 링크가 { BITS($bits) }로 동작합니다. { $how ->
        [both] 포트와 드라이브는
        [port] 포트는
       *[drive] 드라이브는
    } { BITS($best_bits) }까지 가능합니다
    .advice = 다른 케이블이나 포트를 사용하십시오. 오류 때문에 느려졌는지는 `dmesg | grep -i 'sata link'` 명령으로 알 수 있습니다
evidence-sata-link = 협상된 속도 { BITS($bits) }
evidence-identify = 드라이브의 최대 속도 { BITS($bits) }

condition-nic-link = { $how ->
        [half] { $interface } 인터페이스가 { BITS($bits) } 반이중(half duplex)으로 동작하여 수신하는 동안 송신할 수 없습니다
        [half-unknown] { $interface } 인터페이스가 반이중(half duplex)으로 동작하여 수신하는 동안 송신할 수 없습니다. 속도는 알 수 없습니다
        [both] { $interface } 인터페이스가 { BITS($bits) }로 동작합니다. 양쪽 모두 { BITS($best_bits) }까지 가능합니다
       *[own] { $interface } 인터페이스가 { BITS($bits) }로 동작하며 { BITS($best_bits) }까지 가능합니다. 상대편이 어디까지 가능한지는 알 수 없습니다
    }
    .advice = 양쪽의 케이블, 포트, 자동 협상 설정을 확인하십시오 (`ethtool { $interface }`)
evidence-nic-link = { $how ->
        [half] { $interface }: { BITS($bits) }, 반이중
        [half-unknown] { $interface }: 속도 알 수 없음, 반이중
        [both] { $interface }: { BITS($bits) }, 양쪽 최대 { BITS($best_bits) }
       *[own] { $interface }: { BITS($bits) }, 이쪽 최대 { BITS($best_bits) }
    }

condition-debug-kernel = 커널이 스스로를 검사하고 있어 모든 것이 느려집니다: { $signs }{ $more ->
        [0] {""}
       *[other] {" "}외 { $more }개
    }
    .advice = 배포판이 제공하는 것처럼 이런 옵션이 없는 커널로 부팅하십시오
evidence-kernel-option = { $option }

condition-kernel-tracing = 커널이 추적되고 있습니다: { $how ->
        [tracer] 트레이서 { $tracer }
        [event] 이벤트 { $names }
        [events] 이벤트 { $events }개, { $names }{ $more ->
            [0] {""}
           *[other] {" "}외 { $more }개
        }
       *[both] 트레이서 { $tracer }, 이벤트 { $events }개
    }
    .advice = `echo nop > /sys/kernel/tracing/current_tracer; echo > /sys/kernel/tracing/set_event` 명령을 실행하십시오
evidence-tracefs = { $how ->
        [tracer] current_tracer: { $tracer }
        [event] set_event: { $names }
        [events] set_event: { $names }{ $more ->
            [0] {""}
           *[other] {" "}외 { $more }개
        }
       *[both] current_tracer: { $tracer }, set_event: { $events }개
    }

condition-governor = 클럭 속도가 performance가 아닌 거버너 { $governors }{ $more ->
        [0] {""}
       *[other] {" "}외 { $more }개
    }{ $how ->
        [preference] (에너지 선호도 { $preferences }{ $more_preferences ->
            [0] {""}
           *[other] {" "}외 { $more_preferences }개
        })
       *[governor] {""}
    }에 따라 정해집니다
    .advice = `cpupower frequency-set -g performance` 명령을 실행하십시오
evidence-scaling-driver = { $driver ->
        [unknown] 드라이버 알 수 없음
       *[other] 드라이버 { $driver }
    }

condition-clock-capped = 정책에 따라 클럭 속도가 { SHORT($hardware_max_hz, unit: "Hz") } 중 { SHORT($max_hz, unit: "Hz") }까지로 제한되어 있습니다
    .advice = `cpupower frequency-set -u 100GHz` 명령으로 제한을 풀거나, 이를 설정한 전원 프로필을 찾으십시오
evidence-scaling-max = 하드웨어 최대 { SHORT($hardware_max_hz, unit: "Hz") }, 정책 최대 { SHORT($max_hz, unit: "Hz") }

condition-clock-source = 클럭 소스가 CPU의 카운터가 아니라 { $source }입니다{ $how ->
        [cost] . 한 번 읽는 데 { SHORT($seconds, unit: "s") } 걸립니다
       *[unknown] {""}
    }
    .advice = { $advice ->
        [leave] 그대로 두고, 같은 클럭 소스로 얻은 결과와만 비교하십시오
        [set] `echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource` 명령을 실행하십시오
        [set-on-host] 컨테이너에서는 /sys가 읽기 전용이므로 호스트에서 `echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource` 명령을 실행하십시오
       *[look] CPU의 카운터를 쓰지 않는 이유는 `dmesg | grep -i tsc` 명령으로 확인하십시오
    }
evidence-clock-sources = 사용 가능한 소스: { $sources }
evidence-clock-read = { $rounds }회 중 최소: { SHORT($seconds, unit: "s") }

condition-cpu-quota = { $holder ->
        [container] 컨테이너({ $container })가
       *[group] 컨트롤 그룹이
    } CPU { $cpus }개 중 { FIXED($quota, decimals: 2) }개만큼만 허용합니다. 스레드가 더 많으면 매 주기 중간에 멈춥니다
    .advice = 스레드 수를 그 이하로 하거나, 제한 밖에서 또는 제한을 풀고 측정하십시오
evidence-cpu-quota = 1초마다 CPU 시간 { FIXED($quota, decimals: 2) }초
evidence-cgroup-cpu = 1초마다 CPU 시간 { FIXED($quota, decimals: 2) }초

condition-memory-quota = { $holder ->
        [container] 컨테이너({ $container })가
       *[group] 컨트롤 그룹이
    } 메모리 { BINARY($total_bytes) } 중 { BINARY($quota_bytes) }만 허용하며, 페이지 캐시도 여기에 포함됩니다
    .advice = 제한에 맞추어 크기를 정하거나, 제한 밖에서 또는 제한을 풀고 측정하십시오
evidence-memory-quota = 최대 { BINARY($quota_bytes) }

condition-io-quota = { $holder ->
        [container] 컨테이너({ $container })가
       *[group] 컨트롤 그룹이
    } { $device } 장치를 제한합니다{ $has_read_bytes ->
        [yes] {" "}(읽기 { SHORT($read_bytes, unit: "B/s") })
       *[no] {""}
    }{ $has_write_bytes ->
        [yes] {" "}(쓰기 { SHORT($write_bytes, unit: "B/s") })
       *[no] {""}
    }{ $has_read_operations ->
        [yes] {" "}(읽기 초당 { $read_operations }회)
       *[no] {""}
    }{ $has_write_operations ->
        [yes] {" "}(쓰기 초당 { $write_operations }회)
       *[no] {""}
    }
    .advice = 이 장치의 결과는 제한의 결과로 보거나, 제한을 풀고 측정하십시오
evidence-io-quota = { $device }:{ $has_read_bytes ->
        [yes] {" "}(읽기 { SHORT($read_bytes, unit: "B/s") })
       *[no] {""}
    }{ $has_write_bytes ->
        [yes] {" "}(쓰기 { SHORT($write_bytes, unit: "B/s") })
       *[no] {""}
    }{ $has_read_operations ->
        [yes] {" "}(읽기 초당 { $read_operations }회)
       *[no] {""}
    }{ $has_write_operations ->
        [yes] {" "}(쓰기 초당 { $write_operations }회)
       *[no] {""}
    }

condition-idle-states = 유휴 CPU가 { $state } 상태까지 들어갈 수 있으며, 깨어나는 데 { SHORT($latency_s, unit: "s") } 걸립니다
    .advice = 낮은 부하에서 지연 시간을 잴 때는 `cpupower idle-set -D 10` 명령을 실행하고, `-E` 옵션으로 되돌리십시오
evidence-idle-state = { $state }: 깨어나는 데 { SHORT($latency_s, unit: "s") }

condition-turbo = { $on ->
        [yes] 터보가 켜져 있습니다. 클럭 속도는 최대{ $rated ->
            [yes] {" "}{ SHORT($hz, unit: "Hz") }까지,
           *[no] {" "}속도까지,
        } 온도와 사용 중인 코어 수에 따라 달라집니다
       *[no] 터보가 꺼져 있습니다. 결과는 기본 클럭{ $rated ->
            [yes] ({ SHORT($hz, unit: "Hz") })
           *[no] {""}
        } 기준입니다
    }
    .advice = { $on ->
        [yes] 온도가 충분히 오르도록 시행을 길게 하고, 코어 하나끼리 비교하려면 펌웨어에서 끄십시오
       *[no] 이 서버의 최대 성능을 재려면 켜십시오
    }
evidence-boost = { $on ->
        [yes] 터보 켜짐{ $rated ->
            [yes] , 최대 { SHORT($hz, unit: "Hz") }
           *[no] {""}
        }
       *[no] 터보 꺼짐{ $rated ->
            [yes] , 기본 { SHORT($hz, unit: "Hz") }
           *[no] {""}
        }
    }

condition-virtual-machine = 이 서버는 가상 머신({ $kind })입니다. 다른 게스트의 활동과 호스트의 캐시는 여기서 보이지 않습니다
    .advice = 다른 시간대에도 측정을 반복하고, 디스크는 호스트의 메모리보다 큰 범위로 측정하십시오
evidence-virtualization = { $kind } 게스트

condition-missing-permission = { $how ->
        [privilege] Headroom이 root로 실행되지 않아 설정과 일부 카운터에 접근할 수 없습니다
       *[denied] 권한이 없어 여기서 읽을 수 없는 항목이 있습니다: { $first ->
            [memory-modules] 메모리 모듈
            [pcie-payload] PCI Express 페이로드 크기
            [drive-health] { $first_name } 드라이브의 상태 정보
            [sensors] { $first_name } 센서
            [block-device] 블록 장치 { $first_name }
            [network-interface] 네트워크 인터페이스 { $first_name }
            [pci-function] PCI 장치 { $first_name }
           *[other] { $first_name }
        }{ $second ->
            [none] {""}
            [memory-modules] , 메모리 모듈
            [pcie-payload] , PCI Express 페이로드 크기
            [drive-health] , { $second_name } 드라이브의 상태 정보
            [sensors] , { $second_name } 센서
            [block-device] , 블록 장치 { $second_name }
            [network-interface] , 네트워크 인터페이스 { $second_name }
            [pci-function] , PCI 장치 { $second_name }
           *[other] , { $second_name }
        }{ $third ->
            [none] {""}
            [memory-modules] , 메모리 모듈
            [pcie-payload] , PCI Express 페이로드 크기
            [drive-health] , { $third_name } 드라이브의 상태 정보
            [sensors] , { $third_name } 센서
            [block-device] , 블록 장치 { $third_name }
            [network-interface] , 네트워크 인터페이스 { $third_name }
            [pci-function] , PCI 장치 { $third_name }
           *[other] , { $third_name }
        }{ $more ->
            [0] {""}
           *[other] {" "}외 { $more }개
        }
    }
    .advice = { $root ->
        [yes] 컨테이너 밖에서 실행하거나, 부족한 권한을 주십시오 (CAP_SYS_ADMIN, CAP_SYS_RAWIO)
       *[no] `sudo`로 실행하십시오
    }
evidence-privilege = 유효 사용자가 root가 아님
evidence-denied = { $part ->
        [memory-modules] 메모리 모듈
        [pcie-payload] PCI Express 페이로드 크기
        [drive-health] { $name } 드라이브의 상태 정보
        [sensors] { $name } 센서
        [block-device] 블록 장치 { $name }
        [network-interface] 네트워크 인터페이스 { $name }
        [pci-function] PCI 장치 { $name }
       *[other] { $name }
    }

condition-counted-errors = { $what ->
        [memory-uncorrected] 메모리 컨트롤러 { $name }에서 ECC로 정정할 수 없는 오류 { $count }건이 집계되었습니다
        [memory-corrected] 메모리 컨트롤러 { $name }에서 ECC로 정정한 오류 { $count }건이 집계되었습니다
        [link-fatal] { $name }의 PCI Express 링크에서 치명적인 오류 { $count }건이 집계되었습니다
        [link-nonfatal] { $name }의 PCI Express 링크에서 정정되지 않은 오류 { $count }건이 집계되었습니다
        [link-corrected] { $name }의 PCI Express 링크에서 정정된 오류 { $count }건이 집계되었습니다
        [frame-checksum] { $name }에 체크섬이 틀린 프레임 { $count }개가 들어왔습니다
        [frame-alignment] { $name }에 정렬이 틀린 프레임 { $count }개가 들어왔습니다
        [carrier] { $name }이(가) 캐리어가 없어 프레임 { $count }개를 보내지 못했습니다
        [link-lost] { $name }의 링크가 { $count }번 끊겼습니다
        [packets-missed] { $name }이(가) 자리가 없어 패킷 { $count }개를 놓쳤습니다
        [pending-sectors] { $name }에 읽지 못해 교체를 기다리는 섹터가 { $count }개 있습니다
        [uncorrectable-sectors] { $name }에 정정하지 못한 섹터가 { $count }개 있습니다
        [reallocated-sectors] { $name }이(가) 섹터 { $count }개를 교체했습니다
       *[cable-checksum] { $name }에서 체크섬이 틀린 전송 { $count }건이 집계되었습니다
    }{ $since ->
        [then] {" "}(그 시각 이후)
        [start] {" "}(부팅 이후)
       *[life] {""}
    }
    .advice = { $what ->
        [memory-uncorrected] 메모리 모듈을 교체하십시오. `journalctl -k`나 펌웨어의 로그가 슬롯을 알려 줍니다
        [memory-corrected] 더 늘어나는지 지켜보십시오. 되풀이되는 오류는 모듈을 교체할 이유입니다
        [frame-checksum] 다른 케이블, 트랜시버, 포트를 써 보십시오 (`ethtool -S { $name }`)
        [frame-alignment] 다른 케이블, 트랜시버, 포트를 써 보십시오 (`ethtool -S { $name }`)
        [carrier] 다른 케이블, 트랜시버, 포트를 써 보십시오 (`ethtool -S { $name }`)
        [link-lost] 다른 케이블, 트랜시버, 포트를 써 보십시오 (`ethtool -S { $name }`)
        [packets-missed] 더 큰 링(`ethtool -G { $name }`)이나 여러 CPU로 나눈 인터럽트가 패킷을 제때 꺼냅니다
        [pending-sectors] 드라이브의 데이터를 옮기고 드라이브를 교체하십시오 (`smartctl -x /dev/{ $name }`)
        [uncorrectable-sectors] 드라이브의 데이터를 옮기고 드라이브를 교체하십시오 (`smartctl -x /dev/{ $name }`)
        [reallocated-sectors] 더 늘어나는지 지켜보십시오 (`smartctl -x /dev/{ $name }`)
        [cable-checksum] 다른 케이블과 포트를 써 보십시오. 이 값은 줄어들지 않습니다 (`smartctl -x /dev/{ $name }`)
       *[link] 카드를 다시 꽂거나 다른 슬롯이나 라이저를 써 보십시오. 오류의 종류는 `journalctl -k`가 알려 줍니다
    }
evidence-counted-errors = { $count }건 집계, 모두 { $ever }건

condition-kernel-errors = 그 시각 이후 커널 로그에 { $what ->
        [machine-check] 머신 체크
        [memory-error] 메모리 오류
        [link-error] { $part }의 PCI Express 링크 오류
        [link-retrained] { $part }의 PCI Express 링크 재훈련
        [drive-error] 드라이브 { $part }의 오류
        [drive-reset] 드라이브 { $part }의 재설정
        [file-system-error] { $part }에 있는 파일 시스템의 오류
        [queue-stalled] { $part }의 멈춘 큐
        [lockup] 멈춘 CPU
       *[throttled] 열로 스로틀링된 CPU
    } 메시지가 { $count }건 있습니다. 마지막은 { SPAN($ago) } 전입니다
    .advice = { $what ->
        [throttled] 냉각을 개선하십시오. 메시지는 `journalctl -k`에 있습니다
       *[other] 메시지는 `journalctl -k`에 있습니다
    }
evidence-kernel-errors = 메시지 { $count }건, 처음은 { SPAN($first) } 전
