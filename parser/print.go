package parser

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// Print writes a node as SQL that parses to an equal tree: Parse(Print(x)) = x,
// spans and SelectItem.Text aside. The form is canonical: aliases of a construct
// print alike.
func Print(n ast.Node) string {
	pr := &printer{}
	switch n := n.(type) {
	case ast.Expr:
		pr.expr(n, 0)
	case ast.Statement:
		pr.statement(n)
	case *ast.Query:
		pr.query(n)
	case ast.Body:
		pr.body(n)
	case ast.TableRef:
		pr.table(n)
	case *ast.TypeName:
		pr.typeName(n)
	case *ast.Window:
		pr.window(n)
	case ast.Name:
		pr.name(n)
	case ast.Ident:
		pr.ident(n, true)
	}
	return pr.b.String()
}

// printer collects text.
type printer struct {
	b strings.Builder
}

func (pr *printer) put(parts ...string) {
	for _, s := range parts {
		pr.b.WriteString(s)
	}
}

// list prints n elements with commas between them.
func (pr *printer) list(n int, item func(i int)) {
	for i := range n {
		if i > 0 {
			pr.put(", ")
		}
		item(i)
	}
}

// ident prints a name, quoted where it was or must be; of a path, the first part alone may be
// read as something else.
func (pr *printer) ident(id ast.Ident, first bool) {
	if id.Quoted || !isPlainName(id.Name) || first && leadsOn(id.Name) {
		pr.put(`"`, strings.ReplaceAll(id.Name, `"`, `""`), `"`)
		return
	}
	pr.put(id.Name)
}

// leadsOn tells whether a word, where a name can be, may be read as something else together
// with what follows. DEFAULT in VALUES is no column, and units, types and CURRENT_DATE without
// quotes have a meaning as they are.
func leadsOn(word string) bool {
	_, ok := leadingWords[strings.ToUpper(word)]
	return ok || isKeyword(word) && !strings.EqualFold(word, "DEFAULT")
}

// leadingWords are those beside the keywords; read only.
var leadingWords = set(strings.Fields(`ABSENT ADD AFTER AGGREGATE ALWAYS ANY APPROX ASYMMETRIC AT BATCH BERNOULLI BOTH CANCEL CASCADE CHECK CLUSTER COLLATE
	COLUMN COLUMNS CONDITIONAL CONSTRAINT CONTAINS CORRESPONDING CURRENT DETERMINISTIC DISTRIBUTE DIV ELSE EMPTY ENFORCED ERROR EXACT EXCLUDE EXTENDED
	EXTERNAL FIRST FOREIGN FUNCTIONS GAP GENERATED GLOB GLOBAL IDENTITY IGNORE INCLUDE INDEX ISNULL KEY LAMBDA LANGUAGE LAST LATENESS LEADING LOCATION
	MATCH_CONDITION MATCH_RECOGNIZE METADATA MINUS MOD NEAREST NEXT NO NOTNULL ONLY OPTIONS OTHERS OVERLAPS PERCENT PIVOT PLACING POSITIONAL REGEXP
	RESPECT RESTRICT RETURNING SAMPLE SCALAR SEPARATOR SIMILAR SIMILARITY SOME SORT STABLE STORED STREAMING SYMMETRIC SYSTEM TEMP TIES TO TOP TRAILING
	UNCONDITIONAL UNIQUE UNPIVOT VALUE VIRTUAL WITHOUT WRAPPER XOR ZONE`))

// callee prints the name of a function, which a word of the grammar may be: it stands before
// a parenthesis. Those that begin forms of their own take any arguments in quotes alone.
func (pr *printer) callee(n ast.Name) {
	word := n.Parts[0]
	if word.Quoted || isReserved(word.Name) || hasOwnForm(word.Name) || !isPlainName(word.Name) {
		pr.ident(ast.Ident{Name: word.Name, Quoted: true}, true)
	} else {
		pr.put(word.Name)
	}
	for _, part := range n.Parts[1:] {
		pr.put(".")
		pr.ident(part, false)
	}
}

