"""Programs that import `tensorflow`, run by Millrace without a change."""
