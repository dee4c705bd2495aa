### Charts: what stands on them, and their text alternatives.

## All charts

chart-reached = { $label }: 最高値はその { PERCENT($share) } です。
chart-held-against = { $label }。
chart-named = { $name }: { $what }
chart-others = ほか { $count } 件は表にあります。

chart-higher = 高いほど良い
chart-lower = 低いほど良い
chart-from = 軸の始まり: { $value }
chart-logarithmic = 対数目盛
chart-nothing = 測定値がありません。
chart-interval = { $low } ～ { $high }
chart-more = ほか { $count } 件
chart-limit = 上限
chart-promise = 約束された値
chart-ideal = 理想値
chart-column-low = 区間下限
chart-column-high = 区間上限
chart-missing = 未測定

## lines

lines-what = { $x }と{ $y }の関係
lines-change = { $from } で { $first }、{ $to } で { $last }
lines-between = 最高 { $high }（{ $high_at }）、最低 { $low }（{ $low_at }）
lines-point = { $at } で { $value }
lines-mark = 印: { $label }。
lines-drawn = { $all } 本の線のうち { $drawn } 本を描いています。表にはすべてあります。
lines-name = 線

## bars

bars-what = { $count } ケースの{ $value }。
bars-highest = 最高: { $label }、{ $value }。
bars-lowest = 最低: { $label }、{ $value }。
bars-times = { $times } 倍の差です。
bars-unmeasured = 値のないもの { $count } 件。
bars-drawn = { $all } 件のうち、高いものと低いものを { $drawn } 件描いています。表にはすべてあります。
bars-column-what = 項目
bars-column-series = 系列
bars-column-reference = 比較の基準
bars-column-note = 備考

## heat

heat-in = { $title }（単位: { $unit }）
heat-what = { $x }（横）と{ $y }（縦）の組み合わせごとの{ $title }。
heat-highest = 最高: { $at } で { $value }。
heat-lowest = 最低: { $at } で { $value }。
heat-drawn = { $rows } 行 { $columns } 列のうち { $drawn_rows } 行 { $drawn_columns } 列を描いています。表にはすべてあります。
heat-best = 最良の値に枠
heat-missing = 未測定 { $count } 件。
latency-map-what = 終わった時刻とレイテンシごとの{ $title }。
latency-map-range = 最短のレイテンシは { $shortest } 以上、最長は { $longest } 以上です。

## scatter

scatter-what = { $x }と{ $y }の関係。
scatter-way = { $first }（{ $first_x }、{ $first_y }）から { $last }（{ $last_x }、{ $last_y }）まで
scatter-cloud = 点 { $count } 個、{ $x } { $x_low } ～ { $x_high }、{ $y } { $y_low } ～ { $y_high }
scatter-group = グループ
scatter-point = 点
scatter-drawn = { $all } 個の点のうち { $drawn } 個を描いています。表にはすべてあります。

## ratios

ratios-sides = { $baseline } に対する { $new } の比
ratios-margin = { PERCENT($margin) } 以内の差（網掛け）は無視できます。
ratios-count = { $label }: { $count } 件。
ratios-row = { $label }: { $ratio }、{ $verdict }
ratios-widest = 最も大きな差: { $row }。
ratios-drawn = { $all } 件のうち、差のあるものから { $drawn } 件を描いています。表にはすべてあります。
ratios-column-what = 項目
ratios-column-ratio = 比
ratios-column-interval = 信頼区間
ratios-column-verdict = 判定

## percentiles

percentiles-axis = この値以下の操作の割合
percentiles-item = { $share } が { $value } 以下
percentiles-describe = { $value }のパーセンタイル。
percentiles-said = { $name }: { $list }（操作 { $count } 件）。
percentiles-said-alone = { $list }（操作 { $count } 件）。
percentiles-tail = { $share } の値は中央値の { $times } 倍です。
percentiles-worst = { $share } では { $name } は { $other } の { $times } 倍です。
percentiles-rest = ほかの { $count } 件は表にあります。
percentiles-name = 分布
percentiles-count = 操作数
percentiles-too-few = 操作が少なすぎる

## histogram

histogram-by-height = 値の割合
histogram-by-area = 値の割合（面積）
histogram-describe = { $value }: 値 { $count } 個、{ $low } から { $high } まで。
histogram-most = { $share } が { $low } ～ { $high } の範囲にあります。
histogram-bin = { $low } ～ { $high }: { $count }（{ $share }）
histogram-from = から
histogram-to = まで
histogram-count = 値の数
histogram-share = 割合
histogram-so-far = 累積

## panels

panels-window = 測定区間: { $length }
panels-window-short = 測定区間: { $length }
panels-columns = 1 列は { $length } です。線は平均、影は最小値から最大値までです。
panels-stack = 積み上げは平均、線は合計の最大値です。
panels-describe = { $length } にわたるパネル { $count } 枚。
panels-describe-window = 測定区間は { $from } から { $to } までで、値はその区間のものです。
panels-phase = { $name }：{ $from }～{ $to }。
panels-said = { $name }: 平均 { $mean }、最小 { $low }、最大 { $high }（{ $at } の時点）。
panels-rest = ほかの { $count } 件は表にあります。
panels-panel = パネル
panels-track = 項目
panels-mean = 平均
panels-least = 最小
panels-greatest = 最大
panels-at = 最大の時点
panels-none = 観測なし

## cpu-load

