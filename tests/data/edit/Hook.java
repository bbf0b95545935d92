// SPDX-License-Identifier: BSD-2-Clause
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;

/* What edited methods call in tests: counts by method. ids.txt, beside it, has "id Class.method" in each line. */
public final class Hook {
	private static final int MAX = 100_000;
	private static final int[] entered = new int[MAX], left = new int[MAX], thrown = new int[MAX];
	private static int mixed; // calls whose start was not what enter() gave

	private static long startOf(int id) {
		return 0x1234_5678_0000_0000L + id;
	}

	public static synchronized long enter(int id) {
		entered[id % MAX]++;
		return startOf(id);
	}

	public static synchronized void leave(long start, int id) {
		left[id % MAX]++;
		mixed += start == startOf(id) ? 0 : 1;
	}

	public static synchronized void thrown(long start, int id) {
		thrown[id % MAX]++;
		mixed += start == startOf(id) ? 0 : 1;
	}

	/* For each method that was entered: "Class.method entered left thrown", sorted. */
	public static List<String> report() throws Exception {
		Map<String, int[]> byName = new TreeMap<>();
		Path ids = Paths.get(System.getProperty("ids"));
		for (String line : Files.readAllLines(ids, StandardCharsets.UTF_8)) {
			int space = line.indexOf(' ');
			int id = (int) (Long.parseLong(line.substring(0, space)) % MAX);
			int[] sum = byName.computeIfAbsent(line.substring(space + 1), n -> new int[3]);
			sum[0] += entered[id];
			sum[1] += left[id];
			sum[2] += thrown[id];
		}
		List<String> lines = new ArrayList<>();
		byName.forEach((name, n) -> {
			if (n[0] + n[1] + n[2] > 0)
				lines.add(name + " " + n[0] + " " + n[1] + " " + n[2]);
		});
		if (mixed > 0)
			lines.add("start was mixed up: " + mixed);
		return lines;
	}
}
