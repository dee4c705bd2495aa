# Workloads, metrics and ready studies, whose English stands with them.

workload-cpu-primes = 정수 나눗셈: 시험 나눗셈으로 소수 세기(sysbench cpu)
workload-memory-bandwidth = 스레드가 메모리를 초당 읽고, 쓰고, 복사하고, 결합하는 바이트 수
workload-disk = 파일의 순차 또는 랜덤 읽기와 쓰기
workload-null = 아무것도 하지 않음: 엔진 자체의 비용

metric-iops = 초당 끝난 읽기와 쓰기의 수입니다.
metric-title-iops = IOPS
metric-operations-per-second = 초당 끝난 작업의 수입니다.
metric-title-operations-per-second = 초당 작업 수
metric-events-per-second = 초당 끝난 이벤트의 수로, sysbench와 같은 방식으로 셉니다.
metric-title-events-per-second = 초당 이벤트 수
metric-throughput = 초당 옮긴 바이트 수입니다.
metric-title-throughput = 처리량
metric-throughput-copied-once = 복사한 바이트를 mbw처럼 한 번만 센 값입니다. 복사(copy)에만 있습니다.
metric-title-throughput-copied-once = 처리량(복사를 한 번만 셈)
metric-throughput-bus-estimate = 메모리 버스를 지나는 양의 추정치입니다. 일반 저장 명령은 덮어쓸 캐시 라인을 먼저 읽으므로(write-allocate) 쓴 바이트를 두 번 셉니다. 캐시보다 큰 범위에서만 의미가 있습니다.
metric-title-throughput-bus-estimate = 메모리 버스 처리량(추정)
metric-elapsed = 요청한 작업을 모두 마치는 데 걸린 시간입니다. 작업 수로 시행의 끝을 정할 때만 있습니다.
metric-title-elapsed = 소요 시간
metric-cpu-per-operation = 작업 하나에 든 작업 스레드의 CPU 시간(사용자 및 커널)입니다. 개방 루프에서는 작업의 예정 시각 직전에 작업 스레드가 스핀하며 기다리는 60 us가 포함됩니다. 작업을 대신하는 커널 스레드의 시간은 포함되지 않습니다.
metric-title-cpu-per-operation = 작업당 CPU 시간
metric-user-cpu-per-operation = 작업 하나에 든 작업 스레드의 사용자 모드 CPU 시간입니다.
metric-title-user-cpu-per-operation = 작업당 사용자 CPU 시간
metric-cpu-per-byte = 옮긴 바이트 하나에 든 작업 스레드의 CPU 시간입니다.
metric-title-cpu-per-byte = 바이트당 CPU 시간
metric-late-starts = 개방 루프에서 예정 시각보다 0.1 ms 넘게 늦게 시작한 작업의 수입니다.
metric-title-late-starts = 늦게 시작한 작업
metric-unfinished = 개방 루프에서 측정 구간 안에 예정되었지만 끝날 때까지 마치지 못한 작업의 수입니다. 그때까지 기다린 시간은 지연 시간에 포함됩니다.
metric-title-unfinished = 마치지 못한 작업
metric-latency-p50 = 작업의 절반이 이 시간 안에 끝났습니다.
metric-title-latency-p50 = p50 지연 시간
metric-latency-p90 = 작업의 90 %가 이 시간 안에 끝났습니다.
metric-title-latency-p90 = p90 지연 시간
metric-latency-p99 = 작업의 99 %가 이 시간 안에 끝났습니다.
metric-title-latency-p99 = p99 지연 시간
metric-latency-p99-9 = 작업의 99.9 %가 이 시간 안에 끝났습니다.
metric-title-latency-p99-9 = p99.9 지연 시간
metric-latency-max = 시행에서 가장 오래 걸린 작업의 시간입니다.
metric-title-latency-max = 최대 지연 시간
metric-service-time-p50 = 개방 루프: 작업의 절반이 시작한 뒤 이 시간 안에 끝났습니다.
metric-title-service-time-p50 = p50 서비스 시간
metric-service-time-p99 = 개방 루프: 작업의 99 %가 시작한 뒤 이 시간 안에 끝났습니다.
metric-title-service-time-p99 = p99 서비스 시간

study-overview-title = 개요
study-overview-question = 이 서버의 프로세서, 메모리, 디스크는 얼마나 빠릅니까?
