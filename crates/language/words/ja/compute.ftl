### CPU、メモリ、スケジューラーに関する診断: キーは `finding-<code>` と `evidence-<code>`。英語の文は各ルールにある。

finding-throttled =
    { RESOURCE($resource) } が試行 { $of } 回のうち { $trials } 回で、{ $why ->
        [power] 電力の制限のために遅くなりました。その制限がないときの速さではありません
       *[heat] 発熱のために遅くなりました。冷えた状態の速さではありません
    }
    .advice = { $why ->
        [power] 電力の制限（powercap、ファームウェア）を確認し、外してから測定し直してください
       *[heat] ファンとほこりを確認し、冷えてから測定し直してください
    }

finding-slowed-down = { RESOURCE($resource) } のクロックが負荷の間に { SHORT($first, unit: "Hz") } から { SHORT($last, unit: "Hz") } へ { PERCENT($fall) } 下がりました。測定区間の初めの速さは続きません
    .advice = 続く速さを見るにはもっと長く、いつでも出る速さを見るにはターボを切って測定してください

finding-temperature =
    { $seen ->
        [no] このマシンには温度センサーが見えません{ $virtual ->
            [yes] （仮想マシン）
           *[no] {""}
        }
       *[yes] { RESOURCE($resource) } の温度が { FIXED($rise) } K 上がって { FIXED($load) } °C になり、{ $settled ->
            [yes] { SPAN($seconds) } 後に安定しました
           *[no] 測定区間のうちに安定しませんでした
        }
    }
    .advice = --duration を長くすると、温度がどこで止まるかが分かります

finding-more-threads-than-cores = スレッド { FIXED($threads) } 個が CPU { $cpus } 個を交代で使います。スレッドを増やしても計算は増えず、互いを待ちます
    .advice = CPU ごとに 1 つの --threads all を使ってください

finding-more-threads-than-quota =
    { $below ->
        [yes] コントロールグループのクォータは CPU { FIXED($quota, decimals: 2) } 個で、1 個より少なくなっています。スレッドが 1 つでも周期ごとに一部の時間止まります
       *[no] スレッド { FIXED($threads) } 個がコントロールグループのクォータの CPU { FIXED($quota, decimals: 2) } 個を分け合います。周期ごとに一部の時間すべてが止まります
    }
    .advice = プロセッサーの性能を見るには、グループの外で、またはクォータを外して測定してください

finding-smt-shared =
    コア { $shared } 個でスレッドが 2 つずつ動きました（例: CPU { $first } と { $second }）。{ $free ->
        [0] コアの 2 つ目のスレッドは 2 つ目のコアではありません
       *[other] その間、コア { $free } 個は空いていました
    }
    .advice = 別々のコアの CPU を選ぶか、--pin spread に任せてください

finding-cores-differ = 負荷のスレッドが種類の異なるコアで動きました（{ $cores }）。種類によって速度が違います
    .advice = 1 つの種類の値を見るには、その種類の CPU を指定してください: { $pin }

finding-numa-remote =
    { $part ->
        [yes] メモリの { PERCENT($share) } は、それを使うスレッドとは別のノードにあります。そこへのアクセスはノード間のリンクを通ります
       *[no] スレッドはノード { $cpu } で動き、メモリはノード { $memory } にあります{ $known ->
            [yes] （距離 { $distance }、自ノードは 10）
           *[no] {""}
        }。ほかのノードのメモリの値です
    }
    .advice = 自ノードのメモリを測定するには、--cpu-node と --memory-node に同じノードを指定してください

finding-cost-per-operation = { BINARY($least) } から { BINARY($most) } まで、ブロックの大きさにかかわらず速度が同じです。メモリではなく操作 1 回のコスト（{ SHORT($each_s, unit: "s") }）です
    .advice = メモリは memory.bandwidth、1 回のアクセスにかかる時間は memory.latency で測定します

finding-fits-in-cache =
    { $travels ->
        [yes] すべてのスレッドが { BINARY($block) } の 1 つのブロックに書きます。そのキャッシュラインがコアの間を行き来し、メモリではなくそれを測定した値です
       *[no] { $global ->
            [yes] すべてのスレッドが共に使う 1 つのブロック
           *[no] ブロック
        }（{ BINARY($block) }）はレベル { $level } のキャッシュ（{ BINARY($cache) }）に収まります。メモリではなくそのキャッシュの値です
    }
    .advice = キャッシュより大きな size で memory.bandwidth を実行するとメモリを測定します

finding-cache-claim =
    このマシンはレベル { $level } のキャッシュを { BINARY($claimed) } と示しますが、{ BINARY($from) } からは{ $what ->
        [latency] レイテンシー
       *[bandwidth] 帯域幅
    }がメモリの値（{ SHORT($value, $unit) }）です{ $virtual ->
        [yes] 。仮想マシンはキャッシュをほかの仮想マシンと分け合います
       *[no] {""}
    }

finding-memory-latency =
    { $memory ->
        [yes] メモリのレイテンシー: 読み出しごとに
       *[no] キャッシュまたはメモリのレイテンシー: 読み出しごとに
    }前の読み出しを { SHORT($each_s, unit: "s") } 待ちます

finding-scheduler-bound =
    { $what ->
        [threads] スレッドが互いを待ちます。交代に時間がかかります
        [timer] タイマーが鳴るまで眠ります。{ $busy ->
            [yes] 使える CPU がすべて使用中なので、目覚めた後に CPU を待つことがあります
           *[no] 限界に達した資源はありません
        }
       *[kernel] 呼び出しごとにカーネルの応答を待ちます。かかった時間はカーネルのものです
    }

evidence-threads-add-nothing = { FIXED($threads) } 個のスレッドは { FIXED($fewer) } 個の { PERCENT($share) } の量をこなす。増やした分は互いかメモリを待つか、コアを分け合っている
evidence-block = block-size = { BINARY($block) }
evidence-clock = 最後は { SHORT($hertz, unit: "Hz") }
evidence-from = { SHORT($value, $unit) }
evidence-load-latency = 1 回に { SHORT($each_s, unit: "s") }
evidence-memory-away = ほかのノードに { PERCENT($share) }
evidence-memory-node = ノード { $node } のメモリ
evidence-rest = 負荷の前後の温度を見ようとした
evidence-core-kinds = コアの種類: { $kinds }
evidence-siblings = CPU { $first } と { $second } は 1 つのコア
evidence-temperature = { RESOURCE($resource) }: アイドル { FIXED($idle) } °C、負荷 { FIXED($load) } °C
evidence-threads = threads = { FIXED($threads) }
