package ingest

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"whydrop/correlate/timeline"
	"whydrop/rules"
)

func read(texts ...string) Result {
	var c Collection
	for i, s := range texts {
		c.Add(string(rune('a'+i))+".txt", []byte(s))
	}
	return c.Result()
}

func kinds(r Result) string {
	var out []string
	for _, b := range r.Blocks {
		out = append(out, b.Where+" "+b.Kind)
	}
	return strings.Join(out, ", ")
}

func TestWordsInFrontOfARun(t *testing.T) {
	gig, fast := 1e9, 100e6
	for words, c := range map[string]struct {
		medium rules.Medium
		line   *float64
	}{
		"We connected the two servers with a direct cable and measured again:":                      {rules.MediumDirect, nil},
		"Jetzt ohne Switch, beide Rechner direkt verbunden:":                                        {rules.MediumDirect, nil},
		"Escenario 2: con un cable derecho entre las dos placas de red de los equipos":              {rules.MediumDirect, nil},
		"Maintenant avec un câble croisé entre les deux machines, pour voir la différence :":        {rules.MediumDirect, nil},
		"Koneet kytketty suoraan toisiinsa ilman kytkintä, sama testi uudestaan tässä:":             {rules.MediumDirect, nil},
		"Komputery połączone bezpośrednio kablem, ten sam test jeszcze raz:":                        {rules.MediumDirect, nil},
		"Через коммутатор, потом напрямую; здесь результат для прямого соединения напрямую":         {rules.MediumDirect, nil},
		"Über den Switch im Keller gemessen, wie am Vortag auch schon einmal:":                      {rules.MediumSwitch, nil},
		"Prueba con port de 100 en SW Cisco Catalyst (muestra cada 1 segundo):":                     {rules.MediumSwitch, &fast},
		"In diesem Fall wird die Leistung einer 1 GBit Netzwerkkarte gemessen.":                     {"", &gig},
		"Both hosts have gigabit ethernet cards, and the uplink is 10/100/1000 capable, 1000 Mbps:": {"", &gig},
		"We reached 87 Mbit/s yesterday and 93.4 Mbps the day before, here is today:":               {"", nil},
		"The disk writes 100 MB/s, so the disk is not it. Here is what the network gives:":          {"", nil},
		"Server2:": {"", nil},
		"":         {"", nil},
	} {
		lines := nearest("some earlier sentence that must not matter: 10 Gbit/s line, direct cable\n" + words + "\n\n")
		if words == "Server2:" || words == "" {
			lines = nearest(words)
		}
		if got := mediumOf(lines); got != c.medium {
			t.Errorf("%q: medium %q, want %q", words, got, c.medium)
		}
		got := lineOf(lines)
		if (got == nil) != (c.line == nil) || got != nil && *got != *c.line {
			t.Errorf("%q: line %v, want %v", words, got, c.line)
		}
	}
}

