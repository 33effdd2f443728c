import java.io.BufferedReader;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileReader;
import java.io.FileWriter;
import java.io.IOException;

/** Closes what it opens, and then leaves it alone. */
public class StreamsOk {
    public static void main(String[] args) throws IOException {
        File file = File.createTempFile("watchword", ".txt");
        file.deleteOnExit();
        try (FileWriter writer = new FileWriter(file)) {
            writer.write("hello");
        }
        try (FileInputStream input = new FileInputStream(file)) {
            System.out.println(input.read());
        }
        try (BufferedReader reader = new BufferedReader(new FileReader(file))) {
            System.out.println(reader.readLine());
        }
    }
}
