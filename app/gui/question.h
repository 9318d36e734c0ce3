#pragma once

#include <string>
#include <vector>

#include "app/gui/panel.h"

namespace mote::gui {

/// Asks the user before an action discards unsaved work. The user may save the work first; the
/// action then runs once the file is written.
class Question {
 public:
  /// Whether the action may run now: it discards nothing, or the user has just confirmed it.
  /// Otherwise opens the question, unless one is open.
  bool allows(const Session& session, const ActionCall& call);
  bool open() const { return open_; }
  /// Draws the question; requests the action again after confirmation, or when its work is saved.
  /// `asking`: the dialog for the file to save to is open.
  void draw(const PanelContext& context, bool asking);

 private:
  void draw_buttons(const PanelContext& context);
  bool save_button(const PanelContext& context, const char* label);
  void follow_saving(const PanelContext& context, bool asking);
  void close();

  bool open_ = false, just_opened_ = false;
  ActionCall call_;
  std::vector<std::string> losses_;  // of call_
  std::string scene_;                // scene that can be exported first; empty: none
  bool path_ = false;                // the camera path can be saved first
  bool project_ = false;             // everything can be saved first, in a project
  ActionCall after_;                 // the action to run when the work is saved; or none
  std::size_t losses_before_ = 0;    // of after_, when the saving was requested
  bool saving_ = false;              // the saving of after_'s work has begun
  ActionCall agreed_;                // the confirmed action
};

}  // namespace mote::gui
