"""R-U confidentiality maps: methods and their settings, measures of risk and utility, the map of both.

confidentiality_map  ru_map: every method applied, audited and measured
map_methods          its points: methods of protection with their parameters and seeds
map_axis             an axis: a measure by its name, or a function of the user's own
map_risks            the vertical axis: risks of cells
map_whole_table      ... and of the table as a whole
map_utilities        the horizontal axis: utilities
map_probabilities    ... of users who estimate a joint or conditional probability
map_cells            which cells the map is about
map_categories       measures by the categories of some dims
map_seen             what the measures look at: a protected table beside its truth
own_functions        functions of the user's own, their answers and failures
"""
