### 用語: trial 試行、case ケース、run 実行、window 測定区間、confidence interval 信頼区間、median 中央値、
### throughput スループット、latency レイテンシ、queue depth キュー深さ、operation 操作、worker ワーカー、
### bottleneck ボトルネック、limit 上限(full 飽和)、quota クォータ、promise 約束された値、resource リソース、
### machine サーバー、part 部品、finding 診断結果、figure(数) 値・数値。
### 題と表の見出しは体言止め、文はです・ます。括弧は全角、コロンは半角に空白、範囲は「 ～ 」。
### 数と単位の語、英字や変数と助詞の間には半角の空白を置く。

## The page itself

page-skip = 本文へ移動
page-contents = 目次
page-figure = 図 { $number }
page-data = データ
page-evidence = 根拠
page-untitled = 測定
page-tile-what = 対象
page-tile-value = 値
page-tile-interval = 95 % 信頼区間
page-tile-against = 上限と警告
footer = Headroom { $version } が実行 { $run } の記録から作成したページです。
terminal-more = `{ $command }` は次も表示します: { $sections }。
doctor-nothing = 測定を妨げるものは見つかりませんでした。
doctor-no-errors = その時刻以降、数えられたエラーも記録されたエラーもありません。
doctor-sources =
    ここでエラーを数えているのは、メモリコントローラー（ECC）{ $memory } 個、PCI Express ファンクション { $links } 個、ネットワークアダプター { $adapters } 個、ドライブ { $drives } 台です。0 の種類については何もわかりません。カーネルのログは{ $log ->
        [unread] 読めません。
        [cut] 直近の { SPAN($seconds) } までしか残っていません。
       *[whole] その時間のすべてを含みます。
    }
range = { $low } ～ { $high }
and-more = ほか { $count } 件
yes = はい
no = いいえ
cases = { $count } ケース
cases-of = { $total } ケース中 { $count }
trials = 試行 { $count } 回
warnings = 警告 { $count } 件
errors = エラー { $count } 件
severity-error = エラー
severity-warning = 警告
severity-note = 参考
kind-bottleneck = ボトルネック
kind-proof = 実証
kind-promise = 約束された値

## In short

answer-title = 要約
answer-question = 答え
answer-absorbs-yes = はい
answer-absorbs-head = 最初だけ
answer-absorbs-no = いいえ
answer-absorbs-elsewhere = 別の原因
answer-absorbs-unknown = 判断不可
answer-accepts-yes = 合格
answer-accepts-no = 不合格
answer-fast = 速さ
answer-limits = 制限要因
answer-room = 最も近い上限
room-most =
    { $count ->
       [1] { $used }: { $case }
    *[other] { $used }（{ $total } ケース中 { $count }）、最大: { $case }
    }
answer-promised = 約束の達成
answer-health = 信頼性
answer-kept = 達成
answer-none-kept = 未達
answer-not-kept = 一部未達
answer-kept-none = 未達
answer-kept-unsure = 判断不可
answer-kept-untested = 試験なし
answer-promises-kept =
    { $kept ->
       [0] 約束された値 { $total } 件のうち達成なし
    *[other] 約束された値 { $total } 件のうち { $kept } 件達成
    }
answer-promises-missed = { $count } 件未達
answer-promises-unsure = { $count } 件判断不可
answer-promises-untested = { $count } 件試験なし
promise-column = 約束
promise-column-value = 約束された値
promise-column-case = 比べたケース
promise-column-measured = 測定値
promise-column-share = 割合
promise-column-verdict = 判定
promise-kept = 達成
promise-short = 未達
promise-beyond = ドライブの値より速い
promise-unsure = 判断不可
promise-untested = 試験なし
promise-least = { $value } 以上
promise-most = { $value } 以下
promise-of-sheet = { $promise }（データシート）
promise-best-of = { $case }（{ $count } 件のうち最良）
promise-worst-of = { $case }（{ $count } 件のうち最悪）
promises-note = 約束された値の 95 % 以上を達成とします。信頼区間がその境界をまたぐ場合は判断できません。ランダムの値は同時に 32 件以上を処理したケースと、シーケンシャルの値はブロックが 128 KiB 以上で同時に 4 MiB 以上を処理したケースと比べます。
answer-promise-unknown = 約束された値と比べられる測定値がありません。
health-good = 問題なし
health-care = 要注意
health-bad = 一部は信頼不可
health-good-text = 値を疑わせる点は見つかりませんでした。
health-care-text =
    { $doubts ->
         [0] 値に関する警告はなく
    *[other] 値に関する警告が { $doubts } 種あり
    }、{ $conditions ->
         [0] サーバーの状態に関する警告はありません。
    *[other] サーバーの状態に関する警告が { $conditions } 件あります。
    }
