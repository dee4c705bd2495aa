# Databases: workloads, metrics, findings.

workload-db-oltp = 데이터베이스가 초당 처리하는 트랜잭션 수와 하나에 걸리는 시간(sysbench oltp)

metric-transactions-per-second = 초당 정상으로 끝난 트랜잭션의 수입니다. 다시 시작한 것도 하나로 셉니다.
metric-title-transactions-per-second = 초당 트랜잭션
metric-queries-per-second = 초당 실행된 문장의 수입니다. sysbench의 쿼리 수처럼 BEGIN과 COMMIT도 셉니다.
metric-title-queries-per-second = 초당 쿼리
metric-rows-per-second = 문장이 초당 돌려주거나 바꾼 행의 수입니다.
metric-title-rows-per-second = 초당 행
metric-retries-per-second = 다른 트랜잭션과 부딪쳐 롤백되고 다시 시작된 초당 트랜잭션의 수입니다. 그 시간은 지연 시간에 포함됩니다.
metric-title-retries-per-second = 초당 재시도
metric-lock-waits-per-second = 클라이언트가 잠긴 데이터베이스를 만나 잠든 초당 횟수입니다. 그 시간은 지연 시간에 포함됩니다.
metric-title-lock-waits-per-second = 초당 잠금 대기
metric-cpu-per-query = 문장 하나에 든 클라이언트의 CPU 시간입니다. SQLite는 클라이언트의 스레드에서 일하므로 이것이 비용의 전부입니다.
metric-title-cpu-per-query = 쿼리당 CPU 시간
metric-begin-latency-p50 = 트랜잭션 시작(BEGIN)의 절반이 이 시간 안에 끝났습니다.
metric-title-begin-latency-p50 = 트랜잭션 시작(BEGIN) p50 지연 시간
metric-begin-latency-p99 = 트랜잭션 시작(BEGIN)의 99%가 이 시간 안에 끝났습니다.
metric-title-begin-latency-p99 = 트랜잭션 시작(BEGIN) p99 지연 시간
metric-commit-latency-p50 = 트랜잭션 끝내기(COMMIT)의 절반이 이 시간 안에 끝났습니다.
metric-title-commit-latency-p50 = 트랜잭션 끝내기(COMMIT) p50 지연 시간
metric-commit-latency-p99 = 트랜잭션 끝내기(COMMIT)의 99%가 이 시간 안에 끝났습니다.
metric-title-commit-latency-p99 = 트랜잭션 끝내기(COMMIT) p99 지연 시간
metric-point-select-latency-p50 = 키로 한 행 SELECT의 절반이 이 시간 안에 끝났습니다.
metric-title-point-select-latency-p50 = 키로 한 행 SELECT p50 지연 시간
metric-point-select-latency-p99 = 키로 한 행 SELECT의 99%가 이 시간 안에 끝났습니다.
metric-title-point-select-latency-p99 = 키로 한 행 SELECT p99 지연 시간
metric-simple-range-latency-p50 = 행 범위 SELECT의 절반이 이 시간 안에 끝났습니다.
metric-title-simple-range-latency-p50 = 행 범위 SELECT p50 지연 시간
metric-simple-range-latency-p99 = 행 범위 SELECT의 99%가 이 시간 안에 끝났습니다.
metric-title-simple-range-latency-p99 = 행 범위 SELECT p99 지연 시간
metric-sum-range-latency-p50 = 행 범위의 합계의 절반이 이 시간 안에 끝났습니다.
metric-title-sum-range-latency-p50 = 행 범위의 합계 p50 지연 시간
metric-sum-range-latency-p99 = 행 범위의 합계의 99%가 이 시간 안에 끝났습니다.
metric-title-sum-range-latency-p99 = 행 범위의 합계 p99 지연 시간
metric-order-range-latency-p50 = 텍스트 순으로 정렬한 행 범위 SELECT의 절반이 이 시간 안에 끝났습니다.
metric-title-order-range-latency-p50 = 텍스트 순으로 정렬한 행 범위 SELECT p50 지연 시간
metric-order-range-latency-p99 = 텍스트 순으로 정렬한 행 범위 SELECT의 99%가 이 시간 안에 끝났습니다.
metric-title-order-range-latency-p99 = 텍스트 순으로 정렬한 행 범위 SELECT p99 지연 시간
metric-distinct-range-latency-p50 = 행 범위의 서로 다른 텍스트 SELECT의 절반이 이 시간 안에 끝났습니다.
metric-title-distinct-range-latency-p50 = 행 범위의 서로 다른 텍스트 SELECT p50 지연 시간
metric-distinct-range-latency-p99 = 행 범위의 서로 다른 텍스트 SELECT의 99%가 이 시간 안에 끝났습니다.
metric-title-distinct-range-latency-p99 = 행 범위의 서로 다른 텍스트 SELECT p99 지연 시간
metric-index-update-latency-p50 = 인덱스가 있는 열의 UPDATE의 절반이 이 시간 안에 끝났습니다.
metric-title-index-update-latency-p50 = 인덱스가 있는 열의 UPDATE p50 지연 시간
metric-index-update-latency-p99 = 인덱스가 있는 열의 UPDATE의 99%가 이 시간 안에 끝났습니다.
metric-title-index-update-latency-p99 = 인덱스가 있는 열의 UPDATE p99 지연 시간
metric-non-index-update-latency-p50 = 인덱스가 없는 열의 UPDATE의 절반이 이 시간 안에 끝났습니다.
metric-title-non-index-update-latency-p50 = 인덱스가 없는 열의 UPDATE p50 지연 시간
metric-non-index-update-latency-p99 = 인덱스가 없는 열의 UPDATE의 99%가 이 시간 안에 끝났습니다.
metric-title-non-index-update-latency-p99 = 인덱스가 없는 열의 UPDATE p99 지연 시간
metric-delete-latency-p50 = 키로 한 행 DELETE의 절반이 이 시간 안에 끝났습니다.
metric-title-delete-latency-p50 = 키로 한 행 DELETE p50 지연 시간
metric-delete-latency-p99 = 키로 한 행 DELETE의 99%가 이 시간 안에 끝났습니다.
metric-title-delete-latency-p99 = 키로 한 행 DELETE p99 지연 시간
metric-insert-latency-p50 = 한 행 INSERT의 절반이 이 시간 안에 끝났습니다.
metric-title-insert-latency-p50 = 한 행 INSERT p50 지연 시간
metric-insert-latency-p99 = 한 행 INSERT의 99%가 이 시간 안에 끝났습니다.
metric-title-insert-latency-p99 = 한 행 INSERT p99 지연 시간

