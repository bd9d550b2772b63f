"""What the tests of bench/ share."""

from support.places import bench as bench
