"""What the five papers hold, item by item, with the call that does each (`python bench/papers`).

item          what an item is, and where its printed figure is compared with what a call gave
names         the small tables, releases and files that the calls use
running       calls, run: what each gave, and what is wrong with it
table         all of them run, and the table that comes of it
dot02         Domingo-Ferrer, Oganian and Torra 2002
dfkpr01       Duncan, Fienberg, Krishnan, Padman and Roehrig 2001: methods (sections 1 to 3)
dfkpr01_audit ... auditing, the snooper and the R-U map (sections 4 to 6)
ase15         Antal, Shlomo and Elliot 2015
ase15a        their abstract
sae15         Shlomo, Antal and Elliot 2015: the server, the methods (sections 1 to 3)
sae15_study   ... measures and the comparison study (sections 4 to 6)
service       what no call does: the service around the server brings it
"""

from __future__ import annotations

from . import ase15, ase15a, dfkpr01, dfkpr01_audit, dot02, sae15, sae15_study
from .item import Item

PAPERS: dict[str, tuple[Item, ...]] = {
    "DOT02": dot02.ITEMS,
    "DFKPR01": dfkpr01.ITEMS + dfkpr01_audit.ITEMS,
    "ASE15": ase15.ITEMS,
    "ASE15a": ase15a.ITEMS,
    "SAE15": sae15.ITEMS + sae15_study.ITEMS,
}
"""Short name of the paper -> its items, in the paper's own order."""
