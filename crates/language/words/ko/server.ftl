# What loads ran against, and the kinds of statements that they sent.

servers-title = 부하의 상대
servers-caption = 버전과 설정은 상대가 답한 것으로, 모든 시행에서 같습니다. 왕복 시간은 시행마다 먼저 잰, 아무것도 묻지 않는 문장의 것입니다.
servers-told = 상대의 답

fact-database-address = 데이터베이스
fact-database-version = 버전
fact-database-connection = 연결
fact-database-round-trip = 왕복 시간
fact-value-database-round-trip = { QUANTITY($value, unit: "s") }
fact-database-round-trip-share = 지연 시간에서 왕복 시간의 비율
fact-value-database-round-trip-share = { PERCENT($value) }

figure-kinds = 문장이나 요청의 종류별 { $metric }
figure-kinds-note = 느린 순서입니다. 작업 하나가 같은 종류를 여러 번 담을 수 있어, 더해도 작업의 지연 시간이 되지 않습니다.
statement-begin = BEGIN
statement-commit = COMMIT
statement-point-select = 키로 한 행 SELECT
statement-simple-range = 행 범위 SELECT
statement-sum-range = 행 범위의 합
statement-order-range = 텍스트 순서로 정렬한 행 범위
statement-distinct-range = 행 범위의 서로 다른 텍스트
statement-index-update = 인덱스가 있는 열 UPDATE
statement-non-index-update = 인덱스가 없는 열 UPDATE
statement-delete = 키로 한 행 DELETE
statement-insert = 한 행 INSERT
statement-table-select = 테이블 전체 SELECT
statement-account-update = 계좌 UPDATE
statement-history-insert = 내역 INSERT
statement-teller-update = 창구 직원 UPDATE
statement-branch-update = 지점 UPDATE
statement-selects = SELECT 문
statement-inserts = INSERT 문
statement-updates = UPDATE 문
statement-deletes = DELETE 문
statement-new-order = 주문
statement-payment = 결제
statement-order-status = 마지막 주문 조회
statement-delivery = 배송
statement-stock-level = 재고 조회
