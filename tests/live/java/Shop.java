// SPDX-License-Identifier: BSD-2-Clause
package live;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Shop PORTFILE: a small web shop. /order/N is fast, /report/N takes 20 ms, /broken/N throws. /books/enter/N needs a
 * lock that /books/print/N holds while it writes a report to the disk. /prices/N hands four look-ups to a pool of two threads.
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
        private static final int PAGES = 8;
        private final Path file = Paths.get("report");
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
            try (FileChannel report = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                for (int page = 0; page < PAGES; page++) {
                    report.write(ByteBuffer.wrap(("page " + page + ": " + sum + "\n").getBytes(StandardCharsets.UTF_8)));
                    report.force(true);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    static class Prices implements HttpHandler {
        private final ExecutorService pool = Executors.newFixedThreadPool(2, task -> new Thread(task, "prices"));

        @Override
        public void handle(HttpExchange exchange) throws IOException {
            int number = Integer.parseInt(exchange.getRequestURI().getPath().split("/")[2]);
            byte[] answer = ("price " + price(number) + "\n").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        }

        int price(int number) {
            List<Future<Integer>> parts = new ArrayList<>();
            int price = 0;
            for (int i = 0; i < 4; i++) {
                int part = number * 4 + i;
                parts.add(pool.submit(() -> lookUp(part)));
            }
            try {
                for (Future<Integer> part : parts)
                    price += part.get();
            } catch (InterruptedException | ExecutionException e) {
                throw new IllegalStateException(e);
            }
            return price;
        }

        /** Some milliseconds on a CPU, and some megabytes. */
        int lookUp(int part) {
            StringBuilder list = new StringBuilder();
            for (int i = 0; i < 100_000; i++)
                list.append(part ^ i).append(' ');
            return list.toString().hashCode() & 0xffff;
        }
    }

    public static void main(String[] args) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        ExecutorService pool = Executors.newFixedThreadPool(8);
        server.createContext("/", new Checkout());
        server.createContext("/books/", new Books());
        server.createContext("/prices/", new Prices());
        server.setExecutor(pool);
        server.start();
        Path whole = Path.of(args[0] + ".new");
        Files.writeString(whole, server.getAddress().getPort() + "\n");
        Files.move(whole, Path.of(args[0]));
    }
}
