/** A test of steps. */
public class Steps extends Base {
    @Override
    public void prepareInputs(DBSPCompiler compiler) {
        compiler.submit("CREATE TABLE pets(name VARCHAR, legs INT);" +
            "INSERT INTO pets VALUES ('cat', 4), ('bird', 2);");
    }

    @Test
    public void query() {
        this.qs("""
            -- a comment
            SELECT name, legs FROM pets WHERE legs > 2;
             name | legs
            -------------
             cat  | 4
            (1 row)

            SELECT sum(legs) / 4 FROM pets;
             sum
            -----
             1
            (1 row)""");
        this.qf("SELECT 1 / (legs - legs) FROM pets", "division by zero");
    }

    @Test
    public void meanings() {
        this.qst("""
            SELECT stddev_pop(x), avg(x) FROM (VALUES (1), (2), (4)) AS t(x);
             s | a
            -------
             1 | 2
            (1 row)

            SELECT CAST(1.29 AS DECIMAL(3, 1)), CAST(INTERVAL '1 2' DAY TO HOUR AS VARCHAR), DATE '2024-01-01' + INTERVAL '30' HOURS;
             c   | i     | d
            -----------------
             1.2 | +1 02 | 2024-01-02
            (1 row)

            SELECT array_contains(ARRAY[1, NULL], NULL), greatest(1, NULL), TIME '23:00:00' + INTERVAL '2' HOURS, to_hex(x'AB');
             c | g | t        | h
            ----------------------
             t |   | 01:00:00 | ab
            (1 row)

            SELECT date_trunc(DATE '1999-05-05', CENTURY), TO_JSON(VARIANT_MAP(PARSE_JSON('{"a": 1, "b": "x"}'), (k, v) -> CAST(v AS BIGINT) + 1));
             d          | j
            ----------------
             1901-01-01 | {"a":2,"b":null}
            (1 row)""");
        this.qf("SELECT 'yes'::BOOLEAN", "no boolean");
    }

    @Test
    public void steps() {
        String table = "CREATE TABLE t(a INT, b INT);\n";
        var ccs = this.getCCS(table + "CREATE VIEW v AS SELECT a, max(b) FROM t GROUP BY a;");
        ccs.step("INSERT INTO t VALUES (1, 10), (2, NULL);", """
             a | max | weight
            ------------------
             1 | 10  | 1
             2 |     | 1""");
        ccs.step("REMOVE FROM t VALUES (1, 10); INSERT INTO t VALUES (2, 5);", """
             a | max | weight
            ------------------
             1 | 10  | -1
             2 |     | -1
             2 | 5   | 1""");
    }
}
