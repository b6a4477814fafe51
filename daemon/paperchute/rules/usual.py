"""What a rule asks for where its owner says nothing and the interface's own default would disappoint."""

from __future__ import annotations

from collections.abc import Mapping

from paperchute.contract import Operation, Value


def usual(operation: Operation) -> Mapping[str, Value]:
    """Parameters by name.

    The default cipher, rc4, is broken; contract.md section 11 has the client ask for aes256. A picture has no text
    until it is recognised, so img-to-csv and its like would give nothing of use without.
    """
    if operation.id == "pdf-encrypt":
        return {"algorithm": "aes256"}
    if operation.id.startswith("img-to-") and operation.parameter("enableOcr") is not None:
        return {"enableOcr": 1}
    return {}
