# Conditions of a machine, as the doctor finds them: `condition-<code>` with
# the advice, and `evidence-<code>`.

condition-other-headroom = { $busy ->
        [yes] { $count ->
            [1] 別の Headroom が動作中で、同じ部分を測定している可能性があります
           *[other] 別の Headroom が { $count } 個あり、少なくとも一つが動作中です
        }
       *[no] { $count ->
            [1] 別の Headroom が待機しています
           *[other] 別の Headroom が { $count } 個待機しています
        }
    }
    .advice = 終了するまで待ってください（`pgrep -a headroom` で確認できます）
evidence-headroom-process = この実行とは別の headroom プロセスが { $count } 個

condition-other-load = 測定していない間に、ほかのプロセスが CPU { $cpus } 個のうち { FIXED($cpus_used, decimals: 1) } 個分（{ PERCENT($share) }）を使用していました: { $how ->
        [named] { $processes }
       *[hidden] 見えない、またはすでに終了したプロセス
    }
    .advice = CPU を使っているプロセスを終了するか（`top` で確認できます）、終了するまで待ってください
evidence-cpu-time = { FIXED($seconds, decimals: 2) } 秒間にほかのプロセスの CPU 時間 { FIXED($cpu_s, decimals: 2) } 秒
evidence-busy-process = { $name }: CPU { FIXED($cpus, decimals: 2) } 個分を使用

condition-steal = { $how ->
        [now] ハイパーバイザーが CPU 時間の { PERCENT($share) } をほかのゲストに割り当てています（steal）
        [ever-not-now] 起動してからハイパーバイザーが CPU 時間の { PERCENT($share) } を奪いました。現在はほとんど奪っていません
       *[ever] 起動してからハイパーバイザーが CPU 時間の { PERCENT($share) } を奪いました
    }
    .advice = ホストが空いているときに測定するか、専用の CPU（dedicated または pinned）を要求してください
evidence-steal-time = { FIXED($seconds, decimals: 2) } 秒間に奪われた CPU 時間 { FIXED($stolen_s, decimals: 2) } 秒
evidence-steal-ever = /proc/stat: { $line }

condition-throttling = { $how ->
        [now] CPU が現在スロットリングされています（{ FIXED($seconds, decimals: 1) } 秒間に { $now } 回）
       *[ever] CPU は起動してから { $ever } 回スロットリングされました。現在はされていません
    }
    .advice = 冷却を改善するか、サーバーが冷えるまで待ち、各試行のクロック周波数を確認してください
evidence-throttle-count = thermal_throttle: チェック中に { $now } 回増加、起動してから最大 { $ever } 回

condition-near-critical-temperature = { $chip } の { $label } が { FIXED($value) } °C です。臨界温度は { FIXED($critical) } °C です
    .advice = 冷却を改善するか、冷えるまで待ってから測定してください
evidence-sensor-temperature = { $chip } の { $label }: { FIXED($value) } °C、臨界温度 { FIXED($critical) } °C

condition-array-sync = アレイ { $array }（{ $level }）の{ $action ->
        [resync] 再同期（resync）
        [recover] リビルド（recover）
        [check] 整合性チェック（check）
        [repair] 修復（repair）
        [reshape] 再構成（reshape）
       *[other] {" "}{ $action }{" "}
    }が進行中です{ $how ->
        [progress] （{ PERCENT($progress) } 完了）
       *[unknown] {""}
    }
    .advice = 終了するまで待ってください（`cat /sys/block/{ $array }/md/sync_completed` で確認できます）
evidence-sync-action = sync_action: { $action }

condition-array-degraded = アレイ { $array }（{ $level }）のメンバー { $members } 台のうち { $missing } 台が欠けています
    .advice = 欠けているメンバーを追加してください（`mdadm --detail /dev/{ $array }` を参照）
evidence-degraded = メンバー { $members } 台のうち { $missing } 台が欠落

condition-drive-self-test = ドライブ { $drive } がセルフテストを実行しています{ $how ->
        [progress] （{ PERCENT($done) } 完了）
       *[unknown] {""}
    }
    .advice = 終了するまで待つか、`smartctl -X /dev/{ $drive }` で中止してください
