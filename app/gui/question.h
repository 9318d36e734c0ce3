#pragma once

#include <string>
#include <vector>

#include "app/gui/panel.h"

namespace mote::gui {

/// Asks before hands do something that loses what no file holds.
class Question {
 public:
  /// Whether the line may be done now: it loses nothing, or the user has just agreed. Else it is
  /// asked about, unless something is asked already.
  bool allows(const Session& session, const std::string& line);
  bool open() const { return open_; }
  /// Asks for the line again once the user agrees.
  void draw(const PanelContext& context);

 private:
  void draw_buttons(const PanelContext& context);
  void close();

  bool open_ = false, just_opened_ = false;
  std::string line_;
  std::vector<std::string> losses_;  // of the line
  std::string scene_;                // that could be exported first; empty: none
  std::string agreed_;               // the line that is to be done
};

}  // namespace mote::gui
