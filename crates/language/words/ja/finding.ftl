### 診断結果: キーは `finding-<code>` と `evidence-<code>`。英語の文は各規則にある。

## 結果は信頼できるか

finding-trials-failed =
    { $how ->
        [all-skipped] 実行しませんでした
        [skipped] 試行 { $trials } 回のうち { $count } 回を実行しませんでした
       *[failed] 試行 { $trials } 回のうち { $count } 回が失敗しました
    }: { $reason ->
        [unknown] 理由は記録されていません
       *[other] { $reason }
    }

finding-precision-unmet =
    { $known ->
        [no] 試行 { $trials } 回ではまだ信頼区間が求まりません。要求された半幅は { PERCENT($wanted, decimals: 1) } です
       *[yes] 試行 { $trials } 回の後も、信頼区間の半幅は推定値の { PERCENT($reached, decimals: 1) } で、要求された { PERCENT($wanted, decimals: 1) } に届いていません
    }

finding-stalled = 試行 { $of } 回のうち { $trials } 回で、負荷が最長 { SHORT($longest_s, unit: "s") } 止まりました。この数値には二つの状態が混ざっています

finding-outlier-trial = 試行 { $of } 回のうち { $trial } 番目の値は、ほかの試行の中央値の { PERCENT($share) } です。その試行だけ何かが違っており、信頼区間は両方を含みます
    .advice = その試行の時間による変化と、そのとき忙しかったものを見てください。--trials を増やして測定し直してください

evidence-outlier-trial = ほかの試行は中央値から最大 { PERCENT($others) } 外れています
evidence-outlier-sampled = その試行の測定区間での { RESOURCE($resource) } の { $name } は { SHORT($own, $unit) }、ほかの試行では { SHORT($usual, $unit) }
evidence-outlier-program = { $name } がその試行で毎秒 CPU { FIXED($cpu, decimals: 2) } 秒、ほかでは最大 { FIXED($others, decimals: 2) } 秒を使用

finding-device-node-remote =
    スレッドはノード { $cpu } で動き、{ RESOURCE($resource) } はノード { $node } に接続されています{ $known ->
        [yes] （距離 { $distance }、自ノードは 10）
       *[no] {""}
    }。データはプロセッサー間のリンクを通ります
    .advice =
        { $asked ->
            [no] --cpu-node { $node } でスレッドをその隣で動かせます
           *[yes] {""}
        }

evidence-device-node = { RESOURCE($resource) } はノード { $node } に接続

finding-not-settled = 試行 { $judged } 回のうち { $unsettled } 回で、測定が終わるまで速度が安定しませんでした（MSER-5）
    .advice = --duration または --warm-up を長くしてください

finding-operations-failed =
    操作の { PERCENT($share, decimals: 1) } が失敗しました: 速度は残りだけを数えた値であり、拒否された操作は処理された操作より早く終わります
    .advice = 何が誰に拒否されたかを調べてください。満杯の接続プールやキュー、レート制限、誤ったリクエストです。どの応答だったかは試行の事実にあります

finding-overloaded =
    過負荷: { evidence-queue-grows }。既知のもので限界に達したものはありません
    .advice = 速度を下げるか、--rate なしで測定して最大の処理量を確かめてください
evidence-queue-grows =
    要求された速度 { SHORT($asked, unit: "1/s") } は処理量より { PERCENT($beyond, decimals: 1) } 高く、待ち行列が毎秒 { SHORT($per_s, unit: "1/s") } ずつ伸びた。操作にかかる時間は測定区間の最初の四分の一で { SHORT($first_s, unit: "s") }、最後の四分の一で { SHORT($last_s, unit: "s") }
finding-rate-not-kept =
    { $how ->
        [grows] { $workload } は過負荷です。要求された速度 { SHORT($asked, unit: "1/s") } は処理量より { PERCENT($beyond, decimals: 1) } 高く、待ち行列が毎秒 { SHORT($per_s, unit: "1/s") } ずつ伸びました。
       *[share] { $workload } は要求された速度 { SHORT($asked, unit: "1/s") } の { PERCENT($share) } しか処理できませんでした。
    }この場合、レイテンシは試行が長いほど伸びるため、対象の速さではなく待ち行列がどれだけ伸びたかを示します

finding-nothing-driven = engine=null: 何も読み書きしていません。この数値はツール自体が出せる最大値です

finding-no-device-below =
    { $how ->
        [memory] { $filesystem } はメモリ上のファイルシステムです。これはディスクではなくメモリの速さです
        [elsewhere] { $filesystem } は別のサーバーにあるか、プログラムが提供するファイルシステムです。このサーバーのディスクではありません
       *[unknown] { $filesystem } の下にあるブロックデバイスが分からないため、デバイスのカウンターを読んでいません
    }

finding-page-cache-included =
    { $by ->
        [mmap] engine=mmap
       *[buffered] direct=no
    }: { $how ->
        [both] 読んだバイトのうち、デバイスから来たのは { PERCENT($device_share) } で、残りはページキャッシュから来ました。測定区間に書いたバイトのうち、デバイスに書き込まれたのは { PERCENT($written_share) } で、残りは区間の終わりにページキャッシュに残っていたか、その中で上書きされていました
        [write] 測定区間に書いたバイトのうち、デバイスに書き込まれたのは { PERCENT($device_share) } で、残りは区間の終わりにページキャッシュに残っていたか、その中で上書きされていました
        [read] 読んだバイトのうち、デバイスから来たのは { PERCENT($device_share) } で、残りはページキャッシュから来ました
       *[unknown] ページキャッシュが処理した分がこの数値に含まれるため、ディスクだけの性能ではありません
    }
    .advice = デバイス自体を測定するには、mmap 以外のエンジンで direct=yes を使ってください

finding-cache-speed = 書いたデータの { PERCENT($share) } は、最後の書き込みが戻った時点でまだメモリ上にしかありませんでした。デバイスに書き込まれるまでの速度は { SHORT($returned, unit: "B/s") } ではなく { SHORT($durable, unit: "B/s") } です
    .advice = throughput_durable の値を使うか、direct=yes または sync=end で測定してください

finding-cache-absorbed-the-head =
    最初の { SHORT($bytes, unit: "B") } はページキャッシュが { SHORT($head, unit: "B/s") } で受け取り、その後は { $known ->
        [yes] { RESOURCE($resource) } が受け取る { SHORT($sustained, unit: "B/s") } でした
       *[no] { SHORT($sustained, unit: "B/s") } でした
    }。平均の { SHORT($mean, unit: "B/s") } は測定の長さで変わります
    .advice = 続く速さとしては { SHORT($sustained, unit: "B/s") } を使ってください
evidence-full-cache = 書き込み待ちは最大 { BINARY($dirty) }。{ BINARY($limit) } から書き手は遅くされる

finding-loop-through-cache =
    { RESOURCE($resource) } のファイルはページキャッシュを通して読み書きされ、direct=yes でもこのキャッシュは避けられません。{ $how ->
        [seen] { RESOURCE($below) } に届いたのはバイトの { PERCENT($share) } です
       *[unknown] これはディスクの速さではありません
    }
    .advice = losetup --direct-io=on

finding-cache-too-small = 読む範囲 { BINARY($span) } は、キャッシュに使えるメモリ { BINARY($room) } に収まりません。バイトの { PERCENT($device_share) } はデバイスから来ており、この数値はキャッシュの性能でもディスクの性能でもありません
    .advice = メモリに収まる span にするか、direct=yes を使ってください

finding-sparse-file = ファイルのうち、デバイスに実際にブロックがあるのは { PERCENT($allocated_share) } だけです。残りは穴（hole）か圧縮された部分で、デバイスを読まずに応答されます

finding-engine-forbidden = 操作はエンジン { $engine } で渡されました: { $reason }

finding-placement-not-as-asked =
    { $how ->
        [too-many] ワーカーを CPU に固定しませんでした: ワーカー { $workers } 個は、使える CPU の数より多いためです
        [partly] ワーカー { $workers } 個すべてを `{ $done }` で配置することはできませんでした: 該当する CPU が足りません
       *[no-interrupts] ワーカーを `{ $asked }` ではなく `{ $done }` で配置しました: このリソースの割り込みが分かりません
    }

finding-span-fits-cache =
    { $how ->
        [drive] 使う範囲 { BINARY($span) } は{ RESOURCE($resource) } 自体のキャッシュ { BINARY($cache) } に収まり、direct=yes でもこのキャッシュは避けられません
       *[unknown] 繰り返し読む範囲 { BINARY($span) } は、ドライブ、コントローラー、ハイパーバイザーのキャッシュに収まる可能性があり、direct=yes でもこれらは避けられません
    }
    .advice = span を変えながら測定してください。速度が段になって変わるところがキャッシュの大きさです

finding-same-place =
    ランダム操作の範囲は { BINARY($span) } で、{ RESOURCE($resource) } の { PERCENT($share) }{ $how ->
        [less] {" "}未満
       *[share] {" "}
    }です。{ $heads ->
        [yes] ヘッドはその範囲の中だけを動くため、シークはディスク全体を使うときより短くなります
       *[no] 途中のキャッシュに収まる可能性があり、範囲が広いともっと遅くなるかもしれません
    }
    .advice = size を大きくするか、span を変えながら測定してください

finding-blocks-never-written =
    { $how ->
        [purged] { RESOURCE($resource) } のすべてのブロックをあらかじめ破棄しました（discard）。読み取りには記録媒体ではなくコントローラーが応答します
       *[unknown] { RESOURCE($resource) } のどのブロックに書いたことがあるかは分かりません。書いたことのないブロックの読み取りには、記録媒体ではなくコントローラーが応答します
    }
    .advice = precondition=fill を使ってください。明け渡されたデバイスを上書きします

finding-compressible-content =
    { $content ->
        [zeros] 内容はすべて 0 です
        [compressible] 内容の { PERCENT($share) } は圧縮すると消えます
        [duplicate] ブロックの { PERCENT($share) } は同じ内容が何度も書かれます
       *[other] 内容は `{ $content }` です
    }。途中で圧縮や重複排除をするものがあれば、これはその内容での速さです
    .advice = content=random と比べてください

