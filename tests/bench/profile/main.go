// Command profile runs a script in process and writes a CPU profile of it: the way to
// look at a benchmark query before tuning.
//
//	go run ./tests/bench/profile -workers 1 -o cpu.out script.sql
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"runtime/pprof"
	"syscall"
	"time"

	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser/diag"
)

func main() {
	workers := flag.Int("workers", 1, "workers")
	out := flag.String("o", "", "file of the CPU profile; none by default")
	flag.Parse()
	if err := run(*workers, *out, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "profile:", err)
		os.Exit(1)
	}
}

func run(workers int, out, path string) error {
	debug.SetGCPercent(200)
	sql, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	e, err := engine.Open(engine.Options{Workers: workers})
	if err != nil {
		return err
	}
	defer e.Close()
	if out != "" {
		f, err := os.Create(out)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	start, cpu := time.Now(), used()
	ctx := context.Background()
	if err := e.Exec(ctx, diag.Source{Name: path, Text: string(sql)}, func(*engine.Result) error { return nil }); err != nil {
		return err
	}
	err = e.AwaitAll(ctx)
	fmt.Printf("wall %.3f s, cpu %.3f s\n", time.Since(start).Seconds(), (used() - cpu).Seconds())
	return err
}

// used is the CPU time of the process so far.
func used() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
