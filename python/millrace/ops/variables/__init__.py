"""Variables: objects, scopes that share them by name, initial values, and what is done to all of them at once."""
