package diag

// Options (WITH (…) properties of sources, sinks, tables and queries).
const (
	// SQL4001: an option that the connector or format does not have.
	// Example: CREATE SOURCE x (a INT) WITH (connector = 'rate', rows_per_secnd = 5)
	UnknownOption Code = "SQL4001"

	// SQL4002: an option given twice, under one name or under two of its names.
	// Example: CREATE SOURCE x (a INT) WITH (path = 'in', format = 'json', max_file_age = '1 day', maxFileAge = '2 days')
	OptionTwice Code = "SQL4002"

	// SQL4003: an option value of the wrong kind or out of bounds.
	// Example: CREATE SOURCE x (a INT) WITH (path = 'in', format = 'json', max_files_per_trigger = 'many')
	BadOptionValue Code = "SQL4003"

	// SQL4004: an option that must be given and is not.
	// Example: CREATE SINK x WITH (connector = 'file')
	MissingOption Code = "SQL4004"

	// SQL4005: a ${…} reference in an option value that cannot be resolved.
	// Example: CREATE SINK x WITH (connector = 'file', path = '${NO_SUCH_NAME}', format = 'json'); INSERT INTO x SELECT k FROM plain TRIGGER ONCE
	UnresolvedSecret Code = "SQL4005"

	// SQL4006: options that contradict each other or the declared columns.
	// Example: SELECT k FROM plain EMIT APPEND WITH (output_mode = 'update')
	OptionConflict Code = "SQL4006"
)
