### bio はプログラムやファイルシステムの要求、request はデバイスへ送られる要求。

## 何が行われたか: `headroom trace`

trace-title = { $target } で起きたこと
trace-byline = { SPAN($seconds) } に { $events } イベント
trace-answer = 要約
trace-nameless = （名前なし）
trace-all-others = その他すべて

## 何が、誰によって行われたか

trace-did-both =
    { SPAN($seconds) } の間に { $device } では読み取り { $reads } 件（{ $read_bytes }）と書き込み { $writes } 件（{ $written_bytes }）が{ $state ->
        [asked] 要求されています
       *[done] 完了しました
    }。
trace-did-reads =
    { SPAN($seconds) } の間に { $device } では読み取り { $reads } 件（{ $read_bytes }）が{ $state ->
        [asked] 要求されています
       *[done] 完了しました
    }。書き込みはありません。
trace-did-writes =
    { SPAN($seconds) } の間に { $device } では書き込み { $writes } 件（{ $written_bytes }）が{ $state ->
        [asked] 要求されています
       *[done] 完了しました
    }。読み取りはありません。
trace-did-nothing =
    { SPAN($seconds) } の間に { $device } では読み取りも書き込みも{ $state ->
        [asked] 要求されていません
       *[done] 完了しませんでした
    }。
trace-did-others =
    { $device } では、データを運ばない破棄などの操作 { $count } 件（{ $bytes }）も{ $state ->
        [asked] 要求されています
       *[done] 完了しました
    }。
trace-did-pieces =
    { $device } { $class ->
        [read] からの読み取り
       *[write] への書き込み
    }は主に { BINARY($size) } 単位でした（{ PERCENT($share) }）。
trace-did-pieces-various =
    { $device } { $class ->
        [read] からの読み取り
       *[write] への書き込み
    }のサイズはさまざまで、半数は { BINARY($size) } 以下でした。
trace-did-merged = { $device } への要求の { PERCENT($share) } は、より大きなリクエストにマージされました（1 リクエストあたり平均 { FIXED($mean, decimals: 1) } 件）。
trace-did-after = { $device } に書き込まれた量は、コマンドの実行中が { $before }、終了後が { $after } です。終了後の分は、その時点でメモリに残っていたデータ（他のプログラムのものも含む）を書き戻したものです。
trace-did-by = その大半は { $task } が発行しました（バイト数の { PERCENT($share) }）。
trace-command-failed = コマンド `{ $command }` は終了コード { $code } で失敗しました。
trace-command-killed = コマンド `{ $command }` はシグナル { $signal } で終了しました。
trace-command-io = カーネルの記録では、`{ $command }` とその子プロセスはデバイスから { $read } を読み、{ $written } を書きました（後で書かれる分を含む）。システムコールで読んだのは { $calls_read }、書いたのは { $calls_written } です。

## 重要なこと、一文ずつ

trace-saw-nothing = デバイスには何も届きませんでした。
trace-saw-lost = 読み出しが追いつかず、{ $times } 回にわたって { $events } イベントが失われました。件数は実際より少なく、時間と深さは観測できた分だけのものです。--buffer を大きくすると防げることがあります。
trace-saw-lost-unknown = 読み出しが追いつかず、{ $times } 回にわたってイベントが失われましたが、カーネルはその数を示していません。件数は実際より少なく、時間と深さは観測できた分だけのものです。--buffer を大きくすると防げることがあります。
trace-saw-depth = { $device } の平均の深さ（{ FIXED($depth, decimals: 2) }）は、リクエストから求めた値（{ FIXED($explained, decimals: 2) }）と一致しません。深さとレイテンシを合わせて読まないでください。
trace-saw-errors = { $device } で { $count } 件のリクエストが失敗しました（最後のエラー番号は { $last }）。
trace-saw-stall = { $device } では、{ $count } 件が処理中だったのに、開始から { $at } の時点より { $length } の間、何も完了しませんでした。
trace-saw-stall-to-the-end = { $device } では、{ $count } 件が処理中だったのに、開始から { $at } の時点より最後までの { $length } の間、何も完了しませんでした。
trace-saw-swapping = この間にカーネルはスワップを行いました: 読み込み { $read }、書き出し { $written }。
trace-saw-slow-sync = { $task } の最も遅い { $call }（{ $count } 回中）には { $length } かかりました。そのうちデバイスが動作していたのは { $device_time }、キャッシュのフラッシュは { $flush_time } です。
trace-saw-slow-sync-partly = { $task } の最も遅い { $call }（{ $count } 回中）には { $length } かかりましたが、観測できたのはその一部です。少なくともデバイスの動作が { $device_time }、キャッシュのフラッシュが { $flush_time } を占めます。
trace-saw-flush-storm = { $device } のキャッシュのフラッシュ { $flushes } 件が { $storms } 回に集中し、フラッシュが時間の { PERCENT($share) } を占めました。要求の回数を減らせば書き込みは速くなります。
trace-saw-requeues = { $device } はキューが満杯のため、{ $count } 件のリクエスト（{ PERCENT($share) }）を未処理のまま差し戻しました。
trace-saw-device-bound = 時間の多くはデバイスで費やされています。{ $device } へのリクエストが完了するまでの時間の { PERCENT($share) }（平均 { $mean }）をデバイスが占めました。
trace-saw-waits = 時間の多くは待ちに費やされています。{ $device } へのリクエストが完了するまでの時間の { PERCENT($share) }（平均 { $mean }）は、デバイスに送られる前の待ちでした。デバイスが同時に持っていたのは最大 { $depth } 件です。
trace-saw-one = { $device } のリクエストは 1 つずつ処理されました（同時に { FIXED($depth, decimals: 1) } 件、時間の { PERCENT($share) }）。速度はレイテンシで決まるため、同時の数を増やせば処理量が増えます。
trace-saw-sequential =
    { $device } { $class ->
        [read] からの読み取り
       *[write] への書き込み
    }は主にシーケンシャルでした（{ PERCENT($share) }）。サイズの中央値は { BINARY($size) } です。
