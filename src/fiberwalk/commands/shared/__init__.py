"""What commands share: their options, how they speak and end, and the parameters of methods as texts.

file_options       how FILE is read, and the release that comes of it
sample_options     the population behind a sample, and how the sample was drawn
question_options   hidden margins, kinds of figures, intruders
law_options        --law and --prior
cost_options       --limit and --memory, of exact solving
chain_options      Markov chains: how many, how long, where
output_options     where results go, how much is printed, when a command fails
number_types       numbers of options: 2e9, and finite ones
comma_lists        lists in one text, joined by commas
count_tables       tables of counts, for commands that have no publication
method_parameters  methods of protection and their parameters
manners            errors in one sentence, outputs that overwrite nothing, exit status
option_words       sentences of the Python interface, with options in place of parameters
"""
