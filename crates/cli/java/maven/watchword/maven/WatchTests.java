package watchword.maven;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Properties;
import org.apache.maven.AbstractMavenLifecycleParticipant;
import org.apache.maven.MavenExecutionException;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.model.ConfigurationContainer;
import org.apache.maven.model.Plugin;
import org.apache.maven.model.PluginExecution;
import org.apache.maven.project.MavenProject;
import org.codehaus.plexus.util.xml.Xpp3Dom;

/**
 * Has the JVMs that Maven forks for tests load Watchword's agent, beside whatever options they have.
 *
 * <p>Surefire and Failsafe take the options of these JVMs from {@code argLine}: in the configuration of the plugin, of one
 * of its executions, or else the property of that name, to which JaCoCo and others add their own later on. The options of
 * the agent are appended to each of them; nothing is replaced. A configuration that refers to the property gets them
 * through the property.
 */
public final class WatchTests extends AbstractMavenLifecycleParticipant {
    private static final String GROUP = "org.apache.maven.plugins";
    private static final List<String> RUNNERS = List.of("maven-surefire-plugin", "maven-failsafe-plugin");
    private static final String OPTIONS = "argLine";
    /** What tells that the options are there already. */
    private static final String AGENT = "-agentpath:";

    private String usual;
    private String unpatched;

    @Override
    public void afterProjectsRead(MavenSession session) throws MavenExecutionException {
        Properties ours = new Properties();
        try (InputStream file = WatchTests.class.getResourceAsStream("/watchword.properties")) {
            ours.load(file);
        } catch (IOException | NullPointerException e) {
            throw new MavenExecutionException("Watchword's extension was not started by `watchword mvn`", e);
        }
        usual = ours.getProperty("usual");
        unpatched = ours.getProperty("unpatched");
        Properties given = session.getUserProperties();
        boolean isGiven = given.containsKey(OPTIONS);
        if (isGiven) {
            given.setProperty(OPTIONS, withAgent(given.getProperty(OPTIONS)));
        }
        for (MavenProject project : session.getProjects()) {
            if (!isGiven) {
                Properties properties = project.getProperties();
                properties.setProperty(OPTIONS, withAgent(properties.getProperty(OPTIONS)));
            }
            for (Plugin plugin : project.getBuild().getPlugins()) {
                if (GROUP.equals(plugin.getGroupId()) && RUNNERS.contains(plugin.getArtifactId())) {
                    configure(project, plugin);
                    for (PluginExecution execution : plugin.getExecutions()) {
                        configure(project, execution);
                    }
                }
            }
        }
    }

    private void configure(MavenProject project, ConfigurationContainer container) throws MavenExecutionException {
        if (!(container.getConfiguration() instanceof Xpp3Dom)) {
            return;
        }
        Xpp3Dom configuration = (Xpp3Dom) container.getConfiguration();
        if (is(configuration, "forkCount", "0") || is(configuration, "forkMode", "never")) {
            throw new MavenExecutionException(
                    "the tests of " + project.getArtifactId() + " run inside Maven's own JVM (forkCount 0), where Watchword"
                            + " does not monitor them: have them run in a JVM of their own, with forkCount 1",
                    project.getFile());
        }
        Xpp3Dom line = configuration.getChild(OPTIONS);
        if (line != null && line.getValue() != null && !refersToProperty(line.getValue())) {
            line.setValue(withAgent(line.getValue()));
        }
    }

    private static boolean is(Xpp3Dom configuration, String name, String value) {
        Xpp3Dom child = configuration.getChild(name);
        return child != null && child.getValue() != null && child.getValue().trim().equals(value);
    }

    /** References to properties are replaced by the plugin, or were by Maven: then the agent is there already. */
    private static boolean refersToProperty(String options) {
        return options.contains("{" + OPTIONS + "}");
    }

    private String withAgent(String options) {
        if (options == null || options.isBlank()) {
            return usual;
        }
        if (options.contains(AGENT) && (options.contains(usual) || options.contains(unpatched))) {
            return options;
        }
        boolean patches = options.contains("--patch-module") && options.contains("java.base=");
        return options + " " + (patches ? unpatched : usual);
    }
}
