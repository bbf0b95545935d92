// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Methods whose values become events (-e), and a log of the values, one line a call, for ValuedCheck. Java 8. */
public class Valued {
    static final int CUT = 128;
    static volatile long total = 42;
    static final List<String> LOG = Collections.synchronizedList(new ArrayList<>());

    enum Color {
        RED {
            @Override
            int weight() {
                return 1;
            }
        },
        BLUE;

        int weight() {
            return 0;
        }
    }

    static class Base {
        private final String id;

        Base(String id) {
            this.id = id;
        }
    }

    static class Cart extends Base {
        private final String id = "hides the one above";
        final Long count;
        final Base next;

        Cart(String id, Long count, Base next) {
            super(id);
            this.count = count;
            this.next = next;
        }
    }

    static class Made {
        final String text;

        Made(long id, String text) {
            this.text = text + "!";
            if (id % 3 == 0)
                throw new IllegalStateException();
        }
    }

    private final String name = "shop";

    int call(long id, int i, String s, double d, Base base, int[] items, Color color, Object any, boolean z, char c, short h,
            byte b, float f, String token) {
        int was = i;
        i = -1;
        s = null;
        d = 0;
        base = null;
        items = null;
        color = null;
        any = null;
        z = !z;
        c = 0;
        f = 0;
        id = -id;
        if (was % 5 == 1)
            throw new IllegalArgumentException("own");
        if (was % 5 == 2)
            return fails(was);
        return was % 5 == 3 ? was + 1 : was;
    }

    static int fails(int i) {
        throw new UnsupportedOperationException("of a callee");
    }

    static long wide(long id,
            int p1, int p2, int p3, int p4, int p5, int p6, int p7, int p8, int p9, int p10, int p11, int p12,
            int p13, int p14, int p15, int p16, int p17, int p18, int p19, int p20, int p21, int p22, int p23,
            int p24, int p25, int p26, int p27, int p28, int p29, int p30, int p31, int p32, int p33, int p34,
            int p35, int p36, int p37, int p38, int p39, int p40, int p41, int p42, int p43, int p44, int p45,
            int p46, int p47, int p48, int p49, int p50, int p51, int p52, int p53, int p54, int p55, int p56,
            int p57, int p58, int p59, int p60, int p61, int p62, int p63, int p64, int p65, int p66, int p67,
            int p68, int p69, int p70, int p71, int p72, int p73, int p74, int p75, int p76, int p77, int p78,
            int p79, int p80, int p81, int p82, int p83, int p84, int p85, int p86, int p87, int p88, int p89,
            int p90, int p91, int p92, int p93, int p94, int p95, int p96, int p97, int p98, int p99, int p100,
            int p101, int p102, int p103, int p104, int p105, int p106, int p107, int p108, int p109, int p110,
            int p111, int p112, int p113, int p114, int p115, int p116, int p117, int p118, int p119, int p120,
            int p121, int p122, int p123, int p124, int p125, int p126, int p127, int p128, int p129, int p130,
            int p131, int p132, int p133, int p134, int p135, int p136, int p137, int p138, int p139, int p140,
            int p141, int p142, int p143, int p144, int p145, int p146, int p147, int p148, int p149, int p150,
            int p151, int p152, int p153, int p154, int p155, int p156, int p157, int p158, int p159, int p160,
            int p161, int p162, int p163, int p164, int p165, int p166, int p167, int p168, int p169, int p170,
            int p171, int p172, int p173, int p174, int p175, int p176, int p177, int p178, int p179, int p180,
            int p181, int p182, int p183, int p184, int p185, int p186, int p187, int p188, int p189, int p190,
            int p191, int p192, int p193, int p194, int p195, int p196, int p197, int p198, int p199, int p200,
            int p201, int p202, int p203, int p204, int p205, int p206, int p207, int p208, int p209, int p210,
            int p211, int p212, int p213, int p214, int p215, int p216, int p217, int p218, int p219, int p220,
            int p221, int p222, int p223, int p224, int p225, int p226, int p227, int p228, int p229, int p230,
            int p231, int p232, int p233, int p234, int p235, int p236, int p237, int p238, int p239, int p240,
            int p241, int p242, int p243, int p244, int p245, int p246, int p247, int p248, int p249, int p250,
            int p251, int p252) {
        p252 = 0;
        return id;
    }