# Other loads than that of sysbench.

workload-db-slap = mysqlslap이 만드는 문장을 데이터베이스가 초당 몇 개 처리하고 하나에 얼마나 걸리는지(mysqlslap)
workload-db-tpcb = TPC-B와 비슷한 트랜잭션을 데이터베이스가 초당 몇 개 처리하고 하나에 얼마나 걸리는지(pgbench)
workload-db-orders = 도매업의 트랜잭션을 데이터베이스가 초당 몇 개 처리하고 하나에 얼마나 걸리는지(TPC-C가 아님)
workload-db-script = 내 트랜잭션을 데이터베이스가 초당 몇 개 처리하고 하나에 얼마나 걸리는지(pgbench -f)
workload-db-durability = 프로세스가 강제 종료되었을 때 데이터베이스가 응답한 커밋을 잃지 않는지, 그 비용은 얼마인지

metric-table-select-latency-p50 = 테이블 전체 SELECT의 절반이 이 시간 안에 끝났습니다.
metric-title-table-select-latency-p50 = 테이블 전체 SELECT p50 지연 시간
metric-table-select-latency-p99 = 테이블 전체 SELECT의 99%가 이 시간 안에 끝났습니다.
metric-title-table-select-latency-p99 = 테이블 전체 SELECT p99 지연 시간

metric-commits-per-second = 초당 응답된 커밋의 수입니다. 각 회차의 첫 커밋부터 강제 종료까지 셉니다.
metric-title-commits-per-second = 초당 커밋
metric-lost-commits = 커밋이 응답되었는데 프로세스를 강제 종료한 뒤에 없던 행의 수입니다. 시행의 모든 회차를 더한 값입니다.
metric-title-lost-commits = 잃은 커밋
metric-lost-share = 응답된 커밋 가운데 프로세스를 강제 종료한 뒤에 없던 것의 비율입니다.
metric-title-lost-share = 잃은 커밋의 비율
metric-acknowledged-commits = 커밋이 응답된 행의 수입니다. 시행의 모든 회차를 더한 값입니다.
metric-title-acknowledged-commits = 응답된 커밋
metric-unacknowledged-commits = 커밋이 응답되지 않았는데 프로세스를 강제 종료한 뒤에 있던 행의 수입니다. 응답이 오는 중이었습니다. 시행의 모든 회차를 더한 값입니다.
metric-title-unacknowledged-commits = 응답되지 않은 커밋
metric-recovery-time = 강제 종료 뒤의 재시작부터 첫 응답까지 걸린 시간입니다. 모든 회차의 평균입니다. 서버가 접속을 받는지는 20 ms마다 확인합니다.
metric-title-recovery-time = 복구 시간

