"""The linguistic core of the evidence gate: no model, no query, only the cited rows and the pack's own words."""

from graph_tools.grounding.gate import Gate, complete_in
from graph_tools.grounding.verdict import Bond, Code, Reason, Status, Verdict

__all__ = ["Bond", "Code", "Gate", "Reason", "Status", "Verdict", "complete_in"]