finding-not-preconditioned =
    { $how ->
        [span] バーストの数値です: 書いた量は { BINARY($written) } で、使う範囲 { BINARY($span) } の 2 倍に足りません。もっと長く書くと、{ RESOURCE($resource) } は遅くなるかもしれません
        [cache] バーストの数値です: 書いた量は { BINARY($written) } で、{ RESOURCE($resource) } 自体のキャッシュ { BINARY($cache) } に足りません
       *[state] { RESOURCE($resource) } をあらかじめ定常状態にしていません。定常状態ではもっと遅いかもしれません
    }
    .advice = precondition=full は、明け渡されたデバイスを定常状態にします。数時間かかります

finding-never-steady =
    { $how ->
        [failed] 定常状態に達しませんでした: ラウンド { $next } が失敗しました: { $reason }
        [unsteady] { $rounds } ラウンドの後も定常状態ではありません: 最後の { $window } ラウンドの幅は平均の { PERCENT($range) }（20 % 以内が条件）、傾きは { PERCENT($slope) }（10 % 以内が条件）です
       *[few] { $rounds } ラウンドでは定常状態かどうか分かりません。{ $window } ラウンド必要です
    }
    .advice = ラウンドを長くするか増やすと安定するかもしれません。それまでは各ラウンドの値とともに引用してください

finding-what-was-durable =
    { $how ->
        [through] カーネルは{ RESOURCE($resource) } に揮発性キャッシュがないとみなし、フラッシュを送りません。それが正しい場合にだけ、同期したデータは安全です
        [flushed] 同期 { SHORT($syncs, unit: "1/s") } に対してフラッシュ { SHORT($flushes, unit: "1/s") } が{ RESOURCE($resource) } に届きました。デバイスが正直に応答するなら、同期したデータは安全です
        [fua] { RESOURCE($resource) } はキャッシュを通らない書き込み（FUA）を受け付けるため、書き込みごとの同期にフラッシュは要りません。デバイスが正直に応答するなら、書いたデータは安全です
       *[none] 同期 { SHORT($syncs, unit: "1/s") } に対して{ RESOURCE($resource) } に届いたフラッシュはありませんが、カーネルはこのデバイスに揮発性キャッシュがあるとみなしています。同期したデータは安全ではなく、この数値は同期しない場合のものです
    }
    .advice = マウントオプションに barrier=0 や nobarrier がないか、フラッシュを通さない層がないかを調べてください

finding-counts-do-not-reconcile =
    { $how ->
        [nothing] 負荷は { SHORT($program, unit: "B/s") } で{ $done ->
            [read] 読み取りました
            [write] 書き込みました
           *[trim] trim しました
        }が、カーネルは{ RESOURCE($resource) } で何も数えていません。デバイスにカウンターがないか、要求がデバイスに届いていません
       *[part] カーネルが{ RESOURCE($resource) } で数えたのは、負荷が{ $done ->
            [read] 読み取った
            [write] 書き込んだ
           *[trim] trim した
        }バイトの { PERCENT($share) } です。残りは途中の層が処理しました
    }

finding-counts-unsupported = カーネルは{ RESOURCE($resource) } の要求を数えていないため、負荷が転送したという量を照合できません
    .advice = 数えられるデバイスなら queue/iostats に 1 を書いてください

finding-requests-split =
    { RESOURCE($resource) } では、操作一つが要求 { FIXED($each, decimals: 1) } 個になりました。{ $how ->
        [size] このデバイスが一度に受け取るのは最大 { BINARY($bytes) } です（max_sectors_kb）
        [pieces] このデバイスが一度に受け取るメモリの断片は最大 { $pieces } 個です（max_segments）
       *[unexplained] 大きさのためではないので、上の層が分割したか、ファイルが断片化しています
    }

finding-requests-merged =
    { $how ->
        [merged] カーネルが操作の { PERCENT($share) } を隣の操作とまとめました。{ RESOURCE($resource) } が処理した要求は平均 { BINARY($block) } ではなく { BINARY($bytes) } です
       *[unexplained] { RESOURCE($resource) } の要求は負荷の操作より { PERCENT($share) } 少ないのに、カーネルがまとめた記録がありません。途中の層がまとめたか、代わりに応答しました
    }

finding-read-ahead =
    { RESOURCE($resource) } から来たバイトは、負荷が要求した量の { FIXED($times, decimals: 1) } 倍です。{ $how ->
        [explained] カーネルはページ単位で読み、最大 { BINARY($ahead) } まで先読みします（read_ahead_kb）
       *[unexplained] 先読みで説明できる量より多いため、ほかのプログラムも使っています
    }

finding-others-use-the-device = { RESOURCE($resource) } では、負荷の { SHORT($program, unit: "B/s") } のほかに { SHORT($beyond, unit: "B/s") } が転送されました。ほかのプログラムも使っているか、途中で要求が大きくなっています
    .advice = 何が使っているかを `headroom doctor` で調べ、空いているときに測定し直してください

finding-littles-law-broken =
    { $how ->
        [impossible] { $named ->
            [yes] { $target }:{" "}
           *[no] {""}
        }リトルの法則に反します: 速度が { SHORT($rate, unit: "1/s") }、1 回が { SHORT($latency_s, unit: "s") } なら同時に { FIXED($under_way, decimals: 1) } 個が進行中のはずですが、実際には { FIXED($depth) } 個だけでした。速度かレイテンシのどちらかが誤りです
        [kinds] リトルの法則に反します: 読み取り、書き込み、trim を合わせると、同時に進行していた処理の { PERCENT($share) } です。速度かレイテンシのどちらかが誤りです
        [stages] 発行とデバイスの時間を合わせると、処理にかかった時間の { PERCENT($share) } です。三つのどれかが誤りです
       *[idle] { $named ->
            [yes] { $target }:{" "}
           *[no] {""}
        }速度が { SHORT($rate, unit: "1/s") }、1 回が { SHORT($latency_s, unit: "s") } なら同時に進行していたのは { FIXED($under_way, decimals: 1) } 個で、要求した { FIXED($depth) } 個の { PERCENT($share) } です。残りの時間は負荷の側の準備ができていませんでした
    }

finding-queue-measured =
    { $how ->
        [knee] このレイテンシは待ち行列の長さです: 同時に { FIXED($depth) } 個ではなく { FIXED($from) } 個にすると、速度はこの { PERCENT($share) } で、応答は { FIXED($times, decimals: 1) } 倍速くなります
       *[device] このレイテンシはほとんどが待ち時間です: 同時に { FIXED($depth) } 個が進行していますが、{ RESOURCE($resource) } が一度に受け取るのは { FIXED($takes) } 個です
    }
    .advice = それ以上増やしても速くならなくなる地点のキュー深さを使ってください

finding-fewer-targets-at-the-end =
    最初の対象は { SHORT($first, unit: "s") }、最後の対象は { SHORT($last, unit: "s") } で終わりました{ $how ->
        [sum] : それぞれの平均を足すと { SHORT($sum, unit: "B/s") } ですが、すべてが動いている間に流れたのは { SHORT($together, unit: "B/s") } です
       *[times] {""}
    }

finding-disturbed-by-others =
    { $end ->
        [far] 測定区間に、{ $machine } でほかのプログラムが{" "}
       *[near] 測定区間に、ほかのプログラムが{" "}
    }CPU 1 個の { PERCENT($others_cpu) } を使いました{ $who ->
        [none] {""}
       *[other] : { $who }
    }{ $server ->
        [yes] 。サーバーはこのマシンにあり、その一つかもしれません
       *[no] {""}
    }
    .advice = { $server ->
        [yes] サーバー以外のプログラムを終了するか、空いているときに測定し直してください
       *[no] 該当するプログラムを終了するか、空いているときに測定し直してください
    }

finding-cpu-stolen =
    { $some ->
        [yes] { stolen-trials }で、ハイパーバイザーがこのマシンに必要な CPU 時間の { PERCENT($steal_share) } をほかの仮想マシンに割り当て（steal）、残りでは多くても { PERCENT($others) } です。{ $differs ->
            [yes] その試行の値は残りの { PERCENT($ratio) } で、区間には両方が入っています
           *[no] その試行の数値は変わる可能性があります
        }
       *[no] ハイパーバイザーが、このマシンに必要な CPU 時間の { PERCENT($steal_share) } をほかの仮想マシンに割り当てました（steal）。別の時間帯には数値が変わる可能性があります
    }
    .advice = 別の時間帯に、または専用の CPU があるマシンで測定し直してください

finding-swapping =
    測定区間にスワップが発生しました（イン { SHORT($in, unit: "B/s") }、アウト { SHORT($out, unit: "B/s") }）。{ $zswap ->
        [yes] メモリ圧縮（zswap）のコスト
       *[no] スワップデバイスの速さ
    }が数値に混ざっている可能性があります
    .advice = サイズを小さくするか、メモリを空けるか、測定中はスワップを切ってください

finding-generator-bound = 負荷は、対象なしでこのプログラムが出せる速度の { PERCENT($share) } に達しました。対象がもっと速くても数値に現れません
    .advice = スレッドを増やすか、ブロックを大きくするか、別のマシンから負荷をかけてください

finding-too-few-trials =
    { $trials ->
        [1] 試行が一度だけなので信頼区間がありません。測定し直すとどれだけ変わるかは分かりません
       *[other] 試行 { $trials } 回では、意味のある信頼区間が得られません
    }
    .advice = --trials 5 以上を使ってください

## 約束された値との差

