# What observers saw, and what they cost.

finding-host-queue =
    { $by ->
        [allotted] リクエストはホスト内で待っています。カーネルが { RESOURCE($resource) } に同時に割り当てるのは、受け取れる { FIXED($takes) } 個のうち { FIXED($most) } 個（nr_requests）で、すべて使われており、負荷が進めている操作は { FIXED($under_way) } 個です
        [writeback] ライトバックの抑制（wbt）が結果を制限しています。{ RESOURCE($resource) } の読み取りを { SHORT($kept_s, unit: "s") }（wbt_lat_usec）以内に保つため、カーネルはページキャッシュで待つ書き込みを一度に { FIXED($had, decimals: 1) } 個しか渡しません
       *[trace] { host-queue-traced }
    }
    .advice = { $by ->
        [allotted] デバイスに割り当てるリクエストを増やすと（--set queue-requests、nr_requests）、同時にもっと処理できるかが分かります
        [writeback] レイテンシの目標を長くするかなくすと（--set wbt=0）、より多くの書き込みが同時にデバイスに渡ります
       *[trace] { host-queue-advice }
    }
evidence-requests-in-use = { RESOURCE($resource) } に割り当てられたリクエスト { FIXED($most) } 個のうち平均 { FIXED($had, decimals: 1) } 個が進行中
evidence-writes-at-once = { RESOURCE($resource) } で平均 { FIXED($had, decimals: 1) } 個の書き込みが進行中
host-queue-traced =
    { $to ->
        [0] {""}
       *[other] 同時に進行する操作を { FIXED($from) } 個から { FIXED($to) } 個に増やしても{ $change ->
            [less] 速度はかえって { PERCENT($more) } 下がり、
           *[more] 速度は { PERCENT($more) } しか伸びず、
        }
    }リクエストは時間の { PERCENT($waiting) }（{ SHORT($whole_s, unit: "s") } のうち { SHORT($wait_s, unit: "s") }）をホスト内で { RESOURCE($resource) } を待って過ごします: デバイスに同時に渡されたのは{ $takes ->
        [0] {""}
       *[other] 受け取れる { FIXED($takes) } 個のうち
    }最大 { FIXED($most) } 個です
host-queue-advice = キュー深さを増やしてもこのキューが長くなるだけです。別の I/O スケジューラーを使う（--set scheduler=none）、またはキューの要求数（--set queue-requests）やドライバー自身のキューを増やすと、デバイスが同時にもっと処理できるかが分かります
evidence-block-phases =
    カーネルのイベントでは、{ RESOURCE($resource) } は{ $requests ->
        [no] 各 bio を { SHORT($device_s, unit: "s") } 保持しました
       *[yes] 各リクエストを { SHORT($whole_s, unit: "s") } のうち { SHORT($device_s, unit: "s") } 保持し、リクエストは時間の { PERCENT($waiting) } をホスト内で待ちました
    }{ $direct ->
        [yes] 。負荷は 1 操作につき { SHORT($latency_s, unit: "s") } 待ちました
       *[no] {""}
    }: { $most ->
        [device] 大半はデバイス自身の時間
        [host] 大半はその前のキュー
        [upper] 大半は bio をそこへ渡す { RESOURCE($other) } の中
        [above] 大半はブロック層より上
       *[both] デバイスもその前のキューも大半ではない
    }
finding-device-pushes-back =
    { RESOURCE($resource) } はこれ以上受け取りません: ドライバーがリクエストの { PERCENT($share) } を未処理のまま差し戻しました（全試行で { FIXED($issued) } 個のうち { FIXED($requeued) } 個）
    .advice = キュー深さを減らすと同時に求める量が減ります。デバイスが飽和しているなら失うものはありません
evidence-requeued = { FIXED($issued) } 個のリクエストのうち { FIXED($requeued) } 個をドライバーが未処理のまま差し戻した
finding-observer-cost =
    { $how ->
        [sure] 観測（{ $name }）のオーバーヘッドは結果の { PERCENT($cost, decimals: 1) }（{ PERCENT($low, decimals: 1) } から { PERCENT($high, decimals: 1) }、試行 { FIXED($pairs) } 組）です
        [most] 観測（{ $name }）にオーバーヘッドがあるかは、試行 { FIXED($pairs) } 組では分かりません: 最大でも結果の { PERCENT($high, decimals: 1) } です
       *[none] 観測（{ $name }）のオーバーヘッドは、試行 { FIXED($pairs) } 組では見られません
    }。数値は観測なしの試行のものです{ $much ->
        [yes] 。観測されたのは、それだけ遅くなった負荷です
       *[no] {""}
    }
finding-trace-lost =
    カーネルに空きがなく、ブロックトレースのイベント { FIXED($lost) } 個が失われました（読み出したのは { FIXED($events) } 個）: 件数は実際より少なく、時間は観測できたリクエストだけのものです

verdict-host-queue = { $resource } の前のキュー
verdict-device-pushes-back = { $resource } がこれ以上受け取らない
conclusion-host-queue = ホスト内の { $resource } の前のキューが限界: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-device-pushes-back = { $resource } が限界（これ以上受け取らない）: { $rate }{ conclusion-where }{ conclusion-then }

phase-load = 負荷が 1 操作を待った時間
phase-q2g = リクエストの割り当て待ち（Q2G）
phase-g2i = スケジューラーに届くまで（G2I）
phase-i2d = I/O スケジューラー内（I2D）
phase-q2d = ドライバーに届くまでの全体（Q2D）
phase-d2c = ドライバーとデバイス（D2C）
phase-q2c = 経路全体（Q2C）

column-phase = 経路の区間
column-phase-count = 件数
column-phase-mean = 平均
column-phase-p50 = p50
column-phase-p99 = p99
column-phase-share = 経路全体に占める割合
block-phases-table = リクエストの時間の内訳（カーネルのイベントによる）
block-requests-table = デバイスに届いたもの（トレースした全試行）
column-trace-queued = 届いた bio
column-trace-would-block = 即時に戻った bio
column-trace-merged = マージ
column-trace-split = 分割
column-trace-issued = 発行
column-trace-requeued = 差し戻し
column-trace-flushes = フラッシュ
column-trace-size = 最も多いサイズ
column-trace-sequential = シーケンシャル
column-trace-depth = 深さ（平均）
column-trace-depth-max = 深さ（最大）
column-trace-lost = 失われたイベント

figure-block-phases = { $resource } へのリクエストの時間の内訳
figure-block-phases-note = すべての曲線はトレースした試行のもので、同じ時計で測っています。
