package cisco_ios

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/text"
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
		text.Set(&p.Interface.Duplex, "full")
	case strings.Contains(lower, "half"):
		text.Set(&p.Interface.Duplex, "half")
	}
	if first != "Unknown" {
		p.fact("duplex", first)
	}
	for n := 0; rest != ""; n++ {
		var part string
		part, rest, _ = strings.Cut(rest, ",")
		part = strings.TrimSpace(part)
		switch media, ok := strings.CutPrefix(part, "media type is"); {
		case ok:
			p.media(strings.TrimSpace(media))
		case strings.HasPrefix(part, "link type is "):
			p.fact("link_type", part[len("link type is "):])
			text.Set(&p.Interface.Autoneg, strings.HasSuffix(part, "auto"))
		case n == 0:
			if part != "Unknown" {
				p.fact("speed", part)
			}
			if v, ok := text.Rate(part); ok && !p.Interface.Speed.OK {
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

// offers sets what speed the hardware offers: by the media type, else by the hardware, else by the port's name.
// A figure below the negotiated speed is not believed.
func (p *Port) offers() {
	most, ok := text.MediaSpeed(p.Extra.Media)
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
