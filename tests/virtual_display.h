#pragma once

#include <sys/types.h>
#include <string>

namespace mote {

/// A display that no screen shows: an X server of this process' own, which is the display of the
/// process as long as this lives. Its number is chosen by the server, so that tests can run side by
/// side.
class VirtualDisplay {
 public:
  VirtualDisplay();
  ~VirtualDisplay();
  VirtualDisplay(const VirtualDisplay&) = delete;
  VirtualDisplay& operator=(const VirtualDisplay&) = delete;

  /// False where Xvfb is not installed or does not start.
  bool is_there() const { return is_there_; }

 private:
  pid_t server_ = -1;
  bool is_there_ = false;
};

}  // namespace mote
