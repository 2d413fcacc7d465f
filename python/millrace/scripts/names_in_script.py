"""Finds which names of TensorFlow a script uses, and at which lines, without running it."""

import ast


class Use:
  """A use of a name: its dotted form from `tensorflow` on, the line, and whether an import asks for it."""

  def __init__(self, name, line, is_import=False):
    self.name = name
    self.line = line
    self.is_import = is_import


class _Visitor(ast.NodeVisitor):
  def __init__(self):
    self.uses = []
    self._aliases = {}  # what a name of the script stands for

  def visit_Import(self, node):
    for alias in node.names:
      if _is_tensorflow(alias.name):
        self._add(alias.name, node, is_import=True)
        self._aliases[alias.asname or "tensorflow"] = alias.name if alias.asname else "tensorflow"
      else:
        self._aliases.pop(alias.asname or alias.name.split(".")[0], None)

  def visit_ImportFrom(self, node):
    for alias in node.names:
      known = alias.asname or alias.name
      if node.level or node.module is None or not _is_tensorflow(node.module):
        self._aliases.pop(known, None)
      elif alias.name == "*":
        self._add(node.module, node, is_import=True)
      else:
        name = f"{node.module}.{alias.name}"
        self._add(name, node, is_import=True)
        self._aliases[known] = name

  def visit_Assign(self, node):
    self.visit(node.value)
    name = self._dotted(node.value)
    for target in node.targets:
      if isinstance(target, ast.Name):
        if name is not None:
          self._aliases[target.id] = name
        else:
          self._aliases.pop(target.id, None)
      else:
        self.visit(target)

  def visit_Attribute(self, node):
    name = self._dotted(node)
    if name is not None and isinstance(node.ctx, ast.Load):
      self._add(name, node)
    else:
      self.generic_visit(node)

  def visit_FunctionDef(self, node):
    # Names of parameters hide those of the script within the function.
    hidden = {a.arg for a in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]}
    kept = dict(self._aliases)
    for default in [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None), *node.decorator_list]:
      self.visit(default)
    for name in hidden:
      self._aliases.pop(name, None)
    for statement in node.body:
      self.visit(statement)
    self._aliases = kept

  visit_AsyncFunctionDef = visit_FunctionDef

  def _dotted(self, node):
    if isinstance(node, ast.Name):
      return self._aliases.get(node.id)
    if isinstance(node, ast.Attribute):
      base = self._dotted(node.value)
      return None if base is None else f"{base}.{node.attr}"
    return None

  def _add(self, name, node, is_import=False):
    self.uses.append(Use(name, node.lineno, is_import))


def _is_tensorflow(module):
  return module == "tensorflow" or module.startswith("tensorflow.")


def uses_in(text, name="<script>"):
  """Returns the uses of names of TensorFlow in a script, by lines. Raises SyntaxError for what is no Python."""
  visitor = _Visitor()
  visitor.visit(ast.parse(text, name))
  return sorted(visitor.uses, key=lambda use: use.line)
