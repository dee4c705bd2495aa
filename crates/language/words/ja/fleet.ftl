### Fleets: the same work on many machines.

fleet-title = マシン { $count } 台
fleet-footer = Headroom { $version } で作成しました。

## In short

fleet-nothing = 2 台以上のマシンが行った作業がありません。
fleet-too-few = マシン { $count } 台では、どれがほかと違うかを言うには少なすぎます。
fleet-alike = マシン { $count } 台のうち、ほかと違うと言えるものはありません。
fleet-unlike = マシン { $count } 台のうち { $unlike } 台がほかと違います。
fleet-groups = マシン { $count } 台のうち { $grouped } 台が別の水準にあります。
fleet-unlike-and-groups = マシン { $count } 台のうち { $unlike } 台がほかと違い、{ $grouped } 台が別の水準にあります。
fleet-worse = 悪い
fleet-better = 良い
fleet-who = ほかと違うもの
fleet-line =
    ({ $interval }) ほかの中央値に対して、マシン { $all } 台のうち { $count } 台、{ $figure }{ $more ->
        [0] {""}
       *[other] {" "}ほか { $more } 件
    }: { $machines }
fleet-line-group =
    ({ $interval }) ほかの中央値に対して、マシン { $all } 台のうち { $count } 台の群、{ $figure }{ $more ->
        [0] {""}
       *[other] {" "}ほか { $more } 件
    }: { $machines }
fleet-why = ともに見られること
fleet-explained =
    { $machines }: { $facts }{ $count ->
        [one] {""}
       *[other] {" "}(これらは区別できません)
    }
fleet-explained-by-chance = { $machines }: { $facts } の可能性。これほど台数が少なければ偶然かもしれません (p = { $p })
fleet-unexplained = { $machines }: 文書からわかることはありません
fleet-fact-has = { $name }: { $value } ({ $own_all } 台中 { $own } 台、ほかは { $others_all } 台中 { $others } 台)
fleet-fact-lacks = { $name }: { $value } なし (あるのは { $own_all } 台中 { $own } 台、ほかは { $others_all } 台中 { $others } 台)
fleet-fact-number = { $name }: { $own }、ほかは { $others }
fleet-association = 違いとともに見られることが原因とは限りません。1 台でそれを変えて、もう一度測定してください。
fleet-reach = マシン { $count } 台と { $figures } 件の値では、マシン間のばらつきの { FIXED($reach, decimals: 1) } 倍以上離れたマシンが見つかります。
fleet-some-missing = { $count } 台のマシンに、結果のないものがあります。
fleet-alone = { $count } 件は 1 台だけが行った作業なので除きました。

## Differences

fleet-splits = 違い
fleet-splits-caption = ほかと違うマシン、値ごとに 1 行
fleet-group = 群
fleet-column-machines = マシン
fleet-column-side = 向き
fleet-column-p = p
fleet-column-facts = ともに見られること
fleet-column-apart = 区別
fleet-facts-caption = 違いとともに見られる事実、よく合うものから。1 行の事実はマシンを同じように分けます。原因とは限りません

## Figures

fleet-figures = マシンごとの値
fleet-heat = すべてのマシン
fleet-heat-title = 中央値よりどれだけ悪いか、ばらつきの倍数
fleet-heat-note = マシンはタグ rack と position、次に名前の順です。ばらつきの 8 倍を超えるものは 8 として示します。
fleet-heat-note-binned = 違うマシンは 1 台ずつの行に、ほかはタグ rack と position、次に名前の順にまとめ、行ごとに最も離れたものを示します。ばらつきの 8 倍を超えるものは 8 として示します。
fleet-machines = マシン
fleet-figures-caption = マシンごとの値 { $count } 件
fleet-column-low = 5 % がこれ以下
fleet-column-median = 中央値
fleet-column-high = 95 % がこれ以下
fleet-column-spread = ばらつき
fleet-column-apart-machines = 違う
fleet-axis = この値以下のマシンの割合
fleet-dots-others = ほかと同様
fleet-dots-apart = 違う
fleet-dots-note = 点 1 つが 1 台で、低い順です。高さはこの値以下のマシンの割合です。
fleet-dots-note-thinned = 点は低い順にマシンの 100 分の 1 ごとに 1 つと、違うマシンごとに 1 つです。高さはこの値以下のマシンの割合です。

## Machines

fleet-missing = 結果のないマシン
fleet-missing-caption = 結果のないマシンと文書。ほかはそのまま数えます
fleet-column-machine = マシン
fleet-column-figures = 件数
fleet-column-reason = 理由
fleet-not-done = この作業を行っていません

## Facts

environment-pci-links = PCI Express リンク
environment-findings = 所見
environment-tags = タグ
environment-temperature = 最高温度
environment-cpu-frequency = 平均 CPU 周波数

## Method

fleet-method = 多くのマシンで行った同じ作業が 1 つの値です。各マシンがほかからどれだけ離れているかを、互いに同様なマシンのばらつきを単位として (すべての値が 0 より大きければ対数で) 測り、その台数に応じたスチューデントの t で判断します。すべてのマシンと値を通して (Holm の方法)、すべて同様なのにこのページがどれかを挙げる確率は最大 { PERCENT($chance, decimals: 1) } です。{ PERCENT($margin, decimals: 1) } までの違いは問題にならないので示しません。群は、2 つの水準が 1 つよりはるかにもっともらしく、間に谷があるところです。そのとき各マシンは自分の水準と比べます。少なくとも { $least } 台が必要で、同様なマシンの値が正規分布のように散らばることを前提とします。裾が重ければ、実際より多く見つかります。
fleet-method-facts = 違いとともに見られることは、文書の構成、設定、所見、タグ、温度から探します。あるかないかはフィッシャーの正確検定で、数値は順位和検定で調べ、見たものすべてについて Holm の方法で調整します。シリアル番号やアドレスのように、ほぼマシンごとに違う事実は除きます。マシンを同じように分ける事実は、まとめて示します。