evidence-self-test = { $drive }: セルフテスト実行中{ $how ->
        [progress] 、{ PERCENT($done) } 完了
       *[unknown] {""}
    }

condition-lazy-init =
    { $known ->
        [yes] ext4 が { $device } の新しいファイルシステムをバックグラウンドで初期化し、書き込みを行っています
       *[no] ext4 がバックグラウンドでファイルシステムを処理しています。新しいものを初期化して書き込んでいるか、マウント直後のものの空き情報を読んでいるだけの可能性があります
    }
    .advice = 終了するまで待つか、`-E lazy_itable_init=0,lazy_journal_init=0` を付けてファイルシステムを作成してください
evidence-lazy-init-groups = { $device } の { FIXED($groups) } グループのうち { FIXED($missing) } に inode テーブルがまだない
evidence-lazy-init-thread = カーネルスレッド { $thread } が動作中

condition-background-work = `{ $name }`（{ $does ->
        [trims] 空きブロックの discard
        [checks] ファイルシステムの検査
        [changes] ファイルシステムの操作
        [formats] ファイルシステムの作成
        [scans] ディスク全体の読み書き
        [copies-data] データのコピー
        [wipes] ディスク全体への書き込み
        [installs] パッケージのインストール
        [builds-modules] カーネルモジュールのビルド
        [builds-image] ブートイメージの作成
        [copies-files] ファイルのコピー
        [backs-up] バックアップ
        [lists-files] 全ファイルの一覧作成
        [indexes-manuals] マニュアルページの索引作成
        [indexes-files] ファイルの索引作成
        [searches-viruses] ウイルススキャン
        [searches-files] ファイルの検査
        [loads] 負荷の生成
       *[traces] トレース
    }）が{ $busy ->
        [yes] 動作中です
       *[no] 待機しています
    }
    .advice = `{ $name }` が終了するまで待つか、停止してください
evidence-background-process = { $name }: プロセス { $count } 個、CPU 時間 { FIXED($cpu_s, decimals: 2) } 秒

condition-disk-traffic = 測定していない間に、ほかのプロセスが{ $array ->
        [yes] アレイ { $disk }（{ $disks }{ $more ->
            [0] {""}
           *[other] {" "}ほか { $more } 台
        }）
       *[no] ディスク { $disk } {""}
    }を使用していました: 毎秒 { SHORT($requests_per_s) } リクエスト、{ SHORT($bytes_per_s, unit: "B/s") }{ $timed ->
        [yes] 、時間の { PERCENT($busy) }
       *[no] {""}
    }
    .advice = 読み書きしているプロセスを調べ（`iotop`、`pidstat -d 1`）、終わるのを待つか終了してください
evidence-diskstats = { $disk }: 毎秒 { SHORT($requests_per_s) } リクエスト、{ SHORT($bytes_per_s, unit: "B/s") }{ $timed ->
        [yes] 、時間の { PERCENT($busy) }
       *[no] {""}
    }

condition-network-traffic = 測定していない間に、ほかのプロセスがインターフェース { $interface } を使用していました: { SHORT($bytes_per_s, unit: "B/s") }{ $how ->
        [share] 、リンク速度の { PERCENT($share) }
       *[rate] {""}
    }
    .advice = 送受信しているプロセスを調べ（`ss -tpi`、`nethogs`）、終わるのを待つか終了してください
evidence-net-dev = { $interface }: { SHORT($bytes_per_s, unit: "B/s") }{ $how ->
        [share] 、リンク速度の { PERCENT($share) }
       *[rate] {""}
    }

