package cisco_ios

import (
	"strconv"
	"strings"

	"whydrop/devices"
)

// speedDuplex reads the line with duplex, speed and media type, and says whether it was one:
//
//	Full-duplex, 1000Mb/s, media type is 10/100/1000BaseTX
//	Auto Duplex, Auto Speed, link type is auto, media type is RJ45
func (p *Port) speedDuplex(line string) bool {
	first, rest, ok := strings.Cut(line, ",")
	if !ok || !strings.Contains(first, "uplex") && first != "Unknown" || strings.IndexByte(first, ':') >= 0 {
		return false
	}
	switch lower := strings.ToLower(first); {
	case strings.Contains(lower, "full"):
		set(&p.Interface.Duplex, "full")
	case strings.Contains(lower, "half"):
		set(&p.Interface.Duplex, "half")
	}
	for n := 0; rest != ""; n++ {
		var part string
		part, rest, _ = strings.Cut(rest, ",")
		part = strings.TrimSpace(part)
		switch media, ok := strings.CutPrefix(part, "media type is"); {
		case ok:
			p.media(strings.TrimSpace(media))
		case n == 0:
			if v, ok := rate(part); ok && !p.Interface.Speed.OK {
				p.Interface.Speed = devices.Some(uint64(v))
			}
		case strings.Contains(part, "Base"):
			p.media(part)
		}
	}
	return true
}

func (p *Port) media(s string) {
	if s != "" && p.Extra.Media == "" {
		p.Extra.Media = s
	}
}

// set gives a value that was not given yet.
func set[T any](o *devices.Opt[T], v T) {
	if !o.OK {
		*o = devices.Some(v)
	}
}

// rate reads a speed or a rate: a number and a unit of bits per second, of which the forms are many: 1000Mb/s,
// 10Gb/s, 1000Mbps, 100 Mb/s, 2000 bits/sec, 915.73 mega-bits/sec. What has no unit that is known is none.
func rate(s string) (bits float64, ok bool) {
	i := strings.IndexFunc(s, func(r rune) bool { return r >= '0' && r <= '9' })
	if i < 0 {
		return 0, false
	}
	v, unit, ok := decimal(s[i:])
	if !ok {
		return 0, false
	}
	unit = strings.ToLower(strings.TrimSpace(unit))
	unit, _, _ = strings.Cut(unit, " ")
	scale, ok := bitUnits[strings.Trim(unit, ")")]
	return v * scale, ok
}

var bitUnits = map[string]float64{
	"b/s": 1, "bps": 1, "bit/s": 1, "bits/sec": 1, "bits/s": 1,
	"kb/s": 1e3, "kbps": 1e3, "kbit": 1e3, "kbit/sec": 1e3, "kbit/s": 1e3, "kilo-bits/sec": 1e3, "kbits/sec": 1e3,
	"mb/s": 1e6, "mbps": 1e6, "mbit/s": 1e6, "mega-bits/sec": 1e6, "mbits/sec": 1e6,
	"gb/s": 1e9, "gbps": 1e9, "gbit/s": 1e9, "giga-bits/sec": 1e9, "gbits/sec": 1e9,
}

var packetUnits = map[string]float64{
	"packets/sec": 1, "packets/s": 1, "pps": 1, "pkts/sec": 1, "kpps": 1e3, "mpps": 1e6,
}

// decimal reads a number with or without a fraction and with or without commas between thousands.
func decimal(s string) (v float64, rest string, ok bool) {
	n, rest, ok := number(s)
	if !ok || !n.OK {
		return 0, s, false
	}
	v = float64(n.Value.Value)
	if len(rest) < 2 || rest[0] != '.' || !isDigit(rest[1]) {
		return v, rest, true
	}
	j := 1
	for j < len(rest) && isDigit(rest[j]) {
		j++
	}
	f, err := strconv.ParseFloat("0"+rest[:j], 64)
	return v + f, rest[j:], err == nil
}

// offers sets what speed the hardware offers: by the media type, else by the hardware, else by the port's name.
// A figure below the negotiated speed is not believed.
func (p *Port) offers() {
	most, ok := mediaSpeed(p.Extra.Media)
	if !ok {
		most, ok = hardwareSpeed(p.Extra.Hardware)
	}
	if !ok {
		o := devices.PortOffers(p.Interface.Name)
		most, ok = o.Value, o.OK
	}
	if ok && most >= p.Interface.Speed.Value {
		p.Interface.SpeedMax = devices.Some(most)
	}
}

// mediaSpeed returns the highest speed in a media type: 10/100/1000BaseTX, 100/1G/2.5G/5G/10GBaseTX, SFP-10GBase-SR.
func mediaSpeed(s string) (most uint64, ok bool) {
	end := strings.Index(strings.ToLower(s), "base")
	if end <= 0 {
		return 0, false
	}
	from := end
	for from > 0 && (isDigit(s[from-1]) || strings.IndexByte("/.Gg", s[from-1]) >= 0) {
		from--
	}
	for part := range strings.SplitSeq(s[from:end], "/") {
		scale := 1e6
		if n := len(part); n > 0 && (part[n-1] == 'G' || part[n-1] == 'g') {
			part, scale = part[:n-1], 1e9
		}
		v, err := strconv.ParseFloat(part, 64)
		if err == nil && v > 0 && v*scale <= maxSpeed {
			most, ok = max(most, uint64(v*scale)), true
		}
	}
	return most, ok
}

// maxSpeed is more than any single port offers (800 Gbit/s in IEEE 802.3df): what is above was no speed.
const maxSpeed = 1.6e12

// hardwareSpeeds lists what the words of "Hardware is" say about the speed.
var hardwareSpeeds = []struct {
	words string
	speed uint64
}{
	{"four hundred gigabit", 400e9},
	{"two hundred gigabit", 200e9},
	{"hundred gigabit", 100e9},
	{"fifty gigabit", 50e9},
	{"forty gigabit", 40e9},
	{"twenty five gigabit", 25e9},
	{"ten gigabit", 10e9},
	{"five gigabit", 5e9},
	{"gigabit ethernet", 1e9},
	{"gigabitethernet", 1e9},
	{"igbe", 1e9},
	{"fast ethernet", 100e6},
	{"fastethernet", 100e6},
}

func hardwareSpeed(s string) (uint64, bool) {
	lower := strings.ToLower(s)
	for _, h := range hardwareSpeeds {
		if strings.Contains(lower, h.words) {
			return h.speed, true
		}
	}
	return 0, false
}
