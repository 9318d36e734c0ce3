#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace mote::gui {

/// Lines of the script language that a frame's widgets ask for. They are done once the frame is
/// drawn, so that the session stands still while panels read it.
class ActionQueue {
 public:
  void add(std::string line) { lines_.push_back(std::move(line)); }
  template <class... Values>
  void add(fmt::format_string<Values...> text, Values&&... values) {
    lines_.push_back(fmt::format(text, std::forward<Values>(values)...));
  }
  std::vector<std::string> take() { return std::exchange(lines_, {}); }

 private:
  std::vector<std::string> lines_;
};

}  // namespace mote::gui
