package snmptest

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
)

// tree holds objects in the order of their identifiers. Keys are identifiers with four octets an arc, so that
// the order of strings is the order of the MIB.
type tree struct {
	mu      sync.Mutex
	objects map[string]func() Value
	keys    []string
	sorted  bool
}

// key packs an object identifier. It panics if oid is not one: the caller's text is wrong.
func key(oid string) string {
	k, err := parseKey(oid)
	if err != nil {
		panic(err)
	}
	return k
}

func parseKey(oid string) (string, error) {
	oid = strings.TrimPrefix(oid, ".")
	out := make([]byte, 0, 4*(strings.Count(oid, ".")+1))
	for arc := range strings.SplitSeq(oid, ".") {
		n, err := strconv.ParseUint(arc, 10, 32)
		if err != nil {
			return "", fmt.Errorf("snmptest: %q is not an object identifier", oid)
		}
		out = binary.BigEndian.AppendUint32(out, uint32(n))
	}
	return string(out), nil
}

// name unpacks a key, with the leading dot that gosnmp writes.
func name(k string) string {
	var b strings.Builder
	for i := 0; i+4 <= len(k); i += 4 {
		b.WriteByte('.')
		b.WriteString(strconv.FormatUint(uint64(binary.BigEndian.Uint32([]byte(k[i:i+4]))), 10))
	}
	return b.String()
}

func (t *tree) set(oid string, f func() Value) {
	k := key(oid)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.objects == nil {
		t.objects = map[string]func() Value{}
	}
	if _, ok := t.objects[k]; !ok {
		t.keys, t.sorted = append(t.keys, k), false
	}
	t.objects[k] = f
}

func (t *tree) remove(prefix string) {
	p := key(prefix)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keys = slices.DeleteFunc(t.keys, func(k string) bool {
		if !strings.HasPrefix(k, p) {
			return false
		}
		delete(t.objects, k)
		return true
	})
}

func (t *tree) get(k string) Value {
	t.mu.Lock()
	f := t.objects[k]
	t.mu.Unlock()
	if f == nil {
		return Value{}
	}
	return f()
}

// next returns the first object after k that has a value.
func (t *tree) next(k string) (string, Value, bool) {
	for {
		t.mu.Lock()
		if !t.sorted {
			slices.Sort(t.keys)
			t.sorted = true
		}
		i := sort.Search(len(t.keys), func(i int) bool { return t.keys[i] > k })
		if i == len(t.keys) {
			t.mu.Unlock()
			return "", Value{}, false
		}
		k = t.keys[i]
		f := t.objects[k]
		t.mu.Unlock()
		if v := f(); !v.IsZero() {
			return k, v, true
		}
	}
}
