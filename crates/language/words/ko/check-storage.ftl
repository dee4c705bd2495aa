# 부하와 장치 사이에 있는 것에 대한 검사.

finding-page-cache-likely =
    { $tool }이(가) { $how ->
        [unsynced] 페이지 캐시를 거쳐 { BINARY($bytes) }를 쓰고 동기화를 기다리지 않았습니다. 장치가 아니라 메모리가 받아들인
            속도입니다
        [copied] 페이지 캐시를 거쳐 { BINARY($bytes) }를 복사하고 동기화를 기다리지 않았습니다. 두 쪽 가운데 느린 쪽의
            속도이며, 메모리에 남아 있는 부분은 아직 장치에 없습니다
        [again] { BINARY($span) } 범위에서 페이지 캐시를 거쳐 { BINARY($bytes) }를 읽었습니다. 두 번째부터는 장치가 아니라
            메모리가 답합니다
        [written-before] 바로 전에 쓴 { BINARY($span) }를 페이지 캐시를 거쳐 읽었습니다. 메모리에 남아 있는 부분은 장치에서
            오지 않습니다
       *[unknown] 페이지 캐시를 거쳐 { BINARY($bytes) }를 읽었습니다. 캐시에 이미 있었다면 장치가 아니라 메모리가 답한 것입니다
    }
    .advice = 직접 입출력으로 페이지 캐시를 거치지 마십시오. { $how ->
        [unsynced] 또는 끝의 동기화 시간까지 재십시오
        [copied] 또는 끝의 동기화 시간까지 재십시오
       *[other] 또는 메모리보다 큰 범위를 읽으십시오
    }
evidence-cached-options = { $first }~{ $last }번째 줄: 직접 입출력 없음{ $how ->
        [unsynced] , 동기화 없음
        [copied] , 동기화 없음
       *[other] {""}
    }
evidence-cached-memory = 이 머신의 메모리는 { BINARY($memory) }입니다

finding-small-span =
    { $tool }이(가) { $how ->
        [share] { $target }의 { DECIMAL($device) } 가운데 { BINARY($span) }만 다루었습니다
        [cache] { BINARY($span) }만 다루었고, 이는 { $target }의 캐시 { BINARY($cache) }에 다 들어갑니다
       *[unknown] { BINARY($span) }만 다루었고, 이는 드라이브 자체의 캐시에 다 들어갈 수 있습니다
    }. 장치 전체에서는 더 느릴 수 있습니다
    .advice = 실제 데이터만큼 큰 범위를 다루십시오{ $how ->
        [unknown] {""}. --machine을 주면 장치의 크기와 견줍니다
       *[other] {""}
    }
evidence-small-span = { $first }~{ $last }번째 줄: { BINARY($span) }

finding-zeros-written =
    { $tool }이(가) 0만 썼습니다. { $storage ->
        [compresses] { $filesystem }이(가) 이를 압축해 없애므로 장치에는 거의 도달하지 않습니다
        [virtual] 가상 장치나 씬 장치의 뒤에서는 저장되지 않을 수 있습니다
       *[unknown] 파일 시스템, 어레이, 드라이브가 압축하거나 0을 생략한다면 실제 데이터는 더 느립니다
    }
    .advice = 압축되지 않는 데이터를, 메모리에 있는 난수 파일에서 쓰십시오
evidence-zeros-written = { $first }~{ $last }번째 줄: 0

finding-depth-without-direct =
    { $tool }이(가) 페이지 캐시를 거쳐 작업 { $depth }개를 동시에 진행하려 했습니다. 그때 Linux의 비동기 입출력은 하나씩 차례로 하므로, 이
    수치는 깊이 1의 것입니다
    .advice = 직접 입출력으로 페이지 캐시를 거치지 않게 하거나 io_uring을 쓰십시오
evidence-depth-without-direct = { $first }~{ $last }번째 줄: 깊이 { $depth }, 직접 입출력 없음
