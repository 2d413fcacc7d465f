#!/bin/sh
# Launcher of compilers: ccache.sh CCACHE COMPILER ARGUMENTS...
#
# A file that includes a precompiled header would cost ccache a third of a
# second: it hashes 100 MB and more, and runs the preprocessor over them. So a
# checksum is kept beside each such header. What is compiled with it is looked up
# by that and by the headers that the compiler names (ccache's depend mode),
# among which those in the precompiled one are not.
set -eu
before=
header=
output=
for word; do
  case $before in
    -include) header=$word ;;
    -o) output=$word ;;
  esac
  before=$word
done
# What ccache's manual asks for with precompiled headers. Not the times of
# headers: one that is edited while it is compiled would be kept as it was.
export CCACHE_SLOPPINESS=pch_defines,time_macros
case $output in
  *.gch)
    # The preprocessor would take the header of before for what it includes, and
    # ccache then knows the new one by that alone.
    # With comments: the compiler tells by a header's very bytes that it is in the
    # precompiled one, so one that was made before a comment changed is useless. And
    # not by the files that were read (direct mode), where such a one may be kept.
    rm -f "$output" "$output.sum"
    CCACHE_COMMENTS=1 CCACHE_NODIRECT=1 "$@"
    md5sum <"$output" >"$output.sum"
    ;;
  *)
    if [ -n "$header" ] && [ -f "$header.gch.sum" ]; then
      export CCACHE_DEPEND=1 CCACHE_PCH_EXTSUM=1 CCACHE_EXTRAFILES="$header.gch.sum"
    fi
    exec "$@"
    ;;
esac
