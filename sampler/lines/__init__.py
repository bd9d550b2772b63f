"""Laws as kernels take them: weights of values, and a point of a line drawn by them."""
