package engine

import "context"

// turn lets one statement run at a time. A statement that only waits for queries does not
// take it, nor do the rows of a SELECT while they are read.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

// take waits for the turn; the returned function gives it back.
func (t turn) take(ctx context.Context) (release func(), err error) {
	select {
	case t <- struct{}{}:
		return func() { <-t }, nil
	default:
	}
	select {
	case t <- struct{}{}:
		return func() { <-t }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
