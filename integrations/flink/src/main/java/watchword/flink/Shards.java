package watchword.flink;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;

/**
 * The shards of a subtask: engines with events that wait for the watermark. Gives lines of JSON: violations, and
 * events that were late at the side.
 *
 * <p>The engines are in the library. When a checkpoint is taken, each becomes bytes in the state of its key; so
 * state moves with its key when the parallelism changes.
 */
final class Shards extends AbstractStreamOperator<String>
    implements OneInputStreamOperator<Tuple2<Integer, byte[]>, String> {
  private static final long serialVersionUID = 1;
  /** Where late events go. */
  static final OutputTag<String> LATE = new OutputTag<>("late", Types.STRING);

  private final Options options;
  private final List<String> names;
  private transient long job;
  private transient int[] keys;
  /** By shard, its handle; 0 for those of other subtasks. */
  private transient long[] shards;
  /** The shards of this subtask, by key. */
  private transient Map<Integer, Integer> shardOf;
  private transient ValueState<byte[]> saved;
  private transient Counter late;
  private transient Counter findings;

  Shards(Options options, List<String> names) {
    this.options = options;
    this.names = names;
  }

  @Override
  public void open() throws Exception {
    super.open();
    late = getMetricGroup().counter("watchwordLateEvents");
    findings = getMetricGroup().counter("watchwordFindings");
    byte[] all = String.join("\n", names).getBytes(StandardCharsets.UTF_8);
    job = Native.open(options.properties, options.bytes(), all);
    keys = Keys.of(options.shards());
    shards = new long[keys.length];
    saved = getRuntimeContext()
        .getState(new ValueStateDescriptor<byte[]>("shard", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
    TaskInfo task = getRuntimeContext().getTaskInfo();
    int subtasks = task.getNumberOfParallelSubtasks();
    shardOf = new HashMap<>();
    for (int shard = 0; shard < keys.length; shard++) {
      int subtask =
          KeyGroupRangeAssignment.computeOperatorIndexForKeyGroup(keys.length, subtasks, shard);
      if (subtask == task.getIndexOfThisSubtask()) {
        setCurrentKey(keys[shard]);
        shards[shard] = Native.shard(job, shard, saved.value());
        shardOf.put(keys[shard], shard);
      }
    }
  }

  @Override
  public void processElement(StreamRecord<Tuple2<Integer, byte[]>> element) {
    Tuple2<Integer, byte[]> events = element.getValue();
    byte[] lines = Native.add(shards[shardOf.get(events.f0)], events.f1);
    if (lines != null) {
      for (String line : new String(lines, StandardCharsets.UTF_8).split("\n")) {
        late.inc();
        output.collect(LATE, new StreamRecord<>(line));
      }
    }
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    for (long shard : shards) {
      byte[] lines = shard == 0 ? null : Native.advance(shard, mark.getTimestamp());
      if (lines != null) {
        for (String line : new String(lines, StandardCharsets.UTF_8).split("\n")) {
          findings.inc();
          output.collect(new StreamRecord<>(line));
        }
      }
    }
    super.processWatermark(mark);
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    for (int shard = 0; shard < shards.length; shard++) {
      if (shards[shard] != 0) {
        setCurrentKey(keys[shard]);
        saved.update(Native.save(shards[shard]));
      }
    }
  }

  @Override
  public void close() throws Exception {
    super.close();
    if (shards != null) {
      for (int shard = 0; shard < shards.length; shard++) {
        Native.closeShard(shards[shard]);
        shards[shard] = 0;
      }
    }
    Native.close(job);
    job = 0;
  }
}
