"""Tables that contests take, from where they are."""
