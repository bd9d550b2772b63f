"""Independent work side by side: on threads of this process, or wherever an executor has it done.

Results come in the order of the jobs and do not depend on where these ran. A job that fails ends the others: on threads when
they next look at the time, as they share a limit; elsewhere what has begun goes on to its own end.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Executor, ThreadPoolExecutor, wait
from contextlib import ExitStack
from contextvars import copy_context
from typing import TypeVar

from ...base.interruption import time_left, time_limit

MOST_THREADS = 8

Job = TypeVar("Job")
Result = TypeVar("Result")


def in_threads(executor: Executor | None) -> bool:
    """Does the work stay in this process? Otherwise functions and jobs are pickled."""
    return executor is None or isinstance(executor, ThreadPoolExecutor)


def side_by_side(
    function: Callable[[Job], Result], jobs: Sequence[Job], executor: Executor | None = None
) -> list[Result]:
    """What a function makes of each job."""
    if len(jobs) <= 1 and in_threads(executor):
        return [function(job) for job in jobs]
    with ExitStack() as stack:
        end_all = stack.enter_context(time_limit(None))
        if executor is None:
            executor = stack.enter_context(ThreadPoolExecutor(min(len(jobs), MOST_THREADS, os.cpu_count() or 1)))
        if in_threads(executor):
            tasks = [executor.submit(copy_context().run, function, job) for job in jobs]
        else:
            tasks = [executor.submit(_within, time_left(), function, job) for job in jobs]
        try:
            ended, _ = wait(tasks, return_when=FIRST_EXCEPTION)
            for task in tasks:
                if task in ended:
                    task.result()  # raises what it failed by
            return [task.result() for task in tasks]
        except BaseException:
            end_all()
            for task in tasks:
                task.cancel()
            raise


def _within(seconds: float | None, function: Callable[[Job], Result], job: Job) -> Result:
    """A job elsewhere, within what is left of the time."""
    with time_limit(seconds):
        return function(job)
