package devices

import "whydrop/correlate/timeline"

// AnsweredFrom is the attribute of a device's [timeline.EventSettings] that names the address its answers come from, if that
// is another than was asked.
const AnsweredFrom = "answered_from"

// answered tells once that a device answers from another address than was asked: whoever can send from there can speak for
// the device.
func (w *writer) answered() {
	from := w.reading.AnsweredFrom
	if from == w.side.tables.answered {
		return
	}
	w.side.tables.answered = from
	if from != "" {
		w.event(w.device, timeline.EventSettings, w.now, "answers come from "+from+", another address than was asked", map[string]string{AnsweredFrom: from})
	}
}
