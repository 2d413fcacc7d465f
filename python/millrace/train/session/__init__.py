"""Sessions for training: hooks, monitored sessions, the supervisor."""
