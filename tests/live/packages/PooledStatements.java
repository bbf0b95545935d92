// SPDX-License-Identifier: BSD-2-Clause
package live;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** PooledStatements DIR URL HOW: requests that ask PostgreSQL, by connections of a pool, in "virtual" threads or others; one is slow. */
public class PooledStatements {
    private static HikariDataSource pool;

    static void request(int number) throws Exception {
        try (Connection connection = pool.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute("select pg_sleep(" + (number == 17 ? 1.5 : 0.005) + ")");
        }
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(args[1]);
        config.setMaximumPoolSize(4);
        pool = new HikariDataSource(config);
        pool.getConnection().close();
        stage.awaitGo();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 8; t++) {
            int first = t * 4;
            Cast.Body body = () -> {
                for (int i = first; i < first + 4; i++)
                    request(i);
            };
            threads.add(args[2].equals("virtual") ? Cast.startVirtual("request-" + t, body) : Cast.start("request-" + t, body));
        }
        for (Thread thread : threads)
            thread.join();
        stage.finish();
    }
}