finding-acknowledged-but-lost =
    { $how ->
        [lost] 응답된 커밋 { $acknowledged }개 가운데 { $lost }개({ PERCENT($share, decimals: 1) })가 프로세스를 강제 종료한 뒤에 없어졌습니다. 정전에서는 더 많이 잃을 수 있습니다
       *[kept] 응답된 커밋 { $acknowledged }개 가운데 프로세스의 강제 종료로 잃은 것은 없습니다. 정전에서는 커널만 가진 데이터도 사라지므로, 이 결과는 정전에 대해서는 아무것도 보여 주지 않습니다
    }
    .advice =
        { $how ->
            [lost] 커밋마다 로그 쓰기를 기다리도록 설정하십시오: innodb_flush_log_at_trx_commit=1, synchronous_commit=on, 또는 SQLite에서는 되돌릴 수 있는 journal-mode
           *[kept] {""}
        }

metric-account-update-latency-p50 = 계좌 UPDATE의 절반이 이 시간 안에 끝났습니다.
metric-title-account-update-latency-p50 = 계좌 UPDATE p50 지연 시간
metric-account-update-latency-p99 = 계좌 UPDATE의 99%가 이 시간 안에 끝났습니다.
metric-title-account-update-latency-p99 = 계좌 UPDATE p99 지연 시간
metric-history-insert-latency-p50 = 이력 INSERT의 절반이 이 시간 안에 끝났습니다.
metric-title-history-insert-latency-p50 = 이력 INSERT p50 지연 시간
metric-history-insert-latency-p99 = 이력 INSERT의 99%가 이 시간 안에 끝났습니다.
metric-title-history-insert-latency-p99 = 이력 INSERT p99 지연 시간
metric-teller-update-latency-p50 = 창구 UPDATE의 절반이 이 시간 안에 끝났습니다.
metric-title-teller-update-latency-p50 = 창구 UPDATE p50 지연 시간
metric-teller-update-latency-p99 = 창구 UPDATE의 99%가 이 시간 안에 끝났습니다.
metric-title-teller-update-latency-p99 = 창구 UPDATE p99 지연 시간
metric-branch-update-latency-p50 = 지점 UPDATE의 절반이 이 시간 안에 끝났습니다.
metric-title-branch-update-latency-p50 = 지점 UPDATE p50 지연 시간
metric-branch-update-latency-p99 = 지점 UPDATE의 99%가 이 시간 안에 끝났습니다.
metric-title-branch-update-latency-p99 = 지점 UPDATE p99 지연 시간
metric-selects-latency-p50 = SELECT 문장의 절반이 이 시간 안에 끝났습니다.
metric-title-selects-latency-p50 = SELECT 문장 p50 지연 시간
metric-selects-latency-p99 = SELECT 문장의 99%가 이 시간 안에 끝났습니다.
metric-title-selects-latency-p99 = SELECT 문장 p99 지연 시간
metric-inserts-latency-p50 = INSERT 문장의 절반이 이 시간 안에 끝났습니다.
metric-title-inserts-latency-p50 = INSERT 문장 p50 지연 시간
metric-inserts-latency-p99 = INSERT 문장의 99%가 이 시간 안에 끝났습니다.
metric-title-inserts-latency-p99 = INSERT 문장 p99 지연 시간
metric-updates-latency-p50 = UPDATE 문장의 절반이 이 시간 안에 끝났습니다.
metric-title-updates-latency-p50 = UPDATE 문장 p50 지연 시간
metric-updates-latency-p99 = UPDATE 문장의 99%가 이 시간 안에 끝났습니다.
metric-title-updates-latency-p99 = UPDATE 문장 p99 지연 시간
metric-deletes-latency-p50 = DELETE 문장의 절반이 이 시간 안에 끝났습니다.
metric-title-deletes-latency-p50 = DELETE 문장 p50 지연 시간
metric-deletes-latency-p99 = DELETE 문장의 99%가 이 시간 안에 끝났습니다.
metric-title-deletes-latency-p99 = DELETE 문장 p99 지연 시간
metric-new-order-latency-p50 = 주문의 절반이 이 시간 안에 끝났습니다.
metric-title-new-order-latency-p50 = 주문 p50 지연 시간
metric-new-order-latency-p99 = 주문의 99%가 이 시간 안에 끝났습니다.
metric-title-new-order-latency-p99 = 주문 p99 지연 시간
metric-payment-latency-p50 = 지불의 절반이 이 시간 안에 끝났습니다.
metric-title-payment-latency-p50 = 지불 p50 지연 시간
metric-payment-latency-p99 = 지불의 99%가 이 시간 안에 끝났습니다.
metric-title-payment-latency-p99 = 지불 p99 지연 시간
metric-order-status-latency-p50 = 마지막 주문 조회의 절반이 이 시간 안에 끝났습니다.
metric-title-order-status-latency-p50 = 마지막 주문 조회 p50 지연 시간
metric-order-status-latency-p99 = 마지막 주문 조회의 99%가 이 시간 안에 끝났습니다.
metric-title-order-status-latency-p99 = 마지막 주문 조회 p99 지연 시간
metric-delivery-latency-p50 = 배달의 절반이 이 시간 안에 끝났습니다.
metric-title-delivery-latency-p50 = 배달 p50 지연 시간
metric-delivery-latency-p99 = 배달의 99%가 이 시간 안에 끝났습니다.
metric-title-delivery-latency-p99 = 배달 p99 지연 시간
metric-stock-level-latency-p50 = 재고 조회의 절반이 이 시간 안에 끝났습니다.
metric-title-stock-level-latency-p50 = 재고 조회 p50 지연 시간
metric-stock-level-latency-p99 = 재고 조회의 99%가 이 시간 안에 끝났습니다.
metric-title-stock-level-latency-p99 = 재고 조회 p99 지연 시간

