"""The flexible table generator: tables on request from microdata or a hypercube, ruled, measured and protected (SAE15)."""

from ..base.lazy_names import from_stub

__getattr__, __dir__, __all__ = from_stub(__name__, __file__)
