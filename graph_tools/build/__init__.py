"""Tables into a graph: what a curator writes in a spreadsheet becomes one canonical Turtle file.

The words of a pack stand in its tables and in `kg/sources/mapping.toml`; this package knows none of them.
"""

from graph_tools.build.builder import build_files, build_graph, write_graph

__all__ = ["build_files", "build_graph", "write_graph"]
