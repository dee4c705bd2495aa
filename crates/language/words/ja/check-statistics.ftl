# 数値がどれだけのことを言えるかの検査。

finding-single-run = { $tool } はこの条件で一度だけ実行されました。次の実行がどれだけ違うかは分かりません
    .advice = 同じコマンドを { $times } 回実行し、出力をすべて渡してください。それぞれが試行となり、区間が得られます
evidence-printed-lines = { $first }～{ $last } 行目
