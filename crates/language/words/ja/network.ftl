### ネットワークについての診断結果。

finding-no-wire = 両端ともこのマシンでループバックを通して動きました。ネットワークは測定されず、両端が同じプロセッサーを分け合いました
    .advice = もう一方の端を別のマシンで動かしてください。そこで `headroom node` を実行して接続文字列を --peer に、またはそこのサーバーを --url に指定します

finding-short-transfer = 送信側のソケットバッファーには最大 { BINARY($held) } が入ります。送った { BINARY($sent) } の { PERCENT($share) } です。送信側の数値には、まだマシンを出ていないものが含まれます
    .advice = 受信側が数えた throughput を使うか、より長く測定してください

finding-path-full =
    相手までの経路が満杯です。通るのは { SHORT($rate, $unit) } で、{ $by ->
        [queue] それを超えて送ったものはキューで待ちます（往復 { SHORT($rtt_s, unit: "s") }、キューがなければ { SHORT($least_s, unit: "s") }）
       *[delivery] その速度で送る BBR が、時間の { PERCENT($path) } の間、経路を待っていました
    }
    .advice = 途中のリンク、シェーパー、またはほかの利用者がこれを決めています。どれかは、途中のスイッチやルーターで、またはより近いマシンまで測定すると分かります

dropped-by-whom =
    { $end ->
        [far] { $machine } の{" "}
       *[near] {""}
    }{ $what ->
        [filtered-in] ファイアウォール（nftables、iptables）
        [filtered-out] ファイアウォール（nftables、iptables）
        [filter-drops] インターフェースのフィルター（tc）
        [queue-drops] キューイング規則
        [table-full] 満杯になったカーネルの接続追跡テーブル
        [untracked] 接続の追跡
        [turned-away] 満杯の受け付けキュー（listen）
        [socket-drops] 満杯のソケット
        [tcp-socket-drops] 満杯のソケット
        [backlog-drops] 満杯になった CPU のバックログ
       *[other] ネットワークインターフェース
    }
finding-loss-bound =
    損失が結果を制限しています。{ $how ->
        [timeouts] リクエストは時間の { PERCENT($share) } の間、{ $first ->
            [yes] 最初のセグメントが失われた接続を
           *[no] 失われたセグメントを
        } TCP が再送するまで待っています（タイムアウト { SHORT($rate, unit: "1/s") }）
        [datagrams] 送信したデータグラムの { PERCENT($share) } が届かず、破棄しているのは受信側のソケットではありません
        [stalls] 接続は時間の { PERCENT($share) } 以上、失われたものを TCP が再送するまで待ち（タイムアウト { SHORT($rate, unit: "1/s") }）、セグメントの { PERCENT($lost) } が失われました
        [answers] リクエストは時間の { PERCENT($share) } の間、届かない応答を待っています。リクエストの { PERCENT($lost, decimals: 1) } が失われ、失われたものは 1 秒後に打ち切られます
        [unsent] TCP が送り出すセグメントの { PERCENT($share) } が送信側のマシンから出ていかず、接続は時間の { PERCENT($path) } の間、経路を待っています
       *[segments] セグメントの { PERCENT($share) } が失われて再送され、接続は時間の { PERCENT($path) } の間、経路を待っています
    }{ $dropped ->
        [yes] 。破棄しているのは{ dropped-by-whom }です
       *[no] {""}
    }
    .advice = { $dropped ->
        [yes] { finding-packets-dropped.advice }
       *[no] { lost-advice }
    }
lost-advice =
    { $how ->
        [timeouts] 何がセグメントを破棄しているかを調べてください。満杯の受け付けキュー（listen）や接続追跡テーブル、ファイアウォール、経路上のインターフェースの破棄
        [datagrams] --bit-rate を下げると失う量が減ります。何がデータグラムを破棄しているかを調べてください。経路上の速度制限（ポリサー）やより狭いリンク、インターフェースの破棄
        [stalls] 一度に送ったものをすべて破棄しているものを調べてください。キューを持たない速度制限（ポリサー）や、短いキュー、小さなバッファー
        [answers] 往路か復路で何がデータグラムを破棄しているかを調べてください。速度制限（ポリサー）、ファイアウォール、満杯のキューやソケット、インターフェースの破棄
       *[segments] 経路上のインターフェースの破棄、満杯のキュー、不良ケーブル、食い違う二重通信の設定を調べてください
    }

