package oracle

// recorded is what Spark gave, brought into our triggers: the rows of a batch without
// data belong to the batch before it, for that is the one whose rows moved the
// watermark (D1). In complete mode each batch gives the whole result, so the last
// one stands.
type recorded struct {
	rows   [][]row
	late   []int64
	marks  []*int64 // watermark after the trigger, where a later batch tells it, ms
	noData bool     // some rows came in a batch without data
}

// fold brings the batches of a case into its triggers.
func (c *Case) fold() *recorded {
	r := &recorded{}
	for _, b := range c.Batches {
		rows := c.rowsOf(b)
		if n := len(r.rows); n > 0 {
			r.marks[n-1] = b.WatermarkMs
		}
		if b.NoData && len(r.rows) > 0 {
			n := len(r.rows) - 1
			if c.Mode == "complete" {
				r.rows[n] = rows
			} else {
				r.rows[n] = append(r.rows[n], rows...)
			}
			r.noData = r.noData || len(rows) > 0
			r.late[n] += b.Late
			continue
		}
		r.rows, r.late, r.marks = append(r.rows, rows), append(r.late, b.Late), append(r.marks, nil)
	}
	return r
}

// rowsOf are the rows of a batch by position.
func (c *Case) rowsOf(b Batch) []row {
	out := make([]row, len(b.Rows))
	for i, r := range b.Rows {
		out[i] = make(row, len(c.Schema))
		for k := range c.Schema {
			out[i][k] = r[c.column(k)]
		}
	}
	return out
}

func jsonRows(rows []outRow) []row {
	out := make([]row, len(rows))
	for i, r := range rows {
		out[i] = r.json
	}
	return out
}

// all puts the rows of all triggers together.
func all(list [][]row) []row {
	var out []row
	for _, rows := range list {
		out = append(out, rows...)
	}
	return out
}
