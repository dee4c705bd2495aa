# リンクとデバイスの限界の検査。

finding-above-limit =
    { $tool } は { $printed }、すなわち { SHORT($rate, $unit) } と出力していますが、{ $of ->
        [interface] このマシンで最も速いインターフェース { RESOURCE($resource) } でも
        [link] 文中のリンク { $name } でも
       *[target] { RESOURCE($resource) } は
    }最大で { SHORT($most, $unit) } しか運べません。{ $cause ->
        [cache] デバイスの代わりにメモリが答えています
        [sender] 送信側は、回線を流れた量ではなく渡した量を数えています
       *[unknown] 別のリンクの数値か、単位の読み違いです
    }
    .advice = { $cause ->
        [cache] ダイレクト I/O でページキャッシュを避けてください
        [sender] 受信側の数値を使ってください
       *[unknown] 単位と、どのマシンで測ったかを確かめてください
    }
evidence-limit-of-machine = { RESOURCE($resource) }: { SHORT($most, $unit) } ({ $source })
evidence-limit-in-text = { $line } 行目: { $name } は { SHORT($most, $unit) } を運べます

finding-sender-figure =
    { $tool } の送信側は { SHORT($sent, $unit) } を渡しましたが、{ $how ->
        [received] 届いたのは { SHORT($received, $unit) } です。残りは失われたか、時計が止まったときバッファにありました
       *[alone] 届いた量は数えられていません。もっと少ないかもしれません
    }
    .advice = { $how ->
        [received] 受信側の数値を使ってください
       *[alone] 相手側が出力する、受信側の数値を使ってください
    }
evidence-sender-line = { $line } 行目: 送信 { $printed }
evidence-receiver-line = { $line } 行目: 受信 { $printed }

finding-arrays-in-cache =
    { $tool } は一度に { BINARY($array) } を扱いました{ $how ->
        [always] {""}。どのプロセッサーのキャッシュにも収まる大きさなので、測ったのはメモリではなくキャッシュです
        [inside] {""}。最終レベルのキャッシュの容量は { BINARY($cache) } で、測ったのはメモリではなくキャッシュです
       *[near] {""}。最終レベルのキャッシュの容量は { BINARY($cache) } です。STREAM の規則は配列ごとにその 4 倍なので、一部はキャッシュが答えました
    }
    .advice = { $how ->
        [always] 配列ごとに、lscpu が示す最終レベルのキャッシュの容量の 4 倍以上にしてください
       *[other] 配列ごとに { BINARY($least) } 以上にしてください
    }
evidence-array-size = { $first }～{ $last } 行目: { BINARY($array) }

finding-other-end-here = { $tool } の相手は同じマシン（{ $host }）にありました。ネットワークは測定されず、両端が同じプロセッサーを分け合いました
    .advice = 相手を別のマシンで動かすか、このマシンだけで出せる値として受け取ってください
evidence-lines-of-host = { $first }～{ $last } 行目: { $host }
