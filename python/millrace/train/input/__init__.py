"""Input pipelines of queues: producers of elements, and batches of them."""