finding-reordering-bound =
    セグメントの追い越しが結果を制限しています。{ PERCENT($share) } が順序どおりに届かず、TCP は一部を失われたとみなして { PERCENT($again, decimals: 1) } を再送しましたが、その { PERCENT($spurious) } は届いていました。接続は時間の { PERCENT($path) } の間、経路を待っています
    .advice = 一つの接続のパケットを複数の経路に送るもの、または不均一に遅らせるもの（balance-rr のボンド、パケットごとに選ばれる経路、変動する遅延）を調べてください。接続を一つの経路に保てば順序も保たれます

finding-window-bound =
    ウィンドウが結果を制限しています。{ $by ->
        [flight] { window-in-flight } を満たしています{ $emptied ->
            [yes] 。時間の { PERCENT($empty) } の間、プログラムは空きを待つのにバッファーのすべてが転送中でした
           *[no] {""}
        }
        [datagrams] 受信側のスレッドがそれぞれ計算するか CPU を待つのは時間の { PERCENT($computes) } だけなのに、ソケットは届いたデータグラムの { PERCENT($share) } を破棄しました。ときどき、{ $known ->
            [yes] { BINARY($window) } のバッファー
           *[no] バッファー
        }に入りきらないほど届きます
       *[account] { $which ->
            [receive] 受信側のウィンドウが
           *[send] 送信側自身のバッファーが
        }時間の { PERCENT($share) } の間、満杯でした
    }
    .advice =
        { $which ->
            [congestion] 何が輻輳ウィンドウを抑えているかを調べてください。`cwnd` と `lock` のある経路（`ip route show`）か、輻輳制御が原因です
           *[other] { window-advice }
        }
window-advice =
        より大きな --window を指定するか、カーネルに任せてください。{ $which ->
            [send] 送信側で --window に許可される大きさは net.core.wmem_max まで、カーネル自身が広げる大きさは net.ipv4.tcp_wmem の最後の値まで
           *[receive] 受信側で --window に許可される大きさは net.core.rmem_max まで、カーネル自身が広げる大きさは net.ipv4.tcp_rmem の最後の値まで
        }です（--set socket-buffer-max=32MiB）

finding-sender-cpu =
    送信側のプロセッサーが結果を制限しています。{ $by ->
        [core] { $end ->
            [far] { $machine } の{" "}
           *[near] {""}
        }CPU { FIXED($cpu) } が { PERCENT($share) } 使用中で、そのうち { PERCENT($interrupts) } は softirq、{ PERCENT($system) } はシステムコール、{ PERCENT($user) } はプログラムです{ $shared ->
            [yes] 。両端がこの CPU を分け合います
           *[no] {""}
        }
        [ready] スレッドごとに時間の { PERCENT($share) } を計算か CPU 待ちに使っています
       *[threads] スレッドごとに時間の { PERCENT($share) } を計算に使っています{ $loopback ->
            [yes] （この一台のマシンで）
           *[no] {""}
        }
    }
    .advice =
        { $by ->
            [core] より多くの CPU にパケットを受け取らせてください。受信キューを増やす（`ethtool -L`）、割り込みを複数の CPU に分ける、受信パケットの振り分け（rps_cpus）を使う、などです。大きな MTU はパケットの数を減らします
            [ready] そこで計算するほかのものを止めるか、負荷を別の CPU で動かしてください（--pin、taskset）
           *[threads] --streams を増やすと、より多くのコアを使います。大きな書き込み、大きな MTU、--zero-copy は 1 バイトごとの時間を減らします
        }

