package cli

import (
	"flag"
	"os"
	"testing"
)

// TestMain lets more tests run side by side than there are processors: most of them wait for answers that do not come.
func TestMain(m *testing.M) {
	flag.Parse()
	flag.Set("test.parallel", "6")
	maxOutput = 1 << 20
	os.Exit(m.Run())
}
