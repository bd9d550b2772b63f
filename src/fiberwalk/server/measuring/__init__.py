"""What the agency sees of an answer; nothing of it decides whether a table is released.

measures        risk before and after protection, utility
sample_measure  the risk of tables that are counted from a sample
agency_view     the measures of one table, made when they are looked at
"""
