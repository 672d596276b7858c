package cli

import (
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"

	"whydrop/devices"
	"whydrop/devices/cli/clitest"
)

const (
	exosErrors = "Port Rx Error monitor\nPort      Link    Rx      Rx\n          State   Crc     Lost\n================================\n1:5       A          41       7\n================================\n"
	exosDetail = "Port:\t1:5\n\tAdmin state:\tEnabled with 10G full-duplex\n\tLink State:\tActive, 10Gbps, full-duplex\n\tLink Ups:\t 4\t Last: Mon Nov 30 09:12:24 2026\n"
)

func TestExtremeXOSCountsInItsPrompt(t *testing.T) {
	for _, platform := range []string{"extreme_exos", "exos", ""} {
		t.Run("platform "+strconv.Quote(platform), func(t *testing.T) {
			t.Parallel()
			var n atomic.Int32
			s := ios(t, func(s *clitest.Server) {
				s.Prompts = func() string {
					star := "* "
					if n.Add(1) > 6 { // somebody saved the configuration
						star = ""
					}
					return fmt.Sprintf("%sedge-3.%d # ", star, n.Load())
				}
				s.Handler = clitest.Transcript(map[string]string{
					"disable clipaging":                "",
					"show ports statistics no-refresh": "", "show ports txerrors no-refresh": "", "show ports congestion no-refresh": "",
					"show ports rxerrors no-refresh": exosErrors, "show ports information detail": exosDetail,
					"show lldp neighbors": "", "show version": "Image   : ExtremeXOS version 31.7.2.28\n",
				})
			})
			d := device(s, nil)
			d.Platform = platform
			r, err := collector(t).Collect(within(t, testTime), d)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Interfaces) != 1 {
				t.Fatalf("ports %+v", r.Interfaces)
			}
			p := r.Interfaces[0]
			if p.FCS != devices.CCLI(41) || p.InDrops != devices.CCLI(7) || p.Speed != devices.Some(uint64(10e9)) || p.OutErrors.OK {
				t.Errorf("port %+v", p)
			}
			if n := s.Counts().Logins; n != 1 {
				t.Errorf("%d logins", n)
			}
		})
	}
}
