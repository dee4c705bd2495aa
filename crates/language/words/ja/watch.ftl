### A machine that is watched while others use it.

## The first line

watch-nearest =
    { $resource }: { $state ->
        [full] { $what }の { $share } で満杯
        [idle] { $what }の { $share }。ほとんど使われていません
       *[some] { $what }の { $share }。満杯まで今の負荷の約 { $more } 倍
    }{ $latency ->
        [yes] 。先に遅延が限界に達します
       *[no] {""}
    }
watch-also-full = 。ほかに満杯: { $names }
watch-also-unknown = 。どれだけ出せるか不明: { $names }
watch-silent = 。応答なし: { $names }
watch-nearest-memory = { $resource }: { $share } 使用中、残り { $left }
watch-nothing = 使われているもののうち、限界のわかるものはありません。
watch-unknown-wait =
    { $resource }: タスクが時間の { PERCENT($waits) } ディスクを待っていますが、このような混合でどれだけ出せるかは不明です{ $study ->
        [none] {""}
       *[some] 。測定するには: { $study }
    }
watch-starting = 最初の数値はまもなく出ます。

## Of what

watch-of-mixes = 似た混合で出した値
watch-of-goodput = 実行で運んだ値
watch-of-syncs = 同期した実行で得たフラッシュ
watch-of-link = リンクが運ぶ値
watch-of-datasheet = データシートが約束する値
watch-of-quota = 許された値（{ $source }）
watch-of-cpus = 全 { $count } 個
watch-of-memory = メモリ

## Where a limit is from

watch-from-mixes =
    { $age ->
        [unknown] 測定済み
       *[known] { $age } 前に測定
    }: { $mixes }。{ $shallow ->
        [yes] 同時 { $knee } 個より多ければ、もっと出せるかもしれない
       *[no] 同時 { $knee } 個から満杯
    }
watch-from-goodput =
    { $age ->
        [unknown] 測定済み
       *[known] { $age } 前に測定
    }
watch-from-hardware = ある分だけ
watch-unknown = 不明
watch-study = 不明。測定するには: { $study }
watch-mix-random = { $size } ランダム、読み { PERCENT($reads) }
watch-mix-sequential = { $size } 順次、読み { PERCENT($reads) }

## Resources

watch-group = コントロールグループ { $name }
watch-group-device = { $device } 上のコントロールグループ { $name }
watch-cpu-detail =
    { $online } 個のうち { FIXED($busy, decimals: 2) } 個使用、最も忙しいもの { PERCENT($busiest) }{ $stolen ->
        [0] {""}
       *[other] 、奪われた分 { FIXED($stolen, decimals: 2) }
    }
watch-disk-detail = 読み { $reads }、{ $read }、{ $readtime }。書き { $writes }、{ $written }、{ $writetime }。同時 { FIXED($depth, decimals: 1) } 個
watch-nic-detail =
    受信 { $in }、{ $packetsin }。送信 { $out }、{ $packetsout }。パケット { $size } バイト{ $dropped ->
        [0] {""}
       *[other] 。破棄 { $dropped }
    }
watch-memory-traffic = メモリ帯域
watch-memory-detail =
    { $total } のうち { $used }{ $swapped ->
        [0] {""}
       *[other] 。スワップ { $swapped }
    }{ $traffic ->
        [none] 。帯域のカウンターなし
       *[some] {""}
    }
watch-group-detail =
    { $cpu ->
        [unknown] CPU 時間は数えられていない
       *[other] CPU { FIXED($cpu, decimals: 2) } 個
    }{ $stopped ->
        [unknown] {""}
       *[other] 、周期の { PERCENT($stopped) } で停止
    }
watch-phases =
    { $class ->
        [read] 読み
        [write] 書き
       *[other] 破棄など
    }: ドライバーまで { $driver }（うちリクエスト待ち { $request }）、続いてデバイスで { $device }、100 個に 1 個は { $slow } 超
watch-group-device-detail = 読み { $reads }、{ $read }。書き { $writes }、{ $written }

## The screen

watch-column-resource = 資源
watch-column-share = 使用
watch-column-now = 今
watch-column-limit = 限界
watch-column-process = プロセス
watch-column-cpu = CPU
watch-pressure = タスクが待った時間: CPU { PERCENT($cpu) }、メモリ { PERCENT($memory) }、ディスク { PERCENT($io) }
watch-cost = 監視に CPU の { $cost }
watch-cost-traced = 監視と追跡に CPU の { $cost }。イベント { $events } は入出力する側の時間も使う
watch-trace-broken = 追跡が途切れました: { $why }
watch-paused = 一時停止
watch-keys = q 終了  space 一時停止  s プロセスの並べ替え  矢印 スクロール
watch-keys-short = q 終了  space 停止  s 並替
watch-verdict = 判定: { $text }
watch-no-verdict = 判定: 妨げているものは見えません
watch-window = { $seconds } 秒間
watch-small = 端末が小さすぎます: 40 列 8 行が必要です。
