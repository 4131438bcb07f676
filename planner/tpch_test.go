package planner

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tpchTables are the tables of TPC-H as finite ones, or as streams that delete.
func tpchTables(streams bool) string {
	tables := map[string]string{
		"region":   "r_regionkey BIGINT, r_name STRING, r_comment STRING",
		"nation":   "n_nationkey BIGINT, n_name STRING, n_regionkey BIGINT, n_comment STRING",
		"supplier": "s_suppkey BIGINT, s_name STRING, s_address STRING, s_nationkey BIGINT, s_phone STRING, s_acctbal DECIMAL(15,2), s_comment STRING",
		"customer": "c_custkey BIGINT, c_name STRING, c_address STRING, c_nationkey BIGINT, c_phone STRING, c_acctbal DECIMAL(15,2), c_mktsegment STRING, c_comment STRING",
		"part":     "p_partkey BIGINT, p_name STRING, p_mfgr STRING, p_brand STRING, p_type STRING, p_size BIGINT, p_container STRING, p_retailprice DECIMAL(15,2), p_comment STRING",
		"partsupp": "ps_partkey BIGINT, ps_suppkey BIGINT, ps_availqty BIGINT, ps_supplycost DECIMAL(15,2), ps_comment STRING",
		"orders":   "o_orderkey BIGINT, o_custkey BIGINT, o_orderstatus STRING, o_totalprice DECIMAL(15,2), o_orderdate DATE, o_orderpriority STRING, o_clerk STRING, o_shippriority BIGINT, o_comment STRING",
		"lineitem": "l_orderkey BIGINT, l_partkey BIGINT, l_suppkey BIGINT, l_linenumber BIGINT, l_quantity DECIMAL(15,2), l_extendedprice DECIMAL(15,2), l_discount DECIMAL(15,2), l_tax DECIMAL(15,2), l_returnflag STRING, l_linestatus STRING, l_shipdate DATE, l_commitdate DATE, l_receiptdate DATE, l_shipinstruct STRING, l_shipmode STRING, l_comment STRING",
	}
	var b strings.Builder
	for name, columns := range tables {
		if streams {
			fmt.Fprintf(&b, "CREATE SOURCE %s (%s) WITH (changelog = true);\n", name, columns)
		} else {
			fmt.Fprintf(&b, "CREATE TABLE %s (%s);\n", name, columns)
		}
	}
	return b.String()
}

// TestTPCH plans the 22 queries of TPC-H over tables, and over streams.
func TestTPCH(t *testing.T) {
	for _, streams := range []bool{false, true} {
		s := newSession(t, tpchTables(streams))
		for n := 1; n <= 22; n++ {
			text, err := os.ReadFile(filepath.Join("..", "tests", "tpch", "queries", fmt.Sprintf("q%02d.sql", n)))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.run(string(text)); err != nil {
				t.Errorf("q%d, streams %t: %v", n, streams, err)
			}
		}
	}
}
