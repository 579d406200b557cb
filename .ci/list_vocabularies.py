"""Writes graph_tools/checks/vocabularies/*.txt anew from the closed namespaces that rdflib ships.

    .venv/bin/python .ci/list_vocabularies.py

The lists without a namespace there (Music Meta with its core, Web Annotation) are kept by hand: see their first lines.
"""

from __future__ import annotations

from pathlib import Path

import rdflib
from rdflib import namespace

FOLDER = Path(__file__).resolve().parent.parent / "graph_tools" / "checks" / "vocabularies"
LISTS = {
    "dcat": (namespace.DCAT, "http://www.w3.org/ns/dcat#"),
    "dct": (namespace.DCTERMS, "http://purl.org/dc/terms/"),
    "dctype": (namespace.DCMITYPE, "http://purl.org/dc/dcmitype/"),
    "foaf": (namespace.FOAF, "http://xmlns.com/foaf/0.1/"),
    "owl": (namespace.OWL, "http://www.w3.org/2002/07/owl#"),
    "prov": (namespace.PROV, "http://www.w3.org/ns/prov#"),
    "rdf": (namespace.RDF, "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
    "rdfs": (namespace.RDFS, "http://www.w3.org/2000/01/rdf-schema#"),
    "schema": (namespace.SDO, "http://schema.org/"),
    "sh": (namespace.SH, "http://www.w3.org/ns/shacl#"),
    "skos": (namespace.SKOS, "http://www.w3.org/2004/02/skos/core#"),
    "void": (namespace.VOID, "http://rdfs.org/ns/void#"),
    "xsd": (namespace.XSD, "http://www.w3.org/2001/XMLSchema#"),
}


def main() -> None:
    for name, (closed, base) in sorted(LISTS.items()):
        known = {str(term).removeprefix(str(closed)) for term in dir(closed)}
        extras = {term for term in closed._extras if "Component-" not in term and "JSConstraint" not in term}
        terms = sorted(known | extras)
        lines = [f"# The terms of <{base}>, as rdflib {rdflib.__version__} lists them.", base, *terms]
        (FOLDER / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
