# 互いに比べる結果についての検査。

finding-same-figures-twice =
    { $first }～{ $last } 行目と { $begins }～{ $ends } 行目の値が最後の桁まで同じです（{ $example }）{ $how ->
        [command] 。コマンドが違うのにそうなるのは、一方が他方の写しだからです
        [options] 。オプションが違うのにそうなるのは、一方が他方の写しだからです
        [heading] 。見出しは「{ $name }」と「{ $other }」で違うのにそうなるのは、一方が他方の写しだからです
       *[same] 。一回の実行なので、一回だけ数えます
    }
    .advice = { $how ->
        [same] 一方を除くか、測り直してください
       *[other] もう一方の条件で測り直してください。その条件については何も分かりません
    }

finding-conditions-differ =
    { $how ->
        [headings] 「{ $name }」と「{ $other }」を比べていますが、
       *[claim] 二つの結果を比べていますが、
    }{ $of ->
        [block-size] ブロックサイズも
        [duration] 実行時間も
        [amount] 行った量も
        [threads] 同時に実行した数も
        [depth] キューの深さも
        [direct] キャッシュが答えうるかどうかも
        [engine] 入出力エンジンも
        [rate] 要求した速度も
        [protocol] プロトコルも
        [message-size] メッセージやウィンドウの大きさも
       *[mix] 操作の構成も
    }違います。一方は { $printed }、他方は { $amount } です{ $more ->
        [0] {""}
       *[other] {""}（ほかに { $more } 点）
    }
    .advice = 比べたいもの以外は同じオプションで両方を測ってください
evidence-condition-line =
    { $first }～{ $last } 行目: { $printed }
