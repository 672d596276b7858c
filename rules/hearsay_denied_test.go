package rules

import "testing"

func TestASymptomThatIsDeniedIsNotToldOf(t *testing.T) {
	for text, want := range map[string]bool{
		"the same macs bounce between gi1/1 and gi1/2":                   true,
		"hosts are flapping, though no port went down":                   true,
		"no mac address bounces between ports":                           false,
		"we asked whether hosts are flapping":                            false,
		"no error anywhere; the mac table is full of it; hosts flapping": true,
		"one mac is learned alternately on ge1 and ge2":                  true,
		"hosts do not roam here and there is nothing else":               false,
	} {
		if got := asserted(topics["macflap"], text); got != want {
			t.Errorf("%q: told of %v, want %v", text, got, want)
		}
	}
}
