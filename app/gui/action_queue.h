#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace mote::gui {

/// A script line requested by the user.
struct AskedLine {
  std::string line;
  bool by_key = false;  // requested by the action's key
};

/// Script lines requested by a frame's widgets. They run after the frame is drawn, so that the
/// session does not change while panels read it.
class ActionQueue {
 public:
  void add(std::string line) { lines_.push_back({std::move(line)}); }
  template <class... Values>
  void add(fmt::format_string<Values...> text, Values&&... values) {
    lines_.push_back({fmt::format(text, std::forward<Values>(values)...)});
  }
  void add_by_key(std::string line) { lines_.push_back({std::move(line), true}); }
  std::vector<AskedLine> take() { return std::exchange(lines_, {}); }

 private:
  std::vector<AskedLine> lines_;
};

}  // namespace mote::gui