finding-promise =
    { $by ->
        [metric] { $metric } の測定値は { SHORT($measured, $unit) }、スタディで約束された値は { $bound ->
            [most] { SHORT($promised, $unit) } 以下
           *[least] { SHORT($promised, $unit) } 以上
        }です。{ $how ->
            [kept] 約束どおりです
           *[short] 約束に届いていません
        }
        [study] { RESOURCE($resource) } はスタディで約束された { SHORT($promised, $unit) } の { PERCENT($fraction) } です。{ $how ->
            [short] 約束に届いていません
           *[kept] 約束どおりです
        }
       *[datasheet] { RESOURCE($resource) } はデータシートに記載された { SHORT($promised, $unit) } の { PERCENT($fraction) } です。{ $how ->
            [short] 約束に届いていません
            [beyond] 約束より速いため、キャッシュが応答したか、別のドライブの可能性があります
           *[kept] 約束どおりです
        }
    }

finding-ramp =
    { $how ->
        [held] 負荷は破綻しませんでした。最も高い { SHORT($rate, unit: "1/s") } も毎回保たれました
       *[broke] レートを { $ramps } 回上げたうち { $broke } 回で負荷が破綻しました。その中央は { SHORT($rate, unit: "1/s") } で、{ finding-ramp.bound }。{ $below ->
            [none] それより低いレートは試していません
           *[some] その前の { SHORT($held, unit: "1/s") } は保たれました
        }
    }
    .bound = { $bound ->
        [failed] 試行が失敗しました
        [errors] 失敗した操作がありました
        [rate] 予定された操作の 95 % に満たない数しか完了しませんでした
       *[latency] 予定時刻から { SHORT($latency, unit: "s") } 以内に完了した操作が { PERCENT($share) } に届きませんでした
    }

finding-instructions-absent =
    このプロセッサーには AES の命令がないか、ハイパーバイザーが隠しています。{ $use ->
        [layer] { RESOURCE($target) } の暗号化は
        [tls] TLS の暗号化は
       *[load] この負荷の暗号化は
    }通常の命令で行われ、CPU 時間が余分にかかります
    .advice = 仮想マシンなら、この命令を渡す CPU モデルを使ってください。命令のあるシステムで `headroom run cpu.crypto --hardware yes,no` を実行すると、その価値が分かります

evidence-processor-flags = Headroom が保存するフラグのうちこのプロセッサーが示すのは { $count } 個で、`{ $flag }` はその中にありません

finding-promise-not-tested =
    { $promise } として約束された { SHORT($promised, $unit) } は{ finding-promise-not-tested.reason }
    .reason = 試験していません。{ $reason ->
        [metric] この値を測定する負荷がありません
        [direction] { $direction ->
            [read] 読み取りだけの負荷がありません
           *[write] 書き込みだけの負荷がありません
        }
        [access] { $access ->
            [random] { $direction ->
                [read] ランダム読み取りがありません
                [write] ランダム書き込みがありません
               *[both] ランダム操作がありません
            }
           *[sequential] { $direction ->
                [read] シーケンシャル読み取りがありません
                [write] シーケンシャル書き込みがありません
               *[both] シーケンシャル操作がありません
            }
        }
        [block] ブロックサイズが { BINARY($least) } の負荷がありません
        [small] ブロックサイズが { BINARY($least) } 以上の負荷がありません
        [depth] 同時に { FIXED($least) } 件以上を処理するときの値ですが、最大でも { FIXED($had) } 件でした
        [bytes] 同時に { BINARY($least) } 以上を処理するときの値ですが、最大でも { BINARY($had) } でした
        [cache] 負荷がページキャッシュを経由しています
        [device] 応答するドライブが分かりません
        [array] 複数のドライブが操作を分担しています
       *[failed] 結果が得られた試行がありません
    }

## 何が結果を制限しているか

finding-cpu-quota =
    { $end ->
        [far] { $machine } の
       *[near] {""}
    }コントロールグループの CPU クォータが結果を制限しています: { $counted ->
        [no] スレッドはクォータの { PERCENT($fraction) } を使っています
       *[yes] 各スレッドが 1 秒ごとに { SHORT($stopped_s, unit: "s") } ずつ止められました
    }
    .advice = グループの cpu.max（cpu.cfs_quota_us）を上げるか、グループの外で測定してください

bucket-fill =
    { $counts ->
        [bytes] { SHORT($fill, unit: "B") }（{ SHORT($fill_low, unit: "B") } ～ { SHORT($fill_high, unit: "B") }）
       *[operations] { FIXED($fill) } 操作（{ FIXED($fill_low) } ～ { FIXED($fill_high) }）
    }

finding-bucket-used-up =
    { RESOURCE($resource) } の速度は計量されています: { $full ->
        [yes] 約 { bucket-fill } のバケットが
       *[no] 貯めてあった約 { bucket-fill } が
    } { SHORT($burst, $unit) } で { SHORT($after_s, unit: "s") } 後に使い切られ、それからは { SHORT($base, $unit) } です。{ SHORT($refill_s, unit: "s") } 休ませると同じだけ戻ります
    .advice = 続くのは低いほうの速度です。その値を引用するか、バケットに残りがある間だけ測定してください。より大きなものを借りれば、より多くが許されます

evidence-bucket-fall = 試行 { $of } 回のうち { $trials } 回で、{ SHORT($after_s, unit: "s") } の作業までは { SHORT($burst, $unit) }、それからは { SHORT($base, $unit) }

finding-constant-limit =
    { $published ->
        [yes] { $end ->
            [far] { $machine } の{" "}
           *[near] {""}
        }{ RESOURCE($resource) } は公表されたとおり（{ $source }）{ SHORT($rate, $unit) } に抑えられています
       *[no] { $end ->
            [far] { $machine } の{" "}
           *[near] {""}
        }{ RESOURCE($resource) } は出所の分からない一定の上限により { SHORT($rate, $unit) } に抑えられています
    }: { evidence-constant }
    .advice = 誰かが速度を計量しています。ハイパーバイザー、提供者、コントローラー、または速度を示さないリンクです。何が許されているかを、このマシンを運用する側に問い合わせてください

evidence-constant =
    { $by ->
        [operations] { BINARY($from) } の操作と { BINARY($to) } の操作の数が { PERCENT($within) } 以内で同じです
        [bytes] { BINARY($from) } の操作と { BINARY($to) } の操作で運ばれたバイト数が { PERCENT($within) } 以内で同じです
        [idle] 同時に { FIXED($to) } 個でも { FIXED($from) } 個でも { PERCENT($within) } 以内で同じです。一つずつなら時間の { PERCENT($pause) } は仕事がないのに、そうなっています
        [paced] ほぼ 0 から長いものまで時間のかかる読み出しが、時計のように規則正しく終わります。その数の変動は、そうした時間から生じる変動の { PERCENT($within) } です
        [streams] ストリーム { FIXED($to) } 本と { FIXED($from) } 本の合計が { PERCENT($within) } 以内で同じです
       *[course] 接続は時間の { PERCENT($path) } の間、経路を待ち、その手前にキューがあり、速度は { PERCENT($within) } 以内で一定です
    }。知られている上限に近いものはありません

finding-credits-used-up =
    このマシンの CPU クレジットは { SHORT($after_s, unit: "s") } 後に使い切られました。それまでは { FIXED($burst, decimals: 1) } 個分の CPU、それからは { FIXED($base, decimals: 1) } 個分でした。貯めてあった CPU 時間は約 { SHORT($fill, unit: "s") }（{ SHORT($fill_low, unit: "s") } ～ { SHORT($fill_high, unit: "s") }）で、{ SHORT($refill_s, unit: "s") } 休ませると同じだけ戻ります
    .advice = 続くのは低いほうの速度です。その値を引用するか、CPU を独占できるマシン、またはクレジットに上限のないマシンを使ってください

evidence-credits-steal = 試行 { $of } 回のうち { $trials } 回で、奪われた CPU は前が { FIXED($before, decimals: 1) } 個分、それからは { FIXED($behind, decimals: 1) } 個分でした

stolen-trials = 試行 { $of } 回のうち { $trials } 番目
evidence-stolen-in-some =
    { stolen-trials }で、このマシンに必要な CPU 時間の { PERCENT($share) } が奪われた（steal）。残りでは多くても { PERCENT($others) }{ $differs ->
        [yes] 。その試行の値は残りの { PERCENT($ratio) }
       *[no] {""}
    }
finding-steal-bound =
    ハイパーバイザーが結果を制限しています: { $some ->
        [yes] { stolen-trials }で、
       *[no] {""}
    }{ $end ->
        [far] { $machine } の
       *[near] {""}
    }スレッドに必要な CPU 時間の { PERCENT($share) } をほかの仮想マシンに割り当てました（steal）
    .advice = CPU を独占できるマシンを使うか、別の時間帯に測定してください。奪われた時間は、このマシンのどのプログラムも使っていません

evidence-stolen-of-load =
    { $end ->
        [far] { $machine } の
       *[near] {""}
    }スレッドに必要な CPU 時間の { PERCENT($share) } が奪われた

finding-threads-stopped =
    スレッドは時間の { PERCENT($share) } の間、実行されませんでした: 計算も CPU 待ちもしておらず、このような負荷がほかに待つものはありません
    .advice = 何がスレッドを止めているかを調べてください。シグナル（cpulimit が送る SIGSTOP）、凍結されたコントロールグループ（cgroup.freeze、freezer.state）、またはここから見えない上位グループの CPU クォータです

evidence-stopped = ワーカーがそれぞれ計算または CPU を待った時間 { PERCENT($wanted) }、割り込みとハイパーバイザーが取った CPU { FIXED($taken, decimals: 2) } 個

finding-swap-bound =
    メモリが足りず、スワップが結果を制限しています: スレッドは時間の { PERCENT($share) } の間、スワップからページが戻るか、ほかのページがスワップに書き出されるのを待ちました。メモリとスワップの間を { SHORT($rate, unit: "B/s") } が行き来しています
    .advice = メモリより小さいデータで動かすか、メモリの多いマシンを使ってください。スワップデバイスを速くしても待ち時間が短くなるだけです

