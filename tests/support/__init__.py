"""What tests share: naive twins of kernels, releases to try, the protocol that every sampler has to pass."""