# Servers of databases.
metric-connect-p50 = 클라이언트의 절반이 시간을 재기 전에 이 시간 안에 서버에 연결하고 로그인했습니다.
metric-title-connect-p50 = 연결 시간(중앙값)
metric-connect-p99 = 클라이언트의 99%가 시간을 재기 전에 이 시간 안에 서버에 연결하고 로그인했습니다.
metric-title-connect-p99 = 연결 시간(p99)

# What servers count themselves.
metric-server-queries-per-second = 서버가 모든 클라이언트에 대해 센 초당 문장 수입니다(MariaDB, MySQL: Questions). 다른 사용자가 없으면 모두 이 부하의 것입니다.
metric-title-server-queries-per-second = 서버가 센 초당 쿼리
metric-server-commits-per-second = 서버가 이 데이터베이스에서 커밋했다고 센 초당 트랜잭션 수입니다(PostgreSQL: xact_commit). 트랜잭션 밖의 문장도 하나로 셉니다.
metric-title-server-commits-per-second = 서버가 센 초당 커밋
metric-server-log-writes-per-second = 서버가 로그에 쓰는 초당 횟수입니다(Innodb_log_writes, wal_write).
metric-title-server-log-writes-per-second = 초당 로그 쓰기
metric-server-flushes-per-second = 서버가 쓴 것을 디스크에 남기도록 요청하는 초당 횟수입니다. 로그에 대한 것이거나(wal_sync, Innodb_os_log_fsyncs), 테이블과 함께 세는 경우에는 둘 다입니다(MariaDB 10.8부터 Innodb_data_fsyncs).
metric-title-server-flushes-per-second = 서버의 초당 플러시
metric-server-log-throughput = 서버가 로그에 더하는 초당 바이트 수입니다(Innodb_os_log_written, wal_bytes).
metric-title-server-log-throughput = 로그 처리량
metric-server-lock-waits-per-second = 서버가 문장에게 행을 기다리게 하는 초당 횟수입니다(Innodb_row_lock_waits).
metric-title-server-lock-waits-per-second = 서버에서의 초당 잠금 대기
metric-server-temporary-files-per-second = 정렬과 해시가 쓸 수 있는 메모리보다 클 때 서버가 쓰는 초당 파일 수(temp_files), 또는 중간 결과를 위해 디스크에 쓰는 초당 테이블 수입니다(Created_tmp_disk_tables).
metric-title-server-temporary-files-per-second = 초당 임시 파일
metric-server-checkpoints-per-second = 서버가 시작하는 초당 체크포인트 수입니다(PostgreSQL: 시간에 따른 것과 로그가 길어서 하는 것). SQLite에서는 그 뒤 미리 쓰기 로그가 처음부터 다시 쓰이기 시작한 것의 수입니다.
metric-title-server-checkpoints-per-second = 초당 체크포인트
metric-server-buffer-hit-share = 서버가 자기 버퍼에 요청한 페이지 중 그곳에 있던 것의 비율입니다. 없던 것도 페이지 캐시에는 있을 수 있습니다.
metric-title-server-buffer-hit-share = 버퍼 적중률
metric-server-page-reads-per-second = 서버가 자신의 버퍼에 없어서 초당 읽는 페이지 수입니다(Innodb_buffer_pool_reads, blks_read). 페이지 캐시에는 있을 수 있습니다.
metric-title-server-page-reads-per-second = 초당 페이지 읽기
metric-server-page-writes-per-second = 서버가 테이블에 초당 쓰는 변경된 페이지 수입니다(Innodb_buffer_pool_pages_flushed. PostgreSQL에서는 체크포인트가 쓰는 것: buffers_checkpoint, 버전 17부터는 buffers_written).
metric-title-server-page-writes-per-second = 초당 페이지 쓰기
metric-server-all-commits-per-second = 서버가 모든 데이터베이스에서 커밋했다고 센 초당 트랜잭션 수입니다(PostgreSQL: xact_commit). 다른 사용자가 없으면 모두 이 부하의 것입니다.
metric-title-server-all-commits-per-second = 모든 데이터베이스의 초당 커밋

