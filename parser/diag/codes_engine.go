package diag

// Queries, objects and settings of a running engine.
const (
	// SQL4101: a query name or id that no query has.
	// Example: STOP QUERY per_hour
	UnknownQuery Code = "SQL4101"

	// SQL4102: a setting that does not exist.
	// Example: SET timezon = 'UTC'
	UnknownSetting Code = "SQL4102"

	// SQL4103: a value that a setting does not take.
	// Example: SET timezone = 'Mars'
	WrongSetting Code = "SQL4103"

	// SQL4104: an object that cannot be dropped or replaced while it is in use.
	// Example: CREATE MATERIALIZED VIEW v AS SELECT k FROM plain; DROP SOURCE plain
	ObjectInUse Code = "SQL4104"

	// SQL4105: a parameter that nobody gave a value.
	// Example: SELECT k FROM plain WHERE v = $1
	NoValue Code = "SQL4105"
)

// InSource lets an error that has diagnostics without a source render with the lines
// of src; other errors are returned as they are.
func InSource(src Source, err error) error {
	if e, ok := err.(*Error); ok && e.Source == nil {
		return &Error{Source: &src, Diagnostics: e.Diagnostics}
	}
	if d, ok := err.(*Diagnostic); ok {
		return &Error{Source: &src, Diagnostics: []*Diagnostic{d}}
	}
	return err
}

// Showing is InSource also for an error that has a source: it shows src instead, whose
// places are the same.
func Showing(src Source, err error) error {
	if e, ok := err.(*Error); ok {
		return &Error{Source: &src, Diagnostics: e.Diagnostics}
	}
	return InSource(src, err)
}
