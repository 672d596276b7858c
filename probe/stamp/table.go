package stamp

import "container/list"

// table is a map of bounded size that forgets what was used longest ago.
type table[K comparable, V any] struct {
	size    int
	entries map[K]*list.Element
	order   list.List // of *entry[K, V], the one used last in front
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

// get returns the value kept for the key, a new one if there is none, and whether another had to leave for it.
func (t *table[K, V]) get(k K) (v *V, evicted bool) {
	if e, ok := t.entries[k]; ok {
		t.order.MoveToFront(e)
		return &e.Value.(*entry[K, V]).value, false
	}
	if t.entries == nil {
		t.entries = map[K]*list.Element{}
	}
	if len(t.entries) >= t.size {
		oldest := t.order.Back()
		delete(t.entries, oldest.Value.(*entry[K, V]).key)
		t.order.Remove(oldest)
		evicted = true
	}
	n := &entry[K, V]{key: k}
	t.entries[k] = t.order.PushFront(n)
	return &n.value, evicted
}
