"""tf.profiler: parameters, float operations, time and memory of the nodes of a graph, as trees and as text."""
