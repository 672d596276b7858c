package capture

import (
	"encoding/binary"
	"net/netip"

	"golang.org/x/net/bpf"
)

// Protocol numbers (IANA): of the payload of an IP packet.
const (
	protoICMP     = 1
	protoTCP      = 6
	protoUDP      = 17
	protoFragment = 44
	protoICMPv6   = 58
)

// filter returns the kernel's filter: it keeps snap octets of packets to or from the far end, on one of the ports. It
// sees packets from their IP header on.
func filter(c Config) ([]bpf.RawInstruction, error) { return bpf.Assemble(program(c)) }

func program(c Config) []bpf.Instruction {
	var p assembler
	to := c.To.Unmap().WithZone("")
	p.load(0, 1)
	p.add(bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xf0})
	if to.Is4() {
		p.unless(0x40, "drop")
		p.ipv4(to, c.Ports)
	} else {
		p.unless(0x60, "drop")
		p.ipv6(to, c.Ports)
	}
	p.label("keep")
	p.add(bpf.RetConstant{Val: uint32(c.snap())})
	p.label("drop")
	p.add(bpf.RetConstant{})
	return p.resolve()
}

// ipv4 checks source (12) and destination (16), then the ports behind a header of variable length. Later fragments
// have none and are kept.
func (p *assembler) ipv4(to netip.Addr, ports []uint16) {
	a := to.As4()
	word := binary.BigEndian.Uint32(a[:])
	p.load(12, 4)
	p.when(word, "ours")
	p.load(16, 4)
	p.unless(word, "drop")
	p.label("ours")
	if len(ports) == 0 {
		p.jump("keep")
		return
	}
	p.load(9, 1)
	p.when(protoICMP, "keep")
	p.when(protoTCP, "ports")
	p.unless(protoUDP, "drop")
	p.label("ports")
	p.load(6, 2)
	p.whenAny(0x1fff, "keep")
	p.add(bpf.LoadMemShift{Off: 0})
	for _, off := range []uint32{0, 2} {
		p.add(bpf.LoadIndirect{Off: off, Size: 2})
		for _, port := range ports {
			p.when(uint32(port), "keep")
		}
	}
	p.jump("drop")
}

// ipv6 checks source (8) and destination (24), then the ports behind the fixed header. Fragments are kept whole.
func (p *assembler) ipv6(to netip.Addr, ports []uint16) {
	a := to.As16()
	same := func(off uint32, otherwise string) {
		for i := uint32(0); i < 16; i += 4 {
			p.load(off+i, 4)
			p.unless(binary.BigEndian.Uint32(a[i:]), otherwise)
		}
	}
	same(8, "not the source")
	p.jump("ours")
	p.label("not the source")
	same(24, "drop")
	p.label("ours")
	if len(ports) == 0 {
		p.jump("keep")
		return
	}
	p.load(6, 1)
	p.when(protoICMPv6, "keep")
	p.when(protoFragment, "keep")
	p.when(protoTCP, "ports")
	p.unless(protoUDP, "drop")
	p.label("ports")
	for _, off := range []uint32{40, 42} {
		p.load(off, 2)
		for _, port := range ports {
			p.when(uint32(port), "keep")
		}
	}
	p.jump("drop")
}

// assembler collects instructions whose jumps go to labels further on.
type assembler struct {
	code   []bpf.Instruction
	labels map[string]int
	jumps  []jump
}

type jump struct {
	at     int
	to     string
	onTrue bool
	always bool
}

func (p *assembler) add(i bpf.Instruction) { p.code = append(p.code, i) }

func (p *assembler) load(off uint32, size int) { p.add(bpf.LoadAbsolute{Off: off, Size: size}) }

func (p *assembler) label(name string) {
	if p.labels == nil {
		p.labels = map[string]int{}
	}
	p.labels[name] = len(p.code)
}

// when jumps if what was loaded is v, unless if it is not, whenAny if it has any of the bits.
func (p *assembler) when(v uint32, to string) { p.branch(bpf.JumpEqual, v, to, true) }

func (p *assembler) unless(v uint32, to string) { p.branch(bpf.JumpEqual, v, to, false) }

func (p *assembler) whenAny(v uint32, to string) { p.branch(bpf.JumpBitsSet, v, to, true) }

func (p *assembler) branch(cond bpf.JumpTest, v uint32, to string, onTrue bool) {
	p.jumps = append(p.jumps, jump{at: len(p.code), to: to, onTrue: onTrue})
	p.add(bpf.JumpIf{Cond: cond, Val: v})
}

func (p *assembler) jump(to string) {
	p.jumps = append(p.jumps, jump{at: len(p.code), to: to, always: true})
	p.add(bpf.Jump{})
}

func (p *assembler) resolve() []bpf.Instruction {
	for _, j := range p.jumps {
		skip := p.labels[j.to] - j.at - 1
		if j.always {
			p.code[j.at] = bpf.Jump{Skip: uint32(skip)}
			continue
		}
		i := p.code[j.at].(bpf.JumpIf)
		if j.onTrue {
			i.SkipTrue = uint8(skip)
		} else {
			i.SkipFalse = uint8(skip)
		}
		p.code[j.at] = i
	}
	return p.code
}
