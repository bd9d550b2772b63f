"""What the papers ask of the service around a table server, for which a library has no call: place -> what it is."""

from __future__ import annotations

LEFT: tuple[tuple[str, str], ...] = (
    ("SAE15, 1", "a site where users choose variables from lists and download tables"),
    ("SAE15, 2.1", "one site for the hypercubes of many agencies"),
    ("SAE15, 6", "registration, licences and passwords of users"),
    ("SAE15, 6", "a log of who asked for what, and limits on overlapping requests of one user"),
)