finding-receiver-cpu =
    { $behind ->
        [yes] 受信側が追いついていません。ウィンドウははるかに多くを通せるのに満杯で、
        [drops] 受信側が追いついていません。ソケットは届いたデータグラムの { PERCENT($dropped) } を捨て、
       *[no] 受信側のプロセッサーが結果を制限しています。
    }{ $by ->
        [core] { $end ->
            [far] { $machine } の{" "}
           *[near] {""}
        }CPU { FIXED($cpu) } が { PERCENT($share) } 使用中で、そのうち { PERCENT($interrupts) } は softirq、{ PERCENT($system) } はシステムコール、{ PERCENT($user) } はプログラムです{ $shared ->
            [yes] 。両端がこの CPU を分け合います
           *[no] {""}
        }
        [ready] スレッドごとに時間の { PERCENT($share) } を計算か CPU 待ちに使っています
       *[threads] スレッドごとに時間の { PERCENT($share) } を計算に使っています{ $loopback ->
            [yes] （この一台のマシンで）
           *[no] {""}
        }
    }
    .advice =
        { $by ->
            [core] より多くの CPU にパケットを受け取らせてください。受信キューを増やす（`ethtool -L`）、割り込みを複数の CPU に分ける、受信パケットの振り分け（rps_cpus）を使う、などです。大きな MTU はパケットの数を減らします
            [ready] そこで計算するほかのものを止めるか、負荷を別の CPU で動かしてください（--pin、taskset）
           *[threads] --streams を増やすと、より多くのコアを使います。大きな読み取りや大きな MTU は 1 バイトごとの時間を減らします
        }

evidence-core =
    { $end ->
        [far] { $machine } の{" "}
       *[near] {""}
    }CPU { FIXED($cpu) }: { PERCENT($busy) } 使用中、そのうち { PERCENT($interrupts) } は softirq

finding-packets-dropped =
    { $end ->
        [far] { $machine } で、
       *[near] {""}
    }測定区間に{ $what ->
        [broken-frames] { RESOURCE($resource) } に壊れたフレームが { FIXED($count) } 個届きました
        [unsent-frames] { RESOURCE($resource) } がフレーム { FIXED($count) } 個を送れませんでした
        [missed] { RESOURCE($resource) } が届いたパケットの { PERCENT($share) } にあたる { FIXED($count) } 個を取りこぼしました。受信リングが満杯でした
        [receive-drops] { RESOURCE($resource) } に届いたパケットの { PERCENT($share) } にあたる { FIXED($count) } 個が破棄されました
        [transmit-drops] { RESOURCE($resource) } が送るはずのパケットの { PERCENT($share) } にあたる { FIXED($count) } 個が破棄されました
        [queue-drops] { RESOURCE($resource) } のキューイング規則が、渡されたパケットの { PERCENT($share) } にあたる { FIXED($count) } 個を破棄しました
        [filter-drops] { RESOURCE($resource) } のフィルターが、通過した全パケットの { PERCENT($share) } にあたる { FIXED($count) } 個を破棄しました
        [backlog-drops] CPU が全体の { PERCENT($share) } にあたるパケット { FIXED($count) } 個を、どのプロトコルにも渡せずに破棄しました。バックログが満杯でした
        [socket-drops] ソケットが届いたデータグラムの { PERCENT($share) } にあたる { FIXED($count) } 個を破棄しました。受信バッファーが満杯でした
        [tcp-socket-drops] ソケットが届いた TCP セグメントの { PERCENT($share) } にあたる { FIXED($count) } 個を破棄しました。バッファーが満杯でした
        [table-full] 接続を追跡できなかったため、パケット { FIXED($count) } 個が破棄されました。カーネルの接続追跡テーブルが満杯でした
        [untracked] 接続を追跡できなかったため、パケット { FIXED($count) } 個が破棄されました
        [filtered-in] 届いたパケットの { PERCENT($share) } にあたる { FIXED($count) } 個が、プロトコルに渡る前に破棄されました。ファイアウォール（nftables、iptables）が破棄したか、届いた経路が合いませんでした（rp_filter）
        [filtered-out] 送るパケットの { PERCENT($share) } にあたる { FIXED($count) } 個が、インターフェースに渡る前に破棄されました。ファイアウォール（nftables、iptables）が破棄しました
       *[turned-away] 接続 { FIXED($count) } 個が断られました。待ち受けソケットのキューが満杯でした
    }
    .advice =
        { $what ->
            [broken-frames] 不良ケーブル、トランシーバー、ポートがフレームを壊します。種類は `ethtool -S` で分かります
            [unsent-frames] 切れる回線や食い違う二重通信の設定がフレームを壊します。種類は `ethtool -S` で分かります
            [missed] より大きなリング（`ethtool -G`）、より多くの受信キュー（`ethtool -L`）、複数の CPU に分けた割り込みが、パケットを間に合うように取り出します
            [receive-drops] 詳しくは `ip -s -s link` と `ethtool -S` で分かります。フィルター、未知のプロトコル、仮想インターフェースの満杯のリングが原因です
            [transmit-drops] 詳しくは `ip -s -s link` と `ethtool -S` で分かります。より長い送信キューか、より低い速度で減らせます
            [queue-drops] インターフェース、またはそこに課された速度制限が通すより多くを送りました。場所は `tc -s qdisc` で分かります
            [filter-drops] ポリサーは定められた速度とバーストより速く来たものを破棄します。フィルターのアクションが破棄（drop）のこともあります。`tc -s filter show dev` に `ingress` か `egress` を付けるとどれか分かります
            [backlog-drops] より大きな net.core.netdev_max_backlog か、パケットを受け取るより多くの CPU（rps_cpus）で減らせます
            [socket-drops] 大きな --window はより多くを蓄え、--bit-rate は送る量を減らし、--streams を増やすとより多くのコアで読みます
            [tcp-socket-drops] プログラムがより早く読むか、バッファー（net.ipv4.tcp_rmem、net.core.rmem_max）を大きくすると減ります
            [table-full] net.netfilter.nf_conntrack_max（と nf_conntrack_buckets）を増やすか、終わった接続のタイムアウトを短くするか、このトラフィックを追跡しないでください（notrack）
            [untracked] 一つの接続のパケットが複数の CPU に同時に届くと、それぞれが項目を作ろうとし、一つが破棄されることがあります。その数は `conntrack -S` で分かります。追跡しないもの（notrack）は破棄されません
            [filtered-in] 破棄または制限する規則（limit、hashlimit、connlimit）は `nft list ruleset` と `iptables -nvL` で分かり、カウンターがあればその数も分かります
            [filtered-out] 破棄または制限する規則（limit、hashlimit、connlimit）は `nft list ruleset` と `iptables -nvL` で分かり、カウンターがあればその数も分かります
           *[turned-away] 待ち受けるプログラムが接続を受け取るのが遅すぎるか、待てる数が少なすぎます（net.core.somaxconn）
        }

