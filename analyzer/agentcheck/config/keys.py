"""What the tables of a configuration share: kebab-case keys, each with what it is for."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Positive = Annotated[int, Field(ge=1, strict=True)]
Amount = Annotated[float, Field(gt=0, allow_inf_nan=False, strict=True)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


def kebab(name: str) -> str:
    """A field's name as a file writes it."""
    return name.replace("_", "-")


class Table(BaseModel):
    """A table that takes no other keys than its own."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=kebab, hide_input_in_errors=True
    )


def says(text: str, default: Any = None, **more: Any) -> Any:
    """A key with its default and what it is for, as the reference and the schema tell it."""
    return Field(default, description=text, **more)
