"""ExportStrategy: how an Experiment exports a model."""

import collections

from millrace.estimator import arguments

_OPTIONAL = ("checkpoint_path", "eval_result", "strip_default_attrs")


class ExportStrategy(collections.namedtuple("ExportStrategy", ["name", "export_fn", "strip_default_attrs"])):
  """A name, which is that of the folder, and `export_fn(estimator, export_path)`.

  The function may also have the arguments checkpoint_path, eval_result and strip_default_attrs.
  """

  def __new__(cls, name, export_fn, strip_default_attrs=None):
    return super().__new__(cls, name, export_fn, strip_default_attrs)

  def export(self, estimator, export_path, checkpoint_path=None, eval_result=None):
    """Exports into a folder below a path; returns what the function does.

    Raises ValueError if the function has no argument for what the strategy says of the attributes.
    """
    names = arguments.names_of(self.export_fn)
    any_name = arguments.takes_any(self.export_fn)
    given = {"checkpoint_path": checkpoint_path, "eval_result": eval_result, "strip_default_attrs": self.strip_default_attrs}
    kwargs = {}
    for name in _OPTIONAL:
      if given[name] is None:
        continue
      if name not in names and not any_name:
        if name == "strip_default_attrs":
          raise ValueError(f"An export_fn accepting {name} kwarg is required.")
        continue
      kwargs[name] = given[name]
    return self.export_fn(estimator, export_path, **kwargs)
