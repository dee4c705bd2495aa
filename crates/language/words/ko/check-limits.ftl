# 링크와 장치의 한계에 대한 검사.

finding-above-limit =
    { $tool }은(는) { $printed }, 곧 { SHORT($rate, $unit) }라고 출력하지만, { $of ->
        [interface] 이 머신에서 가장 빠른 인터페이스인 { RESOURCE($resource) }도
        [link] 글에 나온 링크인 { $name }도
       *[target] { RESOURCE($resource) }은(는)
    } 많아야 { SHORT($most, $unit) }를 나릅니다. { $cause ->
        [cache] 장치 대신 메모리가 답했습니다
        [sender] 보내는 쪽은 선으로 나간 양이 아니라 넘겨준 양을 셉니다
       *[unknown] 다른 링크의 수치이거나 단위를 잘못 읽은 것입니다
    }
    .advice = { $cause ->
        [cache] 직접 입출력으로 페이지 캐시를 거치지 마십시오
        [sender] 받는 쪽의 수치를 쓰십시오
       *[unknown] 단위와, 어느 머신에서 측정했는지를 확인하십시오
    }
evidence-limit-of-machine = { RESOURCE($resource) }: { SHORT($most, $unit) } ({ $source })
evidence-limit-in-text = { $line }번째 줄: { $name }은(는) { SHORT($most, $unit) }를 나릅니다

finding-sender-figure =
    { $tool }의 보내는 쪽은 { SHORT($sent, $unit) }를 넘겨주었{ $how ->
        [received] 지만 { SHORT($received, $unit) }가 도착했습니다. 나머지는 잃어버렸거나, 시계가 멈출 때 버퍼에 있었습니다
       *[alone] 고, 도착한 양은 세지 않았습니다. 더 적을 수 있습니다
    }
    .advice = { $how ->
        [received] 받는 쪽의 수치를 쓰십시오
       *[alone] 상대편이 출력하는, 받는 쪽의 수치를 쓰십시오
    }
evidence-sender-line = { $line }번째 줄: 보냄 { $printed }
evidence-receiver-line = { $line }번째 줄: 받음 { $printed }

finding-arrays-in-cache =
    { $tool }은(는) 한 번에 { BINARY($array) }를 다루었습니다{ $how ->
        [always] {""}. 어느 프로세서의 캐시에나 들어가는 크기이므로 메모리가 아니라 캐시를 측정했습니다
        [inside] {""}. 마지막 단계 캐시의 용량은 { BINARY($cache) }이며, 메모리가 아니라 캐시를 측정했습니다
       *[near] {""}. 마지막 단계 캐시의 용량은 { BINARY($cache) }입니다. STREAM의 규칙은 배열마다 그 네 배이므로 일부는 캐시가 답했습니다
    }
    .advice = { $how ->
        [always] 배열마다 lscpu가 보여 주는 마지막 단계 캐시 용량의 네 배 이상으로 하십시오
       *[other] 배열마다 { BINARY($least) } 이상으로 하십시오
    }
evidence-array-size = { $first }~{ $last }번째 줄: { BINARY($array) }

finding-other-end-here = { $tool }의 상대편이 같은 머신({ $host })에 있었습니다. 네트워크는 측정되지 않았고, 양쪽이 같은 프로세서를 나누어 썼습니다
    .advice = 상대편을 다른 머신에서 실행하거나, 이 머신 하나가 낼 수 있는 값으로 보십시오
evidence-lines-of-host = { $first }~{ $last }번째 줄: { $host }
