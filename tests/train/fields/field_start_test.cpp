// Runs of neural fields that start from a snapshot: its place in the run's options, and snapshots
// that do not fit.
#include "train/fields/field_start.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fields/applications/nerf_layout.h"
#include "io/fields/field_config_json.h"
#include "io/fields/field_snapshot.h"
#include "support/files/format_samples.h"
#include "support/thrown_by.h"
#include "support/tiny_field.h"
#include "train/fields/field_plan.h"

namespace mote {
namespace {

class FieldStarts : public testing::Test {
 protected:
  void write(const NeuralField& field) const {
    OutputFile output(file_.path());
    write_field_snapshot(field, {true, false}, output, {});
    output.commit();
  }
  FieldOptions options() const {
    FieldOptions all;
    all.init_field = file_.path().string();
    return all;
  }
  /// The values of the options named "init-field" that a resumed run must have.
  std::vector<std::string> kept() const {
    std::vector<std::string> values;
    for (const OptionText& option :
         FieldPlan(FieldApplication::nerf, LoopOptions{}, options()).kept_options()) {
      if (option.name == "init-field") values.push_back(option.text);
    }
    return values;
  }

  const NeuralField start_ = tiny_field(FieldApplication::nerf, 1, 2);

 private:
  const samples::TemporaryFile file_{".ingp"};
};

TEST_F(FieldStarts, AResumedRunMustFindTheSamePlaceInTheSnapshot) {
  write(start_);
  const std::vector<std::string> first = kept();
  ASSERT_FALSE(first.empty());
  NeuralField field = tiny_field(FieldApplication::nerf, 2, 2);
  field.training_step = start_.training_step + 7;
  write(field);
  EXPECT_EQ(kept(), first) << "the checkpoint has parameters and steps of its own";
  field.placement.offset.y += 0.5;
  write(field);
  EXPECT_NE(kept(), first);
  field.placement = start_.placement;
  field.placement.scale *= 2;
  write(field);
  EXPECT_NE(kept(), first);
  field.placement = start_.placement;
  field.render_box.max.z = 0.5f;
  write(field);
  EXPECT_NE(kept(), first);
  write(tiny_field(FieldApplication::nerf, 1, 1));
  EXPECT_NE(kept(), first);
}

TEST_F(FieldStarts, GiveANerfTheirPlaceAndParameters) {
  write(start_);
  NeuralField placed = start_;
  placed.parameters = {};
  placed.placement = {};
  placed.aabb_scale = 1;
  placed.render_box = {};
  NeuralField started = placed;
  place_as_snapshot(options(), placed);
  start_from_snapshot(options(), started);
  EXPECT_TRUE(placed.parameters.empty());
  EXPECT_EQ(started.parameters.size(), start_.parameters.size());
  for (const NeuralField* field : {&placed, &started}) {
    EXPECT_EQ(field->placement, start_.placement);
    EXPECT_EQ(field->aabb_scale, 2);
    EXPECT_EQ(field->render_box, start_.render_box);
  }
  EXPECT_EQ(field_config_json(start_config(options(), FieldApplication::nerf)),
            field_config_json(start_.config));
  EXPECT_EQ(start_state(options()), std::nullopt);
}

TEST_F(FieldStarts, LatentsOfOneSideAreNamedWithTheirRemedy) {
  const FieldConfig config = with_latents(start_.config, 4);
  const NeuralField with = tiny_field(FieldApplication::nerf, config, 1, 2);
  const auto refusal = [&](const NeuralField& start, NeuralField own) {
    write(start);
    return thrown_by([&] { place_as_snapshot(options(), own); });
  };
  const Error of_start = refusal(with, start_);
  EXPECT_NE(of_start.problem().find("has latents"), std::string::npos) << of_start.what();
  EXPECT_NE(of_start.remedy().find("another file"), std::string::npos) << of_start.what();
  const Error of_run = refusal(start_, with);
  EXPECT_NE(of_run.problem().find("has no latents"), std::string::npos) << of_run.what();
  EXPECT_NE(of_run.remedy().find("--latents 0"), std::string::npos) << of_run.what();
}

}  // namespace
}  // namespace mote