health-bad-text =
    一部の値はそのまま受け取れません。値への疑問が { $doubts } 種あり、{ $conditions ->
         [0] サーバーの状態に関する警告はありません。
    *[other] サーバーの状態に関する警告が { $conditions } 件あります。
    }
ending-title = 終了時の状態
ending-interrupted = 実行は中断されました。それまでに完了した分だけを載せています。
ending-unfinished = 実行は終わっていません（実行中か、強制終了）。完了した分だけを載せています。
ending-budget = 時間の予算を使い切ったため、一部のケースは予定の試行回数に達していません。
ending-resumed = 実行は { $stopped } に止まり、{ $resumed } に再開されました。試行はブロック内で比較され、この中断をまたぐブロックはありません。
ending-resumed-killed = 実行は { $stopped } より後のある時点で途切れ、{ $resumed } に再開されました。試行はブロック内で比較され、この中断をまたぐブロックはありません。
ending-no-trial = 完了した試行がないため、測定値はありません。
ending-failed = 試行 { $count } 回が失敗しました。
ending-skipped = 試行 { $count } 回をスキップしました。

## Verdicts in a few words

verdict-one-core-full = 1 コアが飽和
verdict-window-bound = TCP ウィンドウ
verdict-sender-cpu = 送信側のプロセッサー
verdict-receiver-cpu = 受信側のプロセッサー
verdict-reordering-bound = セグメントの順序の入れ替わり
verdict-path-full = 経路が満杯
verdict-loss-bound = パケット損失
verdict-server-bound = サーバー
verdict-device-bound = デバイス
verdict-presenter-cpu-full = ノードの CPU
verdict-presenter-device-bound = ノードのデバイス
verdict-dirty-throttled = ダーティスロットリング
verdict-round-trip-bound = 往復時間
verdict-client-bound = クライアント
verdict-server-cpu-bound = データベースのプロセッサー時間
verdict-lock-bound = ロック
verdict-log-flush-bound = ログのフラッシュ
verdict-page-read-bound = ページの読み出し
verdict-own-cores-full = 負荷が動ける CPU が使用中
verdict-interrupt-cpu-full = { $resource } が割り込みで飽和
verdict-all-cores-full = 全 CPU が使用中
verdict-memory-bandwidth-full = メモリ帯域が飽和
verdict-memory-latency = 読み出しごとに前の読み出しを待つ
verdict-threads-stopped = 止められたスレッド
verdict-swap-bound = スワップ
verdict-reclaim-bound = コントロールグループのメモリ
verdict-device-full = { $resource } が飽和
verdict-limit-reached = { $resource } が限界
verdict-link-full = { $resource } が飽和
verdict-io-quota = { $resource } のクォータで制限
verdict-allowance-exceeded = { $resource } が提供者の上限に到達
verdict-bucket-used-up = { $resource } の貯めた分を使い切り
verdict-constant-limit = { $resource } が一定の速度に制限
verdict-credits-used-up = CPU クレジットを使い切り
verdict-overloaded = 過負荷
verdict-clock-held = 低く抑えられたプロセッサのクロック
verdict-steal-bound = ハイパーバイザーに CPU 時間を取られる
verdict-io-control = コントロールグループの I/O コントローラー
verdict-copy-on-write = { $resource } のコピーオンライト
verdict-cpu-quota = CPU クォータで制限
verdict-scheduler-bound = 測定対象そのもの: スレッド、タイマー、システムコール
verdict-latency-bound = { $resource } の応答待ち
verdict-cannot-tell = 不明

## What limits, and what more would buy

conclusion-where =
    { $position ->
        [from] （{ $place } から）
        [at] （{ $place }）
       *[none] {""}
    }
