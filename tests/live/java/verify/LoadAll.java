// SPDX-License-Identifier: BSD-2-Clause
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;

/* Loads and links (which verifies), without initialising, every class whose file is below a directory. */
public class LoadAll {
	public static void main(String[] args) throws Exception {
		Path root = Paths.get(args[0]);
		List<String> names;
		try (Stream<Path> s = Files.walk(root)) {
			names = s.map(p -> root.relativize(p).toString())
				.filter(p -> p.endsWith(".class") && !p.contains("module-info"))
				.map(p -> p.substring(0, p.length() - 6).replace('/', '.')).sorted().collect(Collectors.toList());
		}
		int bad = 0;
		for (String n : names) {
			try {
				// reflection needs a linked class
				Class.forName(n, false, ClassLoader.getSystemClassLoader()).getDeclaredMethods();
			} catch (Throwable e) {
				bad++;
				System.out.println(n + ": " + e);
			}
		}
		System.out.println(names.size() + " classes loaded and verified, " + bad + " bad");
		System.exit(bad == 0 && !names.isEmpty() ? 0 : 1);
	}
}
