"""What the tutorials on MNIST import: `input_data.read_data_sets`, and a small network."""
