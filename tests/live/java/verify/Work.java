// SPDX-License-Identifier: BSD-2-Clause
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;
/* A real program: collections, streams, strings, regex, threads, zip, exceptions, reflection, http. */
public class Work {
	public static void main(String[] a) throws Exception {
		Map<String,Integer> m = new ConcurrentHashMap<>();
		ExecutorService ex = Executors.newFixedThreadPool(4);
		List<Future<Integer>> fs = new ArrayList<>();
		for (int i = 0; i < 20; i++) { final int n = i; fs.add(ex.submit(() -> { int s = 0; for (int k = 0; k < 2000; k++) { m.merge("k" + (k % 100), 1, Integer::sum); s += k ^ n; } return s; })); }
		long t = 0; for (Future<Integer> f : fs) t += f.get();
		ex.shutdown();
		String s = IntStream.range(0, 2000).mapToObj(Integer::toString).filter(x -> x.matches("[0-9]*7")).sorted(Comparator.reverseOrder()).collect(Collectors.joining(","));
		int e = 0; for (int i = 0; i < 1000; i++) try { Integer.parseInt("x" + i); } catch (NumberFormatException x) { e++; }
		java.io.ByteArrayOutputStream b = new java.io.ByteArrayOutputStream();
		try (java.util.zip.GZIPOutputStream z = new java.util.zip.GZIPOutputStream(b)) { z.write(s.getBytes("UTF-8")); }
		java.security.MessageDigest d = java.security.MessageDigest.getInstance("SHA-256");
		String h = java.util.HexFormat.of().formatHex(d.digest(s.getBytes()));
		System.out.println(m.values().stream().mapToInt(x -> x).sum() + " " + t + " " + s.length() + " " + e + " " + b.size() + " " + h + " " + String.format("%.3f %s", Math.PI, java.time.LocalDate.of(2020, 2, 29).plusYears(1)) + " " + new java.math.BigInteger("123456789012345678901234567890").modPow(java.math.BigInteger.TEN, java.math.BigInteger.valueOf(1000007)));
	}
}
