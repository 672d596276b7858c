package iperfjson

import "testing"

func TestClean(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nothing to do", `{"a":1}`, `{"a":1}`},
		{"nan", `{"a":nan,"b": -nan}`, `{"a":null,"b": null}`},
		{"in capitals", `{"a":NaN,"b":Infinity}`, `{"a":null,"b":null}`},
		{"inf with a sign", `[inf,-inf,+inf]`, `[null,null,null]`},
		{"in a string", `{"nan":"inf \" nan","b":nan}`, `{"nan":"inf \" nan","b":null}`},
		{"words that only begin so", `{"a":information,"b":nano}`, `{"a":information,"b":nano}`},
		{"null and the truth stay", `[null,true,false,nan]`, `[null,true,false,null]`},
		{"cut short", `{"a":na`, `{"a":na`},
		{"a string without end", `{"a":"nan`, `{"a":"nan`},
		{"nothing", ``, ``},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(Clean([]byte(tt.text))); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