    static Double kinds(long id, Boolean z, Byte b, Character c, Short h, Integer i, Long j, Float f, Class<?> type, Thread thread,
            long[] longs, Object[] objects, String[][] deep) {
        return z == null ? null : id / 4.0;
    }

    static long backLong(long id) {
        return -id;
    }

    static double backDouble(long id) {
        return id / 8.0;
    }

    static float backFloat(long id) {
        return id % 1000 / 8f;
    }

    static boolean backBoolean(long id) {
        return id % 2 == 0;
    }

    static char backChar(long id) {
        return (char) id;
    }

    static Color backColor(long id) {
        return id % 3 == 0 ? null : Color.values()[(int) (id % 2)];
    }

    static final Object LOCK = new Object();
    static final int EXITS = 16;

    /** Sixteen ways out of a method. */
    @SuppressWarnings("finally")
    static synchronized int exit(long id, int kind, Object[] some) {
        int was = kind;
        kind = -1;
        switch (was) {
        case 0: return was;
        case 1:
            for (int n = 0;; n++)
                if (n == 7)
                    return n;
        case 2: throw new IllegalStateException("own");
        case 3:
            try {
                throw new IllegalStateException("caught");
            } catch (IllegalStateException e) {
                return 3;
            }
        case 4: return fails(4);
        case 5:
            try {
                return fails(5);
            } catch (UnsupportedOperationException e) {
                return 5;
            }
        case 6:
            try {
                return 6;
            } finally {
                id = 0;
            }
        case 7:
            try {
                return fails(7);
            } finally {
                id = 0;
            }
        case 8:
            try {
                throw new IllegalStateException("swallowed");
            } finally {
                return 8;
            }
        case 9:
            synchronized (LOCK) {
                throw new IllegalArgumentException("with two monitors");
            }
        case 10: return some[99].hashCode(); // ArrayIndexOutOfBoundsException
        case 11: return some[0].hashCode(); // NullPointerException
        case 12: return was / (was - 12); // ArithmeticException
        case 13: return ((String) (Object) id).length(); // ClassCastException
        case 14: return new int[-1].length; // NegativeArraySizeException
        default: some[0] = id; // ArrayStoreException
        }
        return was;
    }

    /** The text as an event has it, in hexadecimal. */
    static String text(String s) {
        if (s == null)
            return "null";
        String kept = s;
        if (s.length() > CUT) {
            int end = Character.isSurrogatePair(s.charAt(CUT - 1), s.charAt(CUT)) ? CUT - 1 : CUT;
            kept = s.substring(0, end) + "\u2026(" + s.length() + ")";
        }
        StringBuilder hex = new StringBuilder("x");
        for (char c : kept.toCharArray())
            hex.append(Integer.toHexString(c)).append(',');
        return hex.toString();
    }

    static String repeat(String s, int n) {
        StringBuilder b = new StringBuilder();
        for (int i = 0; i < n; i++)
            b.append(s);
        return b.toString();
    }

    static final String[] TEXTS = {null, "", "abc", "\u00e4\u00ff", "\u20ac\ud83d\ude00", "\ud800 alone", "\udc00\ud800", "a\0b\nc",
        repeat("x", 127), repeat("x", 128), repeat("x", 129), repeat("\u00e4", 128), repeat("\u20ac", 200),
        repeat("a", 127) + "\ud83d\ude00" + "b", repeat("z", 1_000_000)};
    static final Object[] ANY = {null, "text", 7, 7L, 1.5f, 2.5, true, 'q', (byte) 3, (short) 4, Color.RED, String.class,
        int[].class, int.class};

    static String any(Object o) {
        if (o instanceof Color)
            return text(((Color) o).name());
        if (o instanceof Class)
            return text(((Class<?>) o).getCanonicalName());
        return o == null ? "null" : text(o.toString());
    }

