package snmp

import (
	"strings"

	"whydrop/devices"
)

// hostCPU is how busy the processors are: HOST-RESOURCES-MIB hrProcessorLoad (RFC 2790, 1.3.6.1.2.1.25.3.3.1.2, per cent
// of the last minute, by processor; many makers' switches have it too) or, of net-snmp without it, UCD-SNMP-MIB ssCpuIdle
// (1.3.6.1.4.1.2021.11.11, per cent). The mean of the processors counts; of PAN-OS, whose first is the management's and
// whose others are the data plane's, the busiest.
var hostCPU = Table{
	Name:    "hrProcessorTable",
	MIB:     "HOST-RESOURCES-MIB, RFC 2790; UCD-SNMP-MIB",
	Cadence: States,
	Roots:   []string{hrProcessorLoad, ssCPUIdle},
	Live:    []string{hrProcessorLoad, ssCPUIdle},
	Part:    "CPU",
	Fill: func(v View, r *devices.Reading) {
		var sum float64
		n := 0
		for _, c := range v.Rows(hrProcessorLoad) {
			p := percent(c)
			if !p.OK {
				continue
			}
			sum += p.Value
			n++
			if r.SysObjectID.OK && enterpriseOf(r.SysObjectID.Value) == enterprisePaloAlto {
				busier(&r.CPU, p)
			}
		}
		if n > 0 {
			busier(&r.CPU, devices.Some(sum/float64(n)))
		} else if idle := percent(v.Scalar(ssCPUIdle)); idle.OK && !r.CPU.OK {
			r.CPU = devices.Some(1 - idle.Value)
		}
	},
}

const (
	hrProcessorLoad = "1.3.6.1.2.1.25.3.3.1.2"
	ssCPUIdle       = "1.3.6.1.4.1.2021.11.11"
)

// hostMemory is how full the main memory is (HOST-RESOURCES-MIB hrStorageTable, RFC 2790, 1.3.6.1.2.1.25.2.3.1: Type 2,
// Descr 3, Size 5, Used 6, in units of the row). Linux counts buffers and caches as used and tells them in rows of their
// own; they are given back when needed and count as free here.
var hostMemory = Table{
	Name:    "hrStorageTable",
	MIB:     "HOST-RESOURCES-MIB, RFC 2790",
	Cadence: Slow,
	Roots:   []string{hrStorage + "2", hrStorage + "3", hrStorage + "4", hrStorage + "5", hrStorage + "6"},
	Part:    "Memory",
	Fill: func(v View, r *devices.Reading) {
		octets := func(column string, index []uint32) devices.Opt[uint64] {
			n, unit := v.At(hrStorage+column, index...).Wide(), v.At(hrStorage+"4", index...).Wide()
			if !n.OK || !unit.OK {
				return devices.None[uint64]()
			}
			return devices.Some(n.Value * unit.Value)
		}
		var caches uint64
		for _, c := range v.Rows(hrStorage + "3") {
			if t := strings.ToLower(c.Text()); t == "memory buffers" || t == "cached memory" {
				caches += octets("6", c.Index).Value
			}
		}
		for _, c := range v.Rows(hrStorage + "2") {
			if c.OID() != hrStorageRAM {
				continue
			}
			used := octets("6", c.Index)
			if used.OK && used.Value >= caches {
				used.Value -= caches
			}
			busier(&r.Memory, ratio(used, octets("5", c.Index)))
		}
	},
}

const (
	hrStorage    = "1.3.6.1.2.1.25.2.3.1."
	hrStorageRAM = "1.3.6.1.2.1.25.2.1.2"
)

// procurveCPU is the load of HP's and Aruba's ProCurve line: hpSwitchCpuStat of STATISTICS-MIB
// (1.3.6.1.4.1.11.2.14.11.5.1.9.6.1, scalar, per cent) and hpLocalMemTable of NETSWITCH-MIB
// (1.3.6.1.4.1.11.2.14.11.5.1.1.2.1.1.1: TotalBytes 5, AllocBytes 7).
var procurveCPU = Table{
	Name:    "hpSwitchCpuStat",
	MIB:     "STATISTICS-MIB (HP); NETSWITCH-MIB (HP)",
	Cadence: States,
	Vendors: []uint32{enterpriseHP},
	Roots:   []string{hpCPU, hpMemory + "5", hpMemory + "7"},
	Live:    []string{hpCPU},
	Part:    "CPU",
	Fill: func(v View, r *devices.Reading) {
		busier(&r.CPU, percent(v.Scalar(hpCPU)))
		for _, c := range v.Rows(hpMemory + "5") {
			busier(&r.Memory, ratio(v.At(hpMemory+"7", c.Index...).Wide(), c.Wide()))
		}
	},
}

