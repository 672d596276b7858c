package cisco_ios

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/text"
)

// ShowPolicyMap reads the classes of "show policy-map interface": packets that a queue dropped, or a policer.
func ShowPolicyMap(output string, r *devices.Reading) {
	s := policies{r: r}
	if r.Queues == nil {
		r.Queues = []devices.Queue{}
	}
	for line := range text.Each(output) {
		if line != "" {
			s.line(line)
		}
	}
}

// policies is where in the output the lines are.
type policies struct {
	r                *devices.Reading
	port, way, class string
	policer          bool
}

func (s *policies) line(line string) {
	switch {
	case isPortName(firstField(line)) && !strings.Contains(line, " "):
		s.port = line
	case strings.HasPrefix(line, "Service-policy input"):
		s.way = "in"
	case strings.HasPrefix(line, "Service-policy output"):
		s.way = "out"
	case strings.HasPrefix(line, "Class-map: "):
		s.class, s.policer = firstField(line[len("Class-map: "):]), false
	case strings.HasPrefix(line, "police:"), strings.HasPrefix(line, "police "):
		s.policer = true
	case strings.HasPrefix(line, "(queue depth/total drops/no-buffer drops) "):
		f := strings.Split(line[len("(queue depth/total drops/no-buffer drops) "):], "/")
		if len(f) > 1 {
			s.add("queue", text.Count(f[1]))
		}
	case strings.HasPrefix(line, "(total drops) "):
		s.add("queue", text.Count(line[len("(total drops) "):]))
	case s.policer && (strings.HasPrefix(line, "exceeded ") || strings.HasPrefix(line, "violated ")):
		// exceeded 5 packets, 640 bytes; actions: drop
		if n, _, ok := text.Number(line[len("exceeded "):]); ok && n.OK && strings.Contains(line, " packets") {
			s.add("policer", n)
		}
	}
}

func firstField(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), " ")
	if s == "" {
		return "-"
	}
	return s
}

// add adds drops to those of the class.
func (s *policies) add(kind string, drops devices.Opt[devices.Counter]) {
	if s.port == "" || !drops.OK {
		return
	}
	for i := range s.r.Queues {
		if q := &s.r.Queues[i]; q.Port == s.port && q.Name == s.class && q.Way == s.way && q.Kind == kind {
			q.Drops = text.Sum(q.Drops, drops)
			return
		}
	}
	s.r.Queues = append(s.r.Queues, devices.Queue{Port: s.port, Name: s.class, Way: s.way, Kind: kind, Drops: drops})
}
