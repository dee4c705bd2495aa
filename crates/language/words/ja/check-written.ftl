# 人が書いた文についての検査。

finding-sentence-contradicts-arithmetic =
    { $cause ->
        [log] 文には { $lasted } で { $printed }、{ $amount } とありますが、出力では { $example } です。分が抜けており、速度は { SHORT($computed, $unit) } です
        [bits] 文には { $lasted } で { $printed }、{ $amount } とありますが、その時間でその量なら { SHORT($computed, $unit) } です。ビットをバイトと読み違えています
        [minutes] 文には { $lasted } で { $printed }、{ $amount } とありますが、その時間でその量なら { SHORT($computed, $unit) } です。分を秒と読み違えています
       *[unknown] 文には { $lasted } で { $printed }、{ $amount } とありますが、その時間でその量なら { SHORT($computed, $unit) } です
    }
    .advice = 割り算し直してください。三つのうち一つが誤っているか、別の測定の値です
evidence-sentence-line =
    { $line } 行目: { $name }

finding-written-above-link =
    文には { $name } で { $printed } とありますが、そのリンクが運ぶのは最大でも { SHORT($most, $unit) } です。{ $cause ->
        [bits] 単位がバイトではなくビットかもしれません
       *[unknown] キャッシュなど別のものの速度か、単位の読み違いです
    }
    .advice = 単位と、何を測った速度かを確かめてください

finding-table-contradicts-itself =
    { $how ->
        [mean] 表では値 { $count } 個の平均（{ $name }）が { $printed } ですが、{ $other } です
        [median] 表では値 { $count } 個の中央値（{ $name }）が { $printed } ですが、{ $other } です
        [total] 表では値 { $count } 個の合計（{ $name }）が { $printed } ですが、{ $other } です
        [least] 表では値 { $count } 個の最小値（{ $name }）が { $printed } ですが、{ $other } です
        [greatest] 表では値 { $count } 個の最大値（{ $name }）が { $printed } ですが、{ $other } です
        [claim] 文には { $name } と { $other } について「{ $printed }」とありますが、表にある両者のどの値もそうなりません。最も近いのは { $example } と { $amount } で、大きいほうが { FIXED($ratio, decimals: 2) } 倍です
       *[ratio] 表では { $example } と { $amount } の横に { $printed } とありますが、二つ目は一つ目の { FIXED($ratio, decimals: 3) } 倍です
    }
    .advice = 表をその値から計算し直してください
evidence-table-line =
    { $line } 行目: { $printed }
