// SPDX-License-Identifier: BSD-2-Clause
package live;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** What requests ask PostgreSQL, by connections of a pool: some statements each, not all the same. */
public class PooledWork implements Requests.Work {
    private final HikariDataSource pool;

    public PooledWork(String url) throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(4);
        pool = new HikariDataSource(config);
        try (Connection connection = pool.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute("drop table if exists item");
            statement.execute("create table item (id int, name text)");
            statement.execute("create extension if not exists pg_stat_statements");
            statement.execute("select pg_stat_statements_reset()");
        }
    }

    private static void prepared(Connection connection, String sql, int value) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setInt(1, value);
            if (statement.execute()) {
                try (ResultSet rows = statement.getResultSet()) {
                    while (rows.next())
                        continue;
                }
            }
        }
    }

    @Override
    public void run(int number) throws IOException {
        try (Connection connection = pool.getConnection(); Statement statement = connection.createStatement()) {
            for (int i = 0; i <= number % 3; i++)
                prepared(connection, "select name from item where id = ?", i);
            prepared(connection, "insert into item values (?, 'thing')", number);
            if (number % 2 == 0)
                statement.executeUpdate("update item set name = 'other' where id = " + number);
            if (number % 5 == 0)
                statement.executeQuery("select count(*) from item where name like 'o%'").close();
        } catch (SQLException e) {
            throw new IOException(e);
        }
    }
}
