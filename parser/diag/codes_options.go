package diag

// Options (WITH (…) properties of sources, sinks, tables and queries).
const (
	// SQL4001: an option that the connector or format does not have.
	UnknownOption Code = "SQL4001"

	// SQL4002: an option given twice, under one name or under two of its names.
	OptionTwice Code = "SQL4002"

	// SQL4003: an option value of the wrong kind or out of bounds.
	BadOptionValue Code = "SQL4003"

	// SQL4004: an option that must be given and is not.
	MissingOption Code = "SQL4004"

	// SQL4005: a ${…} reference in an option value that cannot be resolved.
	UnresolvedSecret Code = "SQL4005"

	// SQL4006: options that contradict each other or the declared columns.
	OptionConflict Code = "SQL4006"
)
