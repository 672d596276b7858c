package host

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// CarrierWatch hears of the carrier of the card that leads to an address, and of the card below it (rtnetlink(7)).
type CarrierWatch struct {
	to    netip.Addr
	ask   *netlink
	hear  *os.File
	cards map[int]bool // index; whether it is up
}

// WatchCarrier begins to listen. The network namespace is the one of the calling thread. Run is to be called then.
func WatchCarrier(to netip.Addr) (*CarrierWatch, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("netlink: %w", err)
	}
	if err := unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: unix.RTMGRP_LINK}); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("netlink: listen to links: %w", err)
	}
	ask, err := openNetlink()
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	w := &CarrierWatch{to: to, ask: ask, hear: os.NewFile(uintptr(fd), "rtnetlink"), cards: map[int]bool{}}
	w.find()
	return w, nil
}

// Run calls told for each change until ctx ends or the kernel says no more, and ends the watch.
func (w *CarrierWatch) Run(ctx context.Context, told func(CarrierChange)) {
	stop := context.AfterFunc(ctx, func() { w.hear.Close() })
	defer func() {
		if stop() {
			w.hear.Close()
		}
		w.ask.close()
	}()
	buf := make([]byte, 32<<10)
	for {
		n, err := w.hear.Read(buf)
		if ctx.Err() != nil || err != nil && !errors.Is(err, unix.ENOBUFS) {
			return
		}
		for m := range messages(buf[:max(n, 0)]) {
			if l, err := parseLink(m.body); m.typ == unix.RTM_NEWLINK && err == nil {
				w.look(l, told)
			}
		}
	}
}

// look tells when a card on the way is not as it was.
func (w *CarrierWatch) look(l Link, told func(CarrierChange)) {
	was, ours := w.cards[l.Index]
	if ours && was != l.Up {
		w.cards[l.Index] = l.Up
		told(CarrierChange{Card: l.Name, Up: l.Up, At: time.Now()})
	}
	if !ours && l.Up {
		w.find() // the way may lead through another card now
	}
}

// find adds the card that leads to the address, and the one below it, as they are now. Without a route there is none.
func (w *CarrierWatch) find() {
	index, err := w.ask.route(w.to)
	for err == nil && index != 0 {
		var l Link
		if l, err = w.ask.link(index); err == nil {
			if _, known := w.cards[index]; known {
				return
			}
			w.cards[index] = l.Up
			index = l.Parent
		}
	}
}
