# What became of the goals of a study.

goals-title = 목표
goals-question = 목표 달성
goals-note = 신뢰구간 전체가 목표를 만족하면 달성, 전체가 벗어나면 미달입니다. 신뢰구간이 목표에 걸치면 시행을 늘리거나 길게 해야 판단할 수 있습니다. 최댓값은 측정된 그대로 비교합니다.
goal-kept = 달성
goal-not-kept = 미달
goal-unknown = 판단 불가
goal-doubt-interval = 신뢰구간이 목표에 걸침
goal-doubt-no-interval = 시행이 너무 적거나 짧아 신뢰구간이 없음
goal-doubt-no-figure = 이 값을 낸 시행이 없음
goal-doubt-untrusted = 진단 결과에 오류가 있어 이 값을 믿을 수 없음
goal-doubt-no-case = 이 목표를 적용한 케이스가 없음
goal-column = 목표
goal-column-case = 케이스
goal-column-measured = 측정값
goal-column-verdict = 결과
ending-aborted = 실행을 끝내는 조건 { $condition }에 해당하는 시행이 있었습니다: { $value }, { $case }. 그때까지 완료된 부분이 실려 있습니다.
