# 数値がどれだけのことを言えるかの検査。

finding-single-run = { $tool } はこの条件で一度だけ実行されました。次の実行がどれだけ違うかは分かりません
    .advice = 同じコマンドを { $times } 回実行し、出力をすべて渡してください。それぞれが試行となり、区間が得られます
evidence-printed-lines = { $first }～{ $last } 行目

finding-failed-operations =
    { $how ->
        [all] { $tool } の操作はすべて失敗しました。出力された速度がどうであれ、仕事は何も行われていません
        [most] { $tool } の操作の { PERCENT($share) } が失敗しました。出力された速度がどうであれ、仕事の大部分は行われていません
        [none] { $tool } は何も行っていません。終わった操作が一つもありません
        [lost] { $tool } のパケットの { PERCENT($share) } が失われました。ほかの数値は届いたパケットだけのものです
       *[some] { $tool } の操作の { PERCENT($share) } が失敗しました。失敗は通常の操作より早く終わることも遅く終わることもあり、多くのツールはそれも速度とレイテンシに含めます
    }
    .advice = 失敗の原因を調べて取り除き、失敗のない状態で測り直してください
evidence-failed-line =
    { $line } 行目: { $printed }

finding-heading-contradicts-log =
    { $how ->
        [figure] 見出しには { $printed } とありますが、その下にそのような値はなく、最も近いのは { $other } です
        [conclusion] 下の文には { $printed } とありますが、その上にそのような値はなく、最も近いのは { $other } です
        [command] コマンドには { $printed } とありますが、出力には { $other } とあります。別の実行の出力か、どちらかが書き換えられています
        [pattern] 名前は「{ $name }」ですが、実際には { $other } でした
       *[size] 名前は「{ $name }」ですが、操作の大きさは { BINARY($block) } でした
    }
    .advice = 記録のほうを信じ、そこにある値を書いてください
evidence-heading-line =
    { $line } 行目: { $name }

finding-units-mixed =
    { $how ->
        [counting] { $tool } の { $unit } は 1000、{ $other } のものは 1024 が単位です。M では 4.9 %、G では 7.4 % 違います。出力されたまま並べてはいけません
        [mistaken] 文には { $printed } とありますが、{ $tool } の出力は { $example }、つまり { SHORT($computed, unit: "B/s") } です。ビットとバイトを取り違えています。1 バイトは 8 ビットです
        [prose] 文に { $unit } と { $name } が並んでいます。一つの単位では { SHORT($first, unit: "B/s") } と { SHORT($second, unit: "B/s") } です
       *[bits] { $tool } はビット（{ $unit }）、{ $other } はバイト（{ $name }）を出力しています。1 バイトは 8 ビットです
    }
    .advice = 単位をそろえたこの表の数値を比べてください
evidence-unit-line =
    { $line } 行目: { $printed }、つまり { SHORT($computed, unit: "B/s") }

finding-mean-far-from-peak =
    平均は { $printed } ですが、最大では { $other } に達し、平均の { FIXED($ratio, decimals: 1) } 倍です{ $course ->
        [fell] {""}。最初の 4 分の 1 は { SHORT($early, $unit) }、最後は { SHORT($late, $unit) } に下がりました。キャッシュかクレジットを使い切り、平均は測った長さを表します
        [rose] {""}。最初の 4 分の 1 は { SHORT($early, $unit) }、最後は { SHORT($late, $unit) } に上がりました。最初の数秒を除いてください
        [stalled] {""}。{ $all } 区間のうち { $none } 区間では何も行われていません。なぜ止まったかを調べてください。平均は動いた時間と止まった時間が混ざった値です
        [varied] {""}。上下したため、平均は複数の状態が混ざった値です
       *[unknown] {""}。平均は複数の状態が混ざった値です
    }
    .advice = 速度が安定するまで測り、その部分だけを使ってください
evidence-peak-line =
    { $line } 行目: { $printed }

finding-percentile-beyond-count =
    { $share ->
        [none] { WORDS($metric) } は最も遅い操作一つの値です。操作 { FIXED($count) } 件のうち、それより遅いものはありません
       *[few] { WORDS($metric) } の根拠が少なすぎます。操作 { FIXED($count) } 件のうち、それより遅いものは { FIXED($beyond, decimals: 1) } 件だけです
    }
    .advice =
        { $highest ->
            [0] これほど少ない操作では、どのパーセンタイルも信じないでください。もっと長く実行してください
           *[other] p{ $highest } より上のパーセンタイルは信じないでください。必要なら、もっと長く実行してください
        }
evidence-percentile-count =
    { $line } 行目: { $printed }、{ $last } 行目によれば操作 { FIXED($count) } 件

finding-own-warning =
    { $tool } 自身が警告しています: { $printed }{ $more ->
        [0] {""}
       *[other] {""}（ほかに { $more } 件）
    }
    .advice = 警告の原因を取り除いて実行し直すか、警告を数値と一緒に示してください
evidence-own-warning-line =
    { $line } 行目: { $printed }

finding-within-spread =
    { $name } は { $other } より { PERCENT($share) } 長くかかりましたが、同じコマンドの実行どうしも同じくらい違います。どちらが速いかはここからは分かりません
    .advice = 同じ速さとみなすか、静かなマシンで両方を交互にもっと多く実行してください
evidence-spread-line =
    { $line } 行目: 平均 { $printed }、標準偏差 { $amount }

finding-ratio-contradicts-results =
    { $how ->
        [base] 文には「{ $printed }」とありますが、{ $example } は { $other } より { PERCENT($gain) } 多く、{ $other } は { $example } より { PERCENT($loss) } 少ないです。割合の基準が二つのうち誤ったほうになっています
       *[other] 文には「{ $printed }」とありますが、{ $example } は { $other } の { FIXED($ratio, decimals: 2) } 倍で、{ PERCENT($gain) } 多いだけです
    }
    .advice = 数値を割り算し直し、どちらが基準かを書いてください
evidence-claim-line =
    { $line } 行目: { $name }
