# 他のツールの結果についての説明。

check-title = この結果が示すこと
check-results = 結果
check-results-caption = 出力のままと、一つの単位系（十進の倍数、バイト、秒）で
column-check-figure = 数値
column-check-printed = 出力
column-check-value = 実際の値
column-check-line = 行
check-lines =
    { $how ->
        [none] {""}
        [one] { $first } 行目
       *[several] { $first }～{ $last } 行目
    }
check-findings = 誤り
check-prose-only = 既知のツールの出力は見つかりませんでした。以下は、文にある値どうしを突き合わせた結果です。
check-nothing = これらの数値と矛盾するものは見つかりませんでした。
check-more-findings = … 数値だけが異なる同様のものがほかに { $count } 件あります。
check-more-figures = 残りの数値 { $count } 件は実行ドキュメントにあります: `headroom check --json=full` または `-o result.json`。
check-suggestions = 実行すべきだったコマンド
check-their-command =
    { $tool } で{ $times ->
        [1] :
       *[other] {" "}{ $times } 回:
    }
check-own-command = Headroom で:
check-unread = 理解できなかった部分
check-unread-count =
    { $count ->
        [1] 次の行はどの結果にも属しません:
       *[other] 次の { $count } か所の行はどの結果にも属しません:
    }
check-unread-cause =
    { $cause ->
        [not-understood] { $tool } の出力のように始まりますが、そのようには続きません
        [cut-short] { $tool } の出力ですが、数値の前で終わっています
        [too-long] 一つの出力から読む量を超えています
        [too-many] 結果が多すぎるため、ここからは読まれていません。これより前の結果は読まれています
        [other] 理由は新しい版の Headroom だけが知っています
       *[no-tool] 既知のツールの出力ではありません
    }
