"""TensorFlow 1's graph-mode API on Millrace: `import millrace as tf`.

The names are in the tables of `api/`, and each is imported when it is first used.
"""

from millrace.api import modules as _modules

_modules.install()


def install(tf="1.15", children=False):
  """From now on `import tensorflow` in this process is this package; `tf` names the version whose names and argument orders
  are meant, "0.12" those from before 1.0. With `children`, so it is in processes of this Python that this one starts."""
  from millrace.scripts import hook

  hook.install(tf, children)
