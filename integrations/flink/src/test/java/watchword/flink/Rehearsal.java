package watchword.flink;

import java.io.File;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.client.program.PackagedProgram;
import org.apache.flink.client.program.PackagedProgramUtils;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.minicluster.RpcServiceSharing;

/**
 * Runs a job's jar on a cluster inside this process, with the accidents that its arguments name: {@code kill}
 * ends a task manager after some checkpoints, {@code rescale N} stops the job with a savepoint and continues with
 * N subtasks. The state is kept in the folder that is the second argument.
 */
public final class Rehearsal {
  private Rehearsal() {}

  public static void main(String[] args) throws Exception {
    File jar = new File(args[0]);
    String state = new File(args[1]).toURI().toString();
    int parallelism = Integer.parseInt(args[2]);
    // Accidents need a job that takes a while.
    String[] arguments = args.length > 3 ? new String[] {"--pause", "40"} : new String[0];
    Configuration configuration = new Configuration();
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, java.time.Duration.ofMillis(150));
    configuration.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, state + "/checkpoints");
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 20);
    configuration.set(
        RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, java.time.Duration.ofMillis(200));
    configuration.set(StateRecoveryOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE, false);
    MiniClusterConfiguration cluster = new MiniClusterConfiguration.Builder()
        .setConfiguration(configuration).setNumTaskManagers(2).setNumSlotsPerTaskManager(2)
        .withRandomPorts().setRpcServiceSharing(RpcServiceSharing.DEDICATED).build();
    try (MiniCluster mini = new MiniCluster(cluster)) {
      mini.start();
      JobGraph graph = graph(jar, arguments, configuration, parallelism);
      JobID job = mini.submitJob(graph).get().getJobID();
      for (int at = 3; at < args.length; at++) {
        switch (args[at]) {
          case "kill" -> {
            awaitCheckpoints(mini, job, 3);
            mini.terminateTaskManager(0).get();
            mini.startTaskManager();
            System.out.println("killed a task manager");
          }
          case "rescale" -> {
            awaitCheckpoints(mini, job, 6);
            String savepoint =
                mini.stopWithSavepoint(job, state + "/savepoints", false, SavepointFormatType.CANONICAL).get();
            mini.requestJobResult(job).get();
            graph = graph(jar, arguments, configuration, Integer.parseInt(args[++at]));
            graph.setSavepointRestoreSettings(SavepointRestoreSettings.forPath(savepoint, false));
            job = mini.submitJob(graph).get().getJobID();
            System.out.println("continued with " + args[at] + " subtasks");
          }
          default -> throw new IllegalArgumentException(args[at]);
        }
      }
      CompletableFuture<JobResult> result = mini.requestJobResult(job);
      result.get(120, TimeUnit.SECONDS).toJobExecutionResult(Rehearsal.class.getClassLoader());
      System.out.println("done");
    }
    // Threads of the cluster may linger.
    System.exit(0);
  }

  private static JobGraph graph(File jar, String[] arguments, Configuration configuration, int parallelism)
      throws Exception {
    try (PackagedProgram program = PackagedProgram.newBuilder().setJarFile(jar).setArguments(arguments)
        .setConfiguration(configuration).build()) {
      return PackagedProgramUtils.createJobGraph(program, configuration, parallelism, false);
    }
  }

  private static void awaitCheckpoints(MiniCluster mini, JobID job, long wanted) throws Exception {
    long done = 0;
    while (done < wanted) {
      Thread.sleep(20);
      var status = mini.getJobStatus(job).get();
      if (status.isGloballyTerminalState()) {
        throw new IllegalStateException("the job is " + status + " after " + done + " checkpoints");
      }
      var checkpoints = mini.getExecutionGraph(job).get().getCheckpointStatsSnapshot();
      done = checkpoints == null ? 0 : checkpoints.getCounts().getNumberOfCompletedCheckpoints();
    }
  }
}