conclusion-then =
    { $then ->
        [waits] 。それ以上は{ $counted ->
            [yes] 待ちが増えるだけです
           *[no] 処理の待ちが増えるだけです
        }
        [nothing] 。それ以上増やしても伸びません
        [little] 。それ以上はわずかしか伸びず、{ $counted ->
            [yes] 待ちが長くなります
           *[no] 処理の待ちが長くなります
        }
        [tried] 。試した中で最大の値です
        [time] 。さらに調べる時間がありませんでした
       *[none] {""}
    }
conclusion-rate =
    { $what ->
        [reads] 毎秒 { $figure } 回の読み取り
       *[writes] 毎秒 { $figure } 回の書き込み
    }
conclusion-other = { $verdict }: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-cannot-tell = 制限要因は不明: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-constant-limit = { $resource } の、どこにも示されていない一定の制限が限界: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-bucket-used-up = { $resource } の貯めた分を使い切り、基本の速度 { SHORT($base, $unit) } が限界、測定値: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-credits-used-up = CPU クレジットを使い切り、それなしで得られる CPU { FIXED($base, decimals: 1) } 個分の時間が限界: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-overloaded = 処理できるより多くが要求されています: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-clock-held = 低く抑えられたプロセッサのクロックが限界: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-steal-bound = ハイパーバイザーに取られる CPU 時間が限界: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-threads-stopped = スレッドが一部の時間実行されないことが限界: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-swap-bound = メモリが限界（スワップ発生）: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-reclaim-bound = コントロールグループのメモリが限界（タスクが空きを待つ）: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-interrupt-cpu-full = 割り込みを処理する { $resource } が限界: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-syncs =
    { $syncs ->
        [yes] 、時間の { PERCENT($sync_share) } は { SHORT($sync_s, unit: "s") } の同期
       *[no] {""}
    }
conclusion-device-full =
    { $resource } が限界{ $others ->
        [yes] （転送量のうち負荷の分は半分以下）
       *[no] {""}
    }: { $rate }{ conclusion-where }{ conclusion-then }{ conclusion-syncs }
conclusion-limit-reached = { $resource } が限界: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-link-full = { $resource } が限界: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-io-quota = { $resource } のクォータが限界: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-allowance-exceeded = 提供者が { $resource } に認める量が限界: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-io-control = コントロールグループの I/O コントローラーが限界: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-copy-on-write = { $resource } のコピーオンライトが限界: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-cpu-quota = CPU クォータが限界: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-memory-bandwidth-full = メモリ帯域が限界: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-scheduler-bound = 測定対象そのものが限界: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-sender-cpu = 送信側のプロセッサーが限界: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-receiver-cpu = 受信側のプロセッサーが限界: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-slowed =
    { $slowed ->
        [heat] （熱のため減速）
        [power] （電力の上限のため減速）
       *[no] {""}
    }
conclusion-one-core-full =
    { $threads ->
        [1] { $client ->
            [yes] クライアントの{" "}
           *[no] {""}
        }1 コアが限界
       *[other] { $client ->
            [yes] クライアントの{" "}
           *[no] {""}
        }{ FIXED($threads) } スレッドのコアが限界
    }{ conclusion-slowed }: { $rate }{ conclusion-where }{ conclusion-then }{ $spare ->
        [0] {""}
       *[other] 。このサーバーにはコアがもう { $spare } つあります
    }
conclusion-own-cores-full =
    { $ours ->
        [yes] 使える CPU のすべてである { $resource } が限界
       *[no] ほかと分け合う { $resource } が限界
    }{ conclusion-slowed }: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-all-cores-full =
    { $cpus ->
        [1] 唯一の CPU が限界
       *[other] { FIXED($cpus) } 個の CPU すべてが限界
    }{ $shared ->
        [yes] （一部はほかが使用）
       *[no] {""}
    }{ conclusion-slowed }: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-memory-latency =
    { $memory ->
        [yes] メモリの応答時間が限界
       *[no] キャッシュの応答時間が限界
    }: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-latency-bound =
    { $resource } の応答待ちが限界: { $rate }、一度に { FIXED($depth) } 個、1 個に { SHORT($latency_s, unit: "s") }{ conclusion-syncs }
