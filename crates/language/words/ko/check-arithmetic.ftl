# 수치들 사이의 산술에 대한 검사.

finding-rate-contradicts-amount =
    { $tool }은(는) { $printed }라고 출력하지만, { $lasted } 동안 { $amount }이면 { SHORT($computed, $unit) }입니다{ $cause ->
        [binary] {""}. 속도의 배수 단위가 1024입니다
        [decimal] {""}. 속도의 배수 단위가 1000입니다
        [bits] {""}. 비트를 바이트로 잘못 읽은 값입니다
        [minutes] {""}. 시간에서 분이 빠졌거나 다른 시계의 시간입니다
        [nothing] {""}
       *[unknown] {""}. 출력된 속도는 그 { FIXED($ratio, decimals: 3) }배입니다
    }
    .advice = 속도가 아니라 센 값을 믿으십시오. 누군가 옮겨 적은 글이라면 원래의 출력을 확인하십시오
evidence-rate-arithmetic =
    { $line }번째 줄: { $amount } / { $lasted } = { SHORT($computed, $unit) }, 출력은 { $printed }

finding-total-contradicts-parts =
    { $tool }은(는) 전체를 { $printed }라고 출력하지만, 부분 { $count }개를 합하면 { $unit ->
        [B] { SHORT($sum, unit: "B") }
        [bytes-per-second] { SHORT($sum, unit: "B/s") }
        [per-second] { SHORT($sum, unit: "1/s") }
       *[other] 작업 { FIXED($sum) }개
    }로, 그 { FIXED($ratio, decimals: 3) }배입니다
    .advice = 원래의 출력을 확인하십시오. 빠진 줄이 있거나 다른 실행의 줄이 섞였을 수 있습니다
evidence-sum-of-parts =
    { $line }번째 줄: 전체는 { $printed }, { $first }~{ $last }번째 줄의 합은 그 { FIXED($ratio, decimals: 3) }배

finding-size-contradicts-operations =
    { $how ->
        [amounts] { SHORT($bytes, unit: "B") }를 작업 { $other }개로
       *[rates] { $printed }를 { $other }로
    } 나누면 작업 하나가 { BINARY($computed) }인데, 블록 크기는 { BINARY($block) }입니다
    .advice = 두 수치가 같은 실행의 것인지, 속도의 단위가 무엇인지 확인하십시오
evidence-size-arithmetic =
    { $first }, { $last }번째 줄: { $printed } / { $other } = { BINARY($computed) }

finding-impossible-value =
    { $how ->
        [order] { WORDS($metric) }이(가) { $printed }로, { WORDS($other) }인 { $amount }보다 큽니다
        [window] 작업 하나에 { $printed }가 걸렸는데, 전체 실행 시간은 { $amount }입니다
        [share] { WORDS($metric) }이(가) { $printed }로, 전체보다 큽니다
        [shares] { WORDS($metric) }이(가) { $printed }로, 프로세서의 다른 비율과 합하면 { PERCENT($sum) }가 되어 100 %를 넘습니다
        [few-shares] { WORDS($metric) }이(가) { $printed }로, 프로세서의 다른 비율과 합해도 { PERCENT($sum) }뿐이라 100 %에 못 미칩니다
        [wrapped] { WORDS($metric) }이(가) { $printed }로, 64비트로 셀 수 있는 한계에 이릅니다. 계수기가 0 아래로 내려갔습니다
       *[negative] { WORDS($metric) }이(가) { $printed }로, 0보다 작습니다
    }. 있을 수 없는 값입니다
    .advice = 원래의 출력을 확인하십시오. 여러 실행의 수치가 섞였거나 단위가 다를 수 있습니다

