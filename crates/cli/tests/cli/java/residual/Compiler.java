import java.io.*;
import java.util.*;
import javax.tools.ToolProvider;

/** Compiles what each line of its input names: arguments of javac with tabs between. It answers with a
 *  line: the status and what javac said. Started once, it is as warm as it gets. */
class Compiler {
    public static void main(String[] none) throws IOException {
        var javac = ToolProvider.getSystemJavaCompiler();
        var lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = lines.readLine()) != null; ) {
            var said = new ByteArrayOutputStream();
            int status = javac.run(null, said, said, line.split("\t"));
            System.out.println(status + " " + said.toString().replace('\n', ' '));
        }
    }
}
