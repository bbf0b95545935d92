// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.File;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Paths;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/** Objects that are texts by their fields, and the text that each has. */
public class Textual {
    static final List<Object> objects = new ArrayList<>();
    static final List<String> texts = new ArrayList<>();

    static void add(Object object, String text) {
        objects.add(object);
        texts.add(text);
    }

    static void addAsItIs(Object object) {
        add(object, object.toString());
    }

    static void call(int id, Object any) {}

    static void arrays(int id, byte[] bytes, char[] chars, CharSequence text) {}

    static StringBuffer buffer(String text) {
        return new StringBuffer(text);
    }

    static void addNumbers() {
        Random random = new Random(7);
        int[] scales = {0, 1, 5, 20, -3, 300, 6, 7};
        for (int i = 0; i < 60; i++) {
            BigInteger n = new BigInteger(i * 9 % 390, random);
            if (i % 2 == 0)
                n = n.negate();
            addAsItIs(new BigDecimal(n, scales[i % scales.length]));
            addAsItIs(n);
        }
        addAsItIs(BigDecimal.ZERO);
        addAsItIs(new BigDecimal("0.000"));
        addAsItIs(new BigDecimal("123.4500"));
        addAsItIs(new BigDecimal(Long.MIN_VALUE));
    }

    static void addTimes() {
        Random random = new Random(8);
        for (int i = 0; i < 100; i++) {
            long ms = random.nextLong() >> (20 + i % 40);
            add(new Date(ms), Instant.ofEpochMilli(ms).toString());
            addAsItIs(Instant.ofEpochSecond(ms / 1000, i % 3 == 0 ? 0 : random.nextInt(1000000000)));
        }
        addAsItIs(Instant.parse("2024-02-29T23:59:59.000001Z"));
        addAsItIs(Instant.parse("-0044-03-15T12:00:00Z"));
        addAsItIs(Instant.MAX);
        addAsItIs(Instant.MIN);
        Date shown = new Date(1700000000123L);
        shown.toString(); // it keeps a calendar's date from now on
        add(shown, "2023-11-14T22:13:20.123Z");
    }

    static void addAddresses() throws Exception {
        InetAddress v4 = InetAddress.getByAddress("a.test", new byte[] {10, (byte)200, 0, 7});
        InetAddress v6 = InetAddress.getByAddress(new byte[] {32, 1, 13, (byte)184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
        add(v4, v4.getHostAddress());
        add(v6, v6.getHostAddress());
        add(new InetSocketAddress(v4, 80), "10.200.0.7:80");
        add(new InetSocketAddress(v6, 65535), "[" + v6.getHostAddress() + "]:65535");
        add(InetSocketAddress.createUnresolved("b.test", 443), "b.test:443");
    }

    static void addTexts() throws Exception {
        String wide = "Z\u00fcrich \u2026 \ud83d\ude00";
        addAsItIs(new StringBuilder("narrow"));
        addAsItIs(new StringBuilder());
        addAsItIs(buffer(wide));
        addAsItIs(new StringBuilder("cut").append(wide).delete(0, 3));
        add("plain".toCharArray(), "plain");
        add(wide.toCharArray(), wide);
        add(wide.getBytes(StandardCharsets.UTF_8), wide);
        add("Z\u00fcrich".getBytes(StandardCharsets.ISO_8859_1), "Z\u00fcrich");
        add(new byte[0], "");
        add(new int[3], "int[]");
        addAsItIs(UUID.randomUUID());
        addAsItIs(new UUID(0, 1));
        addAsItIs(URI.create("http://a.test:80/b?c=d#e"));
        for (String url : new String[] {"http://u:p@a.test:80/b?c=d#e", "file:/a/b", "jar:file:/a!/b", "http://a.test", "file:"})
            addAsItIs(new URL(url));
        addAsItIs(Paths.get("/tmp/a b/c.txt"));
        addAsItIs(new File("some/file"));
        StringBuilder longer = new StringBuilder();
        for (int i = 0; i < 3000; i++)
            longer.append((char)('a' + i % 26));
        add(longer, longer.substring(0, 128) + "\u2026(3000)");
        add(longer.toString().getBytes(StandardCharsets.US_ASCII), longer.substring(0, 128) + "\u2026(3000)");
    }

    /** DIRECTORY */
    public static void main(String[] arguments) throws Exception {
        Stage stage = new Stage(arguments[0]);
        addTexts();
        addNumbers();
        addTimes();
        addAddresses();
        try (PrintWriter out = new PrintWriter(arguments[0] + "/texts", "UTF-8")) {
            for (String text : texts)
                out.println(text);
        }
        stage.awaitGo();
        for (int i = 0; i < objects.size(); i++)
            call(i, objects.get(i));
        arrays(0, "bytes".getBytes(StandardCharsets.UTF_8), "chars".toCharArray(), new StringBuilder("built"));
        stage.finish();
    }
}
