# 수치들 사이의 산술에 대한 검사.

finding-rate-contradicts-amount =
    { $tool }은(는) { $printed }라고 출력하지만, { $lasted } 동안 { $amount }이면 { SHORT($computed, $unit) }입니다{ $cause ->
        [binary] {""}. 속도의 배수 단위가 1024입니다
        [decimal] {""}. 속도의 배수 단위가 1000입니다
        [bits] {""}. 비트를 바이트로 잘못 읽은 값입니다
        [minutes] {""}. 시간에서 분이 빠졌거나 다른 시계의 시간입니다
       *[unknown] {""}. 출력된 속도는 그 { FIXED($ratio, decimals: 3) }배입니다
    }
    .advice = 속도가 아니라 센 값을 믿으십시오. 누군가 옮겨 적은 글이라면 원래의 출력을 확인하십시오
evidence-rate-arithmetic =
    { $line }번째 줄: { $amount } / { $lasted } = { SHORT($computed, $unit) }, 출력은 { $printed }
