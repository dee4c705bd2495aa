# What was written to drives.

wear-title = Written to drives
wear-question = Life of the drive
wear-answer = { $share } of { $drive }: { $written } of the { $life } that may be written to it
wear-drive = drive
wear-written = written
wear-life = may be written in its life
wear-share = share
wear-source = source
wear-at-least = at least { $written }
wear-little = less than 0.1 %
wear-said = as the study says
wear-sheet = datasheet of { $sheet }
wear-read = The kernel counted this from the look before the run to the one after it: with files that were made ready, warm-ups, and what other programs wrote meanwhile.
wear-unknown = How much may be written to such a drive is not known here; `--endurance 300TB` says what its maker promises (TBW).
