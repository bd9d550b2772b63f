"""QQ plots: what was found, sorted, against what would be expected of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from pictures import COLOURS
from scipy import stats

from fiberwalk.report.plots.figures import as_png, new_figure


def expected_quantiles(number: int) -> np.ndarray:
    """Where the k-th of so many even p-values lies on average."""
    return (np.arange(number) + 0.5) / number


def law_plots(kinds: dict[str, list[float]], controls: dict[str, list[float]], path: Path) -> Path:
    """A panel for each kind of release, one for all of them on a logarithmic scale, one for the wrong samplers."""
    number = len(kinds) + 3
    columns = 4
    lines = -(-number // columns)
    figure = new_figure(3.1 * columns, 3.1 * lines)
    every = figure.subplots(lines, columns, squeeze=False).ravel()
    for axes, (kind, p) in zip(every, kinds.items(), strict=False):
        _even(axes, f"{kind} ({len(p):,})", {"": p}, COLOURS[:1])
    together = [one for p in kinds.values() for one in p]
    _even(every[len(kinds)], f"all kinds ({len(together):,})", {"": together}, COLOURS[:1])
    _logarithmic(every[len(kinds) + 1], together)
    _even(every[len(kinds) + 2], "controls: a test that can fail", controls, (COLOURS[0], COLOURS[1], COLOURS[2]))
    every[len(kinds) + 2].legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.22), frameon=False)
    for axes in every[number:]:
        axes.set_visible(False)
    figure.suptitle(
        "Drawn tables against the exact law: p-values of the chi-square test, sorted.\nA sampler that is right keeps to the "
        "diagonal; in the grey band lie 99 of 100 points. A wrong one has too many small p-values: far below the diagonal.",
        fontsize=11, x=0.01, ha="left",
    )  # fmt: skip
    path.write_bytes(as_png(figure, dpi=90))
    return path


def _even(axes: Any, title: str, groups: dict[str, list[float]], colours: tuple[str, ...]) -> None:
    for (name, p), colour, mark in zip(groups.items(), colours, "osD", strict=False):
        x = expected_quantiles(len(p))
        some = np.unique(np.linspace(0, len(p) - 1, min(len(p), 400)).astype(int))
        style = {"markersize": 3} if len(groups) > 1 else {"markersize": 2}
        axes.plot(x[some], np.sort(p)[some], mark, color=colour, label=name, **style)
        if colour == colours[0]:
            k = np.arange(1, len(p) + 1)
            low, high = (stats.beta.ppf(q, k, len(p) + 1 - k) for q in (0.005, 0.995))
            axes.fill_between(x, low, high, color="#999999", alpha=0.35, linewidth=0)
    axes.plot([0, 1], [0, 1], color="black", linewidth=0.8)
    axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axes.set_title(title, fontsize=9)
    axes.set_xlabel("expected p-value", fontsize=8)
    axes.set_ylabel("p-value found", fontsize=8)
    axes.tick_params(labelsize=7)


def _logarithmic(axes: Any, p: list[float]) -> None:
    """The small p-values, where what is wrong with a few releases only would show."""
    x, k = expected_quantiles(len(p)), np.arange(1, len(p) + 1)
    low, high = (stats.beta.ppf(q, k, len(p) + 1 - k) for q in (0.005, 0.995))
    axes.fill_between(x, low, high, color="#999999", alpha=0.35, linewidth=0)
    axes.plot(x, np.maximum(np.sort(p), 1e-12), "o", color=COLOURS[0], markersize=2)
    axes.plot([x[0], 1], [x[0], 1], color="black", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_title("all kinds: the smallest p-values", fontsize=9)
    axes.set_xlabel("expected p-value (logarithmic)", fontsize=8)
    axes.set_ylabel("p-value found (logarithmic)", fontsize=8)
    axes.tick_params(labelsize=7)


def error_plots(panels: dict[str, dict[str, Any]], path: Path) -> Path:
    """Errors in stated standard errors against the normal law: sorted quantiles that were stored."""
    figure = new_figure(4.2 * len(panels), 5.3)
    for axes, (name, one) in zip(figure.subplots(1, len(panels), squeeze=False).ravel(), panels.items(), strict=True):
        at, z = np.array(one["at"]), np.array(one["z"])
        sides = one["sides"]
        x = stats.norm.ppf(at) if sides == 2 else stats.norm.ppf((1 + at) / 2)
        end = float(np.max(np.abs(np.concatenate([x, z])))) * 1.05
        axes.plot([-end if sides == 2 else 0, end], [-end if sides == 2 else 0, end], color="black", linewidth=0.8)
        axes.plot(x, z, "o", color=COLOURS[0], markersize=3)
        for k in (1, 2, 3):
            for line in (-k, k) if sides == 2 else (k,):
                axes.axvline(line, color="#999999", linewidth=0.5)
                axes.axhline(line, color="#999999", linewidth=0.5)
        least = -end if sides == 2 else 0
        axes.set(xlim=(least, end), ylim=(least, end), aspect="equal")
        axes.set_title(f"{name} ({one['number']:,})", fontsize=10)
        axes.set_xlabel("expected of a normal error, in standard errors", fontsize=8)
        axes.set_ylabel(
            "error made" + ("" if sides == 2 else ", without its sign") + ", in stated standard errors", fontsize=8
        )
    figure.suptitle(
        "Errors of audits by chains, in the standard errors they state. On the diagonal: errors are as stated.\nFlatter "
        "than the diagonal: errors are smaller than stated. Steeper: they are larger, and the audit says too much.",
        fontsize=11, x=0.01, ha="left",
    )  # fmt: skip
    path.write_bytes(as_png(figure, dpi=90))
    return path
