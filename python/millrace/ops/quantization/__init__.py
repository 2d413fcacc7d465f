"""Values as a quantized network would have them."""