evidence-dropped = { FIXED($count) } 個

finding-paused =
    { $end ->
        [far] { $machine } の{" "}
       *[near] {""}
    }{ RESOURCE($resource) } が測定区間に、{ $what ->
        [asked] ポーズフレーム { FIXED($count) } 個で送信を止めるよう求められました
       *[asks] ポーズフレーム { FIXED($count) } 個で相手に送信を止めるよう求めました
    }
    .advice =
        { $what ->
            [asked] スイッチか、その先のマシンに空きがありません。そのポートと受信側を調べてください
           *[asks] このマシンがパケットを間に合うように取り出していません。より大きなリング（`ethtool -G`）か、より多くの受信キュー（`ethtool -L`）を使ってください
        }

finding-allowance-exceeded =
    提供者が結果を制限しています: { $allowance ->
        [bytes-in] { $end ->
            [far] { $machine } の{" "}
           *[near] {""}
        }{ RESOURCE($resource) } に入るバイトが、インスタンスに許された量を超えています
        [bytes-out] { $end ->
            [far] { $machine } の{" "}
           *[near] {""}
        }{ RESOURCE($resource) } から出るバイトが、インスタンスに許された量を超えています
        [packets] { $end ->
            [far] { $machine } の{" "}
           *[near] {""}
        }{ RESOURCE($resource) } を通るパケットが、インスタンスに許された量を超えています
        [tracked] { $end ->
            [far] { $machine } の{" "}
           *[near] {""}
        }{ RESOURCE($resource) } を通る接続が、インスタンスについて追跡される数を超えています
        [volume-operations] { RESOURCE($resource) } への操作が、ボリュームに許された量を超えています
        [volume-bytes] { RESOURCE($resource) } へのバイトが、ボリュームに許された量を超えています
        [instance-operations] { RESOURCE($resource) } への操作が、インスタンスに許された量を超えています
       *[instance-bytes] { RESOURCE($resource) } へのバイトが、インスタンスに許された量を超えています
    }（試行 { $of } 回のうち { $trials } 回でカウンターが増えました）
    .advice =
        { $allowance ->
            [bytes-in] より大きなインスタンスタイプには、より多くが許されます。休ませると、クレジットが戻ることがあります。一つの TCP フローは最大 5 Gbit/s（プレイスメントグループ内では 10）なので、複数なら増えます
            [bytes-out] より大きなインスタンスタイプには、より多くが許されます。休ませると、クレジットが戻ることがあります。一つの TCP フローは最大 5 Gbit/s（プレイスメントグループ内では 10）なので、複数なら増えます
            [packets] より大きなパケットか、より大きなインスタンスタイプを使ってください
            [tracked] 同時の接続を減らすか、より大きなインスタンスタイプを使ってください
            [volume-operations] より多くの操作を確保したボリュームを使ってください
            [volume-bytes] より多くのスループットを確保したボリュームを使ってください
           *[other] より大きなインスタンスタイプには、より多くが許されます。休ませると、クレジットが戻ることがあります
        }

