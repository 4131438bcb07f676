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
