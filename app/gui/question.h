#pragma once

#include <string>
#include <vector>

#include "app/gui/panel.h"

namespace mote::gui {

/// Asks the user before an action discards unsaved work.
class Question {
 public:
  /// Whether the line may run now: it discards nothing, or the user has just confirmed it.
  /// Otherwise opens the question, unless one is open.
  bool allows(const Session& session, const std::string& line);
  bool open() const { return open_; }
  /// Draws the question; requests the line again after confirmation.
  void draw(const PanelContext& context);

 private:
  void draw_buttons(const PanelContext& context);
  void close();

  bool open_ = false, just_opened_ = false;
  std::string line_;
  std::vector<std::string> losses_;  // of line_
  std::string scene_;                // scene that can be exported first; empty: none
  std::string agreed_;               // the confirmed line
};

}  // namespace mote::gui
