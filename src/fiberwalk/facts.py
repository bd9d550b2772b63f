"""What agencies publish besides counts, for `Release.knows`: means, medians, percentages, ratios and the like.

Each is turned into exact facts about whole numbers, rounding included.
"""

from .base.lazy_names import from_stub

__getattr__, __dir__, __all__ = from_stub(__name__, __file__)
