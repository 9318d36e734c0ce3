#include "virtual_display.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace mote {
namespace {

/// The text that the server writes to the pipe before it closes it: its number and a line end.
std::string read_line(int pipe) {
  std::string line;
  char c = 0;
  while (::read(pipe, &c, 1) == 1 && c != '\n') line += c;
  return line;
}

}  // namespace

VirtualDisplay::VirtualDisplay() {
  int pipe[2];
  if (::pipe(pipe) != 0) return;
  const std::string number_to = std::to_string(pipe[1]);
  server_ = ::fork();
  if (server_ == 0) {
    const int nowhere = ::open("/dev/null", O_RDWR);
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
    ::close(pipe[0]);
    // Keeps the server's state when a test's first window closes and the next one opens.
    ::execlp("Xvfb", "Xvfb", "-displayfd", number_to.c_str(), "-screen", "0", "1600x1200x24",
             "-nolisten", "tcp", "-noreset", static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::close(pipe[1]);
  const std::string number = server_ > 0 ? read_line(pipe[0]) : "";
  ::close(pipe[0]);
  is_there_ = !number.empty();
  if (is_there_) ::setenv("DISPLAY", (":" + number).c_str(), 1);
}

VirtualDisplay::~VirtualDisplay() {
  if (server_ <= 0) return;
  ::kill(server_, SIGTERM);
  ::waitpid(server_, nullptr, 0);
}

}  // namespace mote
