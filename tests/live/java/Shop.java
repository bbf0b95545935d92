// SPDX-License-Identifier: BSD-2-Clause
package live;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Shop PORTFILE: a small web shop. /order/N is fast, /report/N takes 20 ms, /broken/N throws. /books/enter/N needs a
 * lock that /books/print/N holds while it writes for 30 ms.
 */
public class Shop {
    static class Checkout implements HttpHandler {
        @Override
        public void handle(HttpExchange exchange) throws IOException {
            String[] path = exchange.getRequestURI().getPath().split("/");
            byte[] answer = answer(path[1], Integer.parseInt(path[2])).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        }

        String answer(String what, int number) {
            switch (what) {
            case "order":
                return "order " + number + ": " + price(number) + " cents\n";
            case "report":
                return report(number);
            default:
                throw new IllegalArgumentException("no such page: " + what);
            }
        }

        int price(int number) {
            int price = number;
            for (int i = 0; i < 200; i++)
                price = price * 31 + i;
            return price & 0xffff;
        }

        String report(int number) {
            try {
                Thread.sleep(20);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return "report " + number + "\n";
        }
    }

    static class Books implements HttpHandler {
        private long sum;

        @Override
        public void handle(HttpExchange exchange) throws IOException {
            String[] path = exchange.getRequestURI().getPath().split("/");
            byte[] answer = answer(path[2], Integer.parseInt(path[3])).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        }

        String answer(String what, int number) {
            return what.equals("print") ? print() : enter(number);
        }

        String enter(int number) {
            synchronized (this) {
                sum += number;
            }
            return "entered " + number + "\n";
        }

        String print() {
            synchronized (this) {
                write();
                return "sum " + sum + "\n";
            }
        }

        void write() {
            try {
                Thread.sleep(30);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        ExecutorService pool = Executors.newFixedThreadPool(8);
        server.createContext("/", new Checkout());
        server.createContext("/books/", new Books());
        server.setExecutor(pool);
        server.start();
        Path whole = Path.of(args[0] + ".new");
        Files.writeString(whole, server.getAddress().getPort() + "\n");
        Files.move(whole, Path.of(args[0]));
    }
}