evidence-swap-wait =
    スレッドがメモリを待った時間 { PERCENT($share) }（{ $by ->
        [delays] カーネルがタスクごとに集計
        [rest] カーネルの外で計算することも、実行可能なまま CPU を待つこともなかった時間。メモリだけを使う負荷はほかに待つものがない
       *[pressure] コントロールグループ全体が止まった時間をカーネルが集計
    }）
evidence-swap-unaccounted = { SHORT($rate, unit: "B/s") } のスワップが発生しましたが、スレッドがどれだけ待ったかは集計されていません

finding-reclaim-bound =
    コントロールグループのメモリが満杯で、{ $by ->
        [again] 繰り返し読むものをページキャッシュが保持しきれません: デバイスが届けるものの { PERCENT($again) } は前にメモリにあったもので、負荷は時間の { PERCENT($share) } の間それを待っています
       *[wait] { reclaim-waits }
    }。グループの上限は { BINARY($limit) }{ $which ->
        [high] （memory.high）
        [max] （memory.max）
       *[none] {" "}
    }です
    .advice = グループの memory.high と memory.max（systemd の MemoryHigh と MemoryMax、バージョン 1 の memory.limit_in_bytes）を増やすか、グループの外で測定してください。ページキャッシュを通らない負荷（--direct yes）は使うメモリが少なくて済みます
evidence-read-again = デバイスが届けるものの { PERCENT($again) } は少し前までメモリにあった（workingset_refault_file）。コントロールグループの { BINARY($limit) } のうち { PERCENT($left) } が残っていた
reclaim-waits = 空きを作る処理が結果を制限しています: { $by ->
        [rest] グループのスレッドが時間の { PERCENT($share) } の間、空きができるのを待っていました
       *[pressure] 仕事のあるグループの全タスクが、時間の { PERCENT($share) } の間メモリを待って止まっていました
    }。スワップは 1 MB/s 未満でした

evidence-reclaim-wait =
    { $by ->
        [rest] ページキャッシュに書き込むスレッドが計算も、実行可能なまま CPU を待つこともしなかった時間 { PERCENT($share) }（マシン全体の都合で遅らされた書き込みはない）
       *[pressure] コントロールグループの全タスクがメモリを待って止まった時間 { PERCENT($share) }
    }、上限 { BINARY($limit) } のうち残り { PERCENT($left) }

finding-presenter-cpu-full =
    ディスクを提供する { $machine } の CPU が結果を制限しています: { $how ->
        [thread] カーネルスレッド { $name } が時間の { PERCENT($share) } の間計算しています
       *[all] すべての CPU が合計で時間の { PERCENT($share) } の間使用中です
    }
    .advice =
        { $how ->
            [thread] ディスクを複数に分けてそれぞれにセッションを持たせるか、スレッドの多いターゲット（nvme-tcp）を使うと、そのマシンの CPU をより多く使えます
           *[all] そのマシンの CPU を増やすか、速いものにしてください。ターゲットの下の層の計算が減っても余裕ができます
        }

finding-presenter-device-bound =
    ディスクを提供する { $machine } のデバイス { $device } が結果を制限しています: 実行中の操作 { FIXED($under_way, decimals: 1) } 個のうち、平均 { FIXED($there, decimals: 1) } 個がそのデバイスにあります
    .advice = そのマシンで headroom run disk を実行すると、デバイス単体の性能がわかります。ネットワークではなく、そのデバイスを速いものにすると結果が良くなります

evidence-presenter-busy = { $machine } の全 CPU が合計で使用中だった時間 { PERCENT($share) }
evidence-presenter-thread = { $machine } のカーネルスレッド { $name } が計算した時間 { PERCENT($share) }
evidence-presenter-way = 進行中の操作の { PERCENT($share) } が { $machine } の { $device } にない。往復の途中か、ディスクを提供する側にある
evidence-presenter-device = 実行中の操作 { FIXED($under_way, decimals: 1) } 個のうち { FIXED($there, decimals: 1) } 個が { $machine } の { $device } にある

finding-interrupt-cpu-full =
    負荷の対象の割り込みを処理する CPU { $cpu } は飽和しています: 時間の { PERCENT($share) } の間使用中で、そのうち { PERCENT($interrupts) } は割り込みとその後処理（softirq）です
    .advice = より多くの CPU に割り込みを処理させてください。デバイスのキューを増やすか、割り込みを別の CPU に移します（--set irq-affinity）。操作を少なく大きくすれば割り込みも減ります

evidence-interrupt-cpu = CPU { $cpu }: 時間の { PERCENT($share) } の間使用中、そのうち { PERCENT($interrupts) } は割り込み

finding-io-quota =
    設定された上限が結果を制限しています: { $end ->
        [far] { $machine } の{" "}
       *[near] {""}
    }{ $shared ->
        [yes] { RESOURCE($resource) } から { SHORT($carried, $unit) } が出て、そのうちこの負荷の分は { SHORT($own, $unit) } です。データに許されるのは { SHORT($limit, $unit) } です
        [each] { RESOURCE($resource) } から送る{ $connections ->
            [1] 接続に
           *[other] 接続 { FIXED($connections) } 本に合わせて
        }許された { SHORT($limit, $unit) } の { PERCENT($fraction) } を使っています
       *[no] { RESOURCE($resource) } に許された { SHORT($limit, $unit) } の { PERCENT($fraction) } を使っています
    }
    .advice = { $network ->
        [rented] より大きなインスタンスタイプには、より多くが許されます{ $flows ->
            [yes] 。Amazon のネットワークでは、一つの TCP フローは最大 5 Gbit/s（プレイスメントグループ内では 10）なので、複数なら増えます
           *[no] {""}
        }
        [shared] ほかに送っているものを止めるか、一つのパケットで多く送るか、レートを上げるか、キューイング規則（tc qdisc）を外してください
        [each] 接続ごとの速度制限（キューイング規則 fq の maxrate、またはプログラムかコントロールグループのプログラムが設定する SO_MAX_PACING_RATE）を上げるか、接続を増やしてください
        [yes] レートを上げるか、キューイング規則（tc qdisc）を外してください
       *[no] 上限を上げるか外すか、グループの外で測定してください
    }

finding-link-full =
    { $bound ->
        [storage] { RESOURCE($server) } へのネットワークリンクは飽和しています: { SHORT($bytes, unit: "B/s") } のうち { SHORT($moved, unit: "B/s") } です（データが { RESOURCE($resource) } で実際に使える { SHORT($limit, $unit) } の { PERCENT($fraction) }）
       *[other] { $end ->
            [far] { $machine } の{" "}
           *[near] {""}
        }{ $shared ->
            [yes] { RESOURCE($resource) } は飽和しています: パケットのヘッダーを含めて { SHORT($carried, $unit) } が通り、そのうちこの負荷の分は { SHORT($own, $unit) } です。データが実際に使えるのは { SHORT($limit, $unit) } です
           *[no] { $bound ->
                [line] { RESOURCE($resource) } は飽和しています: 回線速度 { SHORT($limit, $unit) } の { PERCENT($fraction) } です
                [speed] { RESOURCE($resource) } は飽和しています: 実行前の速度 { SHORT($transfers) }T/s でデータが使える { SHORT($limit, $unit) } の { PERCENT($fraction) } です。両端は { SHORT($best_transfers) }T/s を出せます
                [range] { RESOURCE($resource) } は飽和しています: データが使える上限 { SHORT($limit, $unit) } の { PERCENT($fraction) } です（通常は { SHORT($least, $unit) } から { SHORT($most, $unit) }）
               *[payload] { RESOURCE($resource) } は飽和しています: データが実際に使える { SHORT($limit, $unit) } の { PERCENT($fraction) } です
            }
        }
    }
    .advice = { $network ->
        [speed] 負荷があるときの速度を見てください（`cat /sys/bus/pci/devices/{ $name }/current_link_speed`）。カードを挿し直すか、別のスロットやケーブルを使うか、ファームウェアの設定を変えると戻ることがあります
        [shared] このリンクを使うほかの通信を止めるか、それがないときに測定してください
        [bond] --streams を増やすと、ハッシュが接続を区別する場合（xmit_hash_policy layer3+4）はボンドのほかのメンバーも使われます
        [yes] これを上げられるのは、より速いリンクか、ヘッダーの割合が減る大きなパケットだけです
       *[no] これを上げられるのは、より速いか幅の広いリンクだけです。その先のデバイスを速くしても変わりません
    }

finding-limit-reached = { RESOURCE($resource) } は限界に達しています: 出せる { SHORT($limit, $unit) } の { PERCENT($fraction) } です（{ $source }）
    .advice = 速くするには、この資源を増やすか、一回の仕事を減らすしかありません

finding-memory-bandwidth-full =
    { $all ->
        [yes] メモリ帯域は飽和しています: コア { $cores } 個すべてがキャッシュに収まらないデータを読み書きし、{ $bound ->
            [modules] メモリモジュールが出せる
           *[copy] 実行前にコピーで測定した
        } { SHORT($limit, $unit) } の { PERCENT($fraction) } です
       *[no] メモリ帯域は飽和しています: { $bound ->
            [modules] メモリモジュールが出せる
           *[copy] 実行前にコピーで測定した
        } { SHORT($limit, $unit) } の { PERCENT($fraction) } です
    }{ $beyond ->
        [yes] 。この上限は低く測定されすぎています
       *[no] {""}
    }

finding-one-core-full =
    { $threads ->
        [1] コア 1 個が飽和しています: { $waits ->
            [yes] 常に計算しているか、メモリを待っています
           *[no] { $kernel ->
                [yes] カーネルのワーカーが代わりに行う処理を含めて、時間の { PERCENT($share) } は計算しています
               *[no] 時間の { PERCENT($share) } は計算しています
            }
        }
       *[other] スレッド { FIXED($threads) } 個のコアが飽和しています: { $waits ->
            [yes] 常に計算しているか、メモリを待っています
           *[no] 時間の { PERCENT($share) } は計算しています
        }
    }
    .advice = スレッドを増やすと、より多くのコアを使えます

