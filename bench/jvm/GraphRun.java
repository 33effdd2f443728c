import java.util.*;
import org.jgrapht.Graph;
import org.jgrapht.alg.connectivity.ConnectivityInspector;
import org.jgrapht.alg.shortestpath.DijkstraShortestPath;
import org.jgrapht.alg.spanning.KruskalMinimumSpanningTree;
import org.jgrapht.graph.*;
import org.jgrapht.traverse.BreadthFirstIterator;

/** Shortest paths, spanning trees and walks over a random graph: iterators over sets, little else. */
public class GraphRun {
    public static void main(String[] args) {
        Random random = new Random(42);
        Graph<Integer, DefaultWeightedEdge> graph = new SimpleWeightedGraph<>(DefaultWeightedEdge.class);
        int nodes = 3000;
        for (int i = 0; i < nodes; i++) graph.addVertex(i);
        for (int i = 0; i < 5 * nodes; i++) {
            int a = random.nextInt(nodes), b = random.nextInt(nodes);
            if (a == b) continue;
            DefaultWeightedEdge edge = graph.addEdge(a, b);
            if (edge != null) graph.setEdgeWeight(edge, 1 + random.nextInt(100));
        }
        double sum = 0;
        for (int i = 0; i < 60; i++) {
            var paths = new DijkstraShortestPath<>(graph).getPaths(random.nextInt(nodes));
            for (int k = 0; k < 50; k++) {
                double weight = paths.getWeight(random.nextInt(nodes));
                if (weight < Double.POSITIVE_INFINITY) sum += weight;
            }
        }
        for (int i = 0; i < 6; i++) sum += new KruskalMinimumSpanningTree<>(graph).getSpanningTree().getWeight();
        for (int i = 0; i < 40; i++) {
            Iterator<Integer> walk = new BreadthFirstIterator<>(graph, random.nextInt(nodes));
            while (walk.hasNext()) sum += walk.next();
        }
        for (int i = 0; i < 10; i++) sum += new ConnectivityInspector<>(graph).connectedSets().size();
        System.out.println(sum);
    }
}