condition-drive-health = ドライブ { $drive } が自らの異常を報告しています: { $first ->
        [spare] 予備ブロックがほぼ枯渇
        [temperature] 温度が限度を超過
        [unreliable] エラーのため信頼性が低下
        [read-only] 書き込みを受け付けない
        [no-backup] 揮発性メモリのバックアップが機能していない
        [persistent-read-only] 永続メモリが書き込みを受け付けない
        [other] 重大な警告 { $bits }
        [worn] 寿命の { $percentage_used } % を消費
       *[errors] 訂正できなかったエラー { $media_errors } 件
    }{ $second ->
        [none] {""}
        [spare] 、予備ブロックがほぼ枯渇
        [temperature] 、温度が限度を超過
        [unreliable] 、エラーのため信頼性が低下
        [read-only] 、書き込みを受け付けない
        [no-backup] 、揮発性メモリのバックアップが機能していない
        [persistent-read-only] 、永続メモリが書き込みを受け付けない
        [other] 、重大な警告 { $bits }
        [worn] 、寿命の { $percentage_used } % を消費
       *[errors] 、訂正できなかったエラー { $media_errors } 件
    }{ $third ->
        [none] {""}
        [spare] 、予備ブロックがほぼ枯渇
        [temperature] 、温度が限度を超過
        [unreliable] 、エラーのため信頼性が低下
        [read-only] 、書き込みを受け付けない
        [no-backup] 、揮発性メモリのバックアップが機能していない
        [persistent-read-only] 、永続メモリが書き込みを受け付けない
        [other] 、重大な警告 { $bits }
        [worn] 、寿命の { $percentage_used } % を消費
       *[errors] 、訂正できなかったエラー { $media_errors } 件
    }{ $more ->
        [0] {""}
       *[other] {" "}ほか { $more } 件
    }
    .advice = `smartctl -x /dev/{ $drive }` で確認し、データを退避して、別のドライブで測定してください
evidence-available-spare = 残りの予備ブロック: { $value } %
evidence-spare-threshold = 予備ブロックの下限: { $value } %
evidence-percentage-used = 消費した寿命: { $value } %
evidence-media-errors = 訂正できなかったメディアエラー: { $value } 件
evidence-critical-warning = 重大な警告のビット（critical warning）: { $value }

condition-drive-hot = ドライブ { $drive } が { FIXED($value) } °C です。{ FIXED($limit) } °C からは自ら速度を落とすことがあります
    .advice = 冷えるまで待つか通風を改善し、測定前の書き込みを減らしてください
evidence-drive-temperature = { $drive }: { FIXED($value) } °C、警告温度 { FIXED($limit) } °C

condition-swapping = { $how ->
        [moving] メモリがスワップされています: { FIXED($seconds, decimals: 1) } 秒間にスワップイン { $pages_in } ページ、スワップアウト { $pages_out } ページ
       *[lying] メモリ { BINARY($used_bytes) } がスワップにあります。現在は移動していません
    }
    .advice = { $how ->
        [moving] メモリを占有しているプロセスを終了してください。その後 `swapoff -a && swapon -a` を実行すると、すべてメモリに戻ります
       *[lying] メモリに余裕があれば、`swapoff -a && swapon -a` ですべてメモリに戻せます
    }
evidence-vmstat = { FIXED($seconds, decimals: 1) } 秒間にスワップイン { $pages_in } ページ、スワップアウト { $pages_out } ページ
evidence-swap-used = 使用中のスワップ { BINARY($used_bytes) }

condition-little-memory = メモリ { BINARY($total_bytes) } のうち { BINARY($available_bytes) } しか使用できません
    .advice = メモリを占有しているプロセスを終了するか、収まるサイズで測定してください
evidence-memory-available = 全体 { BINARY($total_bytes) } のうち使用可能 { BINARY($available_bytes) }

condition-dirty-pages = 以前の書き込み { BINARY($bytes) } がまだディスクに書き込まれていません
    .advice = `sync` を実行し、終了するまで待ってください
evidence-meminfo = Dirty { BINARY($dirty) }、Writeback { BINARY($writeback) }

condition-full-file-system = { $mount } のファイルシステム（{ $kind }）は { PERCENT($used) } 使用済みで、残りは { BINARY($available_bytes) } です
    .advice = 不要なものを削除するか、別のファイルシステムで測定してください
evidence-statvfs = 全体 { BINARY($total_bytes) } のうち空き { BINARY($free_bytes) }

