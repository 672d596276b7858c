package host

import (
	"bytes"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ethtool asks a card's driver (SIOCETHTOOL). What a driver does not tell is left zero.
type ethtool struct {
	fd       int
	features map[string][]string // the kernel's names of offloads, by card
}

func openEthtool() (*ethtool, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return &ethtool{fd: fd, features: map[string][]string{}}, nil
}

func (e *ethtool) close() { unix.Close(e.fd) }

// setup returns how the card is set up.
func (e *ethtool) setup(name string) Setup {
	var s Setup
	if d, err := unix.IoctlGetEthtoolDrvinfo(e.fd, name); err == nil {
		s.Driver = text(d.Driver[:])
	}
	s.SpeedBits, s.Duplex = e.speed(name)
	s.On, s.Off = e.offloads(name)
	return s
}

// call carries out one command of ethtool, whose number stands at the head of data.
func (e *ethtool) call(name string, data []byte) error {
	var req struct {
		name [unix.IFNAMSIZ]byte
		data unsafe.Pointer
		_    [16]byte // struct ifreq is longer
	}
	copy(req.name[:unix.IFNAMSIZ-1], name)
	req.data = unsafe.Pointer(&data[0])
	if _, _, no := unix.Syscall(unix.SYS_IOCTL, uintptr(e.fd), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&req))); no != 0 {
		return no
	}
	return nil
}

// speed asks by ETHTOOL_GLINKSETTINGS (struct ethtool_link_settings: the speed at 4, the duplex at 8, the number of
// words of its masks at 15). The first call says how many words there are.
func (e *ethtool) speed(name string) (bits float64, duplex string) {
	const fixed, words = 48, 15
	b := make([]byte, fixed+3*4*127)
	native.PutUint32(b, unix.ETHTOOL_GLINKSETTINGS)
	if err := e.call(name, b); err != nil {
		return 0, ""
	}
	n := -int8(b[words])
	if n <= 0 {
		return 0, ""
	}
	clear(b)
	native.PutUint32(b, unix.ETHTOOL_GLINKSETTINGS)
	b[words] = byte(n)
	if err := e.call(name, b); err != nil {
		return 0, ""
	}
	const unknown = 1<<32 - 1 // SPEED_UNKNOWN
	if mbit := native.Uint32(b[4:]); mbit != unknown && mbit != 0 {
		bits = float64(mbit) * 1e6
	}
	switch b[8] {
	case 0:
		duplex = "half"
	case 1:
		duplex = "full"
	}
	if bits == 0 {
		duplex = "" // the link is down
	}
	return bits, duplex
}

// offloads returns those of shortNames that are on and those that are off, in the order of that list. What the card
// does not know is in neither.
func (e *ethtool) offloads(name string) (on, off []string) {
	names, ok := e.features[name]
	if !ok {
		names = e.featureNames(name)
		e.features[name] = names
	}
	if len(names) == 0 {
		return nil, nil
	}
	// struct ethtool_gfeatures: a head of 8 bytes, then four words for each 32 features, of which the third says
	// what is active.
	blocks := (len(names) + 31) / 32
	b := make([]byte, 8+16*blocks)
	native.PutUint32(b, unix.ETHTOOL_GFEATURES)
	native.PutUint32(b[4:], uint32(blocks))
	if err := e.call(name, b); err != nil {
		return nil, nil
	}
	for _, f := range shortNames {
		i := slices.Index(names, f.kernel)
		if i < 0 {
			continue
		}
		active := native.Uint32(b[8+16*(i/32)+8:])
		if active>>(i%32)&1 == 1 {
			on = append(on, f.short)
		} else {
			off = append(off, f.short)
		}
	}
	return on, off
}

// featureNames returns the kernel's names of offloads in the order of their bits.
func (e *ethtool) featureNames(name string) []string {
	const set = 4 // ETH_SS_FEATURES
	// struct ethtool_sset_info: command, reserved, a mask of 64 bits, then the sizes.
	info := make([]byte, 20)
	native.PutUint32(info, unix.ETHTOOL_GSSET_INFO)
	native.PutUint64(info[8:], 1<<set)
	if err := e.call(name, info); err != nil || native.Uint64(info[8:]) == 0 {
		return nil
	}
	n := native.Uint32(info[16:])
	if n == 0 || n > 1024 {
		return nil
	}
	// struct ethtool_gstrings: command, set, length, then strings of 32 bytes.
	const size = 32
	b := make([]byte, 12+size*n)
	native.PutUint32(b, unix.ETHTOOL_GSTRINGS)
	native.PutUint32(b[4:], set)
	native.PutUint32(b[8:], n)
	if err := e.call(name, b); err != nil {
		return nil
	}
	var names []string
	for i := range int(n) {
		s := b[12+size*i:][:size]
		if j := bytes.IndexByte(s, 0); j >= 0 {
			s = s[:j]
		}
		names = append(names, string(s))
	}
	return names
}
