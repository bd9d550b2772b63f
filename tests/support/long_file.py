"""A small published table as a file holds it, two rows of two hidden cells."""

LONG = """row,col,value,status
a,x,,u
a,y,,x
a,z,4,s
b,x,,x
b,y,,u
b,z,6,s
a,Total,10,s
b,Total,15,s
Total,x,8,s
Total,y,7,s
Total,z,10,s
"""
