"""R-U confidentiality maps: methods and their settings, measures of risk and utility, the map of both.

`confidentiality_map` draws it up. `map_methods` are its points; `map_risks` (with `map_whole_table`) and `map_utilities`
(with `map_probabilities`) its axes, lists of measures by name; `map_seen` is what they look at.
"""
