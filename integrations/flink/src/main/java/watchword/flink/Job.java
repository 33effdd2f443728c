package watchword.flink;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.serialization.SimpleStringEncoder;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.filesystem.rollingpolicies.OnCheckpointRollingPolicy;

/** The job that {@code watchword flink} writes: traces, shards, files of violations and of late events. */
public final class Job {
  /** How often checkpoints are taken if the cluster does not say. */
  private static final long INTERVAL = 10_000;

  private Job() {}

  /** Runs the job of this jar. Arguments {@code --KEY VALUE} take precedence over the options inside. */
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    build(env, Options.read(args));
    env.execute("watchword");
  }

  @SuppressWarnings("deprecation") // See Traces.
  static void build(StreamExecutionEnvironment env, Options options) throws IOException {
    if (!env.getCheckpointConfig().isCheckpointingEnabled()) {
      env.enableCheckpointing(INTERVAL);
    }
    // A shard is a key group: there are never more subtasks than shards.
    env.setMaxParallelism(options.shards());
    List<String> names = traces(options.all("source"));
    SingleOutputStreamOperator<String> found = env
        .addSource(new Traces(options, names), "traces", Traces.type()).uid("traces")
        .keyBy(batch -> batch.f0, Types.INT)
        .transform("properties", Types.STRING, new Shards(options, names)).uid("properties");
    Path sink = new Path(options.one("sink"));
    found.sinkTo(files(new Path(sink, "violations"))).name("violations").uid("violations");
    found.getSideOutput(Shards.LATE).sinkTo(files(new Path(sink, "late"))).name("late").uid("late");
  }

  private static FileSink<String> files(Path folder) {
    return FileSink.forRowFormat(folder, new SimpleStringEncoder<String>())
        .withRollingPolicy(OnCheckpointRollingPolicy.build()).build();
  }

  /** The files of these sources, those of folders in order of their names. */
  private static List<String> traces(List<String> sources) throws IOException {
    List<String> names = new ArrayList<>();
    for (String source : sources) {
      Path path = new Path(source);
      FileSystem files = path.getFileSystem();
      if (!files.getFileStatus(path).isDir()) {
        names.add(path.toString());
        continue;
      }
      List<String> inside = new ArrayList<>();
      for (FileStatus file : files.listStatus(path)) {
        if (!file.isDir() && !file.getPath().getName().startsWith(".")) {
          inside.add(file.getPath().toString());
        }
      }
      inside.sort(null);
      names.addAll(inside);
    }
    if (names.isEmpty()) {
      throw new IOException("no traces in " + sources);
    }
    return names;
  }
}