finding-latency-contradicts-rate =
    { $how ->
        [more] 리틀의 법칙에 어긋납니다. { SHORT($rate, unit: "1/s") }를 하나에 { SHORT($latency, unit: "s") }씩 처리하려면
            동시에 { FIXED($in_flight, decimals: 1) }개가 진행 중이어야 하는데, { $depth }개까지만 가능합니다. 속도나 지연 시간이 다른 것의 수치입니다
       *[less] { SHORT($rate, unit: "1/s") }를 하나에 { SHORT($latency, unit: "s") }씩 처리하면 동시에 { FIXED($in_flight, decimals: 1) }개가
            진행 중인데, { $depth }개까지 가능합니다. 나머지 시간에는 부하가 준비되지 않았거나, 이 지연 시간에 들지 않는 것을 기다렸습니다
    }
    .advice = 둘을 같은 구간에서 측정하고, 도구가 무엇을 작업의 지연 시간으로 세는지 확인하십시오
evidence-in-flight =
    { $printed } x { $lasted } = { FIXED($in_flight, decimals: 1) }

finding-sum-of-means =
    { $printed }은(는) { $below }부터 { $lasted }까지 서로 다른 시간의 평균 속도 { $count }개를 더한 값입니다. 그만큼이 동시에 흐른 적은
    없습니다. 모두 함께 시작했다면, 마지막이 끝날 때까지 { SHORT($together, unit: "B/s") }입니다
    .advice = 모든 부분을 같은 시각에 끝내거나, 전체 바이트를 가장 긴 시간으로 나누십시오
evidence-means =
    { $first }~{ $last }번째 줄: 속도 { $count }개의 합 { SHORT($sum, unit: "B/s") }, { $lasted } 동안 { SHORT($bytes, unit: "B") }

finding-latency-is-queue =
    진행 중인 작업 { $depth }개를 { $printed }로 처리하면 리틀의 법칙에 따라 하나에 { SHORT($computed, unit: "s") }가 걸리고, 출력은
    { $lasted }입니다. 이 지연 시간은 작업 하나에 장치가 쓰는 시간이 아니라 대기열의 길이를 나타냅니다
    .advice = 지연 시간은 한 번에 하나만 진행한 실행에서 얻고, 이 실행에서는 속도만 쓰십시오
evidence-queue-arithmetic =
    { $line }번째 줄: { $depth } / { $printed } = { SHORT($computed, unit: "s") }

finding-sum-contradicts-mean =
    { $how ->
        [threads] 스레드 { FIXED($count) }개가 각각 { $printed }이면 { FIXED($computed) }인데, 전체는 { $amount }라고 출력합니다
        [times] 스레드 { FIXED($count) }개가 각각 { $printed }이면 { SHORT($computed, unit: "s") }인데, 모든 작업의 합은
            { $amount }라고 출력합니다
       *[operations] 작업 { FIXED($count) }개가 평균 { $printed }이면 { SHORT($computed, unit: "s") }인데, 전체는 { $amount }라고
            출력합니다
    }
    .advice = 원래의 출력을 확인하십시오. 여러 실행의 수치가 섞였거나 단위가 다를 수 있습니다

finding-mean-contradicts-rows =
    { $tool }이(가) 평균으로 { $printed }({ WORDS($metric) })를 출력하지만, 그 위의 행 { $count }개의 평균은 { PERCENT($computed) }입니다
    .advice = 원래의 출력을 확인하십시오. 행이 빠졌거나, 평균이 다른 시간의 것일 수 있습니다
evidence-mean-of-rows =
    { $line }번째 줄: { $printed }, { $first }~{ $last }번째 줄: { PERCENT($computed) }

finding-figures-disagree =
    { $how ->
        [at-most] { $tool }이(가) { $printed }를 출력하지만, { $example }, 곧 { $other }보다 클 수는 없습니다
        [at-least] { $tool }이(가) { $printed }를 출력하지만, { $example }, 곧 { $other }보다 작을 수는 없습니다
        [whole] { $tool }이(가) 출력한, 한 전체의 비율들을 합하면 { $other }입니다: { $example }
       *[equal] { $tool }이(가) { $printed }를 출력하지만, { $example }은(는) { $other }입니다
    }
    .advice = 원래의 출력을 확인하십시오. 수치가 바뀌었거나 잘못 옮겨졌거나, 다른 실행의 것일 수 있습니다
evidence-figures-line =
    { $line }번째 줄: { $printed }, { $first }~{ $last }번째 줄: { $example } = { $other }
