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
kind-begin = BEGIN
kind-commit = COMMIT
kind-point-select = キーによる一行の SELECT
kind-simple-range = 行の範囲の SELECT
kind-sum-range = 行の範囲の合計
kind-order-range = テキスト順に並べた行の範囲
kind-distinct-range = 行の範囲の異なるテキスト
kind-index-update = インデックスのある列の UPDATE
kind-non-index-update = インデックスのない列の UPDATE
kind-delete = キーによる一行の DELETE
kind-insert = 一行の INSERT
kind-table-select = テーブル全体の SELECT
kind-account-update = 口座の UPDATE
kind-history-insert = 履歴への INSERT
kind-teller-update = 窓口係の UPDATE
kind-branch-update = 支店の UPDATE
kind-selects = SELECT 文
kind-inserts = INSERT 文
kind-updates = UPDATE 文
kind-deletes = DELETE 文
kind-new-order = 注文
kind-payment = 支払い
kind-order-status = 最後の注文の問い合わせ
kind-delivery = 配達
kind-stock-level = 在庫の問い合わせ
