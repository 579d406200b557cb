"""The gate: everything that has to hold before a pack is told from, or a graph file is used (`cuestory check`)."""

from __future__ import annotations

from graph_tools.checks.gate import check_graph, check_pack
from graph_tools.checks.matrix import Cell, Covered, coverage
from graph_tools.checks.references import find_references
from graph_tools.checks.tours import check_tours

__all__ = ["Cell", "Covered", "check_graph", "check_pack", "check_tours", "coverage", "find_references"]
