package main

import (
	"fmt"
	"regexp"
	"strings"
)

// text is a piece of SQL of the command line: a file or statements.
type text struct {
	file bool
	arg  string
}

// texts are in the order in which they were given.
type texts []text

// textFlag is -f and -c, which share one list.
type textFlag struct {
	to   *texts
	file bool
}

// String implements pflag.Value.
func (textFlag) String() string { return "" }

// Type implements pflag.Value.
func (t textFlag) Type() string {
	if t.file {
		return "FILE"
	}
	return "SQL"
}

// Set implements pflag.Value.
func (t textFlag) Set(arg string) error {
	*t.to = append(*t.to, text{t.file, arg})
	return nil
}

// nullFlag tells an empty text from none.
type nullFlag struct{ to **string }

// String implements pflag.Value.
func (nullFlag) String() string { return "" }

// Type implements pflag.Value.
func (nullFlag) Type() string { return "TEXT" }

// Set implements pflag.Value.
func (n nullFlag) Set(arg string) error {
	*n.to = &arg
	return nil
}

// varFlag is -v name=value.
type varFlag struct{ to *map[string]string }

// String implements pflag.Value.
func (varFlag) String() string { return "" }

// Type implements pflag.Value.
func (varFlag) Type() string { return "NAME=VALUE" }

// Set implements pflag.Value. Names in capitals are refused: ${NAME} is a variable of the
// environment, which an option resolves when it is used and never prints.
func (v varFlag) Set(arg string) error {
	name, value, ok := strings.Cut(arg, "=")
	switch {
	case !ok:
		return fmt.Errorf("write name=value")
	case !regexp.MustCompile(`^[\pL_][\pL\d_]*$`).MatchString(name):
		return fmt.Errorf("%q is not a name of letters, digits and _", name)
	case name == strings.ToUpper(name):
		return fmt.Errorf("${%s} is a variable of the environment: use a name in small letters, or set %s=%s there", name, name, value)
	}
	if *v.to == nil {
		*v.to = map[string]string{}
	}
	(*v.to)[name] = value
	return nil
}
