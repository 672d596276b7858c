package host

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"
)

// route returns the index of the card that leads to the address.
func (n *netlink) route(to netip.Addr) (int, error) {
	body := make([]byte, unix.SizeofRtMsg)
	body[0], body[1] = unix.AF_INET6, 128
	if to.Is4() {
		body[0], body[1] = unix.AF_INET, 32
	}
	body = attribute(body, unix.RTA_DST, to.AsSlice())
	index := 0
	err := n.ask(unix.RTM_GETROUTE, body, func(b []byte) error {
		if len(b) < unix.SizeofRtMsg {
			return fmt.Errorf("netlink: a route of %d bytes", len(b))
		}
		for typ, v := range attributes(b[unix.SizeofRtMsg:]) {
			if typ == unix.RTA_OIF {
				index = int(u32(v))
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("route to %s: %w", to, err)
	}
	if index == 0 {
		return 0, fmt.Errorf("route to %s: no interface", to)
	}
	return index, nil
}

// link describes the card of that index.
func (n *netlink) link(index int) (Link, error) {
	body := make([]byte, unix.SizeofIfInfomsg)
	native.PutUint32(body[4:], uint32(index))
	var l Link
	err := n.ask(unix.RTM_GETLINK, body, func(b []byte) error {
		var err error
		l, err = parseLink(b)
		return err
	})
	if err != nil {
		return Link{}, fmt.Errorf("interface %d: %w", index, err)
	}
	return l, nil
}

// stacked are the kinds of cards that are made on top of another one, whose counters then matter too. The IFLA_LINK of
// a veth is its other end.
var stacked = map[string]bool{"vlan": true, "macvlan": true, "ipvlan": true, "macsec": true}

// parseLink reads an RTM_NEWLINK without its header. A card is up if it is switched on and its carrier is there:
// IFF_LOWER_UP follows the carrier at once, the operational state by up to a second later (net/core/link_watch.c).
func parseLink(b []byte) (Link, error) {
	if len(b) < unix.SizeofIfInfomsg {
		return Link{}, fmt.Errorf("netlink: a link of %d bytes", len(b))
	}
	const up = unix.IFF_UP | unix.IFF_LOWER_UP
	l := Link{Index: int(int32(native.Uint32(b[4:]))), Up: native.Uint32(b[8:])&up == up, Ethernet: native.Uint16(b[2:]) == unix.ARPHRD_ETHER}
	parent, elsewhere := 0, false
	for typ, v := range attributes(b[unix.SizeofIfInfomsg:]) {
		switch typ {
		case unix.IFLA_IFNAME:
			l.Name = text(v)
		case unix.IFLA_MTU:
			l.MTU = int(u32(v))
		case unix.IFLA_LINK:
			parent = int(u32(v))
		case unix.IFLA_LINK_NETNSID:
			elsewhere = true
		case unix.IFLA_CARRIER_DOWN_COUNT:
			l.Downs, l.HasDowns = u32(v), true
		case unix.IFLA_LINKINFO:
			for typ, v := range attributes(v) {
				if typ == unix.IFLA_INFO_KIND {
					l.Kind = text(v)
				}
			}
		case unix.IFLA_STATS64:
			l.Counters = parseCounters(v)
		}
	}
	if stacked[l.Kind] && !elsewhere {
		l.Parent = parent
	}
	if l.Name == "" {
		return Link{}, errors.New("netlink: a link without a name")
	}
	return l, nil
}

// parseCounters reads struct rtnl_link_stats64; nil if it is shorter than the first kernels' with it.
func parseCounters(b []byte) *LinkCounters {
	if len(b) < 16*8 {
		return nil
	}
	at := func(i int) uint64 { return native.Uint64(b[8*i:]) }
	return &LinkCounters{
		InPackets: at(0), OutPackets: at(1), InBytes: at(2), OutBytes: at(3), InErrors: at(4), OutErrors: at(5),
		InDrops: at(6), OutDrops: at(7), Collisions: at(9), Over: at(11), FCS: at(12), Fifo: at(14), Missed: at(15),
	}
}

// watchLinks calls changed whenever something of any link changes, until ctx ends. Messages that the kernel had no
// room for count as a change.
func watchLinks(ctx context.Context, changed func()) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_ROUTE)
	if err != nil {
		return fmt.Errorf("netlink: %w", err)
	}
	if err := unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: unix.RTMGRP_LINK}); err != nil {
		unix.Close(fd)
		return fmt.Errorf("netlink: listen to links: %w", err)
	}
	f := os.NewFile(uintptr(fd), "rtnetlink")
	stop := context.AfterFunc(ctx, func() { f.Close() })
	defer func() {
		if stop() {
			f.Close()
		}
	}()
	buf := make([]byte, 8<<10)
	for {
		_, err := f.Read(buf) // what it says is asked for by whoever is told
		if ctx.Err() != nil {
			return nil
		}
		if err != nil && !errors.Is(err, unix.ENOBUFS) {
			return fmt.Errorf("netlink: listen to links: %w", err)
		}
		changed()
	}
}