evidence-allowance-packets = { RESOURCE($resource) }: 1 つの測定区間に、待たされたか捨てられたパケット { FIXED($count) } 個
evidence-allowance-time = { RESOURCE($resource) }: 1 つの測定区間のうち { SHORT($exceeded_s, unit: "s") } 超過

finding-server-bound =
    サーバーが結果を決めています。{ $how ->
        [stream] クライアントは時間の { PERCENT($share) } の間、サーバーの送信を待ち、経路で分かっているものはどれも満杯ではありません
        [upload] クライアントは時間の { PERCENT($share) } の間、サーバーの受信と応答を待ち、経路で分かっているものはどれも満杯ではありません
        [threads] { $machine } で応答するスレッドはそれぞれ時間の { PERCENT($share) } を計算に使い、その間ほかの要求は待ちます
        [file] 相手側は時間の { PERCENT($share) } の間、送るものがなく計算もしていません。ディスクがファイルを渡すのを待っています
        [refused] サーバーは要求の { PERCENT($share) } を処理せず、レートは残りのものです
       *[requests] 一度に { FIXED($outstanding) } 個を送り、応答ごとに { SHORT($latency_s, unit: "s") } かかり、そのうち往復は { SHORT($rtt_s, unit: "s") } です
    }
    .advice =
        { $how ->
            [stream] サーバーと、そこからの経路を調べてください: プロセッサー、デバイス、サーバー自身の制限。--{ $option } を増やして得るものがあるかは、変えて測ると分かります（--{ $option } 1,4,16）
            [upload] サーバーを調べてください: プロセッサー、デバイス、サーバー自身の制限。--{ $option } を増やすとサーバーがもっと受け取るかは、変えて測ると分かります（--{ $option } 1,4,16）
            [threads] 接続を増やすと（--threads）、CPU がある限り、より多くのスレッドが応答します
            [file] 相手のマシンで headroom run disk を実行すると、そのディスクの性能が分かります。ページキャッシュにあるファイルを送れば、ディスクは関わりません
            [refused] サーバーが何をなぜ拒むかを調べてください: レートや接続数の制限、満杯のプールやキュー、誤った要求。どの応答だったかは試行の事実にあります
           *[requests] サーバーのプロセッサーとデバイス、プログラムが何を待つかを調べてください。--{ $option } を増やして得るものがあるかは、変えて測ると分かります（--{ $option } 1,4,16,64）
        }
