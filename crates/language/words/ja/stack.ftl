# What is full at each layer of a storage stack, and what each layer costs.

finding-kernel-work-full =
    { RESOURCE($resource) } のためのカーネルの処理が使える CPU は飽和しています: その時間の { PERCENT($used) } を{ $crypto ->
        [yes] 暗号化
       *[no] この処理
    }が、{ PERCENT($own) } を負荷自身のスレッドが使っています
    .advice =
        { $crypto ->
            [yes] プロセッサーに専用命令のある暗号方式、より大きなセクター、または CPU の追加が有効です。下のデバイスを速くしても変わりません。この CPU が最大どれだけ暗号化できるかは `headroom run cpu.crypto --threads all` で測定できます
           *[no] CPU を増やすと速くなります。下のデバイスを速くしても変わりません
        }
evidence-kernel-work =
    { RESOURCE($resource) } のためのカーネルの処理（{ $by ->
        [events] カーネルのキューのイベントによる
       *[names] スレッドとキューの名前による
    }）は、使える CPU の時間の { PERCENT($used) } を占め、その CPU は時間の { PERCENT($busy) } の間使用中
finding-kernel-thread-full =
    カーネルの 1 つのスレッドが飽和しています: { RESOURCE($resource) } のために動く { $name } が時間の { PERCENT($share) } を計算に使っています{ $parity ->
        [alone] 。ほかにパリティを計算するスレッドはありません（group_thread_cnt が 0）
        [helped] 。ほかに { FIXED($helpers) } 個のスレッドがパリティを計算できます（group_thread_cnt）
       *[none] {""}
    }
    .advice =
        { $parity ->
            [alone] パリティを計算するスレッドを増やしてください: アレイの group_thread_cnt、スタックの group-threads=N。それで最大どれだけになるかは `headroom run cpu.parity --threads 1,all` で測定できます
           *[other] 速い CPU が有効です。CPU の数を増やしても変わりません
        }
evidence-kernel-thread = { $name } が時間の { PERCENT($share) } を計算に使用
finding-slow-member =
    { RESOURCE($resource) } は { RESOURCE($other) } のほかのメンバーより遅く、すべてのメンバーがこれを待ちます: 1 操作にかかる時間は { SHORT($latency_s, unit: "s") }、ほかのメンバーでは { SHORT($others_s, unit: "s") } で、進行中の操作の { PERCENT($share) } がここにあります
    .advice = アレイは最も遅いメンバーの速さになります。このメンバーの健康状態と温度、リンク、ほかの利用者を調べてください
evidence-member = { RESOURCE($resource) } の 1 操作は { SHORT($latency_s, unit: "s") }、ほかのメンバーは中央値で { SHORT($others_s, unit: "s") }
finding-parity-rewrite =
    { RESOURCE($resource) } のパリティ: 書き込み 1 バイトにつきメンバーは { FIXED($read, decimals: 2) } バイトを読み、{ FIXED($written, decimals: 2) } バイトを書きます。ストライプより小さい書き込みは、元の内容が読まれるまで待つためです
    .advice =
        ストライプ全体{ $stripe ->
            [0] {""}
           *[other] （{ BINARY($stripe) }）
        }の書き込みは何も読みません: より大きな書き込み、小さいチャンク、大きいストライプキャッシュが有効です。パリティがなければ読むものはありません
evidence-parity = { RESOURCE($resource) } のメンバーは、書き込み 1 バイトにつき { FIXED($read, decimals: 2) } バイトを読み、{ FIXED($written, decimals: 2) } バイトを書く
finding-journal-flush =
    ジャーナル: 時間の { PERCENT($share) } の間、{ RESOURCE($resource) } のフラッシュ{ $through ->
        [yes] か、キャッシュを通り抜ける書き込み（推定）
       *[no] {""}
    }が進行中で（{ SHORT($rate, unit: "1/s") }）、負荷の 1 バイトにつき { FIXED($more, decimals: 2) } バイトが余分に書かれます
    .advice = sync を減らして 1 回ごとの書き込みを増やすか、フラッシュの速いデバイス（停電に耐えるキャッシュを持つもの）を使ってください
evidence-flushes = { RESOURCE($resource) } のフラッシュは { SHORT($rate, unit: "1/s") }、時間の { PERCENT($share) }。負荷の 1 バイトにつき { FIXED($more, decimals: 2) } バイトが余分に書かれる
evidence-forced-writes = 同じ数の書き込みが { RESOURCE($resource) } のキャッシュを通り抜け（FUA）、書き込みの平均時間で見積もると時間の { PERCENT($share) } になる

finding-array-busy =
    負荷と並行して { RESOURCE($resource) } の { $action } が行われ（{ FIXED($of) } 回の試行のうち { FIXED($trials) } 回）、メンバーの一部を使いました
    .advice = 終わってから測定し直してください（/proc/mdstat を参照）
