### 二つの実行の比較。

## 比較に添える言葉: キーは `remark-<code>` で、英語の文は analysis にある。

remark-no-figure =
    { $side ->
        [neither] どちらの側にも、この値を出した試行がありません
        [new] 新しい側には、この値を出した試行がありません
       *[baseline] 基準には、この値を出した試行がありません
    }
remark-other-unit = 単位が異なります: { $baseline }、{ $new }
remark-not-above-zero = 0 以下と測定された試行があるため、比を求められません
remark-in-some-trials = 試行 { $of } 回のうち、この値があるのは { $have } 回だけです。残りは短すぎました
remark-too-few-trials = 試行 { $new } 回と { $baseline } 回: 信頼区間を求めるには両側に 2 回ずつ必要です
remark-no-interval = 試行のばらつきが大きすぎて、信頼区間を求められません
remark-lost-among-many = これだけを見れば差と言えますが、併せて見た { $family } 個の中では偶然かもしれません
remark-independent-groups = { $by } の値が異なるケースは一組ずつ順に測定されたため、試行は対になりません。その間の変動も差に含まれます。
remark-independent-runs = 二つの実行の開始は { $count } { $unit ->
        [day] 日
        [hour] 時間
        [minute] 分
       *[second] 秒
    }離れています。その間の変動も差に含まれます。
remark-different-days = 二つの実行の開始は { $count } { $unit ->
        [day] 日
        [hour] 時間
        [minute] 分
       *[second] 秒
    }離れています。日によって変わるものは、差には含まれますが、信頼区間には含まれません。
remark-overlap = 実行 { $baseline } と { $run } は同じ時間に実行され、互いに妨げ合いました。
remark-other-circumstances = 同じ作業ですが、{ $name } の値が異なります: 基準は { $before ->
        [none] なし
       *[other] { $before }
    }、新しい側は { $after ->
        [none] なし
       *[other] { $after }
    }。
remark-follows = { $by } に伴って { $name } の値も変わります。
remark-unfinished = { $called ->
        [the-only] この実行
       *[by-id] 実行 { $run }
    }は{ $how ->
        [budget] 時間の上限に達して終わりました
        [interrupted] 中断されました
       *[unfinished] 終わっていません
    }。あるものだけを比較します。
remark-debug-build = { $called ->
        [the-only] この実行
       *[by-id] 実行 { $run }
    }は、遅いデバッグビルドで測定されました。
remark-failed-trials = { $called ->
        [the-only] この実行
       *[by-id] 実行 { $run }
    }では試行 { $count } 回が失敗し、計算に入れていません。
remark-doubtful = { $called ->
        [the-only] この実行
       *[by-id] 実行 { $run }
    }では { $count } 個のケースに警告があります（{ $codes }）。`headroom show { $run }` で確認できます。
remark-few-trials = 試行が { $trials } 回しかないケースがあります。大きな差しか現れません。

## 環境

environment-machine = サーバー
environment-product = 製品
environment-cpu = プロセッサ
environment-microcode = マイクロコード
environment-cpus = CPU 数
environment-cpus-allowed = 使用を許された CPU 数
environment-cpu-quota = CPU クォータ（CPU 数）
environment-memory = メモリ
environment-memory-modules = メモリモジュール
environment-firmware = ファームウェア
environment-virtualization = 仮想マシン
environment-container = コンテナ
environment-os = ディストリビューション
environment-kernel = カーネル
environment-kernel-build = カーネルのビルド
environment-command-line = カーネルのコマンドライン
environment-mitigations = 脆弱性の緩和策
environment-clock-source = クロックソース
environment-governor = 周波数ガバナー
environment-boost = ターボ
environment-huge-pages = 透過的ヒュージページ
environment-swap = スワップ領域の数
environment-drive = ドライブ
environment-drive-firmware = ドライブのファームウェア
environment-scheduler = I/O スケジューラ
environment-write-cache = ドライブの書き込みキャッシュ
environment-file-system = ファイルシステム
environment-mount-options = マウントオプション
environment-nic = ネットワークインターフェース
environment-headroom = Headroom
environment-build = Headroom のビルド
environment-tool = ツール
environment-warm-up = ウォームアップ
environment-pin = 要求した配置
environment-placement = 配置
environment-interrupts = 割り込みを受ける CPU
