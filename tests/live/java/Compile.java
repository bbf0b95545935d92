// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compile DIR TREE THREADS: each thread compiles the sources below TREE with javac repeatedly until the file `quit`
 * exists. Each round must give the same class files and messages as the first one, byte for byte; differences are
 * printed. The digest of the first round is printed, too. The file `rounds` has a byte for each finished round.
 */
public class Compile {
    private static final JavaCompiler JAVAC = ToolProvider.getSystemJavaCompiler();

    static final class Output extends SimpleJavaFileObject {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        Output(String name) {
            super(URI.create("class:///" + name.replace('.', '/') + ".class"), Kind.CLASS);
        }

        @Override
        public OutputStream openOutputStream() {
            return bytes;
        }
    }

    static final class Outputs extends ForwardingJavaFileManager<JavaFileManager> {
        final Map<String, Output> classes = new TreeMap<>();

        Outputs(JavaFileManager sources) {
            super(sources);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
            return classes.computeIfAbsent(name, Output::new);
        }
    }

    /** One complete compilation: a digest of each class file and of the compiler's messages. */
    static Map<String, String> compile(List<File> tree) throws Exception {
        Map<String, String> digests = new TreeMap<>();
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager files = JAVAC.getStandardFileManager(null, null, null)) {
            Outputs outputs = new Outputs(files);
            if (!JAVAC.getTask(said, outputs, null, Arrays.asList("-g", "-proc:none", "-Xlint:all"), null,
                    files.getJavaFileObjectsFromFiles(tree)).call())
                throw new IllegalStateException("does not compile:\n" + said);
            for (Map.Entry<String, Output> e : outputs.classes.entrySet())
                digests.put(e.getKey(), digest(e.getValue().bytes.toByteArray()));
        }
        digests.put("messages", digest(said.toString().getBytes("UTF-8")));
        return digests;
    }

    static String digest(byte[] bytes) throws Exception {
        return new BigInteger(1, MessageDigest.getInstance("SHA-256").digest(bytes)).toString(16);
    }

    static void round(List<File> tree, Map<String, String> expected) {
        try {
            Map<String, String> seen = compile(tree), missing = new TreeMap<>(expected);
            missing.entrySet().removeAll(seen.entrySet());
            seen.entrySet().removeAll(expected.entrySet());
            if (!seen.isEmpty() || !missing.isEmpty())
                System.out.println("another result: " + seen.keySet() + " instead of " + missing.keySet());
        } catch (Throwable t) {
            t.printStackTrace(System.out);
        }
    }

    private static synchronized void done(Path rounds) {
        try {
            Files.write(rounds, new byte[1], StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        List<File> tree;
        try (Stream<Path> files = Files.walk(Paths.get(args[1]))) {
            tree = files.filter(f -> f.toString().endsWith(".java")).sorted().map(Path::toFile).collect(Collectors.toList());
        }
        Map<String, String> expected = compile(tree);
        System.out.println(expected.size() - 1 + " classes of " + tree.size() + " files: " + digest(expected.toString().getBytes("UTF-8")));
        stage.mark("ready");
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(args[2]); i++)
            threads.add(new Thread(() -> {
                while (!stage.has("quit")) {
                    round(tree, expected);
                    done(stage.file("rounds"));
                }
            }, "javac-" + i));
        threads.forEach(Thread::start);
        for (Thread t : threads)
            t.join();
    }
}
