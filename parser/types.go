package parser

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// typeNames maps every spelling to the one name of ast.TypeName.
func typeNames() map[string]string {
	return map[string]string{
		"BOOLEAN": "BOOLEAN", "BOOL": "BOOLEAN",
		"TINYINT": "TINYINT", "BYTE": "TINYINT", "INT1": "TINYINT",
		"SMALLINT": "SMALLINT", "SHORT": "SMALLINT", "INT2": "SMALLINT", "INT16": "SMALLINT",
		"INT": "INT", "INTEGER": "INT", "INT4": "INT", "INT32": "INT",
		"BIGINT": "BIGINT", "LONG": "BIGINT", "INT8": "BIGINT", "INT64": "BIGINT",
		"FLOAT": "FLOAT", "REAL": "FLOAT", "FLOAT4": "FLOAT", "FLOAT32": "FLOAT",
		"DOUBLE": "DOUBLE", "FLOAT8": "DOUBLE", "FLOAT64": "DOUBLE",
		"DECIMAL": "DECIMAL", "NUMERIC": "DECIMAL", "DEC": "DECIMAL",
		"STRING": "STRING", "VARCHAR": "STRING", "TEXT": "STRING", "CHAR": "STRING", "CHARACTER": "STRING", "NVARCHAR": "STRING",
		"BYTES": "BYTES", "BINARY": "BYTES", "VARBINARY": "BYTES", "BYTEA": "BYTES", "BLOB": "BYTES",
		"DATE": "DATE", "TIME": "TIME",
		"TIMESTAMP": "TIMESTAMP", "TIMESTAMPTZ": "TIMESTAMP", "TIMESTAMP_LTZ": "TIMESTAMP",
		"TIMESTAMP_NTZ": "TIMESTAMP_NTZ", "DATETIME": "TIMESTAMP_NTZ",
		"INTERVAL": "INTERVAL", "JSON": "JSON", "JSONB": "JSON", "VARIANT": "JSON", "UUID": "UUID",
		"ARRAY": "ARRAY", "MAP": "MAP", "STRUCT": "STRUCT", "ROW": "STRUCT",
	}
}

// typeTable is read only; every parser shares it.
var typeTable = typeNames()

// typeName reads a type.
func (p *parser) typeName() *ast.TypeName {
	if !p.enter() {
		p.leave()
		return &ast.TypeName{}
	}
	defer p.leave()
	start := p.pos
	t := p.peek()
	if t.kind != tokWord || isReserved(p.text(t)) {
		p.unexpected("a type")
		return &ast.TypeName{}
	}
	p.next()
	node := &ast.TypeName{Name: p.canonicalType(t)}
	p.typeRest(node, t)
	node.Span = p.since(start)
	for p.arraySuffix(node.Name != "ARRAY") {
		node = &ast.TypeName{Span: p.since(start), Name: "ARRAY", Elem: node}
	}
	return node
}

// arraySuffix takes what makes a type an array of it: T[], T[3], T ARRAY, T ARRAY[3]. The
// number of elements is not checked, as in PostgreSQL. Behind an array type, a number in
// brackets is an index of the value.
func (p *parser) arraySuffix(sized bool) bool {
	word := p.isWord("ARRAY") && !p.opAt(1, "<")
	if word {
		p.next()
	}
	switch {
	case p.isOp("[") && p.opAt(1, "]"):
		p.pos += 2
	case sized && p.isOp("[") && p.at(1).kind == tokNumber && p.opAt(2, "]"):
		p.pos += 3
	default:
		return word
	}
	return true
}

// canonicalType resolves the spelling; an unknown one is reported and the
// statement goes on.
func (p *parser) canonicalType(t token) string {
	word := p.text(t)
	if name := typeTable[strings.ToUpper(word)]; name != "" {
		return name
	}
	d := diag.Errorf(diag.BadType, t.span(), "unknown type %q", word)
	if write := foreignTypes[strings.ToUpper(word)]; write != "" {
		d.WithHint("write %s", write)
	} else if near := diag.DidYouMean(word, slices.Sorted(maps.Keys(typeTable))); near != "" {
		d.WithHint("did you mean %s?", near)
	}
	p.report(d)
	return ""
}

