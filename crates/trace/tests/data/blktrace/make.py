#!/usr/bin/env python3
"""Makes made.blktrace.0 and .1 as the kernel would, from the list below. made.txt is what
blkparse 1.2.0 prints of them: `blkparse -i made -o made.txt`."""
import struct

READ, WRITE, FLUSH, SYNC, QUEUE, REQUEUE, ISSUE, COMPLETE, FS = (1 << 16 + n for n in range(9))
COMMAND, NOTE, AHEAD, META, DISCARD, FUA = (1 << 16 + n for n in (9, 10, 11, 12, 13, 15))
DISK, PARTITION = 254 << 20, 254 << 20 | 1
NAMES = {331: b"dd", 87: b"kworker/1:1H", 412: b"fifteen letters"}
ACTIONS = {
    "Q": 1 | QUEUE, "M": 2 | QUEUE, "F": 3 | QUEUE, "G": 4 | QUEUE, "R": 6 | REQUEUE | FS,
    "D": 7 | ISSUE | FS, "C": 8 | COMPLETE | FS, "P": 9 | QUEUE, "U": 10 | QUEUE,
    "I": 12 | QUEUE | FS, "X": 13, "A": 15 | QUEUE,
    # Of a command that a program sends itself.
    "I of command": 12 | QUEUE | COMMAND, "D of command": 7 | ISSUE | COMMAND,
    "R of command": 6 | REQUEUE | COMMAND, "C of command": 8 | COMPLETE | COMMAND,
}
# Time, CPU, action, what, sector, bytes, thread, error, what is behind.
EVENTS = [
    (1000, 0, "P", READ, 0, 0, 331, 0, b""),
    (1500, 0, "A", WRITE | SYNC, 4096, 8192, 331, 0, struct.pack(">IIQ", PARTITION, DISK, 2048)),
    (2000, 0, "Q", WRITE | SYNC, 4096, 8192, 331, 0, b""),
    (2100, 0, "G", WRITE | SYNC, 4096, 8192, 331, 0, b""),
    (2300, 0, "Q", WRITE | SYNC, 4112, 4096, 331, 0, b""),
    (2400, 0, "M", WRITE | SYNC, 4112, 4096, 331, 0, b""),
    (2500, 0, "Q", WRITE | SYNC, 4088, 4096, 331, 0, b""),
    (2600, 0, "F", WRITE | SYNC, 4088, 4096, 331, 0, b""),
    (2700, 0, "U", READ, 0, 0, 331, 0, struct.pack(">Q", 1)),
    (2800, 0, "I", WRITE | SYNC, 4088, 16384, 331, 0, b""),
    (2900, 1, "D", WRITE | SYNC, 4088, 16384, 87, 0, b""),
    (3000, 1, "R", WRITE | SYNC, 4088, 16384, 87, 0, b""),
    (3100, 1, "D", WRITE | SYNC, 4088, 16384, 87, 0, b""),
    (900000, 1, "C", WRITE | SYNC, 4088, 16384, 0, 0, b""),
    (1000000, 1, "Q", READ | AHEAD, 10_000_000_000, 131072, 412, 0, b""),
    (1000100, 1, "X", READ | AHEAD, 10_000_000_000, 65536, 412, 0, struct.pack(">Q", 70_000)),
    (1000200, 1, "G", READ | AHEAD, 10_000_000_000, 65536, 412, 0, b""),
    (1000300, 1, "D", READ | AHEAD, 10_000_000_000, 65536, 412, 0, b""),
    (2000000, 0, "Q", WRITE | FLUSH | FUA | SYNC | META, 8, 4096, 331, 0, b""),
    (2000100, 0, "D", READ | FLUSH, 0, 0, 331, 0, b""),
    (2900000, 0, "C", READ | FLUSH, 0, 0, 331, 0, b""),
    (2900100, 0, "D", WRITE | FUA | SYNC | META, 8, 4096, 331, 0, b""),
    (3900100, 0, "C", WRITE | FUA | SYNC | META, 8, 4096, 0, -5, b""),
    (5000000, 1, "Q", WRITE | DISCARD, 1 << 20, 1 << 30, 87, 0, b""),
    (5000100, 1, "D", WRITE | DISCARD, 1 << 20, 1 << 30, 87, 0, b""),
    (3_005_000_100, 1, "C", WRITE | DISCARD, 1 << 20, 1 << 30, 87, 0, b""),
    (3_005_000_200, 0, "Q", WRITE | FLUSH, 0, 0, 331, 0, b""),
    (3_005_000_300, 0, "C", WRITE | FLUSH, 0, 0, 331, 0, b""),
    (3_005_000_400, 0, "I of command", READ, 0, 2048, 331, 0, b""),
    (3_005_000_500, 0, "D of command", READ, 0, 2048, 331, 0, b""),
    (3_005_000_600, 0, "R of command", READ, 0, 2048, 331, 0, b""),
    (3_005_000_700, 0, "D of command", READ, 0, 2048, 331, 0, b""),
    (3_005_000_800, 0, "C of command", READ, 0, 0, 0, 0, b""),
]

begin = 5_000_000_000_123
numbers, known = {}, set()
files = [open(f"made.blktrace.{cpu}", "wb") for cpu in range(2)]


def put(cpu, sequence, time, sector, size, action, pid, error, behind):
    files[cpu].write(struct.pack(
        "<IIQQIIIIIHH", 0x65617407, sequence, time, sector, size, action, pid, DISK, cpu,
        error & 0xFFFF, len(behind)) + behind)


put(0, 0, begin, 0, 0, NOTE | 1, 0, 0, struct.pack("<II", 1_700_000_000, 250_000_000))
for time, cpu, action, what, sector, size, pid, error, behind in EVENTS:
    time += begin
    if pid in NAMES and pid not in known:
        known.add(pid)
        put(cpu, 0, time, 0, 0, NOTE, pid, 0, NAMES[pid].ljust(16, b"\0"))
    numbers[cpu] = numbers.get(cpu, 0) + 1
    put(cpu, numbers[cpu], time, sector, size, ACTIONS[action] | what, pid, error, behind)
