### サーバーの図の言葉。多くは狭い枠に入るので短くする。

## 文のつなぎ方

picture-list = { $first }、{ $next }
picture-named = { $name }: { $what }
picture-sentence = { $text }。
picture-more = ほか { $count } 個
picture-names-more = { $names } ほか { $count } 個
picture-range = { $low } ～ { $high }

## 図の上の文と題名

picture-nameless = 名前のないサーバー
picture-virtual-machine = 仮想マシン（{ $host }）
picture-in-container = { $container } コンテナ内
picture-path-of = { $case } の経路
picture-title = { $name }: 部品とその間のリンク
picture-title-of-case = { $name }: { $case } の経路と各部分の使用率

## 図の下の凡例

picture-legend-width = 線の太さ: 帯域（GB/s）
picture-legend-share = 上限に対する使用率
picture-legend-full = 95 %: 飽和
picture-highest = { $share }、最高

## 図の区分

picture-across = 上の複数の部分にまたがるもの
picture-place-unknown = サーバーからは位置が分からないもの
picture-more-packages = ほか CPU パッケージ { $count } 個

## プロセッサーとメモリ

picture-cpus = CPU { $count } 個
picture-cores = { $count } コア
picture-threads = { $count } スレッド
picture-package = パッケージ { $id }
picture-numa-node = NUMA ノード { $node }
picture-numa-nodes = NUMA ノード { $first } ～ { $last }
picture-numa-count = NUMA ノード { $count } 個
picture-numa-distance = ノード間距離 { $distance }
picture-no-cpus = CPU なし
picture-cpu-quota = クォータにより CPU { $cpus } 個分まで
picture-nothing-known = 情報なし
picture-memory = メモリ { $size }
picture-memory-limit = コントロールグループにより { $size } まで
picture-modules = モジュール { $count } 個
picture-slots = スロット { $used }/{ $slots }
picture-in-all-packages = 全パッケージで { $modules }
picture-all-packages = 全パッケージの合計

## リンク

picture-each = 各 { $rate }
picture-effective = 実効 { $rate }
picture-measured = 測定値 { $rate }
picture-datasheet = データシート { $rate }
picture-promised = 約束された値 { $rate }
picture-held-to = 上限 { $rate }
picture-read = 読み取り { $rate }
picture-write = 書き込み { $rate }
picture-lanes = { $most } のうち { $lanes } のみ
picture-channels = { $count } チャネル { $memory }
picture-socket-link = ソケット間リンク
picture-rate-unknown = 速度不明
picture-one-link = 全ファンクションで 1 本のリンクを共有

## チップセット、ブリッジ、カード

picture-chipset = チップセット
picture-intel-chipset = Intel { $name } チップセット
picture-pcie-switch = PCIe スイッチ
picture-pcie-port = PCIe ポート
picture-pci-bridge = PCI ブリッジ
picture-pci-device = PCI デバイス
picture-attached = { $what } に接続

## ディスク

picture-disk = ディスク
picture-hard-disk = ハードディスク
picture-ssd = SSD
picture-optical-drive = 光学ドライブ
picture-card = eMMC または SD カード
picture-loop-device = ループデバイス
picture-compressed-memory = 圧縮メモリ
picture-memory-as-disk = メモリディスク
picture-array = アレイ
picture-mapping = マッピング
picture-block-device = ブロックデバイス
picture-device-on-file = { $device }、ファイル { $file }

## ディスクの上にあるもの

picture-level = { $level }、{ $members } 台
picture-level-degraded = { $level }、{ $members } 台中 { $missing } 台が欠落
picture-swap = スワップ
picture-file-system = ファイルシステム
picture-on = { $what } の上に構成
picture-mounted = { $points } にマウント
picture-mounted-as = { $points } に { $system } をマウント

## ネットワーク

picture-network = ネットワーク
picture-network-of = { $bus } ネットワーク
picture-network-on-board = ボード内蔵ネットワーク
picture-driver = ドライバー { $driver }
picture-no-link = リンクなし
picture-half-duplex = 半二重
picture-interface-bond = ボンド
picture-interface-bridge = ブリッジ
picture-interface-ethernet = イーサネット
picture-interface-vlan = VLAN

## 図を文にしたもの

picture-said-more = { $first }; { $next }
picture-said-at = { $card } は { $above } に接続
picture-said-at-by = { $card } は { $above } に { $link } で接続
picture-said-out = ネットワーク側のリンク: { $link }
picture-said-on = その上に { $what }
picture-said-on-mounted = その上に { $what }、{ $mount }
picture-share-of = { $limit } の { $share }
