"""Connections that tests of engines open are closed."""

from support.naive.engines import closed_connections as closed_connections
