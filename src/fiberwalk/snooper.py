"""The Bayesian snooper of Markov perturbation: what she believes who sees the published table and knows the method.

square    of one square of four cells, exactly, as a frame over the values of its top-left cell

>>> import fiberwalk as fw
>>> fw.snooper.square([[3, 12], [15, 85]], theta=0.1)["posterior"].loc[2:4].round(3).to_dict()
{2: 0.112, 3: 0.605, 4: 0.218}
"""

from __future__ import annotations

from .posterior.square import square

__all__ = ["square"]
