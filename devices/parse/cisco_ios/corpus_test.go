package cisco_ios

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"whydrop/devices"
	"whydrop/devices/parse/internal/text"
)

// corpus is where other projects' captures lie beside the checkout, with what those projects read in them. They
// are read in place.
const corpus = "../../../../shared/corpus/cli"

// raw returns the captures of a command on both platforms.
func raw(t *testing.T, commands ...string) []string {
	t.Helper()
	if _, err := os.Stat(corpus); err != nil {
		t.Skip("no corpus beside the checkout")
	}
	var files []string
	for _, c := range commands {
		for _, platform := range []string{"cisco_ios", "cisco_iosxe"} {
			found, err := filepath.Glob(filepath.Join(corpus, platform, c, "*.raw"))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, found...)
		}
	}
	if len(files) == 0 {
		t.Fatal("the corpus holds no capture")
	}
	return files
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// tally counts fields that are as expected, and keeps those that are not.
type tally struct {
	fields, equal int
	wrong         []string
}

func (c *tally) check(where, field, got, want string) {
	c.fields++
	if got == want {
		c.equal++
		return
	}
	c.wrong = append(c.wrong, fmt.Sprintf("%s: %s is %q, want %q", where, field, got, want))
}

// report fails the test below 99 % and lists what differs.
func (c *tally) report(t *testing.T) {
	t.Helper()
	share := 100 * float64(c.equal) / float64(max(1, c.fields))
	t.Logf("%d of %d fields equal (%.2f %%)", c.equal, c.fields, share)
	for _, w := range c.wrong {
		t.Log(w)
	}
	if c.fields == 0 || share < 99 {
		t.Errorf("%.2f %% of %d fields are equal, want 99 %%", share, c.fields)
	}
}

func counter(o devices.Opt[devices.Counter]) string {
	if !o.OK {
		return ""
	}
	return strconv.FormatUint(o.Value.Value, 10)
}

func figure(o devices.Opt[float64]) string {
	if !o.OK {
		return ""
	}
	return strconv.FormatFloat(o.Value, 'f', -1, 64)
}

func TestCorpusEveryHeaderIsAnInterface(t *testing.T) {
	headers := 0
	for _, file := range raw(t, "show_interfaces", "show_interface_human_readable", "napalm_get_interfaces", "napalm_get_interfaces_counters") {
		if strings.Contains(file, "summary") {
			continue
		}
		output := read(t, file)
		want := 0
		for line := range strings.Lines(output) {
			first, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			if strings.Contains(line, ", line protocol is ") && strings.ContainsAny(first, "0123456789") || strings.HasPrefix(line, "pseudowire") {
				want++
			}
		}
		ports := ShowInterfaces(output)
		if len(ports) != want {
			t.Errorf("%s: %d interfaces, want %d", filepath.Base(file), len(ports), want)
		}
		for _, p := range ports {
			if !strings.Contains(output[p.From:p.To], p.Interface.Name) {
				t.Errorf("%s: %s is not at %d to %d", filepath.Base(file), p.Interface.Name, p.From, p.To)
			}
		}
		headers += want
	}
	t.Logf("%d headers", headers)
}

func TestCorpusInterfacesAsTemplatesReadThem(t *testing.T) {
	var c tally
	for _, file := range raw(t, "show_interfaces", "show_interface_human_readable") {
		output, err := os.ReadFile(strings.TrimSuffix(file, ".raw") + ".yml")
		if err != nil {
			continue
		}
		var want struct {
			Rows []map[string]any `yaml:"parsed_sample"`
		}
		if err := yaml.Unmarshal(output, &want); err != nil {
			t.Fatal(err)
		}
		ports := ShowInterfaces(read(t, file))
		if len(ports) != len(want.Rows) {
			t.Errorf("%s: %d interfaces, want %d", filepath.Base(file), len(ports), len(want.Rows))
			continue
		}
		for i, row := range want.Rows {
			checkRow(&c, filepath.Base(file), ports[i], row)
		}
	}
	c.report(t)
}

