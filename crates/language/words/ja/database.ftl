# Databases: workloads, metrics, findings.

workload-db-oltp = データベースが毎秒処理するトランザクションと、一つにかかる時間（sysbench oltp）

metric-transactions-per-second = 毎秒正常に終わったトランザクションの数です。やり直したものも一つと数えます。
metric-title-transactions-per-second = 毎秒のトランザクション
metric-queries-per-second = 毎秒実行された文の数です。sysbench のクエリ数と同じく、BEGIN と COMMIT も数えます。
metric-title-queries-per-second = 毎秒のクエリ
metric-rows-per-second = 文が毎秒返した、または変更した行の数です。
metric-title-rows-per-second = 毎秒の行
metric-retries-per-second = 他のトランザクションとぶつかり、ロールバックされてやり直された毎秒のトランザクションの数です。その時間はレイテンシに含まれます。
metric-title-retries-per-second = 毎秒のやり直し
metric-lock-waits-per-second = クライアントがデータベースのロックに出会ってスリープした毎秒の回数です。その時間はレイテンシに含まれます。
metric-title-lock-waits-per-second = 毎秒のロック待ち
metric-cpu-per-query = 文一つあたりのクライアントの CPU 時間です。SQLite はクライアントのスレッドで動くので、これが費用のすべてです。
metric-title-cpu-per-query = クエリあたりの CPU 時間
metric-begin-latency-p50 = トランザクションの開始（BEGIN）の半数がこの時間以内に終わりました。
metric-title-begin-latency-p50 = トランザクションの開始（BEGIN）の p50 レイテンシ
metric-begin-latency-p99 = トランザクションの開始（BEGIN）の 99 % がこの時間以内に終わりました。
metric-title-begin-latency-p99 = トランザクションの開始（BEGIN）の p99 レイテンシ
metric-commit-latency-p50 = トランザクションの終了（COMMIT）の半数がこの時間以内に終わりました。
metric-title-commit-latency-p50 = トランザクションの終了（COMMIT）の p50 レイテンシ
metric-commit-latency-p99 = トランザクションの終了（COMMIT）の 99 % がこの時間以内に終わりました。
metric-title-commit-latency-p99 = トランザクションの終了（COMMIT）の p99 レイテンシ
metric-point-select-latency-p50 = キーによる一行の SELECTの半数がこの時間以内に終わりました。
metric-title-point-select-latency-p50 = キーによる一行の SELECTの p50 レイテンシ
metric-point-select-latency-p99 = キーによる一行の SELECTの 99 % がこの時間以内に終わりました。
metric-title-point-select-latency-p99 = キーによる一行の SELECTの p99 レイテンシ
metric-simple-range-latency-p50 = 行の範囲の SELECTの半数がこの時間以内に終わりました。
metric-title-simple-range-latency-p50 = 行の範囲の SELECTの p50 レイテンシ
metric-simple-range-latency-p99 = 行の範囲の SELECTの 99 % がこの時間以内に終わりました。
metric-title-simple-range-latency-p99 = 行の範囲の SELECTの p99 レイテンシ
metric-sum-range-latency-p50 = 行の範囲の合計の半数がこの時間以内に終わりました。
metric-title-sum-range-latency-p50 = 行の範囲の合計の p50 レイテンシ
metric-sum-range-latency-p99 = 行の範囲の合計の 99 % がこの時間以内に終わりました。
metric-title-sum-range-latency-p99 = 行の範囲の合計の p99 レイテンシ
metric-order-range-latency-p50 = テキスト順に並べた行の範囲の SELECTの半数がこの時間以内に終わりました。
metric-title-order-range-latency-p50 = テキスト順に並べた行の範囲の SELECTの p50 レイテンシ
metric-order-range-latency-p99 = テキスト順に並べた行の範囲の SELECTの 99 % がこの時間以内に終わりました。
metric-title-order-range-latency-p99 = テキスト順に並べた行の範囲の SELECTの p99 レイテンシ
metric-distinct-range-latency-p50 = 行の範囲にある異なるテキストの SELECTの半数がこの時間以内に終わりました。
metric-title-distinct-range-latency-p50 = 行の範囲にある異なるテキストの SELECTの p50 レイテンシ
metric-distinct-range-latency-p99 = 行の範囲にある異なるテキストの SELECTの 99 % がこの時間以内に終わりました。
metric-title-distinct-range-latency-p99 = 行の範囲にある異なるテキストの SELECTの p99 レイテンシ
metric-index-update-latency-p50 = インデックスのある列の UPDATEの半数がこの時間以内に終わりました。
metric-title-index-update-latency-p50 = インデックスのある列の UPDATEの p50 レイテンシ
metric-index-update-latency-p99 = インデックスのある列の UPDATEの 99 % がこの時間以内に終わりました。
metric-title-index-update-latency-p99 = インデックスのある列の UPDATEの p99 レイテンシ
metric-non-index-update-latency-p50 = インデックスのない列の UPDATEの半数がこの時間以内に終わりました。
metric-title-non-index-update-latency-p50 = インデックスのない列の UPDATEの p50 レイテンシ
metric-non-index-update-latency-p99 = インデックスのない列の UPDATEの 99 % がこの時間以内に終わりました。
metric-title-non-index-update-latency-p99 = インデックスのない列の UPDATEの p99 レイテンシ
metric-delete-latency-p50 = キーによる一行の DELETEの半数がこの時間以内に終わりました。
metric-title-delete-latency-p50 = キーによる一行の DELETEの p50 レイテンシ
metric-delete-latency-p99 = キーによる一行の DELETEの 99 % がこの時間以内に終わりました。
metric-title-delete-latency-p99 = キーによる一行の DELETEの p99 レイテンシ
metric-insert-latency-p50 = 一行の INSERTの半数がこの時間以内に終わりました。
metric-title-insert-latency-p50 = 一行の INSERTの p50 レイテンシ
metric-insert-latency-p99 = 一行の INSERTの 99 % がこの時間以内に終わりました。
metric-title-insert-latency-p99 = 一行の INSERTの p99 レイテンシ

