"""Files of records."""