finding-own-cores-full =
    { $ours ->
        [yes] 負荷が動ける CPU のすべてである { RESOURCE($resource) } は、時間の { PERCENT($busy) } の間この負荷{ $beside ->
            [yes] と、並行する負荷とで
           *[no] で
        }使用中です
       *[no] 負荷の動く { RESOURCE($resource) } は時間の { PERCENT($busy) } の間使用中です。各スレッドは CPU の { PERCENT($share) } を使い、残りはほかのプログラムかカーネルが使っています
    }
    .advice =
        { $ours ->
            [yes] より多くの CPU で動かしてください（taskset、cpuset）
           *[no] そこで動くほかのものを止めるか、負荷を別の CPU で動かしてください（--pin、taskset）
        }

finding-all-cores-full =
    { $cpus ->
        [1] 唯一の CPU が使用中です
       *[other] CPU { FIXED($cpus) } 個{ $smt ->
            [yes] （コア { FIXED($cores) } 個のスレッド）
           *[no] {""}
        }がすべて使用中です
    }{ $shared ->
        [yes] 。一部はほかのプログラムが使っています
       *[no] { $beside ->
            [yes] 。一部は並行する負荷が使っています
           *[no] {""}
        }
    }

finding-device-full =
    { $how ->
        [datasheet] { RESOURCE($resource) } は飽和しています: データシートに記載された { SHORT($limit, $unit) } の { PERCENT($fraction) } を出しています
        [search] { RESOURCE($resource) } は飽和しています: 同時に進行する操作が { FIXED($knee) } 個を超えると待ちが増えるだけで、{ FIXED($from) } 個の代わりに { FIXED($to) } 個では速度は { PERCENT($more) } { $change ->
            [less] 下がります
           *[more] 伸びるだけです
        }
        [latency] { RESOURCE($resource) } は飽和しています: 同時に進行する操作が { FIXED($knee) } 個でそうなり、{ FIXED($from) } 個の代わりに { FIXED($to) } 個では速度は { PERCENT($more) } { $change ->
            [less] 下がり
           *[more] 伸びますが
        }、操作 1 個には速度が半分のときの 4 倍を超える時間がかかります
        [queue] { RESOURCE($resource) } は飽和しています: 同時に受け取れる { FIXED($takes) } 個のリクエストをすべて抱え、ほかのリクエストは時間の { PERCENT($waiting) } をホスト内で待ちます
       *[depth] { RESOURCE($resource) } は飽和しています: 同時に進行する操作を { FIXED($from) } 個から { FIXED($to) } 個に増やしても、{ $change ->
            [less] 速度はかえって { PERCENT($more) } 下がり、
           *[more] 速度は { PERCENT($more) } しか伸びず、
        }レイテンシは { FIXED($times, decimals: 1) } 倍になります
    }

evidence-counted-cycles =
    1 サイクルあたり { FIXED($in_cycle, decimals: 2) } 命令{ $known ->
        [yes] 、1 操作あたり { FIXED($misses, decimals: 1) } 回のキャッシュミス
       *[no] {""}
    }{ $user ->
        [yes] （ユーザーモードのみ）
       *[no] {""}
    }{ $what ->
        [memory] ：計算よりもメモリを待つ時間が長い
        [computes] ：計算している
       *[unclear] {""}
    }
evidence-delayed =
    カーネルの記録では、各ワーカーは時間の { PERCENT($share) } を{ $what ->
        [blkio] ブロックデバイスの待ち
        [swapin] スワップされたページの待ち
        [freepages] メモリの解放の待ち
        [thrashing] 捨てられたばかりのページの待ち
        [compact] メモリの圧縮の待ち
        [wpcopy] 書き込み時にコピーされるページの待ち
       *[irq] 割り込みに CPU を譲ること
    }に使用
evidence-depth-search = 同時に進行する操作が { FIXED($from) } 個の代わりに { FIXED($to) } 個では、速度が { PERCENT($gain) } 変わる

finding-latency-bound =
    レイテンシが結果を制限しています: 同時に進行する処理は { FIXED($depth) } 個、1 個あたり { SHORT($latency_s, unit: "s") } { $syncs ->
        [yes] で、時間の { PERCENT($sync_share) } は同期（{ SHORT($sync_s, unit: "s") }）に使われています
       *[no] です
    }。{ $others ->
        [yes] { RESOURCE($resource) } には、この負荷が動かすより多くのデータが流れています。そこを使うほかのものやファイルシステムを待っているのかもしれません
        [cpus] 使える CPU がすべて使用中なので、CPU も待っているのかもしれません
        [layer] そのうち { PERCENT($held) } は下のデバイスではなく { RESOURCE($resource) } の中にあります
        [flushes] { RESOURCE($device) } のフラッシュは { SHORT($flushes, unit: "1/s") }、時間の { PERCENT($flushing) } で、負荷はこれを待っています
        [durable] 書き込みごとに媒体に記録されるまで待ちます（O_SYNC、O_DSYNC）
        [mounted] ファイルシステムは、書き込みごとにデバイスに記録されるまで待つようにマウントされています
       *[no] 飽和していると分かっているリソースはありません
    }
    .advice = { $queued ->
        [yes] --queue-depth または --threads を
       *[no] --threads を
    }増やすと、デバイスが同時にどれだけ処理できるかが分かります

finding-cannot-tell =
    { $missing ->
        [0] ボトルネックは不明です: 測定したものの中にそれを示すものがありません
       *[other] ボトルネックは不明です: { $evidence }
    }

## 根拠

evidence-ahead = 先読み { BINARY($bytes) }
evidence-buffered =
    { $by ->
        [mmap] engine=mmap
       *[buffered] direct=no
    }
evidence-bus-estimate = バスを通ったバイトの推定値
evidence-forks = 毎秒 { FIXED($rate) } 個のプロセスまたはスレッドが開始: 大半は観測前に終了
evidence-kernel-share = { RESOURCE($resource) }: 時間の { PERCENT($share) } の間使用中。うち { PERCENT($threads) } はスレッド、残りは操作を代わりに行うカーネルのワーカー
evidence-own-busy = { RESOURCE($resource) }: 時間の { PERCENT($share) } の間使用中
evidence-busy = 全 CPU を合わせて時間の { PERCENT($share) } が使用中
evidence-content = content={ $content }
evidence-counted = 負荷が転送した量 { SHORT($program, unit: "B/s") }、デバイスが転送した量 { SHORT($device, unit: "B/s") }
evidence-datasheet = データシートの値の { PERCENT($fraction) }
evidence-deeper = 同時に { FIXED($depth) } 個を進行させるとさらに速い
evidence-storage-answer = サーバーへの要求の時間のうち { PERCENT($fraction) } は、送信から応答までの時間
evidence-large-answers =
    { $way ->
        [out] 要求一つは約 { BINARY($each) } で、{ RESOURCE($resource) } から { SHORT($rate, $unit) } が出る
       *[in] 応答一つは約 { BINARY($each) } で、{ RESOURCE($resource) } から { SHORT($rate, $unit) } が届く
    }。経路がそれ以上運べないなら、時間がかかるのはサーバーではなく経路
evidence-reordered = セグメントの { PERCENT($share) } が順序どおりに届かず、失われたものはほとんどない。TCP は失われたとみなしたもののために遅くなる
evidence-out-of-order = セグメントの { PERCENT($share) } が順番より先に届いた。前のセグメントが経路で失われたか、追い越された
evidence-refused = 操作の { PERCENT($share) } が失敗
evidence-beyond-way = TCP が見た最短の往復時間は { SHORT($rtt_s, unit: "s") }。残りの時間は経路のキューか相手側で、または遅らせられた確認応答を待つ間に過ぎる
evidence-connections-remade =
    負荷は接続を保つのに、要求の { PERCENT($share) } で接続を新しく作る。サーバーかその手前のものが接続を閉じ、新しい接続は 1 往復多くかかる{ $tls ->
        [yes] 。TLS でさらに 1 往復
       *[no] {""}
    }
evidence-under-way = サーバーのウィンドウに空きがあるのに、時間の { PERCENT($share) } の間データが転送中だった
evidence-nothing-to-send = 時間の { PERCENT($share) } の間、送ったものはすべて確認され、まだ送るものが残っていた。ディスクからファイルを読むときのように、クライアント自身に送るものがなかった
evidence-program-here =
    その間、このマシンのほかのプログラムのうち最も多く計算した { $name } が、1 秒に CPU 時間 { FIXED($cpu, decimals: 2) } 秒を使用{ $thread ->
        [yes] 。休みなく計算する 1 つのスレッドと同じ
       *[no] {""}
    }
evidence-datagrams-dropped = 送ったものの { PERCENT($lost) } が届かず、受信側のソケットは届いたものの { PERCENT($dropped) } を捨てた
evidence-datagrams-lost = 送ったものの { PERCENT($lost) } が届かず、受信側のソケットがそれだけ捨てたとは知られていない
evidence-link-lanes = { RESOURCE($resource) } は両端にあるレーン { FIXED($best_lanes) } 本のうち { FIXED($lanes) } 本を使用
evidence-bus-unknown =
    { RESOURCE($resource) } は{ $transport ->
        [usb] {" "}USB 接続で、その速さが分からないため、バスかブリッジが限界かもしれない
       *[mmc] メモリーカードのバス接続で、その速さが分からないため、バスが限界かもしれない
    }
evidence-others-there =
    { RESOURCE($resource) } は負荷の { SHORT($program, unit: "B/s") } より { SHORT($beyond, unit: "B/s") } 多く動かしたので、ほかが行うことか、ファイルシステムが加えるものを待っていたかもしれない
evidence-device-flushed =
    { RESOURCE($resource) } のフラッシュは { SHORT($rate, unit: "1/s") }、時間の { PERCENT($share) }{ $asked ->
        [yes] {""}
       *[no] 。負荷は同期しないので、ほかのプログラムかファイルシステムが求めたもの
    }
