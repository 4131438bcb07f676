package engine

import (
	"context"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/source"
)

// RegisterFunction adds a scalar function, such as Function1 makes. A name that is taken
// is an error. Functions, sources and sinks are registered before the statements that use
// them run: not beside others.
func (e *Engine) RegisterFunction(f *fn.Scalar) error {
	return e.inTurn(func() error {
		if err := e.freeFunction(f.Name); err != nil {
			return err
		}
		return e.cat.Functions.AddScalar(f)
	})
}

// RegisterAggregate adds an aggregate function.
func (e *Engine) RegisterAggregate(a *fn.Aggregate) error {
	return e.inTurn(func() error {
		if err := e.freeFunction(a.Name); err != nil {
			return err
		}
		return e.cat.Functions.AddAggregate(a)
	})
}

// RegisterSource adds a kind of source: WITH (connector = 'name') opens it.
func (e *Engine) RegisterSource(c source.Connector) error {
	return e.inTurn(func() error {
		if err := e.opt.Builtin.AddSource(c); err != nil {
			return err
		}
		e.mask = newMask(e.opt.Builtin)
		return nil
	})
}

// RegisterSink adds a kind of sink: WITH (connector = 'name') opens it.
func (e *Engine) RegisterSink(c sink.Connector) error {
	return e.inTurn(func() error {
		if err := e.opt.Builtin.AddSink(c); err != nil {
			return err
		}
		e.mask = newMask(e.opt.Builtin)
		return nil
	})
}

func (e *Engine) inTurn(do func() error) error {
	release, err := e.turn.take(context.Background())
	if err != nil {
		return err
	}
	defer release()
	return do()
}

// freeFunction refuses a name that means a function already, of whatever kind.
func (e *Engine) freeFunction(name string) error {
	f := e.cat.Functions
	_, scalar := f.Scalar(name)
	_, aggregate := f.Aggregate(name)
	_, generator := f.Generator(name)
	if scalar || aggregate || generator {
		return errTaken("function", name)
	}
	return nil
}
