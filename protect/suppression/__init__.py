"""Cells that are hidden or merged, which further ones have to be, and the rules that call a cell sensitive."""
