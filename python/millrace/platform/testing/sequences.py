"""Comparisons of sequences, texts, messages and errors, for TestCase."""

import collections
import contextlib
import difflib
import functools
import re


class SequenceAssertions:
  """Methods of a test case that has those of unittest."""

  def assertEmpty(self, container, msg=None):
    if len(container):
      self.fail("%r has length of %d. %s" % (container, len(container), msg or ""))

  def assertNotEmpty(self, container, msg=None):
    if not len(container):
      self.fail("%r has length of 0. %s" % (container, msg or ""))

  def assertLen(self, container, expected_len, msg=None):
    if len(container) != expected_len:
      self.fail("%r has length of %d, expected %d. %s" % (container, len(container), expected_len, msg or ""))

  def assertItemsEqual(self, first, second, msg=None):
    self.assertCountEqual(first, second, msg)

  def assertSameElements(self, expected_seq, actual_seq, msg=None):
    """Two sequences have the same elements, however often."""
    self.assertEqual(set(expected_seq), set(actual_seq), msg)

  def assertSequenceAlmostEqual(self, expected_seq, actual_seq, places=None, msg=None, delta=None):
    self.assertEqual(len(expected_seq), len(actual_seq), msg)
    for one, two in zip(expected_seq, actual_seq):
      self.assertAlmostEqual(one, two, places=places, msg=msg, delta=delta)

  def assertDictAlmostEqual(self, a, b, places=None, msg=None, delta=None):
    self.assertEqual(set(a), set(b), msg)
    for key in a:
      self.assertAlmostEqual(a[key], b[key], places=places, msg=msg, delta=delta)

  def assertContainsSubset(self, expected_subset, actual_set, msg=None):
    missing = set(expected_subset) - set(actual_set)
    if missing:
      self.fail("Missing elements %s\nExpected: %s\nActual: %s %s" % (missing, expected_subset, actual_set, msg or ""))

  def assertNoCommonElements(self, expected_seq, actual_seq, msg=None):
    common = set(expected_seq) & set(actual_seq)
    if common:
      self.fail("Common elements %s. %s" % (common, msg or ""))

  def assertContainsSubsequence(self, container, subsequence, msg=None):
    """The elements of `subsequence` are in the container in this order, perhaps with others between."""
    rest = iter(container)
    if not all(element in rest for element in subsequence):
      self.fail("%r not a subsequence of %r. %s" % (subsequence, container, msg or ""))

  def assertContainsExactSubsequence(self, container, subsequence, msg=None):
    """The elements of `subsequence` are in the container in this order, side by side."""
    container, subsequence = list(container), list(subsequence)
    for start in range(len(container) - len(subsequence) + 1):
      if container[start : start + len(subsequence)] == subsequence:
        return
    self.fail("%r not an exact subsequence of %r. %s" % (subsequence, container, msg or ""))

  def assertContainsInOrder(self, strings, target, msg=None):
    at = 0
    for text in (strings,) if isinstance(strings, str) else strings:
      found = target.find(text, at)
      if found < 0:
        self.fail("Did not find '%s' after position %d in '%s'. %s" % (text, at, target, msg or ""))
      at = found

  def assertSequenceStartsWith(self, prefix, whole, msg=None):
    self.assertEqual(list(prefix), list(whole)[: len(list(prefix))], msg)

  def assertStartsWith(self, actual, expected_start, msg=None):
    if not actual.startswith(expected_start):
      self.fail("%r does not start with %r. %s" % (actual, expected_start, msg or ""))

  def assertNotStartsWith(self, actual, unexpected_start, msg=None):
    if actual.startswith(unexpected_start):
      self.fail("%r does start with %r. %s" % (actual, unexpected_start, msg or ""))

  def assertEndsWith(self, actual, expected_end, msg=None):
    if not actual.endswith(expected_end):
      self.fail("%r does not end with %r. %s" % (actual, expected_end, msg or ""))

  def assertNotEndsWith(self, actual, unexpected_end, msg=None):
    if actual.endswith(unexpected_end):
      self.fail("%r does end with %r. %s" % (actual, unexpected_end, msg or ""))

  def assertBetween(self, value, minv, maxv, msg=None):
    if not minv <= value <= maxv:
      self.fail("%r unexpectedly not between %r and %r. %s" % (value, minv, maxv, msg or ""))

  def assertRegexMatch(self, actual_str, regexes, message=None):
    """A text has a match of any of the patterns."""
    if not any(re.search(pattern, actual_str) for pattern in regexes):
      self.fail("%r does not contain a match for any of these regexes: %s. %s" % (actual_str, regexes, message or ""))

  def assertIsSubclass(self, cls, superclass, msg=None):
    if not issubclass(cls, superclass):
      self.fail("%r is not a subclass of %r. %s" % (cls, superclass, msg or ""))

  def assertNotIsSubclass(self, cls, superclass, msg=None):
    if issubclass(cls, superclass):
      self.fail("%r is a subclass of %r. %s" % (cls, superclass, msg or ""))

  def assertTotallyOrdered(self, *groups, **kwargs):
    """Elements of one group are equal, and less than those of the groups behind it."""
    msg = kwargs.get("msg")
    for first, group in enumerate(groups):
      for one in group:
        for same in group:
          self.assertEqual(one, same, msg)
        for later in groups[first + 1 :]:
          for two in later:
            self.assertLess(one, two, msg)
            self.assertGreater(two, one, msg)

  def assertSameStructure(self, a, b, aname="a", bname="b", msg=None):
    """Two nested structures are equal; says where they differ."""
    if a != b:
      lines = difflib.ndiff(repr(a).splitlines(), repr(b).splitlines())
      self.fail("%s and %s differ:\n%s %s" % (aname, bname, "\n".join(lines), msg or ""))

  def assertJsonEqual(self, first, second, msg=None):
    import json

    self.assertEqual(json.loads(first), json.loads(second), msg)

  def assertMappingEqual(self, a, b, msg=None, mapping_type=collections.abc.Mapping, check_values_equality=lambda a, b: a == b):
    self.assertIsInstance(a, mapping_type, msg)
    self.assertEqual(set(a), set(b), msg)
    for key in a:
      self.assertTrue(check_values_equality(a[key], b[key]), msg or "%r differs: %r, %r" % (key, a[key], b[key]))

  def assertDeviceEqual(self, device1, device2, msg=None):
    """Two devices, as texts or DeviceSpec, are the same."""
    from millrace.framework import device_spec

    one, two = device_spec.canonical_name(device1), device_spec.canonical_name(device2)
    self.assertEqual(one, two, "Devices %s and %s are not equal. %s" % (one, two, msg or ""))

  def assertProtoEquals(self, expected_message_maybe_ascii, message, msg=None, relative_tolerance=None):
    """A message, or the elements of a field, are equal to others, or to the text of a message.

    Numbers with a fraction are equal to six digits after the point, or differ by at most the share `relative_tolerance`.
    """
    from google.protobuf import text_format

    expected = expected_message_maybe_ascii
    if isinstance(expected, (str, bytes)):
      expected = text_format.Parse(expected, type(message)())
    close = _equal_digits if relative_tolerance is None else functools.partial(_differ_by_share, relative_tolerance)
    if not _close_messages(expected, message, close):
      self.assertMultiLineEqual(str(expected), str(message), msg)
      self.fail(self._formatMessage(msg, "%s and %s differ" % (type(expected).__name__, type(message).__name__)))

  def assertProtoEqualsVersion(self, expected, actual, producer=134, min_consumer=0, msg=None):
    """As assertProtoEquals for a GraphDef whose text leaves the versions out."""
    versions = "versions { producer: %d min_consumer: %d }\n%s" % (producer, min_consumer, expected)
    self.assertProtoEquals(versions, actual, msg)

  @contextlib.contextmanager
  def assertRaisesWithPredicateMatch(self, exception_type, expected_err_re_or_predicate):
    """The block raises an error of this class, which a function or a pattern accepts."""
    if callable(expected_err_re_or_predicate):
      accepts = expected_err_re_or_predicate
    else:

      def accepts(error):
        text = error.message if hasattr(error, "message") else str(error)
        op = getattr(error, "op", None)
        if op is not None:
          text += "\nCaused by op: %s" % op.name
        return re.search(expected_err_re_or_predicate, text) is not None

    try:
      yield
    except Exception as error:
      if not isinstance(error, exception_type) or not accepts(error):
        raise AssertionError("Exception of type %s: %s" % (type(error), error)) from error
    else:
      self.fail("%s not raised" % exception_type.__name__)

  def assertRaisesOpError(self, expected_err_re_or_predicate):
    from millrace.framework import errors

    return self.assertRaisesWithPredicateMatch(errors.OpError, expected_err_re_or_predicate)

  def assertRaisesIncompatibleShapesError(self, exception_type=None):
    from millrace.framework import errors

    pattern = r"Incompatible shapes|Dimensions must be equal|required broadcastable shapes"
    return self.assertRaisesWithPredicateMatch(exception_type or errors.InvalidArgumentError, pattern)

  def assertRaisesWithLiteralMatch(self, expected_exception, expected_exception_message, callable_obj=None, *args, **kwargs):
    """The call, or the block, raises an error with exactly this text."""
    context = self.assertRaisesRegex(expected_exception, "^%s$" % re.escape(expected_exception_message))
    if callable_obj is None:
      return context
    with context:
      callable_obj(*args, **kwargs)
    return None

  def assertUrlEqual(self, a, b, msg=None):
    """Two addresses are the same, whatever the order of what they ask for."""
    from urllib import parse

    one, two = parse.urlparse(a), parse.urlparse(b)
    for part in ("scheme", "netloc", "path", "fragment", "params"):
      self.assertEqual(getattr(one, part), getattr(two, part), msg)
    asked = [sorted(parse.parse_qs(url.query, keep_blank_values=True).items()) for url in (one, two)]
    self.assertEqual(asked[0], asked[1], msg)

  def assertCommandSucceeds(self, command, regexes=(b"",), env=None, close_fds=True, msg=None):
    """A command, a text for the shell or a list of words, ends with 0, and its output has a match of any of the patterns."""
    code, output = _run_command(command, env, close_fds)
    self.assertEqual(0, code, msg or "%r ended with %d:\n%s" % (command, code, output.decode(errors="replace")))
    self._assert_output(output, regexes, msg)

  def assertCommandFails(self, command, regexes, env=None, close_fds=True, msg=None):
    """A command does not end with 0, and its output has a match of any of the patterns."""
    code, output = _run_command(command, env, close_fds)
    self.assertNotEqual(0, code, msg or "%r ended with 0" % (command,))
    self._assert_output(output, regexes, msg)

  def _assert_output(self, output, regexes, msg):
    regexes = [regexes] if isinstance(regexes, (str, bytes)) else regexes
    patterns = [regex.encode() if isinstance(regex, str) else regex for regex in regexes]
    if not any(re.search(pattern, output, re.DOTALL) for pattern in patterns):
      self.fail(msg or "%r does not contain a match for any of these regexes: %s" % (output, patterns))