    static void calls(Valued v, long first, int calls) {
        for (int n = 0; n < calls; n++) {
            long id = first + n;
            int i = (int) (id * 31);
            String s = TEXTS[n % TEXTS.length];
            Base next = n % 4 == 0 ? null : new Base("n" + id);
            Base base = n % 3 == 0 ? null : n % 3 == 1 ? new Base("b" + id) : new Cart("c" + id, n % 2 == 0 ? null : id, next);
            int[] items = n % 7 == 0 ? null : new int[n % 7];
            Color color = n % 3 == 0 ? null : Color.values()[n % 3 - 1];
            Object any = ANY[n % ANY.length];
            String back = "null", thrown = "null";
            try {
                back = "" + v.call(id, i, s, i / 4.0, base, items, color, any, n % 2 == 0, (char) (n % 65536), (short) n, (byte) n,
                    n / 8f, "xyzzy" + id);
            } catch (RuntimeException e) {
                thrown = e.getClass().getName();
            }
            if (thrown.equals("java.lang.UnsupportedOperationException"))
                LOG.add("fails " + thrown);
            LOG.add(String.join(" ", "call", "" + id, "" + i, text(s), "" + i / 4.0, base == null ? "null" : text(base.id),
                items == null ? "null" : "" + items.length, color == null ? "null" : text(color.name()), any(any), "" + (n % 2 == 0),
                "" + n % 65536, "" + (short) n, "" + (byte) n, "" + n / 8f, s == null ? "null" : "" + s.length(), back, thrown,
                text("shop"), "42"));
            make(id, s);
            exitCall(id);
            if (n % 8 == 0)
                kindsCall(id, n);
            if (n % 16 == 0)
                wideCall(id, i);
        }
    }

    static void exitCall(long id) {
        String back = "null", thrown = "null";
        boolean callee = id % EXITS == 4 || id % EXITS == 5 || id % EXITS == 7;
        try {
            back = "" + exit(id, (int) (id % EXITS), new String[1]);
        } catch (RuntimeException e) {
            thrown = e.getClass().getName();
        }
        if (callee)
            LOG.add("fails java.lang.UnsupportedOperationException");
        LOG.add(String.join(" ", "exit", "" + id, "" + id % EXITS, back, thrown));
    }

    /** A missing number is the smallest one, which stands for null here. */
    static void kindsCall(long id, int n) {
        boolean none = n % 3 == 0;
        Thread thread = none ? null : new Thread("thread " + id);
        Class<?> type = n % 5 == 0 ? null : n % 5 == 1 ? Color.class : n % 5 == 2 ? long[][].class : n % 5 == 3 ? double.class : Object.class;
        long[] longs = none ? null : new long[n % 9];
        Object[] objects = none ? null : new String[n % 11];
        String[][] deep = none ? null : new String[n % 13][];
        Double back = none ? kinds(id, null, null, null, null, null, null, null, type, thread, longs, objects, deep)
                           : kinds(id, n % 2 == 0, (byte) n, (char) n, (short) n, n, -id, n / 4f, type, thread, longs, objects, deep);
        LOG.add(String.join(" ", "kinds", "" + id, "" + (!none && n % 2 == 0), none ? "-128" : "" + (byte) n, none ? "0" : "" + n % 65536,
            none ? "-32768" : "" + (short) n, none ? "null" : "" + n, none ? "null" : "" + -id, none ? "NaN" : "" + n / 4f,
            type == null ? "null" : type.getName(), none ? "null" : text(thread.getName()), none ? "null" : "" + longs.length,
            none ? "null" : "" + objects.length, none ? "null" : "" + deep.length, none ? "NaN" : "" + back));
        Color color = backColor(id);
        LOG.add(String.join(" ", "back", "" + id, "long", "" + backLong(id)));
        LOG.add(String.join(" ", "back", "" + id, "double", "" + backDouble(id)));
        LOG.add(String.join(" ", "back", "" + id, "float", "" + backFloat(id)));
        LOG.add(String.join(" ", "back", "" + id, "boolean", "" + backBoolean(id)));
        LOG.add(String.join(" ", "back", "" + id, "char", "" + (int) backChar(id)));
        LOG.add(String.join(" ", "back", "" + id, "color", color == null ? "null" : text(color.name())));
    }

    static void make(long id, String s) {
        String thrown = "null", text = text(s + "!");
        try {
            new Made(id, s);
        } catch (IllegalStateException e) {
            thrown = e.getClass().getName();
            text = "null";
        }
        LOG.add(String.join(" ", "made", "" + id, text(s), text, thrown));
    }

