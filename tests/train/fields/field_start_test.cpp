// Runs of neural fields that start from a snapshot: its place in the run's options, and snapshots
// that do not fit.
#include "train/fields/field_start.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fields/applications/nerf_layout.h"
#include "fields/proposals/proposal_layout.h"
#include "io/fields/field_config_json.h"
#include "io/fields/field_snapshot.h"
#include "support/files/format_samples.h"
#include "support/thrown_by.h"
#include "support/tiny_field.h"
#include "support/tiny_proposals.h"
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
  EXPECT_TRUE(start_from_snapshot(options(), 3, started).empty());
  EXPECT_TRUE(placed.parameters.empty());
  EXPECT_EQ(started.parameters.size(), start_.parameters.size());
  for (const NeuralField* field : {&placed, &started}) {
    EXPECT_EQ(field->placement, start_.placement);
    EXPECT_EQ(field->aabb_scale, 2);
    EXPECT_EQ(field->render_box, start_.render_box);
  }
  EXPECT_EQ(field_config_json(start_config(options(), FieldApplication::nerf)),
            field_config_json(start_.config));
  EXPECT_EQ(start_states(options()), std::nullopt);
}

TEST_F(FieldStarts, LatentsOfAnotherNumberAreNamedWithTheirRemedy) {
  const auto field_with = [&](int count) {
    return tiny_field(FieldApplication::nerf, with_latents(start_.config, count), 1, 2);
  };
  const auto refusal = [&](int of_start, int of_run) {
    write(field_with(of_start));
    NeuralField own = field_with(of_run);
    const Error error = thrown_by([&] { place_as_snapshot(options(), own); });
    EXPECT_EQ(error.where(), options().init_field);
    return error;
  };
  const Error of_start = refusal(4, 0);
  EXPECT_EQ(of_start.problem(), "has 4 latents of each photograph, and the run has none");
  EXPECT_EQ(of_start.remedy(), "give --latents 4");
  const Error of_run = refusal(0, 4);
  EXPECT_EQ(of_run.problem(), "has no latents, and the run has 4 of each photograph");
  EXPECT_EQ(of_run.remedy(), "give --latents 0");
  const Error of_both = refusal(4, 3);
  EXPECT_EQ(of_both.problem(), "has 4 latents of each photograph, and the run has 3");
  EXPECT_EQ(of_both.remedy(), "give --latents 4");
}

TEST_F(FieldStarts, ARunHasTheLatentsOfItsSnapshotUnlessItNamesOthers) {
  write(tiny_field(FieldApplication::nerf, with_latents(start_.config, 4), 1, 2));
  FieldOptions chosen = options();
  const FieldConfig found = start_config(chosen, FieldApplication::nerf);
  Dataset dataset;
  const auto latents = [&] {
    return latents_of(*with_latents_of_run(found, chosen, dataset).direction_encoding);
  };
  EXPECT_EQ(latents(), 4);
  EXPECT_EQ(field_config_json(with_latents_of_run(found, chosen, dataset)),
            field_config_json(found));
  dataset.field_hints.latents = 8;
  EXPECT_EQ(latents(), 8);
  chosen.latents = 4;
  EXPECT_EQ(latents(), 4);
  chosen.latents = 0;
  EXPECT_EQ(latents(), 0);
  chosen.latents = 5;
  EXPECT_EQ(latents_of(*with_latents_of_run(start_.config, chosen, dataset).direction_encoding), 5);
}