trace-saw-streams =
    { $device } { $class ->
        [read] からの読み取り
       *[write] への書き込み
    }は主に、同時に進む複数のシーケンシャルなストリームでした（{ PERCENT($share) }）。サイズの中央値は { BINARY($size) } です。
trace-saw-random =
    { $device } { $class ->
        [read] からの読み取り
       *[write] への書き込み
    }は主にランダムでした（{ PERCENT($share) }）。サイズの中央値は { BINARY($size) } です。
trace-saw-small =
    { $device } { $class ->
        [read] からの読み取り
       *[write] への書き込み
    }はシーケンシャルなのに { BINARY($size) } 単位に分かれています。単位を大きくすれば負担が減ります。
trace-saw-splits = { $device } への要求 { $count } 件（{ PERCENT($share) }）は、一度に受け付けられるサイズを超えるため分割されました。
trace-saw-writeback = カーネルは { $device } に { $bytes } をバックグラウンドで書き込みました（書き込みの { PERCENT($share) }）。プログラムはそれを先にメモリへ書いていました。
trace-saw-writer = その大半をメモリに書いたのは { $task } です（ページの { PERCENT($share) }）。

## 表

trace-operations = 操作
trace-reads = 読み取り
trace-writes = 書き込み
trace-others = 破棄など
trace-flushes = フラッシュ
trace-discards = 破棄
trace-zeroes = ゼロの書き込み
trace-zones = ゾーンの操作
trace-passthrough = その他のコマンド
trace-flag-sync = 完了を待つもの
trace-flag-preflush = 先にフラッシュするもの（PREFLUSH）
trace-flag-fua = 完了時に媒体に書き込まれているもの（FUA）
trace-flag-meta = ファイルシステムのメタデータ
trace-flag-ahead = 先読み
trace-flag-atomic = アトミック
trace-sizes = サイズと順序
trace-phases = 段階
trace-phases-share = リクエストが完了するまでの時間の { PERCENT($share) } をデバイスが占めました（{ $device }）。
trace-phases-note = 時間は bio ごとの値で、3 つの bio からなるリクエストは 3 回数えます。英字の略号は btt のものです。パーセンタイルは、それを超える値が 10 個以上ある場合だけ示します。
trace-phase-q2g = キュー投入からリクエストの割り当てまで（Q2G）
trace-phase-g2i = リクエストの割り当てからスケジューラーまで（G2I）
trace-phase-q2i = キュー投入からスケジューラーまで（Q2I）
trace-phase-q2m = キュー投入からマージまで（Q2M）
trace-phase-g2d = リクエストの割り当てからドライバーまで（G2D）
trace-phase-i2d = スケジューラー内（I2D）
trace-phase-m2d = マージからドライバーまで（M2D）
trace-phase-q2d = ドライバーに届くまでの全体（Q2D）
trace-phase-d2c = デバイス（D2C）
trace-phase-q2c = 全体（Q2C）
trace-depth = 同時に処理中の数
trace-depth-device = デバイス
trace-depth-waiting = デバイスの手前で待機
trace-processes = 発行元
trace-dirtied = メモリに書いたプロセス
trace-dirtied-note = ページ（または複数ページのフォリオ）はダーティになったときに数えます。そのサイズをカーネルは示しません。デバイスに届く前に再び書かれたページは一度だけ数えます。ファイルはデバイスと inode で示します。
trace-understated = 一度に数えられる数よりスレッドが多かったため、それぞれ最大 { $bytes } 少ない可能性があります。
trace-stalls = 停止と遅いリクエスト
trace-request =
    { $kind ->
        [read] セクター { $sector } の読み取り { BINARY($size) }
        [write] セクター { $sector } の書き込み { BINARY($size) }
        [flush] フラッシュ
       *[other] セクター { $sector } の { BINARY($size) }
    }
