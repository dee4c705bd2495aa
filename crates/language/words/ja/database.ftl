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
metric-server-temporary-files-per-second = ソートとハッシュが使えるメモリより大きいときにサーバーが書く毎秒のファイル数（temp_files）、または中間結果のためにディスクに書く毎秒のテーブル数です（Created_tmp_disk_tables）。
metric-title-server-temporary-files-per-second = 毎秒の一時ファイル
metric-server-checkpoints-per-second = サーバーが毎秒始めるチェックポイントの数です（PostgreSQL: 時間によるものと、ログが長いためのもの）。SQLite では、そのあと先行書き込みログが最初から書かれ始めたものの数です。
metric-title-server-checkpoints-per-second = 毎秒のチェックポイント
metric-server-buffer-hit-share = サーバーが自分のバッファーに求めたページのうち、そこにあったものの割合です。なかったものもページキャッシュにはあるかもしれません。
metric-title-server-buffer-hit-share = バッファーのヒット率
metric-server-page-reads-per-second = サーバーが、自分のバッファーになかったために毎秒読むページの数です（Innodb_buffer_pool_reads、blks_read）。ページキャッシュにはあるかもしれません。
metric-title-server-page-reads-per-second = 毎秒のページ読み取り
metric-server-page-writes-per-second = サーバーが毎秒、表に書き込む変更済みのページの数です（Innodb_buffer_pool_pages_flushed。PostgreSQL ではチェックポイントによるもの: buffers_checkpoint、バージョン 17 以降は buffers_written）。
metric-title-server-page-writes-per-second = 毎秒のページ書き込み
metric-server-all-commits-per-second = サーバーがすべてのデータベースでコミットしたと数えた毎秒のトランザクションの数です（PostgreSQL: xact_commit）。他に使う人がいなければ、すべてこの負荷のものです。
metric-title-server-all-commits-per-second = 全データベースの毎秒のコミット

# Findings.
finding-durability-off =
    { $name }: { $loss ->
        [killed] サーバーのプロセスが強制終了されたときと電源が切れたときに、最後にコミットしたものが失われることがあります
        [power] プロセスが強制終了されても残りますが、電源が切れたときに、最後にコミットしたものが失われることがあります
        [damage-killed] トランザクションの途中でプロセスが強制終了されるか電源が切れると、データベースが壊れることがあります
        [damage-power] 電源が切れたときに、コミットしたものが失われ、データベースが壊れることがあります
       *[torn] ディスクがページ全体を一度に書かない場合、電源が切れたときに、書き込み中のページが壊れることがあります
    }
    .advice = 応答したものを保つデータベースの数値と比べないでください

finding-database-in-memory =
    { $how ->
        [buffers] データ { BINARY($bytes) } はサーバー自身のバッファー { BINARY($buffer) } に収まります
        [touched] データ { BINARY($bytes) } のうち負荷が触れる部分は、サーバー自身のバッファー { BINARY($buffer) } に収まります
       *[page-cache] データ { BINARY($bytes) } はページキャッシュにありました
    }。{ evidence-database-reads }。{ $writes ->
        [yes] これらの数値はディスクの読み取りについて何も示しません。書き込みはディスクに届きます
       *[no] これらの数値はディスクの速さについて何も示しません
    }
    .advice = ディスクから読ませるには、データをメモリの数倍にするか、メモリを減らしてください

evidence-database-reads =
    { $counter ->
        [device] トランザクション { SHORT($transactions, unit: "1/s") } に対して、ディスクに届いた読み取りは { SHORT($reads, unit: "1/s") } です
       *[server] トランザクション { SHORT($transactions, unit: "1/s") } に対して、サーバーがバッファーの外に求めたページは { SHORT($reads, unit: "1/s") } です
    }

finding-buffers-smaller-than-data =
    データ { BINARY($bytes) } はサーバー自身のバッファー { BINARY($buffer) } に収まりません。{ $counter ->
        [unknown] 測定中にどれだけ読んだかは分かりません
       *[other] { evidence-database-reads }
    }。{ $counter ->
        [device] これらの数値にはディスクが含まれます
        [server] これらの数値にはディスクまたはページキャッシュが含まれます
       *[unknown] これらの数値にはディスクが含まれるかもしれません
    }

