"""Which snippets are most like a question: the port, and Chroma in this process behind it.

Chroma keeps the vectors in memory only, so nothing on disk can be broken, locked or gone. What an embedder charges for
is kept in a file beside (`VectorFile`), which is a cache: where it cannot be read, it is made anew.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, Protocol

from graph_tools.embedder import Embedder, Vector
from graph_tools.errors import IndexUnavailable
from graph_tools.snippet import VettedSnippet

ALIKE_TO = 5
"""Decimals of a distance that count: what is nearer still is equally near, and comes by its id."""
MODEL = "all-MiniLM-L6-v2"
MODEL_FILES = ("config.json", "model.onnx", "tokenizer.json", "tokenizer_config.json")


class SnippetIndex(Protocol):
    """Finds snippets by likeness."""

    def nearest(self, question: str, among: Collection[str]) -> tuple[str, ...]:
        """The ids of `among`, the most alike first, equal ones by id. Raises IndexUnavailable."""


class VectorFile:
    """Vectors of texts by the embedder's name and the text's digest, kept in one JSON file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self, embedder: str) -> dict[str, Vector]:
        """What is kept of that embedder: nothing where there is no such file, or none that can be read."""
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
            if found["embedder"] != embedder:
                return {}
            return {str(key): [float(part) for part in vector] for key, vector in found["vectors"].items()}
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return {}

    def keep(self, embedder: str, vectors: Mapping[str, Vector]) -> bool:
        """Writes them, whole or not at all; False where nothing can be written there."""
        text = json.dumps({"embedder": embedder, "vectors": dict(sorted(vectors.items()))})
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=self._path.name)
        except OSError:
            return False
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            Path(name).replace(self._path)
        except OSError:
            with suppress(OSError):
                Path(name).unlink()
            return False
        return True


class ChromaIndex:
    """Vectors in a Chroma collection of this process: no server, no telemetry, no embedding function of its own."""

    def __init__(self, embedder: Embedder, kept: VectorFile | None = None) -> None:
        self._embedder = embedder
        self._kept = kept
        self._held: dict[str, str] = {}
        self._collection: Any = None

    def hold(self, snippets: Sequence[VettedSnippet]) -> None:
        """Holds just these: what is new or changed is put in, what is gone taken out. Raises IndexUnavailable."""
        wanted = {snippet.id: _digest(snippet.searched) for snippet in snippets}
        texts = {snippet.id: snippet.searched for snippet in snippets}
        fresh = sorted(id_ for id_ in wanted if self._held.get(id_) != wanted[id_])
        gone = sorted(self._held.keys() - wanted.keys())
        collection = self._opened()
        vectors = self._vectors({wanted[id_]: texts[id_] for id_ in fresh}, frozenset(wanted.values()))
        try:
            if fresh:
                collection.upsert(ids=fresh, embeddings=[vectors[wanted[id_]] for id_ in fresh])
            if gone:
                collection.delete(ids=gone)
        except Exception as error:
            raise _unavailable(error) from error
        self._held = wanted

    def nearest(self, question: str, among: Collection[str]) -> tuple[str, ...]:
        """The ids of `among`, the most alike first, equal ones by id. Raises IndexUnavailable."""
        wanted = self._held.keys() & set(among)
        if not wanted:
            return ()
        vector = self._embedder.question(question)
        try:
            found = self._opened().query(query_embeddings=[vector], n_results=len(self._held), include=["distances"])
            pairs = list(zip(found["distances"][0], found["ids"][0], strict=True))
        except Exception as error:
            raise _unavailable(error) from error
        return tuple(id_ for _, id_ in sorted((round(far, ALIKE_TO), id_) for far, id_ in pairs) if id_ in wanted)

    def __len__(self) -> int:
        return len(self._held)

    def _opened(self) -> Any:
        if self._collection is None:
            try:
                self._collection = _collection()
            except Exception as error:
                raise _unavailable(error) from error
        return self._collection

    def _vectors(self, fresh: Mapping[str, str], all_of: Collection[str]) -> dict[str, Vector]:
        """Digest -> vector of the fresh texts; what was kept of them is not made again."""
        known = self._kept.load(self._embedder.name) if self._kept else {}
        lacking = sorted(digest for digest in fresh if digest not in known)
        made = self._embedder.passages([fresh[digest] for digest in lacking]) if lacking else []
        known |= zip(lacking, made, strict=True)
        if self._kept and lacking:
            self._kept.keep(self._embedder.name, {key: vector for key, vector in known.items() if key in all_of})
        return known


class OnnxEmbedder:
    """MiniLM through Chroma's ONNX function, from files that are there already: nothing is downloaded."""

    name = f"onnx-{MODEL}"

    def __init__(self, files: Path | None = None) -> None:
        """`files`: the directory of the model (none: Chroma's own). Raises IndexUnavailable where one is missing."""
        place = files or Path.home() / ".cache" / "chroma" / "onnx_models" / MODEL / "onnx"
        lacking = [name for name in MODEL_FILES if not (place / name).is_file()]
        if lacking:
            raise IndexUnavailable(
                f"the embedder onnx needs the files of {MODEL} in {place}, and {lacking[0]} is not there;"
                " put them there, or use the embedder default"
            )
        try:
            from chromadb.utils.embedding_functions import ONNXMiniLM_L6_V2

            model = ONNXMiniLM_L6_V2()
        except (ImportError, ValueError) as error:  # Chroma has a ValueError for a package that is not there
            raise IndexUnavailable(f"the embedder onnx cannot be used here: {error}; install onnxruntime") from error
        model.DOWNLOAD_PATH = place.parent
        self._model = model

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        """One vector a text."""
        return [[float(part) for part in vector] for vector in self._model(list(texts))]

    def question(self, text: str) -> Vector:
        """The vector of any text."""
        return self.passages([text])[0]


_numbered: list[int] = []


def _collection() -> Any:
    """A collection of its own: all clients in a process share one memory, and tell collections apart by name."""
    import chromadb  # takes two seconds
    from chromadb.config import Settings

    # Nothing of the environment or of a `.env` of other projects may make a client of a server of it.
    settings = Settings(
        _env_file=None,
        anonymized_telemetry=False,
        chroma_api_impl="chromadb.api.rust.RustBindingsAPI",
        is_persistent=False,
    )
    client = chromadb.EphemeralClient(settings)
    _numbered.append(len(_numbered))
    # Below the batch size it compares with every vector, so that it finds the same in every process.
    hnsw: Any = {"space": "cosine", "batch_size": 1_000_000, "sync_threshold": 1_000_000}
    return client.create_collection(f"snippets-{len(_numbered)}", embedding_function=None, configuration={"hnsw": hnsw})


def _unavailable(error: BaseException) -> IndexUnavailable:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return IndexUnavailable(f"Chroma cannot be used here ({lines[0]}); see docs/strategies.md")


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=12).hexdigest()
