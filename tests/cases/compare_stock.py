#!/usr/bin/env python3
"""Runs exported cases on stock TensorFlow and compares values, types, shapes and errors.

  cases_test --export FOLDER [OP or FAMILY]
  compare_stock.py FOLDER [-v]

One process, one session for a few dozen cases, no graph rewriting. The last
line says `N cases, M against stock, K deviations allowed`.
"""
import argparse
import glob
import json
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

TIMEOUT_MS = 60000
# Relative and absolute tolerance by dtype name, as in compare.cc.
TOLERANCE = {"float64": 1e-12, "complex128": 1e-12, "float32": 1e-5, "complex64": 1e-5, "float16": 2e-3, "bfloat16": 2e-2}
FLOATS = ("float16", "bfloat16", "float32", "float64")
COMPLEX = ("complex64", "complex128")


class Report:

    def __init__(self):
        self.cases = 0
        self.against_stock = 0
        self.failures = []    # "math.Add, case 3: what"
        self.deviations = []  # the same with the reason
        self.not_run = []

    def summary(self):
        return "%d cases, %d against stock, %d deviations allowed" % (self.cases, self.against_stock, len(self.deviations))


def ordered(values):
    """Floating numbers as integers in the same order."""
    bits = values.view({2: np.int16, 4: np.int32, 8: np.int64}[values.dtype.itemsize]).astype(object)
    least = -(1 << (8 * values.dtype.itemsize - 1))
    return np.where(values.view({2: np.int16, 4: np.int32, 8: np.int64}[values.dtype.itemsize]) >= 0, bits,
                    least - bits - 1)


def same_floats(case, got, want, relative, absolute):
    """Elementwise; got and want have one of the FLOATS types. absolute may be an array."""
    g, w = got.astype(np.float64), want.astype(np.float64)
    both_nan = np.isnan(g) & np.isnan(w)
    if case["ulp"] >= 0:
        close = np.abs((ordered(got) - ordered(want)).astype(np.float64)) <= case["ulp"]
        if case["ulp"] > 0:
            close |= g == w
        return np.where(np.isnan(g) | np.isnan(w), both_nan, close)
    with np.errstate(all="ignore"):
        close = np.abs(g - w) <= absolute + relative * np.abs(w)
    infinite = np.isinf(g) | np.isinf(w)
    return both_nan | (g == w) | (close & ~infinite)


def same_elements(case, got, want, name):
    relative, absolute = TOLERANCE.get(name, 0), TOLERANCE.get(name, 0)
    if case["has_tolerance"]:
        relative, absolute = case["relative"], case["absolute"]
    if name in FLOATS:
        return same_floats(case, got, want, relative, absolute)
    if name in COMPLEX:
        size = np.maximum(np.abs(want.real), np.abs(want.imag)).astype(np.float64)
        slack = absolute + np.where(np.isfinite(size), relative * size, 0)
        return (same_floats(case, np.ascontiguousarray(got.real), np.ascontiguousarray(want.real), relative, slack) &
                same_floats(case, np.ascontiguousarray(got.imag), np.ascontiguousarray(want.imag), relative, slack))
    if case["has_tolerance"] and got.dtype.kind in "iu":
        return (got == want) | (np.abs(got.astype(np.float64) - want.astype(np.float64)) <=
                                absolute + relative * np.abs(want.astype(np.float64)))
    return got == want


def plain(array):
    """Quantized elements, structures of one integer, as integers."""
    return array[array.dtype.names[0]] if array.dtype.names else array


def to_bytes(array):
    return np.vectorize(lambda s: s if isinstance(s, bytes) else str(s).encode(), otypes=[object])(array)


