// Package tpch owns the 22 queries of TPC-H and a generator of its tables: rows with the
// benchmark's value distributions where a query depends on them, from one seed, in the
// proportions of a scale factor. The tables grow in parts, children before parents now
// and then, and orders are deleted with their lines. It knows no engine: tests/duckdb
// runs the queries and judges. Open this file first, then generate.go.
package tpch

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed queries/*.sql
var files embed.FS

// Count is the number of queries, from 1.
const Count = 22

// Query is the text of query n, whose order is total where it has a LIMIT.
func Query(n int) string {
	text, err := files.ReadFile(fmt.Sprintf("queries/q%02d.sql", n))
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(text))
}

// Kind is the type of a column.
type Kind uint8

// The kinds.
const (
	Int   Kind = iota // int64
	Text              // string
	Money             // DECIMAL(15,2): int64, hundredths
	Date              // int64, days since 1970-01-01
)

// SQL is the name of the type.
func (k Kind) SQL() string { return [...]string{"BIGINT", "VARCHAR", "DECIMAL(15,2)", "DATE"}[k] }

// Column is a column of a table.
type Column struct {
	Name string
	Kind Kind
}

// Table is a table with its columns.
type Table struct {
	Name    string
	Columns []Column
}

// Tables lists the eight tables.
func Tables() []Table {
	return []Table{
		table("region", "r_regionkey i r_name t r_comment t"),
		table("nation", "n_nationkey i n_name t n_regionkey i n_comment t"),
		table("supplier", "s_suppkey i s_name t s_address t s_nationkey i s_phone t s_acctbal m s_comment t"),
		table("customer", "c_custkey i c_name t c_address t c_nationkey i c_phone t c_acctbal m c_mktsegment t c_comment t"),
		table("part", "p_partkey i p_name t p_mfgr t p_brand t p_type t p_size i p_container t p_retailprice m p_comment t"),
		table("partsupp", "ps_partkey i ps_suppkey i ps_availqty i ps_supplycost m ps_comment t"),
		table("orders", "o_orderkey i o_custkey i o_orderstatus t o_totalprice m o_orderdate d o_orderpriority t o_clerk t o_shippriority i o_comment t"),
		table("lineitem", "l_orderkey i l_partkey i l_suppkey i l_linenumber i l_quantity m l_extendedprice m l_discount m l_tax m "+
			"l_returnflag t l_linestatus t l_shipdate d l_commitdate d l_receiptdate d l_shipinstruct t l_shipmode t l_comment t"),
	}
}

func table(name, columns string) Table {
	t := Table{Name: name}
	words := strings.Fields(columns)
	for i := 0; i < len(words); i += 2 {
		t.Columns = append(t.Columns, Column{words[i], map[string]Kind{"i": Int, "t": Text, "m": Money, "d": Date}[words[i+1]]})
	}
	return t
}
