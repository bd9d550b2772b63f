"""What comes back: frozen results with their frames, plots, pages, and how they are saved."""
