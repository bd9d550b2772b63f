"""The flexible table generator: tables on request from microdata or a hypercube, ruled, measured and protected (SAE15)."""
