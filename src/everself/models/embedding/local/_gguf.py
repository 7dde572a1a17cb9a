"""A GGUF model file of the user, through llama-cpp-python if it is installed. Downloads nothing."""

import hashlib
import importlib
import os
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from everself.config.installation import install_package
from everself.errors import EmbeddingFailed
from everself.models.embedding.local._cores import count_cores
from everself.models.embedding.protocol import Purpose

if TYPE_CHECKING:
    from everself.models.embedding.protocol import Vectors

_MAGIC = b"GGUF"
_SAMPLE = 1 << 20
_SETTING = "memorySearch.local.modelPath"


class Gguf:
    """The embedder for `memorySearch.local.modelPath`."""

    provider = "local"
    dimensions = None
    paid = False

    def __init__(self, path: str) -> None:
        self._path = path
        self._llama: Any = None
        # llama.cpp computes one thing at a time
        self._using = threading.Lock()
        self._identity = ""

    @property
    def model(self) -> str:
        """The name, size and a sample of the file: hashing gigabytes for a name takes too long."""
        if not self._identity:
            sample = _sample(self._path)
            if not sample:
                return os.path.basename(self._path)
            self._identity = f"{os.path.basename(self._path)}/{sample}"
        return self._identity

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "document") -> "Vectors":  # noqa: ARG002 (the file knows none)
        import numpy

        with self._using:
            llama = self._load()
            rows = [numpy.asarray(row, dtype=numpy.float32) for row in llama.embed(list(texts))]
        # a model without pooling returns a row for each token
        return numpy.stack([row.mean(axis=0) if row.ndim == 2 else row for row in rows])

    def _load(self) -> Any:
        if self._llama is None:
            _check_file(self._path)
            try:
                llama_cpp = importlib.import_module("llama_cpp")
            except ImportError as error:
                words = f"{_SETTING} names a GGUF file, which needs the package llama-cpp-python."
                raise EmbeddingFailed(words, reason="missing", mend=install_package("llama-cpp-python")) from error
            try:
                self._llama = llama_cpp.Llama(self._path, embedding=True, verbose=False, n_threads=count_cores())
            except (ValueError, RuntimeError, OSError) as error:
                words = f"{os.path.basename(self._path)} could not be loaded."
                raise EmbeddingFailed(words, reason="missing") from error
        return self._llama


def _check_file(path: str) -> None:
    mend = f"everself config set {_SETTING} PATH"
    try:
        with open(path, "rb") as file:
            begin = file.read(len(_MAGIC))
    except OSError as error:
        words = f"{_SETTING} names {path}, which cannot be read; nothing is downloaded."
        raise EmbeddingFailed(words, reason="missing", mend=mend) from error
    if begin != _MAGIC:
        words = f"{os.path.basename(path)} is not a GGUF file."
        raise EmbeddingFailed(words, reason="missing", mend=mend)


def _sample(path: str) -> str:
    try:
        size = os.path.getsize(path)
        with open(path, "rb") as file:
            hashed = hashlib.sha256(file.read(_SAMPLE))
            file.seek(max(0, size - _SAMPLE))
            hashed.update(file.read(_SAMPLE))
    except OSError:
        return ""
    return f"{size}-{hashed.hexdigest()[:12]}"
