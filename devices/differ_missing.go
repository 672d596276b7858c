package devices

import "whydrop/correlate/timeline"

// missing says which figures of the device are not known because it lacks a table, or did not give it to its end, unless
// another collector gives them.
func (w *writer) missing() {
	for _, m := range w.reading.Missing {
		for _, metric := range m.Metrics {
			if _, given := w.differ.owner[timeline.Key{Subject: w.device, Metric: metric}]; !given {
				w.gap(w.device, metric, w.now, m.Reason, m.Text)
			}
		}
	}
}
