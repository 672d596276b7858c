package devices

// missing says which figures of the device are not known because it lacks a table, or did not give it to its end, unless
// another collector gives them.
func (w *writer) missing() {
	for _, m := range w.reading.Missing {
		for _, metric := range m.Metrics {
			if !w.differ.given(w.device, metric) {
				w.gap(w.device, metric, w.now, m.Reason, m.Text)
			}
		}
	}
}
