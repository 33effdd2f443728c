package watchword.flink;

import org.apache.flink.runtime.state.KeyGroupRangeAssignment;

/** The keys of shards: shard N is alone in key group N, so that shards are spread evenly over subtasks. */
final class Keys {
  private Keys() {}

  /** By shard, its key. */
  static int[] of(int shards) {
    int[] keys = new int[shards];
    boolean[] known = new boolean[shards];
    for (int key = 0, missing = shards; missing > 0; key++) {
      int group = KeyGroupRangeAssignment.assignToKeyGroup(key, shards);
      if (!known[group]) {
        known[group] = true;
        keys[group] = key;
        missing--;
      }
    }
    return keys;
  }
}
