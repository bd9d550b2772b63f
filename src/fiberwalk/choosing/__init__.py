"""Which mechanism, and how strong: the cheapest candidate of several kinds that reaches a target on probabilities.

`choosing` is the verb, `ladders` say which strengths of a mechanism are tried, `merges` which categories are merged, and
`outlook` is what intruders believe of the sensitive figures once a candidate is published.
"""
