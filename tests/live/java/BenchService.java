// SPDX-License-Identifier: BSD-2-Clause
package live;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The service of scripts/bench-http: a shop that keeps its stock in a database in memory (HSQLDB). A request is an
 * order of four items. It makes 28 calls of the classes Web, Stock and Orders and of JDBC's execute methods, and waits
 * once, for the thread that stores all orders. The service prints its port and runs until its input ends.
 */
public class BenchService {
    private static final int ITEMS = 1000;
    private static final String DATABASE = "jdbc:hsqldb:mem:shop";

    static Connection connect() {
        try {
            return DriverManager.getConnection(DATABASE, "SA", "");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What each thread has for itself. */
    static final class Session {
        static final ThreadLocal<Session> OWN = ThreadLocal.withInitial(Session::new);
        final PreparedStatement price, reserve;

        Session() {
            try {
                Connection c = connect();
                price = c.prepareStatement("SELECT price, stock FROM item WHERE id = ?");
                reserve = c.prepareStatement("UPDATE item SET stock = stock + ? WHERE id = ?");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static final class Stock {
        static int item(int id) throws SQLException {
            int price = price(id);
            return price - discount(id, price);
        }

        static int price(int id) throws SQLException {
            PreparedStatement s = Session.OWN.get().price;
            s.setInt(1, id % ITEMS);
            try (ResultSet r = s.executeQuery()) {
                return r.next() ? r.getInt(1) : 0;
            }
        }

        static int discount(int id, int price) {
            return id % 7 == 0 ? price / 10 : tax(price) / 100;
        }

        static int tax(int price) {
            return price * 19 / 100;
        }
    }

    static final class Orders {
        static final LinkedBlockingQueue<Orders> STORED = new LinkedBlockingQueue<>();
        final CompletableFuture<Integer> number = new CompletableFuture<>();
        final int first;

        Orders(int first) {
            this.first = first;
        }

        int total() throws SQLException {
            int sum = 0;
            for (int i = 0; i < 4; i++)
                sum += Stock.item(first + 37 * i);
            return sum;
        }

        void reserve() throws SQLException {
            PreparedStatement s = Session.OWN.get().reserve;
            s.setInt(1, first % 3 - 1);
            s.setInt(2, first % ITEMS);
            s.executeUpdate();
        }

        int store() {
            STORED.add(this);
            return number.join();
        }
    }

    static final class Web {
        static void handle(HttpExchange exchange) throws IOException {
            byte[] body;
            try {
                body = order(exchange.getRequestURI().getPath());
            } catch (SQLException e) {
                throw new IOException(e);
            }
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        }

        static byte[] order(String path) throws SQLException {
            Orders order = new Orders(parse(path));
            int total = order.total();
            order.reserve();
            return render(order.store(), total);
        }

        static int parse(String path) {
            int x = path.hashCode() ^ (int) System.nanoTime();
            return (x ^ x >>> 15) & 0xffff;
        }

        static byte[] render(int number, int total) {
            StringBuilder b = new StringBuilder();
            for (int i = 0; i < 20; i++)
                b.append("order ").append(number).append(": ").append(total).append(" cents\n");
            return b.toString().getBytes(StandardCharsets.ISO_8859_1);
        }
    }

    /** Not traced: it gives orders their numbers. */
    private static void storeAll() {
        for (int number = 0;; number++) {
            try {
                Orders.STORED.take().number.complete(number);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private static void fill() throws SQLException {
        try (Connection c = connect(); Statement s = c.createStatement()) {
            s.execute("CREATE TABLE item (id INT PRIMARY KEY, price INT, stock INT)");
            for (int i = 0; i < ITEMS; i++)
                s.execute("INSERT INTO item VALUES (" + i + ", " + (100 + i * 31 % 900) + ", 0)");
        }
    }

    public static void main(String[] args) throws Exception {
        fill();
        Thread store = new Thread(BenchService::storeAll, "store");
        store.setDaemon(true);
        store.start();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
        server.createContext("/", Web::handle);
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.start();
        System.out.println(server.getAddress().getPort());
        while (System.in.read() >= 0)
            continue;
        System.exit(0);
    }
}
