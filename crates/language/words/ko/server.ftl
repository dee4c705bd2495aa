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
kind-begin = BEGIN
kind-commit = COMMIT
kind-point-select = 키로 한 행 SELECT
kind-simple-range = 행 범위 SELECT
kind-sum-range = 행 범위의 합
kind-order-range = 텍스트 순서로 정렬한 행 범위
kind-distinct-range = 행 범위의 서로 다른 텍스트
kind-index-update = 인덱스가 있는 열 UPDATE
kind-non-index-update = 인덱스가 없는 열 UPDATE
kind-delete = 키로 한 행 DELETE
kind-insert = 한 행 INSERT
kind-table-select = 테이블 전체 SELECT
kind-account-update = 계좌 UPDATE
kind-history-insert = 내역 INSERT
kind-teller-update = 창구 직원 UPDATE
kind-branch-update = 지점 UPDATE
kind-selects = SELECT 문
kind-inserts = INSERT 문
kind-updates = UPDATE 문
kind-deletes = DELETE 문
kind-new-order = 주문
kind-payment = 결제
kind-order-status = 마지막 주문 조회
kind-delivery = 배송
kind-stock-level = 재고 조회
