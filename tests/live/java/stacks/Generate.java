// SPDX-License-Identifier: BSD-2-Clause
package stacks;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Random;

/**
 * Generate DIR SEED CLASSES: write the sources of stacks.random.R0, R1, ... with methods that call each other. SEED
 * determines the possible callees of each call; a random choice picks one at run time. A path ends at Probe.hit after
 * `depth` calls.
 */
public final class Generate {
    private static final int METHODS = 5;

    private final Random random;
    private final int classes;
    private int field;
    private StringBuilder fields, body;

    private Generate(long seed, int classes) {
        this.random = new Random(seed);
        this.classes = classes;
    }

    public static void main(String[] args) throws IOException {
        Path directory = Paths.get(args[0]);
        Generate generate = new Generate(Long.parseLong(args[1]), Integer.parseInt(args[2]));
        Files.createDirectories(directory);
        write(directory, "All", "public interface All {\n    int COUNT = " + generate.classes + ";\n}\n");
        for (int i = 0; i < generate.classes; i++)
            write(directory, "R" + i, generate.type(i));
    }

    private static void write(Path directory, String name, String text) throws IOException {
        try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(directory.resolve(name + ".java")))) {
            out.print("package stacks.random;\n\nimport stacks.Graph;\nimport stacks.Probe;\n\n" + text);
        }
    }

    private String type(int number) {
        String parent = number > 0 && random.nextBoolean() ? " extends R" + random.nextInt(number) : "";
        fields = new StringBuilder();
        body = new StringBuilder();
        field = 0;
        for (int i = 0; i < METHODS; i++)
            method("public static int s" + i);
        for (int i = 0; i < METHODS; i++)
            if (i == 0 || random.nextBoolean())
                method("public " + (random.nextInt(4) == 0 ? "synchronized " : "") + "int v" + i);
        method("public int call");
        return "public class R" + number + parent + " implements Graph.Node {\n" + fields + body + "}\n";
    }

    private void method(String head) {
        int choices = 2 + random.nextInt(5);
        body.append("\n    ").append(head).append("(long k, int d, long r) {\n");
        body.append("        if (d <= 0)\n            return Probe.hit(k);\n");
        body.append("        long n = Graph.next(r);\n        int x = 0;\n");
        body.append("        switch (Graph.roll(n, ").append(choices).append(")) {\n");
        for (int i = 0; i < choices; i++)
            body.append(i == choices - 1 ? "        default: {\n" : "        case " + i + ": {\n")
                    .append(choice()).append("            break;\n        }\n");
        body.append("        }\n        return x;\n    }\n");
    }

    private String other() {
        return "R" + random.nextInt(classes);
    }

    private String statics() {
        return other() + ".s" + random.nextInt(METHODS) + "(k, d - 1, n)";
    }

    private String receiver() {
        return "new " + other() + "()";
    }

    private String choice() {
        String in = "            ", name;
        switch (random.nextInt(18)) {
        case 0:
        case 1:
        case 2:
            return in + "x += " + statics() + ";\n";
        case 3:
            return in + "x += " + statics() + " +\n" + in + "        Graph.roll(n, 3);\n";
        case 4:
        case 5:
            return in + "x += " + receiver() + ".v0(k, d - 1, n);\n";
        case 6:
            return in + "Graph.Node a" + " = Graph.roll(n, 2) == 0 ? " + receiver() + " : " + receiver() + ";\n"
                    + in + "x += a.call(k, d - 1, n);\n";
        case 7:
            return in + "x += " + receiver() + ".again(k, d - 1, n);\n";
        case 8:
            return in + "java.util.function.IntSupplier b = () -> " + statics() + ";\n" + in + "x += b.getAsInt();\n";
        case 9:
            return in + "Graph.Node c = " + other() + "::s" + random.nextInt(METHODS) + ";\n" + in + "x += c.again(k, d - 1, n);\n";
        case 10:
            name = "F" + field++;
            fields.append("    static final java.lang.reflect.Method ").append(name).append(" = Graph.method(").append(other())
                    .append(".class, \"s").append(random.nextInt(METHODS)).append("\");\n");
            return in + "x += Graph.reflect(" + name + ", k, d - 1, n);\n";
        case 11:
            name = "F" + field++;
            fields.append("    static final java.lang.invoke.MethodHandle ").append(name).append(" = Graph.handle(").append(other())
                    .append(".class, \"s").append(random.nextInt(METHODS)).append("\");\n");
            return in + "try {\n" + in + "    x += (int) " + name + ".invokeExact(k, d - 1, n);\n"
                    + in + "} catch (Throwable e) {\n" + in + "    throw Graph.wrap(e);\n" + in + "}\n";
        case 12:
            return in + "try {\n" + in + "    x += " + statics() + " + Graph.maybe(n);\n" + in + "} catch (Graph.Thrown e) {\n"
                    + in + "    x += Probe.hit(k);\n" + in + "}\n";
        case 13:
            return in + "try {\n" + in + "    x += Graph.maybe(n) + " + statics() + ";\n" + in + "} finally {\n"
                    + in + "    x += Probe.hit(k);\n" + in + "}\n";
        case 14:
            return in + "synchronized (new Object()) {\n" + in + "    x += " + receiver() + ".v0(k, d - 2, n);\n" + in + "}\n";
        case 15:
            return in + "x += Graph.up(() -> " + statics() + ");\n";
        case 16:
            return in + "x += Graph.pause(n) + " + statics() + ";\n";
        default:
            return random.nextInt(6) > 0 ? in + "x += " + statics() + ";\n" : in + "x += Graph.fork(() -> { try { " + statics()
                    + "; } catch (Graph.Thrown e) { Probe.hit(k); } });\n";
        }
    }
}
