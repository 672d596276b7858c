package host

import (
	"context"
	"net/netip"
	"time"
)

// linux is this system. Its descriptors tell of the network namespace in which it was opened.
type linux struct {
	stat    procFile
	udps    *udpFiles
	softnet procFile
	links   *netlink
	tool    *ethtool
}

func openSystem() system {
	s := &linux{stat: procFile{path: "/proc/stat"}, udps: newUDPFiles(), softnet: procFile{path: netFile("softnet_stat")}}
	s.links, _ = openNetlink() // a container may not be allowed to: then links are not given
	s.tool, _ = openEthtool()
	return s
}

func (s *linux) close() {
	s.stat.close()
	s.udps.close()
	s.softnet.close()
	if s.links != nil {
		s.links.close()
	}
	if s.tool != nil {
		s.tool.close()
	}
}

func (s *linux) cpu() (CPU, error) {
	b, err := s.stat.read()
	if err != nil {
		return CPU{}, err
	}
	return parseStat(b)
}

func (s *linux) process() (user, system time.Duration, err error) { return ownTime() }

func (s *linux) waits() (Waits, error) { return readWaits() }

func (s *linux) udp() (UDPCounters, error) { return s.udps.read() }

func (s *linux) backlog() (uint64, error) {
	b, err := s.softnet.read()
	if err != nil {
		return 0, err
	}
	return parseBacklog(b)
}

// route asks by a socket of its own: it is called beside the others.
func (s *linux) route(ctx context.Context, to netip.Addr) (int, error) {
	if to.Zone() != "" {
		return zoneIndex(to.Zone())
	}
	n, err := openNetlink()
	if err != nil {
		return routeByAddress(ctx, to)
	}
	defer n.close()
	return n.route(to)
}

func (s *linux) link(index int) (Link, error) {
	if s.links == nil {
		return linkByIndex(index)
	}
	return s.links.link(index)
}

func (s *linux) queues() (map[int]Queue, error) {
	if s.links == nil {
		return nil, errNotGiven
	}
	return s.links.queues()
}

func (s *linux) setup(name string) Setup {
	if s.tool == nil {
		return Setup{}
	}
	return s.tool.setup(name)
}

func (s *linux) watch(ctx context.Context, changed func()) error { return watchLinks(ctx, changed) }

func (s *linux) clocks() instant { return readClocks() }