evidence-database-bytes = 表と索引は { BINARY($bytes) } です

finding-buffers-still-filling = 試行 { $of } 回のうち { $trials } 回で、サーバーのバッファーがまだ埋まりつつありました。読んだページは測定の最初の三分の一で { SHORT($first, unit: "1/s") }、最後の三分の一で { SHORT($last, unit: "1/s") } で、スループットは { PERCENT($gain) } 上がりました
    .advice = サーバーが読む量が終わりまで変わらなくなるように、--warm-up を長くしてください

finding-checkpoint-stalls = サーバーがチェックポイントを書く間、全体の { PERCENT($share, decimals: 1) } の時間でスループットが中央値の 70 % を下回り、{ SHORT($usual, unit: "1/s") } から最低 { SHORT($worst, unit: "1/s") } まで落ちました（試行 { $of } 回のうち { $trials } 回）
    .advice = 長く動くサーバーにはチェックポイントがあります。いくつも含むように測定してください。ログの容量を増やすと少なくなります（max_wal_size、innodb_log_file_size）

finding-server-counts-differ =
    サーバーが測定中に数えた{ $what ->
        [statements] 文
       *[commits] コミット
    }は { SHORT($server, unit: "1/s") }、負荷のものは { SHORT($own, unit: "1/s") } です。{ $how ->
        [more] ほかの誰かがこのサーバーを使っていて、その処理がこれらの数値に含まれます
       *[less] 手前の何かが応答しているか、カウンターが別のサーバーのものです
    }
    .advice = { $how ->
        [more] ほかに使う人がいないときに測定し直してください
       *[less] プロキシではなく、サーバー自身の url を指定してください
    }

finding-server-does-extra-work = サーバーは文が求める以上のことをしていて、その時間がこれらの数値に含まれます: { $name }
    .advice = { $heavy ->
        [yes] 止めるか、数値とともに示してください
       *[no] 二つのサーバーを比べるときは、両方とも同じであることを確かめてください
    }

finding-repeated-inserts = mysqlslap と同じく、同じ { FIXED($different) } 個の挿入が繰り返されました。その行は、ほかの行よりもよく圧縮され、キャッシュされます
    .advice = mysqlslap の数値とだけ比べてください。repeated-inserts を外すと、行はすべて別のものになります

# What sessions wait for, and what holds a load on a database back.
metric-clients-waiting-for-locks = 他のクライアントがロックした行、表、データベースを同時に待っていたクライアントの平均の数です。Innodb_row_lock_time、PostgreSQL のセッションの観察（待機イベントの型 Lock）、SQLite のクライアントが眠った時間によります。
metric-title-clients-waiting-for-locks = ロックを待つクライアント
metric-clients-waiting-for-log = サーバーのログが書かれフラッシュされるのを同時に待っていたクライアントの平均の数です。コミットしているセッション（MariaDB、MySQL）、または待機イベントが WAL のもののセッション（PostgreSQL）の観察によります。
metric-title-clients-waiting-for-log = ログを待つクライアント
metric-clients-waiting-for-reads = 表のページが読まれるのを同時に待っていたクライアントの平均の数です。PostgreSQL のセッションの観察（待機イベント DataFileRead）によります。
metric-title-clients-waiting-for-reads = 読み出しを待つクライアント
metric-clients-committing = 書いたものをコミットする文の中に同時にいた SQLite のクライアントの平均の数です。ロックのために眠った時間は含みません。
metric-title-clients-committing = コミット中のクライアント
metric-server-cpu = サーバーがこのマシンにある場合に、そのプロセスが毎秒使った CPU 秒です。
metric-title-server-cpu = サーバーの CPU

