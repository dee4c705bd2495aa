# What built-in studies are for.

study-nvme-database-title = NVMe SSD와 그 위의 데이터베이스
study-nvme-database-question = 이 SSD는 데이터시트에 적힌 만큼 나옵니까? 그것은 데이터베이스에 얼마만 한 값어치가 있습니까?

study-server-baseline-purpose = 이 서버의 나중 값, 다른 서버의 값, 오래된 sysbench 보고서와 견주기 위한 값입니다. 같은 작업을 같은 매개변수로 합니다.
study-dd-purpose = 동기화하지 않는 dd가 재는 것은 메모리입니다. 그 옆의 값은 모두 장치에 놓일 때까지 걸린 시간입니다.
study-disk-datasheet-purpose = 드라이브를 제조사의 약속과 견주고, 어느 블록 크기와 깊이부터 한계에 이르는지 알기 위한 것입니다.
study-eight-disks-purpose = 값싼 컨트롤러나 그 브리지, 슬롯은 뒤에 있는 디스크보다 적게 나를 수 있습니다.
study-fileio-purpose = 전에 sysbench fileio로 잰 값과 견주기 위한 것입니다. 파일, 블록, 스레드, 읽기와 쓰기의 비율이 같습니다.
study-nvme-purpose = 스레드 64개로 깊이 512를 재면 큐의 길이를 재는 것입니다. 나란히 놓은 다른 깊이는 드라이브가 어디서 한계에 이르는지 보여 줍니다.
study-nvme-database-purpose = 데이터시트의 값은 드라이브의 것이며, 초당 트랜잭션은 거기서 읽을 수 없습니다. 둘을 한 장에 나란히 놓고, 같은 부하를 다른 서버에서도 잽니다.
study-ssd-behind-10gbe-purpose = 다운로드는 페이지 캐시가 받는 동안 빠르고, 그 뒤에는 디스크만큼 빠릅니다. 각 값은 그 둘 중 어느 것인지 말하며, 모두 한 단위 체계로 적습니다.
study-ssd-steady-state-purpose = 새것이거나 TRIM한 SSD는 쓰는 동안보다 빠릅니다. 두 번 덮어쓴 다음, 다섯 라운드가 안정될 때까지 각 부하를 라운드마다 되풀이합니다.
study-ten-gigabit-purpose = iperf로 치는 줄마다 양쪽 끝의 CPU, 실제로 받은 윈도우, 무엇이 막았는지를 더한 것입니다.
study-two-paths-purpose = 변경(스위치, 케이블, 본딩)의 전과 후에 누구나, 일 년 뒤에도 돌리기 위한 것입니다. 경로마다 메시지 크기에 따라 내는 값, 포화점, 양쪽 끝이 거기에 쓰는 것을 보여 줍니다.

study-raid6-backup-target-title = 백업 대상으로서의 디스크 여덟 대
study-raid6-backup-target-question = 이 기계는 300 MB/s의 백업 대상으로 쓸 만합니까?
study-raid6-backup-target-purpose = 값싼 카드는 디스크들의 속도를 다 전송하지 못할 수 있고, 패리티, 암호화, 볼륨, 파일 시스템도 각각 속도를 낮춥니다. 각 계층을 같은 부하로 재어 어느 계층이 속도를 얼마나 낮추고, 필요한 속도에 비해 여유가 얼마나 남는지 보여 줍니다.
study-storage-layers-title = 스토리지의 각 계층이 드는 비용
study-storage-layers-question = 이 스토리지 스택에서 어느 계층이 속도를 얼마나 낮추고, 그 계층에서 무엇이 한계에 도달합니까?
study-storage-layers-purpose = 한 계층이 순차 작업에는 비용이 없고 작은 쓰기에서는 절반을 잃게 할 수 있습니다. 그래서 각 계층을 같은 부하로 잽니다: 순차 작업, 한 번에 하나씩 그리고 깊은 큐로 하는 임의 위치 작업, 디스크를 기다리는 쓰기.
study-disk-places-title = 첫 바이트부터 마지막 바이트까지의 디스크
study-disk-places-question = 디스크는 끝에서도 처음만큼 빠릅니까? 같은 디스크는 똑같이 빠릅니까?
study-disk-places-purpose = 하드 디스크 전체의 평균은 빠른 바깥쪽과 느린 안쪽을 섞은 것입니다. SSD 앞부분의 평균은 캐시의 속도일 수 있습니다. 배열에서는 가장 느린 디스크가 전체의 속도를 정합니다.
study-fit-etcd-title = etcd 구성원의 디스크
study-fit-etcd-question = 이 디스크는 etcd에 적합합니까?
study-fit-etcd-purpose = etcd는 로그의 항목마다 디스크를 기다립니다. 평균은 빠르지만 백 번에 한 번 느린 디스크는 클러스터의 리더를 잃게 합니다.
study-fit-postgres-title = PostgreSQL을 위한 기계
study-fit-postgres-question = 이 기계는 PostgreSQL에 적합합니까?
study-fit-postgres-purpose = 커밋은 로그를, 로그는 디스크를 기다리고, 메모리에 없는 페이지를 읽는 질의는 임의 읽기를 기다립니다. 각각을 데이터베이스에 필요한 값과 견줍니다.
study-fit-mysql-title = MySQL이나 MariaDB를 위한 기계
study-fit-mysql-question = 이 기계는 MySQL이나 MariaDB에 적합합니까?
study-fit-mysql-purpose = 커밋은 리두 로그를, 로그는 디스크를 기다리고, 버퍼 풀에 없는 페이지를 읽는 질의는 임의 읽기를 기다립니다. 각각을 데이터베이스에 필요한 값과 견줍니다.
study-fit-backup-target-title = 백업 대상
study-fit-backup-target-question = 이 대상은 백업이 들어오는 속도로 받을 수 있습니까?
study-fit-backup-target-purpose = 아침까지 끝나지 않은 백업은 하루를 방해합니다. 처음 몇 기가바이트는 캐시로 들어가므로, 중요한 것은 백업 전체의 속도입니다.
study-fit-video-recorder-title = 영상 녹화기의 디스크
study-fit-video-recorder-question = 이 디스크는 늦은 쓰기 없이 모든 카메라를 녹화합니까?
study-fit-video-recorder-purpose = 쓰기가 늦는 녹화기는 화면을 잃습니다. 카메라마다 영상을 1초에 한 번, 각자의 위치에 쓰므로 초당 작업 수가 곧 카메라 수입니다. 먼저 있는 카메라만큼, 다음에는 디스크가 받을 수 있는 만큼 씁니다.
study-burn-in-title = 번인
study-burn-in-question = 이 기계의 모든 부분이 부하 아래에서 오류 없이 동작합니까?
study-burn-in-purpose = 처음부터 불량이거나, 잘못 꽂혔거나, 너무 뜨거워지는 부분은 모두 함께 일할 때 드러납니다. 틀린 데이터, 메모리와 링크와 드라이브가 집계하는 오류, 스로틀링으로 알 수 있습니다.
