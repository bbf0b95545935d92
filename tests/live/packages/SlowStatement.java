// SPDX-License-Identifier: BSD-2-Clause
package live;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** One request in ten is slow, because of one of the two statements that it asks PostgreSQL for. */
public class SlowStatement implements Requests.Work {
    private final HikariDataSource pool;

    public SlowStatement(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(4);
        pool = new HikariDataSource(config);
    }

    private static void ask(Connection connection, String sql, double value) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setDouble(1, value);
            statement.executeQuery().close();
        }
    }

    @Override
    public void run(int number) throws IOException {
        try (Connection connection = pool.getConnection()) {
            ask(connection, "select sqrt(?)", number);
            if (number % 10 == 0)
                ask(connection, "select pg_sleep(?)", 0.5);
        } catch (SQLException e) {
            throw new IOException(e);
        }
    }
}