evidence-device-trimmed = { RESOURCE($resource) } は { SHORT($rate, unit: "B/s") } を破棄（TRIM）し、時間の { PERCENT($share) } をかける。負荷は破棄しないので、ほかのプログラムかファイルシステムが求めたもの
evidence-held-at =
    平均して進行中の操作 { FIXED($under_way, decimals: 2) } 個のうち { FIXED($own, decimals: 2) } 個が{ $inside ->
        [yes] 下のデバイスではなく
       *[no] {""}
    } { RESOURCE($resource) } にある
evidence-mounted-sync =
    { RESOURCE($resource) } はオプション { $option } でマウントされている: { $option ->
        [sync] 書き込みごとにデバイスに記録されるまで待つ
       *[dirsync] ディレクトリの変更ごとにデバイスに記録されるまで待つ
    }
evidence-each-write = { RESOURCE($resource) } は負荷の書き込みごとに { FIXED($each, decimals: 2) } 個を受け取り、ワーカーは時間の { PERCENT($share) } を待って過ごした
evidence-huge-pages =
    { $some ->
        [yes] メモリの { PERCENT($share) } がヒュージページにある: 残りへのアクセスは、TLB に収まらない数のページのアドレスを引く
       *[no] ヒュージページにあるメモリはない: アクセスは、TLB に収まらない数の小さいページのアドレスを引く
    }
evidence-slower-device = { RESOURCE($resource) } の 1 操作は { SHORT($latency_s, unit: "s") }、負荷のほかのデバイスは中央値で { SHORT($others_s, unit: "s") }
evidence-in-syncs = 時間の { PERCENT($share) } を { SHORT($sync_s, unit: "s") } の同期に使った
evidence-ready = ワーカーはそれぞれ時間の { PERCENT($share) } を、実行可能なまま CPU を待って過ごした
evidence-demand = 測定した速度
evidence-depth-rate = 同時に { FIXED($depth) } 個を進行させたとき { SHORT($rate, unit: "1/s") }
evidence-dirty = { PERCENT($share) } がメモリ上だけ
evidence-drive-cache = キャッシュ { BINARY($bytes) }
evidence-durable = { SHORT($rate, unit: "B/s") }
evidence-device-in-flight = 操作 { FIXED($depth) } 個のうち平均 { FIXED($under_way, decimals: 1) } 個が進行中で、それぞれ { SHORT($latency_s, unit: "s") }
evidence-device-synced = ワーカーはそれぞれ時間の { PERCENT($share) } を待ち、その間 { RESOURCE($resource) } は、変更を同期する操作 { SHORT($synced, unit: "1/s") } に対して書き込み { SHORT($rate, unit: "1/s") } を受け取る
evidence-device-wait =
    ワーカーはそれぞれ時間の { PERCENT($share) } を待ち、{ RESOURCE($resource) } は{ $how ->
        [reads] 、読んだ 1 バイトごとに { FIXED($passed, decimals: 2) } バイトを渡す
        [fills] 、書いた 1 バイトごとに { FIXED($passed, decimals: 2) } バイトを渡す
       *[syncs] 、書いた 1 バイトごとに { FIXED($passed, decimals: 2) } バイトを受け取る
    }
evidence-device = バイトの { PERCENT($share) } がデバイスを通過
evidence-device-depth-alone = 同時に { FIXED($depth) } 個を進行させたときに { RESOURCE($resource) } が飽和しているかは、半分か 2 倍の操作でも測定しないと分かりません
evidence-device-deepest = 測定した中で同時に進行した操作は { FIXED($depth) } 個が最多です。さらに増やして測定しないと、{ RESOURCE($resource) } がもっと出せるかは分かりません
evidence-device-few-trials = { RESOURCE($resource) } は飽和しているようですが、試行が少なすぎて確かではありません
evidence-device-gives-more = { RESOURCE($resource) }: 同時に { FIXED($to) } 個を進行させると { FIXED($from) } 個のときの { FIXED($times, decimals: 1) } 倍を処理
evidence-device-not-given-more = 同時に { FIXED($to) } 個を進行させても、{ RESOURCE($resource) } が同時に抱える数は { FIXED($from) } 個のときより増えず、増えた分はホスト内で待つ
evidence-device-above = 同時に { FIXED($to) } 個を進行させても、{ RESOURCE($resource) } が同時に抱える数は { FIXED($from) } 個のときより増えず、増えた分はブロック層より上で待っています（コントロールグループの制限、ファイルシステム、またはプログラム）
evidence-device-has-few = 平均して進行中の操作 { FIXED($under_way, decimals: 1) } 個のうち、{ RESOURCE($resource) } が自身の計数で抱えるのは { FIXED($queue, decimals: 2) } 個だけで、残りはブロック層より上で待っています（コントロールグループの制限、ファイルシステム、またはプログラム）
evidence-device-not-reached = { RESOURCE($resource) } が飽和しているかは分かりません: カーネルが同時に渡すのは、受け取れる { FIXED($takes) } 個のうち最大 { FIXED($most) } 個で、同時に { FIXED($to) } 個を進行させても { FIXED($from) } 個のときより増えません。--observe block-trace はほかのリクエストがどこで待つかを示し、--set queue-requests はさらに多くを通します
evidence-device-noise = { RESOURCE($resource) } が同時に進行する操作を増やすと速くなるかどうかは、試行のばらつきに埋もれて分かりません
evidence-foreign = どの負荷も要求していない{ $kind ->
    [read] 読み取り
   *[write] 書き込み
 } { SHORT($bytes_per_s, unit: "B/s") }
evidence-device-unsure = { RESOURCE($resource) } は飽和しているようですが、試行のばらつきが大きすぎます。同時に進行する操作を 2 倍にすると { PERCENT($gain) } 速くなるかもしれません
evidence-device-workers-busy = ワーカー自体がほぼ飽和しているため、{ RESOURCE($resource) } が飽和しているかは分かりません
evidence-latency = 平均 { SHORT($latency_s, unit: "s") }
evidence-link =
    { $end ->
        [far] { $machine } の{" "}
       *[near] {""}
    }{ RESOURCE($resource) } の { PERCENT($fraction) }
evidence-link-carried =
    { $end ->
        [far] { $machine } の{" "}
       *[near] {""}
    }{ RESOURCE($resource) }: { SHORT($carried, $unit) } が通過
evidence-link-beyond = { SHORT($demand, $unit) } は { RESOURCE($resource) } で可能な速度の { PERCENT($fraction) } なので、別のところが応答したか、経路が異なります
evidence-link-line-rate = { RESOURCE($resource) } は回線速度の { PERCENT($fraction) } ですが、そのうちデータが実際に使える分は分かっていません
evidence-link-range = { RESOURCE($resource) } は、データが使える上限の { PERCENT($fraction) } です。飽和したときは通常 { SHORT($least, $unit) } から { SHORT($most, $unit) } なので、飽和しているかどうかは分かりません
evidence-loop-buffered = dio = 0
evidence-own-limit = { RESOURCE($resource) } が出せる量の { PERCENT($fraction) }
evidence-own-limit-beyond = { RESOURCE($resource) } が出せるとされる量の { PERCENT($fraction) } になるので、その値が誤っています
evidence-measured = 測定結果: { SHORT($measured, $unit) }
evidence-memory =
    { $bound ->
        [modules] メモリモジュールが出せる帯域の { PERCENT($fraction) }
       *[copy] 実行前にコピーで測定したメモリ帯域の { PERCENT($fraction) }
    }{ $beyond ->
        [yes] 、この上限は低く測定されすぎ
       *[no] {""}
    }
evidence-memory-modules-beyond = メモリモジュールが出せる量の { PERCENT($fraction) } が通ったことになるので、モジュールについて分かっている値が誤り
evidence-memory-each =
    { FIXED($threads) } 個のスレッドのそれぞれが、スレッドが { FIXED($fewer) } 個のときに 1 個が使う帯域の { PERCENT($share) } を使う: メモリは、これらのコアが使えるよりも多くを出せる
evidence-memory-room = メモリ { BINARY($bytes) }
evidence-no-counts = 要求を数えていない
evidence-not-filled = 事前に埋めていない
evidence-null = 対象がないとき { SHORT($rate, unit: "1/s") }
evidence-others-cpu = 負荷以外のプログラムが毎秒 CPU { FIXED($cpu, decimals: 2) } 秒を使用
evidence-parts = 部分の合計: { PERCENT($share) }
evidence-pressure =
    { $whose ->
        [group] 負荷のコントロールグループでは
       *[machine] マシン全体では
    }時間の { PERCENT($some) } の間、{ $what ->
        [cpu] 実行できるタスクに CPU がなかった
        [memory] タスクがメモリを待っていた
       *[io] タスクがディスクを待っていた
    }{ $all ->
        [yes] 。時間の { PERCENT($full) } では、アイドルでないタスクのすべてがそうだった
       *[no] {""}
    }
evidence-process = { $name }: 毎秒 CPU { FIXED($cpu, decimals: 2) } 秒を使用
evidence-promised =
    { $by ->
        [study] スタディで約束された値 { SHORT($promised, $unit) }
       *[datasheet] データシートに記載された値 { SHORT($promised, $unit) }
    }
evidence-quota =
    { $end ->
        [far] { $machine } の{" "}
       *[near] {""}
    }{ RESOURCE($resource) } に許されたクォータの { PERCENT($fraction) }
evidence-quota-intervals = 区間の { PERCENT($share) } で速度はこの上限と同じでした
evidence-quota-unclear =
    { $why ->
        [beyond] { RESOURCE($resource) } は提供者が許すとされる量の { PERCENT($fraction) } を使ったので、その値が誤っています
        [passed] { RESOURCE($resource) } に設定された上限の { PERCENT($fraction) } が通ったので、この上限が制限したのではありません
        [shared] { RESOURCE($resource) } は、提供者が同じ種類のもの全体に許す量の { PERCENT($fraction) } を使いました
       *[baseline] { RESOURCE($resource) } は提供者が常に許す量の { PERCENT($fraction) } を使い、どれだけ抑えられたかを数えるものがありません
    }
