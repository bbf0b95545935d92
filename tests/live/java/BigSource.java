// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Prints the source of Big: methods at the limits of the class file format, too long to be checked in. */
public class BigSource {
    static String times(int n, IntFunction<String> line) {
        return IntStream.range(0, n).mapToObj(line).collect(Collectors.joining("\n"));
    }

    static void method(String name, String body) {
        System.out.println("    static int " + name + "(int x) {\n" + body + "\n    }\n");
    }

    /** Each `x += 1` is an iinc: 3 bytes. */
    static void sized(String name, int bytes) {
        method(name, times((bytes - 2) / 3, i -> "x += 1;") + "return x;");
    }

    public static void main(String[] args) {
        System.out.println("package live;\n\npublic class Big {");
        method("locals300", times(300, i -> "int v" + i + " = x + " + i + ";") + "int sum = 0;\n"
                + times(300, i -> "sum += v" + i + ";") + "long w = sum;\nif (x % 5 == 0) throw new IllegalStateException();\n"
                + "for (int i = 0; i < 2; i++) w += v299;\nreturn (int) w;");
        method("tableSwitch", "switch (x) {\n" + times(300, i -> "case " + i + ": return " + i * 7 + ";")
                + "\ndefault: throw new IllegalStateException(); }");
        method("lookupSwitch", "int y = 0;\nswitch (x * 1000) {\n" + times(400, i -> "case " + i * i * 1000 + ": y += " + i
                + (i % 3 == 0 ? ";" : "; break;")) + "\ndefault: y--; }\nreturn y;");
        method("wideJumps", "int end = x + 2;\nwhile (x < end) {\nif (x == -5) break;\n" + times(12_000, i -> "x += 1;")
                + "\nx -= 11_999; }\nif (x % 4 == 0) throw new IllegalStateException();\nreturn x;");
        method("manyExits", times(300, i -> "if (x == " + i + ") return " + i * 3 + ";") + "\nreturn x;");
        sized("over8000", 20_000);
        sized("near8000", 7_998);
        sized("near64k", 65_533);
        System.out.println("}");
    }
}