condition-pcie-link = { $address }{ $class ->
        [named] （{ $device }）
        [storage] （ストレージコントローラー）
        [network] （ネットワークコントローラー）
        [display] （ディスプレイコントローラー）
        [bridge] （ブリッジ）
       *[other] {" "}
    }のリンクは { $how ->
        [lanes] { $best_lanes } レーンのうち { $lanes } レーンしか使用していません
       *[speed] { SHORT($best_transfers) }T/s のうち { SHORT($transfers) }T/s で動作しています。省電力状態の可能性があります
    }
    .advice = { $how ->
        [lanes] カードを挿し直すか、別のスロットを使用してください。スロット間で共有されるレーンについてはマザーボードのマニュアルを参照してください
       *[speed] 負荷をかけた状態で再度確認してください: `cat /sys/bus/pci/devices/{ $address }/current_link_speed`
    }
evidence-link-width = { $address }{ $class ->
        [named] （{ $device }）
        [storage] （ストレージコントローラー）
        [network] （ネットワークコントローラー）
        [display] （ディスプレイコントローラー）
        [bridge] （ブリッジ）
       *[other] {""}
    }: { $best_lanes } レーンのうち { $lanes } レーン
evidence-link-speed = { $address }{ $class ->
        [named] （{ $device }）
        [storage] （ストレージコントローラー）
        [network] （ネットワークコントローラー）
        [display] （ディスプレイコントローラー）
        [bridge] （ブリッジ）
       *[other] {""}
    }: { SHORT($best_transfers) }T/s のうち { SHORT($transfers) }T/s

condition-sata-link = ドライブ { $drive } のリンクは { BITS($bits) } で動作しています。{ $how ->
        [both] ポートとドライブはどちらも
        [port] ポートは
       *[drive] ドライブは
    } { BITS($best_bits) } まで対応しています
    .advice = 別のケーブルまたはポートを使用してください。エラーで速度が落ちたかどうかは `dmesg | grep -i 'sata link'` で分かります
evidence-sata-link = ネゴシエートされた速度 { BITS($bits) }
evidence-identify = ドライブの最大速度 { BITS($bits) }

condition-nic-link = { $how ->
        [half] インターフェース { $interface } は { BITS($bits) } の半二重で動作しており、受信中は送信できません
        [half-unknown] インターフェース { $interface } は半二重で動作しており、受信中は送信できません。速度は不明です
        [both] インターフェース { $interface } は { BITS($bits) } で動作しています。両端とも { BITS($best_bits) } まで対応しています
       *[own] インターフェース { $interface } は { BITS($bits) } で動作しており、{ BITS($best_bits) } まで対応しています。相手側がどこまで対応しているかは不明です
    }
    .advice = 両端のケーブル、ポート、オートネゴシエーションを確認してください（`ethtool { $interface }`）
evidence-nic-link = { $how ->
        [half] { $interface }: { BITS($bits) }、半二重
        [half-unknown] { $interface }: 速度不明、半二重
        [both] { $interface }: { BITS($bits) }、両端の最大 { BITS($best_bits) }
       *[own] { $interface }: { BITS($bits) }、こちら側の最大 { BITS($best_bits) }
    }

condition-debug-kernel = カーネルが自己検査を行っており、すべてが遅くなります: { $signs }{ $more ->
        [0] {""}
       *[other] {" "}ほか { $more } 個
    }
    .advice = ディストリビューションが提供するような、これらのないカーネルで起動してください
evidence-kernel-option = { $option }

condition-kernel-tracing = カーネルがトレースされています: { $how ->
        [tracer] トレーサー { $tracer }
        [event] イベント { $names }
        [events] イベント { $events } 個、{ $names }{ $more ->
            [0] {""}
           *[other] {" "}ほか { $more } 個
        }
       *[both] トレーサー { $tracer }、イベント { $events } 個
    }
    .advice = `echo nop > /sys/kernel/tracing/current_tracer; echo > /sys/kernel/tracing/set_event` を実行してください
evidence-tracefs = { $how ->
        [tracer] current_tracer: { $tracer }
        [event] set_event: { $names }
        [events] set_event: { $names }{ $more ->
            [0] {""}
           *[other] {" "}ほか { $more } 個
        }
       *[both] current_tracer: { $tracer }、set_event: { $events } 個
    }