# Other loads than that of sysbench.

workload-db-slap = mysqlslap が作る文をデータベースが毎秒いくつ処理し、一つにどれだけかかるか（mysqlslap）
workload-db-tpcb = TPC-B に似たトランザクションをデータベースが毎秒いくつ処理し、一つにどれだけかかるか（pgbench）
workload-db-orders = 卸売業のトランザクションをデータベースが毎秒いくつ処理し、一つにどれだけかかるか（TPC-C ではありません）
workload-db-script = 自分のトランザクションをデータベースが毎秒いくつ処理し、一つにどれだけかかるか（pgbench -f）
workload-db-durability = プロセスが強制終了されたとき、データベースが応答済みのコミットを失わないか、その代償はどれだけか

metric-table-select-latency-p50 = テーブル全体の SELECTの半数がこの時間以内に終わりました。
metric-title-table-select-latency-p50 = テーブル全体の SELECTの p50 レイテンシ
metric-table-select-latency-p99 = テーブル全体の SELECTの 99 % がこの時間以内に終わりました。
metric-title-table-select-latency-p99 = テーブル全体の SELECTの p99 レイテンシ

metric-commits-per-second = 毎秒応答のあったコミットの数です。各回の最初のコミットから強制終了までで数えます。
metric-title-commits-per-second = 毎秒のコミット
metric-lost-commits = 応答済みなのに、プロセスの強制終了の後に無かった行の数です。試行のすべての回の合計です。
metric-title-lost-commits = 失われたコミット
metric-lost-share = 応答済みのコミットのうち、プロセスの強制終了の後に無かったものの割合です。
metric-title-lost-share = 失われたコミットの割合
metric-acknowledged-commits = コミットに応答があった行の数です。試行のすべての回の合計です。
metric-title-acknowledged-commits = 応答済みのコミット
metric-unacknowledged-commits = 応答がなかったのに、プロセスの強制終了の後にあった行の数です。応答は途中でした。試行のすべての回の合計です。
metric-title-unacknowledged-commits = 応答のないコミット
metric-recovery-time = 強制終了の後の再起動から最初の応答までの時間です。すべての回の平均です。サーバーが接続を受け付けるかは 20 ms ごとに見ます。
metric-title-recovery-time = 回復時間