finding-device-bound =
    { RESOURCE($resource) } が結果を決めています。{ $how ->
        [reads] 負荷は時間の { PERCENT($share) } の間、ページキャッシュにないデータをデバイスが渡すのを待っています{ $ahead ->
            [off] 。先読みはありません（read_ahead_kb）
           *[yes] {""}
        }
        [syncs] 負荷は時間の { PERCENT($share) } の間、書いたデータがデバイスに記録されるのを待っています{ $flushed ->
            [yes] 。時間の { PERCENT($flushing) } はフラッシュが進行中です（{ SHORT($flushes, unit: "1/s") }）
           *[no] {""}
        }
        [each] 負荷は同期しないのに、時間の { PERCENT($share) } の間、書き込みごとにデバイスに記録されるのを待っています: { $option ->
            [none] マウントオプションかファイルの属性がそう定めています（sync、chattr +S）
           *[sync] ファイルシステムが { $option } でマウントされています
        }
        [fills] 負荷は時間の { PERCENT($share) } の間、書き込む先のページがデバイスから先に読まれるのを待っています
        [flight] 負荷が同時に進行できる操作 { FIXED($depth) } 個がすべてデバイスにあり、操作ごとに { SHORT($latency_s, unit: "s") } かかり、開始すべき操作がさらに待っています
       *[stream] クライアントは時間の { PERCENT($share) } の間、届いたデータをデバイスが受け取るのを待ち、その間サーバーも待っています
    }
    .advice =
        { $how ->
            [reads] { $ahead ->
                [yes] 先読みを長くする（--set read-ahead）か --threads を増やすと
                [off] 先読みを有効にする（--set read-ahead）か --threads を増やすと
               *[no] --threads を増やすと
            }、同時に読む量が増えます。デバイスにできることは --direct yes --queue-depth 1..64 で分かります
            [syncs] 多くの書き込みをまとめて同期を減らすか、フラッシュの速いデバイス（電源が切れても残るキャッシュを持つもの）を使ってください。--threads を増やすと、一度の同期を共有することもあります
            [each] そのオプションや属性がなければ書き込みは待ちません。大きく書けば待つ回数が減ります
            [fills] ファイルをマップせずにページ（4 KiB）全体を書くと、先に読むものがありません。--threads を増やすと、同時に読む量が増えます
            [flight] --queue-depth か --threads を増やすと、同時に要求する量が増えます。--rate なしで測ると、デバイスが出せる最大が分かります
           *[stream] デバイス単独の速さは headroom run disk --pattern write --block-size { BINARY($buffer) } で分かります。--buffer を大きくすると一度に書く量が増え、--streams を増やすと同時に書きます
        }
finding-dirty-throttled =
    ダーティスロットリング: 時間の { PERCENT($share) } の間、{ $grouped ->
        [yes] メモリを { BINARY($memory) } に制限されたコントロールグループの
       *[no] {""}
    }ページキャッシュに書き込み待ちのデータ（{ BINARY($dirty) }）が多く、カーネルは書き手を { RESOURCE($resource) } が受け取る速さ { SHORT($rate, unit: "B/s") } まで遅くします
    .advice = { RESOURCE($resource) } が限界です。速いものに替えると伸び、{ $grouped ->
        [yes] グループのメモリを増やしても
       *[no] ページキャッシュを大きくしても（--set dirty-bytes）
    }遅くなるのが後になるだけです。単独の速さは headroom run disk で分かります
round-trip-advice =
    { $named ->
        [yes] --{ $option } を増やすと同時に多くを送ります
       *[no] 同時に多くを送ると増えます
    }{ $kept ->
        [yes] {""}
       *[no] 。接続を保つと接続を作る往復がなくなります
    }。一つのリクエストに多くを載せると往復が減ります
finding-round-trip-bound =
    往復時間が結果を決めています。一度に { FIXED($outstanding) } 個を送り、{ $how ->
        [statements] 一つに { SHORT($latency_s, unit: "s") } かかり、そのうち { SHORT($rtt_s, unit: "s") } の往復 { FIXED($trips, decimals: 1) } 回が { PERCENT($share) } です
       *[requests] 応答ごとに { SHORT($latency_s, unit: "s") } かかります
    }
    .advice =
        { $how ->
            [statements] トランザクションの文を減らす（一つの文に複数の行、サーバーのプロシージャ）と往復が減ります。--{ $option } を増やすと同時に多くを送り、クライアントをサーバーに近づけると一回の待ちが短くなります
           *[requests] { round-trip-advice }
        }

evidence-client-waited =
    クライアントは時間の { PERCENT($server) } の間、サーバーを待った{ $writes ->
        [yes] 。書き込みは { PERCENT($written) }
       *[no] {""}
    }
evidence-dirty-of-others = ページキャッシュに書き込み待ちが多く書き手は遅くされるが、{ RESOURCE($resource) } が受け取るうち負荷のものは { PERCENT($own) } だけ
evidence-dirty-pages = 書き込み待ち { BINARY($dirty) }。{ BINARY($limit) } から書き手は遅くされる
evidence-held = バッファーに { BINARY($bytes) }
evidence-timeouts = TCP のタイムアウト { FIXED($timeouts) } 回、{ SHORT($least_s, unit: "s") } 以上かかったリクエスト { FIXED($late) } 件
evidence-answers-lost = リクエストの { PERCENT($lost, decimals: 1) } に応答がない
evidence-shaped =
    { $end ->
        [far] { $machine } の{" "}
       *[near] {""}
    }{ RESOURCE($resource) } で、キューイング規則{ $kind ->
        [none] {""}
       *[other] {" "}{ $kind }{" "}
    }が測定区間にパケットを { FIXED($held) } 回引き止めた{ $dropped ->
        [0] {""}
       *[other] 。破棄したパケット { FIXED($dropped) } 個
    }{ $limited ->
        [yes] 。通す速度 { SHORT($rate, $unit) }
       *[no] {""}
    }（`tc -s qdisc`）