conclusion-round-trip-bound =
    往復時間が限界: { $rate }、一度に { FIXED($outstanding) } 個、応答まで { SHORT($latency_s, unit: "s") }
conclusion-client-bound = サーバーではなくクライアントが限界: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-server-cpu-bound =
    { $engine ->
        [library] プロセッサーが限界
       *[server] サーバーのプロセッサーが限界
    }: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-lock-bound = ロックが限界（クライアントが互いを待つ）: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-log-flush-bound = ログのフラッシュが限界: { $rate }{ conclusion-where }、クライアントは時間の { PERCENT($share) } それを待つ{ conclusion-then }
conclusion-page-read-bound = ページの読み出しが限界: { $rate }{ conclusion-where }、クライアントは時間の { PERCENT($share) } それを待つ{ conclusion-then }
conclusion-server-bound =
    サーバーが限界: { $rate }{ $how ->
        [stream] 、クライアントは時間の { PERCENT($share) } サーバーを待つ{ conclusion-then }
        [upload] 、クライアントは時間の { PERCENT($share) } サーバーの受信と応答を待つ{ conclusion-then }
        [threads] 、{ $machine } の応答スレッドはそれぞれ時間の { PERCENT($share) } を計算に使う{ conclusion-then }
        [file] 、相手側は時間の { PERCENT($share) } の間、自身のディスクを待つ{ conclusion-then }
        [refused] 、サーバーは要求の { PERCENT($share) } を処理しない{ conclusion-then }
       *[requests] 、一度に { FIXED($outstanding) } 個、応答まで { SHORT($latency_s, unit: "s") }、そのうち往復は { SHORT($rtt_s, unit: "s") }
    }
conclusion-device-bound = { $resource } が限界: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-presenter-cpu-full = ディスクを提供する { $machine } の CPU が限界: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-presenter-device-bound = ディスクを提供する { $machine } の { $device } が限界: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-dirty-throttled = { $resource } が限界（まだ書かれていないデータでページキャッシュが満杯）: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-window-bound =
    { $which ->
        [receive] 受信側のウィンドウが限界
        [congestion] 輻輳ウィンドウが限界
       *[send] 送信側のバッファーが限界
    }: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-reordering-bound = セグメントの順序の入れ替わりが限界: { $rate }{ conclusion-where }、セグメントの { PERCENT($share) } が順序どおりでない{ conclusion-then }
conclusion-path-full = 相手までの経路が限界: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-loss-bound =
    パケット損失が限界: { $rate }{ conclusion-where }、{ $how ->
        [timeouts] リクエストは時間の { PERCENT($share) } の間 TCP の再送を待つ
        [datagrams] データグラムの { PERCENT($share) } が損失
        [stalls] 接続は時間の { PERCENT($share) } 以上 TCP の再送を待つ
        [answers] リクエストは時間の { PERCENT($share) } の間、届かない応答を待つ
       *[segments] セグメントの { PERCENT($share) } が損失
    }{ conclusion-then }
answer-gains = 増やすと得られるもの
gain-table = 増やすと何が得られるか
gain-change = 変更
gain-predicted = 予測
gain-law = 根拠
gain-measured = 測定
gain-more = 予測のあるケースがほかに { $count } つあります。
gain-fix =
    { $fix ->
        [more] { $from } の代わりに { $to }
        [window] { $known ->
            [yes] { $from } の代わりに { $to } のウィンドウ
           *[no] 2 倍のウィンドウ
        }
        [processor] 2 倍のプロセッサー時間
        [alone] { $resource } を単独で使用
        [resource] 速さが 2 倍の{ $resource }
        [quota] { $resource } のクォータを 2 倍
       *[no-quota] CPU クォータなし
    }
gain-limit =
    { $bound ->
        [resource] { $limit } が飽和
        [workers] スレッドが計算し続ける
        [other-end] 相手側のスレッドが計算し続ける
       *[processors] 全 CPU が使用中
    }
gain-prediction =
    { $how ->
        [nothing] 伸びない{ $bound ->
            [none] {""}
           *[other] （{ gain-limit }）
        }
       *[more] { $how ->
            [range] { $least } ～ { $times } 倍
            [likely] 約 { $times } 倍
           *[most] 最大 { $times } 倍
        }{ $bound ->
            [none] {""}
           *[other] （その先は{ gain-limit }）
        }
    }
