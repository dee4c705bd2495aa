### What is usual for the class of a part.

## Classes

class-of-ethernet-10g = 10 Gbit/s 이더넷 링크
class-of-ethernet-1g = 1 Gbit/s 이더넷 링크
class-of-nvme-gen3 = PCIe 3.0 x4 NVMe SSD
class-of-nvme-gen4 = PCIe 4.0 x4 NVMe SSD
class-of-sata-ssd = SATA SSD

## Beside a figure

class-question = 좋은 값인가
class-usual = { $class }로서는 보통입니다 (같은 종류: { $range })
class-less = { $class }로서는 보통보다 낮습니다 (같은 종류: { $range })
class-more = { $class }로서는 보통보다 높습니다 (같은 종류: { $range })
class-cannot-tell = { $class }의 보통 범위를 벗어났지만(같은 종류: { $range }) 시행들의 편차가 커서 확신할 수 없습니다

## Where ranges are from

class-source = { $class }, { $of }: { $value }, { $kind } ({ $how }). { $publication }
class-measured = 측정값
class-promised = 제조사가 약속한 값

## The report

class-title = { $run }, 부품의 보통 값과 비교
class-footer = Headroom { $version }로 만들었습니다.
class-none = 참고 값 없음
class-none-no-part = 디스크도 네트워크 인터페이스도 구동하지 않습니다
class-none-several = 여러 부품이나 그 위에 놓인 것을 구동합니다
class-none-guest = 이 머신은 게스트여서 부품 뒤에 무엇이 있는지 알 수 없습니다
class-none-unknown = 부품을 알 수 없거나, 이런 부품의 수치는 보관되어 있지 않습니다
class-none-other-work = { $class }에 대해 이런 작업의 수치는 보관되어 있지 않습니다
class-none-no-figure = { $class }에 대해 보관된 수치가 이 케이스에는 없습니다
class-none-doubted = 이 값은 부품의 값이 아니라는 발견 사항이 있습니다
class-none-other-class = { $class } 종류의 부품을 구동하지 않습니다
class-own = 비슷한 머신에서 이런 작업을 한 보관된 실행 { $runs }회: { $range }
class-sources-title = 범위의 출처
class-method = 범위는 이런 부품에 대해 같은 작업(방향, 순서, 연산 크기, 동시 개수가 같은 작업)으로 공개된 값의 최소와 최대입니다. 한계도 약속도 아닙니다. 비슷한 머신은 프로세서가 같고, 디스크가 같거나 인터페이스의 속도가 같은 머신입니다.
