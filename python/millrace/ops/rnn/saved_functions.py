"""Functions among the arguments of cells, as plain values: their names, or the code of lambdas."""

import base64
import importlib
import marshal
import types


def saved_function(name, function):
  """Returns the entries of a configuration for the function that is the argument `name`.

  A lambda is kept as its code with its defaults and the values that it captured; another function by its module and name.
  """
  if function.__name__ == "<lambda>":
    captured = tuple(cell.cell_contents for cell in function.__closure__ or ())
    code = base64.b64encode(marshal.dumps(function.__code__)).decode("ascii")
    value, kind = (code, function.__defaults__, captured), "lambda"
  else:
    value, kind = function.__name__, "function"
  return {name: value, name + "_type": kind, name + "_module": function.__module__}


def function_of(name, config):
  """Returns the configuration with the function in the place of what saved_function() made of it."""
  config = dict(config)
  kind, module = config.pop(name + "_type", None), config.pop(name + "_module", None)
  if kind == "function":
    config[name] = getattr(importlib.import_module(module), config[name])
  elif kind == "lambda":
    code, defaults, captured = config[name]
    cells = tuple(types.CellType(value) for value in captured)
    names = vars(importlib.import_module(module)) if module else {}
    code = marshal.loads(base64.b64decode(code))
    config[name] = types.FunctionType(code, names, "<lambda>", defaults, cells)
  elif kind is not None:
    raise TypeError(f"Unknown function type for {name}: {kind}")
  return config
