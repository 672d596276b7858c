// Command bench prints the figures of the devices: what is measured, how, and what came of it.
//
//	go run ./devices/bench [--quick|--full] [-cpuprofile FILE] [NAME [ARGUMENT...]]
//
// Without a name it prints all figures. --quick, the default, takes seconds; --full takes minutes.
package main

import (
	"flag"
	"fmt"
	"os"
)

// figures lists what can be measured; an entry is a file of its name.
var figures = []figure{
	{"counters", "what is made of counters over random histories", counters},
	{"syslog", "what is understood of other projects' log lines", lines},
	{"walks", "what is read of recorded devices, against snmpbulkwalk", walks},
	{"snmp", "processor time of SNMP beside net-snmp and an exporter, and fleets at 1 Hz", snmpSpeed},
	{"cli", "what the parsers of command lines read of other projects' captures", cli},
	{"parse", "how long show interfaces takes to parse, beside TextFSM", parseSpeed},
}

// figure is one measurement. run prints it and returns whether what is asked for is met.
type figure struct {
	name, what string
	run        func(full bool, args []string) error
}

// parts are what this program does as a child of itself, by its first argument: what devices do, so that its processor
// time is told apart.
var parts = map[string]func(args []string) error{"agents": serveAgents}

func main() {
	if len(os.Args) > 1 && parts[os.Args[1]] != nil {
		if err := parts[os.Args[1]](os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	quick := flag.Bool("quick", false, "little, in seconds (the default)")
	full := flag.Bool("full", false, "all of it")
	flag.StringVar(&profiles, "cpuprofile", "", "write profiles of what is measured to `file`.1 and so on")
	flag.Usage = usage
	flag.Parse()
	name, args := "", flag.Args()
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	// Flags may stand behind the name.
	rest := args[:0]
	for _, a := range args {
		switch a {
		case "--full", "-full":
			*full = true
		case "--quick", "-quick":
			*quick = true
		default:
			rest = append(rest, a)
		}
	}
	os.Exit(run(name, rest, *full && !*quick))
}

// run prints the figures of that name, or all, and returns the program's exit code.
func run(name string, args []string, full bool) int {
	ran, failed := false, false
	for _, f := range figures {
		if name != "" && name != f.name {
			continue
		}
		ran = true
		fmt.Printf("== %s: %s\n", f.name, f.what)
		if err := f.run(full, args); err != nil {
			fmt.Printf("NOT MET: %v\n", err)
			failed = true
		}
	}
	switch {
	case !ran:
		usage()
		return 2
	case failed:
		return 1
	}
	return 0
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: bench [--quick|--full] [NAME [ARGUMENT...]]")
	for _, f := range figures {
		fmt.Fprintf(os.Stderr, "  %-10s %s\n", f.name, f.what)
	}
}
