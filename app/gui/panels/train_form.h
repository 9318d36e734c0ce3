#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
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

  /// The model is that of the file.
  void choose_target(FieldApplication application);
  /// The user chooses between the models of photographs.
  void choose_photographs();
  void draw(const PanelContext& context);
  /// The arguments of `train start` for all choices.
  std::vector<std::string> words() const;

 private:
  void draw_model(const PanelContext& context);
  /// The entry of the model that is trained.
  const ModelEntry& model() const;
  void draw_length(const PanelContext& context);
  void draw_group(const PanelContext& context, const std::string& group);
  void row(const PanelContext& context, const Option& option);
  bool found(const Option& option) const;

  RunConfig config_;                            // holds the defaults; targets of the table
  OptionTable table_;                           // of config_
  std::map<std::string, std::string> chosen_;   // by name; missing entries have the default
  std::optional<FieldApplication> target_;      // empty: photographs
  std::string_view of_photographs_ = "splats";  // model of photographs
  std::set<std::string> of_others_;             // options that the model does not have
  std::string budget_ = "10m";                  // empty: limited by steps
  std::string search_;
};

/// The name of a kind of fields for the user.
std::string_view field_title(FieldApplication application);

}  // namespace mote::gui
