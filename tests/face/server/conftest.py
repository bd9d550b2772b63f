"""The tests of the server share the attacks of bench/."""

from support.places import bench as bench
