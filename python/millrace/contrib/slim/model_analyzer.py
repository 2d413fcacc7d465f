"""slim.model_analyzer: the sizes of variables and of what ops give."""


def tensor_description(var):
  """Returns type and shape of a variable or tensor as a text: "(float32 3x4)"."""
  return f"({var.dtype.name} {'x'.join('?' if size is None else str(size) for size in var.get_shape().as_list())})"


def analyze_ops(graph, print_info=False):
  """Returns how many elements the results of all ops of a graph have, those whose shape is not known left out; prints them if asked."""
  if print_info:
    print("---------\nOperations: name -> (type shapes) [size]\n---------")
  total = 0
  for op in graph.get_operations():
    size = 0
    shapes = []
    for output in op.outputs:
      elements = output.get_shape().num_elements()
      if elements:
        size += elements
      if output.get_shape().ndims is not None:
        shapes.append(tensor_description(output))
    if print_info:
      print(f"{op.name} \t-> {', '.join(shapes)} [{size}]")
    total += size
  return total


def analyze_vars(variables, print_info=False):
  """Returns (number of elements, bytes) of all variables of a list; prints each if asked."""
  if print_info:
    print("---------\nVariables: name (type shape) [size]\n---------")
  total_size = total_bytes = 0
  for variable in variables:
    # A variable of unknown shape counts as none.
    size = variable.get_shape().num_elements() or 0
    count = size * variable.dtype.base_dtype.size
    total_size += size
    total_bytes += count
    if print_info:
      print(f"{variable.name} {tensor_description(variable)} [{size}, bytes: {count}]")
  if print_info:
    print(f"Total size of variables: {total_size}\nTotal bytes of variables: {total_bytes}")
  return total_size, total_bytes
