"""An audit told to people: the page, its pictures, its sentences, and what the terminal shows."""