gain-tried = { $times } 倍（{ $low } ～ { $high }）
gain-tried-alone = { $times } 倍
gain-line = { $change }: { $prediction }
gain-line-tried = { $change }: { $prediction }、測定 { $measured }
gain-law-little = リトルの法則
gain-law-utilization = 利用率の法則
gain-law-window = ウィンドウ ÷ 往復時間
gain-law-amdahl = アムダールの法則
gain-law-other = このバージョンの知らない法則
general-title = この種の実行すべてに当てはまる注記（{ $count }）
general-about = このようなサーバーでのこのような測定すべてに当てはまること

## Headline figures

figures-title = 主な測定値
figures-best = 各行はその種類で結果が最も良いケースです。作業集合が異なる場合は、最も大きいものの中から選びます。
figures-interval = { $range }、{ $trials }
figures-of-limit = { $resource } の上限の { $share }（{ $limit }、{ $kind }）
figures-of-promise = 約束された { $limit } の { $share }
figures-of-datasheet = データシート値 { $limit } の { $share }
figures-with-metric =
    { $metric ->
        [IOPS] { $figure } IOPS
       *[other] { $metric } { $figure }
    }
interval-wide = 広すぎて表示せず
limit-link = リンク
limit-datasheet = データシート
limit-promise = 約束された値
limit-quota = クォータ
limit-measured = 測定値
limit-measured-low = 低く測定されすぎ
limit-hardware = ハードウェア

## Findings

findings-title = 診断結果
findings-none = 見つかった事項はありません。
findings-bottlenecks = 結果を制限している要因
findings-proofs = 実証したこと
findings-promises = 約束された値
findings-validity = 値を疑わせる点
findings-conditions = サーバーの状態
findings-whole-run = 実行全体
findings-all = 全 { $count } ケース
findings-several = { $cases }、例: { $first }
findings-cases = ケース:
findings-evidence = 根拠:
findings-ruled-out = 除外した原因:
findings-more = 同じ種類の { $count } 件はここでは省略しました。実行文書にすべてあります。
condition-before = 実行前
condition-after = 実行後
condition-both = 実行の前後

## The machine

machine-title = サーバー
machine-picture = サーバーの構成図: 部品とその間のリンク
machine-picture-path = サーバーの構成図と { $case } の経路（上限に最も近いケース）
machine-parts = 部品
machine-no-cpu = 不明なプロセッサー
machine-cpus = { $count } CPU
machine-cores = { $count } コア
machine-threads = { $count } スレッド
machine-allowed = うち { $count } 個を使用可
machine-guest = { $of } ゲスト
machine-container = { $of } 内
part-system = システム
part-firmware = ファームウェア
part-os = OS
part-kernel = カーネル
part-command-line = カーネルコマンドライン
part-guest = 仮想化
part-clock = クロックソース
part-cpu = プロセッサー
part-caches = キャッシュ
part-rate = クロック周波数
part-rate-base = 基本 { $rate }
part-turbo-on = ターボ有効
part-turbo-off = ターボ無効
part-microcode = マイクロコード
part-flaws = 脆弱性の緩和
flaws-vulnerable = 脆弱 { $count } 件
flaws-mitigated = 緩和済み { $count } 件
flaws-unknown = 不明 { $count } 件
flaws-unaffected = 影響なし { $count } 件
part-memory = メモリ
part-memory-allowed = { $bytes } まで使用可
part-nodes = NUMA ノード
part-swap = スワップ
part-swap-used = { $bytes } 使用
part-huge-pages = 透過的ヒュージページ
part-quota = コントロールグループ
part-quota-cpu = 毎秒 { $cpus } CPU 秒
part-quota-io = I/O 制限: { $devices }
part-accelerator = GPU・アクセラレーター
part-disk = ディスク
part-disk-rotating = 回転式
part-disk-firmware = ファームウェア { $firmware }
part-disk-scheduler = スケジューラー { $scheduler }
part-nic = ネットワーク
limits-title = 各部品の上限
calibration-title = 測定自体のオーバーヘッド
calibration-about = 実行前にエージェントが測定した値
quantity-cpu = CPU 時間
access-sequential = シーケンシャル
access-random = ランダム
direction-read = 読み取り
direction-write = 書き込み
limit-usual = { $least } ～ { $most }
limit-usual-way = { $way }: { $range }
limit-with-usual = { $kind }、通常 { $range }
column-resource = リソース
column-limit-of = 上限の項目
column-line = 回線速度
column-effective = 実効速度
column-usual = 通常の範囲
column-kind = 種類
column-source = 出典
column-what = 対象
column-result = 結果
column-how = 方法

