"""Kernels: steps that leave the law as it is, one file or folder each, and the registry that picks among them."""
