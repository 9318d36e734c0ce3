#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "app/viewer/session/action.h"

namespace mote::gui {

/// An action requested by the user.
struct AskedAction {
  ActionCall call;
  bool by_key = false;  // requested by the action's key
};

/// Actions requested by keys and widgets. Those of keys run before the frame is laid out, and those
/// of widgets after it is drawn, so that the session does not change while panels read it.
class ActionQueue {
 public:
  void add(ActionCall call) { asked_.push_back({std::move(call)}); }
  template <class... Values>
  void add(std::string_view name, const Values&... values) {
    asked_.push_back({ActionCall(name, values...)});
  }
  void add_by_key(const Action& action) { asked_.push_back({ActionCall(action.name), true}); }
  std::vector<AskedAction> take() { return std::exchange(asked_, {}); }

 private:
  std::vector<AskedAction> asked_;
};

}  // namespace mote::gui
