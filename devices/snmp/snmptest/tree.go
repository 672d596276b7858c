package snmptest

import (
	"slices"
	"sort"
	"strings"
	"sync"

	"whydrop/devices/snmp/internal/oid"
)

// tree holds objects in the order of their identifiers. Keys are packed identifiers.
type tree struct {
	mu      sync.Mutex
	objects map[string]func() Value
	keys    []string
	sorted  bool
}

// key packs an object identifier. It panics if oid is not one: the caller's text is wrong.
func key(id string) string {
	k, err := oid.Pack(id)
	if err != nil {
		panic("snmptest: " + err.Error())
	}
	return k
}

func (t *tree) set(id string, f func() Value) {
	k := key(id)
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
