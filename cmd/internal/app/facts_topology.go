package app

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"
)

// factsPath is a path: its name, or a mapping.
type factsPath struct {
	name, from, to scalar
	hops           []hop
}

// factsPaths is a list of paths, or a mapping of their names to their hops.
type factsPaths []factsPath

// UnmarshalYAML takes either.
func (p *factsPaths) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return n.Decode((*[]factsPath)(p))
	}
	var wrong mistakes
	for i := 0; i+1 < len(n.Content); i += 2 {
		var one factsPath
		wrong.add(n.Content[i+1], one.UnmarshalYAML(n.Content[i+1]))
		one.name = scalar{n.Content[i].Value, n.Content[i].Line}
		*p = append(*p, one)
	}
	return wrong.err()
}

// between parts the hops of a path that is written as one text.
var between = regexp.MustCompile(`\s*(?:-+>|=+>|→|\s>\s)\s*`)

// UnmarshalYAML takes a name, a list of hops, both as one text (a > b > c), or a mapping of name, from, to and hops.
func (p *factsPath) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		parts := between.Split(n.Value, -1)
		if len(parts) == 1 {
			return p.name.UnmarshalYAML(n)
		}
		for _, s := range parts {
			p.hops = append(p.hops, hop{[]scalar{{s, n.Line}}})
		}
		p.from, p.to = p.hops[0].names[0], p.hops[len(p.hops)-1].names[0]
		return nil
	}
	if n.Kind == yaml.SequenceNode {
		if err := p.readHops(n); err != nil || len(p.hops) == 0 {
			return err
		}
		p.from, p.to = p.hops[0].names[0], p.hops[len(p.hops)-1].names[0]
		return nil
	}
	return eachKey(n, func(key string, v *yaml.Node) error {
		switch key {
		case "name":
			return p.name.UnmarshalYAML(v)
		case "from":
			return p.from.UnmarshalYAML(v)
		case "to":
			return p.to.UnmarshalYAML(v)
		case "hops":
			return p.readHops(v)
		}
		return unknownKey(key, "name", "from", "to", "hops")
	})
}

func (p *factsPath) readHops(n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode {
		return errors.New("a list of devices is wanted here")
	}
	var wrong mistakes
	for _, c := range n.Content {
		var h hop
		wrong.add(c, h.UnmarshalYAML(c))
		p.hops = append(p.hops, h)
	}
	return wrong.err()
}

// factsLink is a cable between two ports.
type factsLink struct {
	a, b factsEnd
	line int
}

type factsEnd struct{ device, port string }

// cable parts the two ends of a link that is written as one text.
var cable = regexp.MustCompile(`\s+(?:<?-+>?|<?=+>?|↔|to)\s+`)

// UnmarshalYAML takes a list of two ends, both as one text (sw1 Gi1 - sw2 Gi2), or a mapping of a and b.
func (l *factsLink) UnmarshalYAML(n *yaml.Node) error {
	l.line = n.Line
	if ends := cable.Split(n.Value, -1); n.Kind == yaml.ScalarNode && len(ends) == 2 {
		var wrong mistakes
		wrong.add(n, l.a.parse(ends[0]))
		wrong.add(n, l.b.parse(ends[1]))
		return wrong.err()
	}
	if n.Kind == yaml.SequenceNode {
		if len(n.Content) != 2 {
			return errors.New("a link has two ends")
		}
		var wrong mistakes
		wrong.add(n.Content[0], l.a.read(n.Content[0]))
		wrong.add(n.Content[1], l.b.read(n.Content[1]))
		return wrong.err()
	}
	return eachKey(n, func(key string, v *yaml.Node) error {
		switch key {
		case "a", "from":
			return l.a.read(v)
		case "b", "to":
			return l.b.read(v)
		}
		return unknownKey(key, "a", "b")
	})
}

// read takes "device port", or a mapping of the two.
func (e *factsEnd) read(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return e.parse(n.Value)
	}
	return eachKey(n, func(key string, v *yaml.Node) error {
		switch key {
		case "device":
			e.device = v.Value
		case "port":
			e.port = v.Value
		default:
			return unknownKey(key, "device", "port")
		}
		return nil
	})
}

// parse takes "device port" or, where there is but one colon, "device:port".
func (e *factsEnd) parse(s string) error {
	s = strings.TrimSpace(s)
	device, port, ok := strings.Cut(s, " ")
	if !ok && strings.Count(s, ":") == 1 {
		device, port, ok = strings.Cut(s, ":")
	}
	if !ok || device == "" || port == "" {
		return fmt.Errorf("%q: an end of a link is a device and its port: sw1 Gi1/0/1", s)
	}
	e.device, e.port = device, strings.TrimSpace(port)
	return nil
}