finding-client-bound =
    クライアントが結果を決めています。{ $how ->
        [threads] { FIXED($threads) } 個のスレッドがそれぞれ時間の { PERCENT($share) } を計算しています
        [cpus] クライアントの { FIXED($threads) } 個のスレッドは、使ってよい { FIXED($cpus) } 個の CPU のうち { FIXED($used, decimals: 2) } 個分を使っています
        [shared] { FIXED($cpus) } 個の CPU がすべて使用中で、クライアントはそのうち { FIXED($used, decimals: 2) } 個分と、サーバーより多く使っています
        [requests] 応答が届くまでの時間の { PERCENT($share) } はクライアント自身の計算です
       *[turns] トランザクションの { PERCENT($share) } はクライアント自身の計算です
    }（{ $how ->
        [requests] リクエスト
       *[other] 文
    }一つに { SHORT($each_s, unit: "s") }）
    .advice =
        { $how ->
            [threads] { $more ->
                [yes] { $named ->
                    [yes] --{ $option } を増やすとクライアントがより多くの CPU を使えます。クライアントを別のマシンに置くと、ここの CPU はサーバーのものになります
                   *[no] クライアントを別のマシンに置くと、より多くの CPU を使えます
                }
               *[no] クライアントを別のマシンに置くと、より多くの CPU を使えます
            }
            [cpus] クライアントをより多くの CPU で（--pin、taskset、cpuset）、または別のマシンで実行してください
            [shared] クライアントを別のマシンに置くと、ここの CPU はサーバーのものになります
            [requests] ここで測っているのは主にクライアントです。接続を保つと計算が減り、TLS で最も大きく減ります。--{ $option } を増やすと、その間もサーバーが働きます
           *[turns] ここで測っているのは主にクライアントです。同時のクライアントを増やすと、その間もサーバーが働きます
        }
finding-server-cpu-bound =
    { $engine ->
        [library] プロセッサーが結果を決めています。SQLite はクライアントのスレッドで
       *[server] サーバーの CPU が結果を決めています。サーバーは
    }{ $how ->
        [cpus] 使える { FIXED($cpus) } 個の CPU のうち { FIXED($used, decimals: 2) } 個分を使っています
        [quota] コントロールグループのクォータが許す { FIXED($cpus, decimals: 2) } 個の CPU のうち { FIXED($used, decimals: 2) } 個分を使っています
        [shared] クライアントと一緒に満たしている { FIXED($cpus) } 個の CPU のうち { FIXED($used, decimals: 2) } 個分を使っています
       *[turns] トランザクションの時間の { PERCENT($share) } を計算しています
    }（文一つに { SHORT($each_s, unit: "s") }）
    .advice =
        { $how ->
            [cpus] 文一つにかかるものを減らすと増えます: インデックス、より少ない行、準備された文。CPU を増やすか速くしても増えます
            [quota] クォータを増やすか（cpu.max、cpu.cfs_quota_us、systemd のユニットの CPUQuota=）、文一つにかかるものを減らすと増えます
            [shared] クライアントを別のマシンに置くと、ここの CPU はサーバーのものになります
           *[turns] 文一つにかかるものを減らすと増えます: インデックス、より少ない行、準備された文{ $room ->
                [yes] 。--{ $option } を増やすとより多くの CPU を使えます
               *[no] {""}
            }
        }
finding-lock-bound =
    ロックが結果を決めています。{ $how ->
        [conflicts] 始めたトランザクションの { PERCENT($share) } が他とぶつかり、ロールバックされてやり直されます
       *[waits] { FIXED($outstanding) } 個のクライアントは時間の { PERCENT($share) }、他がロックしたものを待ちます
    }
    .advice =
        { $engine ->
            [library] SQLite に書けるのは一度に一つです。--{ $option } を減らすと待ちが減り、一つのトランザクションで多くを行うとロックの回数が減ります
           *[server] 多くが変更する行を待っています。トランザクションを短くする、変更をより多くの行に散らす、または --{ $option } を減らしてください
        }
