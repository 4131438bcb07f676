package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/mutant"
)

// longestLine bounds what a child may write without a line break.
const longestLine = 1 << 20

// lookUp finds the program: by its name in PATH, or by its path from dir.
func lookUp(name, dir string) (string, error) {
	if strings.ContainsRune(name, '/') && !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("command: %w", err)
	}
	return path, nil
}

// child is a running process. It is used from one goroutine.
type child struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers chan []byte   // lines of its standard output; closed at its end
	done    chan struct{} // closed when it has been waited for
	status  error         // of its end, once done is closed
	last    *tail
	pipes   []io.Closer // our ends of its outputs
	clock   clock.Clock
}

// tail keeps the last line of standard error, for messages.
type tail struct {
	mu   sync.Mutex
	line string
}

func (t *tail) set(s string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.line = s
}

func (t *tail) get() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.line
}

func (s *Sink) start(f frame) (*child, error) {
	cmd := exec.Command(s.argv[0], s.argv[1:]...)
	cmd.Dir = s.cfg.Dir
	cmd.Env = append(os.Environ(), "SQLSTREAM_QUERY="+s.cfg.Query, "SQLSTREAM_QUERY_ID="+s.cfg.QueryID, "SQLSTREAM_MODE="+s.cfg.Mode.String())
	if s.perFrame {
		cmd.Env = append(cmd.Env, fmt.Sprintf("SQLSTREAM_PARTITION=%d", f.partition), fmt.Sprintf("SQLSTREAM_VERSION=%d", f.version))
	}
	ownGroup(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	errs, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("command: %w", err)
	}
	c := &child{cmd: cmd, in: in, answers: make(chan []byte, 1), done: make(chan struct{}), last: &tail{},
		pipes: []io.Closer{out, errs}, clock: s.cfg.Clock}
	var readers sync.WaitGroup
	readers.Go(func() { c.listen(s, out) })
	readers.Go(func() { c.hear(s, errs) })
	go func() {
		readers.Wait()
		c.status = cmd.Wait()
		close(c.done)
	}()
	return c, nil
}

// listen passes on the lines of standard output; those of a process per frame go to the
// log.
func (c *child) listen(s *Sink, out io.Reader) {
	defer close(c.answers)
	sc := bufio.NewScanner(out)
	sc.Buffer(nil, longestLine)
	for sc.Scan() {
		if s.perFrame {
			s.log.Info("output of the command", "query", s.cfg.Query, "sink", s.cfg.Name, "line", sc.Text())
			continue
		}
		c.answers <- append([]byte{}, sc.Bytes()...)
	}
	_, _ = io.Copy(io.Discard, out) // a line too long: nobody reads on, and nobody blocks
}

func (c *child) hear(s *Sink, errs io.Reader) {
	sc := bufio.NewScanner(errs)
	sc.Buffer(nil, longestLine)
	for sc.Scan() {
		c.last.set(sc.Text())
		s.log.Warn("the command says", "query", s.cfg.Query, "sink", s.cfg.Name, "line", sc.Text())
	}
	_, _ = io.Copy(io.Discard, errs)
}

// take sends a frame and waits for its acknowledgement. Whatever takes too long ends by
// the process being killed: its pipes break then.
func (c *child) take(ctx context.Context, s *Sink, f frame) error {
	timer := s.cfg.Clock.NewTimer(s.timeout)
	defer timer.Stop()
	sent := make(chan error, 1)
	go func() {
		err := f.write(c.in, s)
		if s.perFrame {
			err = errors.Join(err, c.in.Close())
		}
		sent <- err
	}()
	err := c.await(ctx, s, f, timer, sent)
	if err != nil {
		var again *retryError
		if !asRetry(err, &again) || !again.keep {
			c.kill()
		}
	}
	return err
}

// await waits until the frame is sent and acknowledged. The goroutine that sends has
// ended when it returns without an error; else it ends when the child is killed.
func (c *child) await(ctx context.Context, s *Sink, f frame, timer clock.Timer, sent chan error) error {
	answers, done := c.answers, c.done
	if s.perFrame {
		answers = nil
	} else {
		done = nil
	}
	partly := false
	for written, acked := false, false; !written || !acked; {
		select {
		case err := <-sent:
			if err != nil && !unread(err) {
				return err
			}
			if err != nil && !s.perFrame {
				return &retryError{err: c.ended(true)}
			}
			written, sent, partly = true, nil, err != nil
			acked = acked || mutant.On("a frame counts as acknowledged when it is sent")
		case line, ok := <-answers:
			if !ok {
				return &retryError{err: c.ended(false)}
			}
			if err := f.judge(line, written); err != nil {
				return err
			}
			acked, answers = true, nil
		case <-done: // writing to it ends then too
			acked, done = true, nil
		case <-timer.C():
			return &retryError{err: fmt.Errorf("the command did not acknowledge the rows within %s", s.timeout)}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if s.perFrame && (partly || c.status != nil) {
		return &retryError{err: c.ended(partly)}
	}
	return nil
}

// unread reports an error of writing to a process that reads no more.
func unread(err error) bool { return errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) }

// ended is how the process came to its end, after killing what is left of it. partly: it
// closed its input before it had read all rows.
func (c *child) ended(partly bool) error {
	when := ""
	if partly {
		when = " before it had read all rows"
	}
	err := fmt.Errorf("the command closed its input%s", when)
	switch byItself := c.settle(); {
	case byItself && c.status != nil:
		err = fmt.Errorf("the command ended%s: %w", when, c.status)
	case byItself && partly:
		err = fmt.Errorf("the command ended%s: exit status 0", when)
	case byItself:
		err = errors.New("the command ended without acknowledging the rows")
	}
	c.kill()
	if line := c.last.get(); line != "" {
		err = fmt.Errorf("%w; its last words: %s", err, clip([]byte(line)))
	}
	return err
}

// patience is how long the outputs of a killed process may stay open: something that it
// started and that is out of reach may hold them.
const patience = 2 * time.Second

// kill ends the process and those that it has started.
func (c *child) kill() {
	killGroup(c.cmd)
	if c.settle() {
		return
	}
	for _, p := range c.pipes {
		_ = p.Close()
	}
	<-c.done
}

// settle closes the input of the process and waits a moment for its end.
func (c *child) settle() bool {
	_ = c.in.Close()
	c.drain()
	t := c.clock.NewTimer(patience)
	defer t.Stop()
	select {
	case <-c.done:
		return true
	case <-t.C():
		return false
	}
}

// drain lets the reader of standard output come to its end.
func (c *child) drain() {
	go func() {
		for range c.answers {
		}
	}()
}

// finish closes the input of the process and waits for its end, but not for ever.
func (c *child) finish(most time.Duration) error {
	_ = c.in.Close()
	c.drain()
	t := c.clock.NewTimer(most)
	defer t.Stop()
	select {
	case <-c.done:
	case <-t.C():
		c.kill()
		return fmt.Errorf("the command did not end within %s of the end of its input, and was killed", most)
	}
	return nil
}
