"""Web services into source tables: ask MusicBrainz and Wikidata, show the difference, write what a curator accepted.

Only `web` opens connections, and only `cuestory kg collect` imports it.
"""

from graph_tools.collect.acceptance import accept
from graph_tools.collect.collection import addresses, collect
from graph_tools.collect.recipe import SERVICES, ServiceName, load_recipe
from graph_tools.collect.review import Review, read_review

__all__ = ["SERVICES", "Review", "ServiceName", "accept", "addresses", "collect", "load_recipe", "read_review"]
