"""Oracle's number formats for TO_CHAR and TO_NUMBER."""

import re

from sqlglot import exp

from raclab.database.dialect.nodes import call, number, text

_MODEL = re.compile(
    r"(?P<fm>FM)?(?P<before>S)?(?P<currency>[$L])?(?P<blank>B)?(?P<whole>[90,G]*)"
    r"(?:(?P<point>[.D])(?P<fraction>[90]*)|V(?P<moved>[90]+))?(?P<after>MI|PR|S)?",
    re.IGNORECASE,
)
_SCIENTIFIC = re.compile(r"(?P<fm>FM)?[90]+(?:[.D](?P<fraction>[90]*))?EEEE", re.IGNORECASE)
_ROMAN = re.compile(r"(FM)?RN", re.IGNORECASE)
_HEX = re.compile(r"(FM)?0?X+", re.IGNORECASE)


def is_number_format(model: str) -> bool:
    """Whether a format is one for numbers, e.g. 999,990.00; a lone D is the day of the week."""
    if _SCIENTIFIC.fullmatch(model) or _ROMAN.fullmatch(model) or model.upper() in ("TM", "TM9"):
        return True
    return bool((_MODEL.fullmatch(model) or _HEX.fullmatch(model)) and re.search(r"[90X]", model.upper()))


def ends_with_sign(model: str) -> bool:
    """Whether a format for numbers has the sign behind them, or around."""
    return model.upper().endswith(("MI", "PR", "S"))


def writing(value: exp.Expr, model: str) -> exp.Expr:
    """TO_CHAR: an expression for the text of a number in a format; hash signs where it does not fit."""
    if model.upper() in ("TM", "TM9"):
        return call("ora.str", value)
    if _HEX.fullmatch(model):
        shown = call("printf", text("%x" if "x" in model else "%X"), exp.Cast(this=value, to=exp.DataType.build("BIGINT")))
        return shown if model.upper().startswith("FM") else call("lpad", shown, number(len(model) + 1), text(" "))
    if _ROMAN.fullmatch(model):
        numeral = call("lower", call("ora.roman", value)) if model.islower() else call("ora.roman", value)
        return numeral if model.upper().startswith("FM") else call("lpad", numeral, number(15), text(" "))
    if scientific := _SCIENTIFIC.fullmatch(model):
        return call("ora.scientific", value, number(len(scientific["fraction"] or "")), exp.Boolean(this=scientific["fm"] is not None))
    found = _MODEL.fullmatch(model)
    if found is None:
        raise ValueError(f"{model} is no number format")
    if found["moved"]:
        value = exp.Mul(this=exp.Paren(this=value), expression=number(10 ** len(found["moved"])))
    whole, fraction = found["whole"].upper().replace("G", ",") + (found["moved"] or ""), found["fraction"] or ""
    digits = whole.replace(",", "")
    bare = found["fm"] is not None
    signed, after = found["before"] is not None, (found["after"] or "").upper()
    width = len(whole) + (1 + len(fraction) if found["point"] else 0) + (1 if found["currency"] else 0) + (2 if after == "PR" else 1)
    minus, plus = {"PR": ("<", " "), "MI": ("", ""), "S": ("", "")}.get(after, ("-", "+" if signed else " "))
    closing_minus, closing_plus = {"PR": (">", " "), "MI": ("-", " "), "S": ("-", "+")}.get(after, ("", ""))
    if bare:
        plus, closing_plus = plus.strip(), closing_plus.strip()
    written = call(
        "ora.number_text",
        value,
        number(len(digits)),
        number(len(digits) - digits.index("0") if "0" in digits else 0),
        number(len(fraction)),
        number(len(fraction.rstrip("9")) if bare else len(fraction)),
        exp.Boolean(this="," in whole),
        text("$" if found["currency"] else ""),
        *(text(sign) for sign in (minus, plus, closing_minus, closing_plus)),
        number(0 if bare else width),
        number(width),
    )
    return call("ora.blank_if_zero", written, value.copy(), number(0 if bare else width)) if found["blank"] else written
