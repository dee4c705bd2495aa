# どれだけの間、どの時計で測ったかの検査。

finding-clocks-disagree =
    { $how ->
        [minutes] { $printed } と { $lasted } は同じ実行の時間ですが、{ FIXED($minutes) } 分違います。分を読み違えています
        [rate] { $printed } が正しいのは { SHORT($took, unit: "s") } かかった場合ですが、{ $amount } にかかった時間は { $lasted } です。分を読み違えています
        [shorter] { $tool } 全体の時間が { $printed } で、ツールが数えた時間は { $lasted } です。全体が部分より短いことはありえません
       *[longer] { $tool } は { $printed } かかり、そのうち { $lasted } だけを数えています。その速度には、起動、準備、または最後の書き出しの { SHORT($rest, unit: "s") } が含まれていません
    }
    .advice =
        { $how ->
            [longer] 作業の全体が対象なら、長いほうの時間を使ってください
           *[other] ツール自身が出力した時間で割ってください
        }
evidence-clock-line =
    { $line } 行目: { $printed }

finding-ended-by-size =
    { $how ->
        [early] { SHORT($asked, unit: "s") } 実行するはずでしたが、{ $lasted } で終わりました。バイトか操作を使い切ったか、失敗しました
        [parts] 部分が順に終わりました。最初は { $below }、最後は { $lasted } の後です。終わりに近いほど少ない部分がマシンを分け合ったので、この速度は全部が一緒のときの速度ではありません
       *[amount] 決められた量を終えて { $lasted } で終わりました。別のマシンでは別の時間だけ測ることになり、この長さでは最初しか見えません
    }
    .advice = 全部が同じ時間で終わるようにしてください
evidence-end-line =
    { $line } 行目: { $printed }

finding-shorter-than-caches =
    { $lasted } で { SHORT($written, unit: "B") } を書きました。コントローラーのキャッシュは { BINARY($cache) } まであり、SSD は数十 GB を残りより速く書きます。キャッシュの速度かもしれません
    .advice = 数分間、デバイスがキャッシュできる量より多く、速度がもう下がらなくなるまで書いてください
evidence-written-in =
    { $line } 行目: { $lasted } で { SHORT($written, unit: "B") }

finding-too-short-for-clock =
    { $how ->
        [cpu] { $tool } が数えた CPU 時間は { SHORT($seconds, unit: "s") } です。その時計の目盛りは 10 ms なので、一つ違うだけで 1 割より大きく変わります。この値からは何も分かりません
       *[run] 実行は { $printed } でした。起動、最初のアクセス、スケジューラーの一巡も同じくらいかかります
    }
    .advice = 一度の実行で百倍ほど多く行ってください
evidence-short-time =
    { $line } 行目: { $printed }

finding-cpu-share-contradicts-times =
    { $tool } はプロセッサーの { $printed } と出力していますが、{ $lasted } で CPU 時間 { SHORT($busy, unit: "s") } なら { PERCENT($computed) } です
    .advice = 元の出力を確かめてください。割合か時間の一つが別の実行のものです

finding-ended-by-error =
    { $tool } はエラー { $error } で終わりました。数値はそれまでの部分のもので、エラーの原因がその部分も遅くしていた可能性があります
    .advice = 満杯のデバイスや制限などの原因を取り除き、もう一度実行してください
evidence-ended-by-error = { $first }～{ $last } 行目: { $error }

finding-since-boot =
    { $tool } の報告は最初の一つだけで、その速度はマシンの起動以来の全時間の平均です。一時的に動いた負荷については何も言えません
    .advice = { $example } のように間隔と回数を指定し、二つ目以降の報告を読んでください
evidence-since-boot = { $first }～{ $last } 行目

finding-cpu-time-as-time =
    { $tool } は CPU 時間で割ります。経過した { SHORT($asked, unit: "s") } のうち { $lasted } だけを数えています。残りの時間は別の処理がプロセッサーを使っていたので、実際に得られたのは { $printed } の { PERCENT($share) } です
    .advice = ほかに何もしていないマシンで -elapsed を付けて実行してください
evidence-cpu-time-line =
    { $line } 行目: { SHORT($asked, unit: "s") } で CPU 時間 { $lasted }

finding-asked-rate-missed =
    { $tool } に { SHORT($asked, unit: "1/s") } を要求しましたが、{ SHORT($done, unit: "1/s") } しか処理できませんでした。遅れた操作は待つため、レイテンシは実行が長いほど伸び、待ち行列がどれだけ伸びたかを示します
    .advice = 守れる速度を要求し、レイテンシはそのときの値だけを読んでください
evidence-asked-rate = { $line } 行目: { SHORT($asked, unit: "1/s") } のうち { SHORT($done, unit: "1/s") }

finding-asked-rate-kept =
    { $tool } は最大で { SHORT($asked, unit: "1/s") } に制限され、{ SHORT($done, unit: "1/s") } を処理しました。この値は要求した速度であり、出せる速度ではありません
    .advice = どれだけ出せるかを知るには制限を外し、この実行からはレイテンシだけを読んでください
