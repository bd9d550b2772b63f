"""Optima and tables of any integer system: linear and integer programs, flows, and searches for tables."""
