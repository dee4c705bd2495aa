# 드라이브에 쓴 양.

wear-title = 드라이브에 쓴 양
wear-question = 드라이브 수명
wear-answer = { $drive }의 { $share }: 수명 동안 쓸 수 있는 { $life } 중 { $written }
wear-drive = 드라이브
wear-written = 쓴 양
wear-life = 수명 동안 쓸 수 있는 양
wear-share = 비율
wear-source = 출처
wear-at-least = { $written } 이상
wear-little = 0.1 % 미만
wear-said = 스터디에 적힌 값
wear-sheet = { $sheet } 데이터시트
wear-read = 실행 전 점검부터 실행 후 점검까지 커널이 센 양입니다. 미리 준비한 파일, 워밍업, 그동안 다른 프로그램이 쓴 양도 들어 있습니다.
wear-unknown = 이런 드라이브에 얼마나 쓸 수 있는지는 여기서 알 수 없습니다. 제조사가 약속한 값(TBW)은 `--endurance 300TB`로 알려 줄 수 있습니다.
