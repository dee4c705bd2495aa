# ドライブに書き込んだ量。

wear-title = ドライブへの書き込み量
wear-question = ドライブの寿命
wear-answer = { $drive } の { $share }: 寿命までに書き込める { $life } のうち { $written }
wear-drive = ドライブ
wear-written = 書き込み量
wear-life = 寿命までに書き込める量
wear-share = 割合
wear-source = 出典
wear-at-least = { $written } 以上
wear-little = 0.1 % 未満
wear-said = スタディの記載
wear-sheet = { $sheet } のデータシート
wear-read = 実行前の確認から実行後の確認までにカーネルが数えた量です。準備したファイル、ウォームアップ、その間にほかのプログラムが書き込んだ量も含みます。
wear-unknown = このようなドライブにどれだけ書き込めるかは、ここでは分かりません。メーカーが保証する値（TBW）は `--endurance 300TB` で指定できます。
