## Resources, as people call them

resource-array = array { $name }
resource-block = disk { $name }
resource-cgroup-cpu = CPU quota of the control group
resource-cgroup-memory = memory limit of the control group
resource-cpu = CPU { $name }
resource-cpus = all CPUs
resource-cpus-some = CPUs { $name }
resource-device = device { $name }
resource-dmi = DMI link
resource-filesystem = file system { $name }
resource-load = the load
resource-memory = memory
resource-nic = network interface { $name }
resource-pci = PCIe link { $name }
resource-sata = SATA link { $name }
resource-self = Headroom itself
