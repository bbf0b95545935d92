// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.concurrent.Callable;

/** Three statements each time: a prepared one, one with values in its text, and a batch. */
public class FrontedDatabase implements Callable<Object> {
    final Connection connection;

    public FrontedDatabase(String url) throws Exception {
        System.setProperty("derby.stream.error.file", "/dev/null");
        connection = DriverManager.getConnection(url);
        try (Statement s = connection.createStatement()) {
            s.execute("create table item (id int, name varchar(40))");
        }
    }

    @Override
    public synchronized Object call() throws Exception {
        try (PreparedStatement p = connection.prepareStatement("select name from item where id = ?")) {
            p.setInt(1, 17);
            p.executeQuery().close();
        }
        try (Statement s = connection.createStatement()) {
            s.executeUpdate("insert into item values (17, 'it''s secret')");
        }
        try (PreparedStatement p = connection.prepareStatement("insert into item values (?, 'secret')")) {
            for (int i = 0; i < 3; i++) {
                p.setInt(1, i);
                p.addBatch();
            }
            p.executeBatch();
        }
        return null;
    }
}
