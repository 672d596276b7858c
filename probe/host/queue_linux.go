package host

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// Where a queueing discipline hangs (include/uapi/linux/pkt_sched.h).
const (
	rootQueue    = 0xffffffff // TC_H_ROOT
	ingressQueue = 0xfffffff1 // TC_H_INGRESS: policers of what comes in
)

const sizeofTcMsg = 20 // struct tcmsg

// queue returns the queueing discipline at the root of the card's egress, with the drops of one at its ingress added.
// What a discipline of several queues (mq) counts is the sum of theirs.
func (n *netlink) queue(index int) (Queue, error) {
	q, err := n.queueAt(index, rootQueue)
	if err != nil {
		return Queue{}, fmt.Errorf("queue of interface %d: %w", index, err)
	}
	if in, err := n.queueAt(index, ingressQueue); err == nil {
		q.Drops += in.Drops
	}
	return q, nil
}

func (n *netlink) queueAt(index int, parent uint32) (Queue, error) {
	body := make([]byte, sizeofTcMsg)
	native.PutUint32(body[4:], uint32(index))
	native.PutUint32(body[12:], parent)
	var q Queue
	found := false
	err := n.ask(unix.RTM_GETQDISC, body, func(_ uint16, b []byte) error {
		var err error
		q, err = parseQueue(b)
		found = true
		return err
	})
	if err == nil && !found {
		err = errors.New("none")
	}
	return q, err
}

// parseQueue reads an RTM_NEWQDISC without its header: TCA_STATS2 holds struct gnet_stats_queue, qlen, backlog, drops,
// requeues and overlimits.
func parseQueue(b []byte) (Queue, error) {
	if len(b) < sizeofTcMsg {
		return Queue{}, fmt.Errorf("netlink: a queueing discipline of %d bytes", len(b))
	}
	const statsQueue = 3 // TCA_STATS_QUEUE
	var q Queue
	for typ, v := range attributes(b[sizeofTcMsg:]) {
		switch typ {
		case unix.TCA_KIND:
			q.Kind = text(v)
		case unix.TCA_STATS2:
			for typ, v := range attributes(v) {
				if typ == statsQueue && len(v) >= 20 {
					q.Backlog, q.Drops, q.Overlimits = u32(v[4:]), u32(v[8:]), u32(v[16:])
				}
			}
		}
	}
	if q.Kind == "" {
		return Queue{}, errors.New("netlink: a queueing discipline without a kind")
	}
	return q, nil
}
