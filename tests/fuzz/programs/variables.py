"""Variables, constants and placeholders."""

import program as p
from generate import BRANCH, CHAIN, DTYPES, FREE, PURE, statement
from program import PS, W0, W1, Handle


def variable(g, scope):
  """A variable of one of both kinds."""
  is_ref = g.chance(g.references)
  dtype = g.choose(DTYPES + ["float32"] * 6 + ["bool", "string"])
  shape = g.shape()
  is_loose = g.chance(0.2 if is_ref else 0.1)
  task = g.choose([PS] * 6 + [W0, W1])
  n = g.number()
  name = f"v{n}"
  initial = g.literal(dtype, shape)
  while initial.data:
    initial = g.literal(dtype, shape)
  loose = "" if not is_loose else ", validate_shape=False" if is_ref else ", validate_shape=False, shape=tf.TensorShape(None)"
  s = p.Statement(
    "variable",
    [f'{name} = tf1.Variable({initial.text()}, name="{name}", use_resource={not is_ref}{loose})'],
    task=task,
    tail=name,
    number=n,
  )
  handle = Handle(name, "variable", dtype, shape, task, is_ref, is_loose)
  s.makes = [handle]
  g.handles.append(handle)
  g.by_name[name] = handle
  scope.statements.append(s)
  g.values.append(p.variable_value(handle))
  return True


@statement(1, PURE)
def another(g, scope):
  return len(g.of_kind("variable")) < 5 and variable(g, scope)


@statement(2, PURE)
def constant(g, scope):
  dtype, shape = g.choose(DTYPES + ["bool", "string"]), g.shape()
  g.add(scope, "constant", f"{{o0}} = {g.literal(dtype, shape).text()}", outs=[(dtype, shape, {})], task=g.task_for(scope))
  return True


@statement(2, PURE)
def placeholder(g, scope):
  dtype, shape = g.choose(DTYPES + ["bool"]), g.shape()
  task = g.task_for(scope)
  if g.chance(0.3):
    made = g.add(
      scope,
      "placeholder",
      f"{{o0}} = tf1.placeholder_with_default({g.literal(dtype, shape).text()}, {list(shape)})",
      outs=[(dtype, shape, {})],
      task=task,
    )
    if g.chance(0.5):
      return True
  else:
    made = g.add(
      scope, "placeholder", f"{{o0}} = tf1.placeholder(tf.{dtype}, {list(shape)})", outs=[(dtype, shape, {})], task=task
    )
  g.feedable.extend(made)
  return True


@statement(3, PURE, CHAIN, FREE, BRANCH)
def random_numbers(g, scope):
  seed, shape = g.rng.randrange(1, 100), g.choose([(), (3,), (4,), (2, 3)])
  texts = [
    ("float32", "tf.random.stateless_uniform({shape}, [{seed}, 3])"),
    ("int64", "tf.random.stateless_uniform({shape}, [{seed}, 3], 0, 10, tf.int64)"),
    ("float64", "tf.random.stateless_normal({shape}, [{seed}, 3], dtype=tf.float64)"),
  ]
  if scope.segment not in (None, "r"):
    # Of a generator with state, each draw changes what comes next: it has a place in the chain.
    texts = texts[:2] + [
      ("float32", "tf1.random_uniform({shape}, seed={seed})"),
      ("float64", "tf1.random_uniform({shape}, -1.0, 1.0, tf.float64, seed={seed})"),
      ("int32", "tf1.random_uniform({shape}, 0, 10, tf.int32, seed={seed})"),
      ("float32", "tf1.random_normal({shape}, seed={seed})"),
      ("float32", "tf1.truncated_normal({shape}, seed={seed})"),
      (
        "float32",
        "tf1.random_shuffle(tf1.random_uniform({shape}, seed={seed}), seed=4)"
        if shape
        else "tf1.random_gamma([], 2.0, seed={seed})",
      ),
    ]
  dtype, text = g.choose(texts)
  g.add(scope, "random", "{o0} = " + text.format(shape=list(shape), seed=seed), outs=[(dtype, shape, {})], task=g.task_for(scope))
  return True


__all__ = ["variable", "another"]
