# 사람이 쓴 글에 대한 검사.

finding-sentence-contradicts-arithmetic =
    { $cause ->
        [log] 글에는 { $lasted } 동안 { $printed }, { $amount }라고 되어 있지만, 출력에는 { $example }입니다. 분을 빠뜨렸으며, 속도는 { SHORT($computed, $unit) }입니다
        [bits] 글에는 { $lasted } 동안 { $printed }, { $amount }라고 되어 있지만, 그 시간에 그 양이면 { SHORT($computed, $unit) }입니다. 비트를 바이트로 잘못 읽었습니다
        [minutes] 글에는 { $lasted } 동안 { $printed }, { $amount }라고 되어 있지만, 그 시간에 그 양이면 { SHORT($computed, $unit) }입니다. 분을 초로 잘못 읽었습니다
       *[unknown] 글에는 { $lasted } 동안 { $printed }, { $amount }라고 되어 있지만, 그 시간에 그 양이면 { SHORT($computed, $unit) }입니다
    }
    .advice = 다시 나누어 보십시오. 셋 가운데 하나가 틀렸거나 다른 측정의 값입니다
evidence-sentence-line =
    { $line }번째 줄: { $name }

finding-written-above-link =
    글에는 { $name }에서 { $printed }라고 되어 있지만, 그 링크는 많아야 { SHORT($most, $unit) }를 나릅니다. { $cause ->
        [bits] 단위가 바이트가 아니라 비트일 수 있습니다
       *[unknown] 캐시처럼 다른 것의 속도이거나 단위를 잘못 읽었습니다
    }
    .advice = 단위와, 무엇을 측정한 속도인지 확인하십시오

finding-table-contradicts-itself =
    { $how ->
        [mean] 표에는 수치 { $count }개의 평균({ $name })이 { $printed }라고 되어 있지만, { $other }입니다
        [median] 표에는 수치 { $count }개의 중앙값({ $name })이 { $printed }라고 되어 있지만, { $other }입니다
        [total] 표에는 수치 { $count }개의 합계({ $name })가 { $printed }라고 되어 있지만, { $other }입니다
        [least] 표에는 수치 { $count }개의 최솟값({ $name })이 { $printed }라고 되어 있지만, { $other }입니다
        [greatest] 표에는 수치 { $count }개의 최댓값({ $name })이 { $printed }라고 되어 있지만, { $other }입니다
        [claim] 글에는 { $name }와 { $other }에 대해 “{ $printed }”라고 되어 있지만, 표에 있는 둘의 어떤 수치도 그렇지 않습니다. 가장 가까운 것은
            { $example }와 { $amount }로, 큰 쪽이 { FIXED($ratio, decimals: 2) }배입니다
       *[ratio] 표에는 { $example }와 { $amount } 옆에 { $printed }라고 되어 있지만, 둘째는 첫째의 { FIXED($ratio, decimals: 3) }배입니다
    }
    .advice = 표를 그 수치로 다시 계산하십시오
evidence-table-line =
    { $line }번째 줄: { $printed }
