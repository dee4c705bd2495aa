### サーバー：実行のページを取り巻く一覧、フォーム、拒否。

## 移動

serve-ways = ページ
serve-runs = 実行
serve-machines = マシン
serve-trend = 推移
serve-live = 進行中
serve-to-runs = 実行の一覧へ
serve-sign-in = サインイン
serve-sign-out = サインアウト

## 一覧

serve-search = 検索
serve-study = スタディ
serve-machine = マシン
serve-tag = タグ
serve-state = 状態
serve-since = 開始日
serve-until = 終了日
serve-baselines = 基準のみ
serve-all = すべて
serve-show = 表示
serve-clear = すべて表示
serve-none = 保存された実行はまだありません。`headroom run` で作成できます。
serve-none-found = 条件に合う実行はありません。
serve-compare = 選択した実行を比較
serve-trend-of-these = これらの実行の推移
serve-tick = 比較
serve-tick-run = { $time } の { $run } を比較
serve-column-run = 実行
serve-column-cases = ケース
serve-column-trials = 試行
serve-column-said = タグとメモ
serve-column-started = 開始（UTC）
serve-column-latest = 最新の実行
serve-column-parts = 部品
serve-column-progress = 進み具合
serve-left = 残り { $time }
serve-baseline = { $day } からの基準
serve-pages = 一覧の部分
serve-newer = 新しい実行
serve-older = 古い実行
serve-part = { $all } 件中 { $first }–{ $last } 件
serve-state-complete = 完了
serve-state-budget = 予算切れ
serve-state-interrupted = 中断
serve-state-running = 実行中
serve-state-killed = 未完了

## 実行

serve-run-is-live = この実行はまだ測定中です。
serve-compare-by = { $name } ごとにケースを比較
serve-trend-of-study = このスタディの推移
serve-file-page = ページのファイル
serve-file-json = JSON
serve-file-csv = CSV
serve-file-md = Markdown
serve-remove = 削除
serve-remove-title = この実行を削除しますか？
serve-remove-about = 元に戻せません。別に保存したページやファイルは残ります。
serve-keep = 残す
serve-stop = 停止
serve-stop-title = この実行を停止しますか？
serve-stop-about = Ctrl-C と同じように終了します。変更した設定は元に戻され、測定した結果は保存されます。
serve-go-on = 続ける

## 比較、推移、マシン、進行中

serve-compare-one = 実行は一つだけです。ケースを比較できる項目：
serve-margin = 許容差（パーセント）
serve-all-metrics = すべての指標を判定
serve-swap = 入れ替える
serve-trend-about = 同じ作業の数値が、保存された実行を通してどう変わったかを示します。一つのスタディか一つのマシンの実行を選んでください。
serve-trend-older = 最新の { $count } 件の実行を見ています。それより古いものは終了日を指定すると見られます。
serve-metric = 指標
serve-picture = 図と部品
serve-as-in-run = 次の実行の時点：
serve-runs-of-machine = このマシンの実行
serve-over-time = 任意のケースと試行の時間による変化
serve-over-time-runs = 時間による変化を重ねて見る
serve-over-time-case = ケース
serve-over-time-trial = 試行
serve-over-time-quantity = 項目
serve-live-none = この保存先に測定中の実行はありません。
serve-live-reload = スクリプトがないと、このページは自動では更新されません。再読み込みしてください。
serve-live-trial = 試行 { $number }: { $case }
serve-live-latency = 試行の各区間におけるこれまでのレイテンシ
serve-live-operations = 操作 { $rate }
serve-live-p50 = 半数が { $latency } 以内
serve-live-p99 = 99 %が { $latency } 以内
serve-live-errors = 失敗 { $count } 件
serve-live-soon = この試行の数値はまもなく表示されます。開始時に誰も見ていなかった場合は、次の試行から表示されます。誰も見ていない実行は、そのための時間を使いません。

## スクリプトが扱うグラフ

serve-chart-help = 矢印キーでカーソルを動かし、+ と - で拡大・縮小、Shift と矢印キーで移動、0 で全体を表示します。グラフをドラッグすると拡大します。
serve-chart-all = 全体を表示
serve-chart-in = 拡大
serve-chart-out = 縮小
serve-chart-tracks = 表示する線
serve-chart-fails = グラフを読み込めませんでした。
serve-chart-news = 新しい測定結果があります。ページを再読み込みしてください。

## サインイン

serve-role-nobody = サインインしていません。
serve-role-reader = すべてを見ることができます。実行を停止・削除するには、書き込みトークンでサインインしてください。
serve-role-writer = すべてを見て、実行を停止・削除することができます。
serve-token = トークン
serve-token-help = `headroom serve` が起動時に表示したものです。

## 拒否

serve-not-found = そのようなページはありません
    .help = 実行が削除されたか、アドレスが完全ではありません。
serve-not-compared = これらの実行は比較できません
    .help = 異なる作業です。
serve-foreign = 別のサイトからの要求です
    .help = このサーバーのフォームは、サインインしている間、このサーバーのページからだけ使えます。戻ってページを再読み込みし、もう一度操作してください。
serve-misdirected = このサーバーの名前ではありません
    .help = localhost、アドレス、起動時に --name で与えられた名前にだけ応答します。
serve-unknown = サインイン
    .help = このサーバーは、トークンを持つ人にだけ実行を見せます。
serve-waits = 誤ったトークンが多すぎます
    .help = 1 分待ってください。
serve-forbidden = 書き込みトークンが必要です
    .help = `headroom serve` が起動時に表示したものです。先にそれでサインインしてください。
serve-still-running = この実行はまだ測定中です
    .help = 先に停止してください。
serve-method = このページの呼び出し方ではありません
    .help = ページは GET で読み、このサーバーのフォームは POST で送ります。
serve-too-long = 要求が長すぎます
    .help = 一度に求める量を減らしてください。
serve-busy = サーバーが混み合っています
    .help = 数秒後にもう一度試してください。
serve-store-fails = 保存先を読み取れません
    .help = 理由はサーバーを起動した人に知らせました。
serve-fails = このページを作れませんでした
    .help = もう一度試してください。また失敗するときは、`headroom report` が理由を示すことがあります。
serve-no-form = フォームではありません
    .help = このサーバーのフォームは application/x-www-form-urlencoded で送ります。
serve-compare-two = 実行を二つ以上選んでください
    .help = ケースに違いのない実行は、別の実行とだけ比較できます。
serve-compare-fewer = 選ぶ実行を減らしてください
    .help = 並べられるのは 8 件までです。
serve-no-metric = そのような指標はありません
    .help = `headroom workloads NAME` がワークロードの指標を示します。
serve-no-samples = 標本がありません
    .help = この実行、ケース、または試行には時間による数値がありません。
serve-not-running = この実行を測定しているプロセスはありません
    .help = 終了したか、測定していたプロセスがなくなりました。