condition-governor = クロック周波数は performance 以外のガバナー { $governors }{ $more ->
        [0] {""}
       *[other] {" "}ほか { $more } 個
    }{ $how ->
        [preference] 、エネルギー設定 { $preferences }{ $more_preferences ->
            [0] {""}
           *[other] {" "}ほか { $more_preferences } 個
        }
       *[governor] {""}
    } によって決まります
    .advice = `cpupower frequency-set -g performance` を実行してください
evidence-scaling-driver = { $driver ->
        [unknown] ドライバー不明
       *[other] ドライバー { $driver }
    }

condition-clock-capped = ポリシーによりクロック周波数が { SHORT($hardware_max_hz, unit: "Hz") } のうち { SHORT($max_hz, unit: "Hz") } までに制限されています
    .advice = `cpupower frequency-set -u 100GHz` で制限を解除するか、設定した電源プロファイルを調べてください
evidence-scaling-max = ハードウェアの最大 { SHORT($hardware_max_hz, unit: "Hz") }、ポリシーの最大 { SHORT($max_hz, unit: "Hz") }

condition-clock-source = クロックソースが CPU のカウンターではなく { $source } です{ $how ->
        [cost] 。一回の読み取りに { SHORT($seconds, unit: "s") } かかります
       *[unknown] {""}
    }
    .advice = { $advice ->
        [leave] そのままにし、同じクロックソースで得た結果とだけ比較してください
        [set] `echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource` を実行してください
        [set-on-host] コンテナでは /sys が読み取り専用なので、ホストで `echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource` を実行してください
       *[look] CPU のカウンターが使われない理由は `dmesg | grep -i tsc` で確認してください
    }
evidence-clock-sources = 使用できるソース: { $sources }
evidence-clock-read = { $rounds } 回のうち最小: { SHORT($seconds, unit: "s") }

condition-cpu-quota = { $holder ->
        [container] コンテナ（{ $container }）は
       *[group] コントロールグループは
    } CPU { $cpus } 個のうち { FIXED($quota, decimals: 2) } 個分しか許可していません。スレッドがそれより多いと各周期の途中で止められます
    .advice = スレッド数をそれ以下にするか、制限の外で、または制限を外して測定してください
evidence-cpu-quota = 毎秒 CPU 時間 { FIXED($quota, decimals: 2) } 秒
evidence-cgroup-cpu = 毎秒 CPU 時間 { FIXED($quota, decimals: 2) } 秒

condition-memory-quota = { $holder ->
        [container] コンテナ（{ $container }）は
       *[group] コントロールグループは
    }メモリ { BINARY($total_bytes) } のうち { BINARY($quota_bytes) } しか許可していません。ページキャッシュもこれに含まれます
    .advice = 制限に合わせてサイズを選ぶか、制限の外で、または制限を外して測定してください
evidence-memory-quota = 最大 { BINARY($quota_bytes) }

condition-io-quota = { $holder ->
        [container] コンテナ（{ $container }）が
       *[group] コントロールグループが
    }デバイス { $device } を制限しています{ $has_read_bytes ->
        [yes] （読み取り { SHORT($read_bytes, unit: "B/s") }）
       *[no] {""}
    }{ $has_write_bytes ->
        [yes] （書き込み { SHORT($write_bytes, unit: "B/s") }）
       *[no] {""}
    }{ $has_read_operations ->
        [yes] （読み取り毎秒 { $read_operations } 回）
       *[no] {""}
    }{ $has_write_operations ->
        [yes] （書き込み毎秒 { $write_operations } 回）
       *[no] {""}
    }
    .advice = このデバイスの結果は制限によるものと考えるか、制限を外して測定してください
evidence-io-quota = { $device }: { $has_read_bytes ->
        [yes] （読み取り { SHORT($read_bytes, unit: "B/s") }）
       *[no] {""}
    }{ $has_write_bytes ->
        [yes] （書き込み { SHORT($write_bytes, unit: "B/s") }）
       *[no] {""}
    }{ $has_read_operations ->
        [yes] （読み取り毎秒 { $read_operations } 回）
       *[no] {""}
    }{ $has_write_operations ->
        [yes] （書き込み毎秒 { $write_operations } 回）
       *[no] {""}
    }