func TestBlocksAreToldApart(t *testing.T) {
	const (
		iperf = "[ 3] local 192.0.2.1 port 50000 connected with 192.0.2.2 port 5001\n[ 3] 0.0-10.0 sec 100 MBytes 83.9 Mbits/sec\n"
		port  = "sw1#sh int Gi0/1\nGigabitEthernet0/1 is up, line protocol is up (connected)\n  MTU 1500 bytes, BW 1000000 Kbit/sec\n  Full-duplex, 1000Mb/s\n     5 packets input, 500 bytes, 0 no buffer\n"
		log   = "Mar  1 10:00:00.100: %LINK-3-UPDOWN: Interface GigabitEthernet0/1, changed state to down\n"
		rows  = "Fenstergrößen:\n- 8KB: 10Mbps\n- 16KB: 20Mbps\n"
	)
	for name, c := range map[string]struct{ text, want string }{
		"all in one":      {"Hallo,\n" + iperf + "und\n" + port + "sowie\n" + log + "und\n" + rows, "a.txt:2 iperf2, a.txt:6 show-interfaces, a.txt:11 syslog, a.txt:14 rate-list, a.txt:1 prose"},
		"only prose":      {"The network is slow.\n", "a.txt:1 prose"},
		"one row is none": {"- 8KB: 10Mbps\n", "a.txt:1 prose"},
		"nothing":         {"", "a.txt:1 prose"},
		"rates in prose":  {"It was 10 Mbps at 8 KB and 20 Mbps at 16 KB, they say.\n", "a.txt:1 prose"},
		"per cent":        {"The load is 50 %-ish: fine.\n", "a.txt:1 prose"},
	} {
		if got := kinds(read(c.text)); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestRowsOfAList(t *testing.T) {
	for row, want := range map[string]rules.Point{
		"- 64KB: 739Mbps":         {Size: 64 << 10, Rate: 739e6},
		"* 1 MB -> 94.5 Mbit/s":   {Size: 1 << 20, Rate: 94.5e6},
		"16 KiB | 12,5 MB/s":      {Size: 16 << 10, Rate: 100e6},
		"-w 128K = 1.2 Gbits/sec": {Size: 128 << 10, Rate: 1.2e9},
		"2) 32k: 500 kbps":        {Size: 32 << 10, Rate: 500e3},
	} {
		m := listRow.FindStringSubmatch(row)
		if m == nil {
			t.Errorf("%q is not taken for a row", row)
			continue
		}
		got, ok := point(m, row)
		if !ok || got.Size != want.Size || got.Rate != want.Rate {
			t.Errorf("%q: got %+v", row, got)
		}
	}
	for _, row := range []string{"08:15: 100 Mbps", "64 bytes: 10 ms", "- 739Mbps", "eth0: 100 Mbps", "64KB: 739", "2026-03-03 10 Mbps"} {
		if m := listRow.FindStringSubmatch(row); m != nil {
			t.Errorf("%q is taken for a row: %q", row, m)
		}
	}
}

func TestListsOfPacketSizesAreNoWindows(t *testing.T) {
	for text, want := range map[string]bool{
		"Windows tried:\n- 8KB: 10Mbps\n- 16KB: 20Mbps\n- 64KB: 80Mbps\n":   true,
		"Tamanho da janela:\n- 8KB: 10Mbps\n- 16KB: 20Mbps\n":               true,
		"Packet sizes:\n- 1KB: 10Mbps\n- 2KB: 20Mbps\n- 8KB: 80Mbps\n":      false,
		"Größe der Datei:\n- 1MB: 10Mbps\n- 100MB: 20Mbps\n- 1GB: 80Mbps\n": false,
		"Some sizes:\n- 4KB: 10Mbps\n- 64KB: 80Mbps\n":                      true,
		"Some sizes:\n- 4KB: 10Mbps\n- 8KB: 11Mbps\n":                       false,
	} {
		r := read(text)
		if len(r.Pasted.Lists) != 1 || r.Pasted.Lists[0].Window != want {
			t.Errorf("%q: %+v", text, r.Pasted.Lists)
		}
	}
}

func TestBothEndsAreOneRun(t *testing.T) {
	client := "Client connecting to 192.0.2.2, TCP port 5001\nTCP window size: 63.0 KByte (default)\n[  3] local 192.0.2.1 port 50000 connected with 192.0.2.2 port 5001\n[  3]  0.0-10.0 sec  112 MBytes  94.4 Mbits/sec\n"
	server := "Server listening on TCP port 5001\nTCP window size: 85.3 KByte (default)\n[  4] local 192.0.2.2 port 5001 connected with 192.0.2.1 port 50000\n[  4]  0.0-10.1 sec  112 MBytes  93.2 Mbits/sec\n"
	for name, r := range map[string]Result{"client first": read(client + "\nand the server:\n" + server), "server first, two files": read(server, client)} {
		if len(r.Pasted.Runs) != 1 {
			t.Errorf("%s: %d runs", name, len(r.Pasted.Runs))
			continue
		}
		x := r.Pasted.Runs[0]
		if x.Client != "192.0.2.1" || x.Server != "192.0.2.2" || x.Rate != 93.2e6 || x.Sent == nil || *x.Sent != 94.4e6 {
			t.Errorf("%s: %+v", name, x)
		}
		if x.Window == nil || x.Window.Printed != "63.0 KByte" || x.ServerWindow == nil || x.ServerWindow.Printed != "85.3 KByte" {
			t.Errorf("%s: windows %v, %v", name, x.Window, x.ServerWindow)
		}
	}
}

func TestTimesAreGivenOrMadeUp(t *testing.T) {
	r := read("[ 3] 0.0-10.0 sec 100 MBytes 83.9 Mbits/sec\n", "[ 3] 0.0-10.0 sec 100 MBytes 83.9 Mbits/sec\n")
	if !r.Undated || len(r.Notes) != 1 {
		t.Errorf("undated %v, warnings %q", r.Undated, r.Notes)
	}
	var spans []timeline.Span
	for _, rec := range r.Records {
		spans = append(spans, rec.Covers())
	}
	if len(spans) != 2 || spans[0].Overlaps(spans[1]) || spans[0].From != epoch {
		t.Errorf("spans %v", spans)
	}
	r = read(`{"start": {"connected": [], "timestamp": {"timesecs": 1772532000}, "test_start": {"protocol": "TCP"}}, "intervals": [], "end": {"sum_received": {"start": 0, "end": 5, "bytes": 100, "bits_per_second": 160}}}`)
	if r.Undated || len(r.Notes) != 0 || len(r.Records) != 1 || !r.Records[0].Covers().From.Equal(time.Unix(1772532000, 0)) {
		t.Errorf("undated %v, warnings %q, %v", r.Undated, r.Notes, r.Records)
	}
}

func TestTextInUTF16(t *testing.T) {
	text := "\ufeff[ 3] 0.0-10.0 sec 100 MBytes 83.9 Mbits/sec\r\n"
	var little, big []byte
	for _, u := range utf16.Encode([]rune(text)) {
		little = append(little, byte(u), byte(u>>8))
		big = append(big, byte(u>>8), byte(u))
	}
	for name, b := range map[string][]byte{"little endian": little, "big endian": big, "UTF-8 with a mark": []byte(text)} {
		var c Collection
		c.Add("x", b)
		if r := c.Result(); len(r.Pasted.Runs) != 1 {
			t.Errorf("%s: %q", name, kinds(r))
		}
	}
}

func TestDevicesAreNamedByPromptOrLog(t *testing.T) {
	r := read("core-1.example(config)#do show logging\nMar  1 10:00:00.100: %LINK-3-UPDOWN: Interface Gi0/1, changed state to down\n" +
		"text\nMar  1 10:00:01 edge7.example.net 12: Mar  1 10:00:00.900: %LINK-3-UPDOWN: Interface Gi0/2, changed state to down\n")
	var got []string
	for _, e := range r.Pasted.Events {
		got = append(got, e.Subject.String())
	}
	if s := strings.Join(got, ", "); s != "core-1.example Gi0/1, edge7 Gi0/2" {
		t.Errorf("got %q", s)
	}
}

func TestCountersClearedNotLongAgoAreAboutNow(t *testing.T) {
	block := func(cleared string) string {
		return "sw1#show interfaces Gi0/1\nGigabitEthernet0/1 is up, line protocol is up\n  MTU 1500 bytes, BW 1000000 Kbit/sec\n  Full-duplex, 1000Mb/s\n  Last clearing of \"show interface\" counters " + cleared +
			"\n     5000 packets input, 500000 bytes, 0 no buffer\n     40 input errors, 40 CRC, 0 frame, 0 overrun, 0 ignored\n"
	}
	for cleared, now := range map[string]bool{"00:12:40": true, "23:59:59": true, "never": false, "2d03h": false, "4w2d": false, "00:00:00": false} {
		p := read(block(cleared)).Pasted.Ports
		if len(p) != 1 || (p[0].Counts[timeline.InFCS] == 40) != now || (p[0].Totals[timeline.InFCS] == 40) == now {
			t.Errorf("%s: %+v", cleared, p)
		}
	}
}

func TestSnapshotsAcrossAClearGiveNoCounts(t *testing.T) {
	block := func(crc string) string {
		return "sw1#show interfaces Gi0/1\nGigabitEthernet0/1 is up, line protocol is up\n  MTU 1500 bytes, BW 1000000 Kbit/sec\n  Full-duplex, 1000Mb/s\n  Last clearing of \"show interface\" counters never\n" +
			"     5000 packets input, 500000 bytes, 0 no buffer\n     " + crc + " input errors, " + crc + " CRC, 0 frame, 0 overrun, 0 ignored\n"
	}
	p := read(block("4000"), block("10")).Pasted.Ports
	if len(p) != 1 || p[0].Counts[timeline.InFCS] > 0 {
		t.Errorf("%+v", p)
	}
}

func TestPingGivesTheRoundTrip(t *testing.T) {
	run := "[ 3] local 192.0.2.1 port 50000 connected with 192.0.2.2 port 5001\n[ 3] 0.0-10.0 sec 100 MBytes 83.9 Mbits/sec\n"
	for name, c := range map[string]struct {
		ping string
		rtt  float64 // seconds; 0: none
	}{
		"Linux":                {"PING 192.0.2.2 (192.0.2.2) 56(84) bytes of data.\n10 packets transmitted, 9 received, 10% packet loss, time 9ms\nrtt min/avg/max/mdev = 30.1/31.5/33.0/0.9 ms\n", 0.0315},
		"macOS":                {"PING 192.0.2.2 (192.0.2.2): 56 data bytes\nround-trip min/avg/max/stddev = 30.1/31.5/33.0/0.9 ms\n", 0.0315},
		"Windows":              {"Ping statistics for 192.0.2.2:\n    Packets: Sent = 4, Received = 4, Lost = 0 (0% loss),\n    Minimum = 30ms, Maximum = 33ms, Average = 31ms\n", 0.031},
		"Windows, in German":   {"Ping-Statistik für 192.0.2.2:\n    Minimum = 30ms, Maximum = 33ms, Mittelwert = 31ms\n", 0.031},
		"IOS":                  {"Sending 5, 100-byte ICMP Echos to 192.0.2.2, timeout is 2 seconds:\nSuccess rate is 100 percent (5/5), round-trip min/avg/max = 30/31/33 ms\n", 0.031},
		"another host":         {"PING 198.51.100.9 (198.51.100.9) 56(84) bytes of data.\nrtt min/avg/max/mdev = 30.1/31.5/33.0/0.9 ms\n", 0},
		"less than it can say": {"Ping statistics for 192.0.2.2:\n    Minimum = 0ms, Maximum = 0ms, Average = 0ms\n", 0},
	} {
		r := read(run + "\n" + c.ping)
		if len(r.Pasted.Runs) != 1 {
			t.Fatalf("%s: %q", name, kinds(r))
		}
		got := 0.0
		if v := r.Pasted.Runs[0].RTT; v != nil {
			got = *v
		}
		if got != c.rtt || !strings.Contains(kinds(r), " ping") {
			t.Errorf("%s: round trip %v, want %v; %q", name, got, c.rtt, kinds(r))
		}
	}
}

func FuzzAdd(f *testing.F) {
	f.Add([]byte("sw1#sh int\nGigabitEthernet0/1 is up, line protocol is up\n  MTU 1500 bytes\n%LINK-3-UPDOWN: Interface Gi0/1, changed state to down\n- 8KB: 10Mbps\n- 16KB: 20Mbps\n[ 3] 0.0-10.0 sec 100 MBytes 83.9 Mbits/sec\n"))
	f.Add([]byte{0xFF, 0xFE, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		var c Collection
		c.Add("x", b)
		r := c.Result()
		rules.EvaluatePasted(r.Pasted)
		timeline.NewSnapshot(r.Records...)
	})
}

func TestPingsAreReadWithWhatTheyWereAsked(t *testing.T) {
	const none = "4 packets transmitted, 0 received, 100% packet loss, time 3055ms\n"
	for _, tt := range []struct {
		text string
		size int
		df   bool
		loss float64
	}{
		{"$ ping -M do -s 1472 192.0.2.1\n" + none, 1472, true, 1},
		{"% ping -D -s 1472 192.0.2.1\n4 packets transmitted, 0 packets received, 100.0% packet loss\n", 1472, true, 1},
		{"C:\\> ping -f -l 1472 192.0.2.1\nPackets: Sent = 4, Received = 0, Lost = 4 (100% loss),\n", 1472, true, 1},
		{"rtr#ping 192.0.2.1 size 1500 df-bit\nSuccess rate is 0 percent (0/5)\n", 1500, true, 1},
		{"# ping -f -c 1000 192.0.2.1\n1000 packets transmitted, 990 received, 1% packet loss, time 12ms\n", 0, false, 0.01},
		{"$ ping -D 192.0.2.1\n" + none, 0, false, 1},
		{"$ ping 192.0.2.1\nPING 192.0.2.1 (192.0.2.1) 56(84) bytes of data.\n" + none, 0, false, 1},
	} {
		var c Collection
		c.Add("x.txt", []byte(tt.text))
		got := c.Result().Pings
		if len(got) != 1 {
			t.Errorf("%q: %d pings, want one", tt.text, len(got))
			continue
		}
		p := got[0]
		if p.DF != tt.df || tt.size > 0 && p.Size != tt.size || p.Loss == nil || math.Abs(*p.Loss-tt.loss) > 1e-9 || p.Host != "192.0.2.1" {
			t.Errorf("%q: %+v, want size %d, DF %v, loss %g", tt.text, p, tt.size, tt.df, tt.loss)
		}
	}
}

func TestLostEchoesInEveryLanguage(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		lost float64 // -1: it is no ping
	}{
		"English":                        {"20 packets transmitted, 19 received, 5% packet loss, time 19021ms", 0.05},
		"BSD":                            {"20 packets transmitted, 19 packets received, 5.0% packet loss", 0.05},
		"with errors":                    {"20 packets transmitted, 18 received, +2 errors, 10% packet loss, time 19021ms", 0.1},
		"German":                         {"20 Pakete übertragen, 15 empfangen, 25% Paketverlust, Zeit 19021ms", 0.25},
		"German, in part":                {"20 Pakete übertragen, 15 empfangen, 25% packet loss, time 19021ms", 0.25},
		"French":                         {"8 paquets transmis, 6 reçus, 25% de paquets perdus, temps 7010 ms", 0.25},
		"Spanish":                        {"8 paquetes transmitidos, 6 recibidos, 25% pérdida de paquetes, tiempo 7010ms", 0.25},
		"Portuguese":                     {"8 pacotes transmitidos, 6 recebidos, 25% perda de pacote, tempo 7010ms", 0.25},
		"Italian":                        {"8 pacchetti trasmessi, 6 ricevuti, 25% packet loss, tempo 7010ms", 0.25},
		"Polish":                         {"8 pakietów wysłanych, 6 odebranych, 25% straconych pakietów, czas 7010ms", 0.25},
		"Russian":                        {"8 пакетов передано, 6 получено, 25% потеряно, время 7010ms", 0.25},
		"Ukrainian, a comma":             {"800 пакетів надіслано, 799 отримано, 0,125% втрачено, час 7010мс", 0.00125},
		"Chinese":                        {"已发送 8 个包， 已接收 6 个包, 25% 包丢失, 耗时 7010 毫秒", 0.25},
		"a sentence with three numbers":  {"12 switches, 3 of them new, 20% packet loss on one", -1},
		"figures that are no losses":     {"10 ports, 9 up, 10% idle", -1},
		"Cisco, without a sum":           {"Sending 10, 100-byte ICMP Echos to 192.0.2.1, timeout is 2 seconds:\n!!!!.!!!!.", 0.2},
		"Cisco, over two lines":          {"r1#ping 192.0.2.1 repeat 140\n" + strings.Repeat("!", 70) + "\n" + strings.Repeat("!", 63) + ".......", 0.05},
		"Cisco, the first waits for ARP": {"Sending 5, 100-byte ICMP Echos to 192.0.2.1, timeout is 2 seconds:\n.!!!!\nSuccess rate is 80 percent (4/5), round-trip min/avg/max = 1/2/4 ms", 0},
		"dots between sentences":         {"and then\n.....\n", -1},
	} {
		t.Run(name, func(t *testing.T) {
			r := read(c.text + "\n")
			switch {
			case len(r.Pings) == 0 && c.lost >= 0:
				t.Error("no ping was found")
			case len(r.Pings) > 0 && (c.lost < 0 || len(r.Pings) > 1 || r.Pings[0].Loss == nil || math.Abs(*r.Pings[0].Loss-c.lost) > 1e-9):
				t.Errorf("%d pings, loss %v, want %v", len(r.Pings), r.Pings[0].Loss, c.lost)
			}
		})
	}
}

func TestQuotationsAndBlocksOfCodeAreRead(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"a quotation":                        {"> a\n> > b\n>\n> c", "a\nb\n\nc"},
		"a single mark is none":              {"> a\nb", "> a\nb"},
		"a block of code":                    {"so:\n\n    sw1#show x\n      deeper\n\n    end\nbye", "so:\n\nsw1#show x\n  deeper\n\nend\nbye"},
		"lines below a title that is not":    {"2: eth0\n    link\n    RX:", "2: eth0\n    link\n    RX:"},
		"the first is deeper than the next":  {"\n        a\n    b", "\n        a\n    b"},
		"little indentation belongs to text": {"\n  a\n  b", "\n  a\n  b"},
	} {
		if got := unquoted(c.in); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