def _run_command(command, env, close_fds):
  import subprocess

  ran = subprocess.run(
    command,
    shell=isinstance(command, str),
    env=env,
    close_fds=close_fds,
    stdout=subprocess.PIPE,
    stderr=subprocess.STDOUT,
    check=False,
  )
  return ran.returncode, ran.stdout


def _equal_digits(one, two):
  return one == two or round(one, 6) == round(two, 6) or (one != one and two != two)


def _differ_by_share(share, one, two):
  return one == two or abs(one - two) <= share * max(abs(one), abs(two)) or (one != one and two != two)


def _close_messages(one, two, close):
  """Whether two messages, or fields of messages, are equal but for numbers with a fraction, for which `close` says so."""
  if type(one) is not type(two):
    return False
  if hasattr(one, "ListFields"):
    fields = [{field.name: value for field, value in message.ListFields()} for message in (one, two)]
    return set(fields[0]) == set(fields[1]) and all(
      _close_messages(value, fields[1][name], close) for name, value in fields[0].items()
    )
  if isinstance(one, float):
    return close(one, two)
  if hasattr(one, "items"):
    return set(one) == set(two) and all(_close_messages(one[key], two[key], close) for key in one)
  if hasattr(one, "__len__") and not isinstance(one, (str, bytes)):
    return len(one) == len(two) and all(_close_messages(a, b, close) for a, b in zip(one, two))
  return one == two