def difference(case, ours, stock):
    """Empty if `ours` is what stock gave."""
    ours, stock = plain(np.asarray(ours)), plain(np.asarray(stock))
    if ours.dtype.kind in "OSU" or stock.dtype.kind in "OSU":
        if ours.size and stock.size:
            ours, stock = to_bytes(ours), to_bytes(stock)
    elif ours.dtype != stock.dtype:
        return "dtype is %s, stock's is %s" % (ours.dtype, stock.dtype)
    if ours.shape != stock.shape:
        return "shape is %s, stock's is %s" % (list(ours.shape), list(stock.shape))
    if case["random"] or ours.size == 0:
        return ""
    flat_ours, flat_stock = np.ascontiguousarray(ours).reshape(-1), np.ascontiguousarray(stock).reshape(-1)
    good = np.asarray(same_elements(case, flat_ours, flat_stock, ours.dtype.name), dtype=bool)
    if good.all():
        return ""
    i = int(np.argmin(good))
    return "element %d is %r, stock's is %r (%d of %d differ)" % (i, flat_ours[i], flat_stock[i],
                                                                 int((~good).sum()), good.size)


def load_graph(path):
    graph_def = tf.compat.v1.GraphDef()
    with open(path, "rb") as f:
        graph_def.ParseFromString(f.read())
    return graph_def


def import_graph(graph_def):
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(graph_def, name="")
    return graph


def new_session(graph):
    config = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=2)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.optimizer_options.opt_level = -1
    return tf.compat.v1.Session(graph=graph, config=config)