    static void wideCall(long id, int i) {
        wide(
            id, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7, i + 8, i + 9, i + 10, i + 11, i + 12, i + 13,
            i + 14, i + 15, i + 16, i + 17, i + 18, i + 19, i + 20, i + 21, i + 22, i + 23, i + 24, i + 25, i + 26,
            i + 27, i + 28, i + 29, i + 30, i + 31, i + 32, i + 33, i + 34, i + 35, i + 36, i + 37, i + 38, i + 39,
            i + 40, i + 41, i + 42, i + 43, i + 44, i + 45, i + 46, i + 47, i + 48, i + 49, i + 50, i + 51, i + 52,
            i + 53, i + 54, i + 55, i + 56, i + 57, i + 58, i + 59, i + 60, i + 61, i + 62, i + 63, i + 64, i + 65,
            i + 66, i + 67, i + 68, i + 69, i + 70, i + 71, i + 72, i + 73, i + 74, i + 75, i + 76, i + 77, i + 78,
            i + 79, i + 80, i + 81, i + 82, i + 83, i + 84, i + 85, i + 86, i + 87, i + 88, i + 89, i + 90, i + 91,
            i + 92, i + 93, i + 94, i + 95, i + 96, i + 97, i + 98, i + 99, i + 100, i + 101, i + 102, i + 103,
            i + 104, i + 105, i + 106, i + 107, i + 108, i + 109, i + 110, i + 111, i + 112, i + 113, i + 114,
            i + 115, i + 116, i + 117, i + 118, i + 119, i + 120, i + 121, i + 122, i + 123, i + 124, i + 125,
            i + 126, i + 127, i + 128, i + 129, i + 130, i + 131, i + 132, i + 133, i + 134, i + 135, i + 136,
            i + 137, i + 138, i + 139, i + 140, i + 141, i + 142, i + 143, i + 144, i + 145, i + 146, i + 147,
            i + 148, i + 149, i + 150, i + 151, i + 152, i + 153, i + 154, i + 155, i + 156, i + 157, i + 158,
            i + 159, i + 160, i + 161, i + 162, i + 163, i + 164, i + 165, i + 166, i + 167, i + 168, i + 169,
            i + 170, i + 171, i + 172, i + 173, i + 174, i + 175, i + 176, i + 177, i + 178, i + 179, i + 180,
            i + 181, i + 182, i + 183, i + 184, i + 185, i + 186, i + 187, i + 188, i + 189, i + 190, i + 191,
            i + 192, i + 193, i + 194, i + 195, i + 196, i + 197, i + 198, i + 199, i + 200, i + 201, i + 202,
            i + 203, i + 204, i + 205, i + 206, i + 207, i + 208, i + 209, i + 210, i + 211, i + 212, i + 213,
            i + 214, i + 215, i + 216, i + 217, i + 218, i + 219, i + 220, i + 221, i + 222, i + 223, i + 224,
            i + 225, i + 226, i + 227, i + 228, i + 229, i + 230, i + 231, i + 232, i + 233, i + 234, i + 235,
            i + 236, i + 237, i + 238, i + 239, i + 240, i + 241, i + 242, i + 243, i + 244, i + 245, i + 246,
            i + 247, i + 248, i + 249, i + 250, i + 251, i + 252);
        LOG.add(String.join(" ", "wide", "" + id, "" + (i + 1), "" + (i + 252), "" + id));
    }

    static Thread start(boolean virtual, Runnable r) throws Exception {
        if (virtual)
            return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, r);
        Thread t = new Thread(r);
        t.start();
        return t;
    }

    /** DIRECTORY THREADS CALLS [virtual | forever] */
    public static void main(String[] arguments) throws Exception {
        List<String> mode = Arrays.asList(arguments).subList(3, arguments.length);
        int threads = Integer.parseInt(arguments[1]), calls = Integer.parseInt(arguments[2]);
        Stage stage = new Stage(arguments[0]);
        Valued v = new Valued();
        List<Thread> all = new ArrayList<>();
        new Cart("loaded", 1L, null);
        Class.forName(Made.class.getName()); // without a call
        stage.awaitGo();
        do {
            all.clear();
            for (int t = 0; t < threads; t++) {
                long first = 1 + (long) t * calls;
                all.add(start(mode.contains("virtual"), () -> calls(v, first, calls)));
            }
            for (Thread t : all)
                t.join();
            if (mode.contains("forever"))
                LOG.clear();
        } while (mode.contains("forever"));
        Files.write(Paths.get(arguments[0], "values"), LOG, StandardCharsets.US_ASCII);
        stage.finish();
    }
}