condition-idle-states = アイドル時の CPU は { $state } まで入ることがあり、復帰に { SHORT($latency_s, unit: "s") } かかります
    .advice = 低負荷でのレイテンシを測定するときは `cpupower idle-set -D 10` を実行し、`-E` で元に戻してください
evidence-idle-state = { $state }: 復帰に { SHORT($latency_s, unit: "s") }

condition-turbo = { $on ->
        [yes] ターボが有効です。クロック周波数は{ $rated ->
            [yes] 最大 { SHORT($hz, unit: "Hz") } まで、
           *[no] 最大値まで、
        }温度と使用中のコア数によって変わります
       *[no] ターボが無効です。結果はベースクロック{ $rated ->
            [yes] （{ SHORT($hz, unit: "Hz") }）
           *[no] {""}
        }でのものです
    }
    .advice = { $on ->
        [yes] 十分に温まるよう試行を長くしてください。単一コアどうしを比較するにはファームウェアで無効にしてください
       *[no] このサーバーの最大性能を測定するには有効にしてください
    }
evidence-boost = { $on ->
        [yes] ターボ有効{ $rated ->
            [yes] 、最大 { SHORT($hz, unit: "Hz") }
           *[no] {""}
        }
       *[no] ターボ無効{ $rated ->
            [yes] 、ベース { SHORT($hz, unit: "Hz") }
           *[no] {""}
        }
    }

condition-virtual-machine = このサーバーは仮想マシン（{ $kind }）です。ほかのゲストの動作とホストのキャッシュはここからは見えません
    .advice = 別の時間帯にも繰り返し、ディスクはホストのメモリより大きい範囲で測定してください
evidence-virtualization = { $kind } のゲスト

condition-missing-permission = { $how ->
        [privilege] Headroom が root で実行されていないため、設定と一部のカウンターにアクセスできません
       *[denied] 権限がなく、ここでは読み取れないものがあります: { $first ->
            [memory-modules] メモリモジュール
            [pcie-payload] PCI Express のペイロードサイズ
            [drive-health] ドライブ { $first_name } の状態
            [sensors] { $first_name } のセンサー
            [block-device] ブロックデバイス { $first_name }
            [network-interface] ネットワークインターフェース { $first_name }
            [pci-function] PCI デバイス { $first_name }
           *[other] { $first_name }
        }{ $second ->
            [none] {""}
            [memory-modules] 、メモリモジュール
            [pcie-payload] 、PCI Express のペイロードサイズ
            [drive-health] 、ドライブ { $second_name } の状態
            [sensors] 、{ $second_name } のセンサー
            [block-device] 、ブロックデバイス { $second_name }
            [network-interface] 、ネットワークインターフェース { $second_name }
            [pci-function] 、PCI デバイス { $second_name }
           *[other] 、{ $second_name }
        }{ $third ->
            [none] {""}
            [memory-modules] 、メモリモジュール
            [pcie-payload] 、PCI Express のペイロードサイズ
            [drive-health] 、ドライブ { $third_name } の状態
            [sensors] 、{ $third_name } のセンサー
            [block-device] 、ブロックデバイス { $third_name }
            [network-interface] 、ネットワークインターフェース { $third_name }
            [pci-function] 、PCI デバイス { $third_name }
           *[other] 、{ $third_name }
        }{ $more ->
            [0] {""}
           *[other] {" "}ほか { $more } 個
        }
    }
    .advice = { $root ->
        [yes] コンテナの外で実行するか、足りない権限を与えてください（CAP_SYS_ADMIN、CAP_SYS_RAWIO）
       *[no] `sudo` で実行してください
    }
evidence-privilege = 実効ユーザーが root ではない
evidence-denied = { $part ->
        [memory-modules] メモリモジュール
        [pcie-payload] PCI Express のペイロードサイズ
        [drive-health] ドライブ { $name } の状態
        [sensors] { $name } のセンサー
        [block-device] ブロックデバイス { $name }
        [network-interface] ネットワークインターフェース { $name }
        [pci-function] PCI デバイス { $name }
       *[other] { $name }
    }