# Findings.
finding-durability-off =
    { $name }: { $loss ->
        [killed] 서버 프로세스가 강제 종료되거나 전원이 끊기면 마지막에 커밋한 것이 사라질 수 있습니다
        [power] 프로세스가 강제 종료되어도 남지만, 전원이 끊기면 마지막에 커밋한 것이 사라질 수 있습니다
        [damage-killed] 트랜잭션 도중에 프로세스가 강제 종료되거나 전원이 끊기면 데이터베이스가 손상될 수 있습니다
        [damage-power] 전원이 끊기면 커밋한 것이 사라지고 데이터베이스가 손상될 수 있습니다
       *[torn] 디스크가 페이지 전체를 한 번에 쓰지 않으면, 전원이 끊길 때 쓰던 페이지가 손상될 수 있습니다
    }
    .advice = 응답한 것을 보존하는 데이터베이스의 수치와 비교하지 마십시오

finding-database-in-memory =
    { $how ->
        [buffers] 데이터 { BINARY($bytes) }가 서버 자체 버퍼 { BINARY($buffer) }에 들어갑니다
        [touched] 데이터 { BINARY($bytes) } 중 부하가 건드리는 부분이 서버 자체 버퍼 { BINARY($buffer) }에 들어갑니다
       *[page-cache] 데이터 { BINARY($bytes) }가 페이지 캐시에 있었습니다
    }. { evidence-database-reads }. { $writes ->
        [yes] 이 수치들은 디스크의 읽기에 대해 아무것도 말해 주지 않습니다. 쓰기는 디스크에 닿습니다
       *[no] 이 수치들은 디스크의 속도에 대해 아무것도 말해 주지 않습니다
    }
    .advice = 디스크에서 읽게 하려면 데이터를 메모리의 몇 배로 늘리거나 메모리를 줄이십시오

evidence-database-reads =
    { $counter ->
        [device] 트랜잭션 { SHORT($transactions, unit: "1/s") }에 대해 디스크에 닿은 읽기는 { SHORT($reads, unit: "1/s") }입니다
       *[server] 트랜잭션 { SHORT($transactions, unit: "1/s") }에 대해 서버가 버퍼 밖에서 찾은 페이지는 { SHORT($reads, unit: "1/s") }입니다
    }

finding-buffers-smaller-than-data =
    데이터 { BINARY($bytes) }가 서버 자체 버퍼 { BINARY($buffer) }에 들어가지 않습니다. { $counter ->
        [unknown] 측정 중에 얼마나 읽었는지는 알 수 없습니다
       *[other] { evidence-database-reads }
    }. { $counter ->
        [device] 이 수치들에는 디스크가 포함됩니다
        [server] 이 수치들에는 디스크나 페이지 캐시가 포함됩니다
       *[unknown] 이 수치들에는 디스크가 포함될 수 있습니다
    }

evidence-database-bytes = 테이블과 인덱스는 { BINARY($bytes) }입니다

finding-buffers-still-filling = 시행 { $of }회 중 { $trials }회에서 서버의 버퍼가 아직 채워지고 있었습니다. 읽은 페이지는 측정의 처음 3분의 1에서 { SHORT($first, unit: "1/s") }, 마지막 3분의 1에서 { SHORT($last, unit: "1/s") }였고, 처리량은 { PERCENT($gain) } 올랐습니다
    .advice = 서버가 읽는 양이 끝까지 변하지 않도록 --warm-up을 더 길게 지정하십시오

