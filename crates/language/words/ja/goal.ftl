# What became of the goals of a study.

goals-title = 目標
goals-question = 目標の達成
goals-note = 信頼区間の全体が目標を満たせば達成、全体が外れれば未達とします。信頼区間が目標をまたぐ場合は、試行を増やすか長くすると判断できることがあります。最大値は測定されたまま比べます。
goal-kept = 達成
goal-not-kept = 未達
goal-unknown = 判断不可
goal-doubt-interval = 信頼区間が目標をまたぐ
goal-doubt-no-interval = 試行が少なすぎるか短すぎて信頼区間がない
goal-doubt-no-figure = この値を出した試行がない
goal-doubt-untrusted = 診断結果にエラーがあり、この値は信頼できない
goal-doubt-no-case = この目標を当てはめたケースがない
goal-column = 目標
goal-column-case = ケース
goal-column-measured = 測定値
goal-column-verdict = 結果
ending-aborted = 実行を終える条件 { $condition } に当たる試行がありました: { $value }、{ $case }。それまでに完了した分を載せています。