// checkRow compares the fields that a template and we both read.
func checkRow(c *tally, file string, p Port, row map[string]any) {
	i, e := p.Interface, p.Extra
	where := file + " " + i.Name
	field := func(name string) string { s, _ := row[name].(string); return s }
	plain := func(s string) string { return strings.ReplaceAll(s, ",", "") }
	mtu := ""
	if i.MTU.OK {
		mtu = fmt.Sprint(i.MTU.Value)
	}
	overrun := i.Overrun
	if overrun.OK && e.Ignored.OK {
		overrun.Value.Value -= e.Ignored.Value.Value
	}
	status := e.Protocol
	if e.Reason != "" {
		status += " (" + e.Reason + ")"
	}
	for _, x := range [][3]string{
		{"interface", i.Name, field("interface")}, {"link_status", e.Status, field("link_status")},
		{"hardware_type", e.Hardware, field("hardware_type")}, {"description", i.Alias, strings.TrimSpace(field("description"))},
		{"mtu", mtu, field("mtu")}, {"input_packets", counter(i.InPackets), plain(field("input_packets"))},
		{"output_packets", counter(i.OutPackets), plain(field("output_packets"))}, {"runts", counter(i.Runts), field("runts")},
		{"giants", counter(i.Giants), field("giants")}, {"input_errors", counter(i.InErrors), plain(field("input_errors"))},
		{"crc", counter(i.FCS), field("crc")}, {"frame", counter(i.Alignment), field("frame")},
		{"overrun", counter(overrun), plain(field("overrun"))}, {"output_errors", counter(i.OutErrors), field("output_errors")},
		{"queue_drops", counter(i.InputQueueDrop), field("queue_drops")}, {"queue_output_drops", counter(i.OutDrops), field("queue_output_drops")},
		{"input_pps", figure(e.InPacketRate), field("input_pps")}, {"output_pps", figure(e.OutPacketRate), field("output_pps")},
		{"input_rate", figure(e.InRate), field("input_rate")}, {"output_rate", figure(e.OutRate), field("output_rate")},
	} {
		c.check(where, x[0], x[1], x[2])
	}
	if strings.Contains(field("protocol_status"), "(") {
		c.check(where, "protocol_status", status, field("protocol_status"))
	}
	if want := strings.ToLower(field("duplex")); strings.HasPrefix(want, "full") || strings.HasPrefix(want, "half") {
		c.check(where, "duplex", i.Duplex.Value, want[:4])
	}
	if want, ok := text.Rate(field("speed")); ok {
		c.check(where, "speed", fmt.Sprint(i.Speed.Value), fmt.Sprint(uint64(want)))
	}
	if want, ok := text.Rate(field("bandwidth")); ok {
		c.check(where, "bandwidth", fmt.Sprint(e.Bandwidth.Value), fmt.Sprint(uint64(want)))
	}
	if want := field("media_type"); want != "" {
		c.check(where, "media_type", e.Media, want)
	}
}

func TestCorpusInterfacesAsParserReadsThem(t *testing.T) {
	var c tally
	for _, file := range raw(t, "show_interfaces") {
		output, err := os.ReadFile(strings.TrimSuffix(file, ".raw") + ".json")
		if err != nil {
			continue
		}
		var want map[string]map[string]any
		if err := json.Unmarshal(output, &want); err != nil {
			t.Fatal(err)
		}
		want = lowered(want) // it capitalises ucse1/0/0
		seen := map[string]bool{}
		for _, p := range ShowInterfaces(read(t, file)) {
			name := strings.ToLower(p.Interface.Name)
			w := want[name]
			if w == nil {
				t.Errorf("%s: %s is not expected", filepath.Base(file), p.Interface.Name)
				continue
			}
			seen[name] = true
			checkParsed(&c, filepath.Base(file), p, w)
		}
		for name := range want {
			if !seen[name] {
				t.Errorf("%s: %s is missing", filepath.Base(file), name)
			}
		}
	}
	c.report(t)
}

func lowered[V any](m map[string]V) map[string]V {
	out := make(map[string]V, len(m))
	for k, v := range m {
		out[strings.ToLower(k)] = v
	}
	return out
}

