# The second program of the guest, in the host's root: mounts what a machine
# has, runs the command with its output in the shared folder, and powers off.
share=/headroom-guest
mount -t sysfs sysfs /sys
mount -t tmpfs tmpfs /run
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t debugfs debugfs /sys/kernel/debug
mount -t tracefs tracefs /sys/kernel/tracing
mount -t cgroup2 cgroup2 /sys/fs/cgroup
# Modules, to us and to the kernel when it wants one.
mkdir -p /lib/modules
ln -sfn "$(cat $share/modules)" "/lib/modules/$(uname -r)"
modprobe configfs && mount -t configfs configfs /sys/kernel/config
ip link set lo up
echo guest >/proc/sys/kernel/hostname
# Nobody here makes device nodes; the device mapper's tools then do.
export DM_DISABLE_UDEV=1
# Whoever started the guest may be gone.
(
    sleep "$(cat $share/timeout)"
    echo o >/proc/sysrq-trigger
) </dev/null >/dev/null 2>&1 &

: >$share/up
sh $share/command </dev/null >>$share/stdout 2>>$share/stderr
echo $? >$share/status.new
mv $share/status.new $share/status
echo o >/proc/sysrq-trigger
# The power goes off behind our back; were this to end, the kernel would panic.
sleep 60