evidence-sync-beside = sync_action は { $action }
finding-stripe-lost =
    { RESOURCE($resource) } は { RESOURCE($below) } のストライプ（{ BINARY($stripe) }）を上に伝えません{ $says ->
        [0] {""}
       *[other] （{ BINARY($says) } と伝えています）
    }。その上のファイルシステムはストライプに揃えません
    .advice = mkfs にストライプを直接指定してください（mkfs.xfs の su と sw、mkfs.ext4 の stride と stripe-width）
evidence-optimal-size = optimal_io_size は { RESOURCE($below) } が { BINARY($stripe) }、{ RESOURCE($resource) } が { BINARY($says) }
finding-small-sectors =
    { $by ->
        [load] { BINARY($logical) } の書き込みは { RESOURCE($below) } のセクター（{ BINARY($physical) }）より小さいです
       *[layer] { RESOURCE($resource) } のブロックは { BINARY($logical) } で、下の { RESOURCE($below) } のセクターは { BINARY($physical) } です
    }{ $crypto ->
        [yes] : ブロックは 1 つずつ暗号化され、セクターより小さい書き込みではドライブが先に読み出します
       *[no] : セクターより小さい書き込みではドライブが先に読み出します
    }
    .advice =
        { $crypto ->
            [yes] 大きいセクターで作り直してください（cryptsetup luksFormat --sector-size 4096、スタックの sector-size）
           *[no] { $by ->
                [load] --block-size をセクター全体にすると、先に読むものがありません
               *[layer] その上では { BINARY($physical) } のブロックを使ってください
            }
        }
evidence-sectors = { RESOURCE($resource) }: { BINARY($logical) }、{ RESOURCE($below) }: { BINARY($physical) }
finding-misaligned-start =
    { RESOURCE($resource) } は { FIXED($start) } バイトから始まり、{ $of ->
        [sector] { RESOURCE($below) } のセクター（{ BINARY($bytes) }）の途中です: 揃えた書き込みも 2 つのセクターにまたがり、ドライブは先に両方を読み出します
       *[stripe] { RESOURCE($below) } のストライプ（{ BINARY($bytes) }）の途中です: ストライプ全体の書き込みも 2 つにまたがり、パリティが先に読まれます
    }
    .advice = { BINARY($bytes) } の倍数の位置にパーティションを作り直してください。中身はコピーが必要です
evidence-start = { RESOURCE($resource) } は { FIXED($start) } バイトから始まる
finding-discard-not-passed =
    { RESOURCE($below) } は discard を受け付けますが、{ RESOURCE($resource) } は受け付けません: 上で削除しても下では割り当てられたままです
    .advice =
        { $crypto ->
            [yes] cryptsetup の allow-discards（スタックでは discard=yes）で下に渡せますが、どのブロックが空きかが分かるようになります
           *[no] {""}
        }
evidence-discards = discard_max_bytes は { RESOURCE($resource) } が 0、{ RESOURCE($below) } が { BINARY($bytes) }

verdict-kernel-work-full = CPU が { $resource } の処理で飽和
verdict-kernel-thread-full = { $resource } のカーネルスレッド 1 つが飽和
verdict-slow-member = 全メンバーが { $resource } を待つ
verdict-parity-rewrite = 小さい書き込みのたびに { $resource } のメンバーを読み出し
verdict-journal-flush = { $resource } へのジャーナルのフラッシュ
conclusion-kernel-work-full = { $resource } のためのカーネルの処理で CPU が限界: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-kernel-thread-full = { $resource } のカーネルスレッド 1 つが限界: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-slow-member = ほかの全メンバーが待つ { $resource } が限界: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-parity-rewrite = { $resource } のパリティが限界（小さい書き込みが読み出しを待つ）: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-journal-flush = { $resource } へのジャーナルのフラッシュが限界: { $rate }{ conclusion-where }{ conclusion-then }

waterfall-full = 飽和している部分
waterfall-bytes-below = 最下層のデバイスでのバイト（負荷 1 バイトあたり）
waterfall-bytes = 読み出し { $read }、書き込み { $written }
waterfall-costs =
    { $layer } のコストは { $below } の速度の { $cost } です{ $why ->
        [known] （理由: { $reason }）
       *[unknown] {""}
    }{ $changed ->
        [yes] 。{ $below } を制限していたもの（{ $before }）は、ここから上では限界ではありません
       *[no] {""}
    }
waterfall-costs-little = { $layer } のコストは { $below } の速度の { $margin } % 以下です
waterfall-gives-more = { $layer } は { $below } より { $cost } 速くなります
waterfall-untold = { $layer } にコストがあるかどうかは、これらの試行では分かりません: { $below } に対して { $change }
