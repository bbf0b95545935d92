// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;

/** Statements DIR URL: statements of a database, by JDBC; `log` has them in their order. */
public class Statements {
    static final List<String> seen = new ArrayList<>();

    static String note(String sql) {
        seen.add(sql);
        return sql;
    }

    static void at(Timestamp when, String text) {}

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        try (Connection connection = DriverManager.getConnection(args[1]); Statement statement = connection.createStatement()) {
            statement.execute("create table item (id int, name varchar(40))");
            connection.prepareStatement("select 1 from item").executeQuery().close();
            stage.awaitGo();
            for (int i = 0; i < 50; i++) {
                String insert = "insert into item values (" + i + ", ?)", select = "select name from item where id = " + i + " and name = ?";
                try (PreparedStatement p = connection.prepareStatement(insert); PreparedStatement q = connection.prepareStatement(select)) {
                    for (PreparedStatement both : new PreparedStatement[] {p, q, q}) {
                        both.setString(1, "item " + i);
                        note(both == p ? insert : select);
                        if (both == p) {
                            both.executeUpdate();
                            continue;
                        }
                        try (ResultSet r = both.executeQuery()) {
                            if (!r.next() || !r.getString(1).equals("item " + i))
                                throw new IllegalStateException(select);
                        }
                    }
                }
                Timestamp when = new Timestamp(1_000_000_000_000L + i * 1001L);
                when.setNanos(i * 1_000_003);
                at(when, when.toInstant().toString());
            }
        }
        stage.write("log", String.join("\n", seen) + "\n");
        stage.finish();
    }
}
