### Charts: what stands on them, and their text alternatives.

## All charts

chart-reached = { $label }: 最高値はその { PERCENT($share) } です。
chart-held-against = { $label }。
chart-named = { $name }: { $what }
chart-others = ほか { $count } 件は表にあります。

chart-higher = 高いほど良い
chart-lower = 低いほど良い
chart-from = 軸は { $value } から
chart-logarithmic = 対数目盛
chart-nothing = 測定値がありません。
chart-interval = { $low } ~ { $high }
chart-more = ほか { $count } 件
chart-limit = 上限
chart-promise = 公称値
chart-ideal = 理想値
chart-column-low = 下限
chart-column-high = 上限
chart-missing = 未測定

## lines

lines-what = { $x }に対する{ $y }
lines-change = { $from } で { $first }、{ $to } で { $last }
lines-between = 最高 { $high }({ $high_at })、最低 { $low }({ $low_at })
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

heat-in = { $title }(単位: { $unit })
heat-what = { $x }(横)と{ $y }(縦)の組み合わせごとの{ $title }。
heat-highest = 最高: { $at } で { $value }。
heat-lowest = 最低: { $at } で { $value }。
heat-drawn = { $rows } 行 { $columns } 列のうち { $drawn_rows } 行 { $drawn_columns } 列を描いています。表にはすべてあります。
heat-best = 最良の値に枠
heat-missing = 未測定 { $count } 件。

## scatter

scatter-what = { $x }に対する{ $y }。
scatter-way = { $first }({ $first_x }、{ $first_y })から { $last }({ $last_x }、{ $last_y })まで
scatter-cloud = 点 { $count } 個、{ $x } { $x_low } ~ { $x_high }、{ $y } { $y_low } ~ { $y_high }
scatter-group = グループ
scatter-point = 点
scatter-drawn = { $all } 個の点のうち { $drawn } 個を描いています。表にはすべてあります。

## ratios

ratios-sides = { $baseline } に対する { $new } の倍率
ratios-margin = { PERCENT($margin) } 以内の差(網掛け)は問題になりません。
ratios-count = { $label }: { $count } 件。
ratios-row = { $label }: { $ratio }、{ $verdict }
ratios-widest = 最も大きな差: { $row }。
ratios-drawn = { $all } 件のうち、差のあるものから { $drawn } 件を描いています。表にはすべてあります。
ratios-column-what = 項目
ratios-column-ratio = 比
ratios-column-interval = 区間
ratios-column-verdict = 判定

## percentiles

## histogram

## panels

## cpu-load

## boxes

## chain
