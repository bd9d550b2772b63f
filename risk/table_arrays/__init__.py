"""What measures of whole tables share: tables as stacked arrays, weights of their cells, and the kernel of R1 and R2."""
