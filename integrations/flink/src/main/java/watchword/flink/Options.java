package watchword.flink;

import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** What a job is about: the properties and options that {@code watchword flink} put into its jar. */
final class Options implements Serializable {
  private static final long serialVersionUID = 1;

  /** The properties, as the library reads them. */
  final byte[] properties;
  /** Lines {@code KEY=VALUE}. */
  final String lines;

  private Options(byte[] properties, String lines) {
    this.properties = properties;
    this.lines = lines;
  }

  /** Those of the jar; arguments {@code --KEY VALUE} take precedence. */
  static Options read(String[] args) throws IOException {
    String lines = new String(resource("/watchword/options"), StandardCharsets.UTF_8);
    for (int at = 0; at + 1 < args.length; at += 2) {
      if (!args[at].startsWith("--")) {
        throw new IllegalArgumentException(args[at] + ": options are pairs such as --sink DIRECTORY");
      }
      String key = args[at].substring(2) + "=";
      StringBuilder rest = new StringBuilder();
      lines.lines().filter(line -> !line.startsWith(key)).forEach(line -> rest.append(line).append('\n'));
      lines = rest + key + args[at + 1] + "\n";
    }
    if (args.length % 2 != 0) {
      throw new IllegalArgumentException(args[args.length - 1] + " has no value");
    }
    return new Options(resource("/watchword/properties"), lines);
  }

  private static byte[] resource(String name) throws IOException {
    try (InputStream stream = Options.class.getResourceAsStream(name)) {
      if (stream == null) {
        throw new IOException("the jar has no " + name + ": write it with `watchword flink`");
      }
      return stream.readAllBytes();
    }
  }

  /** All values of a key. */
  List<String> all(String key) {
    List<String> values = new ArrayList<>();
    lines.lines().filter(line -> line.startsWith(key + "="))
        .forEach(line -> values.add(line.substring(key.length() + 1)));
    return values;
  }

  /** The only value of a key. */
  String one(String key) {
    List<String> values = all(key);
    if (values.size() != 1) {
      throw new IllegalArgumentException("the option " + key + " is needed once");
    }
    return values.get(0);
  }

  int shards() {
    return Integer.parseInt(one("shards"));
  }

  byte[] bytes() {
    return lines.getBytes(StandardCharsets.UTF_8);
  }
}
