#!/bin/busybox sh
# The first program of the guest: makes the host's root the guest's own, below a
# layer of memory that takes all that is written, and goes on there.
b=/bin/busybox

end() {
    echo "guest: $1" >/dev/console
    $b poweroff -f
}

$b mkdir -p /dev /proc /host /layer /root
$b mount -t devtmpfs dev /dev
$b mount -t proc proc /proc
while read -r module; do
    $b insmod "/modules/$module" || end "the module $module cannot be loaded"
done </modules/order

# The host's files are kept in memory once read (cache=loose): nobody changes
# them while the guest runs. Tests beside it make and remove files of their own,
# which nothing in the guest looks at.
options=trans=virtio,version=9p2000.L,msize=512000
$b mount -t 9p -o "$options,ro,cache=loose" host /host || end "the host's root cannot be mounted"
$b mount -t tmpfs -o size=75% layer /layer
$b mkdir /layer/upper /layer/work
$b mount -t overlay -o lowerdir=/host,upperdir=/layer/upper,workdir=/layer/work root /root ||
    end "no layer can be laid over the host's root"
$b mkdir -p /root/headroom-guest
$b mount -t 9p -o "$options" share /root/headroom-guest || end "the shared folder cannot be mounted"
$b mount --move /dev /root/dev
$b mount --move /proc /root/proc
exec $b switch_root /root /bin/sh /headroom-guest/start