finding-checkpoint-stalls = 서버가 체크포인트를 쓰는 동안 전체 시간의 { PERCENT($share, decimals: 1) }에서 처리량이 중앙값의 70 % 아래로, { SHORT($usual, unit: "1/s") }에서 최저 { SHORT($worst, unit: "1/s") }까지 떨어졌습니다(시행 { $of }회 중 { $trials }회)
    .advice = 오래 도는 서버에는 체크포인트가 있습니다. 여러 번 포함되도록 측정하십시오. 로그 공간을 늘리면 줄어듭니다(max_wal_size, innodb_log_file_size)

finding-server-counts-differ =
    측정 중에 서버가 센 { $what ->
        [statements] 문장
       *[commits] 커밋
    }은 { SHORT($server, unit: "1/s") }, 부하가 센 것은 { SHORT($own, unit: "1/s") }입니다. { $how ->
        [more] 다른 누군가가 이 서버를 쓰고 있고, 그 작업이 이 수치들에 포함됩니다
       *[less] 앞에 있는 무언가가 응답하거나, 카운터가 다른 서버의 것입니다
    }
    .advice = { $how ->
        [more] 다른 사용자가 없을 때 다시 측정하십시오
       *[less] 프록시가 아니라 서버 자체의 url을 지정하십시오
    }

finding-server-does-extra-work = 서버가 문장이 요구하는 것보다 많은 일을 하고 있고, 그 시간이 이 수치들에 포함됩니다: { $name }
    .advice = { $heavy ->
        [yes] 끄거나, 수치와 함께 밝히십시오
       *[no] 두 서버를 비교할 때는 양쪽이 같은지 확인하십시오
    }

finding-repeated-inserts = mysqlslap처럼 같은 삽입 { FIXED($different) }개가 되풀이되었습니다. 그 행들은 다른 행보다 잘 압축되고 캐시됩니다
    .advice = mysqlslap의 수치와만 비교하십시오. repeated-inserts를 빼면 행마다 달라집니다

# What sessions wait for, and what holds a load on a database back.
metric-clients-waiting-for-locks = 다른 클라이언트가 잠근 행, 테이블, 데이터베이스를 동시에 기다린 클라이언트의 평균 수입니다. Innodb_row_lock_time, PostgreSQL 세션의 관찰(대기 이벤트 유형 Lock), SQLite 클라이언트가 잠든 시간에 따릅니다.
metric-title-clients-waiting-for-locks = 잠금을 기다리는 클라이언트
metric-clients-waiting-for-log = 서버의 로그가 쓰이고 플러시되기를 동시에 기다린 클라이언트의 평균 수입니다. 커밋하는 세션(MariaDB, MySQL) 또는 대기 이벤트가 WAL인 세션(PostgreSQL)의 관찰에 따릅니다.
metric-title-clients-waiting-for-log = 로그를 기다리는 클라이언트
metric-clients-waiting-for-reads = 테이블의 페이지가 읽히기를 동시에 기다린 클라이언트의 평균 수입니다. PostgreSQL 세션의 관찰(대기 이벤트 DataFileRead)에 따릅니다.
metric-title-clients-waiting-for-reads = 읽기를 기다리는 클라이언트
metric-clients-committing = 쓴 것을 커밋하는 문장 안에 동시에 있던 SQLite 클라이언트의 평균 수입니다. 잠금 때문에 잠든 시간은 빠집니다.
metric-title-clients-committing = 커밋 중인 클라이언트
metric-server-cpu = 서버가 이 기계에 있을 때 그 프로세스들이 초당 쓴 CPU 초입니다.
metric-title-server-cpu = 서버 CPU

