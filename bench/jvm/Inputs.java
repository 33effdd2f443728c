import java.io.*;
import java.nio.file.*;
import java.util.*;

/** Writes the inputs of the workloads into a folder. The same seed gives the same bytes. */
public class Inputs {
    static final Random random = new Random(2024);
    static final String[] WORDS = "alpha beta gamma delta list map order item price customer window graph node edge path"
        .split(" ");

    static String word() { return WORDS[random.nextInt(WORDS.length)]; }

    static String sentence(int words) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < words; i++) text.append(i == 0 ? "" : " ").append(word());
        return text.toString();
    }

    static void write(Path to, CharSequence text) throws IOException {
        Files.createDirectories(to.getParent());
        Files.writeString(to, text);
    }

    /** A class with fields, loops, generics and inner classes, that calls others. */
    static String javaClass(int number, int count) {
        StringBuilder out = new StringBuilder("package gen;\nimport java.util.*;\n\n/** Generated. */\npublic class C" + number + " {\n");
        for (int f = 0; f < 6; f++) out.append("    private int field" + f + " = " + random.nextInt(100) + ";\n");
        out.append("    private final Map<String, List<Integer>> index = new HashMap<>();\n");
        for (int m = 0; m < 14; m++) {
            int other = random.nextInt(count);
            out.append("\n    public int method" + m + "(int a, List<String> names) {\n        int sum = a;\n");
            for (int s = 0; s < 8; s++) {
                switch (random.nextInt(5)) {
                    case 0: out.append("        for (String name : names) { sum += name.length() * " + random.nextInt(9) + "; }\n"); break;
                    case 1: out.append("        if (sum > " + random.nextInt(1000) + ") { sum -= field" + random.nextInt(6) + "; } else { sum++; }\n"); break;
                    case 2: out.append("        index.computeIfAbsent(\"" + word() + "\", k -> new ArrayList<>()).add(sum);\n"); break;
                    case 3: out.append("        for (Map.Entry<String, List<Integer>> e : index.entrySet()) { sum ^= e.getValue().size(); }\n"); break;
                    default: out.append("        sum += C" + other + ".twice(sum) + (sum << " + random.nextInt(5) + ");\n");
                }
            }
            out.append("        return sum;\n    }\n");
        }
        out.append("\n    static int twice(int x) { return 2 * x; }\n");
        out.append("\n    static class Inner<T extends Comparable<T>> {\n        T best(List<T> all) {\n            T best = null;\n");
        out.append("            for (T one : all) { if (best == null || one.compareTo(best) > 0) { best = one; } }\n            return best;\n        }\n    }\n}\n");
        return out.toString();
    }

    static void script(Path folder) throws IOException {
        StringBuilder out = new StringBuilder();
        for (int f = 0; f < 1500; f++) {
            out.append("function f" + f + "(a, b) {\n  var total = 0, list = [];\n");
            for (int s = 0; s < 10; s++) {
                switch (random.nextInt(4)) {
                    case 0: out.append("  for (var i" + s + " = 0; i" + s + " < a; i" + s + "++) { total += i" + s + " * " + random.nextInt(9) + "; }\n"); break;
                    case 1: out.append("  if (b > " + random.nextInt(50) + ") { list.push('" + word() + "'); } else { total--; }\n"); break;
                    case 2: out.append("  var o" + s + " = {x: a, y: b, name: '" + word() + "'}; total += o" + s + ".x;\n"); break;
                    default: out.append("  total += f" + random.nextInt(1500) + ".length;\n");
                }
            }
            out.append("  return total + list.length;\n}\nwindow['f" + f + "'] = f" + f + ";\n");
        }
        write(folder.resolve("big.js"), out);
    }

    static void puml(Path folder) throws IOException {
        StringBuilder out = new StringBuilder("@startuml\n");
        for (int p = 0; p < 12; p++) out.append("participant P" + p + "\n");
        for (int m = 0; m < 700; m++) {
            out.append("P" + random.nextInt(12) + " -> P" + random.nextInt(12) + " : " + sentence(4) + "\n");
            if (m % 25 == 0) out.append("note right : " + sentence(6) + "\n");
        }
        write(folder.resolve("seq.puml"), out.append("@enduml\n"));
    }

    /** A PDF of many pages of text: objects, a table of their places, a trailer. */
    static void pdf(Path folder) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        List<Integer> places = new ArrayList<>();
        int pages = 500;
        out.writeBytes("%PDF-1.4\n".getBytes());
        StringBuilder kids = new StringBuilder();
        for (int p = 0; p < pages; p++) kids.append(4 + 2 * p).append(" 0 R ");
        List<String> objects = new ArrayList<>(List.of(
            "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[" + kids + "]/Count " + pages + ">>",
            "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"));
        for (int p = 0; p < pages; p++) {
            StringBuilder text = new StringBuilder("BT /F1 10 Tf 50 780 Td 12 TL\n");
            for (int line = 0; line < 60; line++) text.append("(" + sentence(12) + ") Tj T*\n");
            text.append("ET");
            objects.add("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>/Contents " + (5 + 2 * p) + " 0 R>>");
            objects.add("<</Length " + text.length() + ">>stream\n" + text + "\nendstream");
        }
        for (int i = 0; i < objects.size(); i++) {
            places.add(out.size());
            out.writeBytes(((i + 1) + " 0 obj" + objects.get(i) + "endobj\n").getBytes());
        }
        int table = out.size();
        StringBuilder xref = new StringBuilder("xref\n0 " + (places.size() + 1) + "\n0000000000 65535 f \n");
        for (int place : places) xref.append(String.format("%010d 00000 n \n", place));
        xref.append("trailer<</Size " + (places.size() + 1) + "/Root 1 0 R>>\nstartxref\n" + table + "\n%%EOF\n");
        out.writeBytes(xref.toString().getBytes());
        Files.write(folder.resolve("doc.pdf"), out.toByteArray());
    }

    static void sql(Path folder) throws IOException {
        StringBuilder out = new StringBuilder("CREATE TABLE item(id INT PRIMARY KEY, name VARCHAR(40), price INT, kind INT);\n"
            + "CREATE INDEX by_kind ON item(kind);\nCREATE TABLE sale(id INT PRIMARY KEY, item INT, amount INT);\n");
        for (int i = 0; i < 12000; i++) {
            out.append("INSERT INTO item VALUES(" + i + ", '" + sentence(2) + "', " + random.nextInt(1000) + ", " + random.nextInt(50) + ");\n");
            out.append("INSERT INTO sale VALUES(" + i + ", " + random.nextInt(i + 1) + ", " + random.nextInt(20) + ");\n");
            if (i % 5 == 0) out.append("UPDATE item SET price = price + 1 WHERE id = " + random.nextInt(i + 1) + ";\n");
            if (i % 40 == 0) out.append("SELECT kind, COUNT(*), AVG(price) FROM item WHERE kind < " + random.nextInt(50) + " GROUP BY kind ORDER BY kind;\n");
            if (i % 100 == 0) out.append("SELECT i.name, SUM(s.amount) FROM item i JOIN sale s ON s.item = i.id WHERE i.kind = " + random.nextInt(50) + " GROUP BY i.name;\n");
        }
        write(folder.resolve("w.sql"), out);
    }

    static void fo(Path folder) throws IOException {
        StringBuilder out = new StringBuilder("<?xml version=\"1.0\"?>\n<fo:root xmlns:fo=\"http://www.w3.org/1999/XSL/Format\"><fo:layout-master-set>"
            + "<fo:simple-page-master master-name=\"p\" page-height=\"29.7cm\" page-width=\"21cm\" margin=\"2cm\"><fo:region-body/></fo:simple-page-master>"
            + "</fo:layout-master-set><fo:page-sequence master-reference=\"p\"><fo:flow flow-name=\"xsl-region-body\">\n");
        for (int b = 0; b < 1200; b++) {
            if (b % 20 == 0) {
                out.append("<fo:table table-layout=\"fixed\" width=\"100%\"><fo:table-column column-width=\"50%\"/><fo:table-column column-width=\"50%\"/><fo:table-body>");
                for (int r = 0; r < 20; r++) out.append("<fo:table-row><fo:table-cell><fo:block>" + sentence(3) + "</fo:block></fo:table-cell><fo:table-cell><fo:block>" + random.nextInt(1000) + "</fo:block></fo:table-cell></fo:table-row>");
                out.append("</fo:table-body></fo:table>\n");
            }
            out.append("<fo:block space-after=\"6pt\">" + sentence(70) + "</fo:block>\n");
        }
        write(folder.resolve("doc.fo"), out.append("</fo:flow></fo:page-sequence></fo:root>\n"));
    }

    static void python(Path folder) throws IOException {
        write(folder.resolve("w.py"), """
            import random
            random.seed(7)
            words = {}
            class Node(object):
                def __init__(self, key):
                    self.key, self.next = key, []
            nodes = [Node(i) for i in range(2000)]
            for n in nodes:
                for k in range(4):
                    n.next.append(nodes[random.randrange(len(nodes))])
            for r in range(12):
                seen, work = set(), [nodes[r]]
                while work:
                    n = work.pop()
                    if n.key in seen:
                        continue
                    seen.add(n.key)
                    for m in n.next:
                        work.append(m)
                    words[n.key % 97] = words.get(n.key % 97, 0) + 1
            print(sorted(words.items())[:3], sum(x * x for x in range(200000)))
            """);
    }

    /** The same without diamonds and lambdas, for tools that are older than these. */
    static String asJava5(String text) {
        return text.replace("new HashMap<>()", "new HashMap<String, List<Integer>>()")
            .replaceAll("computeIfAbsent\\((\"\\w+\"), k -> new ArrayList<>\\(\\)\\).add\\(sum\\)",
                "put($1, new ArrayList<Integer>(sum))");
    }

    /** A program of 190 small classes: each works with collections once, and computes for as long as it is told. */
    static void small(Path folder) throws IOException {
        StringBuilder main = new StringBuilder("public class Small {\n"
            + "    public static void main(String[] a) { int sum = 0, times = Integer.parseInt(a[0]);\n");
        for (int c = 0; c < 189; c++) {
            write(folder.resolve("small/S" + c + ".java"), "import java.util.*;\npublic class S" + c + " {\n"
                + "    static int go() { List<Integer> l = new ArrayList<>(); for (int i = 0; i < 20; i++) l.add(i * " + c + ");\n"
                + "        int s = 0; for (int x : l) s += x; Map<String, Integer> m = new HashMap<>(); m.put(\"a\", s);\n"
                + "        for (String k : m.keySet()) s += m.get(k); return s; }\n"
                + "    static int work(int times) { StringBuilder b = new StringBuilder(); int s = " + c + ";\n"
                + "        for (int i = 0; i < times; i++) { s = s * 31 + (s >>> 7) ^ i; if (i % 64 == 0) b.append(s); }\n"
                + "        return b.toString().hashCode(); }\n}\n");
            main.append("sum += S" + c + ".go() + S" + c + ".work(times);\n");
        }
        write(folder.resolve("small/Small.java"), main.append("System.out.println(sum); } }\n"));
    }

    public static void main(String[] args) throws IOException {
        Path folder = Path.of(args[0]);
        Files.createDirectories(folder);
        for (int c = 0; c < 220; c++) {
            String text = javaClass(c, 220);
            write(folder.resolve("gen/C" + c + ".java"), text);
            if (c < 60) write(folder.resolve("old/C" + c + ".java"), asJava5(text));
        }
        script(folder);
        puml(folder);
        pdf(folder);
        sql(folder);
        fo(folder);
        python(folder);
        small(folder);
    }
}