## Workloads

whole-title = マシンのあらまし
workloads-title = 測定内容
workloads-constant = 全ケースに共通:
workloads-with = 条件:
workloads-table = 全 { $count } ケース
case-defaults = 既定値
case-beside = 同時実行、{ $workload }: { $metric }
case-of-limit = { $resource } の { $share }
column-case = ケース
column-interval = 95 % 信頼区間
column-n = 試行
column-limit = 上限に対する割合

## Time and tables

heat-title = 温度、クロック、電力: アイドルと負荷
heat-about = アイドルは負荷の前のアイドル時間の最後の 3 分の 1、負荷は測定区間の最後の 3 分の 1 です。温度が 1 K または上昇幅の 10 % 以内にとどまれば安定したとみなします。
heat-sensor = センサー
heat-idle = アイドル
heat-load = 負荷
heat-rise = 上昇
heat-peak = 最高
heat-steady = 安定まで
heat-half = 半分冷えるまで
heat-not-steady = 安定せず
heat-clock = クロック
heat-first = 負荷の最初の 3 分の 1
heat-last = 負荷の最後の 3 分の 1
heat-power = 電力
heat-energy = 操作 1 回のエネルギー
time-title = 時間による変化
time-about = サンプラーの観測値を一つの時間軸にそろえました。測定区間には印があります。
tables-title = すべての数値
tables-of = { $workload }: 全ケースのすべての推定値
tables-trials = すべての試行（実行順）
tables-failed = 値が得られなかった試行
tables-rest = サンプル、カウンター、分布、試行ごとの指標は実行文書にあります:
column-metric = 指標
column-median = 中央値
column-low = 区間下限
column-high = 区間上限
column-better = 良い側
column-method = 信頼区間の求め方
column-order = 順序
column-status = 状態
column-figure = 値
column-settled = 安定
column-started = 開始
better-higher = 高い側
better-lower = 低い側
status-ok = 正常
status-failed = 失敗
status-skipped = スキップ

## Method

method-title = 方法
method-about = 各ケースを複数回測定します。値は試行の中央値で、信頼区間はその値がどれだけ外れうるかを示します。
method-trials = 試行
method-trials-text = { $cases }、各 { $trials } 回
method-order = 順序
method-order-text = 完備ブロック、ブロック内は無作為な順序（シード { $seed }）
method-order-ramp = ブロックごとに最も低いレートから、負荷が破綻するまで
method-window = 測定区間
method-warm-up = ウォームアップ
method-intervals = 信頼区間
method-student-t-log = 95 %、対数のスチューデント t
method-student-t = 95 %、スチューデント t
method-order-statistic-interpolated = 95 %、順序統計量（補間）
method-none = 試行が 2 回未満ならなし
method-percentiles = パーセンタイル
method-percentiles-text = 全試行のヒストグラムを合わせて算出（最大値も含む）
method-steady = 定常状態
method-steady-text = 試行 { $judged } 回のうち { $settled } 回が測定区間の前半で安定（MSER-5）
method-unjudged-short = { $count } 回は判定なし：測定区間の間隔が最大 { $intervals } 個で少なすぎる（{ $needed } 個必要）
method-unjudged-rate = { $count } 回は判定なし：操作が決められた速度で始まる
method-unjudged-count = { $count } 回は判定なし：決められた操作数で終わる
method-placement = 配置
pin-auto = リソースの割り込みを受ける CPU、なければ CPU ごとにワーカー 1 つ
pin-local = リソースの割り込みを受ける CPU
pin-remote = リソースの割り込みを受けない CPU
pin-spread = CPU ごとにワーカー 1 つ
pin-none = カーネルに任せる
pin-cpus = CPU { $cpus } に順番に
method-observer = 観測のオーバーヘッド
method-observer-text = CPU 1 つの { $share }
method-precision = 目標精度
method-budget = 時間の予算
method-settings = 設定
method-setting-text = { $resource } の { $name }：変更前 { $before }、変更後の読み戻し { $levels }
method-setting-refused = { $name }：{ $levels } は拒否されました
method-bytes = バイト
method-bytes-text = 10 進の単位を使います。1 MB/s は毎秒 1,000,000 バイトです。ブロックとメモリの大きさは 2 進の単位で、1 KiB は 1024 バイトです。メモリのスループットはプログラムが動かした量なので、コピーしたバイトは読み取りと書き込みで 2 回数えます。
method-bits = ビット
method-bits-text = 10 進の単位を使います。1 Mbit/s は毎秒 1,000,000 ビット、つまり 125,000 バイトです。ネットワークの速度はペイロードだけを数え、ヘッダーは含みません。
method-started = 開始
method-finished = 終了
method-run = 実行
method-version = 測定ツール
method-origin = 値の出典
method-analysis = 分析のバージョン
method-notes = 元の用途と、ここで異なる点
method-again = 再現方法
method-study = 読み込んだままのスタディ