finding-client-bound =
    클라이언트가 결과를 정합니다. { $how ->
        [threads] 스레드 { FIXED($threads) }개가 각각 시간의 { PERCENT($share) } 동안 계산합니다
        [cpus] 클라이언트의 스레드 { FIXED($threads) }개가 쓸 수 있는 CPU { FIXED($cpus) }개 중 { FIXED($used, decimals: 2) }개만큼을 씁니다
        [shared] CPU { FIXED($cpus) }개가 모두 사용 중이고, 클라이언트가 그중 { FIXED($used, decimals: 2) }개만큼을 서버보다 많이 씁니다
        [requests] 응답이 올 때까지의 시간 가운데 { PERCENT($share) }는 클라이언트 자신의 계산입니다
       *[turns] 트랜잭션의 { PERCENT($share) }는 클라이언트 자신의 계산입니다
    } ({ $how ->
        [requests] 요청
       *[other] 문장
    } 하나에 { SHORT($each_s, unit: "s") })
    .advice =
        { $how ->
            [threads] { $more ->
                [yes] { $named ->
                    [yes] --{ $option }를 늘리면 클라이언트가 CPU를 더 쓸 수 있습니다. 클라이언트를 다른 기계에 두면 이곳의 CPU는 서버의 것이 됩니다
                   *[no] 클라이언트를 다른 기계에 두면 CPU를 더 쓸 수 있습니다
                }
               *[no] 클라이언트를 다른 기계에 두면 CPU를 더 쓸 수 있습니다
            }
            [cpus] 클라이언트를 더 많은 CPU에서(--pin, taskset, cpuset), 또는 다른 기계에서 실행하십시오
            [shared] 클라이언트를 다른 기계에 두면 이곳의 CPU는 서버의 것이 됩니다
            [requests] 여기서 재는 것은 주로 클라이언트입니다. 연결을 유지하면 계산이 줄고 TLS에서 가장 많이 줍니다. --{ $option }을(를) 늘리면 그동안에도 서버가 일합니다
           *[turns] 여기서 재는 것은 주로 클라이언트입니다. 동시 클라이언트를 늘리면 그동안에도 서버가 일합니다
        }
finding-server-cpu-bound =
    { $engine ->
        [library] 프로세서가 결과를 정합니다. SQLite는 클라이언트의 스레드에서{" "}
       *[server] 서버의 CPU가 결과를 정합니다. 서버는{" "}
    }{ $how ->
        [cpus] 쓸 수 있는 CPU { FIXED($cpus) }개 중 { FIXED($used, decimals: 2) }개만큼을 씁니다
        [quota] 컨트롤 그룹의 쿼터가 허용하는 CPU { FIXED($cpus, decimals: 2) }개 중 { FIXED($used, decimals: 2) }개만큼을 씁니다
        [shared] 클라이언트와 함께 채우는 CPU { FIXED($cpus) }개 중 { FIXED($used, decimals: 2) }개만큼을 씁니다
       *[turns] 트랜잭션 시간의 { PERCENT($share) } 동안 계산합니다
    } (문장 하나에 { SHORT($each_s, unit: "s") })
    .advice =
        { $how ->
            [cpus] 문장 하나에 드는 것을 줄이면 늘어납니다: 인덱스, 더 적은 행, 준비된 문장. CPU를 늘리거나 더 빠른 것으로 바꿔도 늘어납니다
            [quota] 쿼터를 늘리거나(cpu.max, cpu.cfs_quota_us, systemd 유닛의 CPUQuota=) 문장 하나에 드는 것을 줄이면 늘어납니다
            [shared] 클라이언트를 다른 기계에 두면 이곳의 CPU는 서버의 것이 됩니다
           *[turns] 문장 하나에 드는 것을 줄이면 늘어납니다: 인덱스, 더 적은 행, 준비된 문장{ $room ->
                [yes] . --{ $option }를 늘리면 CPU를 더 쓸 수 있습니다
               *[no] {""}
            }
        }
finding-lock-bound =
    잠금이 결과를 정합니다. { $how ->
        [conflicts] 시작한 트랜잭션의 { PERCENT($share) }가 다른 것과 부딪쳐 롤백되고 다시 시작됩니다
       *[waits] 클라이언트 { FIXED($outstanding) }개가 시간의 { PERCENT($share) } 동안 다른 것이 잠근 것을 기다립니다
    }
    .advice =
        { $engine ->
            [library] SQLite에는 한 번에 하나만 쓸 수 있습니다. --{ $option }를 줄이면 덜 기다리고, 한 트랜잭션에서 더 많이 하면 잠금이 덜 필요합니다
           *[server] 여럿이 바꾸는 행을 기다립니다. 트랜잭션을 짧게 하거나, 변경을 더 많은 행에 흩거나, --{ $option }를 줄이십시오
        }
