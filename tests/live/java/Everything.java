// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.math.BigInteger;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.text.DecimalFormat;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;

/**
 * Everything DIR: a program that uses many parts of java.base and prints its results. Without DIR it prints the
 * classes of java.base as filters, in lines of up to 100,000 characters.
 */
public class Everything {
    static void list() throws Exception {
        Path root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/java.base");
        List<String> names;
        try (var files = Files.walk(root)) {
            names = files.filter(f -> f.toString().endsWith(".class") && !f.toString().endsWith("-info.class"))
                    .map(f -> root.relativize(f).toString().replaceAll("\\.class$", "").replace('/', '.'))
                    .collect(Collectors.toList());
        }
        StringBuilder line = new StringBuilder();
        for (String name : names) {
            if (line.length() > 100_000) {
                System.out.println(line);
                line.setLength(0);
            }
            line.append(line.length() > 0 ? ";" : "").append(name);
        }
        System.out.println(line);
    }

    static String texts() throws Exception {
        Map<String, Integer> words = new TreeMap<>();
        for (String word : Pattern.compile("[^a-z]+").split("the quick brown fox jumps over the lazy dog; the end"))
            words.merge(word, 1, Integer::sum);
        String encoded = Base64.getEncoder().encodeToString(words.toString().getBytes("UTF-8"));
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(encoded.getBytes("UTF-8"));
        return String.format("%s %s %08x %s", words, new DecimalFormat("#,##0.00").format(12345.678),
                new BigInteger(1, digest).intValue(), LocalDate.of(2026, 2, 28).plus(1, java.time.temporal.ChronoUnit.DAYS));
    }

    static String numbers() {
        BigInteger f = IntStream.rangeClosed(1, 200).mapToObj(BigInteger::valueOf).reduce(BigInteger.ONE, BigInteger::multiply);
        double sum = IntStream.range(0, 10_000).parallel().mapToDouble(i -> 1.0 / (i + 1)).boxed().mapToDouble(d -> d).max().getAsDouble();
        return f.bitLength() + " " + sum + " " + Duration.ofMillis(90_061_001) + " " + Double.toString(0.1f) + " " + Long.toUnsignedString(-1L, 36);
    }

    static String tasks() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        List<CompletableFuture<Integer>> all = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            int n = i;
            all.add(CompletableFuture.supplyAsync(() -> Integer.toString(n).hashCode(), pool).thenApply(h -> h % 7));
        }
        int sum = 0;
        for (CompletableFuture<Integer> one : all)
            sum += one.get();
        pool.shutdown();
        return "tasks " + sum;
    }

    static String files(Path file) throws Exception {
        try (var out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write("some text ".repeat(1000).getBytes("UTF-8"));
        }
        CRC32 crc = new CRC32();
        crc.update("x".repeat(5000).getBytes("UTF-8"));
        return Files.size(file) + " " + crc.getValue();
    }

    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            list();
            return;
        }
        Stage stage = new Stage(args[0]);
        stage.awaitGo();
        for (int i = 0; i < 3; i++) {
            System.out.println(texts());
            System.out.println(numbers());
            System.out.println(tasks());
            System.out.println(files(stage.file("gz")));
        }
        stage.finish();
    }
}
