"""Case 12: factors and solutions of matrices on one server, many small ones and a large one."""

import numpy as np

from harness import case, import_tf


@case("linear_algebra", workers=1, turns=True)
def linear_algebra(b):
  """Cholesky, solutions, inverse, determinant, QR, singular values and eigenvalues; 32 of 64 x 64, one of 512 x 512."""
  tf = import_tf()
  kinds = {
    "cholesky": lambda a, definite: [tf.linalg.cholesky(definite)],
    "triangular_solve": lambda a, definite: [tf.linalg.triangular_solve(definite, a)],
    "solve": lambda a, definite: [tf.linalg.solve(definite, a)],
    "inverse": lambda a, definite: [tf.linalg.inv(definite)],
    "determinant": lambda a, definite: [tf.linalg.slogdet(definite).log_abs_determinant],
    "qr": lambda a, definite: list(tf.linalg.qr(a)),
    "svd": lambda a, definite: list(tf.linalg.svd(a)),
    "singular_values": lambda a, definite: [tf.linalg.svd(a, compute_uv=False)],
    "self_adjoint_eig": lambda a, definite: list(tf.linalg.eigh(definite)),
  }
  for shape, name in (((32, 64, 64), "32x64"), ((512, 512), "512")):
    a = np.random.RandomState(1).standard_normal(shape).astype(np.float32)
    definite = np.matmul(a, np.swapaxes(a, -1, -2)) / shape[-1] + np.eye(shape[-1], dtype=np.float32)
    for kind, build in kinds.items():
      with tf.Graph().as_default():
        with tf.device(b.dev("worker")):
          inputs = [tf.Variable(x, use_resource=True) for x in (a, definite)]
          ops = build(*[x.read_value() for x in inputs])
          init = tf.global_variables_initializer()
        with b.session(tf) as s:
          s.run(init)
          step = s.make_callable([o.op for o in ops])
          b.millis("%s_%s" % (kind, name), step)
      if not b.direct:
        tf.Session.reset(b.target())
