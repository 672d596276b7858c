package snmp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gosnmp/gosnmp"

	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/snmp/internal/oid"
)

// Limits of one walk. An agent may give rows for ever, each greater than the one before.
const (
	maxRows         = 20_000 // ports of the largest devices
	maxRequests     = 200_000
	firstRepetition = 25               // rows of a name column that fit an Ethernet frame
	nameTime        = 10 * time.Second // for the columns with the names of ports, together
	bridgeTime      = 3 * time.Second  // for those of a bridge's ports
)

// errEndless is wrapped by the error of a walk that came to no end within its limits.
var errEndless = errors.New("no end")

// row is one instance of a column: the index below the column, and the value.
type row struct {
	index string // packed
	value value
}

// walk reads a column, or any other subtree, in order. What was read before something went wrong is returned
// with an error that wraps devices.ErrPartial, or with the plain error if nothing was read. It asks nothing more
// after until.
func (s *session) walk(ctx context.Context, root string, until time.Time) ([]row, error) {
	began := time.Now()
	w, err := s.newWalker(root)
	if err != nil {
		return nil, err
	}
	for {
		if !time.Now().Before(until) {
			took := time.Since(began).Round(100 * time.Millisecond)
			return w.rows, w.partial(fmt.Errorf("the agent's table has %w, or is not given to its end in %s", errEndless, took))
		}
		if done, err := w.next(ctx); done || err != nil {
			return w.rows, err
		}
	}
}

// walker is a walk that may be interrupted between two requests.
type walker struct {
	*session
	id          string // of the root
	root, last  string // packed
	after       string // packed: the first object after the subtree; "" if there is none, or not known
	rows        []row
	most        int    // rows
	tries       int    // of each request; 0: as the site file says
	requests    int    //
	repetitions uint32 // 0: GETNEXT
}

func (s *session) newWalker(root string) (*walker, error) {
	w := &walker{session: s, id: root, most: maxRows, repetitions: firstRepetition}
	var err error
	if w.root, err = oid.Pack(root); err != nil {
		return nil, err
	}
	w.last = w.root
	return w, nil
}

// next asks once; done says that the walk came to its end. After an error the walk is over.
func (w *walker) next(ctx context.Context) (done bool, err error) {
	if w.requests >= maxRequests || len(w.rows) >= w.most {
		return false, w.partial(fmt.Errorf("the agent's table has %w", errEndless))
	}
	w.requests++
	if done, err = w.step(ctx); err != nil {
		return false, w.partial(err)
	}
	return done, nil
}

// partial returns what a walk that ends so is told by.
func (w *walker) partial(err error) error {
	var e *Error
	if len(w.rows) == 0 && errors.As(err, &e) {
		return err
	}
	out := &Error{Device: w.device.Name, Err: devices.ErrPartial}
	if errors.Is(err, errEndless) {
		out.Err = fmt.Errorf("%w: %w", devices.ErrPartial, errEndless)
	}
	out.Text = fmt.Sprintf("walk of %s cut short after %d rows: %s", w.id, len(w.rows), err)
	if e != nil {
		out.Text = fmt.Sprintf("walk of %s cut short after %d rows: %s", w.id, len(w.rows), e.Text)
		out.Err = fmt.Errorf("%w: %w", devices.ErrPartial, e.Err)
	}
	return out
}

// ask asks as often as the walk may.
func (w *walker) ask(ctx context.Context, a ask) (*gosnmp.SnmpPacket, timeline.Span, error) {
	if w.tries > 0 {
		return w.try(ctx, a, w.tries)
	}
	return w.request(ctx, a)
}

// step asks for what follows the last row.
func (w *walker) step(ctx context.Context) (done bool, err error) {
	from := oid.Unpack(w.last)
	bulk := w.repetitions > 0 && !w.noBulk && w.client.Version != gosnmp.Version1
	var p *gosnmp.SnmpPacket
	if bulk {
		p, _, err = w.ask(ctx, getBulk(from, w.repetitions))
		if errors.Is(err, devices.ErrTimeout) && !w.bulkOK && over(ctx) == nil {
			// Some agents do not answer GETBULK at all: ask once in the old way and remember.
			var silent = err
			if p, _, err = w.try(ctx, getNext(from), 1); err != nil {
				return false, silent
			}
			w.noBulk = true
		}
	} else {
		p, _, err = w.ask(ctx, getNext(from))
	}
	if err != nil {
		return false, err
	}
	switch {
	case p.Error == gosnmp.NoError:
		w.bulkOK = w.bulkOK || bulk && !w.noBulk
		return w.take(p.Variables)
	case p.Error == gosnmp.NoSuchName: // the end of the MIB, in the words of SNMPv1
		return true, nil
	case bulk && p.Error == gosnmp.TooBig:
		w.repetitions /= 2 // 0 is GETNEXT
		return false, nil
	case bulk && w.refusedPDU(p) == nil:
		w.repetitions = 0 // some agents fail on one row of many
		return false, nil
	}
	if err := w.refusedPDU(p); err != nil {
		return false, err
	}
	return false, fmt.Errorf("the agent answered %s", statusName(p.Error))
}

// take adds the rows of an answer, each of which must come after the one before.
func (w *walker) take(vars []gosnmp.SnmpPDU) (done bool, err error) {
	if len(vars) == 0 {
		return false, errors.New("the agent answered without a row")
	}
	for _, v := range vars {
		if v.Type == gosnmp.EndOfMibView {
			return true, nil
		}
		name, err := oid.Pack(v.Name)
		if err != nil {
			return false, err
		}
		if name <= w.last {
			return false, fmt.Errorf("rows not increasing: %s after %s", oid.Unpack(name), oid.Unpack(w.last))
		}
		if len(name) <= len(w.root) || name[:len(w.root)] != w.root {
			w.after = name
			return true, nil
		}
		w.last = name
		w.rows = append(w.rows, row{name[len(w.root):], valueOf(v)})
		if len(w.rows) >= w.most {
			return false, nil
		}
	}
	return false, nil
}
