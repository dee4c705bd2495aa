# 서로 비교하는 결과들에 대한 검사.

finding-same-figures-twice =
    { $first }~{ $last }번째 줄과 { $begins }~{ $ends }번째 줄의 수치가 마지막 자리까지 같습니다({ $example }){ $how ->
        [command] . 명령이 다른데도 그러하니 한쪽은 다른 쪽을 베낀 것입니다
        [options] . 옵션이 다른데도 그러하니 한쪽은 다른 쪽을 베낀 것입니다
        [heading] . 제목은 “{ $name }”와 “{ $other }”로 다른데도 그러하니 한쪽은 다른 쪽을 베낀 것입니다
       *[same] . 한 번의 실행이므로 한 번만 셉니다
    }
    .advice = { $how ->
        [same] 하나를 빼거나 다시 측정하십시오
       *[other] 다른 조건에서 다시 측정하십시오. 그 조건에 대해서는 아무것도 알 수 없습니다
    }

finding-conditions-differ =
    { $how ->
        [headings] “{ $name }”와 “{ $other }”를 비교하고 있지만
       *[claim] 두 결과를 비교하고 있지만
    } { $of ->
        [block-size] 블록 크기도
        [duration] 실행 시간도
        [amount] 한 일의 양도
        [threads] 동시에 실행한 수도
        [depth] 대기열 깊이도
        [direct] 캐시가 답할 수 있는지도
        [engine] 입출력 엔진도
        [rate] 요청한 속도도
        [protocol] 프로토콜도
        [message-size] 메시지나 윈도우의 크기도
       *[mix] 작업의 구성도
    } 다릅니다. 한쪽은 { $printed }, 다른 쪽은 { $amount }입니다{ $more ->
        [0] {""}
       *[other] {" "}(그 밖에 다른 것 { $more }가지)
    }
    .advice = 비교하려는 것만 빼고 같은 옵션으로 둘 다 측정하십시오
evidence-condition-line =
    { $first }~{ $last }번째 줄: { $printed }
