# What built-in studies are for.

study-nvme-database-title = NVMe SSD とその上のデータベース
study-nvme-database-question = この SSD はデータシートどおりの性能を出しますか? それはデータベースにとってどれほどの価値がありますか?

study-server-baseline-purpose = このサーバーの後の値、別のサーバーの値、古い sysbench の報告と比べるための値です。同じ作業を同じパラメーターで行います。
study-dd-purpose = 同期しない dd が測るのはメモリです。その隣の値は、すべてがデバイスに載るまでの時間です。
study-disk-datasheet-purpose = ドライブをメーカーの約束と比べ、どのブロックサイズと深さから限界に達するかを知るためです。
study-eight-disks-purpose = 安いコントローラー、そのブリッジ、そのスロットは、後ろにあるディスクより少ししか運べないことがあります。
study-fileio-purpose = 以前に sysbench fileio で測った値と比べるためです。ファイル、ブロック、スレッド、読み書きの割合が同じです。
study-nvme-purpose = 64 スレッドで深さ 512 の測定が測るのはキューの長さです。並べて置いた他の深さは、ドライブがどこで限界に達するかを示します。
study-nvme-database-purpose = データシートの値はドライブのものであり、毎秒のトランザクションはそこから読み取れません。両方を一枚に並べ、同じ負荷を別のサーバーでも測れます。
study-ssd-behind-10gbe-purpose = ダウンロードはページキャッシュが受け取る間は速く、その後はディスクの速さになります。どの値もそのどちらであるかを示し、単位はすべて同じ体系です。
study-ssd-steady-state-purpose = 新品の、または TRIM された SSD は、使われているときより速いものです。二度書き潰してから、各負荷を五回のラウンドが安定するまで繰り返します。
study-ten-gigabit-purpose = iperf に打ち込む行に、両端の CPU、実際に与えられたウィンドウ、何が妨げたかを添えたものです。
study-two-paths-purpose = 変更（スイッチ、ケーブル、ボンディング）の前と後に、誰でも、一年後でも行うためのものです。各経路がメッセージサイズごとに出す値、飽和点、両端がそれに費やすものを示します。

study-raid6-backup-target-title = バックアップ先としての 8 台のディスク
study-raid6-backup-target-question = このマシンは 300 MB/s のバックアップ先として使えますか?
study-raid6-backup-target-purpose = 安いカードはディスクの速さをすべて転送できないことがあり、パリティ、暗号化、ボリューム、ファイルシステムもそれぞれ速度を下げます。各層を同じ負荷で測り、どの層でどれだけ遅くなり、必要な速さに対してどれだけ余裕が残るかを示します。
study-storage-layers-title = ストレージの各層のコスト
study-storage-layers-question = このストレージスタックでは、どの層でどれだけ遅くなり、そこで何が飽和していますか?
study-storage-layers-purpose = 一つの層が、シーケンシャルな負荷では何のコストもなく、小さな書き込みでは半分を失わせることがあります。そこで各層を同じ負荷で測ります: シーケンシャル、1 つずつおよび深いキューでのランダム、ディスクを待つ書き込みです。
study-disk-places-title = 最初のバイトから最後のバイトまでのディスク
study-disk-places-question = ディスクは終わりでも始まりと同じ速さですか? 同じディスクは同じ速さですか?
study-disk-places-purpose = ハードディスク全体の平均は、速い外周と遅い内周を混ぜたものです。SSD の始めの部分の平均は、そのキャッシュの速さかもしれません。アレイでは最も遅いディスクが全体の速さを決めます。
study-fit-etcd-title = etcd メンバーのディスク
study-fit-etcd-question = このディスクは etcd に適していますか?
study-fit-etcd-purpose = etcd はログの項目ごとにディスクを待ちます。平均は速くても百回に一回遅いディスクは、クラスターのリーダーを失わせます。
study-fit-postgres-title = PostgreSQL のためのマシン
study-fit-postgres-question = このマシンは PostgreSQL に適していますか?
study-fit-postgres-purpose = コミットはログを、ログはディスクを待ち、メモリーにないページを読む問い合わせはランダム読み取りを待ちます。それぞれをデータベースに必要な値と比べます。
study-fit-mysql-title = MySQL や MariaDB のためのマシン
study-fit-mysql-question = このマシンは MySQL や MariaDB に適していますか?
study-fit-mysql-purpose = コミットは REDO ログを、ログはディスクを待ち、バッファープールにないページを読む問い合わせはランダム読み取りを待ちます。それぞれをデータベースに必要な値と比べます。
study-fit-backup-target-title = バックアップ先
study-fit-backup-target-question = このバックアップ先は、バックアップが届く速さで受け取れますか?
study-fit-backup-target-purpose = 朝までに終わらないバックアップは一日の妨げになります。最初の数ギガバイトはキャッシュに入るので、大切なのはバックアップ全体の速さです。
study-fit-video-recorder-title = 録画装置のディスク
study-fit-video-recorder-question = このディスクは、遅れる書き込みなしにすべてのカメラを録画できますか?
study-fit-video-recorder-purpose = 書き込みが遅れる録画装置は映像を失います。カメラごとに映像を毎秒一回、それぞれの位置に書くので、毎秒の操作数がカメラの台数です。まず今ある台数で、次にディスクが受け取れるだけ書きます。
study-burn-in-title = バーンイン
study-burn-in-question = このマシンのすべての部分は負荷の下でエラーなく動作しますか?
study-burn-in-purpose = 初めから不良の部分、差し込みの悪い部分、熱くなりすぎる部分は、すべてが同時に働くときに現れます。誤ったデータ、メモリーやリンクやドライブが数えるエラー、スロットリングからわかります。