condition-counted-errors = { $what ->
        [memory-uncorrected] メモリコントローラー { $name } で ECC で訂正できないエラーが { $count } 件数えられました
        [memory-corrected] メモリコントローラー { $name } で ECC で訂正されたエラーが { $count } 件数えられました
        [link-fatal] { $name } の PCI Express リンクで致命的なエラーが { $count } 件ありました
        [link-nonfatal] { $name } の PCI Express リンクで訂正されなかったエラーが { $count } 件ありました
        [link-corrected] { $name } の PCI Express リンクで訂正されたエラーが { $count } 件ありました
        [frame-checksum] { $name } にチェックサムの誤ったフレームが { $count } 個届きました
        [frame-alignment] { $name } にアラインメントの誤ったフレームが { $count } 個届きました
        [carrier] { $name } はキャリアがなくフレームを { $count } 個送れませんでした
        [link-lost] { $name } のリンクが { $count } 回切れました
        [packets-missed] { $name } は空きがなくパケットを { $count } 個取りこぼしました
        [pending-sectors] { $name } には読めずに交替を待つセクターが { $count } 個あります
        [uncorrectable-sectors] { $name } には訂正できなかったセクターが { $count } 個あります
        [reallocated-sectors] { $name } はセクターを { $count } 個交替しました
       *[cable-checksum] { $name } でチェックサムの誤った転送が { $count } 件数えられました
    }{ $since ->
        [then] （その時刻以降）
        [start] （起動以降）
       *[life] {""}
    }
    .advice = { $what ->
        [memory-uncorrected] メモリモジュールを交換してください。`journalctl -k` かファームウェアのログがスロットを示します
        [memory-corrected] 増えるかどうか見守ってください。繰り返すエラーはモジュールを交換する理由になります
        [frame-checksum] 別のケーブル、トランシーバー、ポートを試してください（`ethtool -S { $name }`）
        [frame-alignment] 別のケーブル、トランシーバー、ポートを試してください（`ethtool -S { $name }`）
        [carrier] 別のケーブル、トランシーバー、ポートを試してください（`ethtool -S { $name }`）
        [link-lost] 別のケーブル、トランシーバー、ポートを試してください（`ethtool -S { $name }`）
        [packets-missed] より大きなリング（`ethtool -G { $name }`）か、割り込みを分けたより多くの CPU が間に合わせます
        [pending-sectors] ドライブのデータを移し、ドライブを交換してください（`smartctl -x /dev/{ $name }`）
        [uncorrectable-sectors] ドライブのデータを移し、ドライブを交換してください（`smartctl -x /dev/{ $name }`）
        [reallocated-sectors] 増えるかどうか見守ってください（`smartctl -x /dev/{ $name }`）
        [cable-checksum] 別のケーブルとポートを試してください。この値は減りません（`smartctl -x /dev/{ $name }`）
       *[link] カードを差し直すか、別のスロットやライザーを試してください。エラーの種類は `journalctl -k` が示します
    }
evidence-counted-errors = { $count } 件、累計 { $ever } 件

condition-kernel-errors = その時刻以降、カーネルのログに{ $what ->
        [machine-check] マシンチェック
        [memory-error] メモリのエラー
        [link-error] { $part } の PCI Express リンクのエラー
        [link-retrained] { $part } の PCI Express リンクの再トレーニング
        [drive-error] ドライブ { $part } のエラー
        [drive-reset] ドライブ { $part } のリセット
        [file-system-error] { $part } のファイルシステムのエラー
        [queue-stalled] { $part } の止まったキュー
        [lockup] 止まった CPU
       *[throttled] 熱でスロットリングされた CPU
    }のメッセージが { $count } 件あります。最後は { SPAN($ago) } 前です
    .advice = { $what ->
        [throttled] 冷却を改善してください。メッセージは `journalctl -k` にあります
       *[other] メッセージは `journalctl -k` にあります
    }
evidence-kernel-errors = メッセージ { $count } 件、最初は { SPAN($first) } 前
