### What is usual for the class of a part.

## Classes

class-of-ethernet-10g = 10 Gbit/s イーサネットリンク
class-of-ethernet-1g = 1 Gbit/s イーサネットリンク
class-of-nvme-gen3 = PCIe 3.0 x4 の NVMe SSD
class-of-nvme-gen4 = PCIe 4.0 x4 の NVMe SSD
class-of-sata-ssd = SATA SSD

## Beside a figure

class-question = 良い値か
class-usual = { $class } としては普通です（同じ種類: { $range }）
class-less = { $class } としては普通より低い値です（同じ種類: { $range }）
class-more = { $class } としては普通より高い値です（同じ種類: { $range }）
class-cannot-tell = { $class } の普通の範囲から外れていますが（同じ種類: { $range }）、試行のばらつきが大きく確かではありません

## Where ranges are from

class-source = { $class }、{ $of }: { $value }、{ $kind }（{ $how }）。{ $publication }
class-measured = 測定値
class-promised = メーカーが約束した値

## The report

class-title = { $run }: 部品の普通の値との比較
class-footer = Headroom { $version } が作成。
class-none = 参考値なし
class-none-no-part = ディスクもネットワークインターフェースも駆動しません
class-none-several = 複数の部品、またはその上にあるものを駆動します
class-none-guest = このマシンはゲストで、部品の背後に何があるかわかりません
class-none-unknown = 部品がわからないか、このような部品の数値は収録されていません
class-none-other-work = { $class } について、このような作業の数値は収録されていません
class-none-no-figure = { $class } について収録されている数値がこのケースにはありません
class-none-doubted = この値は部品の値ではないという検出事項があります
class-none-other-class = { $class } という種類の部品を駆動しません
class-own = 同様のマシンで同じ作業をした保存済みの実行 { $runs } 回: { $range }
class-sources-title = 範囲の出典
class-method = 範囲は、このような部品について同様の作業（方向、順序、操作の大きさ、同時数が同じ作業）で公開された値の最小と最大です。上限でも約束でもありません。同様のマシンとは、プロセッサが同じで、ディスクが同じか、インターフェースの速度が同じマシンです。
