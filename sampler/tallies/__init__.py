"""What chains note down on the way: counters of values that grow, credits of lines and draws, how shares vary."""