// checkParsed compares the fields that the other parser gives; what it leaves out is not compared.
func checkParsed(c *tally, file string, p Port, want map[string]any) {
	i, e := p.Interface, p.Extra
	at := func(path ...string) (string, bool) {
		var v any = want
		for _, k := range path {
			m, _ := v.(map[string]any)
			v = m[k]
		}
		if f, ok := v.(float64); ok {
			return strconv.FormatFloat(f, 'f', -1, 64), true
		}
		return fmt.Sprint(v), v != nil
	}
	overrun := i.Overrun
	if overrun.OK && e.Ignored.OK {
		overrun.Value.Value -= e.Ignored.Value.Value
	}
	seconds := ""
	if e.Interval.OK {
		seconds = fmt.Sprint(int(e.Interval.Value / time.Second))
	}
	for _, x := range []struct {
		got  string
		path []string
	}{
		{i.Oper.Value, []string{"line_protocol"}}, {fmt.Sprint(i.MTU.Value), []string{"mtu"}}, {i.Alias, []string{"description"}},
		{fmt.Sprint(e.Bandwidth.Value / 1000), []string{"bandwidth"}}, {e.Hardware, []string{"type"}},
		{i.LastClear.Value, []string{"counters", "last_clear"}}, {counter(i.InPackets), []string{"counters", "in_pkts"}},
		{counter(i.OutPackets), []string{"counters", "out_pkts"}}, {counter(i.InOctets), []string{"counters", "in_octets"}},
		{counter(i.OutOctets), []string{"counters", "out_octets"}}, {counter(i.InErrors), []string{"counters", "in_errors"}},
		{counter(i.OutErrors), []string{"counters", "out_errors"}}, {counter(i.FCS), []string{"counters", "in_crc_errors"}},
		{counter(i.Alignment), []string{"counters", "in_frame"}}, {counter(overrun), []string{"counters", "in_overrun"}},
		{counter(e.Ignored), []string{"counters", "in_ignored"}}, {counter(i.Runts), []string{"counters", "in_runts"}},
		{counter(i.Giants), []string{"counters", "in_giants"}}, {counter(i.InPause), []string{"counters", "in_mac_pause_frames"}},
		{counter(i.OutPause), []string{"counters", "out_mac_pause_frames"}}, {counter(i.Collisions), []string{"counters", "out_collision"}},
		{counter(i.LateCollisions), []string{"counters", "out_late_collision"}}, {counter(e.LostCarrier), []string{"counters", "out_lost_carrier"}},
		{counter(i.UnknownProtos), []string{"counters", "out_unknown_protocl_drops"}}, {counter(e.Resets), []string{"counters", "out_interface_resets"}},
		{counter(e.NoBuffer), []string{"counters", "in_no_buffer"}}, {counter(e.Underruns), []string{"counters", "out_underruns"}},
		{seconds, []string{"counters", "rate", "load_interval"}}, {figure(e.InRate), []string{"counters", "rate", "in_rate"}},
		{figure(e.OutRate), []string{"counters", "rate", "out_rate"}}, {figure(e.InPacketRate), []string{"counters", "rate", "in_rate_pkts"}},
		{figure(e.OutPacketRate), []string{"counters", "rate", "out_rate_pkts"}}, {counter(i.InputQueueDrop), []string{"queues", "input_queue_drops"}},
		{counter(i.OutDrops), []string{"queues", "total_output_drop"}}, {fmt.Sprintf("%d/255", e.Reliability.Value), []string{"reliability"}},
		{fmt.Sprintf("%d/255", e.TxLoad.Value), []string{"txload"}}, {fmt.Sprintf("%d/255", e.RxLoad.Value), []string{"rxload"}},
	} {
		if w, ok := at(x.path...); ok {
			c.check(file+" "+i.Name, strings.Join(x.path, "."), x.got, w)
		}
	}
	if w, ok := at("enabled"); ok {
		c.check(file+" "+i.Name, "enabled", fmt.Sprint(i.Admin.Value == "up"), w)
	}
	if w, ok := at("duplex_mode"); ok && w != "auto" {
		c.check(file+" "+i.Name, "duplex_mode", i.Duplex.Value, w)
	}
	if w, ok := at("port_speed"); ok {
		v, _ := text.Rate(w)
		c.check(file+" "+i.Name, "port_speed", fmt.Sprint(i.Speed.Value), fmt.Sprint(uint64(v)))
	}
}

