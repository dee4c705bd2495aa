## リソースの呼び名

resource-array = アレイ { $name }
resource-block = ディスク { $name }
resource-cgroup-cpu = コントロールグループの CPU クォータ
resource-cgroup-memory = コントロールグループのメモリ上限
resource-cpu = CPU { $name }
resource-cpus = 全 CPU
resource-cpus-some = CPU { $name }
resource-device = デバイス { $name }
resource-dmi = DMI
resource-filesystem = ファイルシステム { $name }
resource-load = 負荷
resource-memory = メモリ
resource-nic = ネットワークインターフェース { $name }
resource-pci = PCIe リンク { $name }
resource-sata = SATA リンク { $name }
resource-self = Headroom 自身
