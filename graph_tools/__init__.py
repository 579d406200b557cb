"""The symbolic half: competency questions, the knowledge graph, plans and evidence. No model can be imported here."""

__all__: list[str] = []
