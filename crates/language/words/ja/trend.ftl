### Trends: one figure of like work over many runs.

trend-title = { $count } 回の実行の推移
trend-footer = Headroom { $version } が作成。

## In short

trend-nothing = そのような数値を持つ実行はありません。
trend-too-few = 変化点を見つけるには実行が少なすぎます。
trend-no-step = { $count } 個の数値のうち、水準が変わったものはありません。
trend-not-worse = { $count } 個の数値のうち { $moved } 個の水準が変わりましたが、いま悪くなったと言えるものはありません。
trend-worse = { $count } 個の数値のうち { $worse } 個がいま悪くなっています。
trend-now = いま
trend-against-before = ({ $interval }) 前の水準に対して: { $series }
trend-against-baseline = ({ $interval }) { $date } に承認した基準に対して: { $series }
trend-no-ratio = 比を求められません
trend-steps = 変化点
trend-step = { $date } の実行 { $run } から: { $series }
trend-step-between = { $date } の実行 { $run } から、または { $first } から { $last } までのいずれかの実行から: { $series }
trend-changed = そこで変わったもの
trend-change = { $name }: { $before }、その後 { $after }
trend-changed-nothing = Headroom の知る限りなし
trend-keep-in-mind = 注意点
trend-few = { $count } 個の数値は実行が { $least } 回未満のため、変化点がわかりません。

## Figures

trend-series = 実行ごとの数値
trend-caption = 追跡した { $count } 個の数値
trend-column-runs = 実行数
trend-column-steps = 変化数
trend-column-now = いま
trend-column-last = 最後の実行
trend-column-run = 実行
trend-column-date = 日付
trend-column-interval = 95 % 区間
trend-column-step = 変化
trend-column-said = メモ
trend-column-before = 前
trend-column-after = 後
trend-axis = 実行、古い順
trend-accepted = { $date } に承認した基準
trend-chart-note = 点: 各実行の数値とその試行の区間。線: 各水準の中央値。網掛け: 変化点がありうる範囲。
trend-changes-caption = 変化点で変わったもの。原因であるとは限りません

## Method

trend-method = 一台のマシンでの同じ作業を一つの数値とします。別の作業、別の場所、別の時間、別の設定は別の数値です。変化点は、実行の中央値(の対数)の平均が最も大きく異なる所で、同じ実行を別の順に並べたときに同じだけ異なることがまれな場合に限ります。変化のない数値に変化点が出る確率は、すべての数値を合わせて最大 { PERCENT($chance, decimals: 1) } です。各実行が前の実行と独立であることが前提で、緩やかな変化は一つ以上の変化点として現れます。実行が最低 { $least } 回必要で、数値が多いほど多く必要です。変化点の位置には、両側の実行を引き直して得た 95 % 区間があります。水準が悪くなったかどうかは両水準の実行の比で判断し、{ PERCENT($margin, decimals: 1) } までの差は問題にしません。新しい実行のたびに見ると、一度だけ見る場合より誤りが多くなります。