finding-acknowledged-but-lost =
    { $how ->
        [lost] 応答済みのコミット { $acknowledged } 件のうち { $lost } 件（{ PERCENT($share, decimals: 1) }）が、プロセスの強制終了の後に無くなっていました。停電ではさらに失われることがあります
       *[kept] 応答済みのコミット { $acknowledged } 件は、プロセスの強制終了では一件も失われませんでした。停電ではカーネルだけが持つデータも失われるため、これは停電については何も示しません
    }
    .advice =
        { $how ->
            [lost] コミットごとにログの書き込みを待つように設定してください: innodb_flush_log_at_trx_commit=1、synchronous_commit=on、または SQLite ではロールバックできる journal-mode
           *[kept] {""}
        }

metric-account-update-latency-p50 = 口座の UPDATEの半数がこの時間以内に終わりました。
metric-title-account-update-latency-p50 = 口座の UPDATEの p50 レイテンシ
metric-account-update-latency-p99 = 口座の UPDATEの 99 % がこの時間以内に終わりました。
metric-title-account-update-latency-p99 = 口座の UPDATEの p99 レイテンシ
metric-history-insert-latency-p50 = 履歴への INSERTの半数がこの時間以内に終わりました。
metric-title-history-insert-latency-p50 = 履歴への INSERTの p50 レイテンシ
metric-history-insert-latency-p99 = 履歴への INSERTの 99 % がこの時間以内に終わりました。
metric-title-history-insert-latency-p99 = 履歴への INSERTの p99 レイテンシ
metric-teller-update-latency-p50 = 窓口係の UPDATEの半数がこの時間以内に終わりました。
metric-title-teller-update-latency-p50 = 窓口係の UPDATEの p50 レイテンシ
metric-teller-update-latency-p99 = 窓口係の UPDATEの 99 % がこの時間以内に終わりました。
metric-title-teller-update-latency-p99 = 窓口係の UPDATEの p99 レイテンシ
metric-branch-update-latency-p50 = 支店の UPDATEの半数がこの時間以内に終わりました。
metric-title-branch-update-latency-p50 = 支店の UPDATEの p50 レイテンシ
metric-branch-update-latency-p99 = 支店の UPDATEの 99 % がこの時間以内に終わりました。
metric-title-branch-update-latency-p99 = 支店の UPDATEの p99 レイテンシ
metric-selects-latency-p50 = SELECT 文の半数がこの時間以内に終わりました。
metric-title-selects-latency-p50 = SELECT 文の p50 レイテンシ
metric-selects-latency-p99 = SELECT 文の 99 % がこの時間以内に終わりました。
metric-title-selects-latency-p99 = SELECT 文の p99 レイテンシ
metric-inserts-latency-p50 = INSERT 文の半数がこの時間以内に終わりました。
metric-title-inserts-latency-p50 = INSERT 文の p50 レイテンシ
metric-inserts-latency-p99 = INSERT 文の 99 % がこの時間以内に終わりました。
metric-title-inserts-latency-p99 = INSERT 文の p99 レイテンシ
metric-updates-latency-p50 = UPDATE 文の半数がこの時間以内に終わりました。
metric-title-updates-latency-p50 = UPDATE 文の p50 レイテンシ
metric-updates-latency-p99 = UPDATE 文の 99 % がこの時間以内に終わりました。
metric-title-updates-latency-p99 = UPDATE 文の p99 レイテンシ
metric-deletes-latency-p50 = DELETE 文の半数がこの時間以内に終わりました。
metric-title-deletes-latency-p50 = DELETE 文の p50 レイテンシ
metric-deletes-latency-p99 = DELETE 文の 99 % がこの時間以内に終わりました。
metric-title-deletes-latency-p99 = DELETE 文の p99 レイテンシ
metric-new-order-latency-p50 = 注文の半数がこの時間以内に終わりました。
metric-title-new-order-latency-p50 = 注文の p50 レイテンシ
metric-new-order-latency-p99 = 注文の 99 % がこの時間以内に終わりました。
metric-title-new-order-latency-p99 = 注文の p99 レイテンシ
metric-payment-latency-p50 = 支払いの半数がこの時間以内に終わりました。
metric-title-payment-latency-p50 = 支払いの p50 レイテンシ
metric-payment-latency-p99 = 支払いの 99 % がこの時間以内に終わりました。
metric-title-payment-latency-p99 = 支払いの p99 レイテンシ
metric-order-status-latency-p50 = 最後の注文の問い合わせの半数がこの時間以内に終わりました。
metric-title-order-status-latency-p50 = 最後の注文の問い合わせの p50 レイテンシ
metric-order-status-latency-p99 = 最後の注文の問い合わせの 99 % がこの時間以内に終わりました。
metric-title-order-status-latency-p99 = 最後の注文の問い合わせの p99 レイテンシ
metric-delivery-latency-p50 = 配達の半数がこの時間以内に終わりました。
metric-title-delivery-latency-p50 = 配達の p50 レイテンシ
metric-delivery-latency-p99 = 配達の 99 % がこの時間以内に終わりました。
metric-title-delivery-latency-p99 = 配達の p99 レイテンシ
metric-stock-level-latency-p50 = 在庫の問い合わせの半数がこの時間以内に終わりました。
metric-title-stock-level-latency-p50 = 在庫の問い合わせの p50 レイテンシ
metric-stock-level-latency-p99 = 在庫の問い合わせの 99 % がこの時間以内に終わりました。
metric-title-stock-level-latency-p99 = 在庫の問い合わせの p99 レイテンシ

