"""Two checkouts by turns, for against.py: what each side runs, how it is asked, and what the timings come to.

work       the contests: fixed work by public names only, so that any commit can run it
child      the process of one side: imports its own fiberwalk, does as it is told, answers by a line of JSON
side       that process as the parent sees it
checkout   the files of a commit in a folder of their own
ratios     ratios with intervals, and the verdict
same       the same seed's draws of both sides
"""
