"""What requests cost: prices, ranking of models, and money saved."""
