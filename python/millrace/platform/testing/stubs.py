"""tf.test.StubOutForTesting: replaces attributes for the time of a test."""

import inspect


class StubOutForTesting:
  """As a context, it undoes all replacements at its end."""

  def __init__(self):
    self._set = []
    self._smart = []

  def __enter__(self):
    return self

  def __exit__(self, kind, value, trace):
    self.CleanUp()

  def CleanUp(self):
    """Undoes all replacements."""
    self.SmartUnsetAll()
    self.UnsetAll()

  def SmartSet(self, obj, attr_name, new_attr):
    """Replaces an attribute where it is defined: at the object, its class or the class's base. Raises AttributeError if there is none."""
    if inspect.ismodule(obj) or (not inspect.isclass(obj) and attr_name in obj.__dict__):
      owner, before = obj, getattr(obj, attr_name)
    else:
      classes = inspect.getmro(obj if inspect.isclass(obj) else type(obj))
      owner = next((cls for cls in reversed(classes) if attr_name in cls.__dict__), None)
      if owner is None:
        raise AttributeError("Attribute not found.")
      before = owner.__dict__[attr_name]
    self._smart.append((owner, attr_name, before))
    setattr(owner, attr_name, new_attr)

  def SmartUnsetAll(self):
    while self._smart:
      setattr(*self._smart.pop())

  def Set(self, parent, child_name, new_child):
    """Replaces `parent.child_name`."""
    before = getattr(parent, child_name)
    if isinstance(vars(parent).get(child_name), (staticmethod, classmethod)):
      before = vars(parent)[child_name]
    self._set.append((parent, before, child_name))
    setattr(parent, child_name, new_child)

  def UnsetAll(self):
    while self._set:
      parent, before, name = self._set.pop()
      setattr(parent, name, before)
