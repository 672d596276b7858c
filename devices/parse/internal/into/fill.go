package into

import (
	"reflect"

	"whydrop/devices"
)

// fill gives every field of have that is not given yet: an Opt that is not set, a text that is "", a list that is
// empty. The name is the longer of the two.
func fill(have *devices.Interface, p devices.Interface) {
	if len(p.Name) > len(have.Name) {
		have.Name = p.Name
	}
	if have.ErrDisabled == "err-disabled" && p.ErrDisabled != "" {
		have.ErrDisabled = p.ErrDisabled // which says why
	}
	fillStruct(reflect.ValueOf(have).Elem(), reflect.ValueOf(p))
}

func fillStruct(have, p reflect.Value) {
	for i := range have.NumField() {
		h, v := have.Field(i), p.Field(i)
		if h.Kind() == reflect.Struct && h.Type() == reflect.TypeFor[devices.InterfaceMore]() {
			fillStruct(h, v)
		} else if h.IsZero() {
			h.Set(v)
		}
	}
}