finding-log-flush-bound =
    ログのフラッシュが結果を決めています。一度に { FIXED($outstanding) } 個あり、それぞれ時間の { PERCENT($share) }、コミットしたものがフラッシュされるのを待ちます{ $grouped ->
        [yes] 。一回のフラッシュは { FIXED($each, decimals: 1) } 個のトランザクションのものです
       *[no] {""}
    }{ $timed ->
        [yes] 。デバイスは一回のフラッシュに { SHORT($flush_s, unit: "s") } かかります
       *[no] {""}
    }
    .advice =
        { $system ->
            [innodb] innodb_flush_log_at_trx_commit=2 では誰も待ちませんが、停電で最大一秒分のトランザクションが失われます。フラッシュの速いデバイス（電源喪失保護のあるもの）なら何も失われず、--{ $option } を増やすと一回のフラッシュを分け合います
            [postgres] synchronous_commit=off では誰も待ちませんが、クラッシュで最後のトランザクションが失われます。フラッシュの速いデバイス（電源喪失保護のあるもの）なら何も失われず、--{ $option } を増やすと一回のフラッシュを分け合います
            [sqlite] 一つのトランザクションに多くの文を入れるとフラッシュが減ります。--journal-mode wal で --synchronous normal にすると誰も待ちませんが、停電で最後のトランザクションが失われます。フラッシュの速いデバイスなら何も失われません
           *[other] フラッシュの速いデバイス（電源喪失保護のあるもの）で増え、--{ $option } を増やすと一回のフラッシュを分け合います
        }
finding-page-read-bound =
    読み出しが結果を決めています。{ $how ->
        [rest] クライアントの時間の { PERCENT($share) } は経路でも計算でもロックでもログでもなく、その間サーバーはバッファーにないページをトランザクションごとに { FIXED($pages, decimals: 1) } 個読みます
       *[waits] クライアントは時間の { PERCENT($share) }、メモリにないページを待ちます
    }
    .advice =
        バッファーを大きくする（{ $engine ->
            [library] --cache-size、またはページキャッシュのためのメモリ
            [innodb] innodb_buffer_pool_size
            [postgres] shared_buffers、またはページキャッシュのためのメモリ
           *[server] shared_buffers、innodb_buffer_pool_size
        }）と表のより多くが入ります。読み出しの速いデバイスは待ちを短くし、--{ $option } を増やすと同時により多く読みます
evidence-server-cpu = サーバーは CPU { FIXED($used, decimals: 2) } 個分を使う
evidence-server-unseen =
    { $here ->
        [yes] サーバーはこのマシンにあるが、そのプロセスが見つからない
       *[no] サーバーはこのマシンになく、そのプロセッサーは見えない
    }
evidence-lock-wait = クライアントは時間の { PERCENT($share) } ロックを待つ
evidence-log-wait = クライアントは時間の { PERCENT($share) } ログを待つ
evidence-log-unwaited = ログの一回のフラッシュが { FIXED($outstanding) } 個のクライアントの { FIXED($each) } 個のトランザクションに当たるので、クライアントはそれを待たない
evidence-setting = { $name } は { $value }
evidence-trips = トランザクションの往復、{ SHORT($rtt_s, unit: "s") } が { FIXED($trips, decimals: 1) } 回、はその時間の { PERCENT($share) }
evidence-device-work = その間、{ RESOURCE($resource) } は { SHORT($moved, unit: "B/s") }、トランザクションごとに { BINARY($each) } を動かした。データベースが動かすより多いなら、ほかのプログラムがそこでしていることを待っている
evidence-pages-read = サーバーはバッファーにないページをトランザクションごとに { FIXED($pages, decimals: 1) } 個読む
evidence-buffers-of-data = バッファー { BINARY($buffer) }、表とインデックス { BINARY($bytes) }
evidence-temporary-files =
    { $system ->
        [innodb] サーバーはトランザクションごとに一時テーブル { FIXED($each, decimals: 1) } 個をディスクに書く。中間結果が tmp_table_size より大きいか、メモリに置けない
       *[other] サーバーはトランザクションごとに一時ファイル { FIXED($each, decimals: 1) } 個を書く。ソートとハッシュが work_mem より大きい
    }
evidence-read-wait = クライアントは時間の { PERCENT($share) } ページの読み出しを待つ
