"""An auditor that can be simulated: before an answer is given, what it might be decides, and never what it is.

sub_cube  the cells that are watched, and which of them the figures of a request sum
auditor   what the agency says: which cells, what is believed of them, what is a breach, how many may be risked
watch     what follows from the answers so far: it has no handle on the data
guard     between server, log and watch: requests become groups of cells, and the log what is known
"""
