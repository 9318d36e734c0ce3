# cmake -DSOURCE=DIR -DOUT=FILE -P commit.cmake: writes the commit of the clone as C++. Writes only
# if the commit has changed, so that nothing is recompiled otherwise.
find_program(GIT git)

# mote_git(RESULT WORDS...): the output of git; empty without git or outside a clone.
function(mote_git result)
  set(text "")
  if(GIT AND EXISTS ${SOURCE}/.git)
    execute_process(COMMAND ${GIT} -C ${SOURCE} ${ARGN}
      OUTPUT_VARIABLE text OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

mote_git(commit describe --always --abbrev=12 --exclude=* --dirty=+)
mote_git(date log -1 --format=%cs)
set(modified false)
if(commit MATCHES "^(.+)[+]$")
  set(commit ${CMAKE_MATCH_1})
  set(modified true)
endif()
if(NOT commit)
  set(commit unknown)
endif()
if(NOT date)
  string(TIMESTAMP date "%Y-%m-%d" UTC)
endif()
file(CONFIGURE OUTPUT ${OUT} @ONLY CONTENT [[
#include "app/cli/version.h"

namespace mote {

const char* const kCommit = "@commit@";
const char* const kCommitDate = "@date@";
const bool kCommitModified = @modified@;

}  // namespace mote
]])
