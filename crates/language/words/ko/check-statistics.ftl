# 수치가 얼마나 말할 수 있는지에 대한 검사.

finding-single-run = { $tool }을(를) 이렇게 한 번만 실행했습니다. 다음 실행이 얼마나 다를지는 알 수 없습니다
    .advice = 같은 명령을 { $times }번 실행하고 출력을 모두 붙여 넣으십시오. 각 실행이 시행이 되어 구간을 얻습니다
evidence-printed-lines = { $first }~{ $last }번째 줄
