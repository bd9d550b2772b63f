"""What commands share: their options, how they speak and end, and the parameters of methods as texts."""
