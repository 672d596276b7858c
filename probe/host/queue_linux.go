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

// queues returns the queueing discipline at the root of each card's egress, with the drops of one at its ingress
// added. What a discipline of several queues (mq) counts is the sum of theirs. All cards are asked for at once: the
// kernel announces the answer about a single one to everybody who listens to changes.
func (n *netlink) queues() (map[int]Queue, error) {
	all := map[int]Queue{}
	err := n.list(unix.RTM_GETQDISC, make([]byte, sizeofTcMsg), func(b []byte) error {
		q, index, parent, err := parseQueue(b)
		if err != nil {
			return err
		}
		switch parent {
		case rootQueue:
			q.Drops += all[index].Drops
			all[index] = q
		case ingressQueue:
			o := all[index]
			o.Drops += q.Drops
			all[index] = o
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("queues: %w", err)
	}
	return all, nil
}

// parseQueue reads an RTM_NEWQDISC without its header: TCA_STATS2 holds struct gnet_stats_queue, qlen, backlog, drops,
// requeues and overlimits.
func parseQueue(b []byte) (q Queue, index int, parent uint32, err error) {
	if len(b) < sizeofTcMsg {
		return q, 0, 0, fmt.Errorf("netlink: a queueing discipline of %d bytes", len(b))
	}
	const statsQueue = 3 // TCA_STATS_QUEUE
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
		return q, 0, 0, errors.New("netlink: a queueing discipline without a kind")
	}
	return q, int(int32(native.Uint32(b[4:]))), native.Uint32(b[12:]), nil
}
