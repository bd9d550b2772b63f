"""What the tests of bench/ share."""

from support.bench_modules import bench as bench
