# 다른 도구의 결과에 대한 설명.

check-title = 이 결과가 말하는 것
check-results = 결과
check-results-caption = 출력된 그대로, 그리고 하나의 단위 체계로(십진 배수, 바이트, 초)
column-check-figure = 수치
column-check-printed = 출력
column-check-value = 실제
column-check-line = 줄
check-lines =
    { $how ->
        [none] {""}
        [one] { $first }번째 줄
       *[several] { $first }~{ $last }번째 줄
    }
check-findings = 잘못된 점
check-prose-only = 알려진 도구의 출력을 찾지 못했습니다. 다음은 글에 있는 수치끼리 맞추어 본 결과입니다.
check-nothing = 이 수치와 모순되는 것은 찾지 못했습니다.
check-more-findings = … 이와 같고 수치만 다른 것이 { $count }개 더 있습니다.
check-more-figures = 나머지 수치 { $count }개는 실행 문서에 있습니다: `headroom check --json=full` 또는 `-o result.json`.
check-suggestions = 실행했어야 할 명령
check-their-command =
    { $tool }로{ $times ->
        [1] :
       *[other] {" "}{ $times }번:
    }
check-own-command = Headroom으로:
check-unread = 이해하지 못한 부분
check-unread-count =
    { $count ->
        [1] 다음 줄은 어느 결과에도 속하지 않습니다:
       *[other] 다음 { $count }곳의 줄은 어느 결과에도 속하지 않습니다:
    }
check-unread-cause =
    { $cause ->
        [not-understood] { $tool }의 출력처럼 시작하지만 그렇게 이어지지 않습니다
        [cut-short] { $tool }의 출력이지만 수치가 나오기 전에 끝납니다
        [too-long] 출력 하나에서 읽는 양을 넘습니다
        [too-many] 이보다 앞의 결과까지만 읽었습니다. 여기서부터는 결과가 너무 많아 읽지 않았습니다
        [other] 이유는 이후 버전의 Headroom만 알고 있습니다
       *[no-tool] 알려진 도구의 출력이 아닙니다
    }