// foreignTypes are types of other systems, and what is written here.
var foreignTypes = map[string]string{
	"NUMBER": "DECIMAL(10, 2), or BIGINT for whole numbers", "VARCHAR2": "STRING", "NVARCHAR2": "STRING", "CLOB": "STRING",
	"NCLOB": "STRING", "LONGTEXT": "STRING", "MEDIUMTEXT": "STRING", "TINYTEXT": "STRING", "LOWCARDINALITY": "STRING",
	"FIXEDSTRING": "STRING", "ENUM": "STRING", "CITEXT": "STRING", "UTF8": "STRING", "SYMBOL": "STRING",
	"SERIAL": "BIGINT, and give each row its key", "BIGSERIAL": "BIGINT, and give each row its key",
	"INT128": "DECIMAL(38, 0)", "UINT8": "SMALLINT", "UINT16": "INT",
	"UINT32": "BIGINT", "UINT64": "DECIMAL(20, 0)", "UTINYINT": "SMALLINT", "USMALLINT": "INT", "UINTEGER": "BIGINT",
	"UBIGINT": "DECIMAL(20, 0)", "HUGEINT": "DECIMAL(38, 0)", "MEDIUMINT": "INT", "BYTEINT": "TINYINT", "UNSIGNED": "BIGINT",
	"BINARY_FLOAT": "FLOAT", "BINARY_DOUBLE": "DOUBLE",
	"BIGNUMERIC": "DECIMAL(38, 9)", "MONEY": "DECIMAL(19, 4)", "SMALLMONEY": "DECIMAL(10, 4)",
	"TIMESTAMP_S":  "TIMESTAMP, which has microseconds: date_trunc('second', t) drops them",
	"TIMESTAMP_MS": "TIMESTAMP, which has microseconds: date_trunc('millisecond', t) drops them",
	"TIMESTAMP_US": "TIMESTAMP", "TIMESTAMP_NS": "TIMESTAMP, which has microseconds",
	"DATETIME2": "TIMESTAMP_NTZ", "SMALLDATETIME": "TIMESTAMP_NTZ", "DATETIME64": "TIMESTAMP", "DATETIMEOFFSET": "TIMESTAMP",
	"TIMESTAMP_TZ": "TIMESTAMP", "DATE32": "DATE", "BIT": "BOOLEAN", "LOGICAL": "BOOLEAN",
	"OBJECT": "MAP<STRING, STRING>, STRUCT<…> or JSON", "HSTORE": "MAP<STRING, STRING>", "TUPLE": "STRUCT<…>", "RECORD": "STRUCT<…>",
	"NULLABLE": "the type alone: every column takes NULL", "LIST": "ARRAY<…>", "MULTISET": "ARRAY<…>",
	"INET": "STRING", "CIDR": "STRING", "MACADDR": "STRING", "TSVECTOR": "STRING", "TSQUERY": "STRING", "XML": "STRING",
	"POINT": "STRUCT<x DOUBLE, y DOUBLE>", "INT4RANGE": "STRUCT<low INT, high INT>", "INT8RANGE": "STRUCT<low BIGINT, high BIGINT>",
	"TSRANGE": "STRUCT<low TIMESTAMP, high TIMESTAMP>", "TSTZRANGE": "STRUCT<low TIMESTAMP, high TIMESTAMP>", "DATERANGE": "STRUCT<low DATE, high DATE>",
	"UNION": "STRUCT<…> with a field for each kind", "UHUGEINT": "DECIMAL(38, 0)",
	"UNIQUEIDENTIFIER": "UUID", "IMAGE": "BYTES", "RAW": "BYTES", "LONGBLOB": "BYTES", "ROWVERSION": "BYTES",
}

// typeRest reads what may follow the name t of a type.
func (p *parser) typeRest(node *ast.TypeName, t token) {
	switch node.Name {
	case "ARRAY":
		if p.acceptOp("(") { // ARRAY(BIGINT) of Trino
			node.Elem = p.typeName()
			p.expectOp(")")
			return
		}
		p.expectOp("<")
		node.Elem = p.typeName()
		p.closeAngle()
	case "MAP":
		if p.acceptOp("(") {
			node.Key = p.typeName()
			p.expectOp(",")
			node.Elem = p.typeName()
			p.expectOp(")")
			return
		}
		p.expectOp("<")
		node.Key = p.typeName()
		p.expectOp(",")
		node.Elem = p.typeName()
		p.closeAngle()
	case "STRUCT":
		p.structFields(node)
	case "INTERVAL":
		p.intervalQualifier()
	case "DOUBLE":
		p.accept("PRECISION")
	default:
		if strings.EqualFold(p.text(t), "character") || strings.EqualFold(p.text(t), "char") {
			p.accept("VARYING")
		}
		p.typeArgs(node)
		p.timeZone(node)
	}
}

