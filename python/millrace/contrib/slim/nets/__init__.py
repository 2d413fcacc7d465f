"""Well-known networks for images, built of the layers of slim."""