trace-syncs = 媒体を待った呼び出し
trace-syncs-note = 呼び出しの間にデバイスが行ったことは、すべてのプログラムのものです。ジャーナルが誰のために書くかはイベントから分かりません。残りの時間は、ファイルシステム、ロック、プロセッサーを待っていました。
trace-section-flushes = フラッシュ
trace-storms-note = 50 ms 以内に続いた 20 件以上のフラッシュ:
trace-column-asked = 要求
trace-column-sent = 送信
trace-column-bytes = バイト数
trace-column-dirtied = ページまたはフォリオ
trace-column-least = 最小
trace-column-median = 中央値
trace-column-largest = 最大
trace-column-commonest = 最頻値
trace-column-sequential = シーケンシャル
trace-column-streams = ストリーム内
trace-column-size = サイズ
trace-column-kind = 種類
trace-column-count = 件数
trace-column-share = 割合
trace-column-mean = 平均
trace-column-longest = 最長
trace-column-mean-busy = 動作中の平均
trace-column-most = 最大
trace-column-busy = 動作中
trace-column-reads = 読み取り
trace-column-writes = 書き込み
trace-column-others = 破棄
trace-column-mean-whole = 平均時間
trace-column-file = ファイル
trace-column-by = プロセス
trace-column-stall-at = 停止の時点
trace-column-at = 時点
trace-column-length = 長さ
trace-column-at-device = デバイス
trace-column-waiting = 待機
trace-column-oldest = 最も古いリクエスト
trace-column-slow-at-device = デバイスで遅いリクエストの時点
trace-column-slow-overall = 全体で遅いリクエストの時点
trace-column-request = リクエスト
trace-column-depth = 深さ
trace-column-call = 呼び出し
trace-column-in-flush = フラッシュ
trace-column-in-device = デバイスの動作
trace-column-in-host = 残り
trace-column-requests = bio
trace-column-failed = 失敗
trace-column-storms = 集中

## 図

trace-charts = 時間による変化
trace-chart-offset = デバイス上の位置
trace-chart-offsets = { $device } 上のリクエストの位置とサイズ
trace-chart-latency = レイテンシ
trace-chart-device-latencies = リクエストが { $device } にあった時間
trace-chart-whole-latencies = { $device } へのリクエストが完了するまでの時間
trace-chart-not-reads = 書き込みなど
trace-chart-note = リクエスト { $requests } 件を { $width } 幅のセル { $cells } 個にまとめました。近いセルは 1 つの点にまとめ、省いたものはありません。
trace-chart-phases = { $device } へのリクエストの時間の内訳
trace-chart-over-time = 発行元と処理中の数
trace-chart-submitters = 発行元
trace-chart-depth = 深さ、{ $device }

## 分からないこと

trace-losses = 欠けているもの
trace-events-read = 読み出したイベント
trace-events-lost = 失われたイベント
trace-accounted = カーネルの集計と一致
trace-buffers = バッファー
trace-buffers-of = CPU { $cpus } 個にそれぞれ { $size }
trace-absent-events = このカーネルにないイベント
trace-late = 後の記録より遅れて届いた記録
trace-unfinished-calls = 戻っていない呼び出し
trace-lost-cpus = イベントを失った CPU
trace-out-of-order = 順序の乱れた記録
trace-events-of-others = その他のデバイスのイベント
trace-begun-before = トレース前に始まり完了したもの
trace-queued-before = トレース前にキューに入り発行されたもの
trace-completions-after-loss = 喪失後の、始まりのない完了
trace-issues-after-loss = 喪失後の、キュー投入のない発行
trace-unfinished-bios = 終了時に処理中の bio
trace-unfinished-requests = 終了時にデバイスにあったリクエスト
trace-given-up = 喪失のため追跡をやめたもの
trace-caution-vanished = { $device } はトレース中に取り外されました。それまでの分を示します。
trace-caution-partition = { $part } にあるものだけを数えています。{ $disk } の他の部分の { $count } イベントは除きました。フラッシュには位置がないため、ディスク全体のものです。
trace-caution-stacked = { $device } は { $members } の上にあり、それらはトレースしていません。下に届くものを見るには、それらも指定してください。
trace-caution-torn = { $file } は記録の途中で終わっているか、書き終わっていません。完全な部分を示します。
trace-caution-damaged = { $file } は壊れています。読めた部分を示します。
trace-caution-unread = { $count } 件の記録を読めませんでした。
trace-caution-left-in-memory = コマンドの終了時にメモリに残っていたものがすべて書き込まれる前に、トレースが終わりました。その後に書き込まれた分は含まれません。
trace-caution-command-longer = コマンドより先にトレースが終わりました。その後の動作は含まれません。
