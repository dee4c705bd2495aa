# What loads ran against, and the kinds of statements that they sent.

servers-title = 負荷の相手
servers-caption = バージョンと設定は相手が答えたもので、すべての試行で同じです。往復時間は、各試行の前に測った、何も求めない文のものです。
servers-told = 相手の答え

fact-database-address = データベース
fact-database-version = バージョン
fact-database-connection = 接続
fact-database-round-trip = 往復時間
fact-value-database-round-trip = { QUANTITY($value, unit: "s") }
fact-database-round-trip-share = レイテンシに占める往復時間の割合
fact-value-database-round-trip-share = { PERCENT($value) }

figure-kinds = 文またはリクエストの種類別の{ $metric }
figure-kinds-note = 遅い順です。一つの操作が同じ種類を何度も含むことがあるため、足しても操作のレイテンシにはなりません。
statement-begin = BEGIN
statement-commit = COMMIT
statement-point-select = キーによる一行の SELECT
statement-simple-range = 行の範囲の SELECT
statement-sum-range = 行の範囲の合計
statement-order-range = テキスト順に並べた行の範囲
statement-distinct-range = 行の範囲の異なるテキスト
statement-index-update = インデックスのある列の UPDATE
statement-non-index-update = インデックスのない列の UPDATE
statement-delete = キーによる一行の DELETE
statement-insert = 一行の INSERT
statement-table-select = テーブル全体の SELECT
statement-account-update = 口座の UPDATE
statement-history-insert = 履歴への INSERT
statement-teller-update = 窓口係の UPDATE
statement-branch-update = 支店の UPDATE
statement-selects = SELECT 文
statement-inserts = INSERT 文
statement-updates = UPDATE 文
statement-deletes = DELETE 文
statement-new-order = 注文
statement-payment = 支払い
statement-order-status = 最後の注文の問い合わせ
statement-delivery = 配達
statement-stock-level = 在庫の問い合わせ
