"""What a status sees from outside is what the index says of itself, and every row can be checked."""

import subprocess
import sys
from pathlib import Path

import numpy
import pytest

from everself.errors import Damaged
from everself.index import glance as module
from everself.index.glance import glance
from everself.index.sync.preparing import Sources, model_key
from everself.indexfile.interface import COLUMNS
from everself.testing.embedding import FakeEmbedder

from .world import LINES, World  # noqa: TID252