const (
	hpCPU    = "1.3.6.1.4.1.11.2.14.11.5.1.9.6.1"
	hpMemory = "1.3.6.1.4.1.11.2.14.11.5.1.1.2.1.1.1."
)

// fillLoads reads the load of processors and their memory, both in per cent and by the same index; the busiest counts.
func fillLoads(cpu, memory string) func(View, *devices.Reading) {
	return func(v View, r *devices.Reading) {
		for _, c := range v.Rows(cpu) {
			busier(&r.CPU, percent(c))
			busier(&r.Memory, percent(v.At(memory, c.Index...)))
		}
	}
}

// huaweiCPU is the load of Huawei's boards (HUAWEI-ENTITY-EXTENT-MIB hwEntityStateTable, 1.3.6.1.4.1.2011.5.25.31.1.1.1.1,
// by entPhysicalIndex): CpuUsage 5, MemUsage 7, per cent, 0 for what is no board. The busiest counts.
var huaweiCPU = Table{
	Name:    "hwEntityStateTable",
	MIB:     "HUAWEI-ENTITY-EXTENT-MIB",
	Cadence: Slow,
	Vendors: []uint32{enterpriseHuawei},
	Roots:   []string{hwEntity + "5", hwEntity + "7"},
	Part:    "CPU",
	Fill:    fillLoads(hwEntity+"5", hwEntity+"7"),
}

const hwEntity = "1.3.6.1.4.1.2011.5.25.31.1.1.1.1."

// dellCPU is the load of Dell's OS 9 (DELL-NETWORKING-CHASSIS-MIB dellNetCpuUtilTable, 1.3.6.1.4.1.6027.3.26.1.4.4.1, by
// kind, number and processor): CpuUtil5Sec 1, MemUsage 6, per cent.
var dellCPU = Table{
	Name:    "dellNetCpuUtilTable",
	MIB:     "DELL-NETWORKING-CHASSIS-MIB",
	Cadence: States,
	Vendors: []uint32{enterpriseForce10},
	Roots:   []string{dellUtil + "1", dellUtil + "6"},
	Live:    []string{dellUtil + "1"},
	Part:    "CPU",
	Fill:    fillLoads(dellUtil+"1", dellUtil+"6"),
}

const dellUtil = "1.3.6.1.4.1.6027.3.26.1.4.4.1."

// comwareCPU is the load of boards of H3C's and HPE's Comware (HH3C-ENTITY-EXT-MIB hh3cEntityExtStateTable,
// 1.3.6.1.4.1.25506.2.6.1.1.1.1, by entPhysicalIndex): CpuUsage 6, MemUsage 8, per cent, 0 for what is no board.
var comwareCPU = Table{
	Name:    "hh3cEntityExtStateTable",
	MIB:     "HH3C-ENTITY-EXT-MIB",
	Unseen:  true,
	Cadence: Slow,
	Vendors: []uint32{enterpriseH3C},
	Roots:   []string{comwareUtil + "6", comwareUtil + "8"},
	Part:    "CPU",
	Fill:    fillLoads(comwareUtil+"6", comwareUtil+"8"),
}

const comwareUtil = "1.3.6.1.4.1.25506.2.6.1.1.1.1."

// foundryCPU is the load of Brocade's and Ruckus' IronWare and FastIron (FOUNDRY-SN-AGENT-MIB snAgentCpuUtilTable,
// 1.3.6.1.4.1.1991.1.1.2.11.1.1, by slot, processor and interval in s): CpuUtilPercent 5. The 5 s interval counts.
var foundryCPU = Table{
	Name:    "snAgentCpuUtilTable",
	MIB:     "FOUNDRY-SN-AGENT-MIB",
	Cadence: States,
	Vendors: []uint32{enterpriseFoundry},
	Roots:   []string{foundryUtil},
	Live:    []string{foundryUtil},
	LiveRow: func(_ View, index []uint32) bool { return fiveSeconds(index) },
	Part:    "CPU",
	Fill: func(v View, r *devices.Reading) {
		for _, c := range v.Rows(foundryUtil) {
			if fiveSeconds(c.Index) {
				busier(&r.CPU, percent(c))
			}
		}
	},
}

const foundryUtil = "1.3.6.1.4.1.1991.1.1.2.11.1.1.5"

func fiveSeconds(index []uint32) bool { return len(index) == 3 && index[2] == 5 }
