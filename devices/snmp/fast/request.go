package fast

import (
	"errors"

	"whydrop/devices/snmp/internal/ber"
)

// Request is a GET for a list of objects, encoded once. It is not changed by its use and may be shared.
type Request struct {
	pdu  []byte   // the PDU, its request-id 0 in four octets
	id   int      // where in pdu the four octets are
	oids [][]byte // the encoded identifier of each object, tag and length included
}

// maxObjects bounds a request; what fits a datagram is far below.
const maxObjects = 1024

// NewRequest encodes a GET for the objects, whose names may begin with a dot. It fails for a name that is none
// and for an empty list.
func NewRequest(objects []string) (*Request, error) {
	if len(objects) == 0 || len(objects) > maxObjects {
		return nil, errors.New("fast: a request has 1 to 1024 objects")
	}
	r := &Request{oids: make([][]byte, 0, len(objects))}
	var binds []byte
	for _, name := range objects {
		o, err := ber.AppendOID(nil, name)
		if err != nil {
			return nil, err
		}
		r.oids = append(r.oids, o)
		binds = append(ber.AppendHeader(binds, ber.Sequence, len(o)+2), o...)
		binds = append(binds, ber.Null, 0)
	}
	if len(binds) > 1<<15 {
		return nil, errors.New("fast: a request is too long for one message")
	}
	// RFC 3416, section 3: request-id, error-status, error-index, variable-bindings.
	const ids = 6 + 3 + 3
	r.pdu = ber.AppendHeader(nil, ber.Get, ids+ber.HeaderLen(len(binds))+len(binds))
	r.id = len(r.pdu) + 2
	r.pdu = append(r.pdu, ber.Integer, 4, 0, 0, 0, 0, ber.Integer, 1, 0, ber.Integer, 1, 0)
	r.pdu = append(ber.AppendHeader(r.pdu, ber.Sequence, len(binds)), binds...)
	return r, nil
}

// Len returns how many objects the request asks for.
func (r *Request) Len() int { return len(r.oids) }
