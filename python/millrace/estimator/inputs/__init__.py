"""Input functions of data in memory."""
