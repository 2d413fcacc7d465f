"""Functions of numbers in tensors: element by element, sums, products, sequences, counts."""
