"""Results told to people.

words             the sentences and short tables of an audit
page              the report of an audit: one self-contained HTML page
printed_audit     an audit as the command line prints it
printed_sections  its further sections, and why a script fails
respondent_rows   what respondents learn
notebook_form     results as notebooks show them
plots             their pictures
"""
