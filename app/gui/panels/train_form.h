#pragma once

#include <map>
#include <string>

#include "app/gui/panel.h"
#include "app/run_config.h"
#include "core/options.h"

namespace mote::gui {

/// What the user chooses before a run: how long, and the options of the table.
class TrainForm {
 public:
  TrainForm();
  TrainForm(const TrainForm&) = delete;
  TrainForm& operator=(const TrainForm&) = delete;

  void draw(const PanelContext& context);
  /// The words of `train start` for all that is chosen, each behind a blank.
  std::string words() const;

 private:
  void draw_length(const PanelContext& context);
  void draw_group(const PanelContext& context, const std::string& group);
  void row(const PanelContext& context, const Option& option);
  bool found(const Option& option) const;

  RunConfig config_;                           // defaults; the table's targets
  OptionTable table_;                          // of it
  std::map<std::string, std::string> chosen_;  // by name; what is not here is the default
  std::string budget_ = "10m";                 // empty: by steps
  std::string search_;
};

}  // namespace mote::gui
