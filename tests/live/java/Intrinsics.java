// SPDX-License-Identifier: BSD-2-Clause
package live;

/** Intrinsics DIR CALLS: call methods that HotSpot would replace CALLS times each, often enough for every compiler. */
public class Intrinsics {
    static long sink;

    static double numbers(int n) {
        double d = 1;
        long l = 1;
        int k = 1;
        for (int i = 0; i < n; i++) {
            d += Math.sin(i) + Math.pow(i, 0.5) + Math.sqrt(i) + Math.max((float) i, 3f) + Math.fma(d, 0.5, i);
            k = Math.max(k, i) ^ Integer.reverseBytes(i) ^ Integer.numberOfTrailingZeros(k);
            l = Math.addExact(l >> 1, i) + Long.bitCount(l) + Math.multiplyHigh(l, i) + Double.doubleToLongBits(d);
            d = Math.floor(d);
        }
        return d + l + k;
    }

    static int texts(int n) {
        int length = 0;
        for (int i = 0; i < n; i++) {
            StringBuilder b = new StringBuilder();
            b.append("a").append(i).append('c');
            length += b.toString().length();
        }
        return length;
    }

    static long boxes(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            Integer boxed = Integer.valueOf(i);
            Long other = Long.valueOf(sum);
            sum += boxed.intValue() + other.longValue() % 7;
        }
        return sum;
    }

    static int objects(int n, Object[] some) {
        int k = 0;
        for (int i = 0; i < n; i++) {
            k += java.util.Arrays.copyOf(some, 3).length + java.util.Objects.checkIndex(i % 3, 3);
            k += CharSequence.class.cast("x").length();
        }
        return k;
    }

    public static void main(String[] args) {
        Stage stage = new Stage(args[0]);
        int n = Integer.parseInt(args[1]), step = 1000;
        if (args.length > 2)
            stage.awaitGo();
        for (int i = 0; i < n; i += step) {
            sink += (long) numbers(step) + texts(step) + boxes(step) + objects(step, new Object[2]);
        }
        System.out.println(sink);
        stage.mark("done");
    }
}
