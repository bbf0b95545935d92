// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** BatchedStatements DIR URL: statements and batches of a database in all ways; `log` has a line for each, None for a batch of texts. */
public class BatchedStatements {
    static final List<String> seen = new ArrayList<>();

    static String note(String sql) {
        seen.add(sql);
        return sql;
    }

    static void plain(Statement s, int i) throws SQLException {
        s.execute(note("insert into thing values (" + i + ", 'a')"));
        s.executeUpdate(note("update thing set name = 'b' where id = " + i));
        s.executeLargeUpdate(note("update thing set name = 'c' where id = " + i));
        s.executeQuery(note("select name from thing where id = " + i)).close();
        s.addBatch("insert into thing values (" + -i + ", 'd')");
        s.addBatch("insert into thing values (" + -i + ", 'e')");
        note("None");
        if (i % 2 == 0)
            s.executeBatch();
        else
            s.executeLargeBatch();
        try {
            s.execute(note("select nothing from nowhere"));
            throw new IllegalStateException();
        } catch (SQLException expected) {
        }
    }

    static void prepared(Connection connection, int i) throws SQLException {
        String insert = "insert into thing values (?, ?)", select = "select name from thing where id = ?";
        try (PreparedStatement p = connection.prepareStatement(insert); PreparedStatement q = connection.prepareStatement(select)) {
            for (int row = 0; row < 3 + i % 2 * 40; row++) {
                p.setInt(1, row);
                p.setString(2, "f");
                p.addBatch();
            }
            note(insert);
            if (i % 2 == 0)
                p.executeBatch();
            else
                p.executeLargeBatch();
            p.setInt(1, i);
            p.setString(2, "g");
            note(insert);
            p.executeUpdate();
            note(insert);
            p.execute();
            q.setInt(1, i);
            note(select);
            q.executeQuery().close();
        }
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        try (Connection connection = DriverManager.getConnection(args[1]); Statement statement = connection.createStatement()) {
            statement.execute("drop table if exists thing");
            statement.execute("create table thing (id int, name varchar(40))");
            stage.awaitGo();
            for (int i = 1; i <= 20; i++) {
                plain(statement, i);
                prepared(connection, i);
            }
        }
        stage.write("log", String.join("\n", seen) + "\n");
        stage.finish();
    }
}