## References and price

references-title = 参考資料
price-title = 価格
price-text = スタディに記された価格: { $price }
price-unclear = 複数の解釈ができるため、この価格で割った値はありません。
price-none = 価格になり得ない値のため、この値で割った値はありません。
price-per = { $currency } あたり
price-unit = 価格の単位
price-cost = 費用
price-for = { $unit } あたり { $money }
price-capacity = 使える容量

## リソースの呼び名

resource-array = アレイ { $name }
resource-block = ディスク { $name }
resource-blocks = ディスク { $name }
resource-cgroup-cpu = コントロールグループの CPU クォータ
resource-cgroup-memory = コントロールグループのメモリ上限
resource-cpu = CPU { $name }
resource-cpus = 全 CPU
resource-cpus-some = CPU { $name }
resource-device = デバイス { $name }
resource-dmi = DMI リンク
resource-filesystem = ファイルシステム { $name }
resource-load = 負荷
resource-memory = メモリ
resource-page-cache = ページキャッシュ
resource-server = サーバー { $name }
resource-nic = ネットワークインターフェース { $name }
resource-pci = PCIe リンク { $name }
resource-sata = SATA リンク { $name }
resource-sas = SAS リンク { $name }
resource-usb = USB リンク { $name }
resource-self = Headroom 自身
resource-system = システム

## Remarks

remark-of-case = { $case }: { $text }
remark-sentence = { $text }。
remark-more = （ほか { $count } 件）
remark-rounds = { $verdict }。1 ラウンドは { $length }
remark-rounds-written = { $verdict }。1 ラウンドは { $length }。最初のラウンドの前に { $before }、全ラウンドで { $all } を書き込み
rounds-steady = { $rounds } ラウンド後に安定: 範囲 { PERCENT($range) }、傾き { PERCENT($slope) }
rounds-unsteady = { $rounds } ラウンドでは安定せず: 範囲 { PERCENT($range) }、傾き { PERCENT($slope) }
rounds-few = { $rounds } ラウンドでは少なすぎて判定できない
rounds-failed = ラウンド { $round } が失敗: { $reason }
remark-durable = 最後の書き込みが戻るまで { $returned }、すべてがデバイスに記録されるまで { $durable }
remark-durable-cached = 最後の書き込みが戻るまで { $returned }（その時点で { PERCENT($share) } はメモリだけ）、すべてがデバイスに記録されるまで { $durable }
remark-targets = 対象 { $count } 個の合計は { $together }。最小は { $least }（{ $least_value }）、最大は { $most }（{ $most_value }）。
remark-targets-each = 対象 { $count } 個。最小は { $least }（{ $least_value }）、最大は { $most }（{ $most_value }）。
remark-targets-done = 最初の対象は { $first }、最後の対象は { $last } で終わりました。
remark-verified = { $blocks } ブロックをページキャッシュを通さずに読み戻し{ $trials ->
    [1] {""}
   *[other] （試行 { $trials } 回の合計）
 }、誤りなし