TEST_F(FieldStarts, LatentsAreTakenOverForAsManyPhotographs) {
  const FieldConfig config = with_latents(start_.config, 2);
  NeuralField start = tiny_field(FieldApplication::nerf, config, 1, 2);
  start.latents = {0.5f, -0.25f, 0.125f, 1, -1, 0};
  write(start);
  NeuralField same = tiny_field(FieldApplication::nerf, config, 2, 2), others = same;
  EXPECT_TRUE(start_from_snapshot(options(), 3, same).empty());
  EXPECT_EQ(same.latents, start.latents);
  EXPECT_NE(same.parameters, tiny_field(FieldApplication::nerf, config, 2, 2).parameters);
  const std::vector<std::string> warnings = start_from_snapshot(options(), 4, others);
  EXPECT_TRUE(others.latents.empty());
  EXPECT_EQ(others.parameters, same.parameters);
  ASSERT_EQ(warnings.size(), 1u);
  for (const std::string& phrase :
       {options().init_field, std::string("the latents of 3 photographs"),
        std::string("trains on 4 photographs"), std::string("begin at random")}) {
    EXPECT_NE(warnings[0].find(phrase), std::string::npos) << warnings[0];
  }
  // A file may have none of them.
  start.latents.clear();
  write(start);
  const std::vector<std::string> of_none = start_from_snapshot(options(), 3, others);
  ASSERT_EQ(of_none.size(), 1u);
  EXPECT_NE(of_none[0].find("0 photographs"), std::string::npos) << of_none[0];
}

TEST_F(FieldStarts, ProposalsAreTakenOver) {
  NeuralField start = start_;
  start.proposals = tiny_proposals();
  write(start);
  FieldOptions chosen = options();
  chosen.sampler = "proposal";
  NeuralField started = start_, placed = start_;
  started.config.optimizer->learning_rate = 0.5;
  started.proposals = placed.proposals = empty_proposals(*start_.config.optimizer);
  EXPECT_TRUE(start_from_snapshot(chosen, 3, started).empty());
  place_as_snapshot(chosen, placed);
  for (const NeuralField* field : {&started, &placed}) {
    ASSERT_TRUE(field->proposals.has_value());
    EXPECT_EQ(field->proposals->samples, 7);
    ASSERT_EQ(field->proposals->rounds.size(), 2u);
  }
  for (std::size_t r = 0; r < 2; ++r) {
    const ProposalRound &own = started.proposals->rounds[r], &wanted = start.proposals->rounds[r];
    EXPECT_EQ(own.samples, wanted.samples);
    EXPECT_EQ(own.parameters, wanted.parameters);
    EXPECT_EQ(own.config.optimizer->learning_rate, 0.5);
    EXPECT_TRUE(placed.proposals->rounds[r].parameters.empty());
    EXPECT_EQ(proposal_parameters(placed.proposals->rounds[r]), wanted.parameters.size());
  }
}

TEST_F(FieldStarts, SamplesOfAnotherKindAreNamedWithTheirRemedy) {
  FieldOptions chosen = options();
  const auto refusal = [&] {
    NeuralField own = start_;
    return thrown_by([&] { place_as_snapshot(chosen, own); });
  };
  write(start_);
  chosen.sampler = "proposal";
  const Error of_run = refusal();
  EXPECT_NE(of_run.problem().find("has no proposals"), std::string::npos) << of_run.what();
  EXPECT_EQ(of_run.remedy(), "leave --sampler proposal out");
  NeuralField start = start_;
  start.proposals = tiny_proposals();
  write(start);
  chosen.sampler = "occupancy";
  const Error of_start = refusal();
  EXPECT_NE(of_start.problem().find("has proposals"), std::string::npos) << of_start.what();
  EXPECT_EQ(of_start.remedy(), "give --sampler proposal");
  EXPECT_EQ(of_start.where(), chosen.init_field);
}

TEST_F(FieldStarts, AResumedRunMustFindTheSameProposalsInTheSnapshot) {
  NeuralField start = start_;
  write(start);
  const std::vector<std::string> without = kept();
  start.proposals = tiny_proposals(1);
  write(start);
  const std::vector<std::string> first = kept();
  EXPECT_NE(first, without);
  start.proposals = tiny_proposals(2);
  write(start);
  EXPECT_EQ(kept(), first) << "the checkpoint has parameters of its own";
  start.proposals->rounds[1].samples = 9;
  write(start);
  EXPECT_NE(kept(), first);
}

}  // namespace
}  // namespace mote
