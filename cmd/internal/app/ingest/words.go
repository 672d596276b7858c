package ingest

import (
	"regexp"
	"strconv"
	"strings"

	"whydrop/rules"
)

// The words in front of a measurement tell how the hosts were connected and how fast the line is said to be. They
// are looked for in the last lines before it, in the languages that people write to us in.

// nearLine is how long a line must be to be a sentence; shorter ones ("Server 2:") do not end the look back.
const nearLine = 40

// nearest returns the lines in front of a measurement that belong to it, the closest first.
func nearest(before string) []string {
	lines := strings.Split(before, "\n")
	var out []string
	for i := len(lines) - 1; i >= 0 && len(out) < 4; i-- {
		line := strings.TrimSpace(noSpaces.Replace(lines[i]))
		if line == "" || strings.Trim(line, "-=_*# ") == "" {
			continue
		}
		const enough = 400
		if len(line) > enough {
			line = line[len(line)-enough:]
		}
		out = append(out, line)
		if len(line) >= nearLine {
			break
		}
	}
	return out
}

var noSpaces = strings.NewReplacer("\u00a0", " ", "\u2007", " ", "\u2009", " ", "\u202f", " ", "\r", "")

// direct lists how people say that a cable is all that lies between two hosts.
var direct = words(
	`direct(ly)? (cable|connect|link|attach)`, `back[ -]to[ -]back`, `cross-?over`, `point[ -]to[ -]point`, `without (the |a |any )?switch`, `no switch`, `host[ -]to[ -]host cable`,
	`direkt(e[nmrs]?)? (kabel|leitung|verkabel|verbind|verbund|mit dem|gesteckt|angeschlossen|am)`, `ohne (den |einen )?switch`, `cross-?kabel`, `gekreuzt`,
	`cable (derecho|cruzado|directo)`, `conexi[oó]n directa`, `conectad[oa]s? direct`, `directamente`, `sin (el |un )?switch`,
	`cabo (direto|cruzado|direito)`, `diretamente`, `sem (o |um )?switch`,
	`c[âa]ble (direct|crois)`, `directement`, `sans (le |un )?(switch|commutateur)`,
	`cavo (diretto|incrociato|cross)`, `direttamente`, `senza (lo |uno )?switch`,
	`bezpo[śs]redni`, `krosow`, `skrosowan`, `bez (switcha|prze[łl][ąa]cznika)`,
	`suoraan`, `ristikaapeli`, `ilman kytkint`, `rechtstreeks`, `zonder switch`, `utan (en )?switch`, `direktkoppl`, `korsad kabel`, `přímo`, `bez switche`, `doğrudan`,
	`напрямую`, `без коммутатора`, `кроссовер`, `безпосередньо`, `直连`, `直接连接`, `直結`, `クロスケーブル`)

// switched lists how people say that a switch lies between.
var switched = words(`switch`, `kytkin`, `kytkim`, `prze[łl][ąa]cznik`, `commutateur`, `commutatore`, `conmutador`, `comutador`, `коммутатор`, `交换机`, `スイッチ`, `přepínač`, `\bsw\b`, `catalyst`)

func words(patterns ...string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)` + strings.Join(patterns, "|"))
}

// mediumOf tells how the hosts were connected.
func mediumOf(lines []string) rules.Medium {
	for _, l := range lines {
		switch {
		case direct.MatchString(l):
			return rules.MediumDirect
		case switched.MatchString(l):
			return rules.MediumSwitch
		}
	}
	return rules.MediumUnknown
}

var (
	speedWithUnit = regexp.MustCompile(`(?:^|[^\d.,])(\d{1,4}(?:[.,]\d)?)\s?-?(G|M|g|m)(?:[Bb]it|[Bb]its|[Bb]ps|[Bb]/s|bE|BE|b|E)(?:[^A-Za-z]|[A-Za-z]|$)`)
	speedOfPort   = regexp.MustCompile(`(?i)\b(?:port|porta|porte|puerto|puertos|anschluss|schnittstelle|interfaz|interfaces?|portti|gniazdo|link|enlace|carte|karte|placa|card|nic)\w{0,3}\s+(?:de|of|a|à|at|mit|con|com|with|da|di|do|w|o)?\s*(10|100|1000|10000)\b`)
	gigabit       = regexp.MustCompile(`(?i)giga[ -]?(bit|ethernet|port|lan)|\bgig\b|\bgbe\b|gbit-`)
	fastEthernet  = regexp.MustCompile(`(?i)fast[ -]?ethernet`)
	bytesUnit     = regexp.MustCompile(`\d\s?[MGmg](?:B|Bytes?|B/s|Bps)\b`)
)

// lineOf returns the rate in bit/s that the words give the line; nil if they give none. Only rates that Ethernet
// has are taken, so that a rate that was measured is not.
func lineOf(lines []string) *float64 {
	for _, l := range lines {
		l = bytesUnit.ReplaceAllString(l, " ")
		best := 0.0
		for _, m := range speedWithUnit.FindAllStringSubmatch(l, -1) {
			v, err := strconv.ParseFloat(strings.Replace(m[1], ",", ".", 1), 64)
			if err != nil {
				continue
			}
			if strings.EqualFold(m[2], "g") {
				v *= 1e9
			} else {
				v *= 1e6
			}
			if isEthernet(v) {
				best = max(best, v)
			}
		}
		for _, m := range speedOfPort.FindAllStringSubmatch(l, -1) {
			v, _ := strconv.ParseFloat(m[1], 64)
			best = max(best, v*1e6)
		}
		if best == 0 && gigabit.MatchString(l) {
			best = 1e9
		}
		if best == 0 && fastEthernet.MatchString(l) {
			best = 100e6
		}
		if best > 0 {
			return &best
		}
	}
	return nil
}

func isEthernet(v float64) bool {
	for _, e := range []float64{10e6, 100e6, 1e9, 2.5e9, 5e9, 10e9, 25e9, 40e9, 100e9} {
		if v == e {
			return true
		}
	}
	return false
}

// windowWords say that sizes are TCP windows, packetWords that they are not.
var (
	windowWords = words(`window`, `fenster`, `ventana`, `janela`, `fen[êe]tre`, `finestra`, `okn[oa]`, `ikkuna`, `venster`, `f[öo]nster`, `okno`, `окн`, `窗口`, `ウィンドウ`, `pencere`, `buffer`, `puffer`, `\B-w\b`, `rcvbuf|sndbuf|wmem|rmem`)
	packetWords = words(`packet`, `paket`, `paquete`, `pacote`, `paquet`, `pacchett`, `pakiet`, `paketti`, `datagram`, `frame`, `trama`, `mtu`, `mss`, `block`, `\B-l\b`, `file`, `datei`, `archivo|fichero`, `arquivo|ficheiro`, `fichier`, `plik`, `tiedosto`, `пакет`, `файл`)
)
