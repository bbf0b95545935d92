// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.locks.LockSupport;

/** Orders of ten statements, which follow each other at once. Each reads one byte from a socket, where it lies already. */
public class Statements {
    static final int STATEMENTS = 10;
    private final InputStream in;

    Statements(InputStream in) {
        this.in = in;
    }

    int execute(String sql) throws IOException {
        return in.read(new byte[1]);
    }

    int order(String customer) throws IOException {
        long end = System.nanoTime() + 150_000;
        int sum = 0;
        while (System.nanoTime() < end)
            sum++;
        for (int i = 0; i < STATEMENTS; i++)
            sum += execute("select " + i);
        return sum;
    }

    /** DIRECTORY ORDERS */
    public static void main(String[] arguments) throws Exception {
        int orders = Integer.parseInt(arguments[1]);
        Stage stage = new Stage(arguments[0]);
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
             Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
             Socket database = server.accept()) {
            Statements statements = new Statements(client.getInputStream());
            database.getOutputStream().write(new byte[STATEMENTS * (orders + 1)]);
            statements.order("nobody"); // the classes are loaded
            stage.awaitGo();
            for (int i = 0; i < orders; i++) {
                statements.order("customer" + i);
                LockSupport.parkNanos(200_000);
            }
            stage.finish();
        }
    }
}
