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
remark-in-some-trials =
    { $have ->
        [0] 試行 { $of } 回のうち、このパーセンタイルを求められるだけの操作がある試行はありません
       *[other] 試行 { $of } 回のうち、このパーセンタイルを求められるだけの操作があるのは { $have } 回だけです
    }。表示した値は全試行を合わせて求めました
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

## The page of a comparison

comparison-baseline = 基準
comparison-new = 新しい結果
comparison-others = その他
comparison-run = 実行
comparison-title = { $baseline } に対する { $new }
comparison-title-levels = { $by } { $baseline } に対する { $new }
comparison-title-by = { $by } { $levels }
comparison-title-of = { $title }: { $what }
comparison-level = { $by } { $level }
comparison-side = { $role }、{ $name }
comparison-case-by = { $case }: { $by } { $baseline } に対する { $new }
comparison-row = { $case }、{ $metric }
comparison-footer = Headroom { $version } で比較しました。
comparison-verdict-better = 改善
comparison-verdict-worse = 悪化
comparison-verdict-same = 同じ
comparison-verdict-cannot-tell = 判断できない

## In short

comparison-tally-better = 改善 { $count } 個
comparison-tally-worse = 悪化 { $count } 個
comparison-tally-same = { PERCENT($margin, decimals: 1) } 以内で同じ { $count } 個
comparison-tally-cannot-tell = 判断できない { $count } 個
comparison-tally-join = 、
comparison-nothing = 比較できるものがありません。
comparison-worse = 悪化したものはあるか
comparison-worse-no = なし
comparison-worse-yes = あり
comparison-worse-unshown = 示されず
comparison-worse-unknown = 判断できない
comparison-worse-no-text = { $judged } 個の値のうち、悪化したものはありません。
comparison-worse-yes-text = { $judged } 個の値のうち { $worse } 個が悪化しました。
comparison-worse-unshown-text = 悪化が示されたものはありませんが、{ $judged } 個の値のうち { $unknown } 個は判断できません。判断できないことは、同じという意味ではありません。
comparison-worse-unknown-text = これらの試行では判断できません。試行を増やすか、より静かなサーバーで測定すれば分かるかもしれません。
comparison-changed = 何が変わったか
comparison-no-change = 示された差はありません。
comparison-line = （{ $interval }）: { $case }、{ $baseline } → { $new }
comparison-caveats = 留意点
comparison-differ = 両側で異なる点:
comparison-doubts = 両側の値に疑問を抱かせるものが { $count } 件あります。
comparison-alone-count = { $count } 個のケースは相手側に対がありません。
comparison-chart = 判定したすべての値の変化
comparison-chart-note = それぞれ基準に対する比と 95 % 信頼区間です。1 より小さければ減少で、レイテンシは減る方が良好です。

## Rows

comparison-rows = 両側のすべての値
comparison-rows-caption = 判定した値 { $count } 個
comparison-change = 変化
comparison-change-note = 変化は試行から計算するため、表にある二つの中央値の比とは異なることがあります。
comparison-verdict = 判定
comparison-p = 補正した p
comparison-others-title = 判定していない他の指標
comparison-others-about = 多くは同じことの繰り返しで、判定する値が増えるほど残りにより多くの証拠が必要になります。--metric で他の指標を判定できます。
comparison-rows-left = 残りの { $count } 行は比較文書にあります。
comparison-reasons = 判断できない理由:

## Charts

comparison-charts = 両側を重ねて見る
comparison-charts-about = それぞれの側の値とその信頼区間です。二つが異なるかどうかは、信頼区間の重なりではなく、上の比で判断します。

## Circumstances

comparison-circumstances = その他の相違
comparison-none-differ = サーバー、ソフトウェア、測定方法は、分かる限り両側で同じです。
comparison-differ-caption = 両側で異なる点 { $count } 件
comparison-notes = 留意点
comparison-alone = 対のないケース
comparison-of-side = 側
comparison-nearest = 相手側で最も近いもの
comparison-differs = 異なる点（基準、新しい結果）
comparison-difference = { $name }: { $baseline }、{ $new }
differs-definition-version = 定義のバージョン
differs-beside-it = 並行する負荷
differs-work = 作業
environment-value-none = なし
environment-value-nothing-more = 他になし
environment-value-on = 有効
environment-value-off = 無効

## Machines

comparison-machines = サーバー
comparison-same-machine = 基準と同じです。

## Method

comparison-method-about = 両側は同じ作業を測定しました。各行は基準に対する新しい結果の比とその信頼区間であり、試行で判断できる場合にだけ判定します。
comparison-change-text = 両側の試行の比とその { PERCENT($confidence) } 信頼区間。二つの中央値の商とは異なることがあります
comparison-trials-text = 基準 { $baseline } 回、新しい結果 { $new } 回
comparison-paired = 試行の対応
comparison-paired-all = 対: 同じブロックで実行した試行同士
comparison-paired-none = 独立: 両側に共通のブロックがない
comparison-paired-some = 同じブロックで実行したものは対、その他は独立
comparison-method-student-t-log = 対ごとの比の対数に対するスチューデントの t
comparison-method-order-statistic-interpolated = 対ごとの比の順序統計量（補間）
comparison-method-welch-t-log = 対数に対するウェルチの t
comparison-method-hodges-lehmann = 対数のホッジス・レーマン推定（順位に基づく）
comparison-judged = 判定した指標
comparison-verdicts = 判定の基準
comparison-verdicts-text = 改善と悪化: 補正した p が { PERCENT($chance) } 未満で、信頼区間が 1 を含まない。同じ: 90 % 信頼区間が { PERCENT($margin, decimals: 1) } 以内にある。判断できない: どちらでもない
comparison-margin = 許容差
comparison-margin-text = { PERCENT($margin, decimals: 1) } 以下の差は問題にしません
comparison-together = 多重比較
comparison-together-text = 改善と悪化は { $count } 個の値全体に対して成り立ちます（ホルム補正）
comparison-by-version = 比較したプログラム
comparison-command = 比較

comparison-price = 同じ速さにかかる費用
comparison-price-side = 対象
comparison-price-offer = 価格
comparison-price-note = 各対象の価格をその値で割ったものです。変化は、同じ速さに基準よりどれだけ多くまたは少なくかかるかで、同じ通貨で同じものに付けられた価格が両方にある場合だけ示します。
comparison-price-row = { $row }: { $unit } あたりの費用