cpu-load-cpu = CPU { $cpu }
cpu-load-cpus = CPU { $first } ～ { $last }
cpu-load-legend = 使用率:
cpu-load-cell = 1 マスは { $length } の平均です。
cpu-load-one = 1 マスは { $length } ごとの観測 1 回です。
cpu-load-row = 1 行は CPU { $count } 個の平均です。
cpu-load-not-seen = 空白: 観測なし。
cpu-load-note = { $cpu }: { $note }
cpu-load-row-said = { $cpu }: 平均 { $mean }、最大 { $high }
cpu-load-figures = 平均、最大
cpu-load-describe = { $length } の CPU { $count } 個の負荷: 平均 { $mean } 使用。
cpu-load-busiest = 最も忙しいのは { $cpu }（{ $mean }）、最も空いているのは { $other }（{ $low }）です。
cpu-load-full = { $count ->
    [0] 平均で飽和（95 % 以上）した CPU はありません。
   *[other] 平均で飽和（95 % 以上）した CPU は { $count } 個です。
 }
cpu-load-name = CPU
cpu-load-mean = 平均
cpu-load-greatest = 最も忙しい間隔
cpu-load-full-time = 95 % 以上の時間
cpu-load-remark = 備考

## boxes

boxes-trial = 点: 試行、一番上が最初
boxes-apart = 輪: ほかから離れた試行
boxes-box = 箱: 中央の半分
boxes-estimate = ひし形: 推定値と信頼区間
boxes-estimate-relative = ひし形: 推定値。区間は数字でも表示
boxes-cut = { $count } ケースのうち、ばらつきの大きい { $shown } 件です。表にはすべてあります。
boxes-said = { $name }、試行の順: { $values }
boxes-describe = { $count } ケースの試行ごとの{ $value }。
boxes-widest = { $name } は試行の差が最も大きく、{ $low } ～ { $high } です（中央値の { $share }）。
boxes-closest = { $name } は試行の差が最も小さく、{ $share } です。
boxes-lies-apart = { $name } の { $trial } 番目の試行は { $value } で、ほかから離れています。
boxes-name = ケース
boxes-trials = 試行
boxes-least = 最小
boxes-lower = 第 1 四分位数
boxes-median = 中央値
boxes-upper = 第 3 四分位数
boxes-greatest = 最大
boxes-point = 推定値

## chain

chain-title = 上限に対する割合
chain-full = 上限
chain-unknown = 上限は不明
chain-bottleneck = ボトルネック
chain-fullest-mark = 上限に最も近い
chain-waited-for = 待ち先
chain-amplified = バイト数 { $times } 倍
chain-describe = リソース { $count } 個の経路: { $list }。
chain-holds = 結果を制限しているリソース: { $name }（上限の { $share }）。
chain-holds-unknown = 結果を制限しているリソース: { $name }。
chain-waits = 操作は { $name } を待っています。飽和してはいません。
chain-fullest = 結果を制限していると分かるリソースはありません。上限に最も近いリソース: { $name }（{ $share }）。
chain-grows = { $name } には作業量の { $times } 倍のバイトが通ります。
chain-name = リソース
chain-detail = 通る量
chain-share = 上限に対する割合
chain-amplification = ワークロードの 1 バイトあたりのバイト数
chain-remark = 備考

## rounds

rounds-axis = ラウンド
rounds-round = ラウンド
rounds-point = ラウンド { $round }
rounds-legend = 網かけ: 最後の { $rounds } ラウンド · 点線: その平均 ± { PERCENT($half) } · 実線: 傾向
rounds-drawn = 全 { $all } 件のうち { $drawn } 件を描いています。表にはすべてあります。
rounds-what = ラウンドごとの{ $value }。
rounds-course = { $rounds } ラウンドのうち、最初は { $first }、最後は { $last }。{ $verdict }。

## stacks

stacks-sum = 合計
stacks-what = { $value }: { $parts }。
stacks-row = { $name }: { $parts } = { $sum }。
stacks-drawn = 全 { $all } 件のうち { $drawn } 件を描いています。表にはすべてあります。

## roofline

roofline-what = 帯域{ $roofs }段の上に計算{ $ceilings }段。
roofline-highest = 最大{ $value }：{ $name }。
roofline-ridge = 1バイトあたり{ $ridge }演算より少ないと{ $roof }が妨げる
roofline-ridge-of = 1バイトあたり{ $ridge }演算以上なら、{ $roof }はプロセッサを妨げません。
roofline-bound = 上限
roofline-most = 最大
roofline-ridge-column = これ以上なら妨げない1バイトあたりの演算

## effects

effects-legend = 印は測定した値とその 95 % 信頼区間、縦線は予想した値です。
effects-drawn = { $all } 件のうち { $drawn } 件を描いています。表にはすべてあります。
effects-axis = 結果の変化
effects-row =
    { $label }（{ $role }）: { $effect }{ $known ->
        [yes] 、予想 { $expected }
       *[no] {""}
    }
effects-column-what = 変えたもの
effects-column-role = 区分
effects-column-expected = 予想
effects-column-effect = 測定
effects-column-interval = 信頼区間

## cells

cells-time = 時間
cells-what = 時間に対する{ $title }。
cells-said = { $name }: { $count } 件、{ $low } ～ { $high }。
cells-sizes = 印の大きさは、その中で最も大きいものを表します: { $small } 未満、{ $large } 未満、それ以上。
cells-lowest = 最低
cells-highest = 最高
