"""What every room stands on.

errors           the errors that users see, each one sentence
jit              the one decorator all kernels are compiled with, and its cache
random_streams   random numbers inside kernels
lazy_names       namespaces whose names load when they are first used
interruption     Ctrl-C at awkward moments; progress: what long work tells meanwhile
numbers          numbers as users write them
text_files       files read with errors in one sentence, written whole or not at all
saved_forms      which classes files may hold, and under which names: each says so itself
plain_form       objects as plain data; plain_file: such data in files that cannot run anything
saved_file       results in such files, with a format that is checked
version          of fiberwalk, said once
certificate      how far an answer can be trusted
html             pieces of HTML for notebooks
"""
