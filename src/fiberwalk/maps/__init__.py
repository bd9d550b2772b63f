"""R-U confidentiality maps: methods and their settings, measures of risk and utility, the map of both."""
