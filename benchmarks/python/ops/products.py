"""Products and factors of matrices."""

from ops.rows import complexes, doubles, halves, ints, normal, op, uniform

op("matmul/small", lambda tf, x, y: tf.matmul(x, y), uniform(32, 64), uniform(64, 32))
op("matmul/256", lambda tf, x, y: tf.matmul(x, y), uniform(256, 256), uniform(256, 256))
op("matmul/tall", lambda tf, x, y: tf.matmul(x, y), uniform(10000, 64), uniform(64, 16))
op("matmul/vec", lambda tf, x, y: tf.linalg.matvec(x, y), uniform(1000, 1000), uniform(1000))
op("matmul/row", lambda tf, x, y: tf.matmul(x, y), uniform(1, 1000), uniform(1000, 1000))
op("matmul/batch_small", lambda tf, x, y: tf.matmul(x, y), uniform(512, 16, 16), uniform(512, 16, 16))
op("matmul/batch_att", lambda tf, x, y: tf.matmul(x, y, transpose_b=True), uniform(64, 128, 64), uniform(64, 128, 64))
op("matmul/batch_vec", lambda tf, x, y: tf.matmul(x, y), uniform(1000, 1, 64), uniform(1000, 64, 16))
op("matmul/ta", lambda tf, x, y: tf.matmul(x, y, transpose_a=True), uniform(1000, 256), uniform(1000, 256))
op("matmul/double", lambda tf, x, y: tf.matmul(x, y), doubles(512, 512), doubles(512, 512))
op("matmul/half", lambda tf, x, y: tf.matmul(x, y), halves(256, 256), halves(256, 256))
op("matmul/int32", lambda tf, x, y: tf.matmul(x, y), ints(9, 256, 256), ints(9, 256, 256))
op("matmul/complex", lambda tf, x, y: tf.matmul(x, y), complexes(256, 256), complexes(256, 256))
op("matmul/einsum", lambda tf, x, y: tf.einsum("bhqd,bhkd->bhqk", x, y), uniform(8, 8, 128, 64), uniform(8, 8, 128, 64))
op("matmul/einsum3", lambda tf, x, y: tf.einsum("btd,dhk->bthk", x, y), uniform(8, 128, 256), uniform(256, 8, 32))
op("matmul/tensordot", lambda tf, x, y: tf.tensordot(x, y, [[2], [0]]), uniform(16, 64, 256), uniform(256, 128))
op("matmul/sparse_hint", lambda tf, x, y: tf.matmul(tf.nn.relu(x), y, a_is_sparse=True), normal(512, 512), uniform(512, 64))
op("matmul/cross", lambda tf, x, y: tf.linalg.cross(x, y), uniform(100000, 3), uniform(100000, 3))
op("matmul/outer", lambda tf, x, y: x[:, None] * y[None, :], uniform(1000), uniform(1000))
op("linalg/expm", lambda tf, x: tf.linalg.expm(x), uniform(16, 32, 32))
op("linalg/sqrtm", lambda tf, x: tf.linalg.sqrtm(tf.matmul(x, x, transpose_b=True) + 10 * tf.eye(32)), uniform(8, 32, 32))
op("linalg/lstsq", lambda tf, x, y: tf.linalg.lstsq(x, y), normal(500, 50), uniform(500, 5))
op("linalg/tridiagonal", lambda tf, x, y: tf.linalg.tridiagonal_solve(x + 2.0, y), uniform(100, 3, 100), uniform(100, 100, 1))
op("linalg/det3", lambda tf, x: tf.linalg.det(x), uniform(10000, 3, 3))
op("linalg/inv3", lambda tf, x: tf.linalg.inv(x + 3 * tf.eye(3)), uniform(10000, 3, 3))
op("linalg/solve4", lambda tf, x, y: tf.linalg.solve(x + 4 * tf.eye(4), y), uniform(10000, 4, 4), uniform(10000, 4, 1))
op("linalg/svd3", lambda tf, x: list(tf.linalg.svd(x)), uniform(2000, 3, 3))
op("linalg/eigh3", lambda tf, x: list(tf.linalg.eigh(x)), uniform(5000, 3, 3))
op("linalg/chol3", lambda tf, x: tf.linalg.cholesky(tf.matmul(x, x, transpose_b=True) + tf.eye(3)), uniform(10000, 3, 3))
op("linalg/qr4", lambda tf, x: list(tf.linalg.qr(x)), uniform(5000, 4, 4))
op(
  "linalg/trisolve_big",
  lambda tf, x, y: tf.linalg.triangular_solve(tf.linalg.band_part(x, -1, 0) + 10 * tf.eye(500), y),
  uniform(500, 500),
  uniform(500, 1),
)