# Servers of databases.
metric-connect-p50 = クライアントの半数が、時間を計る前に、この時間以内にサーバーに接続してサインインしました。
metric-title-connect-p50 = 接続時間（中央値）
metric-connect-p99 = クライアントの 99 % が、時間を計る前に、この時間以内にサーバーに接続してサインインしました。
metric-title-connect-p99 = 接続時間（p99）

# What servers count themselves.
metric-server-queries-per-second = サーバーがすべてのクライアントについて数えた毎秒の文の数です（MariaDB、MySQL: Questions）。他に使う人がいなければ、すべてこの負荷のものです。
metric-title-server-queries-per-second = サーバーが数えた毎秒のクエリ
metric-server-commits-per-second = サーバーがこのデータベースでコミットしたと数えた毎秒のトランザクションの数です（PostgreSQL: xact_commit）。トランザクションの外の文も一つと数えます。
metric-title-server-commits-per-second = サーバーが数えた毎秒のコミット
metric-server-log-writes-per-second = サーバーがログに書き込む毎秒の回数です（Innodb_log_writes、wal_write）。
metric-title-server-log-writes-per-second = 毎秒のログ書き込み
metric-server-flushes-per-second = 書いたものをディスクに残すようサーバーが求める毎秒の回数です。ログについて（wal_sync、Innodb_os_log_fsyncs）、または表と合わせて数える場合はその両方です（MariaDB 10.8 以降の Innodb_data_fsyncs）。
metric-title-server-flushes-per-second = サーバーの毎秒のフラッシュ
metric-server-log-throughput = サーバーが毎秒ログに加えるバイト数です（Innodb_os_log_written、wal_bytes）。
metric-title-server-log-throughput = ログのスループット
metric-server-lock-waits-per-second = サーバーが文に行を待たせる毎秒の回数です（Innodb_row_lock_waits）。
metric-title-server-lock-waits-per-second = サーバーでの毎秒のロック待ち
metric-server-checkpoints-per-second = サーバーが毎秒始めるチェックポイントの数です（PostgreSQL: 時間によるものと、ログが長いためのもの）。
metric-title-server-checkpoints-per-second = 毎秒のチェックポイント
metric-server-buffer-hit-share = サーバーが自分のバッファーに求めたページのうち、そこにあったものの割合です。なかったものもページキャッシュにはあるかもしれません。
metric-title-server-buffer-hit-share = バッファーのヒット率