// closeAngle takes one >, which may be half of >>.
func (p *parser) closeAngle() {
	switch {
	case p.half && p.isOp(">>"):
		p.half = false
		p.next()
	case p.isOp(">>"):
		p.half = true
	default:
		p.expectOp(">")
	}
}

func (p *parser) structFields(node *ast.TypeName) {
	if p.acceptOp("(") {
		p.sepList(func() { node.Fields = append(node.Fields, p.typeField()) })
		p.expectOp(")")
		return
	}
	if p.acceptOp("<>") || !p.expectOp("<") {
		return
	}
	if p.isOp(">") || p.isOp(">>") {
		p.closeAngle()
		return
	}
	for {
		node.Fields = append(node.Fields, p.typeField())
		if p.half || !p.acceptOp(",") {
			break
		}
	}
	p.closeAngle()
}

func (p *parser) typeField() ast.TypeField {
	start := p.pos
	field := ast.TypeField{Name: p.anyIdent("a field name")}
	if !p.failed && (p.isOp(",") || p.isOp(">") || p.isOp(">>") || p.isOp(")")) {
		p.fail(diag.Errorf(diag.Unexpected, p.since(start), "a field of a STRUCT has a name and a type").WithHint("write f1 %s", p.text(p.toks[start])))
	}
	p.acceptOp(":")
	field.Type = p.typeName()
	if !p.half && !p.accept("NULL") {
		field.NotNull = p.accept("NOT", "NULL")
	}
	field.Span = p.since(start)
	return field
}

// anyIdent reads a name where no keyword can stand, so that reserved words do.
func (p *parser) anyIdent(what string) ast.Ident {
	if p.peek().isName() {
		return p.take()
	}
	p.noName(what)
	return ast.Ident{}
}

// typeArgs reads (n) or (p, s) and checks the range of DECIMAL and of times.
func (p *parser) typeArgs(node *ast.TypeName) {
	if !p.isOp("(") || p.half {
		return
	}
	if node.Name == "" { // unknown, and reported
		p.pos = max(p.pos+1, int(p.peek().match)+1)
		return
	}
	start := p.pos
	p.parenList(false, func() {
		t := p.peek()
		n, err := strconv.Atoi(p.text(t))
		if err != nil || t.kind != tokNumber {
			p.unexpected("a whole number")
			return
		}
		p.next()
		node.Args = append(node.Args, n)
	})
	if message := badTypeArgs(node); message != "" && !p.failed {
		p.report(diag.Errorf(diag.BadType, p.since(start), "%s", message))
	}
}

func badTypeArgs(node *ast.TypeName) string {
	most := 1
	first, second := 0, 0
	if len(node.Args) > 0 {
		first = node.Args[0]
	}
	if len(node.Args) > 1 {
		second = node.Args[1]
	}
	switch node.Name {
	case "DECIMAL":
		most = 2
		if first < 1 || first > 38 {
			return "DECIMAL takes a precision from 1 to 38"
		}
		if second > first {
			return "the scale of a DECIMAL cannot exceed its precision"
		}
	case "TIME", "TIMESTAMP", "TIMESTAMP_NTZ":
		if first > 9 {
			return node.Name + " takes a precision from 0 to 9"
		}
	case "STRING", "BYTES", "FLOAT":
	default:
		return node.Name + " takes no arguments"
	}
	if len(node.Args) > most {
		return "too many arguments for " + node.Name
	}
	return ""
}

// timeZone reads WITH [LOCAL] TIME ZONE and WITHOUT TIME ZONE.
func (p *parser) timeZone(node *ast.TypeName) {
	if node.Name != "TIMESTAMP" && node.Name != "TIME" || p.half {
		return
	}
	switch {
	case p.accept("WITH", "TIME", "ZONE"), p.accept("WITH", "LOCAL", "TIME", "ZONE"):
		if node.Name == "TIME" {
			p.failf(diag.NotSupported, p.here(), "TIME WITH TIME ZONE is not supported")
		}
	case p.accept("WITHOUT", "TIME", "ZONE"):
		if node.Name == "TIMESTAMP" {
			node.Name = "TIMESTAMP_NTZ"
		}
	}
}

// intervalQualifier skips DAY TO SECOND and its like.
func (p *parser) intervalQualifier() {
	if _, ok := p.unitAt(0); !ok {
		return
	}
	p.next()
	p.precision()
	if p.accept("TO") {
		if _, ok := p.unitAt(0); !ok {
			p.noUnit("TO")
		}
		p.next()
		p.precision()
	}
}
