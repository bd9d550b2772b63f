"""The tests of the server share the attacks of bench/."""

from support.bench_modules import bench as bench
