"""Workbooks of Excel."""