remark-verified-cached = { $blocks } ブロックを空にしたページキャッシュを通して読み戻し{ $trials ->
    [1] {""}
   *[other] （試行 { $trials } 回の合計）
 }、誤りなし
remark-recorded-no-latencies = 記録には操作の所要時間がありません（fio の iolog には常にありません）。記録したデバイスでの時間は分からないため、何も比較していません。
remark-recorded-no-ends = 記録には完了の分かる操作がありません。記録したデバイスでの時間は分からないため、何も比較していません。
remark-full = 空きがなくなるまで { $bytes } を書き込み
remark-not-full = 空きがなくなる前に、指定の大きさの { $bytes } まで書き込み
remark-capacity =
    { $parameter } を { $highest } まで { $tried } 通りの値で探索: { $best } で { $rate }。{ $knee } でその { PERCENT($share) }{ $timed ->
        [no] {""}
       *[other] 、そのとき操作の半分は { $latency } 以内に終わる（単独では { $alone }）
    }
remark-capacity-waits = 。独立した利用者のように不規則に到着する操作の { PERCENT($percent) } が終わる時間: { $list }
remark-capacity-at = その率の { PERCENT($share) } で { $latency }
remark-capacity-beyond = その率の { PERCENT($share) } は保てなかった
remark-commit = コミット 1 回（書き込み { $writes } 回と同期）は平均 { $time }。レイテンシは書き込みだけのもの
class-read = 読み取り
class-write = 書き込み
class-trim = TRIM
class-sync = 同期
phase-create = 作成
phase-stat = 参照
phase-open = 開く
phase-rename = 名前変更
phase-list = 一覧
phase-unlink = 削除
phase-before = 発生前
phase-degraded = 縮退中
phase-during = 再同期中
phase-after = 完了後
part-durable = デバイスに記録されるまで
targets-table = 対象ごとの結果
column-target = 対象
column-share = 全体に占める割合

## What each layer of a stack costs

waterfall-title = 各層のコスト
waterfall-table = スタックの各層での同じ負荷（下から順に）
waterfall-reasons = マシンのほかの部分がしたことと、限界に達したもの
waterfall-layer = 層
waterfall-beside = マシンのほかの部分の CPU 時間（操作あたり）
waterfall-threads = そのうちのカーネルスレッド
waterfall-cost = 下の層に対する比
waterfall-read = 各層は、その試行のために、ほかの層と同じ大きさで新しく作られます。最後の列は下の層に対する比と、その { $percent } % 区間です。区間が 0 %（1.00 x）を含む場合、その層にコストがあるかどうかは試行からは分かりません。操作あたりの CPU 時間は負荷のスレッドのものです。マシンのほかの部分の CPU 時間は、こちらのプロセス以外に CPU がしたことのすべて、つまりカーネルのスレッド、割り込み、その間に動いたほかのプログラムです。カーネルのキューの処理は、約 1 秒ごとに見た kworker スレッドの名前にあるキューのものとしています。

making-title = 作成にかかった時間
making-table = { $stack } の作成にかかった時間
making-step = 手順
making-median = 時間
making-range = 最短から最長
making-times = 作成回数
making-step-loop-device = ファイルとループデバイス
making-step-initial-sync = 最初の同期
making-sync = アレイの最初の同期は、メンバーごとに { $rate } でした。
making-sync-limit = { making-sync } md が許す速さ（sync_speed_max）は { $limit } で、その { $share } % にあたります。
making-step-zram-device = zram デバイス
making-step-first-tags = 最初のタグ
making-step-modules = カーネルモジュール
making-step-network = ネットワーク名前空間
making-step-target = ターゲットまたはサーバー
making-step-session = クライアントのセッション
making-step-nfs-grace-period = NFS サーバーの猶予期間
making-read = 各手順は実行したプログラムの開始から終了までの時間で、誤差は 1 ミリ秒または 5 % 以内です。メンバーごとに行う手順は合計です。スタックを何度も作った場合は中央値です。

## Over time, as a reader asks

over-time-runs = 実行 { $count } 件の時間による変化
over-time-without = これに当たる標本がないため描いていない実行：{ $runs }。
