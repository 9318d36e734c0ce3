#pragma once

#include <string>
#include <vector>

#include "app/gui/panel.h"

namespace mote::gui {

/// Asks the user before an action discards unsaved work.
class Question {
 public:
  /// Whether the action may run now: it discards nothing, or the user has just confirmed it.
  /// Otherwise opens the question, unless one is open.
  bool allows(const Session& session, const ActionCall& call);
  bool open() const { return open_; }
  /// Draws the question; requests the action again after confirmation.
  void draw(const PanelContext& context);

 private:
  void draw_buttons(const PanelContext& context);
  void close();

  bool open_ = false, just_opened_ = false;
  ActionCall call_;
  std::vector<std::string> losses_;  // of call_
  std::string scene_;                // scene that can be exported first; empty: none
  ActionCall agreed_;                // the confirmed action
};

}  // namespace mote::gui
