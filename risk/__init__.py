"""Disclosure risk, of a cell by its distribution and of a table as a whole; and what users keep (utility)."""

from ..base.lazy_names import from_stub

__getattr__, __dir__, __all__ = from_stub(__name__, __file__)
