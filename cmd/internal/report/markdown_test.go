package report

import (
	"strings"
	"testing"
)

func TestMarkdownShowsTextAsItIs(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "swA Gi1/0/1 is down", "swA Gi1/0/1 is down"},
		{"emphasis", "*a* _b_ ~c~", `\*a\* \_b\_ \~c\~`},
		{"an element", "<script>alert(1)</script>", `\<script\>alert(1)\</script\>`},
		{"a picture", "![x](y)", `\!\[x\](y)`},
		{"a table's bar", "a|b", `a\|b`},
		{"an entity", "&lt;b&gt;", `\&lt;b\&gt;`},
		{"a heading", "# big", `\# big`},
		{"a list", "- one", `\- one`},
		{"a numbered list", "12. one", `12\. one`},
		{"a numbered list with a bracket", "12) one", `12\) one`},
		{"a number is left alone", "3.5 ms at 12.", "3.5 ms at 12."},
		{"a rule", "=== x", `\=== x`},
		{"a link that makes itself", "see http://192.0.2.1/x now", "see `http://192.0.2.1/x` now"},
		{"a link without a scheme", "www.example.net", "`www.example.net`"},
		{"a mention", "ask @root", "ask `@root`"},
		{"a link with backticks around it", "`http://x`", "`` `http://x` ``"},
		{"a link with a bar", "http://a|b", "`http://a\\|b`"},
		{"a script link", "[a](javascript:alert(1))", "`[a](javascript:alert(1))`"},
		{"a run of backticks", strings.Repeat("`", 3), strings.Repeat("\\`", 3)},
		{"a run of backticks in a link", "x```y@z", "````x```y@z````"},
		{"an escape sequence", "\x1b[31m", `\\x1b\[31m`},
		{"a line break", "a\n# b", `a\\x0a\# b`},
		{"mathematics", "$x$", `\$x\$`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := mdText(tt.in); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
