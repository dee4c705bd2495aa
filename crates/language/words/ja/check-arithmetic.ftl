# 数値どうしの算術の検査。

finding-rate-contradicts-amount =
    { $tool } は { $printed } と出力していますが、{ $lasted } で { $amount } なら { SHORT($computed, $unit) } です{ $cause ->
        [binary] {""}。速度の倍数は 1024 単位です
        [decimal] {""}。速度の倍数は 1000 単位です
        [bits] {""}。ビットをバイトと取り違えています
        [minutes] {""}。時間から分が抜けているか、別の時計の時間です
        [nothing] {""}
       *[unknown] {""}。出力された速度はその { FIXED($ratio, decimals: 3) } 倍です
    }
    .advice = 速度ではなく、数えられた値を信じてください。誰かが書き写した文なら、元の出力を確かめてください
evidence-rate-arithmetic =
    { $line } 行目: { $amount } / { $lasted } = { SHORT($computed, $unit) }、出力は { $printed }

finding-total-contradicts-parts =
    { $tool } は全体を { $printed } と出力していますが、{ $count } 個の部分を合わせると { $unit ->
        [B] { SHORT($sum, unit: "B") } で
        [bytes-per-second] { SHORT($sum, unit: "B/s") } で
        [per-second] { SHORT($sum, unit: "1/s") } で
       *[other] 操作 { FIXED($sum) } 件で
    }、その { FIXED($ratio, decimals: 3) } 倍です
    .advice = 元の出力を確かめてください。抜けた行があるか、別の実行の行が混ざっています
evidence-sum-of-parts =
    { $line } 行目: 全体は { $printed }、{ $first }～{ $last } 行目の合計はその { FIXED($ratio, decimals: 3) } 倍

finding-size-contradicts-operations =
    { $how ->
        [amounts] { SHORT($bytes, unit: "B") } を操作 { $other } 件で
       *[rates] { $printed } を { $other } で
    }割ると操作 1 件が { BINARY($computed) } ですが、ブロックサイズは { BINARY($block) } です
    .advice = 両方の数値が同じ実行のものか、速度の単位は何かを確かめてください
evidence-size-arithmetic =
    { $first }、{ $last } 行目: { $printed } / { $other } = { BINARY($computed) }

finding-impossible-value =
    { $how ->
        [order] { WORDS($metric) } が { $printed } で、{ WORDS($other) } の { $amount } より大きくなっています
        [window] 操作 1 件に { $printed } かかっていますが、実行全体は { $amount } です
        [share] { WORDS($metric) } が { $printed } で、全体を超えています
        [shares] { WORDS($metric) } が { $printed } で、プロセッサーの他の割合と合わせると { PERCENT($sum) } となり、100 % を超えています
        [few-shares] { WORDS($metric) } が { $printed } で、プロセッサの他の割合と合計しても { PERCENT($sum) } にしかならず、100 % に足りません
        [wrapped] { WORDS($metric) } が { $printed } で、64 ビットで数えられる上限ほどです。カウンターが 0 を下回りました
       *[negative] { WORDS($metric) } が { $printed } で、0 より小さくなっています
    }。ありえない値です
    .advice = 元の出力を確かめてください。複数の実行の数値が混ざっているか、単位が違う可能性があります

finding-latency-contradicts-rate =
    { $how ->
        [more] リトルの法則に反します。{ SHORT($rate, unit: "1/s") } を 1 件 { SHORT($latency, unit: "s") } で処理するには同時に { FIXED($in_flight, decimals: 1) } 件が進行中でなければなりませんが、{ $depth } 件までしか許されていません。速度かレイテンシが別のものの数値です
       *[less] { SHORT($rate, unit: "1/s") } を 1 件 { SHORT($latency, unit: "s") } で処理すると、進行中は { FIXED($in_flight, decimals: 1) } 件ですが、{ $depth } 件まで許されています。残りの時間は負荷の準備ができていなかったか、このレイテンシに含まれないものを待っていました
    }
    .advice = 両方を同じ区間で測り、ツールが何を操作のレイテンシとして数えるかを確かめてください
evidence-in-flight =
    { $printed } x { $lasted } = { FIXED($in_flight, decimals: 1) }

finding-sum-of-means =
    { $printed } は、{ $below } から { $lasted } までの異なる時間の平均速度 { $count } 個の和です。同時にそれだけ流れたことはありません。すべてが同時に始まったなら、最後のものが終わるまでで { SHORT($together, unit: "B/s") } です
    .advice = すべての部分を同じ時刻に終わらせるか、全バイト数を最も長い時間で割ってください
evidence-means =
    { $first }～{ $last } 行目: 速度 { $count } 個の和 { SHORT($sum, unit: "B/s") }、{ $lasted } で { SHORT($bytes, unit: "B") }

finding-latency-is-queue =
    進行中の操作 { $depth } 件を { $printed } で処理すると、リトルの法則により 1 件に { SHORT($computed, unit: "s") } かかり、出力は { $lasted } です。このレイテンシはデバイスが操作 1 件に要する時間ではなく、キューの長さを表します
    .advice = レイテンシは一度に 1 件だけ進める実行から取り、この実行からは速度だけを使ってください
evidence-queue-arithmetic =
    { $line } 行目: { $depth } / { $printed } = { SHORT($computed, unit: "s") }

finding-sum-contradicts-mean =
    { $how ->
        [threads] { FIXED($count) } 個のスレッドがそれぞれ { $printed } なら { FIXED($computed) } ですが、全体は { $amount } と出力されています
        [times] { FIXED($count) } 個のスレッドがそれぞれ { $printed } なら { SHORT($computed, unit: "s") } ですが、すべての操作の合計は { $amount } と出力されています
       *[operations] 操作 { FIXED($count) } 件が平均 { $printed } なら { SHORT($computed, unit: "s") } ですが、全体は { $amount } と出力されています
    }
    .advice = 元の出力を確かめてください。複数の実行の数値が混ざっているか、単位が違う可能性があります

finding-mean-contradicts-rows =
    { $tool } は平均として { $printed }（{ WORDS($metric) }）を出力していますが、その上の { $count } 行の平均は { PERCENT($computed) } です
    .advice = 元の出力を確かめてください。行が欠けているか、平均が別の時間のものかもしれません
evidence-mean-of-rows =
    { $line } 行目: { $printed }、{ $first }～{ $last } 行目: { PERCENT($computed) }

finding-figures-disagree =
    { $how ->
        [at-most] { $tool } は { $printed } と出力していますが、{ $example }、つまり { $other } より大きくはなりません
        [at-least] { $tool } は { $printed } と出力していますが、{ $example }、つまり { $other } より小さくはなりません
        [whole] { $tool } が出力した、ひとつの全体の割合を合計すると { $other } になります: { $example }
       *[equal] { $tool } は { $printed } と出力していますが、{ $example } は { $other } です
    }
    .advice = 元の出力を確かめてください。値が変えられたか写し間違えられたか、別の実行のものかもしれません
evidence-figures-line =
    { $line } 行目: { $printed }、{ $first }～{ $last } 行目: { $example } = { $other }
