package snmp

import (
	"strings"

	"whydrop/devices"
)

// ciscoCPU is how busy the control plane is (CISCO-PROCESS-MIB cpmCPUTotalTable, 1.3.6.1.4.1.9.9.109.1.1.1.1, by
// processor): cpmCPUTotal5secRev 6 and cpmCPUInterruptMonIntervalValue 11, per cent. The busiest processor counts.
var ciscoCPU = Table{
	Name:    "cpmCPUTotalTable",
	MIB:     "CISCO-PROCESS-MIB",
	Cadence: States,
	Vendors: []uint32{enterpriseCisco},
	Roots:   []string{cpmBusy, cpmInterrupt},
	Live:    []string{cpmBusy, cpmInterrupt},
	Part:    "CPU",
	Fill: func(v View, r *devices.Reading) {
		for _, c := range v.Rows(cpmBusy) {
			busier(&r.CPU, percent(c))
		}
		for _, c := range v.Rows(cpmInterrupt) {
			busier(&r.Interrupt, percent(c))
		}
	},
}

const (
	cpmBusy      = "1.3.6.1.4.1.9.9.109.1.1.1.1.6"
	cpmInterrupt = "1.3.6.1.4.1.9.9.109.1.1.1.1.11"
)

// ciscoMemory is how full the processor's memory is, in octets (CISCO-MEMORY-POOL-MIB ciscoMemoryPoolTable,
// 1.3.6.1.4.1.9.9.48.1.1.1: Name 2, Used 5, Free 6, Gauge32).
var ciscoMemory = Table{
	Name:    "ciscoMemoryPoolTable",
	MIB:     "CISCO-MEMORY-POOL-MIB",
	Cadence: Slow,
	Vendors: []uint32{enterpriseCisco},
	Roots:   []string{memoryPool + "2", memoryPool + "5", memoryPool + "6"},
	Part:    "Memory",
	Fill: func(v View, r *devices.Reading) {
		for _, c := range v.Rows(memoryPool + "2") {
			if processorPool(c.Text()) {
				fuller(&r.Memory, v.At(memoryPool+"5", c.Index...).Wide(), v.At(memoryPool+"6", c.Index...).Wide())
			}
		}
	},
}

const memoryPool = "1.3.6.1.4.1.9.9.48.1.1.1."

// processorPool says whether a pool of memory is the control plane's own: I/O and driver pools are filled on purpose.
func processorPool(name string) bool {
	n := strings.ToLower(name)
	return strings.HasPrefix(n, "processor") || strings.HasPrefix(n, "system memory") || strings.HasPrefix(n, "reserve processor")
}

// ciscoMemory64 is the same of newer systems (CISCO-ENHANCED-MEMPOOL-MIB cempMemPoolTable, 1.3.6.1.4.1.9.9.221.1.1.1.1, by
// entPhysicalIndex and pool): Name 3, Used 7, Free 8 (Gauge32), HCUsed 18, HCFree 20 (64 bits), octets.
var ciscoMemory64 = Table{
	Name:    "cempMemPoolTable",
	MIB:     "CISCO-ENHANCED-MEMPOOL-MIB",
	Cadence: Slow,
	Vendors: []uint32{enterpriseCisco},
	Roots:   []string{cempPool + "3", cempPool + "7", cempPool + "8", cempPool + "18", cempPool + "20"},
	Part:    "Memory",
	Fill: func(v View, r *devices.Reading) {
		for _, c := range v.Rows(cempPool + "3") {
			if !processorPool(c.Text()) {
				continue
			}
			used, free := v.At(cempPool+"18", c.Index...).Wide(), v.At(cempPool+"20", c.Index...).Wide()
			if !used.OK || !free.OK {
				used, free = v.At(cempPool+"7", c.Index...).Wide(), v.At(cempPool+"8", c.Index...).Wide()
			}
			fuller(&r.Memory, used, free)
		}
	},
}

const cempPool = "1.3.6.1.4.1.9.9.221.1.1.1.1."
