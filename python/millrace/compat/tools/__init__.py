"""tensorflow.python.tools: what programs import to freeze graphs, to make them smaller and to look into checkpoints."""
