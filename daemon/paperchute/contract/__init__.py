"""The service contract as data, and its typed reading.

`contract.toml` is the only list of operations, parameters and error codes in the tree; rule checking, the
client, the engine and the docs all read it through this room. Imports nothing of ours.
"""

from paperchute.contract.effects import without_effect
from paperchute.contract.kinds import PICTURES, kind_of, kind_of_bytes, kind_of_open
from paperchute.contract.operations import Contract, ErrorCode, Operation, Parameter, contract
from paperchute.contract.values import (
    PageListError,
    Value,
    ValueRefused,
    accept,
    not_one_of,
    pages_beyond,
    parse_page_list,
    select_pages,
    told_of_pages,
    told_of_ranges,
    wire,
)

__all__ = [
    "PICTURES",
    "Contract",
    "ErrorCode",
    "Operation",
    "PageListError",
    "Parameter",
    "Value",
    "ValueRefused",
    "accept",
    "contract",
    "kind_of",
    "kind_of_bytes",
    "kind_of_open",
    "not_one_of",
    "pages_beyond",
    "parse_page_list",
    "select_pages",
    "told_of_pages",
    "told_of_ranges",
    "wire",
    "without_effect",
]
