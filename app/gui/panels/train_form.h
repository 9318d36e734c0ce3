#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/gui/panel.h"
#include "app/jobs/run_config.h"
#include "core/options.h"

namespace mote::gui {

/// The choices before a run: its length, and the options of the table.
class TrainForm {
 public:
  TrainForm();
  TrainForm(const TrainForm&) = delete;
  TrainForm& operator=(const TrainForm&) = delete;

  void draw(const PanelContext& context);
  /// The arguments of `train start` for all choices.
  std::vector<std::string> words() const;

 private:
  void draw_length(const PanelContext& context);
  void draw_group(const PanelContext& context, const std::string& group);
  void row(const PanelContext& context, const Option& option);
  bool found(const Option& option) const;

  RunConfig config_;                           // holds the defaults; targets of the table
  OptionTable table_;                          // of config_
  std::map<std::string, std::string> chosen_;  // by name; missing entries have the default
  std::string budget_ = "10m";                 // empty: limited by steps
  std::string search_;
};

}  // namespace mote::gui
