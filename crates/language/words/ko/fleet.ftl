### Fleets: the same work on many machines.

fleet-title = 기계 { $count }대
fleet-footer = Headroom { $version }로 만들었습니다.

## In short

fleet-nothing = 둘 이상의 기계가 함께 한 작업이 없습니다.
fleet-too-few = 기계 { $count }대로는 어느 것이 다른지 말하기에 너무 적습니다.
fleet-alike = 기계 { $count }대 중 다른 기계와 다르다고 볼 수 있는 것이 없습니다.
fleet-unlike = 기계 { $count }대 중 { $unlike }대가 나머지와 다릅니다.
fleet-groups = 기계 { $count }대 중 { $grouped }대가 따로 수준을 이룹니다.
fleet-unlike-and-groups = 기계 { $count }대 중 { $unlike }대가 나머지와 다르고, { $grouped }대가 따로 수준을 이룹니다.
fleet-worse = 더 나쁨
fleet-better = 더 좋음
fleet-who = 나머지와 다른 것
fleet-line =
    ({ $interval }) 나머지의 중앙값 대비, 기계 { $all }대 중 { $count }대, { $figure }{ $more ->
        [0] {""}
       *[other] {" "}외 수치 { $more }개
    }: { $machines }
fleet-line-group =
    ({ $interval }) 나머지의 중앙값 대비, 기계 { $all }대 중 { $count }대의 무리, { $figure }{ $more ->
        [0] {""}
       *[other] {" "}외 수치 { $more }개
    }: { $machines }
fleet-why = 함께 나타나는 것
fleet-explained =
    { $machines }: { $facts }{ $count ->
        [one] {""}
       *[other] {" "}(이들은 서로 구별되지 않음)
    }
fleet-explained-by-chance = { $machines }: 어쩌면 { $facts }. 기계가 이렇게 적으면 우연일 수 있음(p = { $p })
fleet-unexplained = { $machines }: 문서에서 알 수 있는 것 없음
fleet-fact-has = { $name }: { $value } ({ $own_all }대 중 { $own }대, 나머지는 { $others_all }대 중 { $others }대)
fleet-fact-lacks = { $name }: { $value } 없음(있는 것은 { $own_all }대 중 { $own }대, 나머지는 { $others_all }대 중 { $others }대)
fleet-fact-number = { $name }: { $own }, 나머지는 { $others }
fleet-association = 차이와 함께 나타난다고 해서 원인인 것은 아닙니다. 기계 한 대에서 그것을 바꾸고 다시 측정하십시오.
fleet-reach = 기계 { $count }대와 수치 { $figures }개에서는 기계 사이 산포의 { FIXED($reach, decimals: 1) }배 이상 벗어난 기계가 발견됩니다.
fleet-some-missing = 기계 { $count }대에 없는 결과가 있습니다.
fleet-alone = 수치 { $count }개는 기계 한 대만 한 작업이어서 제외했습니다.

## Differences

fleet-splits = 다른 것
fleet-splits-caption = 나머지와 다른 기계, 수치마다 한 행
fleet-group = 무리
fleet-column-machines = 기계
fleet-column-side = 방향
fleet-column-p = p
fleet-column-facts = 함께 나타나는 것
fleet-column-apart = 구별
fleet-facts-caption = 차이와 함께 나타나는 사실, 가장 잘 맞는 것부터. 한 행의 사실은 기계를 똑같이 나눕니다. 그렇다고 원인인 것은 아닙니다

## Figures

fleet-figures = 기계에 따른 수치
fleet-heat = 모든 기계를 한눈에
fleet-heat-title = 중앙값보다 얼마나 나쁜지, 산포의 배수
fleet-heat-note = 기계는 태그 rack과 position, 그다음 이름 순서입니다. 산포의 8배를 넘으면 8로 나타냅니다.
fleet-heat-note-binned = 다른 기계는 각각 한 행이고, 나머지는 태그 rack과 position, 그다음 이름 순서로 묶어 행마다 가장 멀리 벗어난 것을 나타냅니다. 산포의 8배를 넘으면 8로 나타냅니다.
fleet-machines = 기계
fleet-figures-caption = 기계에 따른 수치 { $count }개
fleet-column-low = 5 %가 이 이하
fleet-column-median = 중앙값
fleet-column-high = 95 %가 이 이하
fleet-column-spread = 산포
fleet-column-apart-machines = 다름
fleet-axis = 이 값 이하인 기계의 비율
fleet-dots-others = 서로 비슷함
fleet-dots-apart = 다름
fleet-dots-note = 점 하나가 기계 한 대이고, 낮은 것부터입니다. 높이는 이 값 이하인 기계의 비율입니다.
fleet-dots-note-thinned = 점은 낮은 것부터 기계의 100분의 1마다 하나씩, 그리고 다른 기계마다 하나입니다. 높이는 이 값 이하인 기계의 비율입니다.

## Machines

fleet-missing = 결과가 없는 기계
fleet-missing-caption = 결과가 없는 기계와 문서. 나머지는 그대로 셉니다
fleet-column-machine = 기계
fleet-column-figures = 수치 수
fleet-column-reason = 이유
fleet-not-done = 이 작업을 하지 않음

## Facts

environment-pci-links = PCI Express 링크
environment-findings = 발견
environment-tags = 태그
environment-temperature = 최고 온도
environment-cpu-frequency = 평균 CPU 주파수

## Method

fleet-method = 여러 기계가 한 같은 작업이 한 수치입니다. 각 기계가 나머지에서 얼마나 떨어져 있는지를 서로 비슷한 기계의 산포 단위로(모든 값이 0보다 크면 로그로) 재고, 그 수에 따른 스튜던트 t로 판단합니다. 모든 기계와 수치를 통틀어(Holm의 방법) 모두 비슷한데도 이 페이지가 어떤 기계를 지목할 확률은 최대 { PERCENT($chance, decimals: 1) }입니다. { PERCENT($margin, decimals: 1) }까지의 차이는 중요하지 않으므로 말하지 않습니다. 무리는 두 수준이 한 수준보다 훨씬 그럴듯하고 그 사이에 골이 있는 곳이며, 그때 각 기계는 자기 수준과 견줍니다. 기계가 적어도 { $least }대 필요하고, 비슷한 기계의 값이 정규 분포처럼 퍼져야 합니다. 꼬리가 더 두꺼우면 실제보다 더 많이 발견됩니다.
fleet-method-facts = 차이와 함께 나타나는 것은 문서의 구성, 설정, 발견, 태그, 온도에서 찾습니다. 있거나 없는 것은 피셔의 정확 검정으로, 숫자는 순위합 검정으로 보고, 살펴본 것 모두에 대해 Holm의 방법으로 조정합니다. 일련번호나 주소처럼 거의 기계마다 다른 사실은 제외합니다. 기계를 똑같이 나누는 사실은 함께 말합니다.
