package watchword.flink;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.source.RichParallelSourceFunction;
import org.apache.flink.streaming.api.watermark.Watermark;

/**
 * Reads traces and gives their events to shards: pairs of the key of a shard and events.
 *
 * <p>A subtask reads its traces together, always the one that lags behind, because the watermark is that of
 * the slowest. The state is how far each trace was read. After a restart a trace is read from its beginning,
 * and the library passes over what was read before: what the first lines tell holds for the rest.
 */
@SuppressWarnings("deprecation") // The other interface would need a split, an enumerator and four serializers.
final class Traces extends RichParallelSourceFunction<Tuple2<Integer, byte[]>>
    implements CheckpointedFunction {
  private static final long serialVersionUID = 1;
  /** How much is read at a time. */
  private static final int BLOCK = 1 << 16;

  private final Options options;
  private final List<String> names;
  private final long pause;
  private transient volatile boolean isRunning;
  private transient long job;
  private transient List<Open> traces;
  private transient ListState<Tuple2<Integer, Long>> positions;

  Traces(Options options, List<String> names) {
    this.options = options;
    this.names = names;
    List<String> pauses = options.all("pause");
    this.pause = pauses.isEmpty() ? 0 : Long.parseLong(pauses.get(0));
  }

  /** A trace that is being read. */
  private static final class Open {
    final int number;
    long position;
    long watermark = Long.MIN_VALUE;
    boolean hasEnded;
    long source;
    InputStream stream;
    byte[] rest = new byte[0];

    Open(int number, long position) {
      this.number = number;
      this.position = position;
    }

    /** The next whole lines, at most so many bytes if there is a line break among them. */
    byte[] next(long limit) throws IOException {
      byte[] block = rest;
      int length = rest.length;
      while (true) {
        int wanted = (int) Math.max(1, Math.min(BLOCK, limit - length));
        block = Arrays.copyOf(block, length + wanted);
        int read = stream.readNBytes(block, length, wanted);
        length += read;
        hasEnded = read < wanted;
        if (hasEnded || length >= limit) {
          rest = new byte[0];
          return Arrays.copyOf(block, length);
        }
        int end = length;
        while (end > 0 && block[end - 1] != '\n') {
          end--;
        }
        if (end > 0) {
          rest = Arrays.copyOfRange(block, end, length);
          return Arrays.copyOf(block, end);
        }
      }
    }
  }

  @Override
  public void initializeState(FunctionInitializationContext context) throws Exception {
    TypeInformation<Tuple2<Integer, Long>> type = TypeInformation.of(new TypeHint<Tuple2<Integer, Long>>() {});
    positions = context.getOperatorStateStore().getListState(new ListStateDescriptor<>("positions", type));
    traces = new ArrayList<>();
    if (context.isRestored()) {
      for (Tuple2<Integer, Long> position : positions.get()) {
        traces.add(new Open(position.f0, position.f1));
      }
    } else {
      int subtasks = getRuntimeContext().getTaskInfo().getNumberOfParallelSubtasks();
      int own = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
      for (int number = own; number < names.size(); number += subtasks) {
        traces.add(new Open(number, 0));
      }
    }
  }

  @Override
  public void snapshotState(FunctionSnapshotContext context) throws Exception {
    List<Tuple2<Integer, Long>> now = new ArrayList<>();
    for (Open trace : traces) {
      now.add(Tuple2.of(trace.number, trace.position));
    }
    positions.update(now);
  }

  @Override
  public void open(Configuration unused) {
    byte[] all = String.join("\n", names).getBytes(StandardCharsets.UTF_8);
    job = Native.open(options.properties, options.bytes(), all);
    isRunning = true;
    getRuntimeContext().getMetricGroup().gauge("watchwordSkippedLines", (Gauge<Long>) this::skipped);
  }

  private volatile long skipped;

  private long skipped() {
    return skipped;
  }

  @Override
  public void run(SourceContext<Tuple2<Integer, byte[]>> context) throws Exception {
    int[] keys = Keys.of(options.shards());
    for (Open trace : traces) {
      resume(trace);
    }
    long told = Long.MIN_VALUE;
    while (isRunning) {
      Open slowest = null;
      for (Open trace : traces) {
        if (!trace.hasEnded && (slowest == null || trace.watermark < slowest.watermark)) {
          slowest = trace;
        }
      }
      if (slowest == null) {
        break;
      }
      byte[] block = slowest.next(Long.MAX_VALUE);
      synchronized (context.getCheckpointLock()) {
        slowest.watermark = Native.feed(slowest.source, block, slowest.hasEnded, false);
        slowest.position += block.length;
        for (int shard = 0; shard < keys.length; shard++) {
          byte[] events = Native.take(slowest.source, shard);
          if (events != null) {
            context.collect(Tuple2.of(keys[shard], events));
          }
        }
        long watermark = watermark();
        if (watermark > told) {
          told = watermark;
          context.emitWatermark(new Watermark(watermark));
        }
      }
      skipped = traces.stream().mapToLong(trace -> Native.skipped(trace.source)).sum();
      if (pause > 0) {
        Thread.sleep(pause);
      }
    }
  }

  /** What none of the traces comes back to; those that have ended do not count. */
  private long watermark() {
    return traces.stream().filter(trace -> !trace.hasEnded).mapToLong(trace -> trace.watermark).min()
        .orElse(Long.MIN_VALUE);
  }

  /** Opens a trace and passes over what was read before. */
  private void resume(Open trace) throws IOException {
    Path path = new Path(names.get(trace.number));
    FileSystem files = path.getFileSystem();
    trace.source = Native.source(job, trace.number, files.getFileStatus(path).getModificationTime());
    InputStream stream = new BufferedInputStream(files.open(path), BLOCK);
    trace.stream = path.getName().endsWith(".gz") ? new GZIPInputStream(stream, BLOCK) : stream;
    for (long passed = 0; passed < trace.position; ) {
      byte[] block = trace.next(trace.position - passed);
      passed += block.length;
      if (passed < trace.position && trace.hasEnded) {
        throw new IOException(path + " is shorter than when the job's state was saved");
      }
      trace.watermark = Native.feed(trace.source, block, false, true);
    }
  }

  @Override
  public void cancel() {
    isRunning = false;
  }

  @Override
  public void close() throws Exception {
    if (traces != null) {
      for (Open trace : traces) {
        Native.closeSource(trace.source);
        trace.source = 0;
        if (trace.stream != null) {
          trace.stream.close();
        }
      }
    }
    Native.close(job);
    job = 0;
  }

  /** The type of what a source gives. */
  static TypeInformation<Tuple2<Integer, byte[]>> type() {
    return Types.TUPLE(Types.INT, Types.PRIMITIVE_ARRAY(Types.BYTE));
  }
}