func hasOwnForm(word string) bool {
	switch strings.ToUpper(word) {
	case "TRY_CAST", "SAFE_CAST", "ROW", "EXTRACT", "FLOOR", "CEIL", "CEILING", "SUBSTRING", "SUBSTR", "OVERLAY", "POSITION", "TRIM",
		"INTERVAL", "TABLE", "LATERAL", "VALUES", "WHEN", "STREAM":
		return true
	}
	return false
}

func isPlainName(s string) bool {
	for i, r := range s {
		if !isNamePart(r, i == 0) {
			return false
		}
	}
	return s != "" && utf8.ValidString(s)
}

func (pr *printer) idents(list []ast.Ident) {
	pr.list(len(list), func(i int) { pr.ident(list[i], true) })
}

func (pr *printer) name(n ast.Name) { pr.parts(n.Parts) }

func (pr *printer) parts(parts []ast.Ident) {
	for i, p := range parts {
		if i > 0 {
			pr.put(".")
		}
		pr.ident(p, i == 0)
	}
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func (pr *printer) literal(l *ast.Literal) {
	switch l.Kind {
	case ast.LitNull:
		pr.put("NULL")
	case ast.LitBool:
		pr.put(strings.ToUpper(l.Text))
	case ast.LitInt, ast.LitDecimal, ast.LitDouble:
		pr.put(l.Text, l.Suffix)
	case ast.LitBytes:
		const digits = "0123456789ABCDEF"
		pr.put("X'")
		for i := range len(l.Text) {
			pr.b.WriteByte(digits[l.Text[i]>>4])
			pr.b.WriteByte(digits[l.Text[i]&15])
		}
		pr.put("'")
	default:
		pr.put(typePrefix(l.Kind), quote(l.Text))
	}
}

// typePrefix is the word before a typed literal.
func typePrefix(k ast.LiteralKind) string {
	switch k {
	case ast.LitDate:
		return "DATE "
	case ast.LitTime:
		return "TIME "
	case ast.LitTimestamp:
		return "TIMESTAMP "
	case ast.LitTimestampNTZ:
		return "TIMESTAMP_NTZ "
	case ast.LitJSON:
		return "JSON "
	case ast.LitUUID:
		return "UUID "
	}
	return ""
}

// interval prints a constant interval in the largest units that are exact.
func (pr *printer) interval(n *ast.Interval) {
	var parts []string
	add := func(count int64, unit string) {
		if count != 0 {
			parts = append(parts, strconv.FormatInt(count, 10)+" "+unit)
		}
	}
	add(n.Months, "months")
	add(n.Days, "days")
	unit, size := "microseconds", int64(1)
	for _, u := range []ast.Unit{ast.Hour, ast.Minute, ast.Second, ast.Millisecond} {
		if _, _, micros := u.Amount(); n.Micros%micros == 0 {
			unit, size = strings.ToLower(u.String())+"s", micros
			break
		}
	}
	add(n.Micros/size, unit)
	if len(parts) == 0 {
		parts = []string{"0 seconds"}
	}
	pr.put("INTERVAL '", strings.Join(parts, " "), "'")
}

func (pr *printer) typeName(t *ast.TypeName) {
	pr.put(t.Name)
	switch {
	case t.Name == "ARRAY":
		pr.put("<")
		pr.typeName(t.Elem)
		pr.put(">")
	case t.Name == "MAP":
		pr.put("<")
		pr.typeName(t.Key)
		pr.put(", ")
		pr.typeName(t.Elem)
		pr.put(">")
	case t.Name == "STRUCT":
		pr.put("<")
		pr.list(len(t.Fields), func(i int) {
			pr.ident(t.Fields[i].Name, false)
			pr.put(" ")
			pr.typeName(t.Fields[i].Type)
			if t.Fields[i].NotNull {
				pr.put(" NOT NULL")
			}
		})
		pr.put(">")
	case len(t.Args) > 0:
		pr.put("(")
		pr.list(len(t.Args), func(i int) { pr.put(strconv.Itoa(t.Args[i])) })
		pr.put(")")
	}
}
