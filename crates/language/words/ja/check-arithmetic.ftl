# 数値どうしの算術の検査。

finding-rate-contradicts-amount =
    { $tool } は { $printed } と出力していますが、{ $lasted } で { $amount } なら { SHORT($computed, $unit) } です{ $cause ->
        [binary] {""}。速度の倍数は 1024 単位です
        [decimal] {""}。速度の倍数は 1000 単位です
        [bits] {""}。ビットをバイトと取り違えています
        [minutes] {""}。時間から分が抜けているか、別の時計の時間です
       *[unknown] {""}。出力された速度はその { FIXED($ratio, decimals: 3) } 倍です
    }
    .advice = 速度ではなく、数えられた値を信じてください。誰かが書き写した文なら、元の出力を確かめてください
evidence-rate-arithmetic =
    { $line } 行目: { $amount } / { $lasted } = { SHORT($computed, $unit) }、出力は { $printed }
