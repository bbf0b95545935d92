// SPDX-License-Identifier: BSD-2-Clause
// string concatenation, constants, arithmetic of all types, loops
package PACKAGE;

public class Text {
    public static final String HEAD = "text-" + NUMBER + '/' + 1.5f;
    static final long BIG = (long) NUMBER << 33 | 0xffL;
    static final double PI = 3.14159 * NUMBER;

    public String say(int i, long l, double d, char c, boolean b, Object o, byte[] a) {
        String s = HEAD + i + l + d + c + b + o + a.length;
        s += i++ + --l;
        s += (char) (c + 1);
        return s + (o instanceof String ? ((String) o).length() : -1);
    }

    public int mix(int a, byte b, short s, float f, double d) {
        a <<= 3;
        a ^= b >>> 2;
        b += s;
        s *= 2;
        f /= 3;
        d %= 7;
        a += f + d;
        return a > 0 ? b : a < -5 ? s : ~a & 0x0f0f;
    }

    public double[][] grid(int n) {
        double[][] g = new double[n][n];
        outer:
        for (int i = 0; i < n; i++) {
            int j = 0;
            while (true) {
                if (j == n)
                    continue outer;
                if (i * j > 1000)
                    break outer;
                g[i][j] = i * PI + j++;
            }
        }
        return g;
    }

    Integer boxed(Integer a, Long b) {
        Integer c = a;
        c++;
        c += b.intValue();
        return c == null ? a : c;
    }
}
