## 자원의 이름

resource-array = 어레이 { $name }
resource-block = 디스크 { $name }
resource-cgroup-cpu = 컨트롤 그룹의 CPU 쿼터
resource-cgroup-memory = 컨트롤 그룹의 메모리 제한
resource-cpu = CPU { $name }
resource-cpus = 전체 CPU
resource-cpus-some = CPU { $name }
resource-device = 장치 { $name }
resource-dmi = DMI 링크
resource-filesystem = 파일 시스템 { $name }
resource-load = 부하
resource-memory = 메모리
resource-nic = 네트워크 인터페이스 { $name }
resource-pci = PCIe 링크 { $name }
resource-sata = SATA 링크 { $name }
resource-self = Headroom 자체