finding-log-flush-bound =
    로그 플러시가 결과를 정합니다. 한 번에 { FIXED($outstanding) }개가 있고, 각각 시간의 { PERCENT($share) } 동안 커밋한 것이 플러시되기를 기다립니다{ $grouped ->
        [yes] . 플러시 한 번은 트랜잭션 { FIXED($each, decimals: 1) }개의 것입니다
       *[no] {""}
    }{ $timed ->
        [yes] . 장치는 플러시 한 번에 { SHORT($flush_s, unit: "s") }가 걸립니다
       *[no] {""}
    }
    .advice =
        { $system ->
            [innodb] innodb_flush_log_at_trx_commit=2이면 아무도 기다리지 않지만, 정전 때 최대 1초의 트랜잭션을 잃습니다. 플러시가 빠른 장치(전원 손실 보호가 있는 것)라면 잃는 것이 없고, --{ $option }를 늘리면 플러시 한 번을 나눠 씁니다
            [postgres] synchronous_commit=off이면 아무도 기다리지 않지만, 충돌 때 마지막 트랜잭션을 잃습니다. 플러시가 빠른 장치(전원 손실 보호가 있는 것)라면 잃는 것이 없고, --{ $option }를 늘리면 플러시 한 번을 나눠 씁니다
            [sqlite] 한 트랜잭션에 문장을 더 넣으면 플러시가 줄어듭니다. --journal-mode wal에서 --synchronous normal이면 아무도 기다리지 않지만, 정전 때 마지막 트랜잭션을 잃습니다. 플러시가 빠른 장치라면 잃는 것이 없습니다
           *[other] 플러시가 빠른 장치(전원 손실 보호가 있는 것)면 늘어나고, --{ $option }를 늘리면 플러시 한 번을 나눠 씁니다
        }
finding-page-read-bound =
    읽기가 결과를 정합니다. { $how ->
        [rest] 클라이언트 시간의 { PERCENT($share) }는 경로도 계산도 잠금도 로그도 아니며, 그동안 서버는 버퍼에 없는 페이지를 트랜잭션마다 { FIXED($pages, decimals: 1) }개 읽습니다
       *[waits] 클라이언트가 시간의 { PERCENT($share) } 동안 메모리에 없는 페이지를 기다립니다
    }
    .advice =
        버퍼를 키우면({ $engine ->
            [library] --cache-size 또는 페이지 캐시를 위한 메모리
            [innodb] innodb_buffer_pool_size
            [postgres] shared_buffers 또는 페이지 캐시를 위한 메모리
           *[server] shared_buffers, innodb_buffer_pool_size
        }) 테이블이 더 많이 들어갑니다. 읽기가 빠른 장치는 기다림을 줄이고, --{ $option }를 늘리면 동시에 더 많이 읽습니다
evidence-server-cpu = 서버가 CPU { FIXED($used, decimals: 2) }개만큼을 씀
evidence-server-unseen =
    { $here ->
        [yes] 서버가 이 기계에 있지만 그 프로세스를 찾지 못함
       *[no] 서버가 이 기계에 없어 그 프로세서가 보이지 않음
    }
evidence-lock-wait = 클라이언트가 시간의 { PERCENT($share) } 동안 잠금을 기다림
evidence-log-wait = 클라이언트가 시간의 { PERCENT($share) } 동안 로그를 기다림
evidence-log-unwaited = 로그 플러시 한 번이 클라이언트 { FIXED($outstanding) }개의 트랜잭션 { FIXED($each) }개에 해당하므로 클라이언트가 그것을 기다리지 않음
evidence-setting = { $name }: { $value }
evidence-trips = 트랜잭션의 왕복, { SHORT($rtt_s, unit: "s") }짜리 { FIXED($trips, decimals: 1) }회는 그 시간의 { PERCENT($share) }
evidence-device-work = 그동안 { RESOURCE($resource) }이(가) { SHORT($moved, unit: "B/s") }, 트랜잭션마다 { BINARY($each) }를 옮김. 데이터베이스가 옮기는 것보다 많다면 다른 프로그램이 거기서 하는 일을 기다리는 것임
evidence-pages-read = 서버가 버퍼에 없는 페이지를 트랜잭션마다 { FIXED($pages, decimals: 1) }개 읽음
evidence-buffers-of-data = 버퍼 { BINARY($buffer) }, 테이블과 인덱스 { BINARY($bytes) }
evidence-temporary-files =
    { $system ->
        [innodb] 서버가 트랜잭션마다 임시 테이블 { FIXED($each, decimals: 1) }개를 디스크에 씀. 중간 결과가 tmp_table_size보다 크거나 메모리에 둘 수 없음
       *[other] 서버가 트랜잭션마다 임시 파일 { FIXED($each, decimals: 1) }개를 씀. 정렬과 해시가 work_mem보다 큼
    }
evidence-read-wait = 클라이언트가 시간의 { PERCENT($share) } 동안 페이지 읽기를 기다림
