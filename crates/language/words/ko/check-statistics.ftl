# 수치가 얼마나 말할 수 있는지에 대한 검사.

finding-single-run = { $tool }을(를) 이렇게 한 번만 실행했습니다. 다음 실행이 얼마나 다를지는 알 수 없습니다
    .advice = 같은 명령을 { $times }번 실행하고 출력을 모두 붙여 넣으십시오. 각 실행이 시행이 되어 구간을 얻습니다
evidence-printed-lines = { $first }~{ $last }번째 줄

finding-failed-operations =
    { $how ->
        [all] { $tool }의 작업이 모두 실패했습니다. 출력된 속도가 얼마든 한 일은 없습니다
        [most] { $tool }의 작업 가운데 { PERCENT($share) }가 실패했습니다. 출력된 속도가 얼마든 일의 대부분은 하지 못했습니다
        [none] { $tool }이(가) 한 일이 없습니다. 끝난 작업이 하나도 없습니다
        [lost] { $tool }의 패킷 가운데 { PERCENT($share) }가 손실되었습니다. 다른 수치는 도착한 패킷만의 값입니다
       *[some] { $tool }의 작업 가운데 { PERCENT($share) }가 실패했습니다. 실패는 정상 작업보다 빨리 끝날 수도 늦게 끝날 수도 있으며, 대부분의 도구는 그것도 속도와
            지연 시간에 넣습니다
    }
    .advice = 실패하는 까닭을 찾아 없애고, 실패 없이 다시 측정하십시오
evidence-failed-line =
    { $line }번째 줄: { $printed }

finding-heading-contradicts-log =
    { $how ->
        [figure] 제목에는 { $printed }라고 되어 있지만 그 아래에 그런 값이 없고, 가장 가까운 값은 { $other }입니다
        [conclusion] 아래의 글에는 { $printed }라고 되어 있지만, 그 위에 그런 값은 없고 가장 가까운 것은 { $other }입니다
        [command] 명령에는 { $printed }라고 되어 있지만 출력에는 { $other }라고 되어 있습니다. 다른 실행의 출력이거나 어느 한쪽이 바뀐 것입니다
        [pattern] 이름은 “{ $name }”인데 실제로는 { $other }였습니다
       *[size] 이름은 “{ $name }”인데 작업의 크기는 { BINARY($block) }였습니다
    }
    .advice = 기록을 믿고, 거기에 적힌 값을 쓰십시오
evidence-heading-line =
    { $line }번째 줄: { $name }

finding-units-mixed =
    { $how ->
        [counting] { $tool }의 { $unit }는 1000을, { $other }의 것은 1024를 단위로 합니다. M에서는 4.9 %, G에서는 7.4 % 차이가 납니다. 출력된
            그대로 나란히 두면 안 됩니다
        [mistaken] 글에는 { $printed }라고 되어 있지만 { $tool }의 출력은 { $example }, 곧 { SHORT($computed, unit: "B/s") }입니다. 비트와 바이트를 혼동했습니다. 1바이트는 8비트입니다
        [prose] 글에 { $unit }과(와) { $name }이(가) 나란히 있습니다. 한 단위로는 { SHORT($first, unit: "B/s") }과(와) { SHORT($second, unit: "B/s") }입니다
       *[bits] { $tool }은(는) 비트({ $unit })를, { $other }은(는) 바이트({ $name })를 출력합니다. 1바이트는 8비트입니다
    }
    .advice = 한 단위계로 된 이 표의 수치를 비교하십시오
evidence-unit-line =
    { $line }번째 줄: { $printed }, 곧 { SHORT($computed, unit: "B/s") }

finding-mean-far-from-peak =
    평균은 { $printed }인데 최고 { $other }까지 올라갔으며, 이는 평균의 { FIXED($ratio, decimals: 1) }배입니다{ $course ->
        [fell] {""}. 처음 4분의 1은 { SHORT($early, $unit) }, 마지막은 { SHORT($late, $unit) }로 떨어졌습니다. 캐시나 크레딧을 다 썼으며, 평균은 얼마나 오래 측정했는지를 나타냅니다
        [rose] {""}. 처음 4분의 1은 { SHORT($early, $unit) }, 마지막은 { SHORT($late, $unit) }로 올라갔습니다. 처음 몇 초를 빼십시오
        [stalled] {""}. { $all }개 구간 가운데 { $none }개에서는 한 일이 없습니다. 왜 멈췄는지 알아보십시오. 평균은 일한 시간과 멈춘 시간이 섞인 값입니다
        [varied] {""}. 오르내렸으므로 평균은 여러 상태가 섞인 값입니다
       *[unknown] {""}. 평균은 여러 상태가 섞인 값입니다
    }
    .advice = 속도가 안정될 때까지 측정하고, 그 부분만 쓰십시오
evidence-peak-line =
    { $line }번째 줄: { $printed }

finding-percentile-beyond-count =
    { $share ->
        [none] { WORDS($metric) }은(는) 가장 느린 작업 하나의 값입니다. 작업 { FIXED($count) }개 가운데 그보다 느린 것이 없습니다
       *[few] { WORDS($metric) }의 근거가 너무 적습니다. 작업 { FIXED($count) }개 가운데 그보다 느린 것은 { FIXED($beyond, decimals: 1) }개뿐입니다
    }
    .advice =
        { $highest ->
            [0] 작업이 이렇게 적으면 어떤 백분위수도 믿지 마십시오. 더 오래 실행하십시오
           *[other] p{ $highest }보다 높은 백분위수는 믿지 마십시오. 더 높은 것이 필요하면 더 오래 실행하십시오
        }
evidence-percentile-count =
    { $line }번째 줄: { $printed }, { $last }번째 줄에 따르면 작업 { FIXED($count) }개

finding-own-warning =
    { $tool }이(가) 스스로 경고합니다: { $printed }{ $more ->
        [0] {""}
       *[other] {" "}(그 밖에 { $more }건)
    }
    .advice = 경고한 것을 고쳐 다시 실행하거나, 경고를 수치와 함께 제시하십시오
evidence-own-warning-line =
    { $line }번째 줄: { $printed }

finding-within-spread =
    { $name }은(는) { $other }보다 { PERCENT($share) } 오래 걸렸지만, 같은 명령의 실행끼리도 그만큼 다릅니다. 어느 쪽이 빠른지는 여기서
    알 수 없습니다
    .advice = 같은 속도로 보거나, 조용한 머신에서 둘을 번갈아 더 여러 번 실행하십시오
evidence-spread-line =
    { $line }번째 줄: 평균 { $printed }, 표준 편차 { $amount }

finding-ratio-contradicts-results =
    { $how ->
        [base] 글에는 “{ $printed }”라고 되어 있지만, { $example }는 { $other }보다 { PERCENT($gain) } 많고 { $other }는 { $example }보다
            { PERCENT($loss) } 적습니다. 비율의 기준이 둘 가운데 잘못된 쪽입니다
       *[other] 글에는 “{ $printed }”라고 되어 있지만, { $example }는 { $other }의 { FIXED($ratio, decimals: 2) }배이며 { PERCENT($gain) } 많습니다
    }
    .advice = 수치를 다시 나누고, 어느 쪽이 기준인지 밝히십시오
evidence-claim-line =
    { $line }번째 줄: { $name }
