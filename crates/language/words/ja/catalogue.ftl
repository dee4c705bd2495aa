# Workloads, metrics and ready studies, whose English stands with them.

workload-cpu-primes = 整数除算: 試し割りによる素数の数え上げ（sysbench cpu）
workload-memory-bandwidth = スレッドがメモリを毎秒読み取り、書き込み、コピー、結合するバイト数
workload-disk = ファイルのシーケンシャルまたはランダムな読み書き
workload-null = 何もしない: エンジン自体のコスト

metric-iops = 毎秒完了した読み取りと書き込みの数です。
metric-title-iops = IOPS
metric-operations-per-second = 毎秒完了した操作の数です。
metric-title-operations-per-second = 毎秒の操作数
metric-events-per-second = 毎秒完了したイベントの数で、sysbench と同じ数え方です。
metric-title-events-per-second = 毎秒のイベント数
metric-throughput = 毎秒移動したバイト数です。
metric-title-throughput = スループット
metric-throughput-copied-once = コピーしたバイトを mbw と同じく一度だけ数えた値です。コピー（copy）にだけあります。
metric-title-throughput-copied-once = スループット（コピーを一度だけ数える）
metric-throughput-bus-estimate = メモリバスを通る量の推定値です。通常のストアは上書きするキャッシュラインを先に読み込む（write-allocate）ため、書いたバイトを二度数えます。キャッシュより大きい範囲でのみ意味があります。
metric-title-throughput-bus-estimate = メモリバスのスループット（推定）
metric-elapsed = 要求された操作がすべて完了するまでの時間です。操作数で試行を終えるときだけあります。
metric-title-elapsed = 所要時間
metric-cpu-per-operation = 操作一回あたりのワーカーの CPU 時間（ユーザーとカーネル）です。オープンループでは、操作の予定時刻の直前にワーカーがスピンして待つ 60 us を含みます。ワーカーのために働くカーネルスレッドの時間は含みません。
metric-title-cpu-per-operation = 操作あたりの CPU 時間
metric-user-cpu-per-operation = 操作一回あたりの、ユーザーモードでのワーカーの CPU 時間です。
metric-title-user-cpu-per-operation = 操作あたりのユーザー CPU 時間
metric-cpu-per-byte = 移動した一バイトあたりのワーカーの CPU 時間です。
metric-title-cpu-per-byte = バイトあたりの CPU 時間
metric-late-starts = オープンループで、予定時刻より 0.1 ms を超えて遅れて始まった操作の数です。
metric-title-late-starts = 遅れて始まった操作
metric-unfinished = オープンループで、測定区間内に予定されていたが終わりまでに完了しなかった操作の数です。それまでの待ち時間はレイテンシに含まれます。
metric-title-unfinished = 完了しなかった操作
metric-latency-p50 = 操作の半分がこの時間以内に完了しました。
metric-title-latency-p50 = p50 レイテンシ
metric-latency-p90 = 操作の 90 % がこの時間以内に完了しました。
metric-title-latency-p90 = p90 レイテンシ
metric-latency-p99 = 操作の 99 % がこの時間以内に完了しました。
metric-title-latency-p99 = p99 レイテンシ
metric-latency-p99-9 = 操作の 99.9 % がこの時間以内に完了しました。
metric-title-latency-p99-9 = p99.9 レイテンシ
metric-latency-max = 試行の中で最も長くかかった操作の時間です。
metric-title-latency-max = 最大レイテンシ
metric-service-time-p50 = オープンループ: 操作の半分が、開始からこの時間以内に完了しました。
metric-title-service-time-p50 = p50 サービス時間
metric-service-time-p99 = オープンループ: 操作の 99 % が、開始からこの時間以内に完了しました。
metric-title-service-time-p99 = p99 サービス時間

study-overview-title = 概要
study-overview-question = このサーバーのプロセッサー、メモリ、ディスクはどのくらい速いですか？