evidence-rate = { SHORT($rate, unit: "1/s") }
evidence-request-size = 一つの要求に最大 { BINARY($bytes) }
evidence-requests = 操作 { SHORT($operations, unit: "1/s") }、要求 { SHORT($requests, unit: "1/s") }
evidence-more-would-do = それぞれ試行をあと { $more } 回（約 { SHORT($seconds, unit: "s") }）行えばおそらく判定できます（{ $by ->
        [budget] --budget { FIXED($budget) }s
        [extra] --no-extra なし
       *[trials] --trials { FIXED($trials) }
    }）
evidence-result = 測定結果
evidence-returned = { SHORT($rate, unit: "B/s") }
evidence-span = 読む範囲 { BINARY($bytes) }
evidence-steal = steal { PERCENT($share) }
evidence-swap = スワップ { SHORT($rate, unit: "B/s") }
evidence-sync = 平均 { SHORT($latency_s, unit: "s") }
evidence-takes = 一度に { FIXED($takes) } 個を受け取る
evidence-throttle = 1 つの測定区間に { RESOURCE($resource) } のスロットリングが { FIXED($events) } 回
evidence-clock-held = ポリシーによりクロックはハードウェアが出せる { SHORT($hardware_hz, unit: "Hz") } のうち { SHORT($most_hz, unit: "Hz") } までに制限
evidence-cpu-weight = コントロールグループが得る CPU 時間は、ほかのグループが既定で得るものの { PERCENT($weight, decimals: 1) }（cpu.weight、cpu.shares）で、スレッドは時間の { PERCENT($ready) } の間 CPU なしで待機
evidence-clock-seen = 最も速い CPU のクロック { SHORT($seen_hz, unit: "Hz") }
finding-io-control =
    コントロールグループのコントローラー { io-controller } が結果を制限しています。平均 { FIXED($under_way, decimals: 1) } 個の操作が進行中ですが、{ RESOURCE($resource) } にあるのは { FIXED($queue, decimals: 2) } 個で、残りはコントローラーが通すまで待っています
    .advice = { $by ->
        [cost] グループかその上のグループの io.weight を大きくするとより多く通ります。最上位のグループの io.cost.qos と io.cost.model がデバイスの能力を決めています
       *[other] 隣のグループに守るべきレイテンシ（io.latency）があります。それを長くするかなくすと、ここでより多く通ります
    }
io-controller =
    { $by ->
        [cost] io.cost
       *[latency] io.latency
    }
evidence-cost-waited = コントロールグループは毎秒 { FIXED($waited, decimals: 2) } s ずつ io.cost を待った
finding-copy-on-write =
    { RESOURCE($resource) } はブロックをスナップショットと共有しており、各ブロックへの最初の書き込みはコピーが終わるまで待ちます。1 バイト書くごとに、その下で { FIXED($read, decimals: 2) } バイトを読み { FIXED($written, decimals: 2) } バイトを書きます
    .advice = スナップショットを作った後に一度書いたブロックは再びコピーされません。スナップショットのチャンクが小さいと書き込みごとのコピーが減り、スナップショットがなければコピーするものはありません
evidence-copied = { RESOURCE($resource) } の下で、1 バイト書くごとに { FIXED($read, decimals: 2) } バイトを読み { FIXED($written, decimals: 2) } バイトを書く
finding-clock-held =
    プロセッサのクロックが結果を制限しています。{ $by ->
        [policy] ポリシーはハードウェアが出せる { SHORT($could_hz, unit: "Hz") } のうち { SHORT($most_hz, unit: "Hz") } までしか許さず、
        [governor] ガバナー { $governor } は出せる { SHORT($could_hz, unit: "Hz") } の代わりに { SHORT($seen_hz, unit: "Hz") } に保ち、
        [power] 電力の上限により { SHORT($could_hz, unit: "Hz") } の代わりに { SHORT($seen_hz, unit: "Hz") } に下がり、
       *[heat] 熱により { SHORT($could_hz, unit: "Hz") } の代わりに { SHORT($seen_hz, unit: "Hz") } に下がり、
    }その状態で{ $cores ->
        [one] 各スレッドのコア
        [own] 使える CPU
       *[all] すべての CPU
    }が飽和しています
    .advice = { $by ->
        [policy] scaling_max_freq を上げるか（`cpupower frequency-set -u`、--set frequency-max）、何が制限しているか（チューニングのサービス、電源プロファイル）を調べてください
        [governor] ガバナーを performance にしてください（`cpupower frequency-set -g performance`、--set governor=performance）
        [power] 電力の上限（powercap、ファームウェア、電源）を調べてください
       *[heat] ファン、ほこり、部屋の温度を調べてください
    }
evidence-throttled = 1 秒ごとに { SHORT($stopped_s, unit: "s") } 停止
evidence-touched = 使う範囲 { BINARY($bytes) }
evidence-trials = n = { $trials }
evidence-waited =
    ワーカーは時間の { PERCENT($share) } を{ $what ->
        [file] ファイルとディスクへの呼び出しの中
        [socket] ソケット
        [pipe] パイプ
        [lock] 他のスレッド
        [timer] タイマー
        [completion] 非同期 I/O の完了
        [poll] 複数のディスクリプタのどれかの準備
        [fault] まだマップされていないページ
        [writeback] ダーティページの書き込み
        [reclaim] カーネルによるメモリの解放
       *[other] その他の呼び出しの中
    }での待ちに使用
evidence-worker-cpu = 各ワーカーが時間の { PERCENT($share) } を計算に使用
evidence-write-cache =
    { $through ->
        [yes] キャッシュ: write through
       *[no] キャッシュ: write back
    }
evidence-written = 書いた量 { BINARY($bytes) }

finding-proof =
    { $outcome ->
        [proved] 実証されました
        [refuted] 反証されました
       *[unproved] { $why ->
            [both] 挙げていないものも結果を同じように動かしたので、実証されていません
            [exceeds] 減らした分よりはるかに大きく落ちたので、実証されていません
            [little] 減らす、または増やすことのできた量が少なすぎるので、実証されていません
            [otherwise] 減らしたことで負荷の処理のしかたそのものが変わったので、実証されていません
            [failed] 試行が失敗したので、実証されていません
            [noisy] 試行の差が大きすぎるので、実証されていません
           *[other] 実証されていません
        }
    }: { $evidence }

finding-proof-none =
    何が限界かはここでは実証できません: { $why ->
        [others] 減らすべきものをほかのプログラムが使っています
        [steady] ほかの書き込みが定常状態を壊します
        [untried] 時間がなかったか、拒まれました
       *[nothing] ほかに影響せずに減らしたり増やしたりできるものがありません
    }

proof-changed =
    { $change ->
        [less] { PERCENT($by, decimals: 1) } 減りました
        [more] { PERCENT($by, decimals: 1) } 増えました
       *[nothing] 何も変わりませんでした
    }（{ PERCENT($low, decimals: 1) } ～ { PERCENT($high, decimals: 1) }）

evidence-proof-taken =
    { $end ->
        [far] { $machine } の{" "}
       *[near] {""}
    }{ RESOURCE($resource) } を { PERCENT($taken) } 減らすと { proof-changed }{ $idles ->
        [yes] （それがなければ時間の { PERCENT($idle) } は空いていました）
       *[no] {""}
    }

evidence-proof-relief = { $parameter } を { $from } の代わりに { $to } にすると { proof-changed }

evidence-proof-window = { $parameter } を { BINARY($from) } の代わりに { BINARY($to) } にすると { proof-changed }

evidence-proof-raised = { $parameter } を { PERCENT($more) } 増やすと { proof-changed }

finding-setting-without-effect =
    { $name }={ $asked } は効いていません: { $how ->
        [mtu] 試行は MTU { FIXED($found) } で行われました
        [swap] スワップとの間で { SHORT($found, unit: "B/s") } のデータが移動しました
       *[read] 読み戻した値は { $took } です
    }
    .advice = 数値は、求めた状態ではなく実際の状態のものとして読んでください

# What the question of a study comes to.
absorbs-source = 最大 { SHORT($source, unit: "B/s") }（{ SHORT($source_bits, unit: "bit/s") }）で届きます
absorbs-lasting = { SHORT($lasting, unit: "B/s") }（{ SHORT($lasting_bits, unit: "bit/s") }）

finding-absorbs =
    { $answer ->
        [yes] { absorbs-source }。届く限り、すべてを { absorbs-lasting }で受け取り続けられます
        [head] { absorbs-source }。{ $least ->
            [yes] 少なくとも最初の { SHORT($bytes, unit: "B") }
           *[no] 最初の { SHORT($bytes, unit: "B") }
        } は { SHORT($head, unit: "B/s") }（{ SHORT($head_bits, unit: "bit/s") }）で受け取れますが、入る先はメモリです。持続する速さは { absorbs-lasting }です
        [no] { absorbs-source }。受け取れるのは { absorbs-lasting }だけです
        [elsewhere] { absorbs-source }。受け側だけなら { SHORT($sink, unit: "B/s") }（{ SHORT($sink_bits, unit: "bit/s") }）で受け取れますが、両方を合わせると { absorbs-lasting }にとどまります。制限しているのは別のものです
       *[unknown] { $why ->
            [source] 届く速さが測定されていません
            [joint] 届くデータを受け取るワークロードが測定されていません
            [doubt] { absorbs-source }。届いたものはすべて受け取りましたが、診断結果にエラーがあるため信頼できません
            [trials] 比べるには、それぞれ少なくとも 2 回の試行が必要です
            [short] { absorbs-source }。送られたデータは先にすべてメモリに入りました。持続する速さを見るには量が少なすぎます
           *[spread] { absorbs-source }。受け取るのは { absorbs-lasting }ですが、試行のばらつきが大きく、それで足りるかどうかは判断できません
        }
    }

absorbs-interval =
    { $known ->
        [yes] {""}（{ SHORT($low, unit: "B/s") } ～ { SHORT($high, unit: "B/s") }）
       *[no] {""}
    }

