# What observers saw.

verdict-host-queue = the queue before { $resource }
verdict-device-pushes-back = { $resource } takes no more
conclusion-host-queue = the queue in the host before { $resource } is the limit: { $rate }{ conclusion-where }{ conclusion-then }
conclusion-device-pushes-back = { $resource } is the limit, and takes no more: { $rate }{ conclusion-where }{ conclusion-then }
