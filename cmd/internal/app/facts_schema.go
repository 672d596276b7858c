package app

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"

	"whydrop/correlate/timeline"
)

// ExampleFacts is the commented file of facts that `whydrop init facts` writes.
//
//go:embed facts.example.yaml
var ExampleFacts []byte

//go:embed facts.schema.json
var factsSchema []byte

// FactsSchema returns the JSON Schema of facts by hand, with the names of all metrics and event types filled in.
func FactsSchema() ([]byte, error) {
	var metrics []string
	for _, d := range timeline.Metrics() {
		if d.Kind == timeline.KindPort || d.Kind == timeline.KindDevice {
			metrics = append(metrics, string(d.Metric))
		}
	}
	out := factsSchema
	for at, names := range map[string][]string{`"propertyNames": {"enum": []}`: metrics, `"type": {"enum": []}`: eventNames()} {
		list, err := json.Marshal(names)
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(out, []byte(at)) {
			return nil, fmt.Errorf("the schema has no %s", at)
		}
		out = bytes.Replace(out, []byte(at), bytes.Replace([]byte(at), []byte("[]"), list, 1), 1)
	}
	return out, nil
}