class Chunk:
    """One exported graph with its cases."""

    def __init__(self, stem, report):
        self.report = report
        with open(stem + ".json", encoding="utf-8") as f:
            self.cases = json.load(f)
        self.graph_def = load_graph(stem + ".graph")
        self.constants = {n.name: n.attr["value"].tensor for n in load_graph(stem + ".values").node}

    def value(self, name):
        proto = self.constants[name]
        return tf.make_ndarray(proto)

    def run(self):
        wanted = [c for c in self.cases if not c["no_stock"]]
        for case in self.cases:
            self.report.cases += 1
            if case["no_stock"]:
                self.report.not_run.append("%s: %s" % (title(case), case["no_stock"]))
        if not wanted:
            return
        if wanted[0]["deprecated"]:
            self.graph_def.versions.producer = min(self.graph_def.versions.producer, wanted[0]["deprecated"] - 1)
        if wanted[0]["build_error"]:
            return self.run_build_error(wanted[0])
        try:
            graph = import_graph(self.graph_def)
        except (ValueError, tf.errors.OpError) as e:
            if len(wanted) == 1:
                self.report.against_stock += 1
                self.finish(wanted[0], ["stock does not take the graph: %s" % e])
                return
            return self.run_apart(wanted)
        with new_session(graph) as session:
            for case in wanted:
                self.report.against_stock += 1
                self.finish(case, list(self.run_case(graph, session, case)))

    def run_apart(self, wanted):
        """Stock refused the whole: each case gets a graph of its own."""
        for case in wanted:
            part = Chunk.__new__(Chunk)
            part.report, part.cases, part.constants = self.report, [case], self.constants
            part.graph_def = tf.compat.v1.GraphDef(versions=self.graph_def.versions)
            prefixes = tuple(case["id"] + mark for mark in ("/", "v/", "s/"))
            part.graph_def.node.extend(n for n in self.graph_def.node if n.name.startswith(prefixes))
            self.report.cases -= 1
            part.run()

    def run_build_error(self, case):
        self.report.against_stock += 1
        try:
            import_graph(self.graph_def)
        except (ValueError, tf.errors.OpError, TypeError) as e:
            if case["build_words"] in str(e):
                return self.finish(case, [])
            return self.finish(case, ["stock's message lacks %r: %s" % (case["build_words"], e)])
        return self.finish(case, ["stock builds the graph without an error"])

    def finish(self, case, problems):
        for problem in problems:
            if case["deviates"]:
                self.report.deviations.append("%s: %s (%s)" % (title(case), problem, case["deviates"]))
            else:
                self.report.failures.append("%s: %s" % (title(case), problem))

    def run_case(self, graph, session, case):
        if "our_error" in case:
            yield "the case does not fit the schema: " + case["our_error"]
            return
        for tensor, ours in case["shapes"]:
            yield from check_static_shape(tensor, ours, graph.get_tensor_by_name(tensor).shape)
        feeds = {name: self.value(k) for name, k in case["feeds"].items()}
        options = tf.compat.v1.RunOptions(timeout_in_ms=TIMEOUT_MS)
        try:
            if case["init"]:
                session.run([graph.get_operation_by_name(n) for n in case["init"]], options=options)
        except tf.errors.OpError as e:
            yield "stock cannot set the variables: %s" % e.message
            return
        for number, run in enumerate(case["runs"]):
            where = "" if len(case["runs"]) == 1 else "run %d: " % number
            for problem in self.run_once(graph, session, case, run, feeds, options):
                yield where + problem
        for read, k in case["variables"]:
            yield from self.check_variable(session, case, read, k, options)

    def run_once(self, graph, session, case, run, feeds, options):
        live = [f for f in run["fetches"] if f[1] is not None] if run["code"] == 0 else run["fetches"]
        dead = [f for f in run["fetches"] if f[1] is None] if run["code"] == 0 else []
        targets = [graph.get_operation_by_name(n) for n in run["targets"]]
        try:
            # A dead output has no value to fetch, so its node is no target either.
            stock = session.run([f[0] for f in live], feed_dict=feeds, options=options) if live else []
            if not live:
                session.run(targets, feed_dict=feeds, options=options)
        except tf.errors.OpError as e:
            if run["code"] == 0:
                yield "stock fails: %s" % first_lines(e.message)
            elif e.error_code != run["code"]:
                yield "stock's error code is %d, ours %d: %s" % (e.error_code, run["code"], first_lines(e.message))
            elif run["words"] not in e.message:
                yield "stock's message lacks %r: %s" % (run["words"], first_lines(e.message))
            return
        except (TypeError, ValueError) as e:
            yield "the client refuses the run: %s" % e
            return
        if run["code"] != 0:
            yield "stock gives no error, ours is %s" % run["our_message"]
            return
        if run["our_code"] != 0:
            yield "we fail, stock does not: %s" % run["our_message"]
            return
        for (name, k, ignored), value in zip(live, stock):
            if not ignored:
                problem = difference(case, self.value(k), value)
                if problem:
                    yield "%s: %s" % (name.split("/", 1)[1], problem)
        for name, _, _ in dead:
            try:
                session.run(name, feed_dict=feeds, options=options)
                yield "%s: stock has a value, ours is dead" % name
            except tf.errors.InvalidArgumentError as e:
                if "does not have value" not in e.message:
                    yield "%s: %s" % (name, first_lines(e.message))

    def check_variable(self, session, case, read, k, options):
        try:
            stock = session.run(read, options=options)
        except tf.errors.OpError as e:
            if k is not None:
                yield "variable %s: stock cannot read it: %s" % (read, first_lines(e.message))
            return
        if k is None:
            yield "variable %s: stock has a value, ours has none" % read
            return
        problem = difference(case, self.value(k), stock)
        if problem:
            yield "variable %s afterwards: %s" % (read, problem)


def title(case):
    return "%s.%s, %s" % (case["family"], case["op"], case["name"])


def first_lines(message):
    return " | ".join(message.split("\n")[:4])[:500]


def check_static_shape(tensor, ours, stock):
    """Ours must know all that stock knows, and agree."""
    if stock.rank is None:
        return
    known = [-1 if d is None else d for d in stock.as_list()]
    if ours is None or len(ours) != len(known) or any(s >= 0 and s != o for o, s in zip(ours, known)):
        yield "static shape of %s is %s, stock's is %s" % (tensor, ours, known)


def compare(folder, verbose=False):
    report = Report()
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        if verbose:
            print(path, file=sys.stderr)
        Chunk(path[:-len(".json")], report).run()
    return report


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("folder")
    ap.add_argument("-v", action="store_true", help="show files, deviations and what was not run")
    args = ap.parse_args()
    report = compare(args.folder, args.v)
    for line in report.failures:
        print(line)
    if args.v:
        for line in report.deviations + report.not_run:
            print("allowed:", line)
    print(report.summary())
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