evidence-absorbs-source = 届く側だけ: { SHORT($rate, unit: "B/s") }{ absorbs-interval }、{ SHORT($rate_bits, unit: "bit/s") }
evidence-absorbs-sink = 受け側だけ: { SHORT($rate, unit: "B/s") }{ absorbs-interval }、{ SHORT($rate_bits, unit: "bit/s") }
evidence-absorbs-joint =
    両方: { SHORT($rate, unit: "B/s") }{ absorbs-interval }、{ SHORT($rate_bits, unit: "bit/s") }{ $part ->
        [after] 。最初の { SHORT($bytes, unit: "B") } は { SHORT($head, unit: "B/s") }
        [until] 。すべてがデバイスに書かれるまでの速さで、メモリに入るまでは { SHORT($head, unit: "B/s") }
       *[all] {""}
    }

finding-sustains =
    { $answer ->
        [yes] { SHORT($needed, unit: "B/s") } が必要なところ、{ SHORT($rate, unit: "B/s") } で書き込めます。余裕は { PERCENT($room) }、試行の区間では少なくとも { PERCENT($room_least) } です
        [no] { SHORT($needed, unit: "B/s") } が必要なところ、{ SHORT($rate, unit: "B/s") } でしか書き込めません。{ PERCENT($short) } 足りません
       *[unknown] { $why ->
            [none] 全体へ順に書き込むワークロードが測定されていません
            [doubt] { SHORT($needed, unit: "B/s") } が必要なところ、{ SHORT($rate, unit: "B/s") } で書き込めましたが、診断結果にエラーがあるため信頼できません
            [trials] { SHORT($needed, unit: "B/s") } が必要なところ、{ SHORT($rate, unit: "B/s") } で書き込めましたが、判断するには少なくとも 2 回の試行が必要です
           *[spread] { SHORT($needed, unit: "B/s") } が必要なところ、{ SHORT($rate, unit: "B/s") } で書き込めますが、試行のばらつきが大きく、それで足りるかどうかは判断できません
        }
    }

evidence-sustains-rate = 全体: { SHORT($rate, unit: "B/s") }{ absorbs-interval }、{ SHORT($rate_bits, unit: "bit/s") }
evidence-sustains-clients = ネットワーク越しのクライアント: { SHORT($rate, unit: "B/s") }{ absorbs-interval }、{ SHORT($rate_bits, unit: "bit/s") }
evidence-sustains-local = ネットワークなし: { SHORT($rate, unit: "B/s") }{ absorbs-interval }、{ SHORT($rate_bits, unit: "bit/s") }
evidence-sustains-base = { RESOURCE($resource) } の貯めた分を使い切ったあとに続くのは { SHORT($rate, unit: "B/s") }。試行の平均 { SHORT($mean, unit: "B/s") } にはその分が入っている
evidence-sustains-below = 1 つ下の層: { SHORT($rate, unit: "B/s") }{ absorbs-interval }、{ SHORT($rate_bits, unit: "bit/s") }

fits-limit =
    { $limited ->
        [yes] 。制限しているのは { RESOURCE($resource) } です
       *[no] {""}
    }

fits-least =
    { $interval ->
        [yes] 。試行の区間では少なくとも { PERCENT($room_least) } です
       *[no] {""}
    }

finding-fits =
    { $answer ->
        [yes] すべての目標を満たします。余裕が最も少ないのは { $goal } で、{ SHORT($value, $unit) } { $side ->
                [zero] と測定されました
                [upper] は基準より { PERCENT($room) } 低い値です{ fits-least }
               *[lower] は基準より { PERCENT($room) } 高い値です{ fits-least }
            }{ fits-limit }
        [no] { $goal } を満たしません。{ SHORT($value, $unit) } { $side ->
                [zero] と測定されました
                [upper] は基準より { PERCENT($short) } 高い値です
               *[lower] は基準より { PERCENT($short) } 低い値です
            }{ fits-limit }
       *[unknown] { $why ->
            [none] { $goal } を満たすかどうかがわかる測定がありません
            [doubt] 測定値はすべての目標を満たしますが、診断結果にエラーがあるため信頼できません
            [trials] { $goal } について { SHORT($value, $unit) } と測定されましたが、試行が少なすぎるか短すぎるため判断できません
           *[spread] { $goal } について { SHORT($value, $unit) } と測定されましたが、試行のばらつきが大きく判断できません
        }
    }

evidence-fits-inputs = 入力値: { $inputs }
evidence-fits-held =
    { $counted ->
        [yes] { $name }: 同時に間に合うのは最大 { FIXED($count) } (探索による)
       *[no] 間に合うのは毎秒最大 { FIXED($count) } 回 (探索による)
    }

finding-slow-target = { $target } は { SHORT($rate, unit: "B/s") } で、他の { $others } 台のうち最も遅いものは { SHORT($least, unit: "B/s") } です。アレイのように全部が足並みをそろえる所では、これが全体の速さを決めます
    .advice = エラー、ケーブル、スロットを調べてください（smartctl -a）

finding-outer-and-inner-zones = 速さは外周の { SHORT($outer, unit: "B/s") } から内周の { SHORT($inner, unit: "B/s") } へ、その { PERCENT($share) } に落ちます。平均はどの場所の速さでもありません
    .advice = 同じ場所の速さどうしを比べてください（offset と span）

finding-fast-cache-ends = 最初の { SHORT($bytes, unit: "B") } は { SHORT($head, unit: "B/s") } で、続きは { SHORT($rest, unit: "B/s") } で書かれます。始めの部分はキャッシュか、認められたバーストが受け取ったもので、平均はどちらの速さでもありません
    .advice = 持続する速さとしては、落ちた後の速さを使ってください

finding-resync-held =
    { $what ->
        [initial] アレイの最初の同期はメンバーごとに { SHORT($rate, unit: "B/s") }
        [initial-array] アレイの最初の同期は { SHORT($rate, unit: "B/s") }
        [load-array] 負荷と並行して、アレイの同期は { SHORT($rate, unit: "B/s") }
       *[load] 負荷と並行して、アレイの同期はメンバーごとに { SHORT($rate, unit: "B/s") }
    } で進みました。{ $how ->
        [least] これは、負荷があるときに md が速さを下げる下限 { SHORT($limit, unit: "B/s") }（sync_speed_min）に近い値です
        [alone] これは、負荷がなかった最初の同期の速さ（{ SHORT($limit, unit: "B/s") }）とほぼ同じです。制限しているのはメンバーか、パリティを計算するスレッドです
       *[most] これは md が許す速さです（sync_speed_max: { SHORT($limit, unit: "B/s") }）
    }
    .advice =
        { $how ->
            [least] sync_speed_min を大きくすると、アレイは早く元に戻り、負荷は遅くなります。sync-speed-min の値が異なるスタックを比べてください
            [alone] {""}
           *[most] メンバーはもっと速いかもしれません。sync_speed_max を上げてください（スタックでは sync-speed-max）
        }

hardware-part =
    { $what ->
        [memory-uncorrected] メモリコントローラー { $name }
        [memory-corrected] メモリコントローラー { $name }
       *[other] { RESOURCE($resource) }
    }
finding-hardware-errors =
    { $end ->
        [far] { $machine } の
       *[near] {""}
    }{ hardware-part } で、{ $of } 回の試行のうち { $trials } 回に{ $what ->
        [memory-uncorrected] ECC で訂正できないエラー
        [memory-corrected] ECC で訂正されたエラー
        [link-fatal] 致命的なエラー
        [link-nonfatal] 訂正されなかったエラー
        [link-corrected] 訂正されたエラー
        [frame-checksum] チェックサムの誤ったフレーム
        [frame-alignment] アラインメントの誤ったフレーム
        [carrier] キャリアがなく送れなかったフレーム
       *[link-lost] リンクの切断
    }: 合計 { FIXED($count) } 件
    .advice =
        { $what ->
            [memory-uncorrected] メモリモジュールを交換してください。`journalctl -k` かファームウェアのログがスロットを示します
            [memory-corrected] 増えるかどうか見守ってください。`journalctl -k` がモジュールを示します。繰り返すエラーは交換の理由になります
            [frame-checksum] 別のケーブル、トランシーバー、ポートを試してください。フレームの壊れ方は `ethtool -S` が示します
            [frame-alignment] 別のケーブル、トランシーバー、ポートを試してください。フレームの壊れ方は `ethtool -S` が示します
            [carrier] 別のケーブル、トランシーバー、ポートを試してください
            [link-lost] 別のケーブル、トランシーバー、ポートを試してください。リンクを落とす設定もあります
           *[link] カードを差し直すか、別のスロットやライザーを試してください。エラーの種類は `journalctl -k` が示します
        }
evidence-hardware-errors = 1 つの測定区間に最大 { FIXED($count) } 件

accepts-part =
    { $part ->
        [processors] プロセッサー
        [memory] メモリ
        [drives] ドライブ
        [links] PCI Express リンク
       *[network] ネットワーク
    }
finding-accepts =
    { $answer ->
        [yes] { $of } 個の測定区間、合計 { SPAN($seconds) } の間、負荷をかけたどの部分にもエラーがありませんでした
        [no] { $why ->
            [failed] { $of } 個の測定区間のうち { $failed } 個が失敗しました
            [heat] プロセッサーが熱でスロットリングされました
           *[errors] エラーがありました: { accepts-part }
        }
       *[unknown] 何も測定できませんでした
    }
evidence-accepts-windows = { $of } 個の測定区間のうち { $ok } 個が失敗なし: 可用性 { PERCENT($availability) }
evidence-accepts-part =
    { accepts-part }: { $outcome ->
        [passed] 合格
        [uncounted] 合格、ただしここにはそのエラーを数えるものがない
        [heat] 不合格、熱でスロットリングされた
        [errors] 不合格、エラー { FIXED($count) } 件
       *[idle] 負荷をかけていない
    }
evidence-accepts-hottest = 最も熱くなった { RESOURCE($resource) }: { FIXED($value) } °C
