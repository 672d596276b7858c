package fast

import (
	"errors"
	"slices"

	"whydrop/devices/snmp/internal/ber"
)

// Request is a GET for a list of objects, encoded once. It is not changed by its use and may be shared.
type Request struct {
	pdu  []byte  // the PDU, its request-id 0 in four octets
	id   int     // where in pdu the four octets are
	oids []piece // where in pdu the encoded identifier of each object is, tag and length included
}

// piece is a part of a PDU; what fits a datagram has offsets of 16 bits.
type piece struct{ from, to uint16 }

// maxObjects bounds a request; what fits a datagram is far below.
const maxObjects = 1024

// NewRequest encodes a GET for the objects, whose names may begin with a dot. It fails for a name that is none
// and for an empty list.
func NewRequest(objects []string) (*Request, error) {
	if len(objects) == 0 || len(objects) > maxObjects {
		return nil, errors.New("fast: a request has 1 to 1024 objects")
	}
	r := &Request{oids: make([]piece, 0, len(objects))}
	var binds, o []byte
	var err error
	for _, name := range objects {
		if o, err = ber.AppendOID(o[:0], name); err != nil {
			return nil, err
		}
		binds = ber.AppendHeader(binds, ber.Sequence, len(o)+2)
		r.oids = append(r.oids, piece{uint16(len(binds)), uint16(len(binds) + len(o))})
		binds = append(append(binds, o...), ber.Null, 0)
	}
	if len(binds) > 1<<15 {
		return nil, errors.New("fast: a request is too long for one message")
	}
	// RFC 3416, section 3: request-id, error-status, error-index, variable-bindings.
	const ids = 6 + 3 + 3
	r.pdu = ber.AppendHeader(nil, ber.Get, ids+ber.HeaderLen(len(binds))+len(binds))
	r.id = len(r.pdu) + 2
	r.pdu = append(r.pdu, ber.Integer, 4, 0, 0, 0, 0, ber.Integer, 1, 0, ber.Integer, 1, 0)
	r.pdu = ber.AppendHeader(r.pdu, ber.Sequence, len(binds))
	for n := range r.oids {
		r.oids[n].from += uint16(len(r.pdu))
		r.oids[n].to += uint16(len(r.pdu))
	}
	r.pdu = slices.Concat(r.pdu, binds)
	return r, nil
}

// Len returns how many objects the request asks for.
func (r *Request) Len() int { return len(r.oids) }
