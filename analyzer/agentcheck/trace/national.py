"""Numbers that a state gives to people, by the check digits that python-stdnum knows.

Where a country writes its number in a way that nothing else has, form and check digits are enough;
a bare row of digits must also stand under a name, for one in ten rows passes a check digit.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module

_WRITTEN: tuple[tuple[str, str], ...] = (
    ("es.dni", r"\d{8}-?[A-HJ-NP-TV-Z]"),
    ("es.nie", r"[XYZ]-?\d{7}-?[A-HJ-NP-TV-Z]"),
    ("it.codicefiscale", r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]"),
    ("fr.nir", r"[12] ?\d{2} ?(?:0[1-9]|1[0-2]) ?\d[\dAB] ?\d{3} ?\d{3} ?\d{2}"),
    ("br.cpf", r"\d{3}\.\d{3}\.\d{3}-\d{2}"),
    ("se.personnummer", r"(?:\d{2})?\d{6}[-+]\d{4}"),
    ("fi.hetu", r"\d{6}[-+A]\d{3}[0-9A-FHJ-NPR-Y]"),
    ("be.nn", r"\d{2}\.\d{2}\.\d{2}-\d{3}[ .]\d{2}"),
    ("ch.ssn", r"756\.\d{4}\.\d{4}\.\d{2}"),
    ("cn.ric", r"\d{17}[\dX]"),
    ("mx.curp", r"[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z0-9]\d"),
    ("cl.rut", r"\d{1,2}\.\d{3}\.\d{3}-[\dkK]"),
    ("ar.cuit", r"2[0347]-\d{8}-\d"),
    ("cz.rc", r"\d{6}/\d{4}"),
    ("kr.rrn", r"\d{6}-\d{7}"),
    ("in_.aadhaar", r"\d{4} \d{4} \d{4}"),
)
_NAMED = (
    *(module for module, _ in _WRITTEN),
    *"""us.ssn gb.nhs de.idnr nl.bsn pl.pesel no.fodselsnummer ca.sin au.tfn za.idnr ro.cnp bg.egn
    hr.oib tr.tckimlik ie.pps il.idnr ee.ik lt.asmens dk.cpr gr.amka pt.cc si.emso
    is_.kennitala""".split(),
)
_FORMS = tuple((module, re.compile(form)) for module, form in _WRITTEN)
WRITTEN = "|".join(form for _, form in _WRITTEN)
"""The form of a number that needs no name."""
NAMES = (
    r"(?i:ssn|social[ _-]security|national[ _-](?:id|insurance|identity)|(?<![a-z])ni(?:n|no)"
    r"|nhs|personal[ _-](?:id|identity|identification)|personnummer|pesel|bsn|cpf|curp|dni|nie|nif"
    r"|aadha+r|tax[ _-]id|tfn|sin|egn|cnp|oib|pps|cpr|amka|hetu|codice[ _-]fiscale|kennitala)"
)
"""What the fields are called in which such numbers stand."""


def is_written(text: str) -> bool:
    """Whether a number has the form and the check digits of a country's own way to write it."""
    return any(form.fullmatch(text) and _valid(module, text) for module, form in _FORMS)


def is_named(text: str) -> bool:
    """Whether what stands under the name of such a number is one, in any country that is known."""
    return any(_valid(module, text) for module in _NAMED)


@cache
def _valid(module: str, text: str) -> bool:
    return bool(import_module(f"stdnum.{module}").is_valid(text))