func TestCorpusSpanningTree(t *testing.T) {
	var c tally
	for _, file := range raw(t, "show_spanning_tree_detail") {
		output, err := os.ReadFile(strings.TrimSuffix(file, ".raw") + ".json")
		if err != nil {
			continue
		}
		var want map[string]map[string]any
		if err := json.Unmarshal(output, &want); err != nil {
			t.Fatal(err)
		}
		trees := ShowSpanningTreeDetail(read(t, file))
		n := 0
		for _, protocol := range want {
			for _, list := range []string{"vlans", "mst_instances"} {
				instances, _ := protocol[list].(map[string]any)
				for id, w := range instances {
					n++
					checkTree(&c, filepath.Base(file), id, trees, w.(map[string]any))
				}
			}
		}
		if n != len(trees) {
			t.Errorf("%s: %d instances, want %d", filepath.Base(file), len(trees), n)
		}
	}
	c.report(t)
}

func checkTree(c *tally, file, id string, trees []SpanningTree, want map[string]any) {
	where := file + " " + id
	for _, tree := range trees {
		if strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(tree.Name, "VLAN"), "MST"), "0") != strings.TrimLeft(id, "0") {
			continue
		}
		b := tree.Bridge
		c.check(where, "topology_changes", counter(b.TopologyChanges), fmt.Sprint(want["topology_changes"]))
		if from, ok := want["topology_from_port"]; ok {
			c.check(where, "topology_from_port", b.ChangeFrom.Value, fmt.Sprint(from))
		}
		if d, ok := text.Ago(fmt.Sprint(want["time_since_topology_change"])); ok {
			c.check(where, "time_since_topology_change", b.SinceChange.Value.String(), d.String())
		}
		if port, ok := want["root_port_name"]; ok {
			c.check(where, "root_port", b.RootPort.Value, fmt.Sprint(port))
		}
		ports, _ := want["interfaces"].(map[string]any)
		c.check(where, "ports", fmt.Sprint(len(tree.Ports)), fmt.Sprint(len(ports)))
		for _, p := range tree.Ports {
			w, _ := ports[p.Name].(map[string]any)
			c.check(where+" "+p.Name, "status", p.Role+" "+p.State, fmt.Sprint(w["status"]))
			c.check(where+" "+p.Name, "cost", fmt.Sprint(p.Cost.Value), fmt.Sprint(w["cost"]))
			c.check(where+" "+p.Name, "transitions", counter(p.Transitions), fmt.Sprint(w["number_of_forward_transitions"]))
		}
		return
	}
	c.check(where, "instance", "", id)
}

func TestCorpusLogging(t *testing.T) {
	var c tally
	for _, file := range raw(t, "show_logging") {
		output, err := os.ReadFile(strings.TrimSuffix(file, ".raw") + ".yml")
		if err != nil {
			ShowLogging(read(t, file), asked) // no rows to compare with
			continue
		}
		var want struct {
			Rows []map[string]any `yaml:"parsed_sample"`
		}
		if err := yaml.Unmarshal(output, &want); err != nil {
			t.Fatal(err)
		}
		var rows []map[string]any
		for _, row := range want.Rows {
			// A debug line has no severity, and a line whose front was overwritten no month: the one is no message,
			// the other is left out.
			if row["severity"] != "" && row["month"] != "" {
				rows = append(rows, row)
			}
		}
		var got []devices.LogLine
		for _, l := range ShowLogging(read(t, file), asked) {
			if l.Mnemonic != "" {
				got = append(got, l)
			}
		}
		if len(got) != len(rows) {
			t.Errorf("%s: %d lines, want %d", filepath.Base(file), len(got), len(rows))
			continue
		}
		for i, row := range rows {
			where := fmt.Sprintf("%s line %d", filepath.Base(file), i)
			c.check(where, "facility", got[i].Facility, fmt.Sprint(row["facility"]))
			c.check(where, "severity", fmt.Sprint(got[i].Severity.Value), fmt.Sprint(row["severity"]))
			c.check(where, "mnemonic", got[i].Mnemonic, fmt.Sprint(row["mnemonic"]))
			message, _ := row["message"].([]any)
			first, _, _ := strings.Cut(got[i].Message, "\n")
			c.check(where, "message", first, strings.TrimSpace(fmt.Sprint(message[0])))
			clk, _, _ := strings.Cut(fmt.Sprint(row["time"]), ".")
			zone, _ := time.LoadLocation("UTC")
			if z := fmt.Sprint(row["timezone"]); z == "EST" {
				zone = time.FixedZone(z, -5*3600)
			}
			c.check(where, "time", got[i].Time.Value.In(zone).Format("Jan 2 15:04:05"), fmt.Sprintf("%s %s %s", row["month"], row["day"], clk))
		}
	}
	c.report(t)
}
