// tools/window_soak.sh, which uses the window for a long time, in its shortest form.
#include <cstdlib>

#include "support/program_fixture.h"
#include "support/virtual_display.h"

namespace mote {
namespace {

class WindowSoak : public Program {
 protected:
  Outcome soak(const std::string& minutes, const std::string& more = "") const {
    const std::string all = "MOTE='" MOTE_PROGRAM "' " + more +
                            " '" MOTE_TOOLS "/window_soak.sh' " + minutes + " >'" + path(".out") +
                            "' 2>'" + path(".err") + "'";
    const int status = std::system(all.c_str());  // NOLINT(cert-env33-c): the test runs a script
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(path(".out")),
            text_of(path(".err"))};
  }

  VirtualDisplay display_;
};

TEST_F(WindowSoak, TwoRoundsLeaveNothingBehind) {
  if (!display_.is_there()) GTEST_SKIP() << "no Xvfb";
  const Outcome outcome = soak("0");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("from round 1 to 2"), std::string::npos) << outcome.out;
}

TEST_F(WindowSoak, FailsIfTheProgramCannotShowItsWindow) {
  const Outcome outcome = soak("0", "DISPLAY=:987654");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("no window can be opened"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace mote