evidence-dropped-by = { finding-packets-dropped }
evidence-paced = 輻輳制御（{ $congestion }）が接続ごとに { SHORT($paced, $unit) } でペーシングし、接続はその { PERCENT($share) } を得た
evidence-tcp-memory = このマシンの TCP は時間の { PERCENT($share) } の間メモリが足りず、ウィンドウとバッファーを小さく保った（net.ipv4.tcp_mem）
evidence-still-growing = 区間の終わりでも速度は増え続けていた。最後の四分の一はその前の { FIXED($times, decimals: 1) } 倍。--duration か --warmup を長くすると、どこで止まるか分かる
evidence-connecting = 時間の { PERCENT($share) } の間、リクエストが処理中になれるのになっていません。{ FIXED($again) } 個の接続の最初のセグメントが失われ、TCP は 1 秒以上後に再送します
evidence-unsent = この区間に TCP は { SHORT($given) } 個のセグメントを送り出し、その { PERCENT($share) } がマシンから出ていきませんでした
evidence-retransmits = セグメントの { PERCENT($share) } を損失
window-in-flight = キューで延びていない往復時間 { SHORT($rtt_s, unit: "s") } で、転送中のデータが{ $which ->
        [receive] 受信側のウィンドウ
        [congestion] 失われたものがないのに広がらない輻輳ウィンドウ
       *[send] 送信側自身のバッファー
    } { BINARY($window) } の { PERCENT($share) }
evidence-window =
    { $by ->
        [flight] { window-in-flight }{ $emptied ->
            [yes] 。時間の { PERCENT($empty) } の間、プログラムは空きを待つがバッファーのすべてが転送中
           *[no] {""}
        }
       *[account] { $which ->
            [receive] 受信側のウィンドウが
           *[send] 送信側自身のバッファーが
        }時間の { PERCENT($share) } の間、満杯
    }
evidence-no-account = TCP がなぜ待ったかの記録がないか、測定区間がそれを知るのに必要な長さ（0.4 s）より短い
evidence-served-file =
    相手側が送ったファイルの { PERCENT($cached) } は、送る前に相手側のページキャッシュにあった{ $source ->
        [cache] 。相手側のディスクは出所ではない
       *[disk] {""}
    }
evidence-path-full =
    { $by ->
        [queue] 往復は最小の { FIXED($times, decimals: 1) } 倍で、接続は時間の { PERCENT($path) } の間、経路を待った
       *[delivery] 接続は BBR で、時間の { PERCENT($path) } の間、経路を待った
    }
evidence-account = 接続は時間の { PERCENT($path) } の間はネットワークを、{ PERCENT($program) } の間はプログラムを待ち、満杯のリンクもウィンドウもプロセッサーも見つからない

finding-other-route =
    データは経路にある { RESOURCE($resource) } を通りませんでした。そのインターフェースが数えたのは転送データの { PERCENT($share) } です{ $known ->
        [yes] 。数えたのは { RESOURCE($other) } です
       *[no] {""}
    }
    .advice = 両方のマシンで `ip route get ADDRESS` を確かめ、意図した経路にあるノードのアドレスを指定してください

evidence-passed = 転送データの { PERCENT($share) }

finding-packet-not-carried = このマシンのインターフェースが送る { FIXED($route) } バイトのパケットが相手に届きません。経路が運べるのは最大 { FIXED($carried) } バイトです
    .advice = 経路上のすべてのインターフェースとスイッチに同じ MTU を設定してください

finding-packet-size-unknown = 経路がどの大きさのパケットまで運べるか調べられませんでした。応答のあったデータグラムがありません
    .advice = 両マシンの間で UDP を通すか、経路上のすべての MTU が同じであることを確かめてください

evidence-carried = { FIXED($carried) } バイトまで届き、それより大きいものは届かない
evidence-no-account-udp = UDP はなぜ待ったかを記録しない
