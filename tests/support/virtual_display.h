#pragma once

#include <sys/types.h>
#include <string>

namespace mote {

/// A virtual display: an X server of this process, which is the process's display during the
/// object's lifetime. The server chooses its number, so that tests can run in parallel.
class VirtualDisplay {
 public:
  VirtualDisplay();
  ~VirtualDisplay();
  VirtualDisplay(const VirtualDisplay&) = delete;
  VirtualDisplay& operator=(const VirtualDisplay&) = delete;

  /// False if Xvfb is missing or does not start.
  bool is_there() const { return is_there_; }

 private:
  pid_t server_ = -1;
  bool is_there_ = false;
};

}  // namespace mote
