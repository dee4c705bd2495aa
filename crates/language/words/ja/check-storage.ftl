# 負荷とデバイスの間にあるものの検査。

finding-page-cache-likely =
    { $tool } は{ $how ->
        [unsynced] ページキャッシュ経由で { BINARY($bytes) } を書き、同期を待っていません。デバイスではなくメモリが受け取った速さです
        [copied] ページキャッシュ経由で { BINARY($bytes) } をコピーし、同期を待っていません。遅い側の速さであり、メモリに残っている分はまだデバイスにありません
        [again] {" "}{ BINARY($span) } の範囲からページキャッシュ経由で { BINARY($bytes) } を読みました。二度目からはデバイスではなくメモリが答えます
        [written-before] 直前に書かれた { BINARY($span) } をページキャッシュ経由で読みました。メモリに残っている分はデバイスから読まれません
       *[unknown] ページキャッシュ経由で { BINARY($bytes) } を読みました。すでにキャッシュにあったなら、デバイスではなくメモリが答えています
    }
    .advice = ダイレクト I/O でページキャッシュを避けてください。{ $how ->
        [unsynced] または最後の同期の時間まで測ってください
        [copied] または最後の同期の時間まで測ってください
       *[other] またはメモリより大きい範囲を読んでください
    }
evidence-cached-options = { $first }～{ $last } 行目: ダイレクト I/O なし{ $how ->
        [unsynced] 、同期なし
        [copied] 、同期なし
       *[other] {""}
    }
evidence-cached-memory = このマシンのメモリは { BINARY($memory) } です

finding-small-span =
    { $tool } は { $how ->
        [share] { $target } の { DECIMAL($device) } のうち { BINARY($span) } にしか触れていません
        [cache] { BINARY($span) } にしか触れておらず、{ $target } のキャッシュ { BINARY($cache) } に収まります
       *[unknown] { BINARY($span) } にしか触れておらず、ドライブ自身のキャッシュに収まる可能性があります
    }。デバイス全体ではもっと遅いかもしれません
    .advice = 実際のデータと同じ大きさの範囲に触れてください{ $how ->
        [unknown] {""}。--machine を与えるとデバイスの大きさと比べます
       *[other] {""}
    }
evidence-small-span = { $first }～{ $last } 行目: { BINARY($span) }

finding-zeros-written =
    { $tool } は 0 だけを書きました。{ $storage ->
        [compresses] { $filesystem } が圧縮して消すので、デバイスにはほとんど届きません
        [virtual] 仮想デバイスやシンデバイスの裏では保存されないことがあります
       *[unknown] ファイルシステム、アレイ、ドライブが圧縮したり 0 を省いたりするなら、実際のデータはもっと遅くなります
    }
    .advice = 圧縮できないデータを、メモリにある乱数のファイルから書いてください
evidence-zeros-written = { $first }～{ $last } 行目: 0

finding-depth-without-direct =
    { $tool } はページキャッシュ経由で { $depth } 件の操作を同時に進めるはずでした。その場合 Linux の非同期 I/O は一つずつ順に行うため、この数値は深さ 1 のものです
    .advice = ダイレクト I/O でページキャッシュを避けるか、io_uring を使ってください
evidence-depth-without-direct = { $first }～{ $last } 行目: 深さ { $depth }、ダイレクト I/O なし
