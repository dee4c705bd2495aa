### 서버 그림의 말. 대부분 좁은 칸에 들어가므로 짧게 쓴다. 이름 뒤에는 받침에
### 따라 달라지는 조사를 쓰지 않는다.

## 글을 잇는 방식

picture-list = { $first }, { $next }
picture-named = { $name }: { $what }
picture-sentence = { $text }.
picture-more = 그 외 { $count }개
picture-names-more = { $names } 외 { $count }개
picture-range = { $low } ~ { $high }

## 그림 위의 글과 제목

picture-nameless = 이름 없는 서버
picture-virtual-machine = 가상 머신({ $host })
picture-in-container = { $container } 컨테이너 안
picture-path-of = { $case }의 경로
picture-title = { $name }: 부품과 그 사이의 링크
picture-title-of-case = { $name }: { $case }의 경로와 각 부분의 사용률

## 그림 아래의 범례

picture-legend-width = 선의 굵기: 대역폭(GB/s)
picture-legend-share = 한계 대비 사용률
picture-legend-full = 95 %: 한계에 도달
picture-highest = { $share }, 최고

## 그림의 구역

picture-across = 위의 여러 부분에 걸친 것
picture-place-unknown = 서버에서 위치를 알 수 없는 것
picture-more-packages = 그 외 CPU 패키지 { $count }개

## 프로세서와 메모리

picture-cpus = CPU { $count }개
picture-cores = 코어 { $count }개
picture-threads = 스레드 { $count }개
picture-package = 패키지 { $id }
picture-numa-node = NUMA 노드 { $node }
picture-numa-nodes = NUMA 노드 { $first }~{ $last }
picture-numa-count = NUMA 노드 { $count }개
picture-numa-distance = 노드 간 거리 { $distance }
picture-no-cpus = CPU 없음
picture-cpu-quota = 쿼터로 CPU { $cpus }개까지 제한
picture-nothing-known = 알려진 정보 없음
picture-memory = 메모리 { $size }
picture-memory-limit = 컨트롤 그룹이 { $size }까지 제한
picture-modules = 모듈 { $count }개
picture-slots = 슬롯 { $used }/{ $slots } 사용
picture-in-all-packages = 전체 패키지에 { $modules }
picture-all-packages = 전체 패키지 합계

## 링크

picture-each = 각 { $rate }
picture-effective = 실효 { $rate }
picture-measured = 측정값 { $rate }
picture-datasheet = 데이터시트 { $rate }
picture-promised = 약속된 값 { $rate }
picture-held-to = 상한 { $rate }
picture-read = 읽기 { $rate }
picture-write = 쓰기 { $rate }
picture-lanes = { $most } 중 { $lanes }만 사용
picture-channels = { $count }채널 { $memory }
picture-socket-link = 소켓 간 링크
picture-rate-unknown = 속도 알 수 없음
picture-one-link = 모든 기능이 링크 하나를 공유

## 칩셋, 브리지, 카드

picture-chipset = 칩셋
picture-intel-chipset = Intel { $name } 칩셋
picture-pcie-switch = PCIe 스위치
picture-pcie-port = PCIe 포트
picture-pci-bridge = PCI 브리지
picture-pci-device = PCI 장치
picture-attached = { $what }에 연결

## 디스크

picture-disk = 디스크
picture-hard-disk = 하드 디스크
picture-ssd = SSD
picture-optical-drive = 광학 드라이브
picture-card = eMMC 또는 SD 카드
picture-loop-device = 루프 장치
picture-compressed-memory = 압축 메모리
picture-memory-as-disk = 메모리 디스크
picture-array = 어레이
picture-mapping = 매핑
picture-block-device = 블록 장치
picture-device-on-file = { $device }, 파일 { $file }

## 디스크 위에 있는 것

picture-level = { $level }({ $members }개)
picture-level-degraded = { $level }({ $members }개 중 { $missing }개 없음)
picture-swap = 스왑
picture-file-system = 파일 시스템
picture-on = { $what } 위에 구성
picture-mounted = { $points }에 마운트
picture-mounted-as = { $points }에 { $system } 마운트

## 네트워크

picture-network = 네트워크
picture-network-of = { $bus } 네트워크
picture-network-on-board = 보드 내장 네트워크
picture-driver = 드라이버 { $driver }
picture-no-link = 링크 없음
picture-half-duplex = 반이중
picture-interface-bond = 본드
picture-interface-bridge = 브리지
picture-interface-ethernet = 이더넷
picture-interface-vlan = VLAN

## 그림을 글로 옮긴 것

picture-said-more = { $first }; { $next }
picture-said-at = { $card } ({ $above } 아래에 연결)
picture-said-at-by = { $card } ({ $above } 아래에 연결, { $link })
picture-said-out = 네트워크 쪽 링크: { $link }
picture-said-on = 그 위에 { $what }
picture-said-on-mounted = 그 위에 { $what }, { $mount }
picture-share-of = { $limit }의 { $share }
