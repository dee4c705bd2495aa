# 얼마 동안, 어느 시계로 측정했는지에 대한 검사.

finding-clocks-disagree =
    { $how ->
        [minutes] { $printed }와 { $lasted }는 같은 실행의 시간인데 { FIXED($minutes) }분 차이가 납니다. 분을 잘못 읽었습니다
        [rate] { $printed }은(는) { SHORT($took, unit: "s") }가 걸렸을 때의 값인데, { $amount }에 걸린 시간은 { $lasted }입니다. 분을
            잘못 읽었습니다
        [shorter] { $tool } 전체의 시간이 { $printed }인데, 도구가 센 시간은 { $lasted }입니다. 전체가 부분보다 짧을 수 없습니다
       *[longer] { $tool }은(는) { $printed }가 걸렸고 그중 { $lasted }만 셉니다. 그 속도에는 시작, 준비, 또는 마지막 기록에 든
            { SHORT($rest, unit: "s") }가 빠져 있습니다
    }
    .advice =
        { $how ->
            [longer] 작업 전체가 대상이면 긴 쪽의 시간을 쓰십시오
           *[other] 도구가 직접 출력한 시간으로 나누십시오
        }
evidence-clock-line =
    { $line }번째 줄: { $printed }

finding-ended-by-size =
    { $how ->
        [early] { SHORT($asked, unit: "s") } 동안 실행해야 했지만 { $lasted } 만에 끝났습니다. 바이트나 작업을 다 썼거나 실패했습니다
        [parts] 부분들이 차례로 끝났습니다. 첫 부분은 { $below }, 마지막은 { $lasted } 뒤입니다. 끝으로 갈수록 더 적은 부분이 머신을
            나누어 썼으므로, 이 속도는 모두가 함께한 속도가 아닙니다
       *[amount] 정해진 양을 마치고 { $lasted } 만에 끝났습니다. 다른 머신에서는 다른 시간 동안 측정하게 되며, 이 시간으로는 처음만 보입니다
    }
    .advice = 모두 같은 시간이 지나면 끝나게 하십시오
evidence-end-line =
    { $line }번째 줄: { $printed }

finding-shorter-than-caches =
    { $lasted } 동안 { SHORT($written, unit: "B") }를 썼습니다. 컨트롤러의 캐시는 { BINARY($cache) }까지 있고, SSD는 수십 GB를 나머지보다
    빠르게 씁니다. 캐시의 속도일 수 있습니다
    .advice = 몇 분 동안, 장치가 캐시할 수 있는 양보다 많이, 속도가 더 떨어지지 않을 때까지 쓰십시오
evidence-written-in =
    { $line }번째 줄: { $lasted } 동안 { SHORT($written, unit: "B") }

finding-too-short-for-clock =
    { $how ->
        [cpu] { $tool }이(가) 센 CPU 시간은 { SHORT($seconds, unit: "s") }입니다. 그 시계의 눈금은 10 ms이므로 하나만 달라져도 10분의 1보다 크게
            바뀝니다. 이 값으로는 아무것도 알 수 없습니다
       *[run] 실행에 { $printed }가 걸렸습니다. 시작, 첫 접근, 스케줄러의 한 차례도 그만큼 걸립니다
    }
    .advice = 한 번의 실행에서 백 배쯤 더 많이 하십시오
evidence-short-time =
    { $line }번째 줄: { $printed }

finding-cpu-share-contradicts-times =
    { $tool }은(는) 프로세서의 { $printed }라고 출력하지만, { $lasted } 동안 CPU 시간 { SHORT($busy, unit: "s") }이면 { PERCENT($computed) }입니다
    .advice = 원래의 출력을 확인하십시오. 비율이나 시간 하나가 다른 실행의 것입니다

finding-ended-by-error =
    { $tool }이(가) 오류 { $error }(으)로 끝났습니다. 수치는 그때까지 한 부분에 대한 것이며, 오류의 원인이 그 부분도 느리게 했을 수 있습니다
    .advice = 가득 찬 장치나 한도 같은 원인을 없애고 다시 실행하십시오
evidence-ended-by-error = { $first }~{ $last }번째 줄: { $error }

finding-since-boot =
    { $tool }의 보고가 첫 번째 하나뿐인데, 그 속도는 머신을 켠 뒤 전체 시간의 평균입니다. 잠시 실행한 부하에 대해서는 아무것도 말하지
    않습니다
    .advice = { $example }처럼 간격과 횟수를 주고, 첫 번째 다음의 보고를 읽으십시오
evidence-since-boot = { $first }~{ $last }번째 줄

finding-cpu-time-as-time =
    { $tool }은(는) CPU 시간으로 나눕니다. 흐른 { SHORT($asked, unit: "s") } 가운데 { $lasted }만 셌습니다. 나머지 시간에는 다른 작업이
    프로세서를 썼으므로 실제로 얻은 것은 { $printed }의 { PERCENT($share) }입니다
    .advice = 다른 일을 하지 않는 머신에서 -elapsed로 실행하십시오
evidence-cpu-time-line =
    { $line }번째 줄: { SHORT($asked, unit: "s") } 동안 CPU 시간 { $lasted }

finding-asked-rate-missed =
    { $tool }에 { SHORT($asked, unit: "1/s") }을(를) 요청했지만 { SHORT($done, unit: "1/s") }만 처리했습니다. 늦은 작업은 기다리므로 지연 시간은
    실행이 길수록 늘어나며, 대기열이 얼마나 길어졌는지를 나타냅니다
    .advice = 지킬 수 있는 속도를 요청하고, 지연 시간은 그때의 값만 읽으십시오
evidence-asked-rate = { $line }번째 줄: { SHORT($asked, unit: "1/s") } 가운데 { SHORT($done, unit: "1/s") }

finding-asked-rate-kept =
    { $tool }은(는) 최대 { SHORT($asked, unit: "1/s") }(으)로 제한되었고 { SHORT($done, unit: "1/s") }을(를) 처리했습니다. 이 값은 요청한
    속도이지 낼 수 있는 속도가 아닙니다
    .advice = 얼마나 낼 수 있는지 알려면 제한을 빼고, 이 실행에서는 지연 시간만 읽으십시오
